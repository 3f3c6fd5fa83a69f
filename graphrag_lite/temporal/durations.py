"""What is computed of dated statements: the days between two, which is earlier, and whether that is certain at all."""

from collections.abc import Mapping, Sequence
from datetime import date
from itertools import pairwise
from typing import Any, NamedTuple

UNITS = {"day": 1.0, "week": 7.0, "month": 30.44, "year": 365.25}  # days
WIDTHS = {"day": 1, "week": 7, "month": 30, "season": 120, "year": 365, "decade": 3652, "century": 36525}  # days
SEEN = "seen"  # the precision of what begins some time before it is said: nothing is computed of it
CERTAIN = 0.45  # of a duration: what its two dates leave open beyond this is too much to state a number


class When(NamedTuple):
    """A day that is known to lie from `first` to `last`, by ordinals (`date.toordinal`)."""

    first: int
    last: int
    lasts: bool = False  # all days of it are meant

    @property
    def middle(self) -> int:
        return (self.first + self.last) // 2

    @property
    def open(self) -> int:
        """How many days it can be earlier or later than its middle."""
        return (self.last - self.first + 1) // 2

    def __str__(self) -> str:
        """Say the day, or the first and the last that it can be."""
        first, last = (date.fromordinal(day).isoformat() for day in self[:2])
        if first == last:
            return first
        for cut in (4, 7):
            rest = "-01-01"[cut - 4 :]
            if first[:cut] == last[:cut] and first.endswith(rest) and _next(self.last).endswith(rest):
                return first[:cut]
        return f"{first} to {last}"


def _next(ordinal: int) -> str:
    return date.fromordinal(min(ordinal + 1, date.max.toordinal())).isoformat()


def day_of(row: Mapping[str, Any], *, at_end: bool = False) -> When | None:
    """Return the day of a statement: of what lasts, when it began, with `at_end` when it ended; None where not told.

    >>> str(day_of({"valid_at": "2024-03-01", "invalid_at": "2024-04-01", "kind": "event", "precision": "month"}))
    '2024-03'
    >>> str(day_of({"valid_at": "", "invalid_at": "2024-04-21", "kind": "plan", "precision": "day"}))
    '2024-04-20'
    """
    width = WIDTHS[row["precision"]]
    stated = (row["valid_at"], row["invalid_at"])
    begins, ends = (date.fromisoformat(day).toordinal() if day else None for day in stated)
    if ends is not None and (begins is None or at_end):
        return When(max(1, ends - width), ends - 1)
    if begins is None:
        return None
    if ends is not None and row["precision"] == "day" and ends - begins > 1:
        return When(begins, ends - 1, lasts=True)
    if ends is not None and ends - begins <= width + 1:
        return When(begins, ends - 1)
    return When(begins, begins + width - 1)


def time_between(one: When, other: When, unit: str) -> str:
    """Return how long lies between two days, in `unit` or the one that fits; "" where it is not certain enough.

    >>> days = [When(day, day) for day in (738000, 738024)]
    >>> (time_between(*days, "day"), time_between(*days, "week"), time_between(*days, ""),
    ...  time_between(days[0], When(738010, 738040), "day"))
    ('24 days', 'about 3 weeks (24 days)', '24 days', '')
    """
    if one.lasts or other.lasts:
        early, late = sorted((one, other))
        one = When(early.last, early.last) if early.lasts else early
        other = When(late.first, late.first) if late.lasts else late
    days, margin = abs(one.middle - other.middle), one.open + other.open
    if margin == 0:
        return _exact(days, unit or "day")
    if margin > CERTAIN * days and margin > 1:
        return ""
    unit = max(unit or "day", _fitting(margin), key=UNITS.__getitem__)
    n = round(days / UNITS[unit])
    return f"about {_counted(n, unit)}" if n else ""


def _exact(days: int, unit: str) -> str:
    if unit == "day":
        return _counted(days, "day")
    n = days / UNITS[unit]
    about = "" if abs(n - round(n)) < 0.03 else "about "
    return f"{about}{_counted(round(n), unit)} ({_counted(days, 'day')})"


def _fitting(margin: int) -> str:
    """Return the smallest unit in which a number says no more than is known."""
    return next((unit for unit, days in UNITS.items() if days >= margin), "year")


def _counted(n: int, unit: str) -> str:
    return f"{n} {unit}" if n == 1 else f"{n} {unit}s"


def in_order(days: Sequence[When]) -> list[int] | None:
    """Return the places of days from earliest to latest, None where two of them can well be in either order.

    "A month ago" is before "three weeks ago", although the days that each can mean overlap.

    >>> in_order([When(9, 9), When(2, 5)]), in_order([When(9, 9), When(5, 12)])
    ([1, 0], None)
    """
    order = sorted(range(len(days)), key=lambda index: days[index].middle)
    pairs = [(days[one], days[other]) for one, other in pairwise(order)]
    certain = all(other.middle - one.middle > max(one.open, other.open) / 2 for one, other in pairs)
    return order if certain else None
