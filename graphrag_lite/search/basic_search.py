"""Basic search: text units by BM25 alone."""

from typing import TYPE_CHECKING

from graphrag_lite.search.answer import Answer, answered, compose, ranked
from graphrag_lite.search.sentence_choice import choose_sentences

if TYPE_CHECKING:
    from graphrag_lite.search.asking import Asking
    from graphrag_lite.search.loaded import Loaded

MAX_UNITS = 60  # that a model's context chooses from


def basic_search(index: "Loaded", question: str, top_k: int, *, retrieve_only: bool = False) -> Answer:
    """Answer with the sentences of the best text units that hold the question's words."""
    terms = index.question_terms(question)
    scores = index.bm25.scores(terms)
    ranking = ranked(scores, index.document_row, top_k)
    if retrieve_only:
        return answered(index, question, "basic", ranking, answer="", citations=[])
    read = [unit for unit in ranking.units if scores[unit] > 0]
    statements = choose_sentences(index, terms, read, index.search.max_sentences)
    return compose(index, question, "basic", statements, ranking)


async def ask_basic(index: "Loaded", question: str, top_k: int, asking: "Asking") -> Answer:
    """Answer by a model from the best text units."""
    from graphrag_lite.prompts import BasicSearch
    from graphrag_lite.search.best import best
    from graphrag_lite.search.context import Section, Shown, TokenEstimate, render, texts

    scores = index.bm25.scores(index.question_terms(question))
    ranking = ranked(scores, index.document_row, top_k)
    units = [unit for unit in best(scores, MAX_UNITS).tolist() if scores[unit] > 0]
    shown = Shown()
    sections = [Section("Passages of the documents", 1.0, texts(index, units))]
    records = render(sections, index.search.max_context_tokens, TokenEstimate.of(index), shown)
    prompt = BasicSearch(asking.response_type, records, question)
    written = await asking.write(prompt, shown.marks) if records else asking.nothing()
    return asking.answer(index, question, "basic", ranking, shown, written)
