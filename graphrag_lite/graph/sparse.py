"""A sparse matrix as three arrays, with the few products that a question takes: loading scipy.sparse takes longer."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from graphrag_lite.graph.adjacency import node_strengths, rows_of

Vector = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Csr:
    """Row i has the entries `indptr[i]` to `indptr[i + 1]` of `indices` (its columns) and `data`; others are 0.

    The arrays may be mapped from a file: none is written to.

    >>> matrix = from_dense(np.array([[1.0, 3.0], [0.0, 2.0], [0.0, 0.0]]))
    >>> (matrix @ np.array([1.0, 10.0])).tolist(), matrix.columns(np.array([1.0, 10.0, 5.0])).tolist()
    ([31.0, 20.0, 0.0], [1.0, 23.0])
    """

    indptr: npt.NDArray[Any]  # (n_rows + 1,)
    indices: npt.NDArray[Any]  # (n_entries,)
    data: npt.NDArray[Any]  # (n_entries,)
    n_columns: int

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and of columns."""
        return len(self.indptr) - 1, self.n_columns

    @property
    def sizes(self) -> npt.NDArray[Any]:
        """How many entries each row has, (n_rows,)."""
        return np.diff(self.indptr)

    def row(self, i: int) -> npt.NDArray[Any]:
        """Return the columns in which a row has entries."""
        return self.indices[self.indptr[i] : self.indptr[i + 1]]

    def rows(self, places: npt.NDArray[np.int64]) -> "Csr":
        """Return some rows, in that order."""
        return Csr(*rows_of(self, places), self.n_columns)

    def with_data(self, data: npt.NDArray[Any]) -> "Csr":
        """Return the matrix with other values."""
        return replace(self, data=data)

    def __matmul__(self, vector: Vector) -> Vector:
        """Return the product with a column vector, (n_columns,) to (n_rows,)."""
        return node_strengths(self.with_data(self.data * vector[self.indices]))

    def columns(self, vector: Vector) -> Vector:
        """Return the product of a row vector with the matrix, (n_rows,) to (n_columns,)."""
        values = self.data * np.repeat(vector, self.sizes)
        return np.bincount(self.indices, values, minlength=self.n_columns).astype(np.float64, copy=False)


def from_dense(values: npt.ArrayLike) -> Csr:
    """Return a matrix of what is not 0 in an array of two dimensions."""
    dense = np.asarray(values)
    rows, columns = dense.nonzero()
    indptr = np.append(0, np.cumsum(np.bincount(rows, minlength=len(dense))))
    return Csr(indptr, columns.astype(np.int32), dense[rows, columns], dense.shape[1])
