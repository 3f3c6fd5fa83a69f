"""When what a text unit holds was said last: by its messages, which may be months apart in a document."""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache

from graphrag_lite.temporal.instants import UNKNOWN, first_second
from graphrag_lite.text.period import period_of

_NUMBER = re.compile(r"(?<![0-9A-Za-z])\d{1,9}$")
Key = tuple[int, ...]


def last_reported(
    units: Iterable[tuple[str, int, int]],
    episodes: Iterable[tuple[str, int, int, str, str, int]],
    source_ids: Mapping[str, str],
) -> tuple[list[int], list[int]]:
    """Return the day of each text unit (`date.toordinal`, 0 unknown), and its place in the order in which units were
    said (0 undated, equal where it is not told): both of the last of the episodes that it holds a part of.

    `units` are (document, start, end), `episodes` (document, start, end, ISO 8601 time, kind, ordinal), by place within
    a document. Of what is dated by month or year only, it is the first day. A unit whose place is not known (-1) can be
    any of it. Of messages at one time the one is later that has the higher number at the end of its document's source
    id, as rows of a chat have one, and in a document the one further down.

    >>> rows = [(row, 0, 9, "0001-01-05T10:00:00", "message", 0) for row in "abc"]
    >>> last_reported([(row, 5, 20) for row in "abc"], rows, {"a": "chat:10", "b": "chat:9", "c": "chat:11"})
    ([5, 5, 5], [2, 1, 3])
    """
    numbers = source_numbers(source_ids)
    listed = []
    for document, start, end, time, kind, ordinal in episodes:
        position = (numbers.get(document, 0), ordinal) if kind == "message" else (0, 0)
        listed.append((document, start, end, (first_second(time), *position, _day(time[:10]))))
    keys = _last(units, listed, (UNKNOWN, 0, 0, 0))
    ranks = {key: n for n, key in enumerate(sorted({key[:3] for key in keys if key[0] != UNKNOWN}), start=1)}
    return [day for *_, day in keys], [ranks.get(key[:3], 0) for key in keys]


@lru_cache(maxsize=1000)
def _day(stated: str) -> int:
    return period.first.toordinal() if (period := period_of(stated)) else 0


def source_numbers(source_ids: Mapping[str, str]) -> dict[str, int]:
    """Return the number at the end of each source id that has one, as rows of a chat do, by document."""
    return {each: int(found[0]) for each, stated in source_ids.items() if (found := _NUMBER.search(stated))}


def _last(units: Iterable[tuple[str, int, int]], episodes: Iterable[tuple[str, int, int, Key]], none: Key) -> list[Key]:
    """Return the highest key of the episodes that each unit holds a part of."""
    starts: dict[str, list[int]] = defaultdict(list)
    ends: dict[str, list[tuple[int, Key]]] = defaultdict(list)  # the end of each, and its key
    for document, start, end, key in episodes:
        starts[document].append(start)
        ends[document].append((end, key))
    found = []
    for document, start, end in units:
        if document not in ends:
            found.append(none)
            continue
        first = max(bisect_right(starts[document], start) - 1, 0)
        behind = bisect_right(starts[document], end - 1) if start >= 0 else None
        found.append(max((key for last, key in ends[document][first:behind] if last > start), default=none))
    return found
