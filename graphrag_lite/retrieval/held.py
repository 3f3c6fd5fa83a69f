"""How well what text units say held, or happened, in a period that a question asks about (the table `search_times`)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from graphrag_lite.text.times import Period

Ints = npt.NDArray[np.integer[Any]]

OPEN_DAYS = 3650  # that a state is taken to last of which only the beginning, or the end, is told
POINT = 0.75  # what a time counts that something only happened in, of a state that lasted then


@dataclass(frozen=True)
class Held:
    """The days that statements tell of: `unit` (n_statements,) ascending, first and last day, 0 where not told."""

    n_units: int
    unit: Ints
    first: Ints
    last: Ints
    lasting: Ints

    def fits(self, asked: Sequence[Period]) -> npt.NDArray[np.float64]:
        """Return for each unit how well its best statement fits one of the periods, (n_units,), in [0, 1].

        A state fits by the mean of two shares: the part of the period in which it held, and the common days' part of
        the shorter of both. What only happened fits by the second.

        >>> from datetime import date
        >>> first, last = np.array([730120, 730120]), np.array([733773, 730486])  # 2000 to 2009, 2000
        >>> held = Held(3, np.array([0, 2]), first, last, np.array([1, 0]))
        >>> held.fits([Period(date(2002, 1, 1), date(2004, 12, 31))]).tolist()
        [1.0, 0.0, 0.0]
        """
        found = np.zeros(self.n_units)
        if not len(self.unit):
            return found
        last = np.where(self.last > 0, self.last, self.first + OPEN_DAYS).astype(np.float64)
        first = np.where(self.first > 0, self.first, self.last - OPEN_DAYS).astype(np.float64)
        for period in asked:
            begins, ends = period.first.toordinal(), period.last.toordinal()
            common = np.maximum(0.0, np.minimum(last, ends) - np.maximum(first, begins) + 1)
            of_shorter = common / np.minimum(last - first + 1, ends - begins + 1)
            both = 0.5 * common / (ends - begins + 1) + 0.5 * of_shorter
            np.maximum.at(found, self.unit, np.where(self.lasting > 0, both, POINT * of_shorter))
        return np.minimum(found, 1.0)
