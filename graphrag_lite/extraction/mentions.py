"""What every extractor gets for free: text units to read, those that read as before kept, mentions put into tables.

An extractor says which names a text holds and how it relates them (`GraphReply`, the form in which a model replies,
too), and nothing else.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, islice
from typing import TYPE_CHECKING, Any, NamedTuple

from graphrag_lite import tables
from graphrag_lite.evidence.name_spans import NameSpan, NameSpans
from graphrag_lite.extraction.blocks import UnitBlock, clip_blocks, mask_non_prose, rows_of
from graphrag_lite.extraction.unit_context import context_lines
from graphrag_lite.replies.graph_records import GraphReply
from graphrag_lite.resolution.name_keys import exact_key
from graphrag_lite.tables import groups

if TYPE_CHECKING:
    import pyarrow as pa

Row = tuple[Any, ...]
Tables = tuple["pa.Table", "pa.Table"]  # entity_mentions, relationship_mentions
NAME, TYPE, MENTION_START = 2, 3, 7  # of a row of entity_mentions
OFFSETS = ("char_start", "char_end", "mention_start")  # in the document; -1 for none
BATCH = 2000  # text units whose mentions are kept as Python objects at once


class Anchor(NamedTuple):
    """A text unit, and where it stands: `offset` is its first character in the document."""

    id: str
    document_id: str
    offset: int


class TextUnit(NamedTuple):
    """A text unit to extract from. `title` is empty where its names belong to another unit of the document."""

    id: str
    document_id: str
    text: str
    offset: int
    language: str
    title: str = ""
    short: bool = False  # its document is so short that its names are about its title
    blocks: tuple[UnitBlock, ...] = ()
    about: str = ""  # when and by whom it was said, and what before it: lines of a prompt

    @property
    def anchor(self) -> Anchor:
        return Anchor(self.id, self.document_id, self.offset)

    @property
    def prose(self) -> str:
        """The text, blank where it is code or the cells of a table, which are no sentences."""
        return mask_non_prose(self.text, self.blocks)


ReadAs = Callable[[TextUnit], Any]
"""What decides what is found in a unit, beside settings and code."""


class Mentions(NamedTuple):
    """The rows of one text unit, and how many records of its replies could not be read or repeat the examples."""

    entities: list[Row]
    relationships: list[Row]
    n_dropped: int = 0
    n_echoed: int = 0


class ReusedUnits(NamedTuple):
    """Where units stood that keep their mentions of the last snapshot, by id, and its tables of them."""

    anchors: dict[str, Anchor]
    tables: Tables | None


def text_units(
    source_documents: "pa.Table", source_units: "pa.Table", max_title_units: int = 0, episodes: "pa.Table | None" = None
) -> Iterator[TextUnit]:
    """Yield the units in their order. The title goes to the first unit, and to all of a document of so few units.

    With `episodes`, each is told with its circumstances.
    """
    context = context_lines(source_documents, episodes) if episodes is not None else lambda *_: ""
    if source_units.num_rows < source_documents.num_rows:
        source_documents = groups.rows_of(source_documents, "id", source_units["document_id"])
    about = {identity: rest for identity, *rest in tables.rows(source_documents, "id", "language", "title", "blocks")}
    reach = {key: list(accumulate((block["char_end"] for block in rest[2] or ()), max)) for key, rest in about.items()}
    n_units = {document_id: ordinal + 1 for document_id, ordinal in tables.rows(source_units, "document_id", "ordinal")}
    rows = tables.rows(source_units, "id", "document_id", "text", "char_start", "ordinal")
    for identity, document_id, text, char_start, ordinal in rows:
        language, title, blocks = about[document_id]
        short = n_units[document_id] <= max_title_units
        span = (char_start, char_start + len(text))
        inside = clip_blocks(blocks, reach[document_id], *span) if blocks else ()
        shown = title if short or not ordinal else ""
        known = context(document_id, *span)
        yield TextUnit(identity, document_id, text, char_start, language, shown, short, inside, known)


def reused_units(
    units: Iterable[TextUnit], before: Iterable[TextUnit], mentions: Tables, failed: Collection[str], read_as: ReadAs
) -> ReusedUnits:
    """Return what stays of the last snapshot's units and `mentions`: all units that read as they did.

    Of the units that share a text which `failed`, one is named in the list of failures: none of them is kept.
    """

    def key(unit: TextUnit) -> Any:
        return read_as(unit), unit.blocks

    then = [(key(unit), unit.anchor) for unit in before]
    unread = {read for read, anchor in then if anchor.id in failed}
    anchor_of = {read: anchor for read, anchor in then if read not in unread}
    return ReusedUnits({unit.id: anchor for unit in units if (anchor := anchor_of.get(key(unit)))}, mentions)


def assemble_tables(units: Iterable[TextUnit], found: Iterable[Mentions | None], reused: ReusedUnits) -> Tables:
    """Return the tables of all units: what was `found`, in the order of those not kept, and what is kept."""
    import pyarrow as pa

    parts = [_tables([])]
    rest = zip((unit for unit in units if unit.id not in reused.anchors), found, strict=True)
    while batch := list(islice(rest, BATCH)):
        parts.append(_tables([with_cells(unit, mentions) for unit, mentions in batch if mentions]))
    new = [pa.concat_tables(several) for several in zip(*parts, strict=True)]
    anchors = [unit.anchor for unit in units]
    entities, relationships = (
        join_rows(*both, anchors, reused.anchors) for both in zip(new, reused.tables or new, strict=True)
    )
    return entities, relationships


def join_rows(new: "pa.Table", before: "pa.Table", units: Sequence[Anchor], reused: Mapping[str, Anchor]) -> "pa.Table":
    """Return the rows of all `units`, in their order: of those in `reused` (id -> the unit then) from `before`.

    Both tables are mentions, in one piece for each text unit; `new` has the rows of the units that are not kept.

    >>> from graphrag_lite import tables
    >>> def row(unit, document, name, start):
    ...     return (unit, document, name, "", "", start, start + 9, start, True, 0)
    >>> before = tables.make("entity_mentions", [row("u", "d", "Fred", 100), row("v", "d", "Scrooge", 200)])
    >>> new = tables.make("entity_mentions", [row("w", "e", "Marley", 0)])
    >>> units = [Anchor("w", "e", 0), Anchor("v", "e", 50)]
    >>> both = join_rows(new, before, units, {"v": Anchor("v", "d", 180)})
    >>> list(zip(*(both[name].to_pylist() for name in ("document_id", "name", "char_start", "char_end"))))
    [('e', 'Marley', 0, 9), ('e', 'Scrooge', 70, 79)]
    """
    import numpy as np
    import pyarrow as pa

    if not reused:
        return new
    pieces = [_pieces(before), _pieces(new)]
    found = [pieces[0].get(reused[unit.id].id) if unit.id in reused else pieces[1].get(unit.id) for unit in units]
    starts = np.array([0 if piece is None else piece[0] for piece in found], dtype=np.int64)
    starts += [0 if unit.id in reused else before.num_rows for unit in units]
    counts = np.array([0 if piece is None else piece[1] for piece in found], dtype=np.int64)
    moved = np.array(
        [unit.offset - reused[unit.id].offset if unit.id in reused else 0 for unit in units], dtype=np.int64
    )

    unit_of = np.repeat(np.arange(len(units)), counts)  # of each row
    within = np.arange(len(unit_of)) - np.repeat(np.cumsum(counts) - counts, counts)
    rows = pa.concat_tables([before, new]).take(pa.array(starts[unit_of] + within))
    values = {
        "text_unit_id": pa.array([unit.id for unit in units]).take(pa.array(unit_of)),
        "document_id": pa.array([unit.document_id for unit in units]).take(pa.array(unit_of)),
    }
    for name in (name for name in OFFSETS if name in rows.column_names):
        offset = rows[name].to_numpy()
        values[name] = pa.array(np.where(offset < 0, offset, offset + moved[unit_of]))
    return pa.Table.from_pydict({n: values.get(n, rows[n]) for n in rows.column_names}, schema=new.schema)


def _pieces(mentions: "pa.Table") -> dict[str, tuple[int, int]]:
    """Return (first row, number of rows) of each text unit."""
    import numpy as np
    import pyarrow as pa

    ids = mentions["text_unit_id"].combine_chunks().dictionary_encode()
    if isinstance(ids, pa.ChunkedArray):  # as it is where there are no rows
        return {}
    numbers = ids.indices.to_numpy()
    firsts = np.flatnonzero(np.diff(numbers, prepend=-1))
    lengths = np.diff(firsts, append=len(numbers))
    names = ids.dictionary.to_pylist()
    return {
        names[numbers[first]]: (first, length) for first, length in zip(firsts.tolist(), lengths.tolist(), strict=True)
    }


def with_cells(unit: TextUnit, mentions: Mentions) -> Mentions:
    """Add what the cells of a row say, and who says a message, to what was found in a unit: each typed one once."""
    if not unit.blocks:
        return mentions
    entities, relationships = rows_of(unit)
    stated = {(row[NAME], row[MENTION_START]) for row in entities if row[TYPE] != "unknown"}
    found = [row for row in mentions.entities if (row[NAME], row[MENTION_START]) not in stated]
    return mentions._replace(entities=[*found, *entities], relationships=[*mentions.relationships, *relationships])


def _tables(found: Sequence[Mentions]) -> Tables:
    return (
        tables.make("entity_mentions", [row for mentions in found for row in mentions.entities]),
        tables.make("relationship_mentions", [row for mentions in found for row in mentions.relationships]),
    )


def mentions_of(unit: TextUnit, replies: Sequence[GraphReply], shown: frozenset[str] = frozenset()) -> Mentions:
    """Return the rows of one unit, each with the sentence that says most of the same.

    Records that repeat the examples of a prompt are left out: `shown` are the names in them, which small models take
    for names of the text. A name that only relationships give is an entity as well, of type unknown: without it they
    would join nothing, and what they say would be lost. Relationships name an entity in the way in which it was
    declared.
    """
    name_spans = NameSpans(unit.text, unit.language)
    declared = {
        exact_key(entity.name): entity.name for reply in reversed(replies) for entity in reversed(reply.entities)
    }
    spellings = {entity.name for reply in replies for entity in reply.entities}
    seen: set[Any] = set()
    entities: list[Row] = []
    relationships: list[Row] = []
    n_echoed = 0

    def echoed(*names: str) -> bool:
        return any(name in shown and not name_spans.holds(name) for name in names)

    for number, reply in enumerate(replies):
        for entity in reply.entities:
            if echoed(entity.name):
                n_echoed += 1
            elif entity not in seen:
                seen.add(entity)
                name_span = name_spans.of(entity.name, entity.description)
                entities.append(_entity(unit, entity.name, entity.type, entity.description, name_span, number))
        for stated in reply.relationships:
            if echoed(stated.source, stated.target):
                n_echoed += 1
                continue
            ends = []
            for name in (stated.source, stated.target):
                if name not in spellings and exact_key(name) not in declared:
                    declared[exact_key(name)] = name
                    entities.append(_entity(unit, name, "unknown", "", name_spans.of(name, stated.description), number))
                ends.append(name if name in spellings else declared[exact_key(name)])
            dates = (stated.valid_at, stated.invalid_at, stated.kind, stated.polarity)
            same = (*ends, stated.relation, stated.description, *dates)
            if same not in seen:
                seen.add(same)
                name_span = name_spans.of_both(stated.source, stated.target, stated.description)
                rest = (stated.relation, stated.description, stated.strength, *dates)
                span = (unit.offset + name_span.char_start, unit.offset + name_span.char_end)
                relationships.append((unit.id, unit.document_id, *ends, *rest, *span, number))
    return Mentions(entities, relationships, sum(reply.n_dropped for reply in replies), n_echoed)


def _entity(unit: TextUnit, name: str, kind: str, description: str, name_span: NameSpan, number: int) -> Row:
    span = (unit.offset + name_span.char_start, unit.offset + name_span.char_end)
    mention_start = unit.offset + name_span.mention_start if name_span.mention_start >= 0 else -1
    return (unit.id, unit.document_id, name, kind, description, *span, mention_start, True, number)
