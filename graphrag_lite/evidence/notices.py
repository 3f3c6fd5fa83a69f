"""What stands in a document and is not what it tells: notices, and sentences that many documents hold alike."""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np

from graphrag_lite.text.notices import Span

if TYPE_CHECKING:
    import pyarrow as pa

LONG = 1_500  # characters of a document in which a sentence may be a formula: in short ones it is what they say
FORMULA_DOCUMENTS = 4  # that hold a sentence with the same beginning or end
EDGE = 40  # characters of a beginning or an end
_DIGIT = re.compile("[1-9]")


def is_noticed(spans: Iterable[Span], start: int, end: int) -> bool:
    """Say whether [start, end) lies in a notice."""
    return any(first < end and start < last for first, last in spans)


def edges(text: str, spans: Iterable[tuple[int, int]]) -> list[int]:
    """Return checksums of the beginnings and ends of a document's sentences, sorted, whatever their numbers; none of a
    short document's.

    >>> text = "This call is recorded and may hold risks that we name, say {}." + " " * LONG
    >>> edges(text.format(1), [(0, 61)]) == edges(text.format(2), [(0, 61)]), edges("A call.", [(0, 7)])
    (True, [])
    """
    held = {*spans} if len(text) >= LONG else ()
    long = (text[start:end].strip() for start, end in held if start >= 0 and end - start >= EDGE)
    return sorted({edge for sentence in long for edge in _edges(sentence)})


def formulas(edges_of: "pa.ChunkedArray") -> set[int]:
    """Return the `edges` that several documents hold alike, from those of each."""
    import pyarrow.compute as pc

    held = np.sort(pc.list_flatten(edges_of).to_numpy())  # counted so in a tenth of the time of a table of them
    before, behind = held[: 1 - FORMULA_DOCUMENTS], held[FORMULA_DOCUMENTS - 1 :]
    return set(before[before == behind].tolist())


def is_formula(sentence: str, known: set[int]) -> bool:
    """Say whether a sentence begins or ends as a formula does (`formulas`)."""
    return len(sentence) >= EDGE and not known.isdisjoint(_edges(sentence))


def _edges(sentence: str) -> tuple[int, int]:
    first, last = (_DIGIT.sub("0", edge).encode() for edge in (sentence[:EDGE], sentence[-EDGE:]))
    return crc32(first), crc32(last)
