"""Documents -> text units."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from graphrag_lite import tables
from graphrag_lite.run.services import Each, Last
from graphrag_lite.settings import SplitTextUnits
from graphrag_lite.text.sentences import sentences
from graphrag_lite.text.splitting import split
from graphrag_lite.text.tokens import counter

if TYPE_CHECKING:
    import pyarrow as pa

SPACE = re.compile(r"\s*")
Span = tuple[int, int, int]  # start, end, tokens


class Source(NamedTuple):
    """A document to cut. `messages` are where its messages end, and whose they are in a chat with an assistant."""

    id: str
    text: str
    messages: list[tuple[int, str]]


async def split_text_units(
    source_documents: "pa.Table", settings: SplitTextUnits, each: Each, last: Last | None = None
) -> "pa.Table":
    """Cut every document into token windows that end where sentences do; those of the last snapshot are cut already.

    A document that cannot be cut is a failure, and has no text units.
    """
    cut_before = _cut_before(last)
    rows: list[tuple[str, str, int, int, int, str, int]] = []
    seen: Counter[str] = Counter()
    documents = sorted(
        Source(identity, text, [(said["char_end"], said["role"]) for said in messages])
        for identity, text, messages in tables.rows(source_documents, "id", "text", "messages")
    )
    new = each(partial(_cut, settings=settings), [document for document in documents if document.id not in cut_before])
    for document_id, text, _ in documents:
        units = cut_before.get(document_id) or next(new) or []
        for ordinal, (start, end, n_tokens) in enumerate(units):
            key = tables.content_id("text unit", text[start:end])
            identity = tables.content_id(key, str(seen[key]))
            seen[key] += 1
            rows.append((identity, document_id, ordinal, start, end, text[start:end], n_tokens))
    place = {identity: position for position, identity in enumerate(source_documents["id"].to_pylist())}
    rows.sort(key=lambda row: (place[row[1]], row[2]))
    return tables.make("source_units", rows)


def _cut_before(last: Last | None) -> dict[str, list[Span]]:
    """Return the units of the documents of the last snapshot, by id: an equal id is an equal text."""
    found = last.read("source_units") if last and not last.changed & {"settings", "code"} else None
    units: dict[str, list[Span]] = {}
    if found:
        for document_id, *span in tables.rows(found[0], "document_id", "char_start", "char_end", "n_tokens"):
            units.setdefault(document_id, []).append((span[0], span[1], span[2]))
    return units


def _cut(document: Source, settings: SplitTextUnits) -> list[Span]:
    """Return the units of a document. Those of a conversation start at messages, unless one is longer than a unit."""
    text, count = document.text, counter(settings.encoding)
    units = [
        unit
        for spans in _stretches(document, count, settings.size - settings.overlap)
        for unit in split(text, spans, count, size=settings.size, overlap=settings.overlap)
    ]
    return [(unit.start, unit.end, count(text[unit.start : unit.end])) for unit in units]


def _stretches(document: Source, count: Callable[[str], int], longest: int) -> list[list[tuple[int, int]]]:
    """Return what may not be taken apart, of each stretch whose text one speaks: sentences, or messages that fit.

    What a user says and what an assistant answers is never in one unit.
    """
    text, messages = document.text, document.messages
    if len(messages) < 2:
        return [sentences(text)]
    found: list[list[tuple[int, int]]] = []
    starts = [0, *(after.end() for end, _ in messages[:-1] if (after := SPACE.match(text, end))), len(text)]
    before = None
    for start, end, (_, role) in zip(starts, starts[1:], messages, strict=False):
        whole = [(start, end)] if count(text[start:end]) <= longest else _moved(sentences(text[start:end]), start)
        if role != before:
            found.append([])
        found[-1] += whole
        before = role
    return found


def _moved(spans: Sequence[tuple[int, int]], offset: int) -> list[tuple[int, int]]:
    return [(start + offset, end + offset) for start, end in spans]
