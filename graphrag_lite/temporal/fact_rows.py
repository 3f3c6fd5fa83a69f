"""Facts in words: the rows of the table `facts` from what was folded as numbers of mentions.

All are put in order first, by what is short; the rest is made some rows at a time, so that a million facts in words are
never there at once.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from graphrag_lite import tables
from graphrag_lite.tables import groups
from graphrag_lite.temporal.fold import FOREVER, Distinct, FactMentions, Facts, Ints, ranges
from graphrag_lite.temporal.numbered import NumberedMentions, WordedMentions
from graphrag_lite.temporal.spells import ENDED_BY, KINDS, NEGATED, OPEN, STATE, STATED, SUCCEEDED

ORDER = ("subject", "relation", "valid_at", "object", "kind", "created_at", "id")
IDENTITY = ("valid_at", "invalid_at", "created_at", "expired_at", "ended_by", "kind", "conflict", "fact_group_id")
MAX_SOURCES = 10  # of a fact
PART = 32_768  # facts that are put in words at once


class Coded(NamedTuple):
    """Texts as numbers of the different ones: few of many are different. The row -1 is empty."""

    texts: pa.Array
    codes: NDArray[np.integer[Any]]

    @classmethod
    def of(cls, column: pa.ChunkedArray | Sequence[str]) -> "Coded":
        values = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else pa.array(column, pa.string())
        encoded = values.dictionary_encode()
        texts = pa.concat_arrays([encoded.dictionary, pa.array([""])])
        return cls(texts, np.append(np.asarray(encoded.indices), np.int32(len(texts) - 1)))

    def where(self, held: NDArray[np.bool_], rows: Ints, other: "Coded", other_rows: Ints) -> "Coded":
        """Return own rows where held, else those of another."""
        codes = np.where(held, self.codes[rows], other.codes[other_rows] + len(self.texts))
        return Coded(pa.concat_arrays([self.texts, other.texts]), codes)

    def take(self, rows: Ints) -> "Coded":
        return Coded(self.texts, self.codes[rows])

    def words(self, rows: Ints | slice = slice(None)) -> pa.Array:
        return self.texts.take(pa.array(self.codes[rows]))

    def ranks(self) -> NDArray[np.integer[Any]]:
        """Return the place of each row's text in the order of all."""
        ranks = np.asarray(pc.rank(self.texts, tiebreaker="dense")).astype(np.int32)
        found: NDArray[np.integer[Any]] = ranks[self.codes]
        return found


class FactRows(NamedTuple):
    """Facts in their order: what was folded, what is short of each, and the numbers of what the rest is made of."""

    numbered: NumberedMentions
    apart: Distinct
    facts: Facts
    short: dict[str, Any]  # of the columns of the table `facts`: (n_facts,) each
    start: Ints  # row of the mention that tells it; -1: none
    end: Ints
    prior: Ints  # place of the spell before; -1: none
    sentences: Coded

    def words(self, rows: Any) -> dict[str, Any]:
        """Return what is short of some facts in words, by column."""
        return {name: _words(each, rows) for name, each in self.short.items()}

    def parts(self) -> Iterator[pa.Table]:
        """Yield the table `facts`, some rows at a time."""
        worded, mentions = self.numbered.worded, self.numbered.mentions
        unit = np.append(mentions.unit, -1)
        for start in range(0, len(self.start), PART):
            rows = np.arange(start, min(start + PART, len(self.start)))
            begun, over = self.start[rows], self.end[rows]
            vaguer = np.where((begun >= 0) & (unit[begun] >= unit[over]), begun, over)
            facts, prior = self.facts.take(rows), self.prior[rows]
            yield tables.make_columns(
                "facts",
                **self.words(rows),
                fact=self.sentences.words(rows),
                precision=_texts(worded, "precision", vaguer),
                invalidated_by=_texts(worded, "id", np.where(facts.kind == STATE, over, -1)),
                prior_id=_or_empty(self.short["id"], prior),
                **_sources(worded, mentions, self.apart, facts),
            )


