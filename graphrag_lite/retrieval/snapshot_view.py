"""What search needs of a snapshot, or of what conditions leave of it, found when first used and kept."""

from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from graphrag_lite import tables
from graphrag_lite.errors import InputError
from graphrag_lite.read.documents import ROLES
from graphrag_lite.retrieval.bm25 import Bm25, read_norms, read_number, read_postings, read_segments
from graphrag_lite.retrieval.columns import Strings, lists, matrices, numbers
from graphrag_lite.retrieval.conditions import dated_until, read_condition
from graphrag_lite.retrieval.snapshot_tables import SnapshotTables
from graphrag_lite.retrieval.title_numbers import ByNumber, by_number
from graphrag_lite.settings import Search
from graphrag_lite.tables import groups
from graphrag_lite.text.change_logs import is_change_log

if TYPE_CHECKING:
    from datetime import date

    import pyarrow as pa
    from numpy.typing import NDArray

    from graphrag_lite.graph.sparse import Csr, Vector
    from graphrag_lite.retrieval.entity_names import NameTable
    from graphrag_lite.retrieval.file_tables import ByField, TableFile
    from graphrag_lite.retrieval.held import Held
    from graphrag_lite.retrieval.links import Links
    from graphrag_lite.retrieval.note_vectors import NoteVectors
    from graphrag_lite.retrieval.unit_attributes import Attributes
    from graphrag_lite.retrieval.unit_communities import UnitCommunities
    from graphrag_lite.retrieval.vectors import Floats, Vectors

MIN_SHARE = 0.05  # of the documents: a language of fewer is not one that questions are asked in
LEAST_SHARED, SHARED = 3, 0.5  # documents of the commonest title; of all, those that share theirs with another
WHOSE = frozenset({"speaker", "role"})  # fields of metadata that say whose a message is


