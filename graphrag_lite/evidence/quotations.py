"""Where the words stand that somebody quotes: in other case and quotation marks, over line breaks, with gaps."""

import re
from array import array
from functools import cached_property

from graphrag_lite.text.folding import fold_with_offsets

GAP = re.compile(r"\.{3}|…|[;\"'”’]\s")  # between the pieces of a quotation
EDGES = " .…;\"'“”"
MAX_PIECES, MAX_GAPS = 20, 3  # pieces that are looked for; how many times as long as the quotation its place may be
SHORTEST = 12  # characters of a piece that counts without the others: less is found by chance
Span = tuple[int, int]


class Quotable:
    """A text in which quotations are found."""

    def __init__(self, text: str) -> None:
        self.text = text

    def find(self, quotation: str) -> list[Span]:
        """Return the span of a quotation, else those of its pieces, in order: of all, or of the long ones there are.

        >>> text = Quotable("“Bah!” said\\n  Scrooge. “Humbug!” He wept.")
        >>> quotations = ['"bah!" said Scrooge', "Bah ... Humbug", "He laughed."]
        >>> [[text.text[slice(*span)] for span in text.find(quotation)] for quotation in quotations]
        [['Bah!” said\\n  Scrooge'], ['Bah', 'Humbug'], []]
        """
        whole = quotation.strip()
        start = self.text.find(whole)
        if start >= 0 and whole:
            return [(start, start + len(whole))]
        pieces = GAP.split(quotation)[:MAX_PIECES]
        found = self._in_order([quotation]) or self._in_order(pieces)
        if not found:
            found = self._in_order([piece for piece in pieces if len(piece) >= SHORTEST and self._in_order([piece])])
        return found if found and found[-1][1] - found[0][0] <= MAX_GAPS * len(quotation) else []

    @cached_property
    def _folded(self) -> tuple[str, "array[int]"]:
        return fold_with_offsets(self.text)

    def _in_order(self, pieces: list[str]) -> list[Span]:
        """Return the spans of pieces, each behind the one before it; none unless all are there."""
        folded, offsets = self._folded
        spans: list[Span] = []
        end = 0
        for piece in pieces:
            if bare := fold_with_offsets(piece)[0].strip(EDGES):
                start = folded.find(bare, end)
                if start < 0:
                    return []
                end = start + len(bare)
                spans.append((offsets[start], offsets[end - 1] + 1))
        return spans
