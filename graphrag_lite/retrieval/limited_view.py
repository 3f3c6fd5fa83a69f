"""A snapshot of which only some documents, and of those only some episodes, are there: what conditions leave of it.

Whatever reads a `SnapshotView` reads this as well, and finds nothing of what is left out: no row, no count, no word of
its text (`limited_tables`). Scores of BM25 stay those of the whole index. A passage of several messages is found by all
its words, and tells only those of the messages that are left.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from graphrag_lite import tables
from graphrag_lite.errors import InputError
from graphrag_lite.retrieval.columns import lists
from graphrag_lite.retrieval.conditions import (
    OF_EPISODES,
    Condition,
    dated_until,
    fits_episode,
    fitting_documents,
    read_condition,
)
from graphrag_lite.retrieval.snapshot_view import SnapshotView

if TYPE_CHECKING:
    import numpy.typing as npt
    import pyarrow as pa

    from graphrag_lite.retrieval.limited_tables import Left, Spans
    from graphrag_lite.retrieval.vectors import Floats, Vectors


class LimitedView(SnapshotView):
    """What `where`, a list of conditions that all have to hold, leaves of another view, of documents until a day.

    What has no date was there on every day. Raises InputError for a condition that cannot be read, and where nothing is
    left.
    """

    def __init__(self, whole: SnapshotView, where: Sequence[str], until: date | None = None) -> None:
        self.whole = whole  # which holds the folder
        self.folder, self.search_settings, self.manifest = whole.folder, whole.search_settings, whole.manifest
        self._read: dict[str, pa.Table] = {}
        self._text: tuple[int, str] = (-1, "")
        self._limited = None
        self.note_vectors = whole.note_vectors
        limits = [read_condition(stated) for stated in where] + ([dated_until(until)] if until else [])
        self._left = _left(whole, limits)

    async def embed(self, questions: Sequence[str]) -> "list[Floats | None]":
        return await self.whole.embed(questions)

    def n_rows(self, name: str) -> int:
        return int(self.arrow(name).num_rows)

    def arrow(self, name: str) -> "pa.Table":
        import pyarrow as pa
        import pyarrow.compute as pc

        from graphrag_lite.retrieval.limited_tables import LIMITS

        if name not in self._read:
            if name not in LIMITS:
                raise InputError(f"What the table {name} tells cannot be limited by conditions.")
            table = LIMITS[name](self.whole.arrow(name), self._left)
            if name == "facts":
                ended_by = [*self.column("fact_mentions", "id").to_pylist(), ""]
                table = table.filter(pc.is_in(table["invalidated_by"], pa.array(ended_by, pa.string())))
            self._read[name] = table.combine_chunks()
        return self._read[name]

    def column(self, table: str, column: str) -> "pa.ChunkedArray":
        return self.arrow(table)[column]

    def columns(self, table: str, names: Sequence[str]) -> "pa.Table":
        return self.arrow(table).select(list(names))

    def cell(self, table: str, column: str, row: int) -> Any:
        return self.arrow(table)[column][row].as_py()

    @cached_property
    def vectors(self) -> "Vectors":
        from graphrag_lite.retrieval.vectors import Vectors

        blocks, start = [], 0
        for block in self.whole.vectors.blocks:
            first, last = np.searchsorted(self._left.unit_rows, (start, start + len(block)))
            blocks.append(block[self._left.unit_rows[first:last] - start])
            start += len(block)
        return Vectors(blocks)

    @cached_property
    def vector_weight(self) -> float:
        return self.whole.vector_weight


def _left(whole: SnapshotView, conditions: Sequence[Condition]) -> "Left":
    """Return what conditions leave of a view. Raises InputError where that is nothing."""
    from graphrag_lite.retrieval.limited_tables import Left, reports_left

    documents, units, entities = (whole.arrow(name) for name in ("documents", "text_units", "entities"))
    of_episodes = [one for one in conditions if one.field in OF_EPISODES]
    fits = np.array(fitting_documents(documents, [one for one in conditions if one not in of_episodes]), np.bool_)
    shown, hidden = _by_episode(whole, of_episodes) if of_episodes else (None, {})
    in_document = np.asarray(whole.document_row)
    kept, entire = fits[in_document], ~_overlapping(whole, hidden)
    if shown is not None:
        kept = kept & _overlapping(whole, shown)
    if not kept.any():
        raise InputError(f"No text in the index has {' and '.join(map(str, conditions))}.")
    offsets, named_in = lists(whole.column("search_links", "rows"), "int32")
    _, counts = lists(whole.column("search_links", "counts"), "float32")
    naming = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    rows = np.flatnonzero(kept), np.unique(in_document[kept]), np.unique(naming[kept[named_in]])
    left = Left(
        *rows,
        *(len(kept), documents.num_rows, entities.num_rows),
        mentions=np.bincount(naming, counts * kept[named_in])[rows[2]],
        unit_documents=in_document[rows[0]],
        units=units["id"].take(rows[0]).combine_chunks(),
        entire=units["id"].take(np.flatnonzero(kept & entire)).combine_chunks(),
        documents=documents["id"].take(rows[1]).combine_chunks(),
        entities=entities["id"].take(rows[2]).combine_chunks(),
        shown=shown,
    )
    reports = whole.arrow("community_reports")
    of_them = reports_left(reports, whole.arrow("communities"), entities, left, written=whole.reports_are_written)
    return replace(left, reports=of_them, n_reports=reports.num_rows)


def _by_episode(whole: SnapshotView, conditions: Sequence[Condition]) -> "tuple[Spans, Spans]":
    """Return the characters of the episodes that fit, and of the others, by id of document, in order."""
    columns = ["document_id", "char_start", "char_end", "reference_time", "speaker", "conversation", "role"]
    shown: dict[str, list[tuple[int, int]]] = {}
    hidden: dict[str, list[tuple[int, int]]] = {}
    for row in whole.columns("episodes", columns).to_pylist():
        spans = shown if fits_episode(row, conditions) else hidden
        spans.setdefault(row["document_id"], []).append((row["char_start"], row["char_end"]))
    return shown, hidden


def _overlapping(whole: SnapshotView, spans: "Mapping[str, Any]") -> "npt.NDArray[np.bool_]":
    """Return which text units share characters with spans of their document, (n_units,)."""
    if not spans:
        return np.zeros(len(whole.document_row), np.bool_)
    columns = ("document_id", "char_start", "char_end")
    units = tables.rows(whole.columns("text_units", columns), *columns)
    return np.array(
        [any(one < end and start < last for one, last in spans.get(document, ())) for document, start, end in units],
        np.bool_,
    )