def fact_rows(source_documents: pa.Table, numbered: NumberedMentions, apart: Distinct, facts: Facts) -> FactRows:
    """Put facts in order. A thing that is no entity is named as where it is first said of the group, or of the fact."""
    worded, mentions, things, names = numbered
    row_of = np.append(apart.rows[apart.first], -1)
    first = facts.statements[np.append(0, np.cumsum(facts.n_statements))[:-1]]
    leads = row_of[apart.groups[np.searchsorted(apart.groups, first, "right") - 1]]
    first, start, end, created, expired = (
        row_of[indices] for indices in (first, facts.start_by, facts.end_by, facts.created_by, facts.expired_by)
    )
    group = mentions.subject[first], mentions.relation[first], mentions.object[first]
    times = {name: Coded.of(worded[name]) for name in ("valid_at", "invalid_at", "reference_time")}
    ends = times["invalid_at"].where(facts.ended_by == STATED, end, times["valid_at"], end)
    short: dict[str, Any] = {
        "valid_at": times["valid_at"].take(start),
        "invalid_at": ends,
        "created_at": times["reference_time"].take(created),
        "expired_at": times["reference_time"].take(expired),
        "ended_by": Coded(pa.array(ENDED_BY), _ended_by(worded, facts, end)),
        "kind": Coded(pa.array(KINDS), facts.kind),
        "conflict": pa.array(facts.conflict),
    }
    keys, titles = Coded.of(things.keys), Coded.of(things.titles)
    short["relation"] = Coded(pa.array(names, pa.string()), group[1])
    short["fact_group_id"] = _ids("fact group", keys.take(group[0]), short["relation"], keys.take(group[2]))
    conflict = Coded(pa.array(["False", "True"]), facts.conflict.astype(np.int32))
    short["id"] = _ids("fact", *(conflict if name == "conflict" else short[name] for name in IDENTITY))
    is_entity = np.asarray(pc.not_equal(titles.words(), ""))
    for name, side, number in (("subject", "one", mentions.subject), ("object", "other", mentions.object)):
        own, lead = number[first], number[leads]
        known, words = is_entity[own], Coded.of(worded[side])
        short[f"{name}_id"] = keys.take(np.where(known, own, -1))
        short[name] = titles.where(known, own, words, np.where(lead == own, leads, first))
    digits = np.frombuffer(short["id"].buffers()[2], ">u8").reshape(-1, 4)  # of ids, as numbers
    ranks = [*(short[name].ranks() for name in ORDER[:-1]), *digits.T]
    order = np.lexsort(ranks[::-1])
    lasting = ((facts.kind == STATE) & (start >= 0) & (expired < 0))[order]
    prior = _prior(lasting, [number[order] for number in group], mentions.start[start][order])
    short = {name: each.take(order) for name, each in short.items()}
    sentences = sentences_of(source_documents, worded, np.where(start >= 0, start, first)[order])
    return FactRows(numbered, apart, facts.take(order), short, start[order], end[order], prior, sentences)


def _words(column: Coded | pa.Array, rows: Ints) -> pa.Array:
    """Return some rows of what is short."""
    return column.words(rows) if isinstance(column, Coded) else column.take(pa.array(rows))


def _ids(what: str, *columns: Coded | pa.Array) -> pa.Array:
    """Return ids by what some columns say, (n_facts,)."""
    size = len(columns[0].codes)
    found = [pa.array([], pa.string())]
    for start in range(0, size, PART):
        rows = np.arange(start, min(start + PART, size))
        joined = pc.binary_join_element_wise(what, *(_words(each, rows) for each in columns), "\x1f")
        found.append(pa.array(map(tables.content_id, joined.to_pylist()), pa.string()))
    return pa.concat_arrays(found)


def _ended_by(worded: WordedMentions, facts: Facts, end: Ints) -> Ints:
    """Return what ended each fact: a denial that no text states is a model's word for a value that succeeds it."""
    denied = np.append(np.asarray(pc.equal(worded["polarity"], "negative")), False)[end]
    ended_by = np.where((facts.ended_by == NEGATED) & ~denied, SUCCEEDED, facts.ended_by)
    return np.where(facts.kind == STATE, ended_by, OPEN)


