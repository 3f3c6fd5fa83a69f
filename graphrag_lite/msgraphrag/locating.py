"""Where a piece of text stands in its document, for pieces that were cut elsewhere; and documents made of such pieces.

What others cut may carry lines of metadata at its top, white space of its own, and half a character at its ends.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cached_property

METADATA = re.compile(r"[^\n:]{1,80}: [^\n]{0,1000}\n")
MAX_METADATA = 20  # lines
IGNORED = re.compile(r"[\s\ufeff\ufffd\u200b]+")
SHORTEST_OVERLAP, LONGEST_OVERLAP = 16, 8000  # characters; graphrag's default of 100 tokens is about 500


class SearchedText:
    """A text in which pieces are found."""

    def __init__(self, text: str) -> None:
        self.text = text

    def find(self, piece: str, after: int = 0) -> tuple[int, int] | None:
        """Return the span of `piece`, the first one from `after` on if there is one there; None where it is nowhere.

        It is looked for as it is, then without the lines `key: value` at its top, then in both ways without regard to
        white space and to characters that could not be decoded.

        >>> SearchedText("One.  Two\\nthree. Two three.").find("title: numbers.txt.\\nTwo three.", after=3)
        (17, 27)
        >>> SearchedText("One.  Two\\nthree.").find("Two three.\\ufffd")
        (6, 16)
        """
        bodies = [body for body in _bodies(piece) if body.strip()]
        for body in bodies:
            start = self.text.find(body, after)
            start = self.text.find(body) if start < 0 else start
            if start >= 0:
                return start, start + len(body)
        for body in bodies:
            bare = IGNORED.sub("", body)
            start = self._bare.find(bare, bisect_left(self._places, after)) if bare else -1
            start = self._bare.find(bare) if start < 0 and bare else start
            if start >= 0:
                return self._places[start], self._places[start + len(bare) - 1] + 1
        return None

    @cached_property
    def _places(self) -> list[int]:
        """The places of the characters that are compared."""
        kept: list[int] = []
        end = 0
        for gap in IGNORED.finditer(self.text):
            kept.extend(range(end, gap.start()))
            end = gap.end()
        kept.extend(range(end, len(self.text)))
        return kept

    @cached_property
    def _bare(self) -> str:
        return IGNORED.sub("", self.text)


def _bodies(piece: str) -> Iterator[str]:
    """Yield a piece, then the piece without its first line of metadata, without its first two, and so on."""
    start = 0
    for _ in range(MAX_METADATA):
        yield piece[start:]
        line = METADATA.match(piece, start)
        if not line:
            return
        start = line.end()


def joined(pieces: Sequence[str]) -> tuple[str, list[tuple[int, int]]]:
    """Return one text that holds all pieces in their order, and their spans. What two in a row share stands once.

    >>> joined(["It was the whole of a long day", "the whole of a long day that was lost.", "End."])
    ('It was the whole of a long day that was lost.\\n\\nEnd.', [(0, 30), (7, 45), (47, 51)])
    """
    parts: list[str] = []
    spans: list[tuple[int, int]] = []
    end = 0
    before = ""
    for piece in pieces:
        shared = _overlap(before, piece)
        if parts and not shared:
            parts.append("\n\n")
            end += 2
        parts.append(piece[shared:])
        spans.append((end - shared, end - shared + len(piece)))
        end += len(piece) - shared
        before = piece
    return "".join(parts), spans


def _overlap(before: str, piece: str) -> int:
    """Return how many characters the end of one text and the start of the next share; 0 where it may be by chance."""
    longest = min(len(before), len(piece), LONGEST_OVERLAP)
    return next((n for n in range(longest, SHORTEST_OVERLAP - 1, -1) if before.endswith(piece[:n])), 0)
