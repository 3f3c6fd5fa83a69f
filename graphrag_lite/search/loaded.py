"""What search needs of a snapshot, read when first used and kept."""

import os
import weakref
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphrag_lite import snapshots, tables
from graphrag_lite.search.bm25 import Bm25
from graphrag_lite.settings import Search
from graphrag_lite.text.language import closest
from graphrag_lite.text.words import terms

if TYPE_CHECKING:
    import pyarrow as pa

    from graphrag_lite.search.mentions import NameTable
    from graphrag_lite.search.question import Attributes
    from graphrag_lite.search.ranking import Links, Vector

MIN_SHARE = 0.05  # of the documents: a language of fewer is not one that questions are asked in


class Loaded:
    """What search needs of a snapshot."""

    def __init__(self, folder: Path, search: Search | None = None) -> None:
        self.folder = folder
        self.search = search or Search()
        self.manifest: dict[str, Any] = snapshots.usable_manifest(folder)
        weakref.finalize(self, os.close, snapshots.hold(folder))  # until then, retention leaves the folder alone
        self._read: dict[str, pa.Table] = {}

    def arrow(self, name: str) -> "pa.Table":
        """Return a table as Arrow, read once. Raises TableError where it is damaged."""
        if name not in self._read:
            self._read[name] = tables.read(self.folder, name)
        return self._read[name]

    def n_rows(self, name: str) -> int:
        return int(self.manifest["tables"][name]["rows"])

    def question_language(self, question: str) -> str:
        """Return which of the corpus's languages a question is in, by ISO 639-1 code."""
        return closest(question, self.languages)

    def question_terms(self, question: str) -> list[str]:
        """Return the terms of a question, as often as it says them, analysed as the text units of its language are."""
        return terms(question, self.question_language(question))

    @cached_property
    def names(self) -> "NameTable":
        """The names that mean entities."""
        from graphrag_lite.search.mentions import name_table

        data = self.arrow("search_names")
        return name_table(zip(data["name"].to_pylist(), data["entity"].to_pylist(), strict=True))

    @cached_property
    def languages(self) -> list[str]:
        """The languages of the corpus, most common first."""
        from collections import Counter

        counts = Counter(self.arrow("documents")["language"].to_pylist())
        ordered = sorted(counts, key=lambda code: (-counts[code], code))
        return [code for code in ordered if counts[code] >= MIN_SHARE * counts.total()]

    @cached_property
    def bm25(self) -> Bm25:
        """BM25 over text units."""
        return self._postings("search_terms", "text_units")

    @cached_property
    def report_bm25(self) -> Bm25:
        """BM25 over community reports."""
        return self._postings("search_report_terms", "community_reports")

    def _postings(self, name: str, over: str) -> Bm25:
        data = self.arrow(name).combine_chunks()
        (offsets, rows), (_, scores) = _flat(data, "rows", "int32"), _flat(data, "scores", "float32")
        return Bm25(self.n_rows(over), data["term"].to_pylist(), offsets, rows, scores)

    @cached_property
    def links(self) -> "Links":
        """Which text units name, and which define, each entity."""
        import numpy as np
        from scipy.sparse import csr_array

        from graphrag_lite.search.ranking import link

        data = self.arrow("search_links").combine_chunks()
        shape = (data.num_rows, self.n_rows("text_units"))
        (offsets, rows), (_, counts) = _flat(data, "rows", "int32"), _flat(data, "counts", "float32")
        mentions = csr_array((counts.astype(np.float64), rows, offsets), shape=shape)
        offsets, rows = _flat(data, "defines", "int32")
        definitions = csr_array((np.ones(len(rows)), rows, offsets), shape=shape)
        return link(csr_array(mentions.T.tocsr()), definitions)

    @cached_property
    def days(self) -> "Vector":
        """The day of each text unit's document, by `date.toordinal`, shape (n_units,); nan where it is not dated.

        Of a document dated by month or year only, it is the first day.
        """
        import numpy as np

        from graphrag_lite.text.periods import whole

        periods = map(whole, self.arrow("documents")["created_at"].to_pylist())
        days = np.array([period.first.toordinal() if period else np.nan for period in periods])
        return days[np.array(self.document_row, dtype=np.int64)]

    @cached_property
    def attributes(self) -> "Attributes":
        """The days of text units, and the metadata values that documents share."""
        from graphrag_lite.search.mentions import name_table
        from graphrag_lite.search.question import Attributes

        if "search_values" not in self.manifest["tables"]:  # an index of before there was this table
            return Attributes(self.days, name_table([]), [])
        data = self.arrow("search_values").combine_chunks()
        offsets, rows = _flat(data, "rows", "int32")
        units = [rows[start:end] for start, end in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)]
        names = name_table((value, place) for place, value in enumerate(data["value"].to_pylist()))
        return Attributes(self.days, names, units)

    @cached_property
    def document_row(self) -> list[int]:
        """The row of `documents` that each text unit is of."""
        row = {identity: i for i, identity in enumerate(self.arrow("documents")["id"].to_pylist())}
        return [row[identity] for identity in self.arrow("text_units")["document_id"].to_pylist()]

    @cached_property
    def unit_row(self) -> dict[str, int]:
        """The row of `text_units` by id."""
        return {identity: i for i, identity in enumerate(self.arrow("text_units")["id"].to_pylist())}


def _flat(data: "pa.Table", column: str, dtype: str) -> tuple[Any, Any]:
    """Return the offsets (n_rows + 1,) and the values of a list column, read from its buffers.

    Arrow's own `to_numpy` would import pandas, which takes longer than a query.
    """
    import numpy as np

    chunks = data[column].chunks
    if not chunks:
        return np.zeros(1, np.int64), np.zeros(0, dtype)
    (lists,) = chunks
    offsets = np.frombuffer(lists.buffers()[1], np.int32)[lists.offset : lists.offset + len(lists) + 1].astype(np.int64)
    if offsets[0] == offsets[-1]:
        return offsets - offsets[0], np.zeros(0, dtype)
    values = np.frombuffer(lists.values.buffers()[1], dtype)[lists.values.offset :]
    return offsets - offsets[0], values[offsets[0] : offsets[-1]]
