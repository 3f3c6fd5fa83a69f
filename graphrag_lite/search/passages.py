"""Passages of the documents that fit a question best: what retrievers of other libraries are made of."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphrag_lite.retrieval.ranking import text_unit_scores
from graphrag_lite.retrieval.top_k import best_rows

if TYPE_CHECKING:
    from graphrag_lite.retrieval.question import Question


DOCUMENT = ("source_id", "title", "path", "created_at")
UNIT = ("text", "id", "char_start", "char_end")


@dataclass(frozen=True, slots=True)
class Passage:
    """A text unit that fits a question: `text` is the document's characters [char_start, char_end).

    `score` is comparable within one question only; the best one need not have 1. `document` is the document's own id,
    `date` ISO 8601, empty where it states none.
    """

    text: str
    score: float
    document: str
    title: str
    path: str
    date: str
    text_unit_id: str
    char_start: int
    char_end: int


def passages_found(question: "Question", k: int) -> list[Passage]:
    """Return the `k` text units that fit best by the ranking of local search, ties by row; fewer where fewer fit."""
    index, scores = question.index, text_unit_scores(question)
    found = []
    for unit in (unit for unit in best_rows(scores, k).tolist() if scores[unit] > 0):
        row = index.document_row[unit]
        source, title, path, date = (index.cell("documents", name, row) for name in DOCUMENT)
        text, identity, start, end = (index.cell("text_units", name, unit) for name in UNIT)
        found.append(Passage(text, float(scores[unit]), source, title, path, date, identity, start, end))
    return found
