"""The property graph for Neo4j: files for its bulk import, and statements of Cypher."""

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from graphrag_lite.retrieval.snapshot_view import SnapshotView
from graphrag_lite.views.property_graph import Row, property_graph

File = tuple[str, bytes]
KINDS = {int: "long", float: "double", bool: "boolean", str: "string"}
BATCH = 500  # rows of a statement: it is one transaction


def neo4j_csv(view: SnapshotView) -> Iterator[File]:
    """Yield a file for each kind of node and edge, with the headers of `neo4j-admin database import`."""
    nodes, edges = property_graph(view)
    for each in nodes:
        header = [f"id:ID({each.kind})", *_headers(each.rows, "id", "label"), ":LABEL"]
        labels = ([row["id"], *_cells(row, "id", "label"), _labels(each.kind, row)] for row in each.rows)
        yield f"{each.kind}.csv", _csv(header, labels)
    for edge in edges:
        header = [f":START_ID({edge.source})", f":END_ID({edge.target})", *_headers(edge.rows, "source", "target")]
        cells = ([row["source"], row["target"], *_cells(row, "source", "target")] for row in edge.rows)
        yield f"{edge.source}-{edge.kind}-{edge.target}.csv", _csv(header, cells)


def _labels(kind: str, row: Row) -> str:
    return ";".join(filter(None, (kind, row.get("label"))))


def _headers(rows: Sequence[Row], *without: str) -> list[str]:
    first = rows[0] if rows else {}
    return [f"{name}:{KINDS[type(value)]}" for name, value in first.items() if name not in without]


def _cells(row: Row, *without: str) -> list[Any]:
    values = _without(row, *without).values()
    return [str(value).lower() if isinstance(value, bool) else value for value in values]


def _csv(header: Sequence[str], rows: Any) -> bytes:
    sink = io.StringIO()
    writer = csv.writer(sink, lineterminator="\n", quoting=csv.QUOTE_MINIMAL)
    writer.writerow(header)
    writer.writerows(rows)
    return sink.getvalue().encode()


def cypher(view: SnapshotView) -> Iterator[File]:
    """Yield `graph.cypher`: statements that make the graph, or bring it up to date, for `cypher-shell`.

    What an index does not have any more is not taken away: empty the database first.
    """
    nodes, edges = property_graph(view)
    lines = [f"CREATE CONSTRAINT IF NOT EXISTS FOR (n:{each.kind}) REQUIRE n.id IS UNIQUE;" for each in nodes]
    for each in nodes:
        by_label = sorted(each.rows, key=_label)  # a label is no value: rows of one are one statement
        for label, rows in groupby(by_label, key=_label):
            more = f" SET n:`{label}`" if label else ""
            rest = [_without(row, "label") for row in rows]
            lines += _unwound(rest, f"MERGE (n:{each.kind} {{id: row.id}}) SET n += row{more};")
    for edge in edges:
        ends = f"MATCH (a:{edge.source} {{id: row.source}}), (b:{edge.target} {{id: row.target}})"
        key = " {id: row.all.id}" if edge.kind == "FACT" else ""  # a pair may have many
        rest = [
            {"source": row["source"], "target": row["target"], "all": _without(row, "source", "target")}
            for row in edge.rows
        ]
        lines += _unwound(rest, f"{ends} MERGE (a)-[r:{edge.kind}{key}]->(b) SET r += row.all;")
    yield "graph.cypher", ("\n".join(lines) + "\n").encode()


def _label(row: Row) -> str:
    return str(row.get("label", ""))


def _without(row: Row, *names: str) -> Row:
    return {name: value for name, value in row.items() if name not in names}


def _unwound(rows: Sequence[Row], statement: str) -> Iterator[str]:
    for start in range(0, len(rows), BATCH):
        yield f"UNWIND {literal(rows[start : start + BATCH])} AS row {statement}"


def literal(value: Any) -> str:
    r"""Return a value as Cypher writes it: strings as in JSON, keys of maps bare.

    >>> print(literal([{"name": 'Ann "A" Lee', "n": 1, "is": True}]))
    [{name: "Ann \"A\" Lee", n: 1, is: true}]
    """
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{name}: {literal(inner)}" for name, inner in value.items()) + "}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "[" + ", ".join(map(literal, value)) + "]"
    return json.dumps(value, ensure_ascii=False)
