"""A weighted graph as three arrays, as scipy's CSR matrices have them.

Loading scipy.sparse takes longer than the graph of a small index, or of one edit, and nothing else of a run needs it.
"""

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray


class Adjacency(Protocol):
    """A symmetric matrix of weights, shape (n_nodes, n_nodes): row i has the entries `indptr[i]` to `indptr[i + 1]`.

    A CSR matrix of scipy is one.
    """

    @property
    def indptr(self) -> NDArray[Any]: ...
    @property
    def indices(self) -> NDArray[Any]: ...
    @property
    def data(self) -> NDArray[Any]: ...


class Graph(NamedTuple):
    """An `Adjacency` of our own. Its rows need not be those of all nodes (`rows_of`)."""

    indptr: NDArray[Any]
    indices: NDArray[Any]
    data: NDArray[Any]


def from_edges(
    sources: NDArray[np.int64], targets: NDArray[np.int64], weights: NDArray[np.float64], n_nodes: int
) -> Graph:
    """Return the graph with these edges, each of which is given once and leads from one node to another.

    >>> from_edges(np.array([2]), np.array([0]), np.array([9.0]), 3).indptr.tolist()
    [0, 1, 1, 2]
    """
    ends = np.concatenate([sources, targets]), np.concatenate([targets, sources])
    order = np.lexsort(ends[::-1])
    n_of = np.bincount(ends[0], minlength=n_nodes)
    return Graph(np.append(0, np.cumsum(n_of)), ends[1][order], np.concatenate([weights, weights])[order])


def n_nodes(adjacency: Adjacency) -> int:
    return len(adjacency.indptr) - 1


def source_nodes(adjacency: Adjacency) -> NDArray[np.int64]:
    """Return the node that each entry starts from, (n_entries,)."""
    return np.repeat(np.arange(n_nodes(adjacency)), np.diff(adjacency.indptr))


def rows_of(adjacency: Adjacency, nodes: NDArray[np.int64]) -> Graph:
    """Return the rows of some nodes, at the cost of their own entries."""
    firsts = adjacency.indptr[nodes]
    sizes = adjacency.indptr[nodes + 1] - firsts
    indptr = np.append(0, np.cumsum(sizes))
    flat = np.arange(indptr[-1]) + np.repeat(firsts - indptr[:-1], sizes)
    return Graph(indptr, adjacency.indices[flat], adjacency.data[flat])


def node_strengths(adjacency: Adjacency) -> NDArray[np.float64]:
    """Return the sum of each node's weights, (n_nodes,)."""
    found = np.zeros(n_nodes(adjacency))
    held = np.flatnonzero(np.diff(adjacency.indptr))
    if len(held):
        found[held] = np.add.reduceat(adjacency.data, adjacency.indptr[held])
    return found


def in_order(adjacency: Adjacency) -> Adjacency:
    """Return the graph with the entries of each row by node."""
    rows = source_nodes(adjacency)
    if (np.diff(rows * len(adjacency.indptr) + adjacency.indices) > 0).all():
        return adjacency
    order = np.lexsort((adjacency.indices, rows))
    return Graph(adjacency.indptr, adjacency.indices[order], adjacency.data[order])


def components(adjacency: Adjacency) -> NDArray[np.int64]:
    """Return the smallest node that each node is connected with, itself or another, (n_nodes,).

    Nodes take over the smallest label that they know of, and what that one is labelled, until none changes.

    >>> components(from_edges(np.array([3]), np.array([1]), np.array([1.0]), 4)).tolist()
    [0, 1, 2, 1]
    """
    labels = np.arange(n_nodes(adjacency))
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
