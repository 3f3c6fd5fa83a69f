"""Personalised PageRank: equality with networkx, mass, and dangling nodes."""

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import csr_array, random_array

from graphrag_lite.graph.pagerank import Step, Walk, pagerank, walk_of
from graphrag_lite.graph.sparse import Csr


def own(matrix: csr_array) -> Csr:
    return Csr(matrix.indptr, matrix.indices, matrix.data, matrix.shape[1])


def walk(counts: csr_array, weights: np.ndarray | None = None, most: int = 10**6) -> Walk:
    """Return the walk over counts by both of its matrices."""
    return walk_of(
        own(counts), own(csr_array(counts.T)), np.ones(counts.shape[1]) if weights is None else weights, most
    )


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


def graphs(seed: int) -> tuple[csr_array, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    popular = 1 / np.arange(1, 201)
    named = rng.choice(200, (400, 6), p=popular / popular.sum())
    counts = csr_array((np.ones(2400), (np.repeat(np.arange(400), 6), named.ravel())), (400, 200))
    counts.sum_duplicates()
    seeds = np.zeros(400)
    seeds[rng.integers(0, 400, 2)] = 0.35
    return counts, seeds, np.where(np.arange(200) == 150, 0.3, 0.0)


@pytest.mark.parametrize("seed", range(5))
def test_steps_of_single_nodes_arrive_where_the_matrices_do(seed: int) -> None:
    counts, unit_seeds, entity_seeds = graphs(seed)
    weights = np.random.default_rng(seed).uniform(0.1, 2.0, 200)
    exact = pagerank(walk(counts, weights), unit_seeds, entity_seeds, 0.35, 6)
    steps = Walk(Step(own(counts), weights, 0.0), Step(own(csr_array(counts.T)), None, 0.0))
    for one, other in zip(pagerank(steps, unit_seeds, entity_seeds, 0.35, 6), exact, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-14)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("least", [1e-3, 1e-4])
def test_what_has_little_mass_does_not_go_on_and_none_gains_by_that(seed: int, least: float) -> None:
    counts, unit_seeds, entity_seeds = graphs(seed)
    exact, about = (
        pagerank(steps, unit_seeds, entity_seeds, 0.35, 6)[0]
        for steps in (walk(counts), Walk(Step(own(counts), None, least), Step(own(csr_array(counts.T)), None, least)))
    )
    assert (exact > 0).sum() > (about > 0).sum(), "some are not reached any more"
    assert (about <= exact + 1e-12).all()
    clear = np.flatnonzero(exact > 100 * least)
    assert len(clear) >= 2 and (np.abs(about - exact)[clear] < 0.2 * exact[clear]).all()


def test_a_graph_of_no_more_edges_than_a_step_may_take_is_walked_exactly() -> None:
    counts, _, _ = graphs(0)
    assert [type(walk(counts, most=most).to_units) for most in (counts.nnz, counts.nnz - 1)] == [Csr, Step]
