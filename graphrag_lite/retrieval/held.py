"""How well what text units say held, or happened, in a period that a question asks about (the table `search_times`)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from graphrag_lite.text.period import Period

Ints = npt.NDArray[np.integer[Any]]

OPEN_DAYS = 3650  # that a state is taken to last of which only the beginning, or the end, is told
POINT = 0.75  # what a time counts that something only happened in, of a state that lasted then


@dataclass(frozen=True)
class Held:
    """The days that statements tell of: `unit` (n_statements,) ascending, first and last day, 0 where not told.

    `start` is the first character of each in its document.
    """

    n_units: int
    unit: Ints
    first: Ints
    last: Ints
    lasting: Ints
    start: Ints

    def fits(self, asked: Sequence[Period]) -> npt.NDArray[np.float64]:
        """Return for each unit how well its best statement fits one of the periods, (n_units,), in [0, 1].

        >>> from datetime import date
        >>> first, last = np.array([730120, 730120]), np.array([733773, 730486])  # 2000 to 2009, 2000
        >>> held = Held(3, np.array([0, 2]), first, last, np.array([1, 0]), np.array([0, 40]))
        >>> asked = [Period(date(2002, 1, 1), date(2004, 12, 31))]
        >>> held.fits(asked).tolist(), held.statements(0, asked)
        ([1.0, 0.0, 0.0], {0: 1.0})
        """
        found = np.zeros(self.n_units)
        np.maximum.at(found, self.unit, self._fits(asked, slice(None)))
        return found

    def statements(self, unit: int, asked: Sequence[Period]) -> dict[int, float]:
        """Return the statements of a unit, by their first character, that fit one of the periods, and how well."""
        first, behind = np.searchsorted(self.unit, [unit, unit + 1]).tolist()
        found: dict[int, float] = {}
        fits = self._fits(asked, slice(first, behind)).tolist()
        for start, fit in zip(self.start[first:behind].tolist(), fits, strict=True):
            if fit > 0:
                found[start] = max(fit, found.get(start, 0.0))
        return found

    def _fits(self, asked: Sequence[Period], rows: slice) -> npt.NDArray[np.float64]:
        """Return how well statements fit the period that they fit best, in [0, 1].

        A state fits by the mean of two shares: the part of the period in which it held, and the common days' part of
        the shorter of both. What only happened fits by the second.
        """
        first, last, lasting = (of[rows].astype(np.float64) for of in (self.first, self.last, self.lasting))
        last = np.where(last > 0, last, first + OPEN_DAYS)
        first = np.where(first > 0, first, last - OPEN_DAYS)
        found = np.zeros(len(first))
        for period in asked:
            begins, ends = period.first.toordinal(), period.last.toordinal()
            common = np.maximum(0.0, np.minimum(last, ends) - np.maximum(first, begins) + 1)
            of_shorter = common / np.minimum(last - first + 1, ends - begins + 1)
            both = 0.5 * common / (ends - begins + 1) + 0.5 * of_shorter
            np.maximum(found, np.where(lasting > 0, both, POINT * of_shorter), out=found)
        return np.minimum(found, 1.0)
