"""The tools that look at time: facts with their periods, and what is dated of somebody or something."""

from functools import partial
from typing import Any

from graphrag_lite.agent.pages import Record, RecordPage, make_page
from graphrag_lite.agent.requests import SearchFacts, Timeline
from graphrag_lite.agent.session import Session
from graphrag_lite.evidence.citation_marks import escape_marks
from graphrag_lite.retrieval.bm25 import term_idf
from graphrag_lite.retrieval.entity_names import find_mentions
from graphrag_lite.retrieval.question import Question
from graphrag_lite.retrieval.snapshot_view import SnapshotView
from graphrag_lite.search import timeline as dated
from graphrag_lite.temporal import holding
from graphrag_lite.text.words import terms


def search_facts(session: Session, request: SearchFacts) -> RecordPage:
    index = session.index.limited(request.where)
    rows = facts_for(index, request.query)
    as_of = min(filter(None, (session.as_of, request.as_of)), default=None)
    rows = [row for row in rows if holding.is_stated(row, as_of)]
    if request.valid_at:
        rows = [row for row in rows if holding.holds_on(row, request.valid_at)]
    return make_page(rows, partial(_fact, index), request.page, request.size)


def facts_for(index: SnapshotView, query: str) -> list[dict[str, Any]]:
    """Return the facts about a name that a query says, and those that share terms with it.

    Those come first whose words weigh most in it; of equal ones what still holds, then what is told most often.
    """
    question = Question(index, query)
    ids = index.column("entities", "id")
    mentions = find_mentions(query, question.language, index.names)
    named = {ids[entity].as_py() for mention in mentions for entity in mention.entities}
    weight = term_idf(index.bm25, question.terms)
    found = []
    for row in index.arrow("facts").to_pylist():
        text = f"{row['subject']} {row['relation']} {row['object']} {row['fact']}"
        fit = sum(weight[term] for term in weight.keys() & set(terms(text, question.analyzed_in)))
        if fit or named & {row["subject_id"], row["object_id"]}:
            found.append((round(fit, 9), row))
    found.sort(key=lambda each: (-each[0], holding.is_over(each[1]), -each[1]["n_mentions"], each[1]["id"]))
    return [row for _, row in found]


def _fact(index: SnapshotView, row: dict[str, Any]) -> Record:
    first = row["sources"][0]
    document = index.document_row[index.unit_row[first["text_unit_id"]]]
    stated = {name: row[name] for name in ("id", "kind", "valid_at", "invalid_at", "conflict")}
    return {
        **stated,
        "fact": escape_marks(holding.fact_line(row)),
        "document": index.cell("documents", "source_id", document),
        "text_unit": first["text_unit_id"],
        "n_mentions": row["n_mentions"],
        "text": escape_marks(row["fact"]),
    }


def timeline(session: Session, request: Timeline) -> RecordPage:
    index = session.index.limited(request.where)
    entries = dated.timeline(index, request.query, request.first, request.last)
    return make_page(entries, _dated, request.page, request.size)


def _dated(entry: dated.TimelineEntry) -> Record:
    source = entry.source
    return {
        "id": entry.id,
        "when": entry.range,
        "kind": entry.kind,
        "polarity": entry.polarity,
        "document": source.document,
        "text_unit": source.text_unit_id,
        "char_start": source.char_start,
        "char_end": source.char_end,
        "text": escape_marks(source.text),
    }
