"""When what a text unit holds was said last: by its messages, which may be months apart in a document."""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping

from graphrag_lite.temporal.instants import UNKNOWN, first_second
from graphrag_lite.text.period import period_of

_NUMBER = re.compile(r"(?<![0-9A-Za-z])\d{1,9}$")
Key = tuple[int, ...]


def said_days(units: Iterable[tuple[str, int, int]], episodes: Iterable[tuple[str, int, int, str]]) -> list[int]:
    """Return the day of each text unit (`date.toordinal`): the last of the episodes that it holds a part of; 0 unknown.

    `units` are (document, start, end), `episodes` (document, start, end, ISO 8601 time), by place within a document. Of
    what is dated by month or year only, it is the first day. A unit whose place is not known (-1) can be any of it.

    >>> said_days([("d", 0, 9), ("d", 5, 20)], [("d", 0, 8, "0001-01-02"), ("d", 10, 20, "0001-01-05T10:00:00")])
    [2, 5]
    """
    days: dict[str, Key] = {"": (0,)}
    listed = []
    for document, start, end, time in episodes:
        day = time[:10]
        if day not in days:
            period = period_of(day)
            days[day] = (period.first.toordinal() if period else 0,)
        listed.append((document, start, end, days[day]))
    return [day for (day,) in _last(units, listed, (0,))]


def said_order(
    units: Iterable[tuple[str, int, int]],
    episodes: Iterable[tuple[str, int, int, str, str, int]],
    source_ids: Mapping[str, str],
) -> list[int]:
    """Return the place of each text unit in the order in which units were said, equal where it is not told; 0 undated.

    `episodes` have their kind and ordinal, too. Of messages at one time the one is later that has the higher number at
    the end of its document's source id, as rows of a chat have one, and in a document the one further down.

    >>> rows = [(row, 0, 9, "2024-03-15", "message", 0) for row in "abc"]
    >>> said_order([(row, 0, 9) for row in "abc"], rows, {"a": "chat:10", "b": "chat:9", "c": "chat:11"})
    [2, 1, 3]
    """
    numbers = source_numbers(source_ids)
    listed = [
        (
            document,
            start,
            end,
            (first_second(time), *((numbers.get(document, 0), ordinal) if kind == "message" else (0, 0))),
        )
        for document, start, end, time, kind, ordinal in episodes
    ]
    keys = _last(units, listed, (UNKNOWN, 0, 0))
    place = {key: n for n, key in enumerate(sorted({key for key in keys if key[0] != UNKNOWN}), start=1)}
    return [place.get(key, 0) for key in keys]


def source_numbers(source_ids: Mapping[str, str]) -> dict[str, int]:
    """Return the number at the end of each source id that has one, as rows of a chat do, by document."""
    return {each: int(found[0]) for each, stated in source_ids.items() if (found := _NUMBER.search(stated))}


def _last(units: Iterable[tuple[str, int, int]], episodes: Iterable[tuple[str, int, int, Key]], none: Key) -> list[Key]:
    """Return the highest key of the episodes that each unit holds a part of."""
    starts: dict[str, list[int]] = defaultdict(list)
    said: dict[str, list[tuple[int, Key]]] = defaultdict(list)  # the end of each, and its key
    for document, start, end, key in episodes:
        starts[document].append(start)
        said[document].append((end, key))
    found = []
    for document, start, end in units:
        if document not in said:
            found.append(none)
            continue
        first = max(bisect_right(starts[document], start) - 1, 0)
        behind = bisect_right(starts[document], end - 1) if start >= 0 else None
        found.append(max((key for last, key in said[document][first:behind] if last > start), default=none))
    return found
