"""What stands in a document and is not what it tells: licences, disclaimers, notices that many documents hold alike."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from graphrag_lite.text.word_lists import sections

Span = tuple[int, int]

_LEGAL = sections(__package__, "notices.txt")["legal"]
NEAR = 1_000  # characters between two words of one notice
LEAST, LEAST_KINDS = 5, 3  # words of a notice, and different ones
LONG = 1_500  # characters of a document in which a sentence may be a formula: in short ones it is what they say
FORMULA_DOCUMENTS = 4  # that hold a sentence with the same beginning or end
EDGE = 40  # characters of a beginning or an end
_DIGIT = re.compile("[1-9]")


def legal_spans(text: str) -> list[Span]:
    """Return where words of notices stand close together, from the paragraph of the first to the end of the last's.

    >>> notice = "Copyright 2020. All rights reserved. Licensed without warranty; permission to redistribute."
    >>> legal_spans("Marley was dead, to begin with.\\n\\n" * 20 + notice)
    [(660, 751)]
    """
    text = text.lower()
    if sum(map(text.__contains__, _LEGAL)) < LEAST_KINDS:  # of short documents most
        return []
    spans: list[Span] = []
    group: list[tuple[int, str]] = []
    for at, word in [*sorted(_legal_words(text)), (len(text) + 2 * NEAR, "")]:
        if group and at - group[-1][0] > NEAR:
            if len(group) >= LEAST and len({word for _, word in group}) >= LEAST_KINDS:
                start, end = text.rfind("\n\n", 0, group[0][0]), text.find("\n\n", group[-1][0])
                spans.append((start + 2 if start >= 0 else 0, end if end >= 0 else len(text)))
            group = []
        group.append((at, word))
    return spans


def _legal_words(text: str) -> Iterator[tuple[int, str]]:
    """Yield where each word of notices begins in a text in small letters."""
    for word in _LEGAL:
        at = text.find(word)
        while at >= 0:
            if not text[at - 1 : at].isalpha() or not word[0].isascii():
                yield at, word
            at = text.find(word, at + len(word))


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
