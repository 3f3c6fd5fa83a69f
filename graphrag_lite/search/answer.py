"""Answers: statements of the corpus, each cited down to the characters of its document."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from graphrag_lite.search.ranking import best

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphrag_lite.search.index import Index

NOTHING = "The corpus does not say."


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence of the corpus: characters [start, end) of a document, inside the text unit of row `unit`.

    `about` is the heading that the answer puts before it, empty for none.
    """

    unit: int
    start: int
    end: int
    about: str = ""


@dataclass(frozen=True, slots=True)
class Cited:
    """What the mark [n] of an answer points to: `text` is documents.text[char_start:char_end]."""

    n: int
    document: str
    path: str
    text_unit_id: str
    char_start: int
    char_end: int
    text: str


@dataclass(frozen=True)
class Answer:
    """An answer and what it rests on. `documents` (by their own ids) and `text_units` are ranked best first."""

    question: str
    method: str
    answer: str
    documents: list[str]
    text_units: list[str]
    citations: list[Cited]

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def compose(
    index: "Index", question: str, method: str, statements: Iterable[Statement], units: "NDArray[np.int64]"
) -> Answer:
    """Make an answer of statements, in their order, and of ranked text units (row numbers).

    A place that is stated twice keeps its number; statements about the same thing stand in one paragraph.
    """
    documents, text_units = index.arrow("documents"), index.arrow("text_units")
    citations: dict[tuple[int, int, int], Cited] = {}
    paragraphs: dict[str, list[str]] = {}
    for statement in statements:
        row = index.document_row[statement.unit]
        place = (row, statement.start, statement.end)
        if place not in citations:
            citations[place] = Cited(
                n=len(citations) + 1,
                document=documents["source_id"][row].as_py(),
                path=documents["path"][row].as_py(),
                text_unit_id=text_units["id"][statement.unit].as_py(),
                char_start=statement.start,
                char_end=statement.end,
                text=documents["text"][row].as_py()[statement.start : statement.end],
            )
        cited = citations[place]
        paragraphs.setdefault(statement.about, []).append(f"{' '.join(cited.text.split())} [{cited.n}]")
    lines = [f"{about}: {' '.join(said)}" if about else "\n".join(said) for about, said in paragraphs.items()]
    rows = dict.fromkeys(index.document_row[unit] for unit in units.tolist())
    return Answer(
        question=question,
        method=method,
        answer="\n\n".join(lines) or NOTHING,
        documents=[documents["source_id"][row].as_py() for row in rows],
        text_units=[text_units["id"][unit].as_py() for unit in units.tolist()],
        citations=list(citations.values()),
    )


def ranked(scores: "NDArray[np.floating[Any]]", document_row: Sequence[int], top_k: int) -> "NDArray[np.int64]":
    """Return the best units, best first, ties by row: `top_k`, or as many as it takes to name `top_k` documents."""
    k = top_k
    while True:
        units = best(scores, k)
        named: set[int] = set()
        for position, unit in enumerate(units.tolist(), start=1):
            named.add(document_row[unit])
            if len(named) >= top_k and position >= top_k:
                return units[:position]
        if k >= len(scores):
            return units
        k *= 4
