"""Marks `[n]` in what a model wrote: which of the records that it was shown each statement rests on.

Models are asked for `[3]` or `[3, 5]`; they also write `[3][5]`, `[3-5]`, `[^3]`, `【3】` and, having read much of
microsoft/graphrag, `[Data: Entities (3, 5); Relationships (8, +more)]`. All are read, and written back as `[3][5]`.

    marks = Marks(shown=range(1, 41))          # the numbers in the prompt
    answer = marks.renumber(reply)             # any number of texts that share one numbering
    marks.numbers                              # number in the prompt -> number in the text, in order of use
    marks.n_dropped                            # ids that were never shown
"""

import re
from collections.abc import Callable, Container
from dataclasses import dataclass, field

from graphrag_lite.text.word_lists import sections

LONGEST = 500  # characters between the brackets of a mark
MARK = re.compile(rf"[\[［【]([^\[\]［］【】]{{1,{LONGEST}}})[\]］】]")
PART = re.compile(r"(\d+)\s*[-–—]\s*(\d+)|(\d+)|([^\W\d_]+)|(.)", re.DOTALL)
SEPARATORS = frozenset(" \t\r\n,;:，；：、،()（）+&#^†/")
LABELS = frozenset(sections(__package__, "citation_marks.txt")["labels"])
MOST_IN_RANGE = 50  # `[3-5]` means three records; of a longer range only the ends are taken


@dataclass
class Marks:
    """The marks of one answer or report. `numbers` maps what was shown to what is written, in order of use from 1."""

    shown: Container[int]
    numbers: dict[int, int] = field(default_factory=dict)
    n_dropped: int = 0

    def renumber(self, text: str) -> str:
        """Return a text with its marks numbered in order of use; ids that were not shown are left out and counted.

        >>> marks = Marks(shown=range(1, 10))
        >>> marks.renumber("Marley is dead [7, 99]. Scrooge signed [Data: Claims (2); Relationships (7, +more)] [99].")
        'Marley is dead [1]. Scrooge signed [2][1].'
        >>> marks.numbers, marks.n_dropped
        ({7: 1, 2: 2}, 2)
        """
        return rewrite(text, self._number)

    def _number(self, shown: int) -> int | None:
        if shown not in self.shown:
            self.n_dropped += 1
            return None
        return self.numbers.setdefault(shown, len(self.numbers) + 1)


def rewrite(text: str, number: Callable[[int], int | None]) -> str:
    """Return a text with every id of its marks replaced by `number(id)`; None leaves it out, and an empty mark too.

    >>> rewrite("Both [1][3]; neither【2】.", {1: 4, 3: 5}.get)
    'Both [4][5]; neither.'
    """
    parts: list[str] = []
    done = 0
    for found in MARK.finditer(text):
        ids = _ids(found[1])
        if not ids:
            continue
        before = text[done : found.start()]
        done = found.end()
        numbers = dict.fromkeys(n for i in ids if (n := number(i)) is not None)
        parts += [before, *(f"[{n}]" for n in numbers)] if numbers else [before.rstrip(" \t")]
    return "".join([*parts, text[done:]])


def escape_marks(text: str) -> str:
    """Return a document's text with what would be read as a mark in parentheses: it is not a mark of ours.

    >>> escape_marks("Dickens wrote it in 1843.[12] He [sic] was 31.")
    'Dickens wrote it in 1843.(12) He [sic] was 31.'
    >>> escape_marks("[[12]]")
    '((12))'
    """
    while (disarmed := MARK.sub(lambda found: f"({found[1]})" if _ids(found[1]) else found[0], text)) != text:
        text = disarmed
    return text


def complete_length(text: str) -> int:
    """Return how many characters of an answer that is still being written hold no mark that has only begun.

    >>> complete_length("Marley is dead [7, "), complete_length("Marley is dead [7]")
    (14, 18)
    """
    opened = max(text.rfind(bracket) for bracket in "[［【")
    closed = max(text.rfind(bracket) for bracket in "]］】")
    begun = closed < opened and len(text) - opened <= LONGEST + 1
    return len(text[:opened].rstrip(" \t")) if begun else len(text.rstrip(" \t"))


def _ids(content: str) -> list[int]:
    """Return the ids that a mark's content lists, in its order; none where it is not a mark.

    >>> _ids("Data: Reports (1, 2), +more"), _ids("3–5"), _ids("sic"), _ids("December 1843"), _ids("1.5")
    ([1, 2], [3, 4, 5], [], [], [])
    """
    ids: list[int] = []
    for first, last, single, word, other in PART.findall(content):
        if first:
            ends = int(first), int(last)
            ids += range(ends[0], ends[1] + 1) if 0 <= ends[1] - ends[0] < MOST_IN_RANGE else ends
        elif single:
            ids.append(int(single))
        elif word.casefold() not in LABELS if word else other not in SEPARATORS:
            return []
    return ids
