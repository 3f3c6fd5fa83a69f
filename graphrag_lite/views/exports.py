"""The formats that an index is exported in."""

from collections.abc import Iterator
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graphrag_lite.retrieval.snapshot_view import SnapshotView

# Imported when they are asked for: the command line lists their names at every start.
FORMATS = {
    "graphml": "graph_files:graphml",
    "gexf": "graph_files:gexf",
    "csv": "neo4j:neo4j_csv",
    "cypher": "neo4j:cypher",
    "obsidian": "note_vault:obsidian",
    "markdown": "report_book:markdown",
    "jsonl": "records:jsonl",
}


def exported(view: "SnapshotView", form: str) -> Iterator[tuple[str, bytes]]:
    """Yield the files of an index in one of FORMATS: paths in a folder, and bytes. Equal tables give equal files."""
    module, _, function = FORMATS[form].partition(":")
    yield from getattr(import_module(f"graphrag_lite.views.{module}"), function)(view)
