"""Answers: statements of the corpus, each cited down to the characters of its document."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from graphrag_lite.evidence.citation_marks import escape_marks
from graphrag_lite.evidence.source_locations import page_at
from graphrag_lite.retrieval.top_k import best_rows
from graphrag_lite.text.language import is_written_in
from graphrag_lite.text.plain_text import one_line
from graphrag_lite.text.sentences import LINE_MARKS

LANGUAGE_NAMES = {
    "ar": "Arabic", "cs": "Czech", "de": "German", "en": "English", "es": "Spanish", "fa": "Persian", "fr": "French",
    "he": "Hebrew", "hi": "Hindi", "it": "Italian", "ja": "Japanese", "ko": "Korean", "nl": "Dutch", "pl": "Polish",
    "pt": "Portuguese", "ru": "Russian", "sv": "Swedish", "tr": "Turkish", "vi": "Vietnamese", "zh": "Chinese",
}  # fmt: skip

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphrag_lite.retrieval.question import Question
    from graphrag_lite.retrieval.snapshot_view import SnapshotView

SECOND = 0.2  # of the second unit's score; .1 to .3 are about as good on documents of two units (lihua_world)
DEPTH = 5  # units looked at for each document wanted
# Those of a line; and what is left of brackets that a full stop within them has torn.
MARKS = re.compile(rf"\A{LINE_MARKS}" r"|\A[^()\[\]\n]{0,30}\)\s*[.,;:]*\s*(?=[A-Z])")
_FENCE = re.compile(r"(?m)^[ \t]*(?:`{3,}|~{3,})[\w+-]*[ \t]*$")  # of code below what announces it
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
    """What the mark [n] of an answer points to: `text` is documents.text[char_start:char_end].

    In a model's answer n repeats where the record that is cited rests on several places.
    """

    n: int
    document: str
    path: str
    text_unit_id: str
    char_start: int
    char_end: int
    text: str
    place: str = ""  # in the file: "page 4"


@dataclass(frozen=True)
class Answer:
    """An answer and what it rests on. `documents` (by their own ids) and `text_units` are ranked best first.

    Documents of several files may have one id: `paths` are their files, in the same order, and the two name one only.

    `unsure` is set where no passage seems to fit, and whether the corpus says nothing cannot be told.
    `readings` are words of the question that the corpus, or its titles, do not hold, and what they were read as.

    The rest is of answers by a model: its name, how many marks were left out because they point to nothing that it was
    shown, how many sentences have no mark, which calls failed, and what it cost (`Meter.to_dict`).

    `steps` are an agent's: `tool`, `arguments`, `page`, `n_pages`, `total`, `note`, `ids` of what came back,
    `tokens` of it, and `in_use` after it.
    """

    question: str
    method: str
    answer: str
    documents: list[str]
    text_units: list[str]
    citations: list[Cited]
    paths: list[str] = field(default_factory=list)
    abstained: bool = False
    unsure: bool = False
    readings: Mapping[str, str] = field(default_factory=dict)
    model: str | None = None
    n_dropped_citations: int = 0
    n_uncited_sentences: int = 0
    failures: list[str] = field(default_factory=list)
    usage: Mapping[str, Any] | None = None
    steps: list[Mapping[str, Any]] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """Return what `query --json` prints, but for the id."""
        return asdict(self)

    def _repr_html_(self) -> str:
        from graphrag_lite.search.notebook import answer_html

        return answer_html(self)

    def _repr_markdown_(self) -> str:
        from graphrag_lite.search.notebook import answer_markdown

        return answer_markdown(self)


def compose(
    question: "Question",
    method: str,
    statements: Iterable[Statement],
    ranking: "Ranking",
    *,
    unsure: bool = False,
    lead: str = "",
) -> Answer:
    """Make an answer of statements, in their order, and of what was retrieved; `lead` stands before them.

    A place is stated once. Statements about the same thing stand in one paragraph, others in a line with those of the
    same document; marks are numbered as they are read. Of texts in another language than the question, it says so.
    """
    index = question.index
    groups: dict[tuple[str, int], list[Statement]] = {}
    stated: set[tuple[int, int, int]] = set()
    for statement in statements:
        row = index.document_row[statement.unit]
        if (row, statement.start, statement.end) not in stated:
            stated.add((row, statement.start, statement.end))
            key = (statement.about, -1 if statement.about else row)
            groups.setdefault(key, []).append(statement)
    citations: list[Cited] = []
    answer, headed = "", False
    for (about, _), group in groups.items():
        cited = [cite(index, len(citations) + number, one) for number, one in enumerate(group, start=1)]
        citations += cited
        line = " ".join(f"{escape_marks(one_line(_FENCE.sub('', one.text)))} [{one.n}]" for one in cited)
        between = "\n\n" if about or headed else "\n"
        answer += (between if answer else "") + (f"{escape_marks(about)}: {line}" if about else line)
        headed = bool(about)
    if citations:
        answer = "\n\n".join(filter(None, (lead, answer, _other_language(question, groups.values()))))
    return answered(question, method, ranking, answer=answer or NOTHING, citations=citations, unsure=unsure)


def _other_language(question: "Question", groups: Iterable[list[Statement]]) -> str:
    """Return what says that an answer quotes texts in other languages than the question's; "" where any is in it."""
    index = question.index
    languages = set()
    for row, start, end in {(index.document_row[one.unit], one.start, one.end) for group in groups for one in group}:
        code = index.cell("documents", "language", row)
        languages |= {code} if is_written_in(index.document_text(row)[start:end], code) else set()
    languages -= {""}
    if not languages or not question.language or question.language in languages:
        return ""
    return f"(Quoted from texts in {' and '.join(sorted(LANGUAGE_NAMES.get(code, code) for code in languages))}.)"


def cite(index: "SnapshotView", n: int, statement: Statement) -> Cited:
    """Return what a mark that points to `statement` says to a reader, without the Markdown marks at both ends."""
    row = index.document_row[statement.unit]
    document = index.document_text(row)
    raw = document[statement.start : statement.end]
    text = MARKS.sub("", raw, count=1)
    start = statement.start + len(raw) - len(text)
    text = text.rstrip("| ")
    return Cited(
        n=n,
        document=index.cell("documents", "source_id", row),
        path=index.cell("documents", "path", row),
        text_unit_id=index.cell("text_units", "id", statement.unit),
        char_start=start,
        char_end=start + len(text),
        text=text,
        place=page_at(index.cell("documents", "blocks", row), statement.start),
    )


def answered(question: "Question", method: str, ranking: "Ranking", *, answer: str, **fields: Any) -> Answer:
    """Make an answer of its text and of what was retrieved."""
    index = question.index
    return Answer(
        question=question.text,
        method=method,
        answer=answer,
        documents=[index.cell("documents", "source_id", row) for row in ranking.documents],
        paths=[index.cell("documents", "path", row) for row in ranking.documents],
        text_units=[index.cell("text_units", "id", unit) for unit in ranking.units],
        abstained=answer.startswith(NOTHING),
        readings=question.readings,
        **fields,
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
        candidates = best_rows(scores, k).tolist()
        values: dict[int, list[float]] = {}
        for unit in candidates:
            values.setdefault(document_row[unit], []).append(float(scores[unit]))
        if len(values) >= top_k or k >= len(scores):
            break
        k *= 4
    worth = {row: found[0] + SECOND * sum(found[1:2]) for row, found in values.items()}
    documents = sorted(worth, key=lambda row: (-worth[row], row))[:top_k]
    return Ranking(candidates[:top_k], documents)
