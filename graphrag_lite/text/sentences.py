"""Sentence boundaries, with exact character spans.

sentencex (Wikimedia's, for Wikipedias in 200 languages) finds the ends; this module adds what it leaves open: when the
end of a line ends a sentence, and titles and references whose full stop does not.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator
from itertools import pairwise

UNFINISHED = re.compile(r"(?:^|[\s(\"“'«])(?:M|MM|Mme|Mlle|Me|Fig|Eq|No|art|cf|p|pp|vol|[A-Z])\.\s*$")
# Numbers with a full stop, and what Slavic languages put behind years ("1990 r."); German ordinals too.
NUMBERED = re.compile(
    r"\d[ \xa0]?(?:r|w|st|tys|mln|гг?|вв?|рр?|ст|тыс|млн|руб)?\.\s*$|\b[XVI]+[ \xa0]?(?:w|в|ст)\.\s*$"
)
ORDINAL = re.compile(r"\b(?:am|vom|zum|zur|im|beim|de[rnms]|die|das|ab|bis|seit)\s\d{1,2}\.\s*$", re.I)
OF_ORDINAL = re.compile(r"Jan|Febr|März|April|Mai\b|Jun|Jul|Aug|Septem|Oktob|Novem|Dezem|Jahrhundert")
NAME_BEGUN = re.compile(r"\s\.\w")  # "the .NET Foundation"
HEAD_NUMBER = re.compile(r"(?m)^#{1,6} (?:[^\W\d_]{1,12} )?[\w.]{1,12}\.\s*$")  # "## Appendix B. ", "### E.14.2. "
# sentencex sees one paragraph at a time: over a whole text it pairs quotation marks across paragraphs, and one inserted
# sentence moved up to 25 ends far away.
BLANK_LINE = re.compile(r"\n[^\S\n]*\n\s*")
# sentencex ends no sentence of a paragraph that begins in brackets: "(A) Cats purr. Dogs bark."
BEGINNING = re.compile(r"\s*\([^()\n]{1,60}\)[^\S\n]+(?=\S)")
# Where words stand together, sentencex takes time that grows with the square of a paragraph: a longer one is cut here.
LONG = 10_000  # characters
UNSPACED_END = re.compile(r"[。！？][」』”’）]*(?![」』”’）])")
MAX_TICKS = 2000  # of a paragraph, such as a table of code: sentencex takes a time that grows with their square
QUOTE = re.compile(r"[\"“”«»]|(?<!\w)['‘’](?=\w)|(?<=[.,!?…])['’]")
WITHIN = re.compile(r"[.!?…]\s+(?=[^\W\d_a-z])")  # what ends a sentence of a quotation, not that
WIDE = re.compile(r"[^\S\x00-\x7f](?=\.)")  # sentencex panics, which no `except Exception` catches: "plan B\xa0."
# "[Op. Cit., vol. 39, p. 346]": where in a book it stands, of the sentence before.
REFERENCE = re.compile(
    r"[\[({][^\[\](){}]{0,160}?\b(?:[Pp]{1,2}\.\s?\d|[Vv]ol\.\s?\d|[Oo]p\.\s?[Cc]it\b|[Ii]bid\b)[^\[\](){}]{0,160}[\])}]"
)
GOES_ON = (".", ",", ";", ":", "!", "?")  # behind a reference: it ends nothing yet
LINE_END = re.compile(r"\n(?=[^\S\n]*\S)")
WORD = re.compile(r"\s*\S+")
LINE_MARKS = r"(?:(?:#{1,6}|={1,6}|-{2,}|\*{2,4}|[-*+•▪◦|>]|\[[ xX]\])\s+)+"  # headings, lists, tasks, quotations, rows
MARKED_LINE = re.compile(
    r"[^\S\n]*(?:#{1,6}\s|[-+•|>]\s|\*{1,4}\s|\d{1,3}[.)]\s|[A-Z][A-Z .'-]{2,40}:|[^\n|]{0,200} \| )"
)
DANGLING = re.compile(
    r"[\s\"'“«(]*(?:[a-zà-ÿ]|(?i:he|she|it|its|his|her|they|their|this|that|these|those|and|but|il|elle|ce|cette)\b)"
)
STATED = re.compile(r"[.!…。！][\"'”’»)\]」』）]*$")
MAX_INDENT = 40  # characters before the first word of a line, as in manuals
SHORT_LINE = 0.6  # of the width of hard-wrapped text: a line that ends before, and had room for more, ended on purpose
MAX_WRAPPED = 0.3  # hard-wrapped prose goes on in lower case after most line ends, lists and headlines after few
# A paragraph of prose among tables and lists is hard-wrapped where lines that are so wide go on in lower case after
# most line ends, and hardly one had room for the next word.
LEAST_WIDE, MOST, FULL = 50, 0.5, 0.8
COLUMNS = re.compile(r"\S(?: {3,}|\t+)\S")


def sentences(text: str, language: str = "en") -> list[tuple[int, int]]:
    """Return spans that cover `text` in order, each a sentence with the white space behind it.

    `language` is an ISO 639-1 code; it decides about abbreviations. A blank line always ends a sentence, the end of a
    line does where the text is not hard-wrapped, or had room for more, or before a heading, item or speaker's name.

    >>> text = "Mr. Dorr left.  He ran.\\nWhy?"
    >>> [text[start:end] for start, end in sentences(text)]
    ['Mr. Dorr left.  ', 'He ran.\\n', 'Why?']
    >>> sentences("(A) Cats purr. Dogs bark.")
    [(0, 15), (15, 25)]
    >>> text = "He agreed. [Op. Cit., vol. 9, p. 46] It rained."
    >>> [text[start:end] for start, end in sentences(text)]
    ['He agreed. [Op. Cit., vol. 9, p. 46] ', 'It rained.']
    """
    ends: list[int] = []
    last = ""  # the sentence before
    whole = _is_wrapped(text)
    width = _width(text) if whole else 0
    paragraphs = list(_paragraphs(text))
    for top, bottom in zip([0, *paragraphs], paragraphs, strict=False):
        begun = BEGINNING.match(text, top, bottom)
        end = begun.end() if begun else top
        room = SHORT_LINE * (width or _wrapped_width(text[top:bottom]))
        for piece in _segmented(text[end:bottom], language):
            start, end = end, end + len(piece)
            bare = piece.strip()
            if not bare:
                if ends:
                    ends[-1] = end  # white space belongs to the sentence before it
                continue
            if last.endswith(".") and (
                NAME_BEGUN.match(text, max(0, ends[-1] - 2))
                or ("\n" not in text[ends[-1] - 1 : start + 1] and _goes_on(text, ends[-1], bare, language))
            ):
                ends.pop()
            if "\n" in bare:
                lines = (line.end() for line in LINE_END.finditer(text, end - len(piece.lstrip()), end))
                ends += [line for line in lines if line < end and _ends_at(text, line, room)]
            ends.append(end)
            last = bare
    if text and not ends:
        ends.append(len(text))
    ends = _behind_references(text, ends)
    return list(zip([0, *ends], ends, strict=False))


def _behind_references(text: str, ends: list[int]) -> list[int]:
    """Return where sentences end: not within a reference, and behind one that follows in the same line."""
    left = set(ends)
    for reference in REFERENCE.finditer(text):
        start, end = reference.span()
        if BLANK_LINE.search(text, start, end):
            continue
        follows = (
            start in left
            and not text.startswith(GOES_ON, end)
            and not text[max(0, start - MAX_INDENT) : start].rstrip(" \t").endswith("\n")
        )
        left.difference_update(ends[bisect_left(ends, start + (not follows)) : bisect_left(ends, end)])
        if follows:
            behind = text[end : end + MAX_INDENT]
            left.add(end + len(behind) - len(behind.lstrip()))
    return sorted(left)


def _segmented(paragraph: str, language: str) -> list[str]:
    """Return what sentencex takes for sentences, of a paragraph without the characters that it cannot bear."""
    from sentencex import segment

    if paragraph.count("`") > MAX_TICKS:
        paragraph = paragraph.replace("`", "_")
    pieces: list[str] = segment(language or "en", WIDE.sub(" ", paragraph))
    return pieces


def _goes_on(text: str, end: int, behind: str, language: str) -> bool:
    """Say whether the full stop before `end` is none of a sentence, from what stands before and behind it.

    >>> text = "### E.14.2. Changes\\n\\nIt runs."
    >>> [text[start:end] for start, end in sentences(text)]
    ['### E.14.2. Changes\\n\\n', 'It runs.']
    >>> text = "Er kam am 30. Juni. Er war 30. Ute ging."
    >>> [text[start:end] for start, end in sentences(text, "de")]
    ['Er kam am 30. Juni. ', 'Er war 30. ', 'Ute ging.']
    """
    if UNFINISHED.search(text, max(0, end - 12), end) or HEAD_NUMBER.search(text, max(0, end - 40), end):
        return True
    if language == "en" or not NUMBERED.search(text, max(0, end - 16), end):
        return False
    if language == "ko" and behind[0].isdigit():  # "2010. 11. 15."
        return True
    return behind[0].islower() or (
        language == "de" and bool(OF_ORDINAL.match(behind) or ORDINAL.search(text, max(0, end - 16), end))
    )


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the span [start, end) of `text` without the white space at both ends.

    >>> trimmed(" He ran. ", 0, 9)
    (1, 8)
    """
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), end - (len(piece) - len(piece.rstrip()))


