"""Facts in words: the rows of the table `facts` from what was folded as numbers of mentions."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from graphrag_lite import tables
from graphrag_lite.temporal.fold import FOREVER, Distinct, Facts, Ints, Mentions
from graphrag_lite.temporal.numbered import Numbered, Things, map_distinct
from graphrag_lite.temporal.spells import ENDED_BY, KINDS, NEGATED, OPEN, STATE, STATED, SUCCEEDED

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

ORDER = ("subject", "relation", "valid_at", "object", "kind", "created_at", "id")
MAX_SOURCES = 10  # of a fact


class _Rows(NamedTuple):
    """Rows of mentions, (n_facts,) each; -1: none."""

    first: Ints
    start: Ints
    end: Ints
    created: Ints
    expired: Ints


def fact_table(source_documents: "pa.Table", said: Numbered, apart: Distinct, facts: Facts) -> "pa.Table":
    """Put facts in words. A thing that is no entity is named as where it is first said of the group, or of the fact."""
    told, mentions, things, names = said
    row_of = np.append(apart.rows[apart.first], -1)
    first = facts.statements[np.append(0, np.cumsum(facts.n_statements))[:-1]]
    rows = _Rows(
        *(row_of[places] for places in (first, facts.start_by, facts.end_by, facts.created_by, facts.expired_by))
    )
    leads = row_of[apart.groups[np.searchsorted(apart.groups, first, "right") - 1]]
    stated = facts.ended_by == STATED
    subject, object_ = mentions.subject[rows.first], mentions.object[rows.first]
    relation = [names[place] for place in mentions.relation[rows.first].tolist()]
    unit = np.append(mentions.unit, -1)
    vaguer = np.where((rows.start >= 0) & (unit[rows.start] >= unit[rows.end]), rows.start, rows.end)
    of_itself = _texts(told, "invalid_at", np.where(stated, rows.end, -1))
    by_next = _texts(told, "valid_at", np.where(stated, -1, rows.end))
    columns: dict[str, Any] = {
        "valid_at": _texts(told, "valid_at", rows.start),
        "invalid_at": [end or begins for end, begins in zip(of_itself, by_next, strict=True)],
        "created_at": _texts(told, "reference_time", rows.created),
        "expired_at": _texts(told, "reference_time", rows.expired),
        "ended_by": _ended_by(told, facts, rows),
        "kind": [KINDS[number] for number in facts.kind.tolist()],
        "conflict": facts.conflict.tolist(),
        "fact_group_id": [
            tables.content_id("fact group", things.keys[one], name, things.keys[other])
            for one, name, other in zip(subject.tolist(), relation, object_.tolist(), strict=True)
        ],
    }
    group = subject, mentions.relation[rows.first], object_
    lasting = (facts.kind == STATE) & (rows.start >= 0) & np.array([not at for at in columns["expired_at"]], dtype=bool)
    columns["id"] = [tables.content_id("fact", *map(str, row)) for row in zip(*columns.values(), strict=True)]
    data = tables.make_columns(
        "facts",
        **columns,
        **_named("subject", told["one"], things, mentions.subject, leads, rows.first),
        relation=relation,
        **_named("object", told["other"], things, mentions.object, leads, rows.first),
        fact=sentences_of(source_documents, told, np.where(rows.start >= 0, rows.start, rows.first)),
        precision=_texts(told, "precision", vaguer),
        invalidated_by=_texts(told, "id", np.where(facts.kind == STATE, rows.end, -1)),
        prior_id=_prior(columns["id"], lasting, group, mentions.start[rows.start]),
        **_sources(told, mentions, apart, facts),
    )
    return data.sort_by([(name, "ascending") for name in ORDER])


def _named(
    column: str, said: "pa.ChunkedArray", things: Things, number: Ints, leads: Ints, rows: Ints
) -> dict[str, list[str]]:
    """Return ids and names of one end of each fact: an entity's title, else the words of one of two mentions."""
    words = said.take(np.where(number[leads] == number[rows], leads, rows)).to_pylist()
    titles = [things.titles[place] for place in number[rows].tolist()]
    ids = [things.keys[place] if title else "" for place, title in zip(number[rows].tolist(), titles, strict=True)]
    return {f"{column}_id": ids, column: [title or word for title, word in zip(titles, words, strict=True)]}


