"""Basic search: text units by BM25 alone."""

from typing import TYPE_CHECKING, Any

import numpy as np

from graphrag_lite.retrieval.abstention import says_nothing
from graphrag_lite.search.answer import Answer, answered, compose, ranked
from graphrag_lite.search.extractive.answer_type import expected_answer
from graphrag_lite.search.extractive.reading_order import in_reading_order
from graphrag_lite.search.extractive.sentence_abstention import is_unanswerable
from graphrag_lite.search.extractive.sentence_choice import choose_sentences
from graphrag_lite.search.overview import overview

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphrag_lite.retrieval.snapshot_view import SnapshotView
    from graphrag_lite.search.context_records import RecordSection
    from graphrag_lite.search.methods import Query
    from graphrag_lite.search.model_query import Asking

MAX_UNITS = 60  # that a model's context chooses from


def answer(index: "SnapshotView", query: "Query") -> Answer:
    """Answer with the sentences of the best text units that hold the question's words."""
    question = query.read_by(index)
    scores = index.bm25.scores(question.terms)
    ranking = ranked(scores, index.document_row, query.top_k)
    if query.retrieve_only:
        return answered(question, "basic", ranking, answer="", citations=[])
    if question.aspects is not None:
        return overview(question, "basic", ranking)
    nothing = says_nothing(question, question.weights, attributes=False)
    if nothing or (nothing is False and is_unanswerable(question, scores)):
        return compose(question, "basic", [], ranking)
    read = [unit for unit in ranking.units if scores[unit] > 0]
    worth = scores[read].tolist()
    chosen = choose_sentences(
        index, question.terms, read, index.search_settings.max_sentences, scores=worth, sought=expected_answer(question)
    )
    return compose(question, "basic", in_reading_order(index, chosen), ranking, unsure=nothing is None)


async def ask(index: "SnapshotView", query: "Query", asking: "Asking") -> Answer:
    """Answer by a model from the best text units."""
    from graphrag_lite.evidence.records import Shown
    from graphrag_lite.prompts import BasicSearchPrompt
    from graphrag_lite.search.context_records import TokenEstimate, render

    question = query.read_by(index)
    scores = index.bm25.scores(question.terms)
    ranking = ranked(scores, index.document_row, query.top_k)
    shown = Shown()
    records = render(
        passage_section(index, scores), index.search_settings.max_context_tokens, TokenEstimate.of(index), shown
    )
    prompt = BasicSearchPrompt(asking.response_type, records, question.text)
    written = await asking.write(prompt, shown.marks) if records else asking.nothing()
    return asking.answer(question, "basic", ranking, shown, written)


def passage_section(index: "SnapshotView", scores: "NDArray[np.floating[Any]]") -> list["RecordSection"]:
    """Return the one section of a context of text units alone, best first."""
    from graphrag_lite.retrieval.top_k import best_rows
    from graphrag_lite.search.context_records import RecordSection, text_unit_records

    units = [unit for unit in best_rows(scores, MAX_UNITS).tolist() if scores[unit] > 0]
    return [RecordSection("Passages of the documents", 1.0, text_unit_records(index, units))]
