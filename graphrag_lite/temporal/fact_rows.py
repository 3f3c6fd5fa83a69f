"""Facts in words: the rows of the table `facts` from what was folded as numbers of mentions.

All are put in order first, by what is short; the rest is made some rows at a time, so that a million facts in words are
never there at once.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphrag_lite import tables
from graphrag_lite.tables import groups
from graphrag_lite.temporal.fold import FOREVER, Distinct, Facts, Ints, Mentions, ranges
from graphrag_lite.temporal.numbered import Numbered, Told
from graphrag_lite.temporal.spells import ENDED_BY, KINDS, NEGATED, OPEN, STATE, STATED, SUCCEEDED

if TYPE_CHECKING:
    import pyarrow as pa

Words = NDArray[np.object_]

ORDER = ("subject", "relation", "valid_at", "object", "kind", "created_at", "id")
MAX_SOURCES = 10  # of a fact
PART = 32_768  # facts that are put in words at once


class Coded(NamedTuple):
    """Texts as numbers of the different ones, in their order: few of many are different. The row -1 is empty."""

    texts: Words
    codes: Ints

    @classmethod
    def of(cls, column: "pa.ChunkedArray | list[str]") -> "Coded":
        import pyarrow as pa

        values = pa.array(column, pa.string()) if isinstance(column, list) else column.combine_chunks()
        encoded = values.dictionary_encode()
        texts, places = np.unique(np.array(["", *encoded.dictionary.to_pylist()], dtype=object), return_inverse=True)
        return cls(texts, np.append(places[1:][np.asarray(encoded.indices)], 0).astype(np.int64))

    def take(self, rows: Ints) -> "Coded":
        return Coded(self.texts, self.codes[rows])

    def words(self, rows: Any = slice(None)) -> Words:
        words: Words = self.texts[self.codes[rows]]
        return words


class FactRows(NamedTuple):
    """Facts in their order: what was folded, what is short of each, and the numbers of what the rest is made of."""

    said: Numbered
    apart: Distinct
    facts: Facts
    short: dict[str, Any]  # of the columns of the table `facts`: (n_facts,) each
    start: Ints  # row of the mention that tells it; -1: none
    end: Ints
    prior: Ints  # place of the spell before; -1: none
    sentences: "pa.Array"

    def words(self, rows: Any) -> dict[str, Any]:
        """Return what is short of some facts in words, by column."""
        found = {name: each.words(rows) if isinstance(each, Coded) else each[rows] for name, each in self.short.items()}
        return found | {name: found[name].astype(str).astype(object) for name in ("id", "fact_group_id")}

    def parts(self) -> "Iterator[pa.Table]":
        """Yield the table `facts`, some rows at a time."""
        told, mentions = self.said.told, self.said.mentions
        unit = np.append(mentions.unit, -1)
        for start in range(0, len(self.start), PART):
            rows = np.arange(start, min(start + PART, len(self.start)))
            begun, over = self.start[rows], self.end[rows]
            vaguer = np.where((begun >= 0) & (unit[begun] >= unit[over]), begun, over)
            facts, prior = self.facts.take(rows), self.prior[rows]
            yield tables.make_columns(
                "facts",
                **self.words(rows),
                fact=self.sentences[start : start + PART],
                precision=_texts(told, "precision", vaguer),
                invalidated_by=_texts(told, "id", np.where(facts.kind == STATE, over, -1)),
                prior_id=np.where(prior >= 0, self.short["id"][prior].astype(str), "").astype(object),
                **_sources(told, mentions, self.apart, facts),
            )


def fact_rows(source_documents: "pa.Table", said: Numbered, apart: Distinct, facts: Facts) -> FactRows:
    """Put facts in order. A thing that is no entity is named as where it is first said of the group, or of the fact."""
    told, mentions, things, names = said
    row_of = np.append(apart.rows[apart.first], -1)
    first = facts.statements[np.append(0, np.cumsum(facts.n_statements))[:-1]]
    leads = row_of[apart.groups[np.searchsorted(apart.groups, first, "right") - 1]]
    first, start, end, created, expired = (
        row_of[places] for places in (first, facts.start_by, facts.end_by, facts.created_by, facts.expired_by)
    )
    group = mentions.subject[first], mentions.relation[first], mentions.object[first]
    times = {name: Coded.of(told[name]) for name in ("valid_at", "invalid_at", "reference_time")}
    ends = Coded(
        np.append(times["invalid_at"].texts, times["valid_at"].texts),
        np.where(
            facts.ended_by == STATED,
            times["invalid_at"].codes[end],
            times["valid_at"].codes[end] + len(times["invalid_at"].texts),
        ),
    )
    short: dict[str, Any] = {
        "valid_at": times["valid_at"].take(start),
        "invalid_at": ends,
        "created_at": times["reference_time"].take(created),
        "expired_at": times["reference_time"].take(expired),
        "ended_by": Coded(np.array(ENDED_BY, dtype=object), _ended_by(told, facts, end)),
        "kind": Coded(np.array(KINDS, dtype=object), facts.kind),
        "conflict": facts.conflict,
    }
    keys = np.array(things.keys, dtype=object)
    relation = Coded(np.array(names, dtype=object), group[1])
    short["fact_group_id"] = _ids("fact group", [Coded(keys, group[0]), relation, Coded(keys, group[2])])
    short["id"] = _ids("fact", list(short.values()))
    titles, short["relation"] = Coded.of(things.titles), relation
    for name, side, number in (("subject", "one", mentions.subject), ("object", "other", mentions.object)):
        short[f"{name}_id"], short[name] = _named(told[side], titles, keys, number, leads, first)
    ranks = [*(_ranks(short[name]) for name in ORDER[:-1]), *short["id"].view(">u8").reshape(-1, 4).T]
    order = np.lexsort(ranks[::-1])
    lasting = ((facts.kind == STATE) & (start >= 0) & (expired < 0))[order]
    prior = _prior(lasting, [number[order] for number in group], mentions.start[start][order])
    short = {name: each.take(order) if isinstance(each, Coded) else each[order] for name, each in short.items()}
    sentences = sentences_of(source_documents, told, np.where(start >= 0, start, first)[order])
    return FactRows(said, apart, facts.take(order), short, start[order], end[order], prior, sentences)


def _ids(what: str, columns: "list[Coded | NDArray[Any]]") -> "NDArray[np.bytes_]":
    """Return ids by the texts of some columns, (n_facts,)."""
    found = np.empty(len(columns[0].codes if isinstance(columns[0], Coded) else columns[0]), dtype="S32")
    for start in range(0, len(found), PART):
        part = slice(start, start + PART)
        texts = (each.words(part) if isinstance(each, Coded) else each[part].astype(str) for each in columns)
        rows = zip(*(each.tolist() for each in texts), strict=True)
        found[part] = [tables.content_id(what, *row) for row in rows]
    return found


def _named(told: "pa.ChunkedArray", titles: Coded, keys: Words, number: Ints, leads: Ints, first: Ints) -> list[Coded]:
    """Return ids and names of one end of each fact: an entity's title, else the words of one of two mentions."""
    words, title = Coded.of(told), titles.codes[number[first]]
    said = words.codes[np.where(number[leads] == number[first], leads, first)]
    names = Coded(np.append(titles.texts, words.texts), np.where(title > 0, title, len(titles.texts) + said))
    return [Coded(np.append(keys, ""), np.where(title > 0, number[first], len(keys))), names]


