"""Every table as JSON lines."""

import json
from collections.abc import Iterator

from graphrag_lite import tables
from graphrag_lite.retrieval.snapshot_view import SnapshotView


def jsonl(view: SnapshotView) -> Iterator[tuple[str, bytes]]:
    """Yield `TABLE.jsonl` for every final table, with its columns as docs/tables.md has them."""
    for name in tables.FINAL:
        rows = view.arrow(name).to_pylist()
        yield f"{name}.jsonl", "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()
