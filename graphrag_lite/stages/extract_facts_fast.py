"""Documents -> dated statements, by text analysis alone (method: fast).

What a document says of times depends on its text, its date, and the names found in it.
"""

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from graphrag_lite import tables
from graphrag_lite.retrieval.entity_names import names_of_title
from graphrag_lite.run.services import Each
from graphrag_lite.temporal.statements import Document, Name, Said, Statement, statements

if TYPE_CHECKING:
    import pyarrow as pa

UNREAD = ("code", "card", "references")


async def extract_facts_fast(
    source_documents: "pa.Table",
    source_units: "pa.Table",
    episodes: "pa.Table",
    entity_mentions: "pa.Table",
    each: Each,
) -> "pa.Table":
    """Return `fact_mentions`: what sentences say that states a time, by document and place."""
    documents = _documents(source_documents, source_units, episodes, entity_mentions)
    rows = [
        row
        for found, document in zip(each(_read, documents), documents, strict=True)
        for row in _rows(document, found or [])
    ]
    return tables.make("fact_mentions", rows)


def _read(document: Document) -> list[Statement]:
    return list(statements(document))


def _rows(document: Document, found: list[Statement]) -> list[tuple[Any, ...]]:
    rows = []
    n_of: dict[tuple[int, str], int] = defaultdict(int)
    for one in found:
        place = (one.char_start, one.time_text)
        identity = tables.content_id("fact mention", document.id, *map(str, place), str(n_of[place]))
        n_of[place] += 1
        rows.append((identity, one.text_unit_id, document.id, *one[1:], 0))
    return rows


def _documents(
    source_documents: "pa.Table", source_units: "pa.Table", episodes: "pa.Table", entity_mentions: "pa.Table"
) -> list[Document]:
    units: dict[str, list[tuple[str, int, int]]] = defaultdict(list)
    for identity, document_id, start, end in tables.rows(source_units, "id", "document_id", "char_start", "char_end"):
        units[document_id].append((identity, start, end))
    names: dict[str, set[Name]] = defaultdict(set)
    for document_id, name, start, kind in tables.rows(entity_mentions, "document_id", "name", "mention_start", "type"):
        if start >= 0 and kind != "date":
            names[document_id].add(Name(start, name))
    said: dict[str, list[Said]] = defaultdict(list)
    columns = ("document_id", "id", "speaker", "reference_time", "char_start", "char_end")
    for document_id, *rest in tables.rows(episodes, *columns):
        said[document_id].append(Said(*rest))
    found = []
    for identity, text, title, language, created_at, blocks in tables.rows(
        source_documents, "id", "text", "title", "language", "created_at", "blocks"
    ):
        unread = [(block["char_start"], block["char_end"]) for block in blocks if block["kind"] in UNREAD]
        topics = [name for name in names_of_title(title) if name in text]
        found.append(
            Document(
                identity,
                text,
                title,
                language,
                created_at,
                units[identity],
                sorted(names[identity]),
                said[identity],
                topic=topics[0] if topics else "",
                unread=unread,
            )
        )
    return found
