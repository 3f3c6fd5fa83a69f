"""Questions that compare two things: what the corpus says of each of them, side by side."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from graphrag_lite.search.answer import Statement
from graphrag_lite.search.extractive.answer_type import Sought
from graphrag_lite.search.extractive.definitions import defines, defining_units
from graphrag_lite.search.extractive.read_unit import read_out
from graphrag_lite.search.extractive.sentence_choice import choose_sentences
from graphrag_lite.text.transcripts import speaker_of
from graphrag_lite.text.word_lists import expressions
from graphrag_lite.text.words import terms

if TYPE_CHECKING:
    import numpy.typing as npt

    from graphrag_lite.retrieval.question import Question

MOST_WORDS = 6  # of a side
UNITS, SENTENCES = 8, 2  # of each side: best text units that hold it, and sentences of these
COMPARING = "compare comparison difference differ"
_NAME = r"[\"“']?(?:the |der |die |das |le |la |les |el |l['’])?(?P<{}>[^,.;:?!]{{2,50}}?)[\"”']?"
_PARTS = {
    "ONE": _NAME.format("one"),
    "OTHER": _NAME.format("other"),
    "AND": "(?:and|und|et|y|e|en|with|mit|avec|con|to|met)",
    "OR": "(?:or|oder|ou|o)",
}
_VIEWS = re.compile(
    r"\b(?:views?|opinions?|positions?|ideas?|thoughts?|attitudes?|stances?|statements?|differ|disagree)\b", re.I
)
_ON = re.compile(r"\b(?:on|about|regarding|concerning|towards?|zu[mr]?|über|sur|sobre) ([^?]+?)[?.]*$", re.I)
_COMPARES = [
    re.compile(re.sub(r"\b(?:ONE|OTHER|AND|OR)\b", lambda part: _PARTS[part[0]], form), re.I)
    for form in expressions(__package__, "comparison.txt").values()
]


def compared_things(question: str) -> tuple[str, str] | None:
    """Return the two things that a question compares, None where it compares none.

    >>> (compared_things("Is Sam older than Taylor Cruz?"), compared_things("Compare Hubble and the Webb telescope."),
    ...  compared_things("Azure or AWS?"))
    (('Sam', 'Taylor Cruz'), ('Hubble', 'Webb telescope'), ('Azure', 'AWS'))
    >>> (compared_things("Which is cheaper, Azure or AWS?"), compared_things("Is it more than that?"),
    ...  compared_things("Mem0和Zep的区别是什么？"))
    (('Azure', 'AWS'), None, ('Mem0', 'Zep'))
    """
    for pattern in _COMPARES:
        if found := pattern.search(question.strip()):
            one, other = found["one"].strip(), found["other"].strip()
            named = all(any(c.isalpha() and not c.islower() for c in side) for side in (one, other))
            if named and max(len(one.split()), len(other.split())) <= MOST_WORDS:
                return one, other
    return None


def of_each(
    question: "Question", scores: "npt.NDArray[np.float64]", sought: Sought
) -> tuple[list[Statement], str] | None:
    """Return what the corpus says of each of two things that a question compares, None where it does not of both.

    Sentences that compare them go first, then those of each below its name; the text says that none compares them.
    """
    both = compared_things(question.as_read)
    if both is None:
        return None
    on = _ON.search(question.as_read) if _VIEWS.search(question.as_read) else None
    topic = question.terms_of(on[1]) if on else []
    found = [_of(question, side, other, scores, sought, topic) for side, other in (both, both[::-1])]
    if not all(found):
        return None
    one, other = (set(question.terms_of(side)) for side in both)
    rest = set(question.terms) - one - other - set(terms(COMPARING, "en"))

    def compares(statement: Statement) -> bool:
        held = set(terms(*read_out(question.index, statement)))
        return (one ^ other) <= held and (not rest or not held.isdisjoint(rest))

    statements = sorted([*found[0], *found[1]], key=compares, reverse=True)
    comparing = [replace(statement, about="") for statement in statements if compares(statement)]
    lead = "" if comparing else f"No sentence compares {both[0]} and {both[1]}. Of each:"
    return [*comparing, *statements[len(comparing) :]], lead


def _of(
    question: "Question",
    side: str,
    other: str,
    scores: "npt.NDArray[np.float64]",
    sought: Sought,
    topic: Sequence[str],
) -> list[Statement]:
    """Return the sentences about one side, or by it on a `topic`, below its name: of units that hold all its words."""
    index = question.index
    own = question.terms_of(side)
    held = index.bm25.all_of(own)
    read = defining_units(question, (side,), scores, lambda text: defines(text, (side,)))[:UNITS]
    read += [unit for unit in held[np.argsort(-scores[held], kind="stable")].tolist() if unit not in read]
    read = [unit for unit in read if scores[unit] > 0][:UNITS]
    without = [term for term in question.terms if term not in question.terms_of(other) or term in own]
    found = choose_sentences(
        index,
        topic or without,
        read,
        3 * SENTENCES,
        scores=scores[read].tolist(),
        sought=replace(sought, things=(side,)),
    )
    if topic:
        found = [one for one in found if not set(topic).isdisjoint(terms(*read_out(index, one)))]
    named = [one for one in found if set(own) & _says_of(question, one, by=bool(topic))]
    return [Statement(one.unit, one.start, one.end, side) for one in named[:SENTENCES]]


def _says_of(question: "Question", statement: Statement, *, by: bool) -> set[str]:
    """Return the terms of a sentence, and of who says it; `by`: of who says it alone, where somebody does."""
    document, language = question.index.document_of(statement.unit)
    speaker = set(terms(speaker_of(document, statement.start), language))
    return speaker if speaker and by else speaker.union(terms(document[statement.start : statement.end], language))
