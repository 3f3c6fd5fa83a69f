"""The hierarchy after a change is a hierarchy as any other, and the same where nothing changed."""

from pathlib import Path
from typing import Any

import networkx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from graphrag_lite.graph import leiden_update
from graphrag_lite.graph.leiden import Community, hierarchical_leiden, modularity, split
from graphrag_lite.graph.leiden_update import MOST_LOST, Older, next_hierarchy, updated_hierarchy
from tests.graph.hierarchies import as_lists, check, known_graph, top_labels

Edges = dict[tuple[int, int], float]
World = tuple[list[int], Edges]
"""Nodes by name, ascending, and weights of pairs of them."""


def matrix(world: World) -> csr_matrix:
    names, edges = world
    place = {name: i for i, name in enumerate(names)}
    dense = np.zeros((len(names), len(names)))
    for (a, b), weight in edges.items():
        dense[place[a], place[b]] = dense[place[b], place[a]] = weight
    return csr_matrix(dense)


def older_on(found: list[Community], before: World, after: World) -> Older:
    """Return a hierarchy of one world on the nodes of the next."""
    place = {name: i for i, name in enumerate(after[0])}
    communities = [
        Community(c.level, c.parent, np.array([place[before[0][i]] for i in c.members if before[0][i] in place], int))
        for c in found
    ]
    ends = {name for pair in before[1].keys() ^ after[1].keys() for name in pair}
    touched = np.array([name in ends for name in after[0]], dtype=bool)
    return Older(communities, np.array([len(c.members) for c in found], dtype=np.int64), touched)


def named(found: list[Community], world: World) -> set[tuple[int, tuple[int, ...]]]:
    return {(c.level, tuple(world[0][i] for i in c.members.tolist())) for c in found}


@st.composite
def worlds(draw: st.DrawFn) -> tuple[World, World]:
    """A graph of some groups, and what becomes of it: nodes and edges come and go."""
    n_names = draw(st.integers(0, 36))
    chance = draw(st.randoms(use_true_random=False))
    names = list(range(n_names))
    inner, outer = draw(st.sampled_from([(0.6, 0.02), (0.4, 0.1), (0.9, 0.0)]))
    edges = {
        (a, b): float(chance.randint(1, 9))
        for a in names
        for b in names
        if a < b and chance.random() < (inner if a % 4 == b % 4 else outer)
    }
    few = st.integers(0, 4)
    born, died = (set(chance.sample(names, min(draw(few), n_names))) for _ in range(2))
    lost, won = (set(chance.sample(sorted(edges), min(draw(few), len(edges)))) for _ in range(2))

    def without(gone: set[int], cut: set[tuple[int, int]]) -> World:
        kept = [name for name in names if name not in gone]
        return kept, {pair: w for pair, w in edges.items() if gone.isdisjoint(pair) and pair not in cut}

    return without(born, won), without(died, lost)


@settings(max_examples=20, deadline=None)
@given(worlds(), st.integers(2, 8))
def test_what_holds_after_every_change(change: tuple[World, World], most: int) -> None:
    before, after = change
    adjacency = matrix(after)
    found = hierarchical_leiden(matrix(before), max_cluster_size=most)
    older = older_on(found, before, after)
    updated = updated_hierarchy(adjacency, older, max_cluster_size=most)
    check(updated, adjacency, most)
    assert as_lists(updated_hierarchy(adjacency, older, max_cluster_size=most)) == as_lists(updated)

    # What no change has reached is the same, at every level.
    n_parts, part = connected_components(adjacency, directed=False)
    reached = older.touched | np.array([name not in before[0] for name in after[0]], dtype=bool)
    old_neighbours = {name for pair in before[1] for name in pair if not set(pair) <= set(after[0])}
    reached |= np.array([name in old_neighbours for name in after[0]], dtype=bool)
    was, now = named(found, before), named(updated, after)
    for component in range(n_parts):
        if not reached[part == component].any():
            names = {after[0][i] for i in np.flatnonzero(part == component).tolist()}
            assert {c for c in was if names & set(c[1])} == {c for c in now if names & set(c[1])}

    chosen, why = next_hierarchy(adjacency, older, max_cluster_size=most)
    check(chosen, adjacency, most)
    assert as_lists(chosen) == as_lists(hierarchical_leiden(adjacency, max_cluster_size=most) if why else updated)
    best = split(adjacency, np.arange(len(after[0])), 1.0, 0)
    quality = modularity(adjacency, top_labels([Community(0, -1, members) for members in best], len(after[0])))
    assert modularity(adjacency, top_labels(chosen, len(after[0]))) >= quality - MOST_LOST - 1e-9


