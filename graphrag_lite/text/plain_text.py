"""Texts as they are shown: without control characters, which no XML (so no GraphML) may hold and terminals obey; on a
page, and in Markdown, where they do nothing.

Documents and text units keep theirs: spans count their characters.
"""

import re
from bisect import bisect_left
from collections.abc import Callable
from itertools import accumulate

CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")  # C0 and C1 without tab and line ends
# Marks that turn the direction of what follows could hide what a text says; letters of such scripts need none.
TURNING = re.compile("[\u202a-\u202e\u2066-\u2069]")
WIDE = re.compile("[\U00010000-\U0010ffff]")  # two units in UTF-16
MARKS = re.compile(r"[\\`*_\[\]<#$^|~]|%%|==|(?<=\W)!(?=\[)")
CITATION = re.compile(r"\\\[(\d+)\\\]")  # a mark, as `escape_markdown` leaves it
_PATH_PARTS = re.compile(r"[\W_]+|(?<=[a-z])(?=[A-Z])")
OPENERS = re.compile(r"^(\s*)([-+>=]|\d+[.)])", re.M)


def plain(text: str) -> str:
    """Return a text without control characters; those that are white space become a space.

    >>> plain("Ann\\x07 Lee\\x0cmet\\tBob.\\r\\n")
    'Ann Lee met\\tBob.\\r\\n'
    """
    return CONTROL.sub(lambda found: " " if found[0].isspace() else "", text)


def one_line(text: str) -> str:
    """Return a text without control characters, its words one space apart.

    >>> one_line(" Ann\\x00 \\x07 Lee\\x85met\\n Bob. ")
    'Ann Lee met Bob.'
    """
    return " ".join(plain(text).split())


def document_name(path: str, own_id: str) -> str:
    """Name a document by its file, and by its own id where that does not begin with the file.

    >>> document_name("a.csv", "T-7"), document_name("a.csv", "a.csv:7")
    ('a.csv · T-7', 'a.csv:7')
    """
    return own_id if own_id == path or own_id.startswith((f"{path}:", f"{path}/")) else f"{path} · {own_id}"


def path_words(path: str) -> str:
    """Return a path as words, for a reader of what a file is called.

    >>> path_words("docs/ChangeLog.html")
    'docs Change Log html'
    """
    return _PATH_PARTS.sub(" ", path)


def cut_line(text: str, most: int = 240) -> str:
    """Return a text on one line, cut after a word where it is longer than `most` characters.

    >>> cut_line("Bob  met Ann.", 9)
    'Bob met…'
    """
    line = " ".join(text[: 4 * most].split())
    return line if len(line) <= most else (line[:most].rpartition(" ")[0] or line[:most]) + "…"


def printable(text: str) -> str:
    """Return a text without control characters and marks that turn its direction.

    >>> printable("Ann\\x07 \\u202eeeL\\u202c")
    'Ann eeL'
    """
    return TURNING.sub("", CONTROL.sub("", text))


def utf16_offsets(text: str) -> Callable[[int], int]:
    """Return where a character of a text stands in `shown(text)`, in UTF-16 units, which JavaScript counts.

    >>> [utf16_offsets("a😀\\x07b")(at) for at in range(5)]
    [0, 1, 3, 3, 4]
    """
    changes = [(found.start(), 1) for found in WIDE.finditer(text)]
    changes += [(found.start(), -1) for pattern in (CONTROL, TURNING) for found in pattern.finditer(text)]
    if not changes:
        return int
    starts, steps = zip(*sorted(changes), strict=True)
    moved = [0, *accumulate(steps)]
    return lambda at: at + moved[bisect_left(starts, at)]


def escape_markdown(text: str) -> str:
    """Return a text such that Markdown shows it as it is, on as many lines.

    >>> print(escape_markdown("[[Ann]] paid $5 for <b> #2\\n- a list?"))
    \\[\\[Ann\\]\\] paid \\$5 for \\<b> \\#2
    \\- a list?
    """
    text = MARKS.sub(lambda found: "".join("\\" + char for char in found[0]), printable(text))
    return OPENERS.sub(lambda found: found[1] + found[2][:-1] + "\\" + found[2][-1], text)


def markdown_line(text: str) -> str:
    """Return a text on one line, as `escape_markdown`."""
    return escape_markdown(one_line(text))


def with_footnotes(text: str, prefix: str = "") -> str:
    """Return a text on one line, its marks as footnotes; `prefix` tells theirs from those of other texts of the file.

    >>> print(with_footnotes("Ann paid. [2]", "7-"))
    Ann paid. [^7-2]
    """
    return CITATION.sub(rf"[^{prefix}\1]", markdown_line(text))
