"""The graph of text units and entities, as ranking walks it."""

from dataclasses import dataclass

import numpy as np

from graphrag_lite.graph.pagerank import Walk, walk_of
from graphrag_lite.graph.sparse import Csr, Vector

# An entity joins nothing where it is in more units than this share of them (and in more than a handful).
_HUB_SHARE = 0.05
_HANDFUL = 5


@dataclass(frozen=True)
class Links:
    """The graph as sparse matrices, built once per index by `link`."""

    entities: Csr  # (n_units, n_entities) mention counts
    units: Csr  # (n_entities, n_units), its transpose
    definitions: Csr  # (n_entities, n_units), not 0 where the unit's document has the entity as its title
    about: float  # share of the units whose document is about what it is titled with, near 1 in an encyclopaedia
    rarity: Vector  # (n_entities,), 1 for an entity in one unit, near 0 for one in all, 0 for a hub
    steps: Walk


def link_mentions(mentions: Csr, definitions: Csr, transposed: Csr) -> Links:
    """Prepare the graph from `mentions` (n_units, n_entities), counts of names in titles and texts alike.

    `transposed` is the same as (n_entities, n_units).
    Edges of the walk weigh tf * (ln((n_units + 1) / df) + 1), those of hubs a tenth of that: they connect everything.
    """
    n_units, frequencies = mentions.shape[0], transposed.sizes
    hub = frequencies > max(_HANDFUL, _HUB_SHARE * n_units)
    rarity = np.log((n_units + 1) / np.maximum(frequencies, 1))
    edge = np.where(hub, 0.1, 1.0) * (rarity + 1)
    scaled_rarity = np.where(hub, 0.0, rarity / np.log(n_units + 1)) if n_units else rarity
    about = len(np.unique(definitions.indices)) / max(n_units, 1)
    return Links(mentions, transposed, definitions, about, scaled_rarity, walk_of(mentions, transposed, edge))
