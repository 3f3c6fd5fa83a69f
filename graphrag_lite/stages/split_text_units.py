"""Documents -> text units."""

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from graphrag_lite import tables
from graphrag_lite.run.services import Cut, Each, Last
from graphrag_lite.settings import SplitTextUnits
from graphrag_lite.tables import groups
from graphrag_lite.tables.lazy_items import LazyItems
from graphrag_lite.text.sentences import sentences
from graphrag_lite.text.splitting import split
from graphrag_lite.text.tokens import token_counter

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
    source_documents: "pa.Table",
    settings: SplitTextUnits,
    each: Each,
    last: Last | None = None,
    episodes: "pa.Table | None" = None,
    cut: Cut | None = None,
) -> "pa.Table":
    """Cut every document into token windows that end where sentences do; those of the last snapshot are cut already.

    A document that cannot be cut is a failure, and has no text units. In a first index `cut` is told of each unit.
    """
    import pyarrow as pa

    reused, gone = _before(source_documents, last)
    _, new = groups.split_rows(source_documents, "id", reused["document_id"])  # an equal id: equal text
    documents = LazyItems(new.num_rows, lambda: _sources(new))
    tell = cut(source_documents, episodes) if cut and not last and episodes is not None else lambda *_: None

    def rows() -> Iterator[tuple[str, str, int, int, int, str, int]]:
        for document, units in zip(documents, each(partial(_cut, settings=settings), documents), strict=True):
            for ordinal, (start, end, n_tokens) in enumerate(units or []):
                tell(document.id, start, text := document.text[start:end])
                yield _key(text), document.id, ordinal, start, end, "", n_tokens

    made = tables.make("source_units", rows())
    index = made.schema.get_field_index("text")  # put in chunk by chunk: `make` holds each column twice
    made = made.set_column(index, made.field(index), tables.stretches(made, [new]))
    units = groups.stack(reused, made)
    ids = pa.array(groups.numbered_ids(units, reused.num_rows, gone), pa.string())
    units = groups.in_order(units.set_column(0, "id", ids), "document_id", source_documents["id"])
    return tables.make_columns("source_units", **{name: units[name] for name in units.column_names})


def _before(source_documents: "pa.Table", last: Last | None) -> tuple["pa.Table", list[str]]:
    """Return the last snapshot's units of documents that are still there, and the keys of all others."""
    none = tables.make("source_units", [])
    found = last.read(text_units=none.column_names, unless={"settings", "code"}) if last else None
    reused, gone = groups.split_rows((found or [none])[0], "document_id", source_documents["id"])
    return reused, [_key(text) for text in gone["text"].to_pylist()]


def _key(text: str) -> str:
    return tables.content_id("text unit", text)


def _sources(source_documents: "pa.Table") -> Iterator[Source]:
    for identity, text, messages in tables.rows(source_documents, "id", "text", "messages"):
        yield Source(identity, text, [(message["char_end"], message["role"]) for message in messages])


def _cut(document: Source, settings: SplitTextUnits) -> list[Span]:
    """Return the units of a document. Those of a conversation start at messages, unless one is longer than a unit."""
    text, count = document.text, token_counter(settings.encoding)
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
        message_text = text[start:end]
        spans = [(0, len(message_text))] if count(message_text) <= longest else sentences(message_text)
        if role != before:
            found.append([])
        found[-1] += [(start + first, start + last) for first, last in spans]
        before = role
    return found
