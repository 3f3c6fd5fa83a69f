"""When documents were made, as they state it."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from graphrag_lite.read.documents import Fields, Item, Loaded, Message
from graphrag_lite.text.dates import LONGEST, iso_date
from graphrag_lite.text.timestamps import column_to_iso, is_standard

DATE_LINE = re.compile(
    r"^\W{0,4}(?:(?:(?:release|publication) )?date|released|published|sent|"
    r"datum|gesendet|fecha|data(?=: ?\d)|дата|日付|日期|날짜|التاريخ|दिनांक|तारीख)\W{1,5}"
    r"(?:date: )?((?:\d{4}-\d\d-\d\d(?:[T ][\d:.+Z-]{4,30})?)|[^\n]{6,80}$)",
    re.I | re.M,
)
FIRST = 6  # lines of a text, of which one may be its date
DATED = re.compile(r"(?<!\d)[12]\d{3}(?!\d)|\d{1,2}[-/.]\d{1,2}[-/.]\d{2}")


def stated_date(text: str, fields: Fields) -> dict[str, str]:
    """Return what a `Date: Tue, 30 May 2023` line near the top of a text states, or a first line that is all a day.

    >>> stated_date("Release 15.7\\n\\nRelease date: 2024-05-09", Fields())
    {'timestamp': '2024-05-09'}
    >>> stated_date("Acme earnings call\\nQ4\\n\\nTuesday, July 22, 2014\\n\\nANN LEE: Hello.", Fields())
    {'timestamp': 'Tuesday, July 22, 2014'}
    """
    top = text[:1000]
    lines = (found[1].strip(" \t\r\"'*_") for found in DATE_LINE.finditer(top))
    if dated := next(filter(DATED.search, lines), ""):
        return {fields.time: dated}
    first = (line.strip("#*_ \t\r") for line in top.splitlines() if line.strip())
    days = (line for line in islice(first, FIRST) if len(iso_date(line)) == len("2014-07-22"))
    day = next(days, "")
    return {fields.time: day} if day else {}


def read_times(items: Iterable[Item], fields: Fields) -> Iterator[Item]:
    """Read the times that are left in the metadata of a file's documents, all of a field together, and of messages.

    A conversation that states no time of its own has that of the first message which does. What is read alike whatever
    the others are waits for no other document of the file.
    """
    each = iter(items)
    for item in each:
        if not _is_standard(item, fields):
            yield from _dated_together([item, *each], fields)
            return
        yield from _dated_together([item], fields)


def _is_standard(item: Item, fields: Fields) -> bool:
    if not isinstance(item, Loaded):
        return True
    stated = [message.time for message in item.messages]
    stated += [item.metadata[key]] if (key := time_left(item.metadata, fields.time)) else []
    return all(time in ("", None) or is_standard(time) for time in stated)


def _dated_together(items: Sequence[Item], fields: Fields) -> Iterator[Item]:
    items = list(_with_messages_dated(items))
    left: dict[str, list[Any]] = {}
    keys = [time_left(item.metadata, fields.time) if isinstance(item, Loaded) else "" for item in items]
    for item, key in zip(items, keys, strict=True):
        if isinstance(item, Loaded) and key:
            left.setdefault(key, []).append(item.metadata[key])
    read = {key: iter(column_to_iso(values)) for key, values in left.items()}
    items.reverse()
    for key in keys:
        item = items.pop()  # of a large file, few texts are held twice
        if isinstance(item, Loaded) and key and (stated := next(read[key])):
            rest = {name: value for name, value in item.metadata.items() if name != key}
            yield replace(item, created_at=stated, metadata=rest)
        else:
            yield item


def _with_messages_dated(items: Sequence[Item]) -> Iterator[Item]:
    times = [message.time for item in items if isinstance(item, Loaded) for message in item.messages]
    read = iter(column_to_iso(times)) if any(times) else iter(())
    for item in items:
        if isinstance(item, Loaded) and item.messages and any(times):
            messages = tuple(_dated(message, next(read)) for message in item.messages)
            first = next((message.time for message in messages if message.time), "")
            yield replace(item, messages=messages, created_at=item.created_at or first)
        else:
            yield item


def _dated(message: Message, time: str) -> Message:
    return message._replace(
        time=time, unread_time="" if time or message.time in (None, "") else str(message.time)[:LONGEST]
    )


def time_left(metadata: Mapping[str, Any], field: str) -> str:
    """Return the name under which metadata holds a time that has not been read, empty where it holds none."""
    return next((key for key in (field, Fields.time) if key in metadata), "")
