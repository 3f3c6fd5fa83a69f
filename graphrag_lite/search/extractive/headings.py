"""The headings over a place of a document, which what stands below them does not repeat: "## 1.2.0 (2021-03-14)"."""

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import inf

from graphrag_lite.text.plain_text import one_line
from graphrag_lite.text.words import terms

_OPENING = re.compile(r"[^\S\n]*(?:[-*+•][^\S\n]+)?([^\n:：]{1,80})[:：]\s")
_TERM = re.compile(
    r"([^\S\n]*)(?!-(?!-?\w)|[*+•#|:]|\(?\w{1,3}[.)]\s)(\S[^\n]{0,60}[^\s.!?:：,;。])[^\S\n]*\n([^\S\n]+)(?![-*+•])\S"
)
LONGEST = 20  # lines of a meaning that are looked at
LOOKED_AT = 200  # headings before a place that are looked at for those over it
_DAY = (
    r"\d{4}(?:[-/.]\d{1,2}[-/.]\d{1,2}|年\d{1,2}月\d{1,2}日|년 ?\d{1,2}월 ?\d{1,2}일)|\d{1,2}[-/.]\d{1,2}[-/.]\d{4}"
    r"|[^\W\d]{3,10}\.? \d{1,2}(?:st|nd|rd|th)?,? \d{4}"
    r"|\d{1,2}(?:st|nd|rd|th|\.)? (?:de )?[^\W\d]{3,10}\.?,? (?:de )?\d{4}"
)
_END = r"(?=[ \t#]*(?:\n|\Z))"
# A line below a release that says no more than the day is read as part of its heading: "released 2021-03-14". Below
# other headings it may be the day of the note, and not of what it tells of.
_DAY_BELOW = rf"[ \t#]*\n(?:[ \t]*\n)?[ \t]*(?:[^\W\d]{{1,14}}:?[ \t]+){{0,3}}[(\[]?(?:{_DAY})[)\].]?{_END}"
_RELEASE = rf"(?=[^\n]*\d\.\d)[^\n]{{1,200}}?{_END}{_DAY_BELOW}"
HEADING = re.compile(rf"(#{{1,6}})[ \t]+({_RELEASE}|[^\n]{{1,200}}?)[ \t#]*(?=\n|\Z)")


@dataclass(slots=True)
class Headings:
    """The headings over the place of a document that is read, as (level, start, end) of their texts, outermost first.

    >>> text = "# A\\n## 1.2 - 2024 ##\\nOne.\\n## 1.1\\nTwo."
    >>> over = Headings(text, "en")
    >>> over.go_to(text.index("One")), over.texts(), over.go_to(text.index("Two")), over.texts()
    (True, ['A', '1.2 - 2024'], True, ['A', '1.1'])
    >>> HEADING.match("## 1.2\\n\\nReleased on 3 May 2024\\n\\n* One.")[2]
    '1.2\\n\\nReleased on 3 May 2024'
    """

    document: str
    language: str
    code: Sequence[tuple[int, int]] = ()  # in their order
    over: list[tuple[int, int, int]] = field(default_factory=list)
    position: int = 0
    line: int = -1  # where that of the place begins
    opening: str = ""  # what opens it as a heading does: "Zep 2.1 (March 1999): It ..."

    def go_to(self, position: int) -> bool:
        """Go on to a place behind the last one; say whether something else stands over it."""
        line, opened = self.document.rfind("\n", 0, position) + 1, self.opening
        if line == self.line:
            self.position = position
            return False
        found: list[tuple[int, int, int]] = []
        level, at = 7, position
        for _ in range(LOOKED_AT):
            at = self.document.rfind("\n#", max(0, self.position - 1), at)
            start = at + 1 if at >= 0 else 0
            if at < 0 and (self.position or not self.document.startswith("#")):
                break
            mark = HEADING.match(self.document, start)
            if mark and start < position and len(mark[1]) < level and not is_within(self.code, start):
                level = len(mark[1])
                found.append((level, *mark.span(2)))
            if level == 1 or at < 0:
                break
        self.position, self.line = position, line
        if found:
            self.over = [one for one in self.over if one[0] < level] + found[::-1]
        opening = _OPENING.match(self.document, line)
        self.opening = opening[1].strip() if opening else ""
        return bool(found) or self.opening != opened

    def texts(self) -> list[str]:
        """Return what they say, and what opens the line of the place."""
        over = [one_line(self.document[start:end]) for _, start, end in self.over]
        return over + [self.opening] * bool(self.opening)

    def nearest(self) -> str:
        """Return the innermost heading, where it is no title of all; "" for none."""
        level, start, end = self.over[-1] if self.over else (1, 0, 0)
        return one_line(self.document[start:end]) if level > 1 else ""

    def term(self) -> str:
        """Return the term that the line of the place says the meaning of, below it and farther in; "" for none.

        >>> text = "sluice\\n    A gate for water. All of it."
        >>> over = Headings(text, "en")
        >>> over.go_to(text.index("All")), over.term()
        (False, 'sluice')
        >>> over = Headings(text := "sluice\\n    A gate\\n    for water.\\n", "en")
        >>> over.go_to(text.index("for")), over.term()
        (False, 'sluice')
        >>> over = Headings(text := "-k, --kind\\n    Of gate. The default is wood.\\n", "en")
        >>> over.go_to(text.index("The")), over.term()
        (False, '-k, --kind')
        """
        if not self.document.startswith((" ", "\t"), self.line) or is_within(self.code, self.position):
            return ""
        first = self.document[self.line : self.position + 1]
        indent, at = first[: len(first) - len(first.lstrip())], self.line
        for _ in range(LONGEST):
            at = self.document.rfind("\n", 0, max(0, at - 1)) + 1
            if not (at and self.document.startswith(indent, at)):
                break
        meaning = _TERM.match(self.document, at)
        return meaning[2].strip() if meaning and len(meaning[3]) > len(meaning[1]) else ""

    def terms(self) -> frozenset[str]:
        """Return the terms of them all."""
        return frozenset(terms(" ".join(self.texts()), self.language))

    def that_holds(self, wanted: Callable[[str], bool]) -> str:
        """Return the innermost one that holds what is wanted; "" for none."""
        return next(filter(wanted, reversed(self.texts())), "")


def is_within(spans: Sequence[tuple[int, int]], position: int) -> bool:
    """Say whether a place is within one of some spans, which are in their order and do not overlap."""
    at = bisect_right(spans, (position, inf)) - 1
    return at >= 0 and position < spans[at][1]
