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
# Who asks of 1921 to 1930 asks of what held then, and texts tell the beginning of that: more for what begins within so
# many days of the first one, in a period that is longer than them.
NEAR_DAYS, BEGUN = 366, 0.5


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

    def fits(self, periods: Sequence[Period]) -> npt.NDArray[np.float64]:
        """Return for each unit how well its best statement fits one of the periods, (n_units,), from 0 to 1 + BEGUN.

        >>> from datetime import date
        >>> first, last = np.array([730120, 730120]), np.array([733773, 730486])  # 2000 to 2009, 2000
        >>> held = Held(3, np.array([0, 2]), first, last, np.array([1, 0]), np.array([0, 40]))
        >>> periods = [Period(date(2002, 1, 1), date(2004, 12, 31))]
        >>> held.fits(periods).tolist(), held.statements(0, periods)
        ([1.0, 0.0, 0.0], {0: (1.0, False)})
        """
        found = np.zeros(self.n_units)
        np.maximum.at(found, self.unit, self._fits(periods, slice(None))[0])
        return found

    def statements(self, unit: int, periods: Sequence[Period]) -> dict[int, tuple[float, bool]]:
        """Return the statements of a unit that fit one of the periods, by their first character.

        Each with how well, and whether it tells of what begins where one of the periods does.
        """
        rows = slice(*np.searchsorted(self.unit, [unit, unit + 1]).tolist())
        found: dict[int, tuple[float, bool]] = {}
        rated = zip(self.start[rows].tolist(), *(each.tolist() for each in self._fits(periods, rows)), strict=True)
        for start, fit, begins in rated:
            if fit > 0:
                best, begun = found.get(start, (0.0, False))
                found[start] = max(best, min(fit, 1.0)), begun or begins
        return found

    def _fits(self, periods: Sequence[Period], rows: slice) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
        """Return how well statements fit the period that they fit best, and which begin where one does.

        A state fits by the mean of two shares: the part of the period in which it held, and the common days' part of
        the shorter of both. What only happened fits by the second.
        """
        first, last, lasting = (of[rows].astype(np.float64) for of in (self.first, self.last, self.lasting))
        has_start = first > 0
        last = np.where(last > 0, last, first + OPEN_DAYS)
        first = np.where(has_start, first, last - OPEN_DAYS)
        found, begun = np.zeros(len(first)), np.zeros(len(first), dtype=np.bool_)
        for period in periods:
            begins, ends = period.first.toordinal(), period.last.toordinal()
            common = np.maximum(0.0, np.minimum(last, ends) - np.maximum(first, begins) + 1)
            of_shorter = common / np.minimum(last - first + 1, ends - begins + 1)
            both = 0.5 * common / (ends - begins + 1) + 0.5 * of_shorter
            near = has_start & (common > 0) & (np.abs(first - begins) <= NEAR_DAYS) & (ends - begins >= NEAR_DAYS)
            np.maximum(found, np.where(lasting > 0, both, POINT * of_shorter) * (1 + BEGUN * near), out=found)
            begun |= near
        return found, begun
