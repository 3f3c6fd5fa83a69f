"""Texts of the corpus in Markdown: they are shown, and do nothing."""

import re

from graphrag_lite.text.plain_text import one_line
from graphrag_lite.text.shown_text import shown

MARKS = re.compile(r"[\\`*_\[\]<#$^|~]|%%|==|(?<=\W)!(?=\[)")
CITATION = re.compile(r"\\\[(\d+)\\\]")  # a mark, as `escaped` leaves it
OPENERS = re.compile(r"^(\s*)([-+>=]|\d+[.)])", re.M)


def escaped(text: str) -> str:
    """Return a text such that Markdown shows it as it is, on as many lines.

    >>> print(escaped("[[Ann]] paid $5 for <b> #2\\n- a list?"))
    \\[\\[Ann\\]\\] paid \\$5 for \\<b> \\#2
    \\- a list?
    """
    text = MARKS.sub(lambda found: "".join("\\" + char for char in found[0]), shown(text))
    return OPENERS.sub(lambda found: found[1] + found[2][:-1] + "\\" + found[2][-1], text)


def line(text: str) -> str:
    """Return a text on one line, as `escaped`."""
    return escaped(one_line(text))


def footnoted(text: str, prefix: str = "") -> str:
    """Return a text on one line, its marks as footnotes; `prefix` tells theirs from those of other texts of the file.

    >>> print(footnoted("Ann paid. [2]", "7-"))
    Ann paid. [^7-2]
    """
    return CITATION.sub(rf"[^{prefix}\1]", line(text))
