"""Days from one to another, and the time that a text states by some of its characters."""

from calendar import monthrange
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple


@dataclass(frozen=True, slots=True, order=True)
class Period:
    """Days `first` to `last`, both of it."""

    first: date
    last: date


class Time(NamedTuple):
    """A time that a text states in its characters [start, end).

    `precision` is that of the words: day, week, month, season, year, decade or century, the vaguer of two. `form` tells
    how: a `date`, one without a year (`yearless`), a `range` of two, `open` ("2014-present"), a day `ago` or `ahead`,
    one of the calendar `near` by (last Friday, this month), or the `past` so many weeks.
    """

    start: int
    end: int
    period: Period
    precision: str
    form: str


def period_of(stated: str) -> Period | None:
    """Return the days of an ISO 8601 date of any precision, None for "".

    >>> (str(period_of("2024-02").last), str(period_of("1843").first), str(period_of("2024-05-01T09:30:00Z").first),
    ...  period_of(""))
    ('2024-02-29', '1843-01-01', '2024-05-01', None)
    """
    return days_of(stated) if stated else None


def days_of(stated: str) -> Period:
    """Return the days of an ISO 8601 date. Raises ValueError for one that no calendar has."""
    year, month, day = (int(part or 0) for part in (stated[:4], stated[5:7], stated[8:10]))
    if not month:
        return Period(date(year, 1, 1), date(year, 12, 31))
    return Period(date(year, month, day or 1), date(year, month, day or monthrange(year, month)[1]))
