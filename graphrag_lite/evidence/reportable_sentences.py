"""The sentences that reports may tell, as columns: how each reads, and what it counts where it stands.

A corpus has a hundred thousand of them, of which an edit moves a few: what is told of all is told in arrays, and a
`Statement` is made of one where a page is put together.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from graphrag_lite import tables
from graphrag_lite.attempts import outcome
from graphrag_lite.evidence.hashes import hashed
from graphrag_lite.evidence.report_statements import Sources
from graphrag_lite.evidence.sentence_reading import read_sentence
from graphrag_lite.evidence.statement import STANDS, ReportStatement, Row
from graphrag_lite.evidence.stories import chapter_at, chapters, is_spoken, rest_of_paragraph
from graphrag_lite.tables import groups
from graphrag_lite.tables.lazy_items import LazyItems

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Hashes = NDArray[np.uint64]
Read = tuple[Any, ...]  # a row of `report_sentences` from `said_start` up to `around`


class Spans(NamedTuple):
    """Where sentences stand: rows of source_documents and of source_units, and characters of the document."""

    document: "Ints"
    start: "Ints"
    end: "Ints"
    unit: "Ints"

    def of(self, rows: "Ints") -> "Spans":
        return Spans(*(values[rows] for values in self))

    def with_more(self, other: "Spans") -> "Spans":
        return Spans(*map(np.concatenate, zip(self, other, strict=True)))


class Unread(NamedTuple):
    """A document, and where sentences of it stand that a report may tell."""

    id: str
    document: Row
    spans: list[Row]


class SentenceColumns(NamedTuple):
    """What some sentences say, one after the other, to be told in any process: their terms as numbers of `words`."""

    unit_ids: list[str]
    document_ids: list[str]
    start: list[int]
    end: list[int]
    length: list[int]
    worth: list[float]
    of_row: list[bool]
    cell: list[bool]
    words: list[str]
    terms: "NDArray[np.int32]"
    ends: list[int]  # of the terms of each

    def statements(self, sources: Sources) -> list[ReportStatement]:
        """Return each as a statement."""
        terms, first = [self.words[number] for number in self.terms.tolist()], 0
        found = []
        for unit, document, start, end, length, worth, of_row, cell, last in zip(*self[:8], self.ends, strict=True):
            span = {"text_unit_id": unit, "document_id": document, "char_start": start, "char_end": end}
            found.append(sources.statement(span, tuple(terms[first:last]), length, worth, of_row, cell))
            first = last
        return found


class ReportableSentences:
    """The sentences at some spans, by document and place; `rows` are those of the spans, -1 for what cannot be read.

    `table` is `report_sentences`; `document` and `unit` are rows of source_documents and source_units, `start` and
    `end` where what is said stands, `worth` what that counts there. `whole` is the row of the longest sentence at the
    same place, as a text unit may end within one that another holds on.
    """

    def __init__(self, spans: Spans, sources: Sources, before: "pa.Table") -> None:
        self.sources = sources
        self.table, spans, self.rows = self._read(spans, before)
        self.document, begins, _, self.unit = spans
        self.start, self.end = (self.table[name].to_numpy() for name in ("said_start", "said_end"))
        self.worth = self.table["worth"].to_numpy() * self.table["aside"].to_numpy()
        self.stands = self.worth >= STANDS
        self.of_row, self.cell = sources.cards.is_row[self.document], sources.cards.hold(self.document, begins)
        location = self.document * (self.end.max(initial=0) + 1) + self.start
        order = np.lexsort((-self.end, location))
        _, first, of_location = np.unique(location[order], return_index=True, return_inverse=True)
        self.whole = np.empty(len(order), np.int64)
        self.whole[order] = order[first][of_location]
        self._statements: dict[int, ReportStatement] = {}

    def __getitem__(self, row: int) -> ReportStatement:
        """Return what the sentence in a row of `table` says."""
        return self.statements(np.array([row]))[row]

    def statements(self, rows: "Ints") -> dict[int, ReportStatement]:
        """Return what the sentences in some rows say, by row."""
        new = np.array([row for row in dict.fromkeys(rows.tolist()) if row not in self._statements], np.int64)
        self._statements |= zip(new.tolist(), self.closed(new).statements(self.sources), strict=True)
        return {row: self._statements[row] for row in rows.tolist()}

    def closed(self, rows: "Ints") -> SentenceColumns:
        """Return what the sentences in some rows say, without statements."""
        import pyarrow.compute as pc

        units, number = np.unique(self.unit[rows], return_inverse=True)
        unit_ids = self.sources.unit_ids.take(units).to_pylist()
        terms = self.table["terms"].take(rows)
        words = pc.list_flatten(terms).combine_chunks().dictionary_encode()
        return SentenceColumns(
            unit_ids=[unit_ids[one] for one in number.tolist()],
            document_ids=[self.sources.ids[one] for one in self.document[rows].tolist()],
            start=self.start[rows].tolist(),
            end=self.end[rows].tolist(),
            length=self.table["length"].to_numpy()[rows].tolist(),
            worth=self.worth[rows].tolist(),
            of_row=self.of_row[rows].tolist(),
            cell=self.cell[rows].tolist(),
            words=words.dictionary.to_pylist(),
            terms=words.indices.to_numpy().astype(np.int32),
            ends=np.cumsum(np.asarray(pc.list_value_length(terms))).tolist(),
        )

    def span(self, row: int) -> Row:
        """Return where what it says stands."""
        return {
            "text_unit_id": self.sources.unit_ids[self.unit[row].item()].as_py(),
            "document_id": self.sources.ids[self.document[row]],
            "char_start": self.start[row].item(),
            "char_end": self.end[row].item(),
        }

    @property
    def around(self) -> "Hashes":
        """A hash of what each says, and of what stands around it."""
        found: Hashes = self.table["around"].to_numpy().view(np.uint64)
        return found

    @cached_property
    def order(self) -> "Ints":
        """The place of each among all as they are read."""
        return np.argsort(np.lexsort((self.start, self.sources.reading[self.document])))

    def _read(self, spans: Spans, before: "pa.Table") -> "tuple[pa.Table, Spans, Ints]":
        """Return the sentences at some spans: the table, where each stands, and the row of each span.

        Those that were read `before`, in the language that their document still has, are not read again. The first span
        at a place tells the text unit.
        """
        import pyarrow.compute as pc

        sources, n_spans = self.sources, len(spans.start)
        document = groups.row_indices(before["document_id"], sources.document_ids)
        held = np.flatnonzero(document >= 0)
        now, then = sources.languages.take(document[held]), before["language"].take(held)
        held = held[now.to_numpy() == then.to_numpy()] if len(held) else held
        starts, ends = (before[name].to_numpy()[held] for name in ("char_start", "char_end"))
        known = Spans(document[held], starts, ends, np.zeros(len(held), np.int64))
        every = spans.with_more(known)
        rank = np.empty(len(sources.ids), np.int64)  # they stand by the ids of their documents
        rank[np.asarray(pc.sort_indices(sources.document_ids.combine_chunks()))] = np.arange(len(rank))
        width = every.end.max(initial=0) + 1
        _, index = np.unique(rank[every.document] * width + every.start, return_inverse=True)
        _, first, index = np.unique(index * width + every.end - every.start, return_index=True, return_inverse=True)
        row = np.full(len(first), -1)
        row[index[n_spans:]] = held
        wanted = np.flatnonzero(first < n_spans)
        unread = wanted[row[wanted] < 0]
        new, read = self._new(spans.of(first[unread]))
        row[unread[read]] = before.num_rows + np.arange(new.num_rows)
        wanted = wanted[row[wanted] >= 0]
        table, where = groups.in_rows(groups.stack(before, new), row[wanted]), spans.of(first[wanted])
        is_known = row[wanted] < before.num_rows
        row_of = np.full(len(row), -1)
        row_of[wanted] = np.arange(len(wanted))
        table = self._with_asides(table, where, is_known).combine_chunks()  # of many pieces rows are taken slowly
        return table, where, row_of[index[:n_spans]]

    def _new(self, spans: Spans) -> "tuple[pa.Table, list[int]]":
        """Return how the sentences at some spans read, and which of them can be read."""
        sources = self.sources
        listed = zip(*(values.tolist() for values in spans), strict=True)
        rows = [
            {"text_unit_id": unit, "document_id": sources.ids[document], "char_start": start, "char_end": end}
            for (document, start, end, _), unit in zip(
                listed, sources.unit_ids.take(spans.unit).to_pylist(), strict=True
            )
        ]
        by_document = {key: list(own) for key, own in groupby(rows, key=lambda row: row["document_id"])}

        def items() -> Iterator[Unread]:
            return (Unread(key, sources.document(key), own) for key, own in by_document.items())

        read = sources.each(_readings, LazyItems(len(by_document), items))
        each = (
            one for own, several in zip(by_document.values(), read, strict=True) for one in several or [None] * len(own)
        )
        found = [one or self._again(row) for row, one in zip(rows, each, strict=True)]
        new = (
            (row["document_id"], sources.language(row["document_id"]), row["char_start"], row["char_end"], *one, 1.0)
            for row, one in zip(rows, found, strict=True)
            if one
        )
        return tables.make("report_sentences", new), [number for number, one in enumerate(found) if one]

    def _again(self, span: Row) -> "Read | None":
        document = self.sources.document(span["document_id"])
        return self.sources.attempt(span["text_unit_id"], _read, span, document, chapters(document["text"]))

    def _with_asides(self, table: "pa.Table", where: Spans, is_known: "NDArray[np.bool_]") -> "pa.Table":
        """Tell what each sentence counts where it stands; that of one that `is_known` is, unless its document has
        notices, or others are hosts and formulas now."""
        sources = self.sources
        asides = np.array(table["aside"].to_numpy())
        changed = np.flatnonzero(~is_known | sources.other_before | sources.are_noticed(where.document))
        if not len(changed):
            return table
        asides[changed] = 1.0
        if sources.has_asides:
            cells = sources.cards.hold(where.document, where.start)[changed].tolist()
            columns = (table[name].to_numpy()[changed].tolist() for name in ("said_start", "said_end", "worth"))
            documents = (sources.ids[row] for row in where.document[changed].tolist())
            asides[changed] = [*map(sources.aside, documents, *columns, cells)]
        column = table.schema.get_field_index("aside")
        return table.set_column(column, table.schema.field(column), [asides])


def _readings(unread: Unread) -> list[Read | None]:
    headings = chapters(unread.document["text"])
    return [outcome(_read, span, unread.document, headings)[0] for span in unread.spans]


def _read(span: Row, document: Row, headings: Sequence[tuple[int, str]]) -> Read:
    """Return how a sentence reads, and a hash of what it says and of all around it that a page hangs on."""
    read, text = read_sentence(span, document), document["text"]
    start, end = read.start, read.end
    before = chapter_at(headings, start), is_spoken(text, start), text[max(0, start - 1) : start]
    return *read, hashed(*before, text[start : end + 1], rest_of_paragraph(text, end))
