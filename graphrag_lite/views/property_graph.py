"""The index as a property graph: nodes and edges with properties.

    (Document)<-[:PART_OF]-(TextUnit)-[:MENTIONS]->(Entity)-[:RELATED]->(Entity)
                                     (Entity)-[:IN_COMMUNITY]->(Community)-[:PART_OF]->(Community)
                                     (Entity)-[:FACT {valid_at, invalid_at}]->(Entity)

An entity has its type as a second label. Communities have their reports; an entity is in the finest one that has it.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graphrag_lite.retrieval.snapshot_view import SnapshotView
from graphrag_lite.text.plain_text import shown

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Nodes:
    """Nodes of one kind. Rows have `id`, `label` where one has a second one, and properties."""

    kind: str
    rows: Sequence[Row]


@dataclass(frozen=True)
class Edges:
    """Edges of one kind between nodes of two. Rows have `source`, `target` and properties."""

    kind: str
    source: str
    target: str
    rows: Sequence[Row]


def label_of(kind: str) -> str:
    """Return an entity's type as a label.

    >>> label_of("organization"), label_of("legal person"), label_of("`]"), label_of("会社")
    ('Organization', 'LegalPerson', '', '会社')
    """
    return "".join(word[:1].upper() + word[1:] for word in re.findall(r"\w+", kind))


def property_graph(view: SnapshotView) -> tuple[list[Nodes], list[Edges]]:
    """Return the nodes and edges of an index, in the order of its tables."""
    documents, entities = (view.arrow(name).to_pylist() for name in ("documents", "entities"))
    units = view.arrow("text_units").to_pylist()
    communities = view.arrow("communities").to_pylist()
    reports = {row["community"]: row for row in view.arrow("community_reports").to_pylist()}
    known = {row["id"] for row in entities}
    number = {row["community"]: row["id"] for row in communities}
    finest = {identity: row["id"] for row in sorted(communities, key=_level) for identity in row["entity_ids"]}
    facts = [row for row in view.arrow("facts").to_pylist() if {row["subject_id"], row["object_id"]} <= known]
    of_entity = ("id", "title", "type", "description", "frequency", "degree", "n_documents")
    of_fact = ("id", "relation", "fact", "kind", "valid_at", "invalid_at", "ended_by", "conflict")
    nodes = [
        Nodes("Document", _picked(documents, "id", "title", "path", "created_at", "language")),
        Nodes("TextUnit", _picked(units, "id", "text", "ordinal", "char_start", "char_end", "n_tokens")),
        Nodes("Entity", [row | {"label": label_of(row["type"])} for row in _picked(entities, *of_entity)]),
        Nodes("Community", [_community(row, reports.get(row["community"])) for row in communities]),
    ]
    edges = [
        Edges("PART_OF", "TextUnit", "Document", _pairs((row["id"], row["document_id"]) for row in units)),
        Edges("MENTIONS", "TextUnit", "Entity", _pairs((row["id"], own) for row in units for own in row["entity_ids"])),
        Edges("RELATED", "Entity", "Entity", _related(view)),
        Edges("FACT", "Entity", "Entity", [_ends(row, "subject_id", "object_id", *of_fact) for row in facts]),
        Edges("IN_COMMUNITY", "Entity", "Community", _pairs(finest.items())),
        Edges(
            *("PART_OF", "Community", "Community"),
            _pairs((row["id"], number[row["parent"]]) for row in communities if row["parent"] in number),
        ),
    ]
    return nodes, [each for each in edges if each.rows]


def _level(row: Row) -> int:
    return int(row["level"])


def _value(value: Any) -> Any:
    return shown(value) if isinstance(value, str) else value


def _picked(rows: Sequence[Row], *columns: str) -> list[dict[str, Any]]:
    return [{column: _value(row[column]) for column in columns} for row in rows]


def _pairs(pairs: Any) -> list[Row]:
    return [{"source": source, "target": target} for source, target in pairs]


def _ends(row: Row, source: str, target: str, *columns: str) -> Row:
    return {"source": row[source], "target": row[target], **{column: _value(row[column]) for column in columns}}


def _related(view: SnapshotView) -> list[Row]:
    said = ("relation", "description", "weight", "n_mentions")
    return [_ends(row, "source_id", "target_id", *said) for row in view.arrow("relationships").to_pylist()]


def _community(row: Row, report: Row | None) -> Row:
    told = {"title": report["title"], "summary": report["summary"], "rank": report["rank"]} if report else {}
    own = {"title": row["title"], "summary": "", "rank": 0.0} | told
    return {"id": row["id"], "number": row["community"], "level": row["level"], "size": row["size"]} | {
        column: _value(value) for column, value in own.items()
    }
