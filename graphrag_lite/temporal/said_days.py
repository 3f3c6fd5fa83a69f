"""The day on which what a text unit holds was said last: by its messages, which may be months apart in a document."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable

from graphrag_lite.text.period import whole


def said_days(units: Iterable[tuple[str, int, int]], episodes: Iterable[tuple[str, int, int, str]]) -> list[int]:
    """Return the day of each text unit (`date.toordinal`): the last of the episodes that it holds a part of; 0 unknown.

    `units` are (document, start, end), `episodes` (document, start, end, ISO 8601 time), by place within a document. Of
    what is dated by month or year only, it is the first day. A unit whose place is not known (-1) can be any of it.

    >>> said_days([("d", 0, 9), ("d", 5, 20)], [("d", 0, 8, "0001-01-02"), ("d", 10, 20, "0001-01-05T10:00:00")])
    [2, 5]
    """
    starts: dict[str, list[int]] = defaultdict(list)
    said: dict[str, list[tuple[int, int]]] = defaultdict(list)  # the end of each, and its day
    days: dict[str, int] = {"": 0}
    for document, start, end, time in episodes:
        day = time[:10]
        if day not in days:
            period = whole(day)
            days[day] = period.first.toordinal() if period else 0
        starts[document].append(start)
        said[document].append((end, days[day]))
    found = []
    for document, start, end in units:
        first = max(bisect_right(starts[document], start) - 1, 0)
        behind = bisect_right(starts[document], end - 1) if start >= 0 else None
        held = said[document][first:behind]
        found.append(max((day for last, day in held if last > start), default=0))
    return found