def quoted_sentences(text: str, span: tuple[int, int], language: str) -> list[tuple[int, int]]:
    """Return the span of one sentence, cut where sentences end within what it quotes; who says it stays with the last.

    >>> text = "'Stop, Bo! Mr. Dorr left. He ran,' said Ann."
    >>> [text[slice(*one)] for one in quoted_sentences(text, (0, len(text)), "en")]
    ["'Stop, Bo!", 'Mr. Dorr left.', "He ran,' said Ann."]
    """
    if not (WITHIN.search(text, *span) and QUOTE.search(text, *span)):
        return [span]
    end, ends = span[0], [span[0]]
    for piece in _segmented(QUOTE.sub(" ", text[slice(*span)]), language):
        end += len(piece)
        if WITHIN.match(text, trimmed(text, span[0], end)[1] - 1, span[1]):
            ends.append(end)
    return [trimmed(text, *one) for one in pairwise([*ends, span[1]])]


def is_statement(sentence: str) -> bool:
    """Say whether a sentence is a whole statement: no heading, no table row, no question.

    >>> [is_statement(text) for text in ("He ran.", "# He ran", "Ran he?", "彼は走った。", "Name  Age  City")]
    [True, False, False, True, False]
    """
    return bool(STATED.search(sentence)) and not sentence.startswith(("#", "|"))


