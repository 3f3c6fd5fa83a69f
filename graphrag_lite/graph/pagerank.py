"""Personalised PageRank over the bipartite graph of text units and entities, by power iteration.

Page et al. 1999, "The PageRank citation ranking", section 2.6. A step goes along an edge with probability restart off
one, in proportion to the edge's weight; else it jumps to the seeds. Nodes without edges give their mass to the seeds.

In a large graph, what nodes with little mass for their number of edges would pass on is left out, as in Andersen, Chung
and Lang 2006, "Local graph partitioning using PageRank vectors": a step costs what the seeds' neighbourhood costs, and
no node gets more than it would.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, diags_array

Vector = npt.NDArray[np.float64]

# The walk through a graph of so many edges is exact, by matrices that take .2 s to make. In a larger one, this is what
# a node has to have per edge, of a mass of 1, to pass it on: no step takes more than 1 / LEAST edges.
MOST_EDGES = 1_000_000
LEAST = 3e-7


@dataclass(frozen=True)
class Walk:
    """Transition probabilities in both directions, transposed so that a step is one product with a column vector."""

    to_entities: "csr_array | Step"  # (n_entities, n_units), columns sum to 1, or 0 for a unit without entities
    to_units: "csr_array | Step"  # (n_units, n_entities), columns sum to 1, or 0 for an entity without units


@dataclass(frozen=True)
class Step:
    """Steps from the rows of a matrix to its columns, computed for the nodes that have at least `least` per edge."""

    counts: csr_array  # (n_from, n_to), not 0
    weights: Vector | None  # (n_to,) what the edges to a node count besides, 1 where not given
    least: float = LEAST

    @cached_property
    def _ends(self) -> npt.NDArray[np.int64]:
        return np.flatnonzero(np.diff(self.counts.indptr) == 0)

    def stuck(self, mass: Vector) -> float:
        """Return the mass of the nodes that have no edge."""
        return float(mass[self._ends].sum())

    def __matmul__(self, mass: Vector) -> Vector:
        """Return the mass that arrives, shape (n_to,).

        >>> to_units = Step(csr_array([[1.0, 3.0], [1.0, 0.0]]), None, least=0.1)
        >>> (to_units @ np.array([0.8, 0.01])).tolist()
        [0.2, 0.6000000000000001]
        """
        nodes = np.flatnonzero(mass >= max(self.least, np.finfo(np.float64).tiny))
        starts = self.counts.indptr[nodes].astype(np.int64)
        n_edges = self.counts.indptr[nodes + 1] - starts
        going = (n_edges > 0) & (mass[nodes] >= self.least * n_edges)
        nodes, starts, n_edges = nodes[going], starts[going], n_edges[going]
        firsts = np.cumsum(n_edges) - n_edges
        edges = np.repeat(starts - firsts, n_edges) + np.arange(n_edges.sum())
        targets = self.counts.indices[edges]
        shares = self.counts.data[edges].astype(np.float64)
        if self.weights is not None:
            shares *= self.weights[targets]
        if len(nodes):
            shares *= np.repeat(mass[nodes] / np.add.reduceat(shares, firsts), n_edges)
        arrived: Vector = np.bincount(targets, shares, minlength=self.counts.shape[1]).astype(np.float64, copy=False)
        return arrived


def walk_of(entities: csr_array, units: csr_array, weights: Vector, most_edges: int = MOST_EDGES) -> Walk:
    """Return the walk over `entities` (n_units, n_entities), counts, and its transpose `units`.

    `weights` (n_entities,) is what the edges of each entity count besides. No matrix is made where there are more than
    `most_edges`: then the walk is approximate, and reads what it needs of the two that there are.
    """
    if entities.nnz > most_edges:
        return Walk(Step(entities, weights), Step(units, None))
    data = entities.data * weights[entities.indices]
    return walk(csr_array((data, entities.indices, entities.indptr), entities.shape))


def walk(weights: csr_array) -> Walk:
    """Normalise the edges of `weights` (n_units, n_entities), all of them positive, by the weight of each node."""
    by_unit = diags_array(_inverse(weights.sum(axis=1)))
    by_entity = diags_array(_inverse(weights.sum(axis=0)))
    return Walk(csr_array((by_unit @ weights).T), csr_array(weights @ by_entity))


def pagerank(
    steps: Walk,
    unit_seeds: Vector,
    entity_seeds: Vector,
    restart: float = 0.35,
    max_iterations: int = 100,
    tolerance: float = 1e-9,
) -> tuple[Vector, Vector]:
    """Return the PageRank of the units (n_units,) and of the entities (n_entities,), which sum to 1 together.

    In a walk of a large graph they sum to less, by what was left out.

    Seeds are non-negative with a positive sum, and are scaled to sum to 1 together. Stops after `max_iterations`, or
    when no more than `tolerance` of the mass moves; a few iterations rank the neighbourhood of the seeds well.

    >>> two_units_share_an_entity = walk(csr_array([[1.0], [1.0]]))
    >>> units, entities = pagerank(two_units_share_an_entity, np.array([1.0, 0.0]), np.array([0.0]), restart=0.5)
    >>> print(units.round(3), entities.round(3))
    [0.583 0.083] [0.333]
    """
    total = unit_seeds.sum() + entity_seeds.sum()
    if not total > 0:
        raise ValueError("pagerank needs at least one seed with a positive weight")
    unit_seeds, entity_seeds = unit_seeds / total, entity_seeds / total
    seeded = np.flatnonzero(unit_seeds), np.flatnonzero(entity_seeds)
    units, entities = unit_seeds.copy(), entity_seeds.copy()
    for _ in range(max_iterations):
        next_units, next_entities = steps.to_units @ entities, steps.to_entities @ units
        if isinstance(steps.to_units, Step) and isinstance(steps.to_entities, Step):
            gone = 1 - steps.to_units.stuck(entities) - steps.to_entities.stuck(units)
        else:
            gone = next_units.sum() + next_entities.sum()
        jump = 1 - (1 - restart) * gone  # restarts, and what had no edge to take
        moved = 0.0
        for then, now, seeds, places in (
            (next_units, units, unit_seeds, seeded[0]),
            (next_entities, entities, entity_seeds, seeded[1]),
        ):  # in place: in a large graph, making vectors takes longer than the steps
            then *= 1 - restart
            then[places] += jump * seeds[places]
            moved += float(np.abs(np.subtract(then, now, out=now), out=now).sum())
        units, entities = next_units, next_entities
        if moved <= tolerance:
            break
    return units, entities


def _inverse(sums: npt.ArrayLike) -> Vector:
    values = np.asarray(sums, dtype=np.float64)
    return np.divide(1.0, values, out=np.zeros_like(values), where=values > 0)
