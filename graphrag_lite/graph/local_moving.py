"""One partition of a graph goes on from an older one: a few nodes may move, all others stay where they are.

The moves are those of the fast local moving of Leiden (Traag, Waltman, van Eck 2019, arXiv 1810.08473, algorithm A.2),
by gain of modularity. What comes into being is merged as the second phase of Louvain would (Blondel et al. 2008).
"""

from collections import deque

import numpy as np
from numpy.typing import NDArray

from graphrag_lite.graph.sparse import Adjacency, Csr, components, node_strengths, rows_of

Labels = NDArray[np.int64]
# A node leaves its community only for a gain of this share of its strength: what hardly gains would be moved to and fro
# by the next documents. Reports rewritten at +1% of earnings calls: 5.7% at 0, 4.8% at .2, for .0005 of modularity.
RELUCTANCE = 0.2
LEAST = 1e-9  # a gain counts from this share of the total weight: rounding must not move a node to and fro


def moved_partition(adjacency: Adjacency, labels: Labels, free: NDArray[np.bool_], resolution: float = 1.0) -> Labels:
    """Return the labels after the `free` nodes have moved to where modularity gains most.

    `adjacency` is symmetric, its entries sorted, without a diagonal; `labels` and `free` have shape (n_nodes,). A node
    of label -1 is new: it starts alone. Communities that are not connected are taken apart, of which the largest part
    keeps the label. A label above all that came in is that of a new community. Ties go to the lowest label; nodes move
    in ascending order, again when a neighbour has moved. The cost is that of the free nodes' edges, plus a few passes
    in numpy.

    >>> from scipy.sparse import csr_matrix
    >>> path = csr_matrix([[0, 9, 0, 0], [9, 0, 1, 0], [0, 1, 0, 9], [0, 0, 9, 0]], dtype=float)
    >>> moved_partition(path, np.array([0, 0, 1, -1]), np.array([False, False, False, True])).tolist()
    [0, 0, 1, 1]
    """
    labels = labels.copy()
    first_new = int(labels.max(initial=-1)) + 1
    new = np.flatnonzero(labels < 0)
    labels[new] = first_new + np.arange(len(new))
    strength = node_strengths(adjacency)
    if not strength.any():
        return connected_parts(adjacency, labels)
    price = resolution / strength.sum()
    labels = connected_parts(adjacency, labels)
    reluctance = RELUCTANCE * strength
    reluctance[new] = 0.0
    _move_nodes(adjacency, labels, np.flatnonzero(free), strength, price, reluctance + LEAST / price)
    labels = connected_parts(adjacency, labels)
    _merge(adjacency, labels, first_new, strength, price)
    return labels


def connected_parts(adjacency: Adjacency, labels: Labels) -> Labels:
    """Return labels of which each is of connected nodes: the largest part of a community keeps its label.

    Ties go to the part of the smallest node. New labels count on from the highest.

    >>> from scipy.sparse import csr_matrix
    >>> connected_parts(csr_matrix([[0, 1, 0], [1, 0, 0], [0, 0, 0]], dtype=float), np.array([4, 4, 4])).tolist()
    [4, 4, 5]
    """
    inside = np.repeat(labels, np.diff(adjacency.indptr)) == labels[adjacency.indices]
    indptr = np.concatenate([[0], np.cumsum(inside)])[adjacency.indptr]
    within = Csr(indptr, adjacency.indices[inside], adjacency.data[inside], adjacency.shape[1])
    first, part, size = np.unique(components(within), return_inverse=True, return_counts=True)
    order = np.lexsort((first, -size, labels[first]))
    keeps = np.ones(len(first), dtype=bool)
    keeps[1:] = np.diff(labels[first[order]]) != 0
    names = labels[first]
    apart = order[~keeps]
    names[apart] = int(labels.max(initial=-1)) + 1 + np.arange(len(apart))
    return names[part]


def _move_nodes(
    adjacency: Adjacency,
    labels: Labels,
    order: NDArray[np.int64],
    strength: NDArray[np.float64],
    price: float,
    least: NDArray[np.float64],
) -> None:
    """Move nodes, in place, until none of them gains more than its `least` by it, shape (n_nodes,)."""
    indptr, indices, data = adjacency.indptr, adjacency.indices, adjacency.data
    weights = np.bincount(labels, weights=strength).tolist()  # of each community
    free = np.zeros(len(labels), dtype=bool)
    free[order] = True
    waiting = free.copy()
    queue = deque(order.tolist())
    while queue:
        node = queue.popleft()
        waiting[node] = False
        span = slice(indptr[node], indptr[node + 1])
        own = int(labels[node])
        costs = price * strength[node]
        weights[own] -= strength[node]
        near, inverse = np.unique(labels[indices[span]], return_inverse=True)
        ties = np.bincount(inverse, weights=data[span]) if len(near) else np.zeros(0)
        gain = ties - costs * np.array([weights[label] for label in near.tolist()])
        here = np.flatnonzero(near == own)
        stays = float(gain[here[0]]) if len(here) else -costs * weights[own]
        best = int(np.argmax(gain)) if len(near) else -1
        goes, target = (float(gain[best]), int(near[best])) if best >= 0 else (0.0, own)
        if goes < 0:
            goes, target = 0.0, len(weights)  # it is better off alone
        if goes <= stays + least[node]:
            weights[own] += strength[node]
            continue
        if target == len(weights):
            weights.append(0.0)
        weights[target] += strength[node]
        labels[node] = target
        neighbours = indices[span]
        again = neighbours[free[neighbours] & ~waiting[neighbours] & (labels[neighbours] != target)]
        waiting[again] = True
        queue.extend(again.tolist())


def _merge(adjacency: Adjacency, labels: Labels, first_new: int, strength: NDArray[np.float64], price: float) -> None:
    """Merge each new community, in place, with the neighbour that gains most, until none gains."""
    weights = np.bincount(labels, weights=strength)
    new = np.flatnonzero(labels >= first_new)
    new = new[np.argsort(labels[new], kind="stable")]
    cuts = np.flatnonzero(np.diff(labels[new])) + 1
    members = {int(labels[part[0]]): part for part in np.split(new, cuts) if len(part)}
    least = LEAST / price
    queue = deque(sorted(members))
    while queue:
        label = queue.popleft()
        if label not in members:
            continue
        rows = rows_of(adjacency, members[label])
        outside = labels[rows.indices] != label
        near, inverse = np.unique(labels[rows.indices[outside]], return_inverse=True)
        if not len(near):
            continue
        gain = np.bincount(inverse, weights=rows.data[outside]) - price * weights[label] * weights[near]
        best = int(np.argmax(gain))
        if gain[best] <= least:
            continue
        target = int(near[best])
        mine = members.pop(label)
        labels[mine] = target
        weights[target] += weights[label]
        weights[label] = 0.0
        if target in members:
            members[target] = np.sort(np.concatenate([members[target], mine]))
            queue.append(target)
