"""Basic search: text units by BM25 alone."""

from typing import TYPE_CHECKING

from graphrag_lite.search.answer import Answer, compose, ranked
from graphrag_lite.search.sentence_choice import choose_sentences

if TYPE_CHECKING:
    from graphrag_lite.search.loaded import Loaded


def basic_search(index: "Loaded", question: str, top_k: int, *, retrieve_only: bool = False) -> Answer:
    """Answer with the sentences of the best text units that hold the question's words."""
    terms = index.question_terms(question)
    scores = index.bm25.scores(terms)
    ranking = ranked(scores, index.document_row, top_k)
    read = [] if retrieve_only else [unit for unit in ranking.units if scores[unit] > 0]
    statements = choose_sentences(index, terms, read, index.search.max_sentences)
    return compose(index, question, "basic", statements, ranking)
