"""What holds for every hierarchy of communities, and graphs whose communities are known."""

from pathlib import Path
from typing import Any

import networkx
import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from graphrag_lite.graph.leiden import Community


def known_graph(folder: Path) -> "networkx.Graph[int]":
    """Return the giant component of a graph of the evaluation data."""
    graph: networkx.Graph[int] = networkx.Graph()
    for line in (folder / "edges.tsv").read_text().splitlines():
        a, b = map(int, line.split("\t")[:2])
        if a != b:
            graph.add_edge(a, b)
    return graph.subgraph(max(networkx.connected_components(graph), key=len)).copy()


def as_lists(found: list[Community]) -> list[tuple[int, int, list[int]]]:
    return [(c.level, c.parent, c.members.tolist()) for c in found]


def top_labels(found: list[Community], n_nodes: int) -> np.ndarray[Any, Any]:
    labels = np.full(n_nodes, -1)
    for index, community in enumerate(found):
        if community.level == 0:
            labels[community.members] = index
    return labels


def check(found: list[Community], adjacency: csr_matrix, most: int) -> None:
    """Check what holds for every hierarchy."""
    top = [node for community in found if community.level == 0 for node in community.members.tolist()]
    assert sorted(top) == list(range(adjacency.shape[0]))
    for position, community in enumerate(found):
        members = community.members
        assert members.tolist() == sorted(set(members.tolist())) and len(members)
        assert connected_components(adjacency[members][:, members], directed=False)[0] == 1
        assert (community.parent == -1) == (community.level == 0) and community.parent < position
        if community.parent >= 0:
            assert found[community.parent].level == community.level - 1
        children = [child for child in found if child.parent == position]
        if children:
            assert len(members) > most and len(children) > 1
            assert sum(len(child.members) == 1 for child in children) <= len(children) // 2
            assert sorted(n for child in children for n in child.members.tolist()) == members.tolist()