def _ranks(column: Coded) -> Ints:
    ranks: Ints = np.unique(column.texts, return_inverse=True)[1][column.codes]
    return ranks


def _ended_by(told: Told, facts: Facts, end: Ints) -> Ints:
    """Return what ended each fact: a denial that no text states is a model's word for a value that succeeds it."""
    polarity = Coded.of(told["polarity"])
    denied = (polarity.texts == "negative")[polarity.codes[end]]
    ended_by = np.where((facts.ended_by == NEGATED) & ~denied, SUCCEEDED, facts.ended_by)
    return np.where(facts.kind == STATE, ended_by, OPEN)


def _texts(told: Told, column: str, rows: Ints) -> "pa.ChunkedArray":
    """Return the values of a column in some rows, empty for the row -1."""
    import pyarrow as pa
    import pyarrow.compute as pc

    return pc.fill_null(told.mentions[column].take(pa.array(told.rows[rows], mask=rows < 0)), "")


def sentences_of(source_documents: "pa.Table", told: Told, rows: Ints) -> "pa.Array":
    """Return the sentences of mentions, on one line each; a document is read once."""
    import pyarrow as pa

    documents = groups.row_indices(told["document_id"], source_documents["id"])[rows]
    starts, ends = (np.maximum(np.asarray(told[name]), 0)[rows] for name in ("char_start", "char_end"))
    order = np.argsort(documents, kind="stable")

    def sentences(some: Ints) -> Iterator[str]:
        opened, text = -1, ""
        for document, start, end in zip(*(each[some].tolist() for each in (documents, starts, ends)), strict=True):
            if document != opened:
                opened, text = document, source_documents["text"][document].as_py()
            yield " ".join(text[start:end].split())

    parts = (order[start : start + PART] for start in range(0, len(order), PART))
    found = pa.chunked_array([pa.array(sentences(part), pa.string()) for part in parts], pa.string())
    return found.combine_chunks().take(np.argsort(order))


