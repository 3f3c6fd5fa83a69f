"""Columns of mapped tables as they lie in the file: nothing is copied, and only what is touched is read.

Arrow's own `to_numpy` would import pandas, which takes longer than a query.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import numpy.typing as npt

from graphrag_lite.tables import spare_pandas

if TYPE_CHECKING:
    import pyarrow as pa

Offsets = npt.NDArray[np.int32]


class Strings(Sequence[str]):
    """A column of strings, each decoded when it is asked for.

    >>> import pyarrow as pa
    >>> words = Strings(pa.chunked_array([["ash", "élan", "oak"]]))
    >>> words[1], words[1:], len(words)
    ('élan', ['élan', 'oak'], 3)
    """

    def __init__(self, column: "pa.ChunkedArray") -> None:
        self._offsets, data = _offsets(column), b""
        if len(column):
            (chunk,) = column.chunks
            data = chunk.buffers()[2] or b""
        self._data = memoryview(data)
        self._ends = self._offsets.data  # gives Python's own integers, in a third of the time

    @classmethod
    def of(cls, strings: Sequence[str]) -> "Strings":
        """Make such a column of strings in memory."""
        import pyarrow as pa

        spare_pandas()
        return cls(pa.chunked_array([pa.array(list(strings), pa.string())]))

    def __len__(self) -> int:
        return len(self._offsets) - 1

    @overload
    def __getitem__(self, i: int) -> str: ...
    @overload
    def __getitem__(self, i: slice) -> list[str]: ...
    def __getitem__(self, i: int | slice) -> str | list[str]:
        if isinstance(i, slice):
            return [self[j] for j in range(*i.indices(len(self)))]
        if not 0 <= i < len(self._ends) - 1:
            raise IndexError(i)
        return str(self._data[self._ends[i] : self._ends[i + 1]], "utf-8")

    def of_size(self, least: int, most: int, start: int = 0, end: int | None = None) -> npt.NDArray[np.int64]:
        """Return the positions from `start` to `end` of the strings of `least` to `most` bytes, ascending."""
        sizes = np.diff(self._offsets[start : len(self) + 1 if end is None else end + 1])
        return start + np.flatnonzero((sizes >= least) & (sizes <= most))

    def ending(self, positions: npt.NDArray[np.int64], tail: bytes) -> npt.NDArray[np.int64]:
        """Return those of `positions` whose strings end with `tail`; all must have as many bytes."""
        data = np.frombuffer(self._data, np.uint8)
        for back, byte in enumerate(reversed(tail), start=1):
            if not len(positions):
                break
            positions = positions[data[self._offsets[positions + 1] - back] == byte]
        return positions

    def code_points(self, positions: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.int64]]:
        """Return the code points of strings, (n, longest) filled up with 0, and how many each has, (n,)."""
        data, starts = np.frombuffer(self._data, np.uint8), self._offsets[positions].astype(np.int64)
        sizes = self._offsets[positions + 1] - starts
        own = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        held = data[np.repeat(starts, sizes) + own]
        begins = (held & 0xC0) != 0x80  # the other bytes of a character in UTF-8 begin with 10
        owner = np.repeat(np.arange(len(positions)), sizes)[begins]
        lengths = np.bincount(owner, minlength=len(positions))
        points = np.zeros((len(positions), lengths.max(initial=0)), np.uint32)
        column = np.arange(len(owner)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        points[owner, column] = np.frombuffer(held.tobytes().decode("utf-8").encode("utf-32-le"), np.uint32)
        return points, lengths


def numbers(column: "pa.ChunkedArray", dtype: str) -> npt.NDArray[Any]:
    """Return a column of numbers, shape (n_rows,)."""
    if not len(column):
        return np.zeros(0, dtype)
    (values,) = column.chunks
    return np.frombuffer(values.buffers()[1], dtype)[values.offset : values.offset + len(values)]


def lists(column: "pa.ChunkedArray", dtype: str) -> tuple[Offsets, npt.NDArray[Any]]:
    """Return the offsets, shape (n_rows + 1,), and the values of a column of lists."""
    offsets = _offsets(column)
    if offsets[-1] == 0:
        return offsets, np.zeros(0, dtype)
    (chunk,) = column.chunks
    values = chunk.values
    return offsets, np.frombuffer(values.buffers()[1], dtype)[values.offset :][: offsets[-1]]


def matrices(column: "pa.ChunkedArray", dtype: str) -> list[npt.NDArray[Any]]:
    """Return a column of lists that are all as long, by chunk, (n_rows, length) each; none where lists are empty."""
    found = []
    for chunk in column.chunks:
        values = chunk.flatten()
        if len(values):
            data = np.frombuffer(values.buffers()[1], dtype)[values.offset : values.offset + len(values)]
            found.append(data.reshape(len(chunk), -1))
    return found


def _offsets(column: "pa.ChunkedArray") -> Offsets:
    if not len(column):
        return np.zeros(1, np.int32)
    (chunk,) = column.chunks
    return np.frombuffer(chunk.buffers()[1], np.int32)[chunk.offset : chunk.offset + len(chunk) + 1]
