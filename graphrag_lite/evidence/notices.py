"""What stands in a document and is not what it tells: notices, and sentences that many documents hold alike."""

import re
from collections import Counter
from collections.abc import Iterable

from graphrag_lite.text.notices import Span

LONG = 1_500  # characters of a document in which a sentence may be a formula: in short ones it is what they say
FORMULA_DOCUMENTS = 4  # that hold a sentence with the same beginning or end
EDGE = 40  # characters of a beginning or an end
_DIGIT = re.compile("[1-9]")


def is_noticed(spans: Iterable[Span], start: int, end: int) -> bool:
    """Say whether [start, end) lies in a notice."""
    return any(first < end and start < last for first, last in spans)


def formulas(documents: Iterable[tuple[str, Iterable[tuple[int, int]]]]) -> set[str]:
    """Return the beginnings and ends of sentences that several long documents hold alike, whatever their numbers.

    `documents` are texts of at least `LONG` characters, each with the spans of its sentences.

    >>> texts = [f"This call is recorded and may hold risks that we name, say {n}." + " " * LONG for n in "abcd"]
    >>> sorted(formulas((text, [(0, 61)]) for text in texts))
    ['This call is recorded and may hold risks']
    """
    n_documents: Counter[str] = Counter()
    for text, spans in documents:
        long = (text[start:end].strip() for start, end in {*spans} if start >= 0 and end - start >= EDGE)
        n_documents.update({edge for sentence in long for edge in _edges(sentence)})
    return {edge for edge, n in n_documents.items() if n >= FORMULA_DOCUMENTS}


def is_formula(sentence: str, known: set[str]) -> bool:
    """Say whether a sentence begins or ends as a formula does (`formulas`)."""
    return len(sentence) >= EDGE and not known.isdisjoint(_edges(sentence))


def _edges(sentence: str) -> tuple[str, str]:
    return _DIGIT.sub("0", sentence[:EDGE]), _DIGIT.sub("0", sentence[-EDGE:])