def _ended_by(told: "pa.Table", facts: Facts, rows: _Rows) -> list[str]:
    """Return what ended each fact: a denial that no text states is a model's word for a value that succeeds it."""
    denied = np.append(map_distinct(told["polarity"], lambda polarity: polarity == "negative") > 0, False)[rows.end]
    ended_by = np.where((facts.ended_by == NEGATED) & ~denied, SUCCEEDED, facts.ended_by)
    return [ENDED_BY[number] for number in np.where(facts.kind == STATE, ended_by, OPEN).tolist()]


def _texts(told: "pa.Table", column: str, rows: Ints) -> list[str]:
    """Return the values of a column in some rows, empty for the row -1."""
    import pyarrow as pa
    import pyarrow.compute as pc

    values = told[column].take(pa.array(rows, mask=rows < 0))
    found: list[str] = pc.fill_null(values, "").to_pylist()
    return found


def sentences_of(source_documents: "pa.Table", told: "pa.Table", rows: Ints) -> list[str]:
    """Return the sentences of mentions, on one line each; a document is read once."""
    place = {identity: row for row, identity in enumerate(source_documents["id"].to_pylist())}
    documents = map_distinct(told["document_id"], place.__getitem__)[rows]
    starts, ends = (np.asarray(told[name])[rows] for name in ("char_start", "char_end"))
    found = [""] * len(rows)
    opened, text = -1, ""
    for row in np.argsort(documents, kind="stable").tolist():
        if documents[row] != opened:
            opened = int(documents[row])
            text = source_documents["text"][opened].as_py()
        found[row] = " ".join(text[max(starts[row], 0) : max(ends[row], 0)].split())
    return found


def _prior(ids: Sequence[str], lasting: "NDArray[np.bool_]", group: Sequence[Ints], starts: Ints) -> list[str]:
    """Return the id of the spell before each of those that are told today, empty where there is none."""
    rows = np.flatnonzero(lasting)
    rows = rows[np.lexsort((starts[rows], *(number[rows] for number in group)))]
    again = np.all([number[rows[1:]] == number[rows[:-1]] for number in group], axis=0)
    prior = [""] * len(ids)
    for before, row in zip(rows[:-1][again].tolist(), rows[1:][again].tolist(), strict=True):
        prior[row] = ids[before]
    return prior


def _sources(told: "pa.Table", mentions: Mentions, apart: Distinct, facts: Facts) -> dict[str, Any]:
    """Return how many mentions and documents say each fact, while it is told, and where the first of them stand."""
    import pyarrow as pa

    lengths = np.append(apart.first, len(apart.rows))[1:] - apart.first
    fact = np.repeat(np.repeat(np.arange(len(facts.kind)), facts.n_statements), lengths[facts.statements])
    starts, sizes = apart.first[facts.statements], lengths[facts.statements]
    within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    rows = apart.rows[np.repeat(starts, sizes) + within]
    until = np.append(mentions.said[apart.rows[apart.first]], FOREVER)[facts.expired_by]
    kept = mentions.said[rows] < until[fact]
    fact, rows = fact[kept], rows[kept]
    order = np.lexsort((rows, mentions.said[rows], fact))
    fact, rows = fact[order], rows[order]
    n_mentions = np.bincount(fact, minlength=len(facts.kind))
    document = np.asarray(told["document_id"].combine_chunks().dictionary_encode().indices, dtype=np.int64)[rows]
    width = int(document.max(initial=0)) + 1
    n_documents = np.bincount(np.unique(fact * width + document) // width, minlength=len(facts.kind))
    rank = np.arange(len(fact)) - np.repeat(np.cumsum(n_mentions) - n_mentions, n_mentions)
    shown = told.select(["text_unit_id", "document_id", "char_start", "char_end"]).take(rows[rank < MAX_SOURCES])
    offsets = np.append(0, np.cumsum(np.minimum(n_mentions, MAX_SOURCES))).astype(np.int32)
    spans = pa.StructArray.from_arrays([column.combine_chunks() for column in shown.columns], shown.column_names)
    sources = pa.ListArray.from_arrays(pa.array(offsets), spans).cast(tables.schema("facts").field("sources").type)
    return {"n_mentions": n_mentions, "n_documents": n_documents, "sources": sources}
