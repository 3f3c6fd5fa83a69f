"""The formats that an index is exported in."""

import json
from collections.abc import Iterator
from importlib import import_module
from typing import TYPE_CHECKING

from graphrag_lite import tables

if TYPE_CHECKING:
    from graphrag_lite.retrieval.snapshot_view import SnapshotView

# Their modules are imported when they are asked for.
FORMATS = {
    "graphml": "graph_files:graphml",
    "gexf": "graph_files:gexf",
    "csv": "neo4j:neo4j_csv",
    "cypher": "neo4j:cypher",
    "obsidian": "note_vault:obsidian",
    "markdown": "report_book:markdown",
    "jsonl": "exports:jsonl",
    "parquet": "exports:parquet",
}


def exported(view: "SnapshotView", form: str) -> Iterator[tuple[str, bytes]]:
    """Yield the files of an index in one of FORMATS: paths in a folder, and bytes. Equal tables give equal files."""
    module, _, function = FORMATS[form].partition(":")
    yield from getattr(import_module(f"graphrag_lite.views.{module}"), function)(view)


def jsonl(view: "SnapshotView") -> Iterator[tuple[str, bytes]]:
    """Yield `TABLE.jsonl` for every final table, with its columns as docs/tables.md has them."""
    for name in tables.FINAL:
        rows = view.arrow(name).to_pylist()
        yield f"{name}.jsonl", "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def parquet(view: "SnapshotView") -> Iterator[tuple[str, bytes]]:
    """Yield `TABLE.parquet` for every final table: one file, also where the index has it in parts."""
    for name in tables.FINAL:
        yield f"{name}.parquet", bytes(tables.in_one_file(view.arrow(name), name))
