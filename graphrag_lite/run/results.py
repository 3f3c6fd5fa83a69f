"""Results of stages that need not be made again: which the last run left, and which one that had broken off.

A result is what a stage wrote, with its stamp, in a snapshot or in the folder `building`.
"""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from graphrag_lite import tables
from graphrag_lite.errors import GraphragLiteError
from graphrag_lite.run import snapshots
from graphrag_lite.run.services import Last
from graphrag_lite.run.stamps import Stage, Stamp, stamp_of
from graphrag_lite.settings import Settings

Digest = Callable[[Path], str]
RESULT = ("stamp", "tables", "failures")  # what of a stage's record is its result


def last_run(output: Path) -> tuple[Path, dict[str, Any]] | None:
    """Return the current snapshot and its manifest, None where there is none that can be used."""
    try:
        folder = snapshots.current(output)
        return folder, snapshots.read_manifest(folder)
    except GraphragLiteError:
        return None


def anew(output: Path, published: tuple[Path, dict[str, Any]] | None) -> list[str]:
    """Say why nothing of the last index can be taken; nothing where it can. Raises TableError for one of the future."""
    if published is None:
        return ["the last index cannot be read"] if (output / "current").exists() else ["first run"]
    version = published[1].get("schema_version")
    if version == tables.SCHEMA_VERSION:
        return []
    if isinstance(version, int) and version > tables.SCHEMA_VERSION:
        snapshots.usable_manifest(published[0])
    return ["the index was made by an older version of graphrag-lite"]


def stamps_in(building: Path) -> dict[str, Any]:
    """Return the records of what a run that had broken off finished, by stage."""
    try:
        stamps = json.loads((building / "stamps.json").read_text(encoding="utf-8"))
        return stamps if isinstance(stamps, dict) else {}
    except (OSError, ValueError):
        return {}


def reuse(
    stage: Stage, stamp: Stamp, folder: Path, stamps: Any, building: Path, digest: Digest = snapshots.table_digest
) -> dict[str, Any] | None:
    """Return the record of the result with this stamp in `folder`, linked into `building`; None unless it is intact."""
    record = intact(stage, stamp, folder, stamps, digest)
    if record and folder != building:
        for name in stored_by(stage):
            tables.link(tables.path_in(folder, name), tables.path_in(building, name))
    return record


def intact(
    stage: Stage, stamp: Stamp, folder: Path, stamps: Any, digest: Digest = snapshots.table_digest
) -> dict[str, Any] | None:
    """Return the record of the result with this stamp in `folder`; None unless the files with it are as written.

    `digest` may know files of a snapshot, which do not change: several stages write into one.
    """
    record = stamps.get(stage.name)
    if not record or record["stamp"] != stamp or record["failures"]:
        return None
    written = {name: entry["sha256"] for each in stamps.values() for name, entry in each["tables"].items()}
    paths = {name: tables.path_in(folder, name) for name in stored_by(stage)}
    if any(digest(path) != written.get(name) for name, path in paths.items()):
        return None
    return dict(record)


def stored_by(stage: Stage) -> set[str]:
    """Return the tables in whose files stands what a stage writes."""
    return {each for name in stage.writes for each in tables.STORED_IN.get(name, (name,))}


def reusable_result(
    stage: Stage, settings: Settings, services: Mapping[str, Any], digests: Mapping[str, str], output: Path
) -> tuple[Path, dict[str, Any]] | None:
    """Return where a stage's result lies that the next run would take as it is, and its record; None: it would run."""
    stamp = stamp_of(stage, settings, services, digests)
    published, building = last_run(output), output / "building"
    if published and (record := intact(stage, stamp, published[0], published[1]["stages"])):
        return published[0], record
    record = intact(stage, stamp, building, stamps_in(building))
    return (building, record) if record else None


def last_result(stage: Stage, stamp: Stamp, published: tuple[Path, dict[str, Any]] | None) -> Last | None:
    """Return the last snapshot for a stage to go on from; None where it is not of this stage or not of this schema."""
    if not published or published[1].get("schema_version") != tables.SCHEMA_VERSION:
        return None
    before = published[1]["stages"].get(stage.name)
    if not before or not isinstance(before["stamp"], dict):
        return None
    changed = frozenset(part for part in ("settings", "code", "model") if before["stamp"].get(part) != stamp[part])
    return Last(published[0], changed, tuple(name for name, *_ in before["failures"]))


def reusable_parts(last: Last | None, manifest: Mapping[str, Any], name: str, digest: Digest) -> Path | None:
    """Return the last snapshot, whose files of a table a run may link: the same code made them, and they are intact."""
    if not last or "code" in last.changed or not tables.has_file(name):
        return None
    written = manifest["tables"].get(name, {}).get("sha256")
    return last.folder if digest(tables.path_in(last.folder, name)) == written else None


def same_result(before: Mapping[str, Any] | None, after: Mapping[str, Any]) -> bool:
    """Say whether a stage ran, to ask again for what had failed or was stale, and has the same result."""
    return before is not None and len({json.dumps([record[key] for key in RESULT]) for record in (before, after)}) == 1
