"""Global search: the community reports that matter to a question, and what they say about it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from graphrag_lite.errors import InputError
from graphrag_lite.search.abstention import LEAST_FIT, fit
from graphrag_lite.search.answer import NOTHING, Answer, answered, compose, ranked
from graphrag_lite.text.words import ASKING, terms

if TYPE_CHECKING:
    from graphrag_lite.search.asking import Asking
    from graphrag_lite.search.loaded import Loaded

Float = TypeVar("Float", np.float32, np.float64)
FITTING = 0.3  # of the best report's match: a report that fits less says nothing to the question
IMPORTANCE = 0.5  # weight of a report's rank beside how well it matches the question
# Words by which a question means the corpus itself: they say nothing about which report is meant.
ABOUT_THE_CORPUS = (
    "main theme topic subject overview summary summarize summarise key important major central overall document corpus "
    "dataset text story collection discuss discussed describe mention cover question answer tell say "
    "thème principal sujet résumé document texte histoire dire parler "
    "Thema Hauptthema Zusammenfassung Überblick tema resumen "
    "主なテーマは何ですか 主題 概要 要約 何が書かれていますか 主要主题是什么 摘要 概述 주요 주제는 무엇입니까 요약"
)


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
    if asked and fit(index.bm25, asked) < LEAST_FIT:
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
    return compose(index, question, "global", said, ranking)


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


def partition(rows: Sequence[Mapping[str, Any]], level: int) -> list[int]:
    """Return the rows of the reports of one level; a community without reports below it stands for itself.

    So the reports used are of one partition: never a community together with its children. Raises InputError for a
    level that the index does not have.
    """
    depth = max((row["level"] for row in rows), default=0)
    if not 0 <= level <= depth:
        raise InputError(f"--level {level}: this index has the levels 0 to {depth}.")
    reported = {row["community"] for row in rows}
    return [
        i
        for i, row in enumerate(rows)
        if row["level"] == level or (row["level"] < level and reported.isdisjoint(row["children"]))
    ]


def report_rows(index: "Loaded") -> list[dict[str, Any]]:
    """Return what ranking needs of every community report."""
    columns = ["id", "community", "level", "children", "title", "rank", "citations"]
    rows: list[dict[str, Any]] = index.arrow("community_reports").select(columns).to_pylist()
    return rows


def report_language(index: "Loaded") -> str:
    """Return the language that reports are analysed in."""
    return index.languages[0] if index.languages else ""


def asked_terms(index: "Loaded", question: str, language: str) -> list[str]:
    """Return a question's terms that ask about something in the corpus, not about the corpus itself."""
    generic = set(terms(ABOUT_THE_CORPUS, language))
    return [term for term in index.question_terms(question) if term not in ASKING and term not in generic]


@dataclass(frozen=True, slots=True)
class Reports:
    """Reports by row, best first, how well every one matches the question, and what text units are worth by them."""

    order: list[int]
    match: "np.ndarray[Any, np.dtype[np.float32]]"  # (n_reports,)
    unit_scores: "np.ndarray[Any, np.dtype[np.float64]]"  # (n_units,)


def rank_reports(index: "Loaded", asked: list[str], rows: list[dict[str, Any]], chosen: Sequence[int]) -> Reports:
    """Rank the chosen reports, and score every text unit by them and by the question's words."""
    match = scaled(index.report_bm25.scores(asked))
    worth = {
        i: float(match[i]) + IMPORTANCE * rows[i]["rank"] / 10 * (1.0 if match[i] or not match.any() else 0.2)
        for i in chosen
    }
    order = sorted(chosen, key=lambda i: (-worth[i], i))
    return Reports(order, match, _unit_scores(index, asked, rows, order, worth))


def _unit_scores(
    index: "Loaded", asked: list[str], rows: list[dict[str, Any]], order: list[int], worth: dict[int, float]
) -> "np.ndarray[Any, np.dtype[np.float64]]":
    """Score text units by the best report that cites them, and by the question's own words."""
    scores = np.asarray(scaled(index.bm25.scores(asked)), dtype=np.float64)
    cited = np.zeros_like(scores)
    for i in order:
        for place, citation in enumerate(rows[i]["citations"]):
            unit = index.unit_row[citation["text_unit_id"]]
            cited[unit] = max(cited[unit], worth[i] / (1 + 0.1 * place))
    return scores + cited


def scaled(scores: "np.ndarray[Any, np.dtype[Float]]") -> "np.ndarray[Any, np.dtype[Float]]":
    """Return scores of which the highest is 1; as they are where none is above 0."""
    top = scores.max(initial=0.0)
    return scores / top if top > 0 else scores
