"""Entities related or named together -> the hierarchy of communities. In mode stable it goes on from the last one."""

import logging
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from graphrag_lite import tables
from graphrag_lite.graph.community_ids import community_ids, community_numbers, successors
from graphrag_lite.graph.leiden import Community, hierarchical_leiden
from graphrag_lite.graph.leiden_update import Older, next_hierarchy
from graphrag_lite.graph.sparse import Adjacency, edges_inside, flat, from_edges
from graphrag_lite.run.services import Counts, Last
from graphrag_lite.settings import DetectCommunities
from graphrag_lite.tables import groups

if TYPE_CHECKING:
    import pyarrow as pa

Ints = NDArray[np.int64]
ENDS = ("source_id", "target_id")

logger = logging.getLogger(__name__)


async def detect_communities(
    source_documents: "pa.Table",
    source_units: "pa.Table",
    entities: "pa.Table",
    relationships: "pa.Table",
    community_edges: "pa.Table",
    settings: DetectCommunities,
    mode: str,
    last: Last | None,
    count: Counts | None = None,
) -> "pa.Table":
    """Partition the weighted graph of entities, level by level. What nothing joins is in no community.

    In mode stable, only what the change has touched may leave the communities of the last run (`graph.leiden_update`),
    and a community keeps its id and number there (`graph.community_ids`). Other settings, or damage to what the last
    run wrote, make everything anew; other code does not: a newer version must not rewrite every report.
    """
    # Nodes go by id: the order of nodes and edges decides Leiden's result as much as its seed.
    joined = np.unique([groups.row_indices(community_edges[end], entities["id"]) for end in ENDS])
    nodes = entities.select(["id", "title", "degree", "frequency", "text_unit_ids"]).take(joined)
    nodes = nodes.take(np.argsort(np.array(nodes["id"].to_pylist(), dtype=str), kind="stable"))
    node_ids = nodes["id"].combine_chunks()
    degrees, frequencies, titles = (nodes[name].to_pylist() for name in ("degree", "frequency", "title"))
    sources, targets = (groups.row_indices(community_edges[end], node_ids) for end in ENDS)
    adjacency = from_edges(sources, targets, np.asarray(community_edges["weight"]), len(titles))
    gone_on = last if mode == "stable" else None
    found, number, identity = _hierarchy(adjacency, node_ids, community_edges, settings, gone_on)
    order = sorted(range(len(found)), key=lambda i: (found[i].level, number[i]))
    parents = [number[found[i].parent] if found[i].parent >= 0 else -1 for i in order]
    found, number, identity = [found[i] for i in order], [number[i] for i in order], [identity[i] for i in order]
    children: dict[int, list[int]] = defaultdict(list)
    for parent, own in zip(parents, number, strict=True):
        children[parent].append(own)
    ranked = np.argsort(sorted(range(len(titles)), key=lambda i: (-degrees[i], -frequencies[i], titles[i])))
    members = [community.members[np.argsort(ranked[community.members])] for community in found]
    levels = [community.level for community in found]
    sources, targets = (groups.row_indices(relationships[end], node_ids) for end in ENDS)
    owners, inside = edges_inside(levels, members, sources, targets, len(titles))
    owners_of_units, unit_rows = _units_of(members, nodes["text_unit_ids"], source_units["id"])
    if count:
        count("communities_by_level", {str(level): n for level, n in Counter(levels).items()})
    created_at = dict(tables.rows(source_documents, "id", "created_at"))
    days = [created_at[document] for document in source_units["document_id"].to_pylist()]
    return tables.make_columns(
        "communities",
        id=identity,
        human_readable_id=number,
        community=number,
        level=levels,
        parent=parents,
        children=[children[own] for own in number],
        title=_titles([", ".join(titles[i] for i in several[:3].tolist()) for several in members]),
        entity_ids=groups.id_lists(*flat(members), node_ids, len(found)),
        relationship_ids=groups.id_lists(owners, inside, relationships["id"], len(found)),
        text_unit_ids=groups.id_lists(owners_of_units, unit_rows, source_units["id"], len(found)),
        period=_latest(owners_of_units, unit_rows, days, len(found)),
        size=list(map(len, members)),
    )


