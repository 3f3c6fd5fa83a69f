"""Answers of what one has one of at a time: where somebody works now, and where before, by facts and their dates."""

import re
from typing import TYPE_CHECKING, Any

from graphrag_lite.evidence.citation_marks import escape_marks
from graphrag_lite.read.documents import ROLES
from graphrag_lite.retrieval.question_kinds import PAST
from graphrag_lite.search.answer import Answer, Ranking, Statement, answered, cite
from graphrag_lite.search.context_records import source_spans
from graphrag_lite.search.extractive.held_facts import by_given_name
from graphrag_lite.tables.groups import rows_of
from graphrag_lite.temporal import holding
from graphrag_lite.temporal.one_value import one_value_relations, relation_of_question
from graphrag_lite.temporal.relations import relation_key

if TYPE_CHECKING:
    from graphrag_lite.retrieval.question import Question
    from graphrag_lite.search.methods import Query
    from graphrag_lite.text.period import Period

BEFORE = PAST | {"previous", "old", "last"}
_ME = re.compile(r"\b(?:I|my)\b")


def value_answer(question: "Question", query: "Query", method: str) -> Answer | None:
    """Answer by the fact that holds, or the one before it where that is asked for; None where facts do not tell it.

    What was said to be so no more is told with its end: what came before it would be passed off as what holds.
    """
    relation = relation_of_question(question.text) if question.language in ("en", "") else ""
    if not relation:
        return None
    rows, words = _facts(question, query, relation), set(re.findall(r"\w+", question.text.casefold()))
    over = [row for row in rows[-1:] if row["ended_by"] == "negated"]
    if query.valid_at:
        chosen = [row for row in rows if holding.holds_on(row, query.valid_at)]
    elif question.periods:
        chosen = [row for row in rows if any(_holds_in(row, period) for period in question.periods)]
        first = min(question.periods).first.isoformat()
        chosen = chosen or [row for row in over if row["invalid_at"] <= first]
    elif BEFORE & words:
        text, value = question.text.casefold(), _ends(relation)[1]  # "before Acme" names the value of a fact
        now = len(rows) - (not (rows and holding.is_over(rows[-1])))
        last = next((n for n, row in enumerate(rows) if n and row[value].casefold() in text), now)
        chosen = rows[:last][-1:]
    else:
        chosen = over or [row for row in rows[-1:] if not holding.is_over(row)]
    return _shown(question, method, chosen[0]) if len(chosen) == 1 else None


def _facts(question: "Question", query: "Query", relation: str) -> list[dict[str, Any]]:
    """Return the dated facts of a relation of whom the question names, as documents told them, by time.

    None where it names several of whom there are some.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    index, one, _ = question.index, *_ends(relation)
    ids = index.column("entities", "id")
    named = {ids[entity].as_py() for entity in (*question.features.entities, *by_given_name(question))}
    facts, key = index.arrow("facts"), relation_key(relation, english=True)
    alike = [name for name in pc.unique(facts["relation"]).to_pylist() if relation_key(name, english=True) == key]
    rows = facts.filter(pc.is_in(facts["relation"], value_set=pa.array(alike, pa.string()))).to_pylist()
    rows = [row for row in rows if row["kind"] == "state" and row["valid_at"]]
    asks_of_me = bool(_ME.search(question.text))
    meant = {row[one] for row in rows if asks_of_me and ROLES.get(row[one].casefold()) == "user"}
    rows = [
        row for row in rows if holding.is_stated(row, query.as_of) and (row[f"{one}_id"] in named or row[one] in meant)
    ]
    whose = {row[one] for row in rows}
    return sorted(rows, key=lambda row: (row["valid_at"], row["id"])) if len(whose) == 1 else []


def _holds_in(row: dict[str, Any], period: "Period") -> bool:
    return bool(row["valid_at"] <= period.last.isoformat()) and (
        not row["invalid_at"] or bool(row["invalid_at"] > period.first.isoformat())
    )


def _ends(relation: str) -> tuple[str, str]:
    """Return which end of a fact has one of the other."""
    return ("object", "subject") if one_value_relations()[relation].policy == "inverse" else ("subject", "object")


def _shown(question: "Question", method: str, row: dict[str, Any]) -> Answer:
    """Return the fact with its time, the first sentence that says so, and the one that says that it is so no more."""
    index = question.index
    statements = [source_spans(index, row)[0]]
    if row["ended_by"] == "negated":
        ends = rows_of(index.arrow("fact_mentions"), "id", [row["invalidated_by"]]).to_pylist()
        statements += [Statement(index.unit_row[e["text_unit_id"]], e["char_start"], e["char_end"]) for e in ends]
    units = list(dict.fromkeys(statement.unit for statement in statements))
    ranking = Ranking(units, list(dict.fromkeys(index.document_row[unit] for unit in units)))
    cited = [cite(index, n, statement) for n, statement in enumerate(statements, start=1)]
    told = " ".join(f"{escape_marks(one.text)} [{one.n}]" for one in cited)
    return answered(
        question, method, ranking, answer=f"{escape_marks(holding.fact_line(row))}: {told}", citations=cited
    )
