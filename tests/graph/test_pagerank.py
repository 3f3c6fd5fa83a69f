"""Personalised PageRank: equality with networkx, mass, and dangling nodes."""

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import csr_array, random_array

from graphrag_lite.graph.pagerank import pagerank, walk


def reference(weights: csr_array, unit_seeds: np.ndarray, entity_seeds: np.ndarray, restart: float) -> np.ndarray:
    n_units, n_entities = weights.shape
    graph = nx.Graph()
    graph.add_nodes_from(range(n_units + n_entities))
    edges = weights.tocoo()
    graph.add_weighted_edges_from(
        (int(u), n_units + int(e), float(w)) for u, e, w in zip(*edges.coords, edges.data, strict=True)
    )
    seeds = dict(enumerate(np.concatenate([unit_seeds, entity_seeds]).tolist()))
    scores = nx.pagerank(graph, alpha=1 - restart, personalization=seeds, tol=1e-14, max_iter=1000)
    return np.array([scores[i] for i in range(n_units + n_entities)])


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("restart", [0.15, 0.35])
def test_equals_networkx(seed: int, restart: float) -> None:
    rng = np.random.default_rng(seed)
    weights = csr_array(
        random_array((30, 50), density=0.04, rng=rng, data_sampler=lambda size: rng.uniform(1, 5, size))
    )
    unit_seeds, entity_seeds = rng.random(30) * (rng.random(30) < 0.2), rng.random(50) * (rng.random(50) < 0.1)
    unit_seeds[0] = 1.0
    units, entities = pagerank(walk(weights), unit_seeds, entity_seeds, restart, 500, 1e-14)
    expected = reference(weights, unit_seeds, entity_seeds, restart)
    np.testing.assert_allclose(np.concatenate([units, entities]), expected, atol=1e-9)
    assert (np.diff(weights.indptr) == 0).any()  # the case holds units without entities


def test_few_iterations_keep_the_mass() -> None:
    weights = csr_array(np.array([[1.0, 0.0], [2.0, 1.0], [0.0, 0.0]]))
    units, entities = pagerank(walk(weights), np.array([1.0, 0.0, 2.0]), np.zeros(2), max_iterations=3)
    assert units.sum() + entities.sum() == pytest.approx(1.0)
    assert units[2] > units[0] > units[1] > 0


def test_inputs_are_not_modified() -> None:
    weights = csr_array(np.array([[1.0, 3.0]]))
    seeds = np.array([2.0])
    pagerank(walk(weights), seeds, np.zeros(2))
    assert weights.toarray().tolist() == [[1.0, 3.0]] and seeds.tolist() == [2.0]


def test_no_seed_is_an_error() -> None:
    with pytest.raises(ValueError, match="seed"):
        pagerank(walk(csr_array(np.ones((1, 1)))), np.zeros(1), np.zeros(1))
