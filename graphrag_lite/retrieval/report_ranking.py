"""Which community reports matter to a question: those of one partition, how well each fits, and what text they cite."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from graphrag_lite.errors import InputError
from graphrag_lite.text.whole_corpus import about_something

if TYPE_CHECKING:
    from graphrag_lite.retrieval.question import Question
    from graphrag_lite.retrieval.snapshot_view import SnapshotView

Float = TypeVar("Float", np.float32, np.float64)
FEW_TITLES, READ_TITLES = 4, 50  # documents: what fewer are called says nothing; and how many, evenly apart, tell it
IMPORTANCE = 0.5  # weight of a report's rank beside how well it matches the question


def partition(rows: Sequence[Mapping[str, Any]], level: int) -> list[int]:
    """Return the rows of the reports of one level; a community without reports down to it stands for itself.

    Where a community of the level has no report, those next below it stand for it. So the reports used are of one
    partition: never a community together with one inside it. Raises InputError for a level that there is not.
    """
    depth = max((row["level"] for row in rows), default=0)
    if not 0 <= level <= depth:
        raise InputError(f"--level {level}: this index has the levels 0 to {depth}.")
    parted = {-1, *(row["parent"] for row in rows if row["level"] <= level)}
    return [
        i
        for i, row in enumerate(rows)
        if row["parent"] in parted and (row["level"] >= level or row["community"] not in parted)
    ]


def report_language(index: "SnapshotView") -> str:
    """Return the language that reports are analysed in."""
    return index.languages[0] if index.languages else ""


def topic_terms(question: "Question") -> list[str]:
    """Return a question's terms that ask about something in the corpus, not about the corpus itself.

    What most titles say, as the name of a podcast or of the company whose calls these are, is about all of it.
    """
    if question.aspects is not None:
        return []
    about = about_something(question.terms, question.language)
    n = question.index.n_rows("documents")
    if n < FEW_TITLES:
        return about
    rows = dict.fromkeys(np.linspace(0, n - 1, READ_TITLES).astype(int).tolist())
    titles = [frozenset(question.terms_of(question.index.cell("documents", "title", row))) for row in rows]
    return [term for term in about if 2 * sum(term in title for title in titles) < len(titles)]


@dataclass(frozen=True, slots=True)
class Reports:
    """Reports by row, best first, how well every one matches the question, and what text units are worth by them."""

    order: list[int]
    match: "np.ndarray[Any, np.dtype[np.float32]]"  # (n_reports,)
    unit_scores: "np.ndarray[Any, np.dtype[np.float64]]"  # (n_units,)


def rank_reports(
    index: "SnapshotView", query_terms: list[str], rows: list[dict[str, Any]], chosen: Sequence[int]
) -> Reports:
    """Rank the chosen reports, and score every text unit by them and by the question's words."""
    match = scale_to_one(index.report_bm25.scores(query_terms))
    worth = {
        i: float(match[i]) + IMPORTANCE * rows[i]["rank"] / 10 * (1.0 if match[i] or not match.any() else 0.2)
        for i in chosen
    }
    order = sorted(chosen, key=lambda i: (-worth[i], i))
    return Reports(order, match, _unit_scores(index, query_terms, rows, order, worth))


def _unit_scores(
    index: "SnapshotView", query_terms: list[str], rows: list[dict[str, Any]], order: list[int], worth: dict[int, float]
) -> "np.ndarray[Any, np.dtype[np.float64]]":
    """Score text units by the best report that cites them, and by the question's own words."""
    scores = np.asarray(scale_to_one(index.bm25.scores(query_terms)), dtype=np.float64)
    cited = np.zeros_like(scores)
    for i in order:
        for rank, citation in enumerate(rows[i]["citations"]):
            unit = index.unit_row[citation["text_unit_id"]]
            cited[unit] = max(cited[unit], worth[i] / (1 + 0.1 * rank))
    return scores + cited


def scale_to_one(scores: "np.ndarray[Any, np.dtype[Float]]") -> "np.ndarray[Any, np.dtype[Float]]":
    """Return scores of which the highest is 1; as they are where none is above 0."""
    top = scores.max(initial=0.0)
    return scores / top if top > 0 else scores