class SnapshotView(SnapshotTables):
    """What search needs of a snapshot."""

    note_vectors: "NoteVectors | None" = None  # where there is a model to ask

    def __init__(self, folder: Path, search: Search | None = None) -> None:
        super().__init__(folder)
        self.search_settings = search or Search()
        self._text: tuple[int, str] = (-1, "")  # of the last document
        self._limited: tuple[tuple[str | date | None, ...], SnapshotView] | None = None  # the last one

    def limited(self, where: Sequence[str], until: "date | None" = None) -> "SnapshotView":
        """Return the view as if only what fits all of some conditions were there (`conditions.read_condition`).

        With `until`, no document that is dated later is there either. Raises InputError for a condition that cannot be
        read, a field that no document has, and where nothing is left.
        """
        if not where and until is None:
            return self
        if self._limited is None or self._limited[0] != (*where, until):
            self._limited = (*where, until), LimitedView(self, where, until)
        return self._limited[1]

    def passage(self, unit: int) -> tuple[str, str]:
        """Return the text of a text unit under the title of its document, and their language."""
        row = self.document_row[unit]
        title, language = (self.cell("documents", name, row) for name in ("title", "language"))
        return f"{title}\n{self.cell('text_units', 'text', unit)}", language

    def document_of(self, unit: int) -> tuple[str, str]:
        """Return the text of the document that a text unit is of, and its language."""
        row = self.document_row[unit]
        return self.document_text(row), self.cell("documents", "language", row)

    def document_text(self, row: int) -> str:
        """Return the text of a document. The last one is held: what is read of a long one is read place by place."""
        held, text = self._text
        if held != row:
            text = str(self.cell("documents", "text", row))
            self._text = row, text
        return text

    @cached_property
    def names(self) -> "NameTable":
        """The names that mean entities."""
        from graphrag_lite.retrieval.entity_names import NameTable

        data = self.arrow("search_names")
        return NameTable(Strings(data["key"]), numbers(data["entity"], "int64").data)

    @cached_property
    def languages(self) -> list[str]:
        """The languages of the corpus, most common first."""
        counted = self.column("documents", "language").value_counts().to_pylist()
        counts = {row["values"]: row["counts"] for row in counted}
        ordered = sorted(counts, key=lambda code: (-counts[code], code))
        return [code for code in ordered if counts[code] >= MIN_SHARE * sum(counts.values())]

    @property
    def vocabulary(self) -> Strings:
        """The terms of all text units, sorted."""
        return cast("Strings", self.bm25.vocabulary)

    @cached_property
    def bm25(self) -> Bm25:
        """BM25 over text units."""
        lengths, held = self.arrow("search_lengths"), self.segments("search_terms")
        norms_and_size = read_norms(self.arrow("search_units"), lengths), read_number(lengths, "n_units")
        return (
            read_segments(held, *norms_and_size) if held else read_postings(self.arrow("search_terms"), *norms_and_size)
        )

    @cached_property
    def report_bm25(self) -> Bm25:
        """BM25 over community reports."""
        norms = numbers(self.column("search_reports", "norm"), "float64")
        n_reports = read_number(self.arrow("search_lengths"), "n_reports")
        return read_postings(self.arrow("search_report_terms"), norms, n_reports)

    @cached_property
    def links(self) -> "Links":
        """Which text units name, and which define, each entity."""
        from graphrag_lite.graph.sparse import Csr
        from graphrag_lite.retrieval.links import link_mentions

        by_entity, by_unit = self.arrow("search_links"), self.arrow("search_units")
        n_entities, n_units = by_entity.num_rows, by_unit.num_rows
        (offsets, rows), (_, counts) = lists(by_entity["rows"], "int32"), lists(by_entity["counts"], "uint16")
        units = Csr(offsets, rows, counts, n_units)
        (offsets, rows), (_, counts) = lists(by_unit["entities"], "int32"), lists(by_unit["counts"], "uint16")
        entities = Csr(offsets, rows, counts, n_entities)
        offsets, rows = lists(by_entity["defines"], "int32")
        return link_mentions(entities, Csr(offsets, rows, np.ones(len(rows), np.bool_), n_units), units)

    @cached_property
    def unit_communities(self) -> "UnitCommunities":
        """Which community each text unit is of."""
        from graphrag_lite.retrieval.unit_communities import unit_communities

        return unit_communities(self, self.links)

    @cached_property
    def report_rows(self) -> list[dict[str, Any]]:
        """What ranking needs of every community report; `parent` is the next community above that has one, or -1."""
        names = ["id", "community", "level", "title", "rank", "citations"]
        rows: list[dict[str, Any]] = self.columns("community_reports", names).to_pylist()
        above = dict(tables.rows(self.columns("communities", ("community", "parent")), "community", "parent"))
        reported = {row["community"] for row in rows}
        for row in rows:
            row["parent"] = above.get(row["community"], -1)
            while row["parent"] not in reported and row["parent"] >= 0:
                row["parent"] = above.get(row["parent"], -1)
        return rows

    @cached_property
    def recurring_titles(self) -> list[tuple[str, list[int]]]:
        """Titles that many documents share, as rows of a table of tickets do, without the documents' own ids.

        With the rows of the documents that have each, the commonest first, ties by the first document. None where most
        documents have a title of their own.
        """
        shared: dict[str, list[int]] = defaultdict(list)
        documents = self.columns("documents", ("title", "source_id"))
        for row, (title, own) in enumerate(tables.rows(documents, "title", "source_id")):
            shared[title.removeprefix(f"{own}: ")].append(row)
        found = sorted(((one, rows) for one, rows in shared.items() if len(rows) > 1), key=lambda item: -len(item[1]))
        n_shared = sum(len(rows) for _, rows in found)
        few = not found or len(found[0][1]) < LEAST_SHARED or n_shared < SHARED * self.n_rows("documents")
        return [] if few else found

    @cached_property
    def days(self) -> "Vector":
        """The day of each text unit's document, by `date.toordinal`, shape (n_units,); nan where it is not dated.

        Of a document dated by month or year only, it is the first day.
        """
        days = numbers(self.column("search_units", "day"), "int32")
        return np.where(days > 0, days, np.nan)

    @cached_property
    def order(self) -> "Vector":
        """The place of each text unit in the order in which they were said, shape (n_units,)."""
        return numbers(self.column("search_units", "order"), "int32").astype("float64")

    @property
    def is_dated(self) -> bool:
        """Whether any document states when it is of."""
        return bool((self.days > 0).any())

    @cached_property
    def is_of_change_logs(self) -> bool:
        """Whether most documents are logs of changes."""
        titles = self.column("documents", "title").to_pylist()
        return 2 * sum(map(is_change_log, titles)) > len(titles)

    @cached_property
    def attributes(self) -> "Attributes":
        """The days of text units, metadata values that documents share, words with a number in titles, and replies."""
        from graphrag_lite.retrieval.entity_names import name_table
        from graphrag_lite.retrieval.unit_attributes import Attributes

        data = self.arrow("search_values")
        offsets, rows = lists(data["rows"], "int32")
        units = [rows[start:end] for start, end in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)]
        values = list(zip(data["field"].to_pylist(), data["value"].to_pylist(), strict=True))
        numbered = {position for entries in self.title_numbers.values() for *_, position in entries}
        names = name_table((value, position) for position, (_, value) in enumerate(values) if position not in numbered)
        reply_units = [
            units[position]
            for position, (field, value) in enumerate(values)
            if field.casefold() in WHOSE and ROLES.get(value.casefold()) == "assistant"
        ]
        replies = np.isin(np.arange(len(self.days)), np.concatenate(reply_units)) if reply_units else None
        return Attributes(self.days, names, units, self.title_numbers, replies, self.held, self.order)

    @cached_property
    def held(self) -> "Held":
        """When what text units say held or happened."""
        from graphrag_lite.retrieval.held import Held

        times = self.column("search_times", "told").combine_chunks()
        units = np.repeat(np.arange(len(self.days)), np.diff(np.asarray(times.offsets)))
        return Held(len(self.days), units, *map(np.asarray, times.flatten().flatten()))

    @cached_property
    def title_numbers(self) -> ByNumber:
        """Words with a number in titles, with their rows of search_values."""
        values = self.columns("search_values", ["field", "value"]).to_pylist()
        return by_number((one["value"], row) for row, one in enumerate(values) if one["field"] == tables.OF_TITLES)

    @cached_property
    def table_files(self) -> "list[TableFile]":
        """The files that are tables."""
        from graphrag_lite.retrieval.file_tables import table_files

        return table_files(self)

    @cached_property
    def table_values(self) -> "list[ByField]":
        """The values that the rows of each of `table_files` share."""
        from graphrag_lite.retrieval.file_tables import shared_values

        return shared_values(self, self.table_files)

    @cached_property
    def vectors(self) -> "Vectors":
        """The vectors of text units, and their cells where they are so many: the buffers of the tables, not copied."""
        from graphrag_lite.retrieval.vectors import Cells, Vectors

        cells = None
        if "search_vector_cells" in self.manifest["tables"] and self.n_rows("search_vector_cells"):
            data = self.arrow("search_vector_cells")
            offsets, rows = lists(data["rows"], "int32")
            (centres,) = matrices(data["centre"], "float32")
            cells = Cells(centres, np.split(rows, offsets[1:-1]))
        return Vectors(matrices(self.column("search_vectors", "vector"), "float32"), cells)

    @cached_property
    def vector_weight(self) -> float:
        """What vectors count in this index, 0 where there are none."""
        if "search_vector_weight" not in self.manifest["tables"]:
            return 0.0
        return float(self.cell("search_vector_weight", "weight", 0))

    async def embed(self, questions: Sequence[str]) -> "list[Floats | None]":
        """Return the vectors of questions, each of length 1. Here is no model to ask, and none has one."""
        return [None] * len(questions)

    def meant(self, vector: "Floats", terms: "Csr") -> "Vector":
        """Return what text units gain by a question's vector.

        `terms` (n_terms, n_units) are the BM25 scores of its terms.
        """
        from graphrag_lite.retrieval.vectors import vector_scores

        by_words = terms.columns(np.ones(terms.shape[0])) if self.vectors.cells else None
        return vector_scores(self.vectors, vector, self.vector_weight, by_words)

    @cached_property
    def document_row(self) -> Sequence[int]:
        """The row of `documents` that each text unit is of."""
        return numbers(self.column("search_units", "document"), "int32").data

    def units_in(self, row: int) -> list[int]:
        """Return the rows of the text units of a document, in their order."""
        return np.flatnonzero(np.asarray(self.document_row) == row).tolist()

    def units_at(self, row: int, offsets: Sequence[int]) -> list[int]:
        """Return the last text unit of a document that begins at each of some characters of it, or before."""
        starts = {unit: self.cell("text_units", "char_start", unit) for unit in self.units_in(row)}
        return [max(unit for unit, first in starts.items() if first <= offset) for offset in offsets]

    @cached_property
    def _episodes(self) -> "tuple[NDArray[np.int64], NDArray[np.int64]]":
        """The rows of episodes by document, and where those of each document begin."""
        of = groups.row_indices(self.column("episodes", "document_id"), self.column("documents", "id"))
        order = np.argsort(of, kind="stable")
        return order, np.searchsorted(of[order], np.arange(self.n_rows("documents") + 1))

    def episodes_of(self, row: int) -> "NDArray[np.int64]":
        """Return the rows of the episodes of a document, by place."""
        order, offsets = self._episodes
        return order[offsets[row] : offsets[row + 1]]

    @cached_property
    def unit_row(self) -> dict[str, int]:
        """The row of `text_units` by id."""
        return {identity: i for i, identity in enumerate(self.column("text_units", "id").to_pylist())}


