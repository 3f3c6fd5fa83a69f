"""Cut a document into text units: token windows whose ends are sentence ends, with exact character spans.

Ends are chosen by content, not by counting from the start: of the sentence ends in the second half of a window, a
section break is taken first, then a paragraph break, then the one whose next sentence has the smallest hash. So after
an edit the windows soon fall on the same ends again, and the units behind it stay what they were.
"""

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

SECTION = re.compile(
    r"#{1,6}\s|(?:chapter|part|book|section|act|scene|stave|chapitre|kapitel|第.{1,6}[章节節回])\b.{0,60}$", re.I
)


@dataclass(frozen=True, slots=True)
class Unit:
    """A text unit: characters [start, end) of its document."""

    start: int
    end: int


def split(
    text: str, sentences: Sequence[tuple[int, int]], count: Callable[[str], int], *, size: int, overlap: int
) -> list[Unit]:
    """Pack sentences into units of at most `size` tokens, each repeating about `overlap` tokens of the one before.

    `sentences` are spans that cover the text in order; `count` counts tokens. A unit that starts a section repeats
    nothing. Every character but white space is in a unit; a text of white space has none.

    >>> text = "One two. Three four. Five six."
    >>> units = split(text, [(0, 9), (9, 21), (21, 30)], lambda t: len(t.split()), size=4, overlap=0)
    >>> [text[unit.start:unit.end] for unit in units]
    ['One two. Three four.', 'Five six.']
    """
    pieces = [piece for span in sentences for piece in _pieces(text, span, count, size)]
    costs = [count(text[start:end]) for start, end in pieces]
    units: list[Unit] = []
    first = fresh = 0  # a window is pieces[first:cut]; pieces before `fresh` are the overlap
    while fresh < len(pieces):
        room, cut, ends = size, first, []
        while cut < len(pieces) and (costs[cut] <= room or cut == fresh):
            room -= costs[cut]
            cut += 1
            if cut > fresh and size - room >= size // 2:
                ends.append(cut)
        if cut < len(pieces) and ends:
            cut = min(ends, key=lambda end: _rank(text, pieces, end))
        start, end = _trimmed(text, pieces[first][0], pieces[cut - 1][1])
        if start < end:
            units.append(Unit(start, end))
        first = fresh = cut
        if cut < len(pieces) and not _starts_section(text, pieces[cut]):
            repeated = 0
            while first > 0 and repeated + costs[first - 1] <= overlap:
                first -= 1
                repeated += costs[first]
    return units


def _rank(text: str, pieces: Sequence[tuple[int, int]], end: int) -> tuple[int, bytes]:
    """Rank a window's end: before a section, before a paragraph, else by what follows."""
    following = text[slice(*pieces[end])]
    before = text[pieces[end - 1][0] : pieces[end][0]]
    kind = 0 if _starts_section(text, pieces[end]) else 1 if before.endswith(("\n\n", "\n\r\n")) else 2
    return kind, hashlib.blake2b(following.encode("utf-8", "surrogatepass"), digest_size=8).digest()


def _starts_section(text: str, piece: tuple[int, int]) -> bool:
    line = text[piece[0] : min(piece[1], piece[0] + 80)].lstrip().partition("\n")[0].rstrip()
    return bool(SECTION.match(line))


def _pieces(text: str, span: tuple[int, int], count: Callable[[str], int], size: int) -> list[tuple[int, int]]:
    """Halve a sentence, at white space near the middle if there is any, until each piece has at most `size` tokens."""
    start, end = span
    if end - start < 2 or count(text[start:end]) <= size:
        return [span]
    middle = (start + end) // 2
    space = text.find(" ", middle, middle + (end - start) // 4)
    middle = space + 1 if space > 0 else middle
    return _pieces(text, (start, middle), count, size) + _pieces(text, (middle, end), count, size)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Leave white space at both ends out of a span."""
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), end - (len(piece) - len(piece.rstrip()))
