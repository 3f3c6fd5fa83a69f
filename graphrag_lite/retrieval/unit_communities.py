"""Which community each text unit is of: the one of whose entities it says most."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from graphrag_lite.graph.sparse import source_nodes
from graphrag_lite.retrieval.links import Links
from graphrag_lite.retrieval.snapshot_tables import SnapshotTables
from graphrag_lite.tables import spare_pandas

NO_COMMUNITY = -2  # -1 is the parent of the top level


class UnitCommunities(NamedTuple):
    """Communities by number, and of each text unit, (n_units,), the one of the finest that it is of.

    What names no entity of a community, or only what is named everywhere, is of `NO_COMMUNITY`.
    """

    parent: Mapping[int, int]
    children: Mapping[int, Sequence[int]]
    of_unit: npt.NDArray[np.int64]


def unit_communities(index: SnapshotTables, links: Links) -> UnitCommunities:
    """Return the communities of an index, and which its text units are of; ties go to the highest number."""
    import pyarrow.compute as pc

    spare_pandas()
    found, parents = (index.column("communities", name).to_pylist() for name in ("community", "parent"))
    children: dict[int, list[int]] = {}
    for community, parent in zip(found, parents, strict=True):
        children.setdefault(parent, []).append(community)
    numbers = np.array(sorted(found), dtype=np.int64)
    members = index.column("communities", "entity_ids").combine_chunks()
    rows = pc.index_in(members.flatten(), index.column("entities", "id").combine_chunks())
    owners = np.repeat(np.searchsorted(numbers, found), np.asarray(pc.list_value_length(members)))
    column = np.full(index.n_rows("entities"), -1)
    column[np.asarray(rows)] = owners  # the last of an entity is the finest
    mentions = links.entities
    of_mention = column[mentions.indices]
    worth = np.log1p(mentions.data) * links.rarity[mentions.indices]
    held = (of_mention >= 0) & (worth > 0)
    pairs, inverse = np.unique(source_nodes(mentions)[held] * len(numbers) + of_mention[held], return_inverse=True)
    unit, community_index = np.divmod(pairs, max(len(numbers), 1))
    order = np.lexsort((-community_index, np.bincount(inverse, worth[held], len(pairs)), unit))
    of_unit = np.full(index.n_rows("text_units"), NO_COMMUNITY)
    of_unit[unit[order]] = numbers[community_index[order]]  # the last of each unit is worth most, ties by number
    return UnitCommunities(dict(zip(found, parents, strict=True)), children, of_unit)
