"""Questions for how something is done, and the steps that tell it.

"How do I enable audit logs?" is answered by no sentence alone: a heading names the task, and its steps stand below it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from math import fsum
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from graphrag_lite.retrieval.bm25 import term_idf
from graphrag_lite.search.answer import Statement
from graphrag_lite.search.extractive.read_unit import MAX_LENGTH
from graphrag_lite.search.extractive.sentence_candidates import AROUND
from graphrag_lite.search.extractive.sentence_choice import MAX_ANSWER
from graphrag_lite.text.sentences import sentences, trimmed
from graphrag_lite.text.word_lists import expressions
from graphrag_lite.text.words import terms

if TYPE_CHECKING:
    from graphrag_lite.retrieval.question import Question
    from graphrag_lite.retrieval.snapshot_view import SnapshotView

LEAST_SHARE, LEAST_HEADING = 0.6, 0.3  # of the question's weight: in the heading with what stands over it, in itself
STEPS, CODE = 0.2, 0.1  # what a section counts more that has numbered steps, or code
MAX_HEADING = 100  # characters of a heading; what is longer is a text that lost its lines, of which so many are read
_ASKS = re.compile(expressions(__package__, "procedures.txt")["asks"], re.I)
_HEADING = re.compile(r"(?:(?<=\s)|^)(#{1,6}) +(?=\S)")
_FENCE = re.compile(r"```.*?(?:```|\Z)", re.S)
_FIRST_STEP = re.compile(r"(?:(?<=\s)|^)1[.)] +(?=\S)")


class _Section(NamedTuple):
    """A part of a text: its heading, as far as lines tell it, what names it and the headings over it, and its span."""

    heading: str
    named: str
    over: str
    start: int
    end: int


def procedure_steps(question: "Question", units: Sequence[int], most: int) -> list[Statement]:
    """Return the steps of what a question asks how to do, in up to `most` pieces, from the best of `units`.

    None where it asks for something else, or no heading names the task.
    """
    if not _ASKS.search(question.as_read):
        return []
    weight = term_idf(question.index.bm25, question.terms)
    found = [task for unit in units for task in _tasks(question, unit, weight)]
    if not found:
        return []
    _, row, heading, start, end = max(found, key=itemgetter(0))  # the first of the best
    return [replace(statement, about=heading) for statement in _pieces(question.index, row, start, end)][:most]


def _tasks(question: "Question", unit: int, weight: Mapping[str, float]) -> Iterator[tuple[float, int, str, int, int]]:
    """Yield what a section that begins in a text unit is worth, its document's row, its heading, and where it stands.

    It goes on in its document behind the text unit.
    """
    index = question.index
    row = index.document_row[unit]
    title, language = (index.cell("documents", name, row) for name in ("title", "language"))
    first, last = (index.cell("text_units", name, unit) for name in ("char_start", "char_end"))
    text = index.document_text(row)[first : last + MAX_ANSWER]
    for section in _sections(text):
        worth = _worth(section, title, language, weight, question.other_words)
        if worth and section.start < min(section.end, last - first):
            start, more = _begin(text, section)
            if not (section.heading or more) and section.end - section.start <= MAX_HEADING:
                continue  # a heading alone
            yield worth + more, row, section.heading, first + start, first + section.end


def _sections(text: str) -> Iterator[_Section]:
    """Yield the sections of a text; a section holds those of lower level that follow it."""
    fenced = [found.span() for found in _FENCE.finditer(text)]
    marks = [
        found for found in _HEADING.finditer(text) if not any(start <= found.start() < end for start, end in fenced)
    ]
    over: dict[int, str] = {}
    for number, mark in enumerate(marks):
        level, line = len(mark[1]), text[mark.end() :].split("\n", 1)[0]
        over = {above: heading for above, heading in over.items() if above < level}
        end = next((other.start() for other in marks[number + 1 :] if len(other[1]) <= level), len(text))
        whole = len(line) <= MAX_HEADING
        above, over[level] = " ".join(over.values()), line[:MAX_HEADING]
        yield _Section(line.strip() if whole else "", over[level], above, mark.end() + len(line) * whole, end)


def _worth(
    section: _Section, title: str, language: str, weight: Mapping[str, float], others: Mapping[str, Set[str]]
) -> float:
    """Return the share of a question that the heading of a section and what stands over it hold; 0 for too little."""
    own = set(terms(section.named, language))
    own |= {term for term, alternatives in others.items() if not own.isdisjoint(alternatives)}
    over = set(terms(f"{title} {section.over}", language)) - own
    whole = fsum(weight.values())
    held = fsum(weight[term] for term in sorted(own & weight.keys()))
    share = held + AROUND * fsum(weight[term] for term in sorted(over & weight.keys()))
    return share / whole if held >= LEAST_HEADING * whole > 0 and share >= LEAST_SHARE * whole else 0.0


def _begin(text: str, section: _Section) -> tuple[int, float]:
    """Return where the steps of a section begin, and what it counts more for them."""
    first = _FIRST_STEP.search(text, section.start, min(section.end, section.start + MAX_ANSWER))
    if not first:
        return section.start, CODE * ("```" in text[section.start : section.end])
    unnamed = not section.heading and first.start() - section.start <= MAX_LENGTH / 2
    return section.start if unnamed else first.start(), STEPS


def _pieces(index: "SnapshotView", row: int, start: int, end: int) -> list[Statement]:
    """Return the sentences [start, end) of a document, joined into pieces, of MAX_ANSWER characters and one piece."""
    text, language = index.document_text(row)[start:end], index.cell("documents", "language", row)
    pieces: list[tuple[int, int]] = []
    for first, last in sentences(text, language):
        if not text[first:last].strip():
            continue
        if pieces and last - pieces[-1][0] <= MAX_LENGTH:
            pieces[-1] = (pieces[-1][0], last)
        elif first >= MAX_ANSWER:
            break
        else:
            pieces.append((first, last))
    spans = [(start + first, start + last) for first, last in (trimmed(text, *piece) for piece in pieces)]
    units = index.units_at(row, [first for first, _ in spans])
    return [Statement(unit, *span) for unit, span in zip(units, spans, strict=True)]
