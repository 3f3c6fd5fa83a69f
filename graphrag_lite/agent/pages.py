"""Pages of a result: the same records in the same order while the snapshot is, so many on each, and how many in all.

A page is cut to the room that an agent has for it: at a record, and saying how to get the rest.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeVar

from graphrag_lite.llm.chat import estimated_tokens

SIZE = 5  # records of a page
T = TypeVar("T")
Record = dict[str, Any]
LEAST = 300  # tokens that a record's ids, a line of its text and the note need
NESTED = "relationships"  # records within the one record of a page


@dataclass(frozen=True, slots=True)
class RecordPage:
    """Records of page `page`, from 1, of `n_pages`; `total` counts those of all pages. `note` says what is missing."""

    page: int
    n_pages: int
    total: int
    records: list[Record]
    note: str = ""


def make_page(found: Sequence[T], record: Callable[[T], Record], page: int, size: int) -> RecordPage:
    """Return a page of what is found; `record` is called of what stands on it alone.

    >>> make_page("abcdefg", lambda letter: {"id": letter}, 2, 5)
    RecordPage(page=2, n_pages=2, total=7, records=[{'id': 'f'}, {'id': 'g'}], note='')
    >>> make_page("abcdefg", lambda letter: {"id": letter}, 3, 5).note
    'There is no page 3: the last is 2.'
    """
    n_pages = -(-len(found) // size)
    note = f"There is no page {page}: the last is {n_pages}." if page > n_pages else ""
    records = [record(each) for each in found[(page - 1) * size : page * size]]
    return RecordPage(page, n_pages, len(found), records, note if found else "Nothing is found.")


def page_tokens(page: RecordPage) -> int:
    """Estimate the tokens of a page as an agent reads it."""
    return estimated_tokens(json.dumps(asdict(page), ensure_ascii=False))


def fit_page(page: RecordPage, room: int, size: int) -> RecordPage:
    """Return a page of `size` records in at most `room` tokens: the first ones that fit, and a note on the next.

    Of a record that alone is longer the text is cut.

    >>> page = RecordPage(2, 3, 13, [{"id": name, "text": "ab " * 99} for name in "vwxyz"])
    >>> cut = fit_page(page, 220, 5)
    >>> [record["id"] for record in cut.records], cut.note
    (['v', 'w'], 'Cut to fit: {"size": 1, "page": 8} is the next record.')
    """
    if page_tokens(page) <= room:
        return page
    nested = page.records[0].get(NESTED) if len(page.records) == 1 else None
    parts = nested or page.records
    for n in range(len(parts) - 1, 0, -1):
        following = (page.page - 1) * size + n + 1
        note = f'Cut to fit: {{"size": 1, "page": {following}}} is the next record.'
        records = [{**page.records[0], NESTED: parts[:n]}] if nested else parts[:n]
        cut = replace(page, records=records, note=note)
        if page_tokens(cut) <= room:
            return cut
    return _shortened(page, {**page.records[0], NESTED: []} if nested else page.records[0], room)


def _shortened(page: RecordPage, record: Record, room: int) -> RecordPage:
    """Return a page of one record whose text is cut, by half until it fits."""
    text = str(record.get("text") or record.get("description") or "")
    name = "text" if "text" in record else "description"
    while True:
        text = text[: len(text) // 2]
        note = f"Cut to fit after {len(text)} characters of it; read_source shows lines of a document."
        cut = replace(page, records=[{**record, name: f"{text}…"}], note=note)
        if page_tokens(cut) <= room or not text:
            return cut
