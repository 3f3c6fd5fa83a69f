"""Global search: the community reports that matter to a question, and what they say about it."""

from typing import TYPE_CHECKING

from graphrag_lite.retrieval.abstention import says_nothing
from graphrag_lite.retrieval.bm25 import term_idf
from graphrag_lite.retrieval.report_ranking import partition, rank_reports, report_language, topic_terms
from graphrag_lite.search.answer import NOTHING, Answer, answered, compose, ranked
from graphrag_lite.search.overview import overview

if TYPE_CHECKING:
    from graphrag_lite.retrieval.snapshot_view import SnapshotView
    from graphrag_lite.search.methods import Query
    from graphrag_lite.search.model_query import Asking

FITTING = 0.3  # of the best report's match: a report that fits less says nothing to the question


def answer(index: "SnapshotView", query: "Query") -> Answer:
    """Answer with the communities of a level that say most to the question, each by its sentences that fit best.

    A community that is not split as deep as `level` stands for itself: those used are of one partition. Within a
    `budget`, text units answer instead. Raises InputError for a level that the index does not have.
    """
    if query.budget:
        from graphrag_lite.search.budgeted_search import answer_within

        if found := answer_within(index, query, query.budget):
            return found
    question = query.read_by(index)
    rows = index.report_rows
    query_terms = topic_terms(question)
    reports = rank_reports(index, query_terms, rows, partition(rows, query.level))
    ranking = ranked(reports.unit_scores, index.document_row, query.top_k)
    if query.retrieve_only:
        return answered(question, "global", ranking, answer="", citations=[])
    chosen = [rows[i] for i in reports.order]
    nothing = bool(query_terms) and says_nothing(question, term_idf(index.bm25, query_terms))
    if nothing:
        return compose(question, "global", [], ranking)
    if not query_terms and not index.reports_are_written:
        return overview(question, "global", ranking, chosen)
    if index.reports_are_written:
        from graphrag_lite.search.reports import quote_reports

        fitting = [i for i in reports.order if not query_terms or reports.match[i] >= FITTING] or reports.order
        text, citations = quote_reports(
            index, fitting[: index.search_settings.max_reports], query_terms, report_language(index)
        )
        return answered(question, "global", ranking, answer=text or NOTHING, citations=citations)
    from graphrag_lite.search.community_answers import fitting_sentences, relevant_communities
    from graphrag_lite.search.extractive.developments import development
    from graphrag_lite.search.extractive.quoted_sources import how_often
    from graphrag_lite.search.extractive.statements import broad_match

    if developed := development(question):
        return compose(question, "global", developed, ranking)
    match = broad_match(index.bm25, query_terms)
    statements = fitting_sentences(question, query_terms, relevant_communities(index, chosen, match), match)
    return compose(
        question, "global", statements, ranking, unsure=nothing is None, lead=how_often(question, query_terms)
    )


async def ask(index: "SnapshotView", query: "Query", asking: "Asking") -> Answer:
    """Answer by a model from the reports of a level, or from those that it calls relevant itself (`dynamic`).

    Map: every portion of reports is asked for points, scored 0 to 100. Reduce: the answer is written from the points,
    best first, ties in the order of portions. Within a `budget`, text units are mapped instead. Raises InputError like
    `answer`, CallError where every map call has failed; one that fails while others do not is recorded.
    """
    if query.budget:
        from graphrag_lite.search.budgeted_search import ask_within

        return await ask_within(index, query, query.budget, asking)
    from graphrag_lite.prompts import GlobalMapPrompt
    from graphrag_lite.search.context_records import TokenEstimate
    from graphrag_lite.search.map_reduce import answer_of_points, map_reports
    from graphrag_lite.search.reports import batch_records, choose_relevant, report_record, stable_shuffle

    question = query.read_by(index)
    rows = index.report_rows
    chosen = (
        await choose_relevant(index, rows, question.text, asking) if query.dynamic else partition(rows, query.level)
    )
    reports = rank_reports(index, topic_terms(question), rows, chosen)
    ranking = ranked(reports.unit_scores, index.document_row, query.top_k)
    count, budget = TokenEstimate.of(index), index.search_settings.max_context_tokens
    parts = batch_records([report_record(index, i) for i in stable_shuffle(rows, chosen)], budget, count)
    points, n_dropped = await map_reports(
        parts, lambda records: GlobalMapPrompt(records, question.text), asking, "report"
    )
    return await answer_of_points(question, "global", ranking, points, n_dropped, asking)