def _texts(worded: WordedMentions, column: str, rows: Ints) -> pa.ChunkedArray:
    """Return the values of a column in some rows, empty for the row -1."""
    return _or_empty(worded.mentions[column], np.where(rows < 0, -1, worded.rows[rows]))


def _or_empty(column: pa.Array | pa.ChunkedArray, rows: Ints) -> Any:
    """Return the texts in some rows, empty for the row -1."""
    return pc.fill_null(column.take(pa.array(rows, mask=rows < 0)), "")


def sentences_of(source_documents: pa.Table, worded: WordedMentions, rows: Ints) -> Coded:
    """Return the sentences of mentions, on one line each; a document is read once."""
    documents = groups.row_indices(worded["document_id"], source_documents["id"])[rows]
    starts, ends = (np.maximum(np.asarray(worded[name]), 0)[rows] for name in ("char_start", "char_end"))
    order = np.argsort(documents, kind="stable")

    def sentences(some: Ints) -> Iterator[str]:
        opened, text = -1, ""
        for document, start, end in zip(*(each[some].tolist() for each in (documents, starts, ends)), strict=True):
            if document != opened:
                opened, text = document, source_documents["text"][document].as_py()
            yield " ".join(text[start:end].split())

    parts = (order[start : start + PART] for start in range(0, len(order), PART))
    found = pa.chunked_array([pa.array(sentences(part), pa.string()) for part in parts], pa.string())
    return Coded(found.combine_chunks(), np.argsort(order).astype(np.int32))


def _prior(lasting: NDArray[np.bool_], group: list[Ints], starts: Ints) -> Ints:
    """Return the place of the spell before each of those that are told today, -1 where there is none."""
    rows = np.flatnonzero(lasting)
    rows = rows[np.lexsort((starts[rows], *(number[rows] for number in group)))]
    again = np.all([number[rows[1:]] == number[rows[:-1]] for number in group], axis=0)
    prior = np.full(len(lasting), -1)
    prior[rows[1:][again]] = rows[:-1][again]
    return prior


def _sources(worded: WordedMentions, mentions: FactMentions, apart: Distinct, facts: Facts) -> dict[str, Any]:
    """Return how many mentions and documents say each fact, while it is told, and where the first of them stand."""
    lengths = np.append(apart.first, len(apart.rows))[1:] - apart.first
    fact = np.repeat(np.repeat(np.arange(len(facts.kind)), facts.n_statements), lengths[facts.statements])
    rows = apart.rows[ranges(apart.first[facts.statements], lengths[facts.statements])]
    until = np.append(mentions.reported_at[apart.rows[apart.first]], FOREVER)[facts.expired_by]
    in_time = mentions.reported_at[rows] < until[fact]
    fact, rows = fact[in_time], rows[in_time]
    order = np.lexsort((rows, mentions.reported_at[rows], fact))
    fact, rows = fact[order], rows[order]
    n_mentions = np.bincount(fact, minlength=len(facts.kind))
    document = Coded.of(worded.take(rows)["document_id"]).codes[:-1]
    width = int(document.max(initial=0)) + 1
    n_documents = np.bincount(np.unique(fact * width + document) // width, minlength=len(facts.kind))
    rank = np.arange(len(fact)) - np.repeat(np.cumsum(n_mentions) - n_mentions, n_mentions)
    selected, names = worded.take(rows[rank < MAX_SOURCES]), ("text_unit_id", "document_id", "char_start", "char_end")
    offsets = np.append(0, np.cumsum(np.minimum(n_mentions, MAX_SOURCES))).astype(np.int32)
    spans = pa.StructArray.from_arrays([selected[name].combine_chunks() for name in names], names)
    sources = pa.ListArray.from_arrays(pa.array(offsets), spans).cast(tables.schema("facts").field("sources").type)
    return {"n_mentions": n_mentions, "n_documents": n_documents, "sources": sources}
