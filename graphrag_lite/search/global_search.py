"""Global search: the community reports that matter to a question, and what they say about it."""

from typing import TYPE_CHECKING

from graphrag_lite.search.abstention import says_nothing, weights
from graphrag_lite.search.answer import NOTHING, Answer, answered, compose, ranked
from graphrag_lite.search.report_ranking import asked_terms, partition, rank_reports, report_language, report_rows

if TYPE_CHECKING:
    from graphrag_lite.search.asking import Asking
    from graphrag_lite.search.loaded import Loaded

FITTING = 0.3  # of the best report's match: a report that fits less says nothing to the question


def global_search(index: "Loaded", question: str, top_k: int, level: int, *, retrieve_only: bool = False) -> Answer:
    """Answer with the communities of a level that say most to the question, each by its sentences that fit best.

    A community that is not split as deep as `level` stands for itself: those used are of one partition. Raises
    InputError for a level that the index does not have.
    """
    rows = report_rows(index)
    language = report_language(index)
    asked = asked_terms(index, question, language)
    reports = rank_reports(index, asked, rows, partition(rows, level))
    ranking = ranked(reports.unit_scores, index.document_row, top_k)
    if retrieve_only:
        return answered(index, question, "global", ranking, answer="", citations=[])
    nothing = bool(asked) and says_nothing(index, question, weights(index.bm25, asked))
    if nothing:
        return compose(index, question, "global", [], ranking)
    if index.manifest["settings"]["method"] != "fast":  # its reports are written, not put together of sentences
        from graphrag_lite.search.reports import recited

        fitting = [i for i in reports.order if not asked or reports.match[i] >= FITTING] or reports.order
        answer, citations = recited(index, fitting[: index.search.max_reports], asked, language)
        return answered(index, question, "global", ranking, answer=answer or NOTHING, citations=citations)
    from graphrag_lite.search.community_answers import paragraphs, speaking, themes
    from graphrag_lite.search.statements import broad_match

    chosen = [rows[i] for i in reports.order]
    if not asked:
        return compose(index, question, "global", themes(index, chosen), ranking)
    match = broad_match(index.bm25, asked)
    said = paragraphs(index, asked, speaking(index, chosen, match), match)
    return compose(index, question, "global", said, ranking, unsure=nothing is None)


async def ask_global(
    index: "Loaded", question: str, top_k: int, level: int, asking: "Asking", *, dynamic: bool = False
) -> Answer:
    """Answer by a model from the reports of a level, or from those that it calls relevant itself (`dynamic`).

    Map: every portion of reports is asked for points, scored 0 to 100. Reduce: the answer is written from the points,
    best first, ties in the order of portions. Raises InputError like `global_search`, CallError where every map call
    has failed; one that fails while others do not is recorded.
    """
    from graphrag_lite.prompts import GlobalMap
    from graphrag_lite.search.context import TokenEstimate
    from graphrag_lite.search.map_reduce import answer_of_points, collect
    from graphrag_lite.search.reports import portions, relevant, report_record, shuffled

    rows = report_rows(index)
    chosen = await relevant(index, rows, question, asking) if dynamic else partition(rows, level)
    reports = rank_reports(index, asked_terms(index, question, report_language(index)), rows, chosen)
    ranking = ranked(reports.unit_scores, index.document_row, top_k)
    count, budget = TokenEstimate.of(index), index.search.max_context_tokens
    parts = portions([report_record(index, i) for i in shuffled(rows, chosen)], budget, count)
    points, n_dropped = await collect(parts, lambda records: GlobalMap(records, question), asking, "report")
    return await answer_of_points(index, question, "global", ranking, points, n_dropped, asking)
