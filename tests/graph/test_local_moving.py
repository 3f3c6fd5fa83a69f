"""Free nodes move to where modularity gains, and the others stay where they are."""

import networkx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from graphrag_lite.graph.leiden import modularity
from graphrag_lite.graph.local_moving import RELUCTANCE, connected_parts, moved_partition


def matrix(n_nodes: int, edges: list[tuple[int, int, float]]) -> csr_matrix:
    dense = np.zeros((n_nodes, n_nodes))
    for a, b, weight in edges:
        if a != b:
            dense[a, b] = dense[b, a] = weight
    return csr_matrix(dense)


@st.composite
def cases(draw: st.DrawFn) -> tuple[csr_matrix, np.ndarray, np.ndarray, float]:
    n_nodes = draw(st.integers(1, 20))
    ends = st.integers(0, n_nodes - 1)
    adjacency = matrix(n_nodes, draw(st.lists(st.tuples(ends, ends, st.floats(0.1, 9)), max_size=50)))
    labels = np.array(draw(st.lists(st.integers(-1, 4), min_size=n_nodes, max_size=n_nodes)), dtype=np.int64)
    free = np.array(draw(st.lists(st.booleans(), min_size=n_nodes, max_size=n_nodes)))
    return adjacency, labels, free | (labels < 0), draw(st.sampled_from([0.5, 1.0, 2.0]))


@settings(max_examples=80, deadline=None)
@given(cases())
def test_what_holds_after_every_move(case: tuple[csr_matrix, np.ndarray, np.ndarray, float]) -> None:
    adjacency, labels, free, resolution = case
    given_labels = labels.copy()
    after = moved_partition(adjacency, labels, free, resolution)
    assert (labels == given_labels).all() and (moved_partition(adjacency, labels, free, resolution) == after).all()
    assert (after >= 0).all()

    # Every community is connected.
    rows, columns = adjacency.nonzero()
    kept = after[rows] == after[columns]
    within = csr_matrix((np.ones(kept.sum()), (rows[kept], columns[kept])), shape=adjacency.shape)
    assert connected_components(within, directed=False)[0] == len(set(after.tolist()))

    # What is frozen on both sides of an edge, in one community, stays together.
    frozen = ~free[rows] & ~free[columns] & (labels[rows] == labels[columns])
    assert (after[rows[frozen]] == after[columns[frozen]]).all()

    start = labels.copy()
    start[labels < 0] = 100 + np.arange((labels < 0).sum())
    assert modularity(adjacency, after, resolution) >= modularity(adjacency, start, resolution) - 1e-9


@settings(max_examples=100, deadline=None)
@given(cases())
def test_a_free_node_that_gains_clearly_moves(case: tuple[csr_matrix, np.ndarray, np.ndarray, float]) -> None:
    """One free node: where modularity is highest, by trying every place for it."""
    adjacency, labels, _, resolution = case
    labels = connected_parts(adjacency, np.abs(labels))
    node = int(np.argmax(np.diff(adjacency.indptr)))
    near = adjacency.indices[adjacency.indptr[node] : adjacency.indptr[node + 1]]
    if not len(near):
        return
    after = moved_partition(adjacency, labels, np.arange(len(labels)) == node, resolution)
    total = adjacency.sum()
    strength = float(np.asarray(adjacency.sum(axis=1)).ravel()[node])
    least = 2 * RELUCTANCE * strength / total

    def placed(label: int) -> float:
        tried = labels.copy()
        tried[node] = label
        return modularity(adjacency, tried, resolution)

    stays = placed(int(labels[node]))
    best = max(placed(int(label)) for label in {*labels[near].tolist(), int(labels.max()) + 1})
    if best > stays + least + 1e-6:
        assert modularity(adjacency, after, resolution) >= best - 1e-9
    elif best < stays + least - 1e-6:
        assert (after == labels).all()


def test_new_nodes_found_one_community() -> None:
    old, new = networkx.complete_graph(5), networkx.complete_graph(6)
    adjacency = csr_matrix(networkx.to_scipy_sparse_array(networkx.disjoint_union(old, new), dtype=float))
    after = moved_partition(adjacency, np.array([0] * 5 + [-1] * 6), np.zeros(11, dtype=bool) | (np.arange(11) > 4))
    assert (after[:5] == 0).all() and len(set(after[5:].tolist())) == 1 and after[5] > 0


def test_new_communities_are_merged_where_that_gains() -> None:
    """On a path of new nodes, moving them one by one ends in pairs that are better off together."""
    adjacency = csr_matrix(networkx.to_scipy_sparse_array(networkx.path_graph(30), dtype=float))
    after = moved_partition(adjacency, np.full(30, -1), np.ones(30, dtype=bool))
    known = networkx.community.louvain_communities(networkx.path_graph(30), seed=1)
    expected = networkx.community.modularity(networkx.path_graph(30), known)
    assert modularity(adjacency, after) > expected - 0.05


def test_a_community_torn_apart_leaves_its_label_to_the_larger_part() -> None:
    adjacency = matrix(6, [(0, 1, 1.0), (2, 3, 1.0), (3, 4, 1.0), (2, 4, 1.0)])
    labels = np.array([7, 7, 7, 7, 7, 2])
    assert connected_parts(adjacency, labels).tolist() == [8, 8, 7, 7, 7, 2]
    assert moved_partition(adjacency, labels, np.zeros(6, dtype=bool)).tolist() == [8, 8, 7, 7, 7, 2]


@pytest.mark.parametrize("n_nodes", [0, 1, 3])
def test_a_graph_without_edges(n_nodes: int) -> None:
    nothing = csr_matrix((n_nodes, n_nodes))
    found = moved_partition(nothing, np.full(n_nodes, -1), np.ones(n_nodes, dtype=bool))
    assert found.tolist() == list(range(n_nodes))
    assert moved_partition(nothing, np.zeros(n_nodes, dtype=np.int64), np.zeros(n_nodes, dtype=bool)).tolist() == list(
        range(n_nodes)
    )
