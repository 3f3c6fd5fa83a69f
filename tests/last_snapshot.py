"""The service `last` for a test of one stage: a snapshot folder that holds the tables of the run before."""

from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa

from graphrag_lite import tables
from graphrag_lite.run.services import Last


def last(folder: Path, *, changed: Iterable[str] = (), failed: Iterable[str] = (), **written: pa.Table) -> Last:
    (folder / "work").mkdir(parents=True, exist_ok=True)
    for name, table in written.items():
        tables.write(folder, name, table)
    return Last(folder, frozenset(changed), tuple(failed))