def _titles(titles: list[str]) -> list[str]:
    """Number those that were there before: a part often has its whole's first members, and graphrag tells by title."""
    named: Counter[str] = Counter()
    found = []
    for title in titles:
        named[title] += 1
        found.append(title if named[title] == 1 else f"{title} ({named[title]})")
    return found


def _units_of(members: Sequence[Ints], unit_ids: "pa.ChunkedArray", all_ids: "pa.ChunkedArray") -> tuple[Ints, Ints]:
    """Return the rows of the text units that mention two members of each community, ascending."""
    listed = unit_ids.combine_chunks()
    begins, rows = np.asarray(listed.offsets).astype(np.int64), groups.row_indices(listed.flatten(), all_ids)
    begins = begins - begins[0]
    n_of = np.diff(begins)
    owners, nodes = flat(members)
    lengths = n_of[nodes]
    held = np.arange(lengths.sum()) + np.repeat(begins[nodes] - np.cumsum(lengths) + lengths, lengths)
    keys, n = np.unique(np.repeat(owners, lengths) * max(len(all_ids), 1) + rows[held], return_counts=True)
    return np.divmod(keys[n > 1], max(len(all_ids), 1))


def _latest(owners: Ints, unit_rows: Ints, dates: list[str], n: int) -> list[str]:
    """Return the latest day among those of the text units of each community."""
    days = sorted({date[:10] for date in dates} | {""})
    number = {day: i for i, day in enumerate(days)}
    latest = np.zeros(n, np.int64)
    np.maximum.at(latest, owners, np.array([number[date[:10]] for date in dates], np.int64)[unit_rows])
    return [days[i] for i in latest.tolist()]


def _hierarchy(
    adjacency: Adjacency,
    node_ids: "pa.Array",
    edges: "pa.Table",
    settings: DetectCommunities,
    last: Last | None,
) -> tuple[list[Community], list[int], list[str]]:
    """Return communities, their numbers and ids, which go on from the last run where it can be gone on from."""
    options = settings.model_dump()
    before = last.read("community_edges", "communities", unless={"settings"}) if last else None
    if before:
        older = _older(node_ids, edges, *before)
        found, why = next_hierarchy(adjacency, older, **options)
        if why:
            logger.info("Communities were made anew, not updated: %s.", why)
        was = successors(older.communities, older.sizes, found, len(node_ids))
        numbers, ids = (before[1][name].to_pylist() for name in ("community", "id"))
    else:
        found = hierarchical_leiden(adjacency, **options)
        was, numbers, ids = [-1] * len(found), [], []
    return found, community_numbers(found, was, numbers), community_ids(found, was, ids, node_ids.to_pylist())


def _older(node_ids: "pa.Array", edges: "pa.Table", edges_before: "pa.Table", communities_before: "pa.Table") -> Older:
    """Return the hierarchy of the last run on the nodes of today, and which of them the change has touched."""
    import pyarrow.compute as pc

    members = communities_before["entity_ids"].combine_chunks()
    sizes = np.asarray(pc.list_value_length(members)).astype(np.int64)
    nodes = groups.row_indices(members.flatten(), node_ids)
    parts = [np.sort(part[part >= 0]) for part in np.split(nodes, np.cumsum(sizes))[:-1]]
    row = {number: i for i, number in enumerate(communities_before["community"].to_pylist())}
    levels, parents = (communities_before[name].to_pylist() for name in ("level", "parent"))
    communities = [
        Community(level, row.get(parent, -1), part) for level, parent, part in zip(levels, parents, parts, strict=True)
    ]
    touched = np.zeros(len(node_ids), dtype=bool)
    keys = [pc.binary_join_element_wise(*(table[end] for end in ENDS), "") for table in (edges, edges_before)]
    for table, these, others in zip((edges, edges_before), keys, reversed(keys), strict=True):
        changed = table.filter(pc.invert(pc.is_in(these, value_set=others.combine_chunks())))
        for end in ENDS:
            ends = groups.row_indices(changed[end], node_ids)
            touched[ends[ends >= 0]] = True
    return Older(communities, sizes, touched)