class LimitedView(SnapshotView):
    """What `where`, a list of conditions that all have to hold, leaves of another view, of documents until a day.

    Whatever reads the other reads this as well, and finds nothing of what is left out: no row, no count, no word of its
    text (`limited_tables`). Scores of BM25 stay those of the whole index. A passage of several messages is found by all
    its words, and tells only those of the messages that are left. What has no date was there on every day. Raises
    InputError for a condition that cannot be read, and where nothing is left.
    """

    def __init__(self, whole: SnapshotView, where: Sequence[str], until: "date | None" = None) -> None:
        self.whole = whole  # which holds the folder
        self.folder, self.search_settings, self.manifest = whole.folder, whole.search_settings, whole.manifest
        self._read: dict[str, pa.Table] = {}
        self._text: tuple[int, str] = (-1, "")
        self._limited = None
        self.note_vectors = whole.note_vectors
        from graphrag_lite.retrieval.limited_tables import tables_left

        limits = [read_condition(stated) for stated in where] + ([dated_until(until)] if until else [])
        self._left = tables_left(whole, np.asarray(whole.document_row), limits)

    async def embed(self, questions: Sequence[str]) -> "list[Floats | None]":
        return await self.whole.embed(questions)

    def n_rows(self, name: str) -> int:
        return int(self.arrow(name).num_rows)

    def arrow(self, name: str) -> "pa.Table":
        from graphrag_lite.retrieval.limited_tables import LIMITS, without_enders

        if name not in self._read:
            if name not in LIMITS:
                raise InputError(f"What the table {name} tells cannot be limited by conditions.")
            table = LIMITS[name](self.whole.arrow(name), self._left)
            if name == "facts":
                table = without_enders(table, self.column("fact_mentions", "id"))
            self._read[name] = table.combine_chunks()
        return self._read[name]

    def segments(self, name: str) -> None:
        """Return nothing: of every table, what is left is held."""

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
