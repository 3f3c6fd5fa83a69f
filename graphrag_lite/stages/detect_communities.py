"""Relationships -> the hierarchy of communities. In mode stable it goes on from that of the last run."""

import logging
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from graphrag_lite import tables
from graphrag_lite.graph.adjacency import from_edges
from graphrag_lite.graph.community_ids import community_ids, community_numbers, successors
from graphrag_lite.graph.leiden import Community, hierarchical_leiden
from graphrag_lite.graph.leiden_update import Older, next_hierarchy
from graphrag_lite.run.services import Last
from graphrag_lite.settings import DetectCommunities

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from graphrag_lite.graph.adjacency import Adjacency

logger = logging.getLogger(__name__)


async def detect_communities(
    source_documents: "pa.Table",
    source_units: "pa.Table",
    entities: "pa.Table",
    relationships: "pa.Table",
    settings: DetectCommunities,
    mode: str,
    last: Last | None,
) -> "pa.Table":
    """Partition the weighted graph of entities, level by level. An entity without relationships is in no community.

    In mode stable, only what the change has touched may leave the communities of the last run (`graph.leiden_update`),
    and a community keeps its id and number there (`graph.community_ids`). Other settings, or damage to what the last
    run wrote, make everything anew; other code does not: a newer version must not rewrite every report.
    """
    import numpy as np

    # Nodes go by id: the order of nodes and edges decides Leiden's result as much as its seed.
    nodes = entities.select(["id", "title", "degree"]).filter(_related(entities["id"], relationships))
    nodes = nodes.take(np.argsort(np.array(nodes["id"].to_pylist(), dtype=str), kind="stable"))
    node_ids, degrees = nodes["id"].combine_chunks(), np.asarray(nodes["degree"])
    ids, titles = (nodes[name].to_pylist() for name in ("id", "title"))
    sources, targets = (_nodes(node_ids, relationships[end]) for end in ("source_id", "target_id"))
    adjacency = from_edges(sources, targets, np.asarray(relationships["weight"]), len(ids))
    gone_on = last if mode == "stable" else None
    found, number, identity = _hierarchy(adjacency, node_ids, relationships, settings, gone_on)
    inside = _relationships_inside(found, sources, targets, len(ids))
    relationship_ids, relationship_units = (relationships[name].to_pylist() for name in ("id", "text_unit_ids"))
    unit_ids = source_units["id"].to_pylist()
    unit_place = {unit: place for place, unit in enumerate(unit_ids)}
    unit_date = _dates(source_documents, source_units)
    children: dict[int, list[int]] = defaultdict(list)
    named: Counter[str] = Counter()
    rows = []
    for position in sorted(range(len(found)), key=lambda i: (found[i].level, number[i])):
        community = found[position]
        parent = number[community.parent] if community.parent >= 0 else -1
        children[parent].append(number[position])
        members = sorted(community.members.tolist(), key=lambda i: (-degrees[i], titles[i]))
        title = ", ".join(titles[i] for i in members[:3])
        named[title] += 1  # a part often has its whole's first members; graphrag tells communities apart by title
        places = sorted({unit_place[unit] for row in inside[position] for unit in relationship_units[row]})
        rows.append(
            {
                "id": identity[position],
                "human_readable_id": number[position],
                "community": number[position],
                "level": community.level,
                "parent": parent,
                "children": children[number[position]],  # still to come: they are in deeper levels
                "title": title if named[title] == 1 else f"{title} ({named[title]})",
                "entity_ids": [ids[i] for i in members],
                "relationship_ids": [relationship_ids[row] for row in inside[position]],
                "text_unit_ids": [unit_ids[place] for place in places],
                "period": max((unit_date[place] for place in places), default="")[:10],
                "size": len(members),
            }
        )
    return tables.make("communities", rows)


