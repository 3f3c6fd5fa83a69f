"""Licences, disclaimers and legal notices, by words that stand close together in them."""

from collections.abc import Iterator

from graphrag_lite.text.word_lists import sections

Span = tuple[int, int]

_LEGAL = sections(__package__, "notices.txt")["legal"]
NEAR = 1_000  # characters between two words of one notice
LEAST, LEAST_KINDS = 5, 3  # words of a notice, and different ones


def legal_spans(text: str) -> list[Span]:
    """Return where words of notices stand close together, from the paragraph of the first to the end of the last's.

    Of a long paragraph, from the sentence of the first, to the end of the last's.

    >>> notice = "Copyright 2020. All rights reserved. Licensed without warranty; permission to redistribute."
    >>> legal_spans("Marley was dead, to begin with.\\n\\n" * 20 + notice)
    [(660, 751)]
    """
    text = text.replace("İ", "I").lower()  # the one letter that is two in lower case, which would move all places
    if sum(map(text.__contains__, _LEGAL)) < LEAST_KINDS:  # of short documents most
        return []
    spans: list[Span] = []
    group: list[tuple[int, str]] = []
    for at, word in [*sorted(_legal_words(text)), (len(text) + 2 * NEAR, "")]:
        if group and at - group[-1][0] > NEAR:
            if len(group) >= LEAST and len({word for _, word in group}) >= LEAST_KINDS:
                spans.append((_start(text, group[0][0]), _end(text, group[-1][0])))
            group = []
        group.append((at, word))
    return spans


def _start(text: str, first: int) -> int:
    paragraph, sentence = (text.rfind(end, 0, first) for end in ("\n\n", ". "))
    paragraph = paragraph + 2 if paragraph >= 0 else 0
    return paragraph if first - paragraph <= NEAR or sentence < paragraph else sentence + 2


def _end(text: str, last: int) -> int:
    paragraph, sentence = text.find("\n\n", last), text.find(". ", last)
    paragraph = paragraph if paragraph >= 0 else len(text)
    return paragraph if paragraph - last <= NEAR or sentence < 0 else min(paragraph, sentence + 1)


def _legal_words(text: str) -> Iterator[tuple[int, str]]:
    """Yield where each word of notices begins in a text in small letters."""
    for word in _LEGAL:
        at = text.find(word)
        while at >= 0:
            if not text[at - 1 : at].isalpha() or not word[0].isascii():
                yield at, word
            at = text.find(word, at + len(word))
