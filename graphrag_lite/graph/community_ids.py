"""Communities keep their id and number from run to run: a community is the one that it shares most members with."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from graphrag_lite.graph.leiden import Community
from graphrag_lite.graph.sparse import Csr, rows_of
from graphrag_lite.tables import content_id

# Below, a community would be called after one that mostly went elsewhere. Above one half of all members of both, two
# communities of one level have no other partner in it.
LEAST_OVERLAP = 0.5


def successors(
    older: Sequence[Community], sizes: Sequence[int] | NDArray[np.int64], newer: Sequence[Community], n_nodes: int
) -> list[int]:
    """Return the index of the older community that each newer one goes on from, -1 where there is none.

    Pairs are made one to one by descending Jaccard index of members, above `LEAST_OVERLAP`; ties go to a pair of one
    level, then in order. The level may be another: where a hierarchy is made anew, a tenth of the communities are found
    again a level up or down, and what is said of their members still holds. Members are node numbers of the newer
    graph; `sizes` are those of the older communities with the nodes that are gone.

    >>> older = [Community(0, -1, np.array([0, 1, 2])), Community(0, -1, np.array([3]))]
    >>> newer = [Community(0, -1, np.array([0, 1, 2, 4])), Community(0, -1, np.array([3, 5, 6]))]
    >>> successors(older, [3, 1], newer, 7)
    [0, -1]
    """
    now, was, shared = _shared(newer, older, n_nodes)
    size = np.array([len(community.members) for community in newer], dtype=np.int64)
    overlap = shared / (size[now] + np.asarray(sizes, dtype=np.int64)[was] - shared)
    levels = [np.array([community.level for community in communities]) for communities in (newer, older)]
    near = np.flatnonzero(overlap > LEAST_OVERLAP)
    other_level = levels[0][now[near]] != levels[1][was[near]]
    order = near[np.lexsort((was[near], now[near], other_level, -overlap[near]))]
    found = [-1] * len(newer)
    taken: set[int] = set()
    for mine, theirs in zip(now[order].tolist(), was[order].tolist(), strict=True):
        if found[mine] < 0 and theirs not in taken:
            found[mine] = theirs
            taken.add(theirs)
    return found


def _shared(
    newer: Sequence[Community], older: Sequence[Community], n_nodes: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the pairs of a newer and an older community that have members in common, and how many."""
    none = np.zeros(0, dtype=np.int64)
    nodes, others = (np.concatenate([none, *(each.members for each in several)]) for several in (newer, older))
    now, was = (np.repeat(np.arange(len(each)), [len(one.members) for one in each]) for each in (newer, older))
    of_node = was[np.argsort(others, kind="stable")]
    held = Csr(np.append(0, np.cumsum(np.bincount(others, minlength=n_nodes))), of_node, of_node, len(older))
    rows, width = rows_of(held, nodes), max(len(older), 1)
    pairs, n_shared = np.unique(np.repeat(now, np.diff(rows.indptr)) * width + rows.indices, return_counts=True)
    return *np.divmod(pairs, width), n_shared


def community_numbers(found: Sequence[Community], was: Sequence[int], older: Sequence[int]) -> list[int]:
    """Return the number of each community: that of the `older` one which it goes on from, else one never in use there.

    New ones are numbered on from the highest, by level, then size, then first member.

    >>> pair, single = Community(0, -1, np.array([1, 2])), Community(0, -1, np.array([0]))
    >>> community_numbers([single, pair], [-1, -1], []), community_numbers([single, pair], [-1, 4], [9, 8, 7, 6, 5])
    ([1, 0], [10, 5])
    """
    numbers = [older[index] if index >= 0 else -1 for index in was]
    ranked = sorted(range(len(found)), key=lambda i: (found[i].level, -len(found[i].members), int(found[i].members[0])))
    new = (position for position in ranked if numbers[position] < 0)
    for number, position in enumerate(new, start=max(older, default=-1) + 1):
        numbers[position] = number
    return numbers


def community_ids(
    found: Sequence[Community], was: Sequence[int], older: Sequence[str], node_ids: Sequence[str]
) -> list[str]:
    """Return the id of each community: that of the `older` one which it goes on from, else a hash of what it holds.

    The hash may be the id of a community that held the same before and has changed since: then it is another hash.

    >>> alone = Community(0, -1, np.array([0]))
    >>> first = community_ids([alone], [-1], [], ["a"])
    >>> community_ids([alone], [0], first, ["a"]) == first != community_ids([alone], [-1], first, ["a"])
    True
    """
    taken = set(older)
    ids = []
    for community, index in zip(found, was, strict=True):
        if index >= 0:
            ids.append(older[index])
            continue
        content = ["community", str(community.level), *(node_ids[node] for node in community.members)]
        while (identity := content_id(*content)) in taken:
            content.append("another")
        ids.append(identity)
    return ids