def _related(entity_ids: "pa.ChunkedArray", relationships: "pa.Table") -> "pa.ChunkedArray":
    """Return which entities are an end of a relationship."""
    import pyarrow as pa
    import pyarrow.compute as pc

    ends = pa.chunked_array([*relationships["source_id"].chunks, *relationships["target_id"].chunks], pa.string())
    return pc.is_in(entity_ids, value_set=ends.combine_chunks())


def _hierarchy(
    adjacency: "Adjacency",
    node_ids: "pa.Array",
    relationships: "pa.Table",
    settings: DetectCommunities,
    last: Last | None,
) -> tuple[list[Community], list[int], list[str]]:
    """Return communities, their numbers and ids, which go on from the last run where it can be gone on from."""
    options = settings.model_dump()
    before = last.read("relationships", "communities", unless={"settings"}) if last else None
    if before:
        older = _older(node_ids, relationships, *before)
        found, why = next_hierarchy(adjacency, older, **options)
        if why:
            logger.info("Communities were made anew, not updated: %s.", why)
        was = successors(older.communities, older.sizes, found, len(node_ids))
        numbers, ids = (before[1][name].to_pylist() for name in ("community", "id"))
    else:
        found = hierarchical_leiden(adjacency, **options)
        was, numbers, ids = [-1] * len(found), [], []
    return found, community_numbers(found, was, numbers), community_ids(found, was, ids, node_ids.to_pylist())


def _dates(source_documents: "pa.Table", source_units: "pa.Table") -> list[str]:
    """Return the date of every text unit's document, empty where it has none."""
    created_at = dict(tables.rows(source_documents, "id", "created_at"))
    return [created_at[document] for document in source_units["document_id"].to_pylist()]


def _nodes(node_ids: "pa.Array", ids: "pa.ChunkedArray | pa.Array") -> "NDArray[np.int64]":
    """Return the node of each entity id, -1 where there is none."""
    import numpy as np
    import pyarrow.compute as pc

    return np.asarray(pc.fill_null(pc.index_in(ids, value_set=node_ids), -1)).astype(np.int64)


def _older(
    node_ids: "pa.Array", relationships: "pa.Table", relationships_before: "pa.Table", communities_before: "pa.Table"
) -> Older:
    """Return the hierarchy of the last run on the nodes of today, and which of them the change has touched."""
    import numpy as np
    import pyarrow.compute as pc

    members = communities_before["entity_ids"].combine_chunks()
    sizes = np.asarray(pc.list_value_length(members)).astype(np.int64)
    nodes = _nodes(node_ids, pc.list_flatten(members))
    parts = [np.sort(part[part >= 0]) for part in np.split(nodes, np.cumsum(sizes))[:-1]]
    row = {number: i for i, number in enumerate(communities_before["community"].to_pylist())}
    levels, parents = (communities_before[name].to_pylist() for name in ("level", "parent"))
    communities = [
        Community(level, row.get(parent, -1), part) for level, parent, part in zip(levels, parents, parts, strict=True)
    ]
    touched = np.zeros(len(node_ids), dtype=bool)
    for these, others in ((relationships, relationships_before), (relationships_before, relationships)):
        changed = these.filter(pc.invert(pc.is_in(these["id"], value_set=others["id"].combine_chunks())))
        for end in ("source_id", "target_id"):
            ends = _nodes(node_ids, changed[end])
            touched[ends[ends >= 0]] = True
    return Older(communities, sizes, touched)


def _relationships_inside(
    found: "list[Community]", sources: "NDArray[np.int64]", targets: "NDArray[np.int64]", n_nodes: int
) -> "list[list[int]]":
    """Return the row numbers of the relationships with both ends in each community."""
    import numpy as np

    inside: list[list[int]] = [[] for _ in found]
    for level in range(max((community.level for community in found), default=-1) + 1):
        labels = np.full(n_nodes, -1)
        for position, community in enumerate(found):
            if community.level == level:
                labels[community.members] = position
        held = np.flatnonzero((labels[sources] == labels[targets]) & (labels[sources] >= 0))
        for relationship, position in zip(held.tolist(), labels[sources[held]].tolist(), strict=True):
            inside[position].append(relationship)
    return inside
