"""Local search: text units by BM25 and the graph, and what the index says of the entities that a question names."""

from typing import TYPE_CHECKING

import numpy as np

from graphrag_lite.retrieval.abstention import says_nothing
from graphrag_lite.retrieval.ranking import text_unit_scores
from graphrag_lite.retrieval.top_k import best_rows
from graphrag_lite.search.answer import Answer, Ranking, answered, compose, ranked
from graphrag_lite.search.extractive.answer_type import expected_answer
from graphrag_lite.search.extractive.bylines import byline_answer
from graphrag_lite.search.extractive.code_names import missing_name_answer
from graphrag_lite.search.extractive.comparison import of_each
from graphrag_lite.search.extractive.date_answers import COMPUTED, OPEN, date_answer
from graphrag_lite.search.extractive.definitions import defining_units
from graphrag_lite.search.extractive.developments import development
from graphrag_lite.search.extractive.entity_statements import entity_answer
from graphrag_lite.search.extractive.held_facts import opening_facts
from graphrag_lite.search.extractive.message_answers import dated, message_answer
from graphrag_lite.search.extractive.procedures import procedure_steps
from graphrag_lite.search.extractive.quoted_sources import under_titles
from graphrag_lite.search.extractive.reading_order import in_reading_order
from graphrag_lite.search.extractive.releases import release_answer
from graphrag_lite.search.extractive.sentence_abstention import is_unanswerable
from graphrag_lite.search.extractive.sentence_choice import choose_sentences
from graphrag_lite.search.extractive.table_answers import table_answer
from graphrag_lite.search.extractive.value_answers import value_answer
from graphrag_lite.search.overview import overview

if TYPE_CHECKING:
    import numpy.typing as npt

    from graphrag_lite.retrieval.question import Question
    from graphrag_lite.retrieval.snapshot_view import SnapshotView
    from graphrag_lite.search.methods import Query
    from graphrag_lite.search.model_query import Asking

# Best text units that sentences are chosen from; more for another language, and an amount, of which many tell parts.
READ_UNITS, MORE_UNITS = 12, 24


def answer(index: "SnapshotView", query: "Query") -> Answer:
    """Answer with the sentences that fit the question best; of entities alone, the graph speaks first.

    With `as_of`, nothing is said by documents that are dated after that day; with `valid_at`, facts that held then
    go first.
    """
    question = query.read_by(index)
    return answer_by(question, query, text_unit_scores(question), "local")


def answer_by(question: "Question", query: "Query", scores: "npt.NDArray[np.float64]", method: str) -> Answer:
    """Answer from text units by their scores, shape (n_units,)."""
    index = question.index
    ranking = ranked(scores, index.document_row, query.top_k)
    if query.retrieve_only:
        return answered(question, method, ranking, answer="", citations=[])
    if direct := byline_answer(question, method, ranking) or message_answer(question, method, scores, ranking):
        return direct
    if direct := table_answer(question, method, ranking):
        return direct
    if question.aspects is not None:
        return overview(question, method, ranking)
    if direct := date_answer(question, method) or value_answer(question, query, method):
        return direct
    if direct := release_answer(question, method, ranking) or missing_name_answer(question, method, ranking):
        return direct
    if developed := development(question):
        return compose(question, method, developed, ranking)
    nothing = says_nothing(question, question.weights, attributes=False)
    if nothing or (nothing is False and is_unanswerable(question, scores)):
        return compose(question, method, [], ranking if question.terms else Ranking([], []))
    expected = expected_answer(question, question.features)
    defining = defining_units(question, expected.role or expected.things, scores, expected.is_defined)
    if compared := of_each(question, scores, expected):
        return compose(question, method, compared[0], ranking, unsure=nothing is None, lead=compared[1])
    foreign = question.language not in ("", *index.languages)  # its words say less of where the answer is
    wide = foreign or bool(expected.amount)
    most_read = MORE_UNITS if wide else READ_UNITS
    near = best_rows(scores, most_read).tolist() if wide else ranking.units[:READ_UNITS]
    if question.means_newest:  # other documents tell of other days
        newest = np.nanmax(index.days[near], initial=-np.inf)
        near = best_rows(np.where(index.days == newest, scores, 0.0), most_read).tolist() if newest > -np.inf else near
    read = [unit for unit in near if scores[unit] > 0]
    most = index.search_settings.max_sentences
    steps = procedure_steps(question, read, most)
    opening = steps if defining or steps else entity_answer(question)
    opening = opening_facts(question, query) or opening
    thing = question.terms_of(expected.things[0]) if expected.things else []
    more = defining and not opening and not set(thing) >= set(question.terms)  # "Who is Ann, and whom does she know?"
    who = choose_sentences(index, thing, defining, 1, sought=expected) if more else []
    read += [unit for unit in defining if unit not in read]
    sentences = choose_sentences(
        index,
        question.terms,
        read,
        most - len(opening),
        opening,
        scores=(scores[read] + (scores[read].max(initial=0.0) if defining or foreign else 0.0)).tolist(),
        sought=expected,
        held={unit: index.held.statements(unit, question.periods) for unit in read} if question.periods else {},
    )
    ordered = dated(question, expected, in_reading_order(index, sentences))
    return compose(
        question,
        method,
        under_titles(question, expected, [*opening, *who, *(each for each in ordered if each not in who)][:most]),
        ranking,
        unsure=nothing is None,
        lead=OPEN if question.date_question and question.date_question.kind in COMPUTED else "",
    )


async def ask(index: "SnapshotView", query: "Query", asking: "Asking") -> Answer:
    """Answer by a model from the entities meant, their relationships, claims and reports, and the best text units."""
    from graphrag_lite.evidence.records import Shown
    from graphrag_lite.prompts import LocalSearchPrompt
    from graphrag_lite.search.context_records import TokenEstimate, render
    from graphrag_lite.search.local_context import local_sections

    question = query.read_by(index)
    scores = text_unit_scores(question)
    ranking = ranked(scores, index.document_row, query.top_k)
    shown = Shown()
    sections = local_sections(question, query, scores)
    records = render(sections, index.search_settings.max_context_tokens, TokenEstimate.of(index), shown)
    prompt = LocalSearchPrompt(asking.response_type, records, question.text)
    written = await asking.write(prompt, shown.marks) if records else asking.nothing()
    return asking.answer(question, "local", ranking, shown, written)
