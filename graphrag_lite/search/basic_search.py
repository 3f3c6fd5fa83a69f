"""Basic search: text units by BM25 alone."""

from typing import TYPE_CHECKING, Any

from graphrag_lite.search.answer import Answer
from graphrag_lite.search.local_search import answer_by, ask_by

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from graphrag_lite.retrieval.snapshot_view import SnapshotView
    from graphrag_lite.search.context_records import Section
    from graphrag_lite.search.methods import Query
    from graphrag_lite.search.model_query import Asking

MAX_UNITS = 60  # that a model's context chooses from


def answer(index: "SnapshotView", query: "Query") -> Answer:
    """Answer from the best text units that hold the question's words."""
    question = query.read_by(index)
    return answer_by(question, query, index.bm25.scores(question.terms).astype(float), "basic")


async def ask(index: "SnapshotView", query: "Query", asking: "Asking") -> Answer:
    """Answer by a model from the best text units."""
    from graphrag_lite.prompts import BasicSearch

    question = query.read_by(index)
    scores = index.bm25.scores(question.terms)
    return await ask_by(question, query, scores, "basic", asking, passage_section(index, scores), BasicSearch)


def passage_section(index: "SnapshotView", scores: "NDArray[np.floating[Any]]") -> list["Section"]:
    """Return the one section of a context of text units alone, best first."""
    from graphrag_lite.retrieval.top_k import best_rows
    from graphrag_lite.search.context_records import Section, text_unit_records

    units = [unit for unit in best_rows(scores, MAX_UNITS).tolist() if scores[unit] > 0]
    return [Section("Passages of the documents", 1.0, text_unit_records(index, units))]
