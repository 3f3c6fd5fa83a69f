"""What a run before made, or one that broke off: taken where a stage's stamp is the same and its files are intact."""

from pathlib import Path
from typing import Any

from graphrag_lite import tables
from graphrag_lite.run import snapshots
from graphrag_lite.run.stamps import Stage, Stamp


def reuse(stage: Stage, stamp: Stamp, folder: Path, stamps: Any, building: Path) -> dict[str, Any] | None:
    """Return the record of the result with this stamp in `folder`, linked into `building`; None unless it is intact."""
    record = intact(stage, stamp, folder, stamps)
    if record and folder != building:
        for name in stored_by(stage):
            snapshots.link(tables.path_in(folder, name), tables.path_in(building, name))
    return record


def intact(stage: Stage, stamp: Stamp, folder: Path, stamps: Any) -> dict[str, Any] | None:
    """Return the record of the result with this stamp in `folder`; None unless the files with it are as written."""
    record = stamps.get(stage.name)
    if not record or record["stamp"] != stamp or record["failures"]:
        return None
    written = {name: entry["sha256"] for each in stamps.values() for name, entry in each["tables"].items()}
    paths = {name: tables.path_in(folder, name) for name in stored_by(stage)}
    if any(snapshots.file_digest(path) != written.get(name) for name, path in paths.items()):
        return None
    return dict(record)


def stored_by(stage: Stage) -> set[str]:
    """Return the tables in whose files stands what a stage writes."""
    return {each for name in stage.writes for each in tables.STORED_IN.get(name, (name,))}
