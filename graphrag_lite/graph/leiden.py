"""Hierarchical Leiden (Traag, Waltman, van Eck 2019, arXiv 1810.08473) over graspologic-native's `leiden_csr`.

The recursion is ours because the library's own does not keep `max_cluster_size` (10 gave leaves of 18-39) and leaves
isolated nodes out. Edges stand in order in every call: their order changes the result as much as the seed.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graphrag_lite.graph.sparse import Adjacency, Csr, node_strengths, rows_of, source_nodes

RANDOMNESS = 0.001  # the library's default
STEPS = (1.0, 1.5, 2.0, 3.0)  # how much finer a community that is still too large is tried to be split


@dataclass(frozen=True)
class Community:
    """A community of the hierarchy. `parent` is an index into the list that holds it, -1 at level 0."""

    level: int
    parent: int
    members: NDArray[np.int64]  # node numbers, ascending


def hierarchical_leiden(
    adjacency: Adjacency,
    *,
    max_cluster_size: int = 10,
    resolution: float = 1.0,
    seed: int = 0,
    top: list[NDArray[np.int64]] | None = None,
) -> list[Community]:
    """Split a graph into communities, and each one larger than `max_cluster_size` again, as long as that splits it.

    `adjacency` is symmetric with non-negative weights, shape (n_nodes, n_nodes). Every node is in one community of
    level 0, an isolated node in one of its own; the children of a community partition it. A parent stands before its
    children; within a split, larger communities come first, ties by smallest member. `top` is the partition of level 0,
    as `split` returns it, where it is known already.

    >>> from scipy.sparse import csr_matrix
    >>> two_pairs = csr_matrix([[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]], dtype=float)
    >>> [community.members.tolist() for community in hierarchical_leiden(two_pairs)]
    [[0, 1], [2, 3]]
    """
    if top is None:
        top = split(adjacency, np.arange(adjacency.shape[0]), resolution, seed)
    found = [Community(0, -1, members) for members in top]
    lookup = np.full(adjacency.shape[0], -1)
    position = 0
    while position < len(found):
        community = found[position]
        if len(community.members) > max_cluster_size:
            inner = induced_subgraph(adjacency, community.members, lookup)
            parts = split_further(inner, community.members, resolution, seed)
            found += [Community(community.level + 1, position, part) for part in parts]
        position += 1
    return found


def split_further(
    inner: Adjacency, members: NDArray[np.int64], resolution: float, seed: int
) -> list[NDArray[np.int64]]:
    """Return the parts that a community too large is split into, none where nothing splits it.

    `inner` holds the weights among its members, in their order.
    """
    for step in STEPS:
        parts = split(inner, members, resolution * step, seed)
        if says_something([len(part) for part in parts]):
            return parts
    return []


def says_something(sizes: Sequence[int]) -> bool:
    """Say whether parts of these sizes are a split: a dense community rather stays whole than falls into nodes."""
    return len(sizes) > 1 and sum(size == 1 for size in sizes) <= len(sizes) // 2


def induced_subgraph(adjacency: Adjacency, nodes: NDArray[np.int64], lookup: NDArray[np.int64]) -> Csr:
    """Return the subgraph on `nodes` at a cost of its own edges; `lookup` is scratch of -1, shape (n_nodes,)."""
    rows = rows_of(adjacency, nodes)
    lookup[nodes] = np.arange(len(nodes))
    columns = lookup[rows.indices]
    lookup[nodes] = -1
    inside = columns >= 0
    indptr = np.concatenate([[0], np.cumsum(inside)])[rows.indptr]
    return Csr(indptr, columns[inside], rows.data[inside], len(nodes))


def split(adjacency: Adjacency, nodes: NDArray[np.int64], resolution: float, seed: int) -> list[NDArray[np.int64]]:
    """Return one Leiden partition of `nodes`, whose weights `adjacency` holds in the same order."""
    from graspologic_native import leiden_csr

    connected = np.flatnonzero(np.diff(adjacency.indptr))
    labels = -1 - np.arange(len(nodes))  # an isolated node keeps a label of its own
    if adjacency.data.any():  # the library ends the process where no edge weighs anything
        _, partition = leiden_csr(
            adjacency.indptr.astype(np.int64),
            adjacency.indices.astype(np.int32),
            adjacency.data.astype(np.float64),
            len(nodes),
            resolution=resolution,
            randomness=RANDOMNESS,
            iterations=2,
            seed=seed,
        )
        labels[connected] = [partition[node] for node in connected.tolist()]
    order = np.argsort(labels, kind="stable")
    cuts = np.flatnonzero(np.diff(labels[order])) + 1
    parts = [np.sort(nodes[part]) for part in np.split(order, cuts)] if len(nodes) else []
    return sorted(parts, key=lambda part: (-len(part), int(part[0])))


def modularity(adjacency: Adjacency, labels: NDArray[np.int64], resolution: float = 1.0) -> float:
    """Return Newman's modularity of a partition, `labels` of shape (n_nodes,), of a symmetric weighted graph."""
    total = adjacency.data.sum()
    if not total:
        return 0.0
    inside = adjacency.data[labels[source_nodes(adjacency)] == labels[adjacency.indices]].sum() / total
    shares = np.bincount(np.unique(labels, return_inverse=True)[1], weights=node_strengths(adjacency)) / total
    return float(inside - resolution * (shares**2).sum())
