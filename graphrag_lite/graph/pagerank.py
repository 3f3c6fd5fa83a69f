"""Personalised PageRank over the bipartite graph of text units and entities, by power iteration.

Page et al. 1999, "The PageRank citation ranking", section 2.6. A step goes along an edge with probability restart off
one, in proportion to the edge's weight; else it jumps to the seeds. Nodes without edges give their mass to the seeds.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, diags_array

Vector = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Walk:
    """Transition probabilities in both directions, transposed so that a step is one product with a column vector."""

    to_entities: csr_array  # (n_entities, n_units), columns sum to 1, or 0 for a unit without entities
    to_units: csr_array  # (n_units, n_entities), columns sum to 1, or 0 for an entity without units


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
    units, entities = unit_seeds, entity_seeds
    for _ in range(max_iterations):
        next_units, next_entities = steps.to_units @ entities, steps.to_entities @ units
        jump = 1 - (1 - restart) * (next_units.sum() + next_entities.sum())  # restarts, and what had no edge to take
        next_units = (1 - restart) * next_units + jump * unit_seeds
        next_entities = (1 - restart) * next_entities + jump * entity_seeds
        moved = np.abs(next_units - units).sum() + np.abs(next_entities - entities).sum()
        units, entities = next_units, next_entities
        if moved <= tolerance:
            break
    return units, entities


def _inverse(sums: npt.ArrayLike) -> Vector:
    values = np.asarray(sums, dtype=np.float64)
    return np.divide(1.0, values, out=np.zeros_like(values), where=values > 0)