@settings(max_examples=25, deadline=None)
@given(worlds(), st.integers(2, 8))
def test_without_a_change_nothing_changes(change: tuple[World, World], most: int) -> None:
    world, _ = change
    found = hierarchical_leiden(matrix(world), max_cluster_size=most)
    again, why = next_hierarchy(matrix(world), older_on(found, world, world), max_cluster_size=most)
    assert sorted(as_lists(again)) == sorted(as_lists(found)) or why.startswith("their modularity")


def cliques(n_cliques: int, size: int, first: int = 0) -> World:
    """A ring of cliques, its nodes numbered from `first`."""
    graph = networkx.ring_of_cliques(n_cliques, size)
    return (
        [first + node for node in sorted(graph)],
        {(first + min(pair), first + max(pair)): 1.0 for pair in graph.edges},
    )


def changed(world: World, add: Edges | None = None, gone: set[int] = frozenset()) -> World:  # type: ignore[assignment]
    names, edges = world
    edges = {pair: w for pair, w in (edges | (add or {})).items() if gone.isdisjoint(pair)}
    return sorted({*names, *(name for pair in edges for name in pair)} - gone), edges


def updated(before: World, after: World, most: int = 10) -> tuple[set[Any], set[Any]]:
    found = hierarchical_leiden(matrix(before), max_cluster_size=most)
    then = updated_hierarchy(matrix(after), older_on(found, before, after), max_cluster_size=most)
    check(then, matrix(after), most)
    return named(found, before), named(then, after)


def test_a_new_node_joins_its_neighbours_and_the_rest_stays() -> None:
    before = cliques(40, 5)
    was, now = updated(before, changed(before, {(0, 900): 1.0, (1, 900): 1.0}), most=6)
    assert now - was and all(900 in members for _, members in now - was)
    assert all({0, 1, 2, 3, 4, 900} <= set(members) for _, members in now - was)
    assert len(now) == len(was)


def test_a_leaf_that_grew_is_split_and_one_that_fell_is_not() -> None:
    before = cliques(6, 5)
    clique = {(a, b): 1.0 for a in range(900, 905) for b in range(a + 1, 905)}
    grown = changed(before, clique | {(a, b): 1.0 for a in range(5) for b in range(900, 903)})
    was, now = updated(before, grown, most=6)
    assert (0, (0, 1, 2, 3, 4)) in was
    whole = (0, 1, 2, 3, 4, 900, 901, 902, 903, 904)
    assert (0, whole) in now and {level for level, members in now if set(members) <= set(whole)} == {0, 1}
    back, less = updated(grown, changed(grown, gone={900, 901, 902, 903, 904}), most=6)
    assert (0, whole) in back and less == was


def test_a_community_torn_apart_is_several() -> None:
    before = changed(([], {}), {(a, b): 1.0 for a in range(4) for b in range(a + 1, 4)} | {(3, 4): 1.0, (4, 5): 1.0})
    found = [Community(0, -1, np.arange(6))]
    after = changed(before, gone={4})
    then = updated_hierarchy(matrix(after), older_on(found, before, after))
    assert named(then, after) == {(0, (0, 1, 2, 3)), (0, (5,))}


def test_a_part_torn_apart_below_an_unchanged_community_is_several() -> None:
    """The relationship that held a part together is gone, but others hold the community together."""
    ring = {(i, (i + 1) % 12): 1.0 for i in range(12)}
    before: World = (list(range(12)), {(min(p), max(p)): w for p, w in ring.items()})
    found = [Community(0, -1, np.arange(12)), Community(1, 0, np.arange(6)), Community(1, 0, np.arange(6, 12))]
    after = (before[0], {pair: w for pair, w in before[1].items() if pair != (2, 3)})
    older = older_on(found, before, after)
    then = updated_hierarchy(matrix(after), Older(older.communities, older.sizes, np.zeros(12, dtype=bool)))
    check(then, matrix(after), 10)
    assert (0, tuple(range(12))) in named(then, after) and (1, tuple(range(6))) not in named(then, after)
    assert (1, tuple(range(6, 12))) in named(then, after)


