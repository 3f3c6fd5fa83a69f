"""The index as a property graph for Neo4j: files for its bulk import, and statements of Cypher.

    (Document)<-[:PART_OF]-(TextUnit)-[:MENTIONS]->(Entity)-[:RELATED]->(Entity)
                                     (Entity)-[:IN_COMMUNITY]->(Community)-[:PART_OF]->(Community)
                                     (Entity)-[:FACT {valid_at, invalid_at}]->(Entity)

An entity has its type as a second label. Communities have their reports; an entity is in the finest one that has it.
"""

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import numpy as np
import pyarrow as pa

from graphrag_lite.retrieval.snapshot_view import SnapshotView
from graphrag_lite.tables.database import open_database, select
from graphrag_lite.text.plain_text import printable
from graphrag_lite.text.word_lists import toml_file

Row = Mapping[str, Any]
File = tuple[str, bytes]
KINDS = {int: "long", float: "double", bool: "boolean", str: "string"}
TABLES = ("documents", "text_units", "entities", "relationships", "facts", "communities", "community_reports")
BATCH = 500  # rows of a statement: it is one transaction


def label_of(kind: str) -> str:
    """Return an entity's type as a label.

    >>> label_of("organization"), label_of("legal person"), label_of("`]"), label_of("会社")
    ('Organization', 'LegalPerson', '', '会社')
    """
    return "".join(word[:1].upper() + word[1:] for word in re.findall(r"\w+", kind))


def property_graph(view: SnapshotView) -> tuple[dict[str, list[Row]], dict[tuple[str, str, str], list[Row]]]:
    """Return the nodes by kind and the edges by (kind of node, kind, kind of node), in the order of the tables.

    A node has `id`, `label` where it has a second one, and properties; an edge `source`, `target` and properties.
    """
    listed = toml_file(__package__, "neo4j.toml")
    with open_database(sum(map(view.n_rows, TABLES))) as database:
        for name in TABLES:
            data = view.arrow(name)
            database.register(name, data.append_column("row", pa.array(np.arange(data.num_rows))))

        def rows(query: str) -> list[Row]:
            found = select(database, query).to_pylist()
            return [{name: _value(name, value) for name, value in row.items()} for row in found]

        nodes = {kind: rows(query) for kind, query in listed["nodes"].items()}
        edges = {}
        for name, query in listed["edges"].items():
            if found := rows(query):
                source, kind, target = name.split("-")
                edges[source, kind, target] = found
    return nodes, edges


def _value(name: str, value: Any) -> Any:
    return value if not isinstance(value, str) else label_of(value) if name == "label" else printable(value)


def neo4j_csv(view: SnapshotView) -> Iterator[File]:
    """Yield a file for each kind of node and edge, with the headers of `neo4j-admin database import`."""
    nodes, edges = property_graph(view)
    for kind, rows in nodes.items():
        header = [f"id:ID({kind})", *_headers(rows, "id", "label"), ":LABEL"]
        labels = (";".join(filter(None, (kind, row.get("label")))) for row in rows)
        cells = ([row["id"], *_cells(row, "id", "label"), each] for row, each in zip(rows, labels, strict=True))
        yield f"{kind}.csv", _csv(header, cells)
    for (source, kind, target), rows in edges.items():
        header = [f":START_ID({source})", f":END_ID({target})", *_headers(rows, "source", "target")]
        cells = ([row["source"], row["target"], *_cells(row, "source", "target")] for row in rows)
        yield f"{source}-{kind}-{target}.csv", _csv(header, cells)


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
    lines = [f"CREATE CONSTRAINT IF NOT EXISTS FOR (n:{kind}) REQUIRE n.id IS UNIQUE;" for kind in nodes]
    for kind, rows in nodes.items():
        by_label = sorted(rows, key=_label)  # a label is no value: rows of one are one statement
        for label, alike in groupby(by_label, key=_label):
            more = f" SET n:`{label}`" if label else ""
            rest = [_without(row, "label") for row in alike]
            lines += _unwound(rest, f"MERGE (n:{kind} {{id: row.id}}) SET n += row{more};")
    for (source, kind, target), rows in edges.items():
        ends = f"MATCH (a:{source} {{id: row.source}}), (b:{target} {{id: row.target}})"
        key = " {id: row.all.id}" if kind == "FACT" else ""  # a pair may have many
        rest = [
            {"source": row["source"], "target": row["target"], "all": _without(row, "source", "target")} for row in rows
        ]
        lines += _unwound(rest, f"{ends} MERGE (a)-[r:{kind}{key}]->(b) SET r += row.all;")
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
