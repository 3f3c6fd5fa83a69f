"""Facts for an answer: what holds of the entities meant, on the day that is asked for or still, each with its time."""

import re
from typing import TYPE_CHECKING, Any

from graphrag_lite.evidence.records import Record, record_line
from graphrag_lite.retrieval.entity_names import key_of
from graphrag_lite.retrieval.question_kinds import PAST
from graphrag_lite.search.answer import Statement
from graphrag_lite.search.context_records import source_spans
from graphrag_lite.temporal import holding
from graphrag_lite.text.words import terms

if TYPE_CHECKING:
    import pyarrow as pa

    from graphrag_lite.retrieval.question import Question
    from graphrag_lite.search.methods import Query

MAX_FACTS = 40  # in a model's context
MAX_OPENING = 2  # that open an answer without a model


def fact_records(question: "Question", query: "Query", entity_ids: "pa.ChunkedArray") -> list[Record]:
    """Return what a model is shown: facts of the first entities first, of one those that still hold."""
    rows = _facts(question, query, entity_ids)[:MAX_FACTS]
    return [
        Record((f"[1] {record_line(holding.fact_line(row))}",), {1: source_spans(question.index, row)}) for row in rows
    ]


def opening_facts(question: "Question", query: "Query") -> list[Statement]:
    """Return the sentences that state what held on the day asked for, of entities and with words of the question."""
    index, features = question.index, question.features
    if query.valid_at is None:
        return []
    named = sorted(features.entities, key=lambda entity: (-features.entities[entity], entity)) or by_given_name(
        question
    )
    wanted = set(question.terms) - features.name_terms
    worth = []
    for rank, row in enumerate(_facts(question, query, index.column("entities", "id").take(named))):
        shared = len(wanted & set(terms(f"{row['relation']} {row['fact']}", question.language)))
        if shared:
            worth.append((-shared, rank, row))
    return [source_spans(index, row)[0] for _, _, row in sorted(worth, key=lambda each: each[:2])[:MAX_OPENING]]


def by_given_name(question: "Question") -> list[int]:
    """Return the persons that a question names by the first word of their name, where nobody else has it."""
    index, names = question.index, question.index.names
    spans = (names.span(key_of(word)) for word in re.findall(r"\b[^\W\d_]{3,}", question.text) if word[0].isupper())
    found = [set(names.entities[first:last]) for first, last in spans]
    return [min(each) for each in found if len(each) == 1 and index.cell("entities", "type", min(each)) == "person"]


def _facts(question: "Question", query: "Query", entity_ids: "pa.ChunkedArray") -> list[dict[str, Any]]:
    """Return the facts of entities that the question is about in time, of the first entities first.

    Those that have ended only where it asks for a day or the past, or `history` is wanted.
    """
    import pyarrow.compute as pc

    facts, meant = question.index.arrow("facts"), entity_ids.combine_chunks()
    ranks = {identity: i for i, identity in enumerate(meant.to_pylist())}
    touching = pc.or_(*(pc.is_in(facts[end], value_set=meant) for end in ("subject_id", "object_id")))
    rows = [row for row in facts.filter(touching).to_pylist() if holding.is_stated(row, query.as_of)]
    if query.valid_at:
        rows = [row for row in rows if holding.holds_on(row, query.valid_at)]
    elif not (query.history or question.features.stated or PAST & set(question.text.casefold().split())):
        rows = [row for row in rows if not holding.is_over(row)]
    return sorted(rows, key=lambda row: (_rank(row, ranks), holding.is_over(row), -row["n_mentions"]))


def _rank(row: dict[str, Any], ranks: dict[str, int]) -> int:
    return min(ranks.get(row[end], len(ranks)) for end in ("subject_id", "object_id"))