def _prior(lasting: "NDArray[np.bool_]", group: list[Ints], starts: Ints) -> Ints:
    """Return the place of the spell before each of those that are told today, -1 where there is none."""
    rows = np.flatnonzero(lasting)
    rows = rows[np.lexsort((starts[rows], *(number[rows] for number in group)))]
    again = np.all([number[rows[1:]] == number[rows[:-1]] for number in group], axis=0)
    prior = np.full(len(lasting), -1)
    prior[rows[1:][again]] = rows[:-1][again]
    return prior


def _sources(told: Told, mentions: Mentions, apart: Distinct, facts: Facts) -> dict[str, Any]:
    """Return how many mentions and documents say each fact, while it is told, and where the first of them stand."""
    import pyarrow as pa

    lengths = np.append(apart.first, len(apart.rows))[1:] - apart.first
    fact = np.repeat(np.repeat(np.arange(len(facts.kind)), facts.n_statements), lengths[facts.statements])
    rows = apart.rows[ranges(apart.first[facts.statements], lengths[facts.statements])]
    until = np.append(mentions.said[apart.rows[apart.first]], FOREVER)[facts.expired_by]
    kept = mentions.said[rows] < until[fact]
    fact, rows = fact[kept], rows[kept]
    order = np.lexsort((rows, mentions.said[rows], fact))
    fact, rows = fact[order], rows[order]
    n_mentions = np.bincount(fact, minlength=len(facts.kind))
    document = Coded.of(told.take(rows)["document_id"]).codes[:-1]
    width = int(document.max(initial=0)) + 1
    n_documents = np.bincount(np.unique(fact * width + document) // width, minlength=len(facts.kind))
    rank = np.arange(len(fact)) - np.repeat(np.cumsum(n_mentions) - n_mentions, n_mentions)
    said, names = told.take(rows[rank < MAX_SOURCES]), ("text_unit_id", "document_id", "char_start", "char_end")
    offsets = np.append(0, np.cumsum(np.minimum(n_mentions, MAX_SOURCES))).astype(np.int32)
    spans = pa.StructArray.from_arrays([said[name].combine_chunks() for name in names], names)
    sources = pa.ListArray.from_arrays(pa.array(offsets), spans).cast(tables.schema("facts").field("sources").type)
    return {"n_mentions": n_mentions, "n_documents": n_documents, "sources": sources}
