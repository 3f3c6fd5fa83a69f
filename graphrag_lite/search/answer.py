"""Answers: statements of the corpus, each cited down to the characters of its document."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from graphrag_lite.search.ranking import best

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphrag_lite.search.loaded import Loaded

SECOND = 0.2  # of the second unit's score; .1 to .3 are about as good on documents of two units (lihua_world)
DEPTH = 5  # units looked at for each document wanted
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


def compose(index: "Loaded", question: str, method: str, statements: Iterable[Statement], ranking: "Ranking") -> Answer:
    """Make an answer of statements, in their order, and of what was retrieved.

    A place is stated once; statements about the same thing stand in one paragraph.
    """
    documents, text_units = index.arrow("documents"), index.arrow("text_units")
    citations: dict[tuple[int, int, int], Cited] = {}
    paragraphs: dict[str, list[str]] = {}
    for statement in statements:
        row = index.document_row[statement.unit]
        place = (row, statement.start, statement.end)
        if place in citations:
            continue
        cited = citations[place] = Cited(
            n=len(citations) + 1,
            document=documents["source_id"][row].as_py(),
            path=documents["path"][row].as_py(),
            text_unit_id=text_units["id"][statement.unit].as_py(),
            char_start=statement.start,
            char_end=statement.end,
            text=documents["text"][row].as_py()[statement.start : statement.end],
        )
        paragraphs.setdefault(statement.about, []).append(f"{' '.join(cited.text.split())} [{cited.n}]")
    lines = [f"{about}: {' '.join(said)}" if about else "\n".join(said) for about, said in paragraphs.items()]
    return Answer(
        question=question,
        method=method,
        answer="\n\n".join(lines) or NOTHING,
        documents=[documents["source_id"][row].as_py() for row in ranking.documents],
        text_units=[text_units["id"][unit].as_py() for unit in ranking.units],
        citations=list(citations.values()),
    )


@dataclass(frozen=True)
class Ranking:
    """Text units and documents by row number, best first."""

    units: list[int]
    documents: list[int]


def ranked(scores: "NDArray[np.floating[Any]]", document_row: Sequence[int], top_k: int) -> Ranking:
    """Return the best units and documents, ties by row: at least `top_k` of both, where there are so many.

    A document counts for its best unit, and a little for its second: what two passages support is less by chance.
    """
    k = DEPTH * top_k
    while True:
        candidates = best(scores, k).tolist()
        values: dict[int, list[float]] = {}
        for unit in candidates:
            values.setdefault(document_row[unit], []).append(float(scores[unit]))
        if len(values) >= top_k or k >= len(scores):
            break
        k *= 4
    worth = {row: found[0] + SECOND * sum(found[1:2]) for row, found in values.items()}
    documents = sorted(worth, key=lambda row: (-worth[row], row))[:top_k]
    return Ranking(candidates[:top_k], documents)
