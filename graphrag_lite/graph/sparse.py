"""Sparse matrices, and weighted graphs, as three arrays, with what a run and a question take of them.

Loading scipy.sparse takes longer than the graph of a small index, or of one edit, and nothing else needs it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Csr:
    """Row i has the entries `indptr[i]` to `indptr[i + 1]` of `indices` (its columns) and `data`; others are 0.

    The arrays may be mapped from a file: none is written to.

    >>> matrix = from_dense(np.array([[1.0, 3.0], [0.0, 2.0], [0.0, 0.0]]))
    >>> (matrix @ np.array([1.0, 10.0])).tolist(), matrix.columns(np.array([1.0, 10.0, 5.0])).tolist()
    ([31.0, 20.0, 0.0], [1.0, 23.0])
    """

    indptr: NDArray[Any]  # (n_rows + 1,)
    indices: NDArray[Any]  # (n_entries,)
    data: NDArray[Any]  # (n_entries,)
    n_columns: int

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and of columns."""
        return len(self.indptr) - 1, self.n_columns

    @property
    def sizes(self) -> NDArray[Any]:
        """How many entries each row has, (n_rows,)."""
        return np.diff(self.indptr)

    def row(self, i: int) -> NDArray[Any]:
        """Return the columns in which a row has entries."""
        return self.indices[self.indptr[i] : self.indptr[i + 1]]

    def with_data(self, data: NDArray[Any]) -> "Csr":
        """Return the matrix with other values."""
        return replace(self, data=data)

    def __matmul__(self, vector: Vector) -> Vector:
        """Return the product with a column vector, (n_columns,) to (n_rows,)."""
        return node_strengths(self.with_data(self.data * vector[self.indices]))

    def columns(self, vector: Vector) -> Vector:
        """Return the product of a row vector with the matrix, (n_rows,) to (n_columns,)."""
        values = self.data * np.repeat(vector, self.sizes)
        return np.bincount(self.indices, values, minlength=self.n_columns).astype(np.float64, copy=False)


Adjacency = Csr  # symmetric, of weights, (n_nodes, n_nodes), the entries of each row by column


def from_dense(values: ArrayLike) -> Csr:
    """Return a matrix of what is not 0 in an array of two dimensions."""
    dense = np.asarray(values)
    rows, columns = dense.nonzero()
    indptr = np.append(0, np.cumsum(np.bincount(rows, minlength=len(dense))))
    return Csr(indptr, columns.astype(np.int32), dense[rows, columns], dense.shape[1])


def from_edges(
    sources: NDArray[np.int64], targets: NDArray[np.int64], weights: NDArray[np.float64], n_nodes: int
) -> Csr:
    """Return the graph with these edges, each of which is given once and leads from one node to another.

    >>> from_edges(np.array([2]), np.array([0]), np.array([9.0]), 3).indptr.tolist()
    [0, 1, 1, 2]
    """
    ends = np.concatenate([sources, targets]), np.concatenate([targets, sources])
    order = np.lexsort(ends[::-1])
    n_of = np.bincount(ends[0], minlength=n_nodes)
    return Csr(np.append(0, np.cumsum(n_of)), ends[1][order], np.concatenate([weights, weights])[order], n_nodes)


def flat(parts: Sequence[NDArray[np.int64]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return which part each value is of, and the values."""
    none = np.zeros(0, np.int64)
    return np.repeat(np.arange(len(parts)), [len(part) for part in parts]), np.concatenate([none, *parts])


def edges_inside(
    levels: Sequence[int],
    members: Sequence[NDArray[np.int64]],
    sources: NDArray[np.int64],
    targets: NDArray[np.int64],
    n_nodes: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return which community holds both ends of an edge, ascending, and the number of each; they stand by level.

    Those of one level have no member in common.

    >>> members = [np.array([0, 1, 2]), np.array([1, 2])]
    >>> owners, edges = edges_inside([0, 1], members, np.array([0, 1]), np.array([1, 2]), 3)
    >>> owners.tolist(), edges.tolist()
    ([0, 0, 1], [0, 1, 1])
    """
    owners, inside = [], []
    for _, level in groupby(enumerate(levels), key=itemgetter(1)):
        indices = np.array([index for index, _ in level])
        numbers, nodes = flat([members[index] for index in indices.tolist()])
        labels = np.full(n_nodes, -1)
        labels[nodes] = indices[numbers]
        held = np.flatnonzero((labels[sources] == labels[targets]) & (labels[sources] >= 0))
        by_owner = held[np.argsort(labels[sources[held]], kind="stable")]
        owners.append(labels[sources[by_owner]])
        inside.append(by_owner)
    return flat(owners)[1], flat(inside)[1]


def source_nodes(adjacency: Adjacency) -> NDArray[np.int64]:
    """Return the node that each entry starts from, (n_entries,)."""
    return np.repeat(np.arange(adjacency.shape[0]), np.diff(adjacency.indptr))


def rows_of(adjacency: Adjacency, nodes: NDArray[np.int64]) -> Csr:
    """Return the rows of some nodes, at the cost of their own entries."""
    firsts = adjacency.indptr[nodes]
    sizes = adjacency.indptr[nodes + 1] - firsts
    indptr = np.append(0, np.cumsum(sizes))
    flat = np.arange(indptr[-1]) + np.repeat(firsts - indptr[:-1], sizes)
    return Csr(indptr, adjacency.indices[flat], adjacency.data[flat], adjacency.shape[1])


def node_strengths(adjacency: Adjacency) -> NDArray[np.float64]:
    """Return the sum of each node's weights, (n_nodes,)."""
    found = np.zeros(adjacency.shape[0])
    held = np.flatnonzero(np.diff(adjacency.indptr))
    if len(held):
        found[held] = np.add.reduceat(adjacency.data, adjacency.indptr[held])
    return found


def components(adjacency: Adjacency) -> NDArray[np.int64]:
    """Return the smallest node that each node is connected with, itself or another, (n_nodes,).

    Nodes take over the smallest label that they know of, and what that one is labelled, until none changes.

    >>> components(from_edges(np.array([3]), np.array([1]), np.array([1.0]), 4)).tolist()
    [0, 1, 2, 1]
    """
    labels = np.arange(adjacency.shape[0])
    rows, columns = source_nodes(adjacency), adjacency.indices
    while len(rows):
        low = labels.copy()
        np.minimum.at(low, labels[rows], labels[columns])
        while (low != low[low]).any():
            low = low[low]
        if (low[labels] == labels).all():
            break
        labels = low[labels]
    return labels
