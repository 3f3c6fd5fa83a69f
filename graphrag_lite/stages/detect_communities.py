"""Relationships -> the hierarchy of communities."""

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from graphrag_lite import tables
from graphrag_lite.graph.leiden import Community, hierarchical_leiden
from graphrag_lite.settings import DetectCommunities

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray


async def detect_communities(
    source_documents: "pa.Table",
    source_units: "pa.Table",
    entities: "pa.Table",
    relationships: "pa.Table",
    settings: DetectCommunities,
) -> "pa.Table":
    """Partition the weighted graph of entities, level by level. An entity without relationships stays alone."""
    import numpy as np
    from scipy.sparse import coo_matrix

    # Nodes go by id: the order of nodes and edges decides Leiden's result as much as its seed.
    order = np.argsort(np.array(entities["id"].to_pylist(), dtype=str), kind="stable")
    ids = [entities["id"][i].as_py() for i in order]
    degrees = np.asarray(entities["degree"])[order]
    titles = [entities["title"][i].as_py() for i in order]
    node = {identity: i for i, identity in enumerate(ids)}
    sources = np.array([node[i] for i in relationships["source_id"].to_pylist()], dtype=np.int64)
    targets = np.array([node[i] for i in relationships["target_id"].to_pylist()], dtype=np.int64)
    weights = np.asarray(relationships["weight"], dtype=np.float64)
    upper = coo_matrix((weights, (sources, targets)), shape=(len(ids), len(ids))).tocsr()
    found = hierarchical_leiden(
        (upper + upper.T).tocsr(),
        max_cluster_size=settings.max_cluster_size,
        resolution=settings.resolution,
        seed=settings.seed,
    )

    # Communities are numbered by level, then size, then first member.
    ranks = sorted(range(len(found)), key=lambda i: (found[i].level, -len(found[i].members), int(found[i].members[0])))
    number = {position: rank for rank, position in enumerate(ranks)}
    children: dict[int, list[int]] = defaultdict(list)
    for position in ranks:
        if found[position].parent >= 0:
            children[number[found[position].parent]].append(number[position])
    inside = _relationships_inside(found, sources, targets, len(ids))
    relationship_ids = relationships["id"].to_pylist()
    relationship_units = relationships["text_unit_ids"].to_pylist()
    unit_place = {identity: i for i, identity in enumerate(source_units["id"].to_pylist())}
    created_at = dict(zip(source_documents["id"].to_pylist(), source_documents["created_at"].to_pylist(), strict=True))
    unit_date = [created_at[identity] for identity in source_units["document_id"].to_pylist()]

    rows = []
    named: Counter[str] = Counter()
    for rank, position in enumerate(ranks):
        community = found[position]
        members = sorted(community.members.tolist(), key=lambda i: (-degrees[i], titles[i]))
        title = ", ".join(titles[i] for i in members[:3])
        named[title] += 1  # a part often has its whole's first members; graphrag tells communities apart by title
        places = sorted({unit_place[u] for r in inside[position] for u in relationship_units[r]})
        rows.append(
            {
                "id": tables.content_id("community", str(community.level), *sorted(ids[i] for i in members)),
                "human_readable_id": rank,
                "community": rank,
                "level": community.level,
                "parent": number[community.parent] if community.parent >= 0 else -1,
                "children": children[rank],
                "title": title if named[title] == 1 else f"{title} ({named[title]})",
                "entity_ids": [ids[i] for i in members],
                "relationship_ids": [relationship_ids[r] for r in inside[position]],
                "text_unit_ids": [source_units["id"][place].as_py() for place in places],
                "period": max((unit_date[place] for place in places), default="")[:10],
                "size": len(members),
            }
        )
    return tables.make("communities", rows)


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
