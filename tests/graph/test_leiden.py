"""Communities partition the graph at every level, repeatably, and about as well as the best known partitions."""

import json
import random
from pathlib import Path
from typing import Any

import networkx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from graphrag_lite.graph.leiden import hierarchical_leiden, modularity
from graphrag_lite.graph.sparse import from_edges
from tests.graph.hierarchies import as_lists, check, known_graph, top_labels

# Modularity of the giant component by Leiden, from the README of the evaluation data, less what a seed changes.
FLOORS = {"email_eu_core": 0.410, "football": 0.595, "polblogs": 0.425, "polbooks": 0.522, "karate": 0.415}


def matrix_of(graph: "networkx.Graph[Any]") -> csr_matrix:
    nodes = sorted(graph)
    return csr_matrix(networkx.to_scipy_sparse_array(graph, nodelist=nodes, weight="weight", dtype=float))


def ring_of_cliques(n_cliques: int, size: int) -> csr_matrix:
    return matrix_of(networkx.ring_of_cliques(n_cliques, size))


@st.composite
def graphs(draw: st.DrawFn) -> csr_matrix:
    n_nodes = draw(st.integers(0, 24))
    dense = np.zeros((n_nodes, n_nodes))
    if n_nodes > 1:
        ends = st.integers(0, n_nodes - 1)
        for a, b, weight in draw(st.lists(st.tuples(ends, ends, st.floats(0.1, 9)), max_size=60)):
            if a != b:
                dense[a, b] = dense[b, a] = weight
    return csr_matrix(dense)


@settings(max_examples=60, deadline=None)
@given(graphs(), st.integers(2, 8), st.integers(0, 5))
def test_every_level_is_a_partition_of_what_it_splits(adjacency: csr_matrix, most: int, seed: int) -> None:
    found = hierarchical_leiden(adjacency, max_cluster_size=most, seed=seed)
    check(found, adjacency, most)
    assert as_lists(hierarchical_leiden(adjacency, max_cluster_size=most, seed=seed)) == as_lists(found)


def test_cliques_are_communities() -> None:
    found = hierarchical_leiden(ring_of_cliques(6, 5), max_cluster_size=10)
    assert as_lists(found) == [(0, -1, list(range(5 * i, 5 * i + 5))) for i in range(6)]


def test_a_larger_community_is_split_as_long_as_that_splits_it() -> None:
    cliques = ring_of_cliques(40, 5)
    found = hierarchical_leiden(cliques, max_cluster_size=6)
    check(found, cliques, 6)
    leaves = [c for i, c in enumerate(found) if not any(child.parent == i for child in found)]
    assert max(len(c.members) for c in leaves) <= 6 and max(c.level for c in found) >= 1
    whole = hierarchical_leiden(matrix_of(networkx.complete_graph(12)), max_cluster_size=6)
    assert as_lists(whole) == [(0, -1, list(range(12)))]


def test_isolated_nodes_stay_alone_and_components_apart() -> None:
    graph = networkx.disjoint_union(networkx.complete_graph(4), networkx.complete_graph(3))
    graph.add_nodes_from([7, 8])
    found = hierarchical_leiden(matrix_of(graph))
    assert as_lists(found) == [(0, -1, [0, 1, 2, 3]), (0, -1, [4, 5, 6]), (0, -1, [7]), (0, -1, [8])]


@pytest.mark.parametrize("n_nodes", [0, 1, 3])
def test_a_graph_without_edges(n_nodes: int) -> None:
    found = hierarchical_leiden(csr_matrix((n_nodes, n_nodes)))
    assert as_lists(found) == [(0, -1, [i]) for i in range(n_nodes)]


def test_the_order_in_which_edges_are_given_does_not_matter() -> None:
    graph = networkx.convert_node_labels_to_integers(networkx.les_miserables_graph())
    edges = list(graph.edges(data="weight"))
    expected = as_lists(hierarchical_leiden(matrix_of(graph), seed=7))
    for seed in range(3):
        random.Random(seed).shuffle(edges)
        turned = [edge[:2][:: random.choice((1, -1))] for edge in edges]
        ends = np.array(turned).T
        given = from_edges(ends[0], ends[1], np.array([edge[2] for edge in edges], np.float64), len(graph))
        assert as_lists(hierarchical_leiden(given, seed=7)) == expected


def test_weights_and_resolution_matter() -> None:
    chain = networkx.path_graph(4)
    networkx.set_edge_attributes(chain, {(0, 1): 9.0, (1, 2): 1.0, (2, 3): 9.0}, "weight")
    assert [members for _, _, members in as_lists(hierarchical_leiden(matrix_of(chain)))] == [[0, 1], [2, 3]]
    coarse = hierarchical_leiden(ring_of_cliques(12, 4), resolution=0.05, max_cluster_size=99)
    fine = hierarchical_leiden(ring_of_cliques(12, 4), resolution=1.0, max_cluster_size=99)
    assert len(coarse) < len(fine) == 12


@settings(max_examples=60, deadline=None)
@given(graphs(), st.randoms(use_true_random=False), st.sampled_from([0.5, 1.0, 2.0]))
def test_modularity_equals_that_of_networkx(adjacency: csr_matrix, chance: random.Random, resolution: float) -> None:
    n_nodes = adjacency.shape[0]
    labels = np.array([chance.randrange(4) for _ in range(n_nodes)], dtype=np.int64)
    if not adjacency.nnz:
        assert modularity(adjacency, labels) == 0.0
        return
    graph = networkx.from_scipy_sparse_array(adjacency)
    parts = [{i for i in range(n_nodes) if labels[i] == label} for label in set(labels.tolist())]
    expected = networkx.community.modularity(graph, parts, weight="weight", resolution=resolution)
    assert modularity(adjacency, labels, resolution) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("name", FLOORS)
def test_known_graphs_are_split_as_well_as_by_others(name: str, shared: Path) -> None:
    graph = known_graph(shared / "graphs" / name)
    known = {row["name"]: row for row in json.loads((shared / "graphs" / "leiden_floor.json").read_text())}[name]
    assert (
        len(graph) == known["giant"] and known["leiden_modularity"] > FLOORS[name] > known["leiden_modularity"] - 0.01
    )
    adjacency = matrix_of(graph)
    for seed in (0, 1, 0xDEADBEEF):
        found = hierarchical_leiden(adjacency, max_cluster_size=10, seed=seed)
        check(found, adjacency, 10)
        assert modularity(adjacency, top_labels(found, len(graph))) >= FLOORS[name], seed


def test_nodes_whose_edges_weigh_nothing_are_communities_of_their_own() -> None:
    pair = csr_matrix(([0.0, 0.0], ([0, 1], [1, 0])), shape=(2, 2))
    assert [community.members.tolist() for community in hierarchical_leiden(pair)] == [[0], [1]]
