"""Columns of mapped tables as they lie in the file: nothing is copied, and only what is touched is read.

Arrow's own `to_numpy` would import pandas, which takes longer than a query.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import numpy.typing as npt

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

    def __len__(self) -> int:
        return len(self._offsets) - 1

    @overload
    def __getitem__(self, i: int) -> str: ...
    @overload
    def __getitem__(self, i: slice) -> list[str]: ...
    def __getitem__(self, i: int | slice) -> str | list[str]:
        if isinstance(i, slice):
            return [self[j] for j in range(*i.indices(len(self)))]
        if not 0 <= i < len(self):
            raise IndexError(i)
        return str(self._data[self._offsets[i] : self._offsets[i + 1]], "utf-8")


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
