"""The walk of budgeted search: communities best first, sooner down where text units are relevant, later where not."""

import heapq
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from graphrag_lite.graph.sparse import Vector
from graphrag_lite.retrieval.unit_communities import NO_COMMUNITY

if TYPE_CHECKING:
    from graphrag_lite.retrieval.snapshot_view import SnapshotView

EACH = 5  # text units of a community that are tested before others, or its sub-communities, have their turn
AT_ONCE = 20  # tests of a round, or a few more
MAX_BARREN = 2  # rounds in a row without a relevant text unit, which end the walk
# What the place in the queue of a community is worth after a turn without a relevant text unit; the share of relevant
# ones is added. With an oracle for a model, turns of five and .7 find as many gold passages as testing the best by BM25
# (multihoprag_facts 98 of 100, musique 78, 50 tests); where a barren community was left for good, 92 and 72.
AGAIN = 0.7


@dataclass(frozen=True, slots=True)
class Tree:
    """Communities, and the text units of each and of all below it, best first.

    Every text unit is of one community of the finest, the one of whose entities it says most; those that name none, or
    only what is named everywhere, are of `NO_COMMUNITY`.
    """

    children: Mapping[int, Sequence[int]]
    units: Mapping[int, Sequence[int]]
    roots: Sequence[int]


@dataclass
class CommunitySearch:
    """The search: `next_units` are to be tested, `learn` is told which of them are relevant, until there are none.

    >>> tree = Tree({0: [1]}, {0: [0, 1, 2, 3, 4, 5], 1: [5], 2: [6]}, [0, 2])
    >>> walk, rounds = CommunitySearch(tree, np.arange(9.0, 0.0, -1.0), budget=7), []
    >>> while units := walk.next_units():
    ...     rounds.append(units)
    ...     walk.learn([unit % 2 == 1 for unit in units])
    >>> rounds, walk.relevant
    ([[0, 1, 2, 3, 4, 6], [5]], [1, 3, 5])
    """

    tree: Tree
    scores: Vector
    budget: int
    relevant: list[int] = field(default_factory=list)
    _n_barren: int = 0
    _tested: set[int] = field(default_factory=set)
    _queue: list[tuple[float, int]] = field(default_factory=list)
    _pending: list[tuple[int, list[int]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        for root in self.tree.roots:
            self._push(root, 1.0)

    def next_units(self) -> list[int]:
        """Return the untested text units of the best communities, `AT_ONCE` or a few more, never past the budget."""
        self._pending = []
        units: list[int] = []
        while self._queue and len(units) < AT_ONCE and len(self._tested) < self.budget:
            _, community = heapq.heappop(self._queue)
            own = self._untested(community)[: self.budget - len(self._tested)]
            self._tested.update(own)
            self._pending.append((community, own))
            units += own
        return units

    def learn(self, replies: Sequence[bool]) -> None:
        self._n_barren = 0 if any(replies) else self._n_barren + 1
        if self._n_barren == MAX_BARREN:
            self._queue = []
            return
        remaining: Iterator[bool] = iter(replies)
        for community, units in self._pending:
            found = [unit for unit in units if next(remaining)]
            self.relevant += found
            if units:
                for below in self.tree.children.get(community) or [community]:
                    self._push(below, AGAIN + len(found) / len(units))

    def _push(self, community: int, promise: float) -> None:
        """Queue a community by the score of its best untested text unit, times what the last turn promises."""
        if units := self._untested(community):
            heapq.heappush(self._queue, (-promise * float(self.scores[units[0]]), community))

    def _untested(self, community: int) -> list[int]:
        left = (unit for unit in self.tree.units.get(community, ()) if unit not in self._tested)
        return list(islice(left, EACH))


def community_tree(index: "SnapshotView", scores: Vector) -> Tree:
    """Return the communities with their text units that score, best first, ties by row."""
    parent, children, of_unit = index.unit_communities
    units: dict[int, list[int]] = {}
    scoring = np.flatnonzero(scores > 0)
    for unit in scoring[np.argsort(-scores[scoring], kind="stable")].tolist():
        community = int(of_unit[unit])
        while True:
            units.setdefault(community, []).append(unit)
            if community == NO_COMMUNITY or parent[community] == -1:
                break
            community = parent[community]
    return Tree(children, units, [*children.get(-1, ()), NO_COMMUNITY])
