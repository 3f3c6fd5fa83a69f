"""Texts as they are shown: without control characters, which no XML (so no GraphML) may hold and terminals obey.

Documents and text units keep theirs: spans count their characters.
"""

import re

CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")  # C0 and C1 without tab and line ends


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


def cut_line(text: str, most: int = 240) -> str:
    """Return a text on one line, cut after a word where it is longer than `most` characters.

    >>> cut_line("Bob  met Ann.", 9)
    'Bob met…'
    """
    line = " ".join(text[: 4 * most].split())
    return line if len(line) <= most else (line[:most].rpartition(" ")[0] or line[:most]) + "…"
