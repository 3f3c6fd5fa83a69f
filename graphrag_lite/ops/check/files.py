"""The files of a snapshot: each is there, and is what the manifest says."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from graphrag_lite import tables
from graphrag_lite.errors import TableError
from graphrag_lite.ops.check.problems import Problems
from graphrag_lite.run import snapshots

MANIFEST = snapshots.MANIFEST
SMALL_BYTES = 2**20  # a file up to this size is read whole; of a larger one, a column at a time


def check_files(folder: Path, manifest: Mapping[str, Any], found: Problems) -> list[str]:
    """Compare files with the manifest, by sha256, and return the tables whose files are intact. Reads no column."""
    listed: Mapping[str, Mapping[str, Any]] = manifest["tables"]
    if manifest.get("id") != folder.name:
        found.add(MANIFEST, f"is of the snapshot {manifest.get('id')!r}")
    stages = {name: entry for stage in manifest["stages"].values() for name, entry in stage["tables"].items()}
    absent = sorted({*tables.FINAL, *filter(tables.has_file, stages)} - {*listed})
    found.add(MANIFEST, "lists no such table", absent, len(absent))
    unknown = sorted(set(listed) - set(tables.TABLES))
    found.add(MANIFEST, "lists a table that is not one of this version", unknown, len(unknown))
    other = sorted(name for name, entry in stages.items() if name in listed and listed[name] != entry)
    found.add(MANIFEST, "a table is not the one that its stage wrote", other, len(other))
    names = {str(tables.path_in(Path(), name)) for name in listed}
    there = {path.parent if path.parent.suffix == path.suffix else path for path in tables.files(folder)}
    strays = [name for path in sorted(there) if (name := str(path.relative_to(folder))) not in names]
    found.add(MANIFEST, "does not name this file", strays, len(strays))
    intact = []
    for name in sorted(set(listed) - set(unknown)):
        path = tables.path_in(folder, name)
        if not path.exists():
            found.add(name, "is missing")
            continue
        try:
            schema, n_rows = tables.stored_shape(folder, name)
        except TableError as error:
            found.add(name, f"is damaged ({error})")
            continue
        if snapshots.table_digest(path) != listed[name]["sha256"]:
            found.add(name, "its sha256 is not the manifest's")
        elif not schema.equals(tables.stored_schema(name), check_metadata=True):
            found.add(name, "its columns are another version's: the next `index` makes it again")
        elif (n_rows, tables.size(path)) != (listed[name]["rows"], listed[name]["bytes"]):
            found.add(name, "its rows or bytes are not as many as the manifest says")
        else:
            intact.append(name)
    return intact


def check_columns(folder: Path, intact: list[str], found: Problems) -> list[str]:
    """Read every column of the tables, checksums of pages compared, and return those that have no hole in one."""
    import pyarrow.compute as pc

    sound = []
    for name in intact:
        holes, damage, doubled = [], "", False
        columns = tables.schema(name).names
        small = tables.size(tables.path_in(folder, name)) <= SMALL_BYTES
        for portion in [columns] if small else [[column] for column in columns]:
            try:
                data = tables.read(folder, name, only=portion)
            except TableError as error:
                damage = str(error)
                break
            holes += [column for column in portion if tables.has_nulls(data[column])]
            if "id" in portion:
                ids = data["id"]
                doubled = pc.count_distinct(ids).as_py() != len(ids) or "" in ids.to_pylist()
        if damage:
            found.add(name, f"cannot be read ({damage})")
        found.add(name, "has empty values", holes, len(holes))
        if doubled:
            found.add(name, "id: not unique, or empty")
        if not damage and not holes:
            sound.append(name)
    return sound
