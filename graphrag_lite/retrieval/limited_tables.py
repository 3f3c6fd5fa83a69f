"""The tables of a snapshot as they are where only some of its text units are there, as pure functions.

What a row says of several text units is cut to those that are left; what was drawn from all of them, such as a
description, is told only where all are.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from graphrag_lite import tables
from graphrag_lite.errors import InputError
from graphrag_lite.retrieval.columns import lists, numbers
from graphrag_lite.retrieval.conditions import OF_EPISODES, Condition, fits_episode, fitting_documents
from graphrag_lite.retrieval.snapshot_tables import SnapshotTables

Rows = npt.NDArray[np.integer[Any]]
Bools = npt.NDArray[np.bool_]
Spans = Mapping[str, Sequence[tuple[int, int]]]


@dataclass(frozen=True)
class Left:
    """What is left, as ascending rows: of text units, of their documents, of entities that they name.

    `units` are ids of the text units, `entire` of those of which nothing is left out. `shown` are the characters that
    are left by id of document, in order; None where documents are left as a whole.
    """

    unit_rows: Rows
    document_rows: Rows
    entity_rows: Rows
    n_units: int  # of the whole snapshot, and so on
    n_documents: int
    n_entities: int
    mentions: npt.NDArray[np.floating[Any]]  # of each entity that is left, in the text units that are
    unit_documents: Rows  # the document of each text unit that is left, of the whole snapshot
    units: pa.Array
    entire: pa.Array
    documents: pa.Array
    entities: pa.Array
    shown: Spans | None = None
    reports: Rows = field(default_factory=lambda: np.zeros(0, np.int64))
    n_reports: int = 0

    def shows(self, span: Mapping[str, Any]) -> bool:
        """Say whether a span of a document is left."""
        own = () if self.shown is None else self.shown.get(span["document_id"], ())
        return self.shown is None or any(
            first <= span["char_start"] and span["char_end"] <= last for first, last in own
        )

    def masked(self, document: str, text: str, start: int = 0) -> str:
        """Return a text that begins at `start` of a document, with blanks for what is left out of it.

        >>> ids = pa.array([], pa.string())
        >>> no = np.zeros(0, np.int64)
        >>> Left(no, no, no, 0, 0, 0, no, no, ids, ids, ids, ids, {"d": [(2, 4), (6, 20)]}).masked("d", "bcdefgh", 1)
        ' cd  gh'
        """
        if self.shown is None:
            return text
        masked, at = "", start
        for begin, end in self.shown.get(document, ()):
            first, last = max(begin, at), min(end, start + len(text))
            if first < last:
                masked += " " * (first - at) + text[first - start : last - start]
                at = last
        return masked + " " * (start + len(text) - at)


def tables_left(whole: SnapshotTables, in_document: Rows, conditions: Sequence[Condition]) -> Left:
    """Return what conditions leave of a snapshot. Raises InputError where that is nothing.

    `in_document` (n_units,) is the document of each text unit.
    """
    documents, units, entities = (whole.arrow(name) for name in ("documents", "text_units", "entities"))
    of_episodes = [one for one in conditions if one.field in OF_EPISODES]
    fits = np.array(fitting_documents(documents, [one for one in conditions if one not in of_episodes]), np.bool_)
    shown, hidden = _by_episode(whole, of_episodes) if of_episodes else (None, {})
    remaining, entire = fits[in_document], ~_overlapping(whole, hidden)
    if shown is not None:
        remaining = remaining & _overlapping(whole, shown)
    if not remaining.any():
        raise InputError(f"No text in the index has {' and '.join(map(str, conditions))}.")
    offsets, named_in = lists(whole.column("search_links", "rows"), "int32")
    _, counts = lists(whole.column("search_links", "counts"), "uint16")
    naming = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    rows = np.flatnonzero(remaining), np.unique(in_document[remaining]), np.unique(naming[remaining[named_in]])
    left = Left(
        *rows,
        *(len(remaining), documents.num_rows, entities.num_rows),
        mentions=np.bincount(naming, counts * remaining[named_in])[rows[2]],
        unit_documents=in_document[rows[0]],
        units=units["id"].take(rows[0]).combine_chunks(),
        entire=units["id"].take(np.flatnonzero(remaining & entire)).combine_chunks(),
        documents=documents["id"].take(rows[1]).combine_chunks(),
        entities=entities["id"].take(rows[2]).combine_chunks(),
        shown=shown,
    )
    reports = whole.arrow("community_reports")
    of_them = reports_left(reports, whole.arrow("communities"), entities, left, written=whole.reports_are_written)
    return replace(left, reports=of_them, n_reports=reports.num_rows)


def _by_episode(whole: SnapshotTables, conditions: Sequence[Condition]) -> tuple[Spans, Spans]:
    """Return the characters of the episodes that fit, and of the others, by id of document, in order."""
    columns = ["document_id", "char_start", "char_end", "reference_time", "speaker", "conversation", "role"]
    shown: dict[str, list[tuple[int, int]]] = {}
    hidden: dict[str, list[tuple[int, int]]] = {}
    for row in whole.columns("episodes", columns).to_pylist():
        spans = shown if fits_episode(row, conditions) else hidden
        spans.setdefault(row["document_id"], []).append((row["char_start"], row["char_end"]))
    return shown, hidden


def _overlapping(whole: SnapshotTables, spans: Spans) -> Bools:
    """Return which text units share characters with spans of their document, (n_units,)."""
    if not spans:
        return np.zeros(whole.n_rows("text_units"), np.bool_)
    columns = ("document_id", "char_start", "char_end")
    units = tables.rows(whole.columns("text_units", columns), *columns)
    return np.array(
        [any(one < end and start < last for one, last in spans.get(document, ())) for document, start, end in units],
        np.bool_,
    )


def _documents(table: pa.Table, left: Left) -> pa.Table:
    table = _cut(table.take(left.document_rows), "text_unit_ids", left.units)
    if left.shown is None:
        return table
    return _with(table, text=[left.masked(*row) for row in tables.rows(table, "id", "text")])


def _text_units(table: pa.Table, left: Left) -> pa.Table:
    table = table.take(left.unit_rows)
    if left.shown is None:
        return table
    return _with(table, text=[left.masked(*row) for row in tables.rows(table, "document_id", "text", "char_start")])


def _spans(table: pa.Table, left: Left) -> pa.Table:
    """Return a table of spans without those that are left out."""
    spans = table.select(["document_id", "char_start", "char_end"]).to_struct_array().combine_chunks()
    return table.filter(_shown(spans, left))


def _shown(spans: pa.StructArray, left: Left) -> pa.BooleanArray:
    """Return which spans of documents are left, (n_spans,)."""
    remaining = pc.is_in(spans.field("document_id"), left.documents)
    if left.shown is None:
        return remaining
    return pc.and_(remaining, pa.array([left.shows(span) for span in spans.to_pylist()], pa.bool_()))


def _entities(table: pa.Table, left: Left) -> pa.Table:
    table = table.take(left.entity_rows)
    entire = pa.array(_all_in(table["text_unit_ids"], left.entire))
    table = _drawn(table, left, "description")
    named = table["text_unit_ids"].combine_chunks()
    documents = left.unit_documents[pc.index_in(named.flatten(), left.units).to_numpy()]
    owner = np.repeat(np.arange(table.num_rows), np.diff(_offsets(named)))
    pairs = np.unique(owner * left.n_documents + documents)
    return _with(
        table,
        frequency=pc.list_value_length(named),
        n_documents=np.bincount(pairs // left.n_documents, minlength=table.num_rows),
        n_mentions=pc.if_else(entire, table["n_mentions"], pa.array(left.mentions.astype(np.int64))),
    )


def _relationships(table: pa.Table, left: Left) -> pa.Table:
    table = _drawn(table, left, "description", "relation")
    return table.filter(pc.greater(pc.list_value_length(table["text_unit_ids"]), 0))


def _drawn(table: pa.Table, left: Left, *columns: str) -> pa.Table:
    """Return rows cut to what is left; what `columns` say only of rows of which nothing is left out."""
    entire = pa.array(_all_in(table["text_unit_ids"], left.entire))
    table = _with(table, **{name: pc.if_else(entire, table[name], "") for name in columns})
    spans = table["sources"].combine_chunks()
    remaining = pc.and_(pc.is_in(spans.flatten().field("text_unit_id"), left.units), _shown(spans.flatten(), left))
    return _with(_cut(table, "text_unit_ids", left.units), sources=_filter_lists(spans, remaining))


def _facts(table: pa.Table, left: Left) -> pa.Table:
    """Return the facts that rest on nothing that is left out, but for what ends them."""
    sources = table["sources"].combine_chunks()
    counts = np.diff(_offsets(sources))
    all_listed = counts == table["n_mentions"].to_numpy()
    return table.filter(pa.array(all_listed & (_held(sources, _shown(sources.flatten(), left)) == counts)))


def without_enders(facts: pa.Table, mentions: pa.ChunkedArray) -> pa.Table:
    """Return facts without those that are ended by a mention which is not left."""
    ended_by = pa.array([*mentions.to_pylist(), ""], pa.string())
    return facts.filter(pc.is_in(facts["invalidated_by"], ended_by))


def _communities(table: pa.Table, left: Left) -> pa.Table:
    entire = pa.array(_all_in(table["text_unit_ids"], left.entire))
    table = _with(table, title=pc.if_else(entire, table["title"], ""))
    table = _cut(_cut(table, "text_unit_ids", left.units), "entity_ids", left.entities)
    table = table.filter(pc.greater(pc.list_value_length(table["entity_ids"]), 0))
    return _cut(table, "children", table["community"].combine_chunks())


def reports_left(reports: pa.Table, communities: pa.Table, entities: pa.Table, left: Left, *, written: bool) -> Rows:
    """Return the rows of reports that rest on nothing that is left out: nor their communities, nor their citations.

    What a model has written rests on all that its entities' descriptions were drawn from, too.
    """
    entire = _all_in(communities["text_unit_ids"], left.entire)
    if written:
        known = entities["id"].filter(pa.array(_all_in(entities["text_unit_ids"], left.entire)))
        entire &= _all_in(communities["entity_ids"], known.combine_chunks())
    own = communities["community"].filter(pa.array(entire)).combine_chunks()
    cited = reports["citations"].combine_chunks()
    out = pc.invert(pc.is_in(cited.flatten().field("text_unit_id"), left.entire))
    return np.flatnonzero((_held(cited, out) == 0) & pc.is_in(reports["community"], own).to_numpy())


def _search_links(table: pa.Table, left: Left) -> pa.Table:
    table = _renumbered(table.take(left.entity_rows), "rows", left.unit_rows, left.n_units, "counts")
    return _renumbered(table, "defines", left.unit_rows, left.n_units)


def _search_units(table: pa.Table, left: Left) -> pa.Table:
    table = table.take(left.unit_rows).combine_chunks()
    new = _new(left.document_rows, left.n_documents)
    table = _with(table, document=new[numbers(table["document"], "int32")])
    return _renumbered(table, "entities", left.entity_rows, left.n_entities, "counts")


def _search_names(table: pa.Table, left: Left) -> pa.Table:
    new = _new(left.entity_rows, left.n_entities)[numbers(table["entity"], "int64")]
    return _with(table, entity=new).filter(pa.array(new >= 0))


def _resolutions(table: pa.Table, left: Left) -> pa.Table:
    """Return what names mean that are left, and none of those that mean nothing."""
    here = pc.or_(pc.equal(table["document_id"], ""), pc.is_in(table["document_id"], left.documents))
    return table.filter(pc.and_(here, pc.is_in(table["entity_id"], left.entities)))


LIMITS: dict[str, Callable[[pa.Table, Left], pa.Table]] = {
    "documents": _documents,
    "text_units": _text_units,
    "episodes": _spans,
    "fact_mentions": _spans,
    "entities": _entities,
    "relationships": _relationships,
    "covariates": lambda table, left: table.filter(pc.is_in(table["text_unit_id"], left.entire)),
    "facts": _facts,
    "communities": _communities,
    "community_reports": lambda table, left: table.take(left.reports),
    "entity_resolutions": _resolutions,
    "search_terms": lambda table, left: _filled(table, left.unit_rows, left.n_units, "counts"),
    "search_report_terms": lambda table, left: _filled(table, left.reports, left.n_reports, "counts"),
    "search_values": lambda table, left: _filled(table, left.unit_rows, left.n_units),
    "search_links": _search_links,
    "search_units": _search_units,
    "search_lengths": lambda table, _: table,
    "search_reports": lambda table, left: table.take(left.reports),
    "search_names": _search_names,
    "search_times": lambda table, left: table.take(left.unit_rows),
}


def _new(rows: Rows, n: int) -> npt.NDArray[np.int64]:
    """Return the new number of each of `n` rows, -1 for those that are not of `rows`."""
    new = np.full(n, -1, np.int64)
    new[rows] = np.arange(len(rows))
    return new


def _renumbered(table: pa.Table, column: str, rows: Rows, n: int, beside: str = "") -> pa.Table:
    """Return a table whose lists of row numbers hold those of `rows`, of `n`, by their new numbers.

    `beside` is a column of numbers, one for each of them.
    """
    table = table.combine_chunks()
    offsets, held = lists(table[column], "int32")
    new = _new(rows, n)[held]
    remaining = new >= 0
    ends = pa.array(np.concatenate(([0], np.cumsum(remaining)))[offsets].astype(np.int32))
    changed = {column: pa.ListArray.from_arrays(ends, pa.array(new[remaining].astype(np.int32)))}
    if beside:
        changed[beside] = _filter_lists(table[beside].combine_chunks(), pa.array(remaining))
    return _with(table, **changed)


def _filled(table: pa.Table, rows: Rows, n: int, beside: str = "") -> pa.Table:
    """Return the rows that have row numbers left (`_renumbered`)."""
    table = _renumbered(table, "rows", rows, n, beside)
    return table.filter(pc.greater(pc.list_value_length(table["rows"]), 0)).combine_chunks()


def _cut(table: pa.Table, column: str, values: pa.Array) -> pa.Table:
    """Return a table whose lists hold only what is one of the values."""
    column_lists = table[column].combine_chunks()
    return _with(table, **{column: _filter_lists(column_lists, pc.is_in(column_lists.flatten(), values))})


def _filter_lists(column: pa.ListArray, mask: pa.Array) -> pa.ListArray:
    """Return lists without those of their values, taken one after the other, that `mask` leaves out."""
    counts = np.concatenate(([0], np.cumsum(mask.to_numpy(zero_copy_only=False))))
    ends = counts[_offsets(column)].astype(np.int32)
    return pa.ListArray.from_arrays(pa.array(ends), column.flatten().filter(mask))


def _all_in(column: pa.ChunkedArray, values: pa.Array) -> Bools:
    """Return which lists hold none but the values, (n_rows,)."""
    held = column.combine_chunks()
    none_out: Bools = _held(held, pc.invert(pc.is_in(held.flatten(), values))) == 0
    return none_out


def _held(column: pa.ListArray, flags: pa.Array) -> Rows:
    """Return how many flags, one a value of the lists taken one after the other, are set in each list, (n_rows,)."""
    return np.diff(np.concatenate(([0], np.cumsum(flags.to_numpy(zero_copy_only=False))))[_offsets(column)])


def _offsets(column: pa.ListArray) -> Rows:
    """Return where the lists begin and end in what `flatten` gives, (n_rows + 1,)."""
    lengths = pc.fill_null(pc.list_value_length(column), 0).to_numpy(zero_copy_only=False)
    return np.concatenate(([0], np.cumsum(lengths)))


def _with(table: pa.Table, **columns: Any) -> pa.Table:
    for name, values in columns.items():
        position = table.schema.get_field_index(name)
        kind = table.schema.field(position)
        made = values if isinstance(values, pa.Array | pa.ChunkedArray) else pa.array(values)
        table = table.set_column(position, kind, made.cast(kind.type))
    return table