def stands_alone(sentence: str) -> bool:
    """Say whether a statement can be read without the sentence before it: it does not begin with "It" or "This".

    >>> [stands_alone(text) for text in ("The mirror was flawed.", "It was repaired.", "# Mirrors")]
    [True, False, False]
    """
    return is_statement(sentence) and not DANGLING.match(sentence)


def _paragraphs(text: str) -> Iterator[int]:
    """Yield the ends of the paragraphs, of a long one without spaces those of its parts."""
    top = 0
    for bottom in [*(blank.end() for blank in BLANK_LINE.finditer(text)), len(text)]:
        while bottom - top > LONG and (cut := UNSPACED_END.search(text, top + LONG, bottom)):
            top = cut.end()
            if top < bottom:
                yield top
        top = bottom
        yield bottom


def _ends_at(text: str, line: int, room: float) -> bool:
    """Say whether a sentence ends with the line before the one at `line`.

    In hard-wrapped text, of which `room` is not 0, it does where that line had so much for the next word, and the next
    one is indented or begins with a capital.
    """
    if not room or MARKED_LINE.match(text, line):
        return True
    if text[line].islower():
        return False
    first = WORD.match(text, line)
    return line - text.rfind("\n", 0, line - 1) + len(first[0].lstrip() if first else "") < room


def _width(text: str) -> int:
    """Return the width of hard-wrapped text: one line in ten is longer, of code or an address."""
    lengths = sorted(map(len, text.splitlines()))
    return lengths[len(lengths) * 9 // 10]


def _wrapped_width(paragraph: str) -> int:
    """Return the width of a paragraph that is hard-wrapped by itself, 0 of another.

    >>> text = "The holder of the patch pumpkin has sometimes been called\\nthe pumpkineer, pulling the strings."
    >>> _wrapped_width(text), _wrapped_width(text.replace("the p", "The p")), _wrapped_width("a short one\\nof two")
    (57, 0, 0)
    """
    lines = [line for line in paragraph.split("\n") if line.strip()]
    width = max(map(len, lines), default=0)
    if len(lines) < 2 or width < LEAST_WIDE or COLUMNS.search(paragraph) or any(map(MARKED_LINE.match, lines[1:])):
        return 0
    going_on = sum(line.lstrip()[:1].islower() for line in lines[1:])
    full = sum(len(f"{line} {after.split()[0]}") > FULL * width for line, after in pairwise(lines))
    return width if min(going_on, full) > MOST * (len(lines) - 1) else 0


def _is_wrapped(text: str) -> bool:
    """Say whether lines of paragraphs end where the page did, not where sentences do."""
    ends = [line.end() for line in LINE_END.finditer(text) if text[line.start() - 1 : line.start()] != "\n"]
    going_on = sum(text[end : end + MAX_INDENT].lstrip()[:1].islower() for end in ends)
    return going_on > MAX_WRAPPED * len(ends)
