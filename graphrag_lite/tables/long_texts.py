"""Stretches of long texts: as Python's strings, the texts of a corpus take twice to four times their table's memory."""

from bisect import bisect_left, bisect_right
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    import pyarrow as pa

BLOCK = 2048  # bytes between two places whose number of characters is known


class Sliced(Protocol):
    """A text that stretches are read of, by characters; `[:]` is all of it. A string is one, too."""

    def __getitem__(self, span: slice, /) -> str: ...


class LongTexts:
    """The texts of a table by id, as the table holds them.

    >>> import pyarrow as pa
    >>> texts = LongTexts(pa.table({"id": ["a", "b"], "text": ["whale", "“Ça va?” – " * 999]}))
    >>> texts["a"][1:3], texts["b"][:] == "“Ça va?” – " * 999, texts["b"][5 + 11 * 700 : 11 * 701]
    ('ha', True, 'a?” – ')
    """

    def __init__(self, table: "pa.Table") -> None:
        self._column = table["text"]
        self._rows = {identity: row for row, identity in enumerate(table["id"].to_pylist())}
        self._opened: dict[str, _LongText] = {}

    def __getitem__(self, identity: str) -> Sliced:
        if identity not in self._opened:
            self._opened[identity] = _LongText(self._column[self._rows[identity]])
        return self._opened[identity]


class _LongText:
    def __init__(self, value: "pa.StringScalar") -> None:
        self._bytes = memoryview(value.as_buffer())

    @cached_property
    def _n_before(self) -> list[int]:
        """How many characters begin before each block, and in all."""
        begins = (np.frombuffer(self._bytes, np.uint8) & 0xC0) != 0x80
        counts = (int(begins[start : start + BLOCK].sum()) for start in range(0, len(begins), BLOCK))
        return [*accumulate(counts, initial=0)]

    def __getitem__(self, span: slice) -> str:
        if span.stop is None:
            return str(self._bytes, "utf-8")[span]
        first = bisect_right(self._n_before, span.start) - 1
        last = bisect_left(self._n_before, span.stop)
        # A character may lie on both sides of a block's bounds: what is left of it is no character.
        held = str(self._bytes[first * BLOCK : last * BLOCK + 3], "utf-8", "ignore")
        return held[span.start - self._n_before[first] : span.stop - self._n_before[first]]