def test_many_new_nodes_make_it_anew() -> None:
    before = cliques(6, 5)
    found = hierarchical_leiden(matrix(before))
    after = changed(before, {(a, b): 1.0 for a in range(900, 906) for b in range(a + 1, 906)})
    _, why = next_hierarchy(matrix(after), older_on(found, before, after))
    assert why == "17% of the related entities are new"
    after = changed(before, {(a, b): 1.0 for a in range(900, 905) for b in range(a + 1, 905)})
    assert next_hierarchy(matrix(after), older_on(found, before, after))[1] == ""


def test_a_poor_partition_is_made_anew() -> None:
    world = cliques(12, 5)
    poor = [Community(0, -1, np.arange(20 * i, 20 * i + 20)) for i in range(3)]  # four cliques each
    older = older_on(poor, world, world)
    then, why = next_hierarchy(matrix(world), older)
    assert why.startswith("their modularity would be lower by 0.")
    assert as_lists(then) == as_lists(hierarchical_leiden(matrix(world)))


def test_many_moves_make_it_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    world = cliques(12, 5)
    strange = [Community(0, -1, np.arange(5 * i + 2, 5 * i + 7) % 60) for i in range(12)]
    strange = [Community(0, -1, np.sort(c.members)) for c in strange]
    older = Older(strange, np.full(12, 5), np.ones(60, dtype=bool))
    assert next_hierarchy(matrix(world), older)[1].endswith("of the entities would have moved")
    monkeypatch.setattr(leiden_update, "MOST_MOVED", 1.0)
    then, why = next_hierarchy(matrix(world), older)
    assert why == "" and named(then, world) == named(hierarchical_leiden(matrix(world)), world)


def agreement(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> float:
    """Return the normalised mutual information of two labellings."""
    table = np.zeros((a.max() + 1, b.max() + 1))
    np.add.at(table, (a, b), 1 / len(a))
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    held = table > 0
    shared = (table[held] * np.log(table[held] / np.outer(rows, columns)[held])).sum()
    entropy = sum(-(p[p > 0] * np.log(p[p > 0])).sum() for p in (rows, columns))
    return float(2 * shared / entropy)


@pytest.mark.parametrize("name", ["email_eu_core", "football", "polblogs", "polbooks"])
def test_known_graphs_that_grow_stay_as_good_and_mostly_the_same(name: str, shared: Path) -> None:
    """A graph without 1% of its nodes, which then come."""
    graph = known_graph(shared / "graphs" / name)
    after: World = (sorted(graph), {(min(pair), max(pair)): 1.0 for pair in graph.edges})
    rows = (line.split("\t")[:2] for line in (shared / "graphs" / name / "labels.tsv").read_text().splitlines())
    gold = {int(node): label for node, label in rows}
    known = np.unique([gold[node] for node in after[0]], return_inverse=True)[1]
    n_late = max(1, len(known) // 100)
    before = changed(after, gone=set(after[0][:: len(known) // n_late][:n_late]))
    adjacency = matrix(after)
    found = hierarchical_leiden(matrix(before))
    older = older_on(found, before, after)
    then, why = next_hierarchy(adjacency, older)
    full = hierarchical_leiden(adjacency)
    labels, anew = top_labels(then, len(known)), top_labels(full, len(known))
    assert why == ""
    check(then, adjacency, 10)
    assert modularity(adjacency, labels) > modularity(adjacency, anew) - 0.005
    own = agreement(top_labels(found, len(before[0])), known[np.isin(after[0], before[0])])
    assert agreement(labels, known) > min(own, agreement(anew, known)) - 0.02
    was, now = named(found, before), named(then, after)
    assert len(now - was) < 0.2 * len(now)
