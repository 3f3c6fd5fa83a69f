"""The graph of names for Gephi, yEd, Cytoscape and whatever reads GraphML or GEXF: laid out, with its communities."""

import io
import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from graphrag_lite import tables
from graphrag_lite.distribution import install_hint
from graphrag_lite.errors import PluginError
from graphrag_lite.retrieval.snapshot_view import SnapshotView
from graphrag_lite.text.plain_text import printable

if TYPE_CHECKING:
    import networkx

File = tuple[str, bytes]
NO_XML = {0xFFFE: None, 0xFFFF: None}  # what is no control character, and no XML may hold
GOLDEN_ANGLE = math.pi * (3 - math.sqrt(5))
SPREAD = 1.3  # of a spiral whose circles hardly overlap

Point = tuple[float, float]


def spiral(radii: Sequence[float]) -> tuple[list[Point], float]:
    """Place circles on a sunflower's spiral (Vogel 1979), the largest inmost; return centres and the radius of all.

    >>> centres, radius = spiral([1.0, 2.0])
    >>> [round(math.hypot(*centre), 1) for centre in centres], round(radius, 1)
    ([2.8, 1.8], 3.8)
    """
    centres: list[Point] = [(0.0, 0.0)] * len(radii)
    area = outer = 0.0
    for turn, index in enumerate(sorted(range(len(radii)), key=lambda i: -radii[i])):
        distance = SPREAD * math.sqrt(area + radii[index] ** 2 / 2) if len(radii) > 1 else 0.0
        centres[index] = (distance * math.cos(turn * GOLDEN_ANGLE), distance * math.sin(turn * GOLDEN_ANGLE))
        area += radii[index] ** 2
        outer = max(outer, distance + radii[index])
    return centres, outer


def positions(radii: Sequence[float], finest: Sequence[int], parents: Mapping[int, int]) -> list[Point]:
    """Return the centre of each name, by its radius and the finest community that it is in (-1: none).

    `parents` has the community that each community is in, -1 for those in none.
    """
    parts: dict[int, list[int]] = defaultdict(list)
    names: dict[int, list[int]] = defaultdict(list)
    for community, parent in parents.items():
        parts[parent].append(community)
    for name, community in enumerate(finest):
        names[community].append(name)
    placed: dict[int, list[Point]] = {}
    found: list[Point] = [(0.0, 0.0)] * len(radii)

    def lay_out(community: int) -> float:
        sizes = [*map(lay_out, parts[community]), *(radii[name] for name in names[community])]
        placed[community], radius = spiral(sizes)
        return radius

    def put(community: int, at: Point) -> None:
        centres = ((at[0] + x, at[1] + y) for x, y in placed[community])
        for part, centre in zip(parts[community], centres, strict=False):
            put(part, centre)
        for name, centre in zip(names[community], centres, strict=True):
            found[name] = centre

    lay_out(-1)
    put(-1, (0.0, 0.0))
    return found


def graph_of(view: SnapshotView) -> "networkx.DiGraph[str]":
    """Return entities and relationships as a graph of networkx.

    Nodes are ids of entities, with `label`, `type`, the community of each level (`community_0` the coarsest), and `x`,
    `y` and `size` of the drawing. An edge goes from who acts to whom, where the text says so (`relation`). Raises
    PluginError where networkx is not installed.
    """
    try:
        import networkx
    except ModuleNotFoundError:
        raise PluginError(f"GraphML and GEXF need {install_hint('graph')}") from None

    graph: networkx.DiGraph[str] = networkx.DiGraph()
    entities = view.arrow("entities").to_pylist()
    levels: dict[str, dict[int, int]] = {row["id"]: {} for row in entities}
    parents = {}
    for number, level, parent, members in tables.rows(
        view.arrow("communities"), "community", "level", "parent", "entity_ids"
    ):
        parents[number] = parent
        for identity in members:
            levels[identity][level] = number
    finest = [levels[row["id"]][max(levels[row["id"]])] if levels[row["id"]] else -1 for row in entities]
    radii = [1 + math.sqrt(row["frequency"]) for row in entities]
    for row, radius, (x, y) in zip(entities, radii, positions(radii, finest, parents), strict=True):
        graph.add_node(
            row["id"],
            label=_text(row["title"]),
            type=_text(row["type"]),
            description=_text(row["description"]),
            **{column: row[column] for column in ("frequency", "degree", "n_documents")},
            **{f"community_{level}": number for level, number in sorted(levels[row["id"]].items())},
            x=round(x, 2),
            y=round(y, 2),
            size=round(radius, 2),
        )
    for row in view.arrow("relationships").to_pylist():
        texts = {column: _text(row[column]) for column in ("relation", "description")}
        weighed = {column: row[column] for column in ("weight", "n_mentions")}
        graph.add_edge(row["source_id"], row["target_id"], id=row["id"], **texts, **weighed)
    return graph


def graphml(view: SnapshotView) -> Iterator[File]:
    """Yield `graph.graphml`."""
    graph = graph_of(view)
    from networkx import write_graphml_xml  # which graph_of says is missing

    sink = io.BytesIO()
    write_graphml_xml(graph, sink, named_key_ids=True)
    yield "graph.graphml", sink.getvalue()


def gexf(view: SnapshotView) -> Iterator[File]:
    """Yield `graph.gexf`, version 1.2."""
    graph = graph_of(view)
    from networkx.readwrite.gexf import GEXFWriter

    for _, node in graph.nodes(data=True):
        position = {"x": node.pop("x"), "y": node.pop("y"), "z": 0.0}
        node["viz"] = {"position": position, "size": node.pop("size")}
    writer = GEXFWriter(graph)
    writer.xml.find("meta").attrib.clear()  # the day of writing: equal tables are to give equal bytes
    writer.indent(writer.xml)
    yield "graph.gexf", ElementTree.tostring(writer.xml, encoding="utf-8", xml_declaration=True)


def _text(value: str) -> str:
    return printable(value).translate(NO_XML)
