"""Documents -> dated statements, by text analysis; with those that a model dated, where one extracted.

What a document says of times depends on its text, its date, who speaks in it and the names found in it. One that reads
as it did in the last snapshot keeps its rows.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from graphrag_lite import tables
from graphrag_lite.extraction.blocks import NO_PROSE
from graphrag_lite.retrieval.entity_names import names_of_title
from graphrag_lite.run.services import Each, Last
from graphrag_lite.tables import groups
from graphrag_lite.tables.lazy_items import LazyItems
from graphrag_lite.tables.mapped_table import forget_what_was_looked_at
from graphrag_lite.temporal.model_dates import model_statement
from graphrag_lite.temporal.statements import DatedStatement, Document, TypedName, Utterance, statements

if TYPE_CHECKING:
    import pyarrow as pa

Row = tuple[Any, ...]
READS = {  # whose rows are a document's, and what is read of them; its id tells its text, date and blocks
    "source_documents": ("id", "title", "language"),
    "source_units": ("document_id", "id", "char_start", "char_end"),
    "episodes": ("document_id", "id", "speaker", "reference_time", "char_start", "char_end"),
    "entity_mentions": ("document_id", "name", "mention_start", "type"),
}


async def extract_facts_fast(
    source_documents: "pa.Table",
    source_units: "pa.Table",
    episodes: "pa.Table",
    entity_mentions: "pa.Table",
    relationship_mentions: "pa.Table",
    each: Each,
    last: Last | None = None,
) -> "pa.Table":
    """Return `fact_mentions`: what sentences say that states a time, by document and place; then what a model dated.

    A document that cannot be read is a failure, and has no rows.
    """
    import pyarrow as pa

    read = (source_documents, source_units, episodes, entity_mentions)
    reused, same = _reused(read, last)
    new = [identity for identity in source_documents["id"].to_pylist() if identity not in same]
    dated = _dated(relationship_mentions)
    unread = LazyItems(len(new), lambda: _unread(*read, wanted=new))
    found = zip(new, each(_read, unread), strict=True)
    made = tables.make(
        "fact_mentions",
        (row for identity, dated_statements in found for row in _rows(identity, dated_statements or [])),
    )
    by_rule = groups.in_order(groups.stack(reused, made), "document_id", source_documents["id"])
    wanted = set(dated["document_id"].to_pylist())
    documents = {document.id: document for document in map(_document, _unread(*read, wanted=wanted))}
    return pa.concat_tables([by_rule, tables.make("fact_mentions", _by_model(dated, documents))])


def _dated(relationship_mentions: "pa.Table") -> "pa.Table":
    """Return what a model dated."""
    import pyarrow.compute as pc

    dates = (pc.not_equal(relationship_mentions[name], "") for name in ("valid_at", "invalid_at"))
    return relationship_mentions.filter(pc.or_(*dates))


def _by_model(dated: "pa.Table", documents: Mapping[str, Document]) -> Iterator[dict[str, Any]]:
    """Yield what a model dated. Where it stands in its text unit may not be known: then it is the whole unit."""
    n_of: dict[tuple[str, ...], int] = defaultdict(int)
    for row in dated.to_pylist():
        statement = model_statement(row)
        document, unit = documents[row["document_id"]], row["text_unit_id"]
        if statement is None:
            continue
        start, end = row["char_start"], row["char_end"]
        if start < 0:
            start, end = next((first, last) for identity, first, last in document.units if identity == unit)
        episode = next((each for each in document.utterances if each.start <= start < each.end), None)
        what = (unit, *map(str, statement.values()))
        identity = tables.content_id("fact mention of a model", *what, str(n_of[what]))
        n_of[what] += 1
        yield statement | {
            "id": identity,
            "text_unit_id": unit,
            "document_id": document.id,
            "episode_id": episode.id if episode else "",
            "reference_time": (episode and episode.reference_time) or document.created_at,
            "char_start": start,
            "char_end": end,
            "round": row["round"],
        }


def _reused(read: Sequence["pa.Table"], last: Last | None) -> tuple["pa.Table", set[str]]:
    """Return the rows of the last snapshot of the documents that read as they did then, and which these are."""
    import pyarrow.compute as pc

    found = last.read("fact_mentions", unless={"settings", "code"}) if last else None
    of_each = zip(READS.items(), read, strict=True)
    beside = last and found and last.beside(**{name: now.select(columns) for (name, columns), now in of_each})
    if not last or not found or not beside:
        return tables.make("fact_mentions", []), set()
    (mentions,), other = found, set(last.failed)
    for both, (by, *columns) in zip(beside, READS.values(), strict=True):
        other |= both.changed(by, columns)
    same = set(read[0]["id"].to_pylist()) - other
    by_rule = mentions.filter(pc.not_equal(mentions["time_text"], ""))  # a model's have none
    return groups.rows_of(by_rule, "document_id", same), same


class UnreadDocument(NamedTuple):
    """What tables hold of a document: its own row, and those of its units, episodes and mentions."""

    id: str
    text: str
    title: str
    language: str
    created_at: str
    blocks: list[dict[str, Any]]
    units: list[Row]
    utterances: list[Row]
    named: list[Row]


def _read(unread: UnreadDocument) -> list[DatedStatement]:
    return list(statements(_document(unread)))


def _rows(document_id: str, found: list[DatedStatement]) -> list[Row]:
    rows = []
    n_of: dict[tuple[int, str], int] = defaultdict(int)
    for one in found:
        key = (one.char_start, one.time_text)
        identity = tables.content_id("fact mention", document_id, *map(str, key), str(n_of[key]))
        n_of[key] += 1
        rows.append((identity, one.text_unit_id, document_id, *one[1:], 0))
    return rows


def _unread(
    source_documents: "pa.Table",
    source_units: "pa.Table",
    episodes: "pa.Table",
    entity_mentions: "pa.Table",
    wanted: Collection[str],
) -> Iterator[UnreadDocument]:
    """Yield the documents with these ids, one after the other, in their order."""
    forget_what_was_looked_at()
    held = UnreadDocument._fields[:6]
    source_documents = groups.rows_of(source_documents.select(held), "id", wanted)
    of_each = (
        groups.by_value(groups.rows_of(table.select([by, *columns]), by, wanted), by, source_documents["id"], *columns)
        for table, (by, *columns) in zip(
            (source_units, episodes, entity_mentions), list(READS.values())[1:], strict=True
        )
    )
    for row, *rows in zip(tables.rows(source_documents, *held), *of_each, strict=True):
        yield UnreadDocument(*row, *rows)


def _document(unread: UnreadDocument) -> Document:
    names = {TypedName(start, name, kind) for name, start, kind in unread.named if start >= 0 and kind != "date"}
    found = {name.name for name in names}
    return Document(
        unread.id,
        unread.text,
        unread.title,
        unread.language or "en",  # undecided: of a few words; those of other languages do not match
        unread.created_at,
        unread.units,
        sorted(names),
        [Utterance(*row) for row in unread.utterances],
        topic=next((name for name in names_of_title(unread.title) if name in found), ""),
        unread=[(block["char_start"], block["char_end"]) for block in unread.blocks if block["kind"] in NO_PROSE],
    )
