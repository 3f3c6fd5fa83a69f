"""What documents are said to be, by text unit: their days, values, numbers in titles; and which fit a question."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property

import numpy as np
import numpy.typing as npt

from graphrag_lite.graph.sparse import Vector
from graphrag_lite.retrieval.bm25 import YEAR
from graphrag_lite.retrieval.entity_names import NameTable, as_one_word, find_mentions
from graphrag_lite.retrieval.held import Held
from graphrag_lite.retrieval.title_numbers import ByNumber
from graphrag_lite.text.numbered_titles import Numbered
from graphrag_lite.text.period import Period

Stated = tuple[npt.NDArray[np.int64], Vector]
"""Text units that have what a question states, ascending, and how well each fits it, in (0, 1]."""
# A document can be dated later than what it tells: what one fits that is dated after a period, of 1, at first, and days
# beside the period's own length in which that halves. Fits below the least are none.
_LATE_FIT, _LATE_DAYS, _LEAST_FIT = 0.25, 7, 0.05
# What the times that sentences state count, of 1, where documents have dates of their own: those say most.
_DATED = 0.15
# Share of the text units whose titles state a year from which on these say it, and sentences' times nothing: pages of
# reports tell of other years, too (financebench_pages R@5 37.7 with them, 38.3 without).
MOST_TITLES = 0.5


@dataclass(frozen=True)
class Attributes:
    """What documents are said to be, by text unit: day, shared metadata values, numbers in titles, whether a reply."""

    days: Vector  # (n_units,) `date.toordinal` of the document, nan where it is not dated
    values: NameTable  # metadata values; the numbers are positions in `units`
    units: Sequence[npt.NDArray[np.int32]]  # text units that have the value, ascending
    numbered: ByNumber = field(default_factory=dict)  # words with a number in titles; positions in `units`
    replies: npt.NDArray[np.bool_] | None = None  # (n_units,) an assistant's; None where there are none
    held: Held | None = None  # when what units say held
    order: Vector | None = None  # (n_units,) higher where it was said later, within a day, too

    @cached_property
    def newest(self) -> date | None:
        """The newest day of a document, None where none is dated."""
        return None if np.isnan(self.days).all() else date.fromordinal(int(np.nanmax(self.days)))

    def newest_day(self, now: date) -> Period:
        """Return the day of the newest document that is not dated after `now`, `now` where there is none."""
        shown = self.days[self.days <= now.toordinal()]
        day = date.fromordinal(int(shown.max())) if len(shown) else now
        return Period(day, day)

    def stated_in(self, text: str, language: str, numbered: Iterable[Numbered]) -> list[Stated]:
        """Return the text units of the metadata values, and of names and numbers in titles, that a question states."""
        of_titles = self._of_titles(numbered)
        mentions = find_mentions(" | ".join([text, *(name for name, _ in as_one_word(text))]), language, self.values)
        values = dict.fromkeys(value for mention in mentions for value in mention.entities)
        return [*map(_fully, (self.units[value] for value in values)), *of_titles]

    def positions_of(self, one: Numbered) -> list[int]:
        """Return the positions in `units` of titles that have a word with its number."""
        return [position for word, _, position in self.numbered.get(one.number, ()) if word == one.word]

    def _of_titles(self, numbered: Iterable[Numbered]) -> list[Stated]:
        """Return the units whose titles have the words with numbers that a question has, by which of them they have.

        What has some of them is left out where something has these and more: of "Q3 of FY20", all other quarters and
        years.
        """
        held: dict[int, set[int]] = {}
        for one in numbered:
            for position in self.positions_of(one):
                for unit in self.units[position].tolist():
                    held.setdefault(unit, set()).add(position)
        alike: dict[frozenset[int], list[int]] = {}
        for unit in sorted(held):
            alike.setdefault(frozenset(held[unit]), []).append(unit)
        return [_fully(units) for positions, units in alike.items() if not any(positions < other for other in alike)]

    def dated_in(self, period: Period) -> Stated:
        """Return the units of documents dated in a period or soon after it."""
        first, last = period.first.toordinal(), period.last.toordinal()
        late = _LATE_FIT * 2.0 ** -(np.maximum(self.days - last, 0.0) / (last - first + _LATE_DAYS))
        fits = np.where(self.days <= last, 1.0, late)
        units = np.flatnonzero((self.days >= first) & (fits >= _LEAST_FIT))  # nan is neither
        return units, fits[units]

    def held_in(self, periods: Sequence[Period]) -> Vector | None:
        """Return how well what units say held in the periods, (n_units,); None where nothing is to be said of it.

        So it is where most titles state a year, as those of annual reports do: they say what their documents are of.
        """
        years = {
            position for number, entries in self.numbered.items() if YEAR.fullmatch(number) for *_, position in entries
        }
        of_years = sum(len(self.units[position]) for position in years) > MOST_TITLES * len(self.days)
        return (
            self.held.fits(periods) * (_DATED if self.newest else 1.0)
            if self.held and periods and not of_years
            else None
        )

    def ages(self, now: date) -> Vector:
        """Return the age of every unit in days; what is not dated is as old as most."""
        ages = np.maximum(now.toordinal() - self.days, 0.0)
        return np.where(np.isnan(ages), np.nanmedian(ages), ages)


def _fully(units: "Sequence[int] | npt.NDArray[np.int32]") -> Stated:
    return np.array(units, dtype=np.int64), np.ones(len(units))
