"""The service `last` for a test of one stage: a snapshot folder that holds the tables of the run before; and code that
changes within a process."""

from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa

from graphrag_lite import tables
from graphrag_lite.run import stamps
from graphrag_lite.run.services import Last


def last(folder: Path, *, changed: Iterable[str] = (), failed: Iterable[str] = (), **written: pa.Table) -> Last:
    (folder / "work").mkdir(parents=True, exist_ok=True)
    for name, table in written.items():
        tables.write(folder, name, table)
    return Last(folder, frozenset(changed), tuple(failed))


def forget_code() -> None:
    """Read the code again: within one process it is taken to stay as it is."""
    for name in ("code_hash", "libraries", "_shown", "_modules", "_imports", "_text", "_hash", "_data_files"):
        getattr(stamps, name).cache_clear()
