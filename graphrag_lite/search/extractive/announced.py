"""Lists, tables and points behind what announces them: "There are three kinds:", a heading, "First, ..."."""

import re
from collections.abc import Iterable

from graphrag_lite.text.sentences import sentences
from graphrag_lite.text.word_lists import expressions

_ANNOUNCES = re.compile(r"[:：][\s*_]*\Z")
_FORMS = expressions(__package__, "sentence_choice.txt")
_FOLLOWING = re.compile(_FORMS["following"], re.I)
_FIRST, _POINT = (re.compile(rf"\W*(?:{form})", re.I) for form in (_FORMS["first point"], _FORMS["point"]))
_ITEM = re.compile(r"[^\S\n]*(?:[-*+•▪◦]|\(?(?:\d{1,3}|[A-Za-z])[.)])[^\S\n]+\S")
_TERM = re.compile(r"[^\s:：][^\n]{0,60}\n[^\S\n]+\S[^\n]*")
_ROW = re.compile(r"[^\n]* \| ")
_STOP = re.compile(r"[.!?](?=\s)|[。！？]")
_LINE = re.compile(r"[^\n]*\S[^\n]*")


def announces(sentence: str) -> bool:
    """Say whether a sentence announces a list behind it.

    >>> [announces(text) for text in ("Two kinds:", "The following platforms are known.", "It is warm.")]
    [True, True, False]
    """
    return _ANNOUNCES.search(sentence) is not None or _FOLLOWING.search(sentence) is not None


def end_of_list(document: str, position: int, most: int) -> int:
    """Return where the list, table or terms with their meanings end that follow at a place; the place where none do.

    That is before `most`, at the end of an item or of a sentence of it.

    >>> text = "Two kinds:\\n\\n- warm\\n- cold\\n\\nThey differ."
    >>> text[10 : end_of_list(text, 10, 100)], end_of_list(text, 10, 14)
    ('\\n\\n- warm\\n- cold', 10)
    >>> text = "Two:\\n\\nsluice\\n    A gate.\\nweir\\n    A low dam.\\n\\nThat is all."
    >>> text[end_of_list(text, 4, 100) :]
    '\\n\\nThat is all.'
    """
    last, form, depth = position, None, 0
    for line in _LINE.finditer(document, position, most):
        form = form or next((one for one in (_ITEM, _ROW, _TERM) if one.match(document, line.start())), None)
        if form is None:
            break
        indent = len(line[0]) - len(line[0].lstrip())
        depth = indent if last == position else depth
        close = form is _ITEM and document.count("\n", last, line.start()) < 2
        if not (form.match(document, line.start()) or close or (indent > depth and form is not _ROW)):
            break
        if line.end() == most and document[most : most + 1] not in ("", "\n"):  # cut
            return max([last, *(stop.end() for stop in _STOP.finditer(document, line.start(), most))])
        last = line.end()
    return last


def end_of_code(document: str, position: int, most: int, code: Iterable[tuple[int, int]]) -> int:
    """Return where the lines of code end, before `most`, that stand right below a place; the place where none do.

    >>> text = "Run this:\\n\\nzep up\\nzep run\\n\\nIt starts."
    >>> text[end_of_code(text, 9, 99, [(11, 17), (18, 25)]) :], end_of_code(text, 9, 99, [(11, 14)])
    ('\\n\\nIt starts.', 9)
    """
    last = position
    for start, end in code:
        between = document[last:start] if start >= last else ""
        if "\n" in between and not between.strip() and end <= most and document[end : end + 1] in ("", "\n"):
            last = end
        elif start >= last:
            break
    return last


def end_of_points(document: str, position: int, most: int, language: str) -> int:
    """Return where the sentences end, before `most`, that make points behind a place; the place where no two do.

    >>> text = "It rests on two rules. The first is care. The second is haste. All else is luck."
    >>> text[end_of_points(text, 22, 99, "en") :], end_of_points("It rained. First, it hailed. Then not.", 10, 99, "en")
    (' All else is luck.', 10)
    """
    ends: list[int] = []
    for start, end in sentences(document[position:most], language):
        if not (_POINT if ends else _FIRST).match(document, position + start):
            break
        ends.append(position + end)
    whole = document[: ends[-1]].rstrip() if len(ends) > 1 else ""
    return len(whole) or position
