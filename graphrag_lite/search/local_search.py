"""Local search: text units by BM25 and the graph, and what the index says of the entities that a question names."""

from typing import TYPE_CHECKING, Any

from graphrag_lite.search.answer import Answer, Statement, answered, compose, ranked
from graphrag_lite.search.question import read_question
from graphrag_lite.search.ranking import Policy, Question, rank
from graphrag_lite.search.sentence_choice import MAX_LENGTH, choose_sentences

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from graphrag_lite.search.asking import Asking
    from graphrag_lite.search.loaded import Loaded

MAX_ENTITIES = 2  # whose descriptions open an answer
MAX_DESCRIPTION = 3  # sentences of each: what a model says of an entity rests on up to 12
MAX_RELATIONSHIPS = 4  # of each of them, that close it
READ_UNITS = 12  # best text units that sentences are chosen from


def local_search(index: "Loaded", question: str, top_k: int, *, retrieve_only: bool = False) -> Answer:
    """Answer with the named entities' descriptions, the best sentences, and the entities' strongest relationships."""
    asked, scores = _read(index, question)
    ranking = ranked(scores, index.document_row, top_k)
    if retrieve_only:
        return answered(index, question, "local", ranking, answer="", citations=[])
    read = [unit for unit in ranking.units[:READ_UNITS] if scores[unit] > 0]
    about = sorted(asked.entities, key=lambda entity: (-asked.entities[entity], entity))[:MAX_ENTITIES]
    opening = [statement for entity in about for statement in _description(index, entity)]
    sentences = choose_sentences(index, index.question_terms(question), read, index.search.max_sentences, opening)
    closing = [statement for entity in about for statement in _relationships(index, entity)]
    return compose(index, question, "local", [*opening, *sentences, *closing], ranking)


async def ask_local(index: "Loaded", question: str, top_k: int, asking: "Asking") -> Answer:
    """Answer by a model from the entities meant, their relationships, claims and reports, and the best text units."""
    from graphrag_lite.prompts import LocalSearch
    from graphrag_lite.search.context import Shown, TokenEstimate, render
    from graphrag_lite.search.local_context import local_sections

    asked, scores = _read(index, question)
    ranking = ranked(scores, index.document_row, top_k)
    shown = Shown()
    sections = local_sections(index, asked, scores)
    records = render(sections, index.search.max_context_tokens, TokenEstimate.of(index), shown)
    prompt = LocalSearch(asking.response_type, records, question)
    written = await asking.write(prompt, shown.marks) if records else asking.nothing()
    return asking.answer(index, question, "local", ranking, shown, written)


def _read(index: "Loaded", question: str) -> tuple[Question, "npt.NDArray[np.float64]"]:
    """Return a question as the index reads it, and the score of every text unit."""
    asked = read_question(question, index.question_language(question), index.bm25, index.names)
    return asked, rank(asked, index.links, Policy())


def _description(index: "Loaded", entity: int) -> list[Statement]:
    row = index.arrow("entities").slice(entity, 1).to_pylist()[0]
    heading = row["title"] if row["type"] == "unknown" else f"{row['title']} ({row['type']})"
    return [_statement(index, span, heading) for span in row["sources"] if _is_short(span)][:MAX_DESCRIPTION]


def _relationships(index: "Loaded", entity: int) -> list[Statement]:
    """Return the sentences of an entity's heaviest relationships, no sentence twice."""
    import pyarrow.compute as pc

    table = index.arrow("relationships")
    identity = index.arrow("entities")["id"][entity]
    own = table.filter(pc.or_(pc.equal(table["source_id"], identity), pc.equal(table["target_id"], identity)))
    found: dict[tuple[str, int], Statement] = {}
    for row in own.slice(0, 4 * MAX_RELATIONSHIPS).to_pylist():
        for span in filter(_is_short, row["sources"]):
            heading = f"{row['source']} – {row['target']}"
            found.setdefault((span["document_id"], span["char_start"]), _statement(index, span, heading))
    return list(found.values())[:MAX_RELATIONSHIPS]


def _is_short(span: dict[str, Any]) -> bool:
    """Say whether a span can be read out: a name that its text unit does not hold stands for all of that."""
    return bool(span["char_end"] - span["char_start"] <= MAX_LENGTH)


def _statement(index: "Loaded", span: dict[str, Any], about: str) -> Statement:
    return Statement(index.unit_row[span["text_unit_id"]], span["char_start"], span["char_end"], about)
