"""A hierarchy of communities goes on from that of an older graph: what did not change stays as it is.

The same seed gives no stability: it is one more node, or another order of nodes, and Leiden finds another partition of
about the same modularity. So only nodes that the change has touched may move, level by level from the top. A community
of the same members keeps all that is below it.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graphrag_lite.graph.leiden import (
    STEPS,
    Community,
    hierarchical_leiden,
    induced_subgraph,
    modularity,
    says_something,
    split,
    split_further,
)
from graphrag_lite.graph.local_moving import connected_parts, moved_partition
from graphrag_lite.graph.sparse import Adjacency

Part = tuple[NDArray[np.int64], int, bool]
"""Members, ascending; the index of what it was in the older hierarchy, -1 where it is new; whether it is the same."""

# From where a partition is made anew. With as many new or moved nodes most reports would be written again in any case.
# In modularity, partitions of one graph by Leiden differ by up to .01 from seed to seed (podcasts .005, earnings .008).
MOST_NEW = 0.15
MOST_MOVED = 0.10
MOST_LOST = 0.02


@dataclass(frozen=True)
class Older:
    """A hierarchy before a change, on the nodes of the graph after it."""

    communities: Sequence[Community]  # parents before children, members by today's node numbers, without those gone
    sizes: NDArray[np.int64]  # (n_communities,), with the nodes that are gone
    touched: NDArray[np.bool_]  # (n_nodes,), the ends of edges that are new or gone: these may move


def next_hierarchy(
    adjacency: Adjacency, older: Older, *, max_cluster_size: int = 10, resolution: float = 1.0, seed: int = 0
) -> tuple[list[Community], str]:
    """Return the hierarchy that goes on from an older one, and why it was made anew instead, empty where it was not.

    It is made anew (`hierarchical_leiden`) where over `MOST_NEW` of the nodes are new, where over `MOST_MOVED` of the
    old ones have left the community that holds most of their former one at level 0, and where the modularity of level
    0 is more than `MOST_LOST` below that of a partition made anew. This is made for every comparison: it costs little,
    and a modularity remembered from another graph would tell of the graph's change as well.
    """
    n_nodes = adjacency.shape[0]
    before = np.full(n_nodes, -1, dtype=np.int64)
    for index, community in enumerate(older.communities):
        if community.level == 0:
            before[community.members] = index
    old = before >= 0
    top, why = None, ""
    found: list[Community] = []
    if (new := n_nodes - int(old.sum())) > MOST_NEW * n_nodes:
        why = f"{new / n_nodes:.0%} of the related entities are new"
    else:
        found = updated_hierarchy(adjacency, older, max_cluster_size=max_cluster_size, resolution=resolution, seed=seed)
        labels = _labels(np.arange(n_nodes), [community.members for community in found if community.level == 0])
        top = split(adjacency, np.arange(n_nodes), resolution, seed)
        best = modularity(adjacency, _labels(np.arange(n_nodes), top), resolution)
        if (moved := _moved(before[old], labels[old])) > MOST_MOVED:
            why = f"{moved:.0%} of the entities would have moved"
        elif (lost := best - modularity(adjacency, labels, resolution)) > MOST_LOST:
            why = f"their modularity would be lower by {lost:.3f}"
    if why:
        found = hierarchical_leiden(
            adjacency, max_cluster_size=max_cluster_size, resolution=resolution, seed=seed, top=top
        )
    return found, why


def _moved(before: NDArray[np.int64], after: NDArray[np.int64]) -> float:
    """Return the share of nodes that are not where most of their former community is."""
    pairs, shared = np.unique(np.stack([before, after]), axis=1, return_counts=True)
    stay = np.zeros(int(before.max(initial=-1)) + 1, dtype=np.int64)
    np.maximum.at(stay, pairs[0], shared)
    return 1 - float(stay.sum()) / len(before) if len(before) else 0.0


def updated_hierarchy(
    adjacency: Adjacency, older: Older, *, max_cluster_size: int = 10, resolution: float = 1.0, seed: int = 0
) -> list[Community]:
    """Return the hierarchy that `older` becomes on a graph that has changed.

    `adjacency` is that of `hierarchical_leiden`. What holds for its result holds here: every level partitions what it
    splits, a community grown too large is split, one no longer too large has no children, all are connected.

    >>> from scipy.sparse import csr_matrix
    >>> path = csr_matrix([[0, 9, 0, 0], [9, 0, 1, 0], [0, 1, 0, 9], [0, 0, 9, 0]], dtype=float)
    >>> communities = [Community(0, -1, np.array([0, 1])), Community(0, -1, np.array([2]))]
    >>> older = Older(communities, np.array([2, 2]), np.array([False, False, True, True]))
    >>> [community.members.tolist() for community in updated_hierarchy(path, older)]
    [[0, 1], [2, 3]]
    """
    nodes = np.arange(adjacency.shape[0])
    communities, free = older.communities, older.touched
    children: dict[int, list[int]] = defaultdict(list)
    for index, community in enumerate(communities):
        children[community.parent].append(index)
    visit = _to_visit(adjacency, older)
    lookup = np.full(len(nodes), -1)

    def below(members: NDArray[np.int64], was: int, same: bool) -> list[Part]:
        """Return the parts of a community."""
        if same and not visit[was]:
            return [(communities[child].members, child, True) for child in children[was]]
        if len(members) <= max_cluster_size:
            return []
        inner = induced_subgraph(adjacency, members, lookup)
        if was >= 0 and children[was]:
            before = _labels(members, [communities[child].members for child in children[was]])
            may_move = (before < 0) | free[members]
            for step in STEPS:
                after = moved_partition(inner, before, may_move, resolution * step)
                parts = _parts(members, after, communities, children[was])
                whole = np.zeros(len(members), dtype=np.int64)
                # Finer where a split at this resolution is no better than none, as in `split_further`.
                if says_something([len(part) for part, *_ in parts]) and modularity(
                    inner, after, resolution * step
                ) > modularity(inner, whole, resolution * step):
                    return parts
        return [(part, -1, False) for part in split_further(inner, members, resolution, seed)]

    before = _labels(nodes, [communities[child].members for child in children[-1]])
    after = moved_partition(adjacency, before, free | (before < 0), resolution)
    found: list[Community] = []
    waiting = [(0, -1, part) for part in _parts(nodes, after, communities, children[-1])]
    position = 0
    while position < len(waiting):
        level, parent, (members, was, same) = waiting[position]
        found.append(Community(level, parent, members))
        waiting += [(level + 1, position, part) for part in below(members, was, same)]
        position += 1
    return found


def _to_visit(adjacency: Adjacency, older: Older) -> NDArray[np.bool_]:
    """Say of each older community whether it has lost a node, is not connected, or holds one like that."""
    communities = older.communities
    visit = (older.sizes > [len(community.members) for community in communities]) | _torn(adjacency, communities)
    for index in range(len(communities) - 1, -1, -1):
        if visit[index] and communities[index].parent >= 0:
            visit[communities[index].parent] = True
    return visit


def _torn(adjacency: Adjacency, communities: Sequence[Community]) -> NDArray[np.bool_]:
    """Say of each community whether it is not connected."""
    torn = np.zeros(len(communities), dtype=bool)
    for level in range(max((community.level for community in communities), default=-1) + 1):
        at = [index for index, community in enumerate(communities) if community.level == level]
        labels = _labels(np.arange(adjacency.shape[0]), [communities[index].members for index in at])
        labels[labels < 0] = len(at)
        parts = connected_parts(adjacency, labels)
        apart = np.unique(labels[parts != labels])
        torn[[at[label] for label in apart.tolist() if label < len(at)]] = True
    return torn


def _labels(nodes: NDArray[np.int64], parts: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return which of the parts each of the nodes (ascending) is in, -1 where it is in none."""
    labels = np.full(len(nodes), -1, dtype=np.int64)
    if not parts or not len(nodes):
        return labels
    members = np.concatenate(parts)
    position = np.minimum(np.searchsorted(nodes, members), len(nodes) - 1)
    here = nodes[position] == members
    labels[position[here]] = np.repeat(np.arange(len(parts)), [len(part) for part in parts])[here]
    return labels


def _parts(
    nodes: NDArray[np.int64], labels: NDArray[np.int64], older: Sequence[Community], named: Sequence[int]
) -> list[Part]:
    """Return the communities that labels make of nodes (ascending); label i is that of the older `named[i]`."""
    order = np.argsort(labels, kind="stable")
    cuts = np.flatnonzero(np.diff(labels[order])) + 1
    parts: list[Part] = []
    for rows in np.split(order, cuts) if len(nodes) else []:
        label, members = int(labels[rows[0]]), nodes[rows]
        was = named[label] if label < len(named) else -1
        parts.append((members, was, was >= 0 and np.array_equal(members, older[was].members)))
    return sorted(parts, key=lambda part: (-len(part[0]), int(part[0][0])))
