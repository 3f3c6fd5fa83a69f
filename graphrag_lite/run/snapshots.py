"""Snapshots on disk: one folder per finished run, a `current` pointer, a lock, a workplace for the next run.

    output/
      current                 id of the published snapshot, swapped atomically
      snapshots/<id>/         *.parquet, work/*.parquet, manifest.json
      building/               the run in progress; kept when it is interrupted, so that the next run resumes it
      lock, lock.json         who is running

A run is published by `publish`: its files are durable, then its folder is renamed, then the pointer is swapped.
"""

import contextlib
import datetime
import errno
import hashlib
import json
import os
import shutil
import socket
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from graphrag_lite import tables
from graphrag_lite.errors import IndexNotFound, LockedError, OutputError, TableError
from graphrag_lite.tables import SCHEMA_VERSION, parts

MANIFEST = "manifest.json"
STAMP = "%Y%m%dT%H%M%S%fZ"  # ids sort by time


def current(output: Path) -> Path:
    """Return the folder of the published snapshot. Raises IndexNotFound."""
    name = ""
    while name != (name := _pointer(output)):  # where it is not there, another may have been published meanwhile
        folder = output / "snapshots" / name
        if name not in ("", "..") and Path(name).name == name and os.path.isdir(folder):  # noqa: PTH112 - any name
            return folder
    raise IndexNotFound(
        f"{output / 'current'} names the snapshot {name!r}, which is not there. Run `graphrag-lite index`."
    )


def _pointer(output: Path) -> str:
    try:
        return (output / "current").read_text(encoding="utf-8").strip()
    except UnicodeDecodeError:
        return "?"
    except OSError:
        below = output / "output"
        do = f"There is one in {below}" if (below / "current").is_file() else "Run `graphrag-lite index CORPUS` first"
        raise IndexNotFound(f"There is no index in {output}. {do}.") from None


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return a snapshot's manifest. Raises TableError where it is missing or damaged."""
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise TableError(
            f"{folder / MANIFEST} is damaged ({error}). Run `graphrag-lite index` to build it again."
        ) from None
    if not isinstance(manifest, dict) or not manifest.keys() >= {"tables", "stages", "settings"}:
        raise TableError(f"{folder / MANIFEST} is damaged. Run `graphrag-lite index` to build it again.")
    return manifest


def counted(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return what stages have counted, by name: no two count the same."""
    return {name: n for record in manifest["stages"].values() for name, n in record.get("counts", {}).items()}


def usable_manifest(folder: Path) -> dict[str, Any]:
    """Return a snapshot's manifest. Raises TableError also where another version of this program wrote it."""
    manifest = read_manifest(folder)
    version = manifest.get("schema_version")
    if version == SCHEMA_VERSION:
        return manifest
    if isinstance(version, int) and version > SCHEMA_VERSION:
        raise TableError(
            f"{folder} was made by a newer graphrag-lite (schema version {version}; this one reads {SCHEMA_VERSION}). "
            "Upgrade graphrag-lite."
        )
    raise TableError(
        f"{folder} was made by an older graphrag-lite (schema version {version}; this one reads {SCHEMA_VERSION}). "
        "Run `graphrag-lite index`: it builds the current one again, and pays for nothing that a model has answered."
    )


@contextlib.contextmanager
def lock_output(output: Path, since: str | None = None) -> Iterator[str]:
    """Hold the lock of an output folder `since` now. Raises LockedError that says who holds it since when.

    The lock is the operating system's, so a process that dies gives it back. Yields since when the one before held it
    if that was killed, and an empty string otherwise.
    """

    def message() -> str:
        who = "process {pid} on {host} (since {since})" if _holder(output) else "another process"
        return f"{output}: {who.format(**_holder(output))} is writing this index. Try again when it has ended."

    with explain_write_errors(output):
        output.mkdir(parents=True, exist_ok=True)
        tables.sync_folder(output.parent)
    with hold_lock(output / "lock", message):
        try:
            killed = str(_holder(output).get("since", ""))
            with explain_write_errors(output):
                now = since or datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
                holder = {"pid": os.getpid(), "host": socket.gethostname(), "since": now}
                (output / "lock.json").write_text(json.dumps(holder), encoding="utf-8")
            yield killed
        finally:
            with contextlib.suppress(OSError):  # the disk's refusal is told by the run itself
                (output / "lock.json").unlink(missing_ok=True)


@contextlib.contextmanager
def hold_lock(path: Path, message: Callable[[], str]) -> Iterator[None]:
    """Hold a lock file. Raises LockedError with what `message` returns where another process holds it."""
    import filelock

    lock = filelock.FileLock(path, blocking=False)
    try:
        with explain_write_errors(path.parent):
            lock.acquire()
    except filelock.Timeout:
        raise LockedError(message()) from None
    try:
        yield
    finally:
        lock.release()


def _holder(output: Path) -> dict[str, Any]:
    """Return `pid`, `host` and `since` of who took the lock last and has not given it back; empty where not known."""
    try:
        holder = json.loads((output / "lock.json").read_text(encoding="utf-8"))
        return {name: holder[name] for name in ("pid", "host", "since")}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


@contextlib.contextmanager
def explain_write_errors(output: Path) -> Iterator[None]:
    """Turn an operating system's refusal to write into an OutputError that says what to do."""
    advice = {
        errno.ENOSPC: "no space left on the disk. Free some and run again",
        errno.EDQUOT: "the disk quota is used up. Free some space and run again",
        errno.EFBIG: "the largest file size allowed is reached. Raise it (ulimit -f) and run again",
        errno.EIO: "the disk reports an input/output error. See whether it is sound, and run again",
        errno.EROFS: "it is read-only. Choose another place with --root",
        errno.ENOENT: "a folder of this path is not there and cannot be made. Choose another place with --root",
        errno.EACCES: "no permission to write. Change it, or choose another place with --root",
        errno.EPERM: "no permission to write. Change it, or choose another place with --root",
        errno.ENOTDIR: "a part of this path is a file, not a folder. Choose another place with --root",
        errno.EEXIST: "this is a file, not a folder. Choose another place with --root",
    }
    try:
        yield
    except OSError as error:
        if error.errno not in advice:
            raise
        where = error.filename or output
        raise OutputError(
            f"{where}: {advice[error.errno]}. Nothing was published; finished stages are kept."
        ) from error


def building_folder(output: Path) -> Path:
    """Return the folder of the run in progress; a finished run that was killed before it became current goes on."""
    building = output / "building"
    with contextlib.suppress(IndexNotFound):
        (current(output) / "stamps.json").unlink(missing_ok=True)
    if not building.exists():
        for stamps in sorted((output / "snapshots").glob("*/stamps.json"))[-1:]:
            stamps.parent.rename(building)
    (building / "work").mkdir(parents=True, exist_ok=True)
    return building


def publish(output: Path, building: Path, manifest: dict[str, Any]) -> Path:
    """Make the finished `building` the current snapshot in one step."""
    digest = hashlib.sha256(json.dumps(manifest["tables"], sort_keys=True).encode()).hexdigest()
    folder = output / "snapshots" / f"{_next_stamp(output)}-{digest[:8]}"
    folder.parent.mkdir(parents=True, exist_ok=True)
    tables.sync_folder(output)
    write_json(building / MANIFEST, {"id": folder.name, **manifest})
    for inner in (building / "work", building):
        tables.sync_folder(inner)
    building.rename(folder)
    tables.sync_folder(folder.parent)
    tables.replace_file(output / "current", f"{folder.name}\n".encode())
    (folder / "stamps.json").unlink(missing_ok=True)  # until now, `building_folder` would have taken the run back
    return folder


def published(output: Path) -> list[Path]:
    """Return the folders of all snapshots, oldest first."""
    return sorted(path for path in (output / "snapshots").glob("[0-9]*Z-*") if path.is_dir())


def _next_stamp(output: Path) -> str:
    """Return the time as the beginning of a snapshot's id; later than all before it, whatever the clock says."""
    now = datetime.datetime.now(datetime.UTC)
    for folder in published(output)[-1:]:
        with contextlib.suppress(ValueError):
            last = datetime.datetime.strptime(folder.name.partition("-")[0], STAMP).replace(tzinfo=datetime.UTC)
            now = max(now, last + datetime.timedelta(microseconds=1))
    return now.strftime(STAMP)


def remove_old(output: Path, keep: int, keep_days: float | None) -> None:
    """Remove snapshots that are not among the newest `keep`, older than `keep_days`, and not being read.

    The current one stays, and so do those that it went on from, `keep` in all: after a rollback others are newer.
    What is being read is removed by a later run. A snapshot from the future, by a clock that was set back, is young.
    """
    remaining = {*published(output)[-keep:], *_lineage(output)[:keep]}
    for folder in published(output):
        if folder in remaining or (keep_days and _age(folder) <= keep_days):
            continue
        with contextlib.suppress(OSError):
            held = _locked(folder / MANIFEST, shared=False) if (folder / MANIFEST).exists() else None
            try:
                folder.rename(folder.with_name(f".{folder.name}"))  # from here on, no reader finds it
            finally:
                if held is not None:
                    os.close(held)
    for removed in (output / "snapshots").glob(".*Z-*"):
        shutil.rmtree(removed, ignore_errors=True)


def _lineage(output: Path) -> list[Path]:
    """Return the current snapshot, the one that it went on from, and so on, as far as they are there.

    Where a manifest does not say what its snapshot went on from, it is the one that was published before it.
    """
    here = current(output)
    earlier = [folder for folder in published(output) if folder.name < here.name]
    line = [here]
    while earlier:
        try:
            before = read_manifest(line[-1]).get("previous", earlier[-1].name)
        except TableError:
            before = earlier[-1].name
        earlier = [folder for folder in earlier if folder.name <= str(before)]
        if not earlier or earlier[-1].name != before:
            break
        line.append(earlier.pop())
    return line


def _age(folder: Path) -> float:
    """Return the days since a snapshot was made, infinite where its manifest does not say when."""
    try:
        made = datetime.datetime.fromisoformat(read_manifest(folder)["created_at"])
        return (datetime.datetime.now(datetime.UTC) - made) / datetime.timedelta(days=1)
    except (TableError, KeyError, TypeError, ValueError):
        return float("inf")


def hold_snapshot(folder: Path) -> int:
    """Keep a snapshot from being removed until the file descriptor that this returns is closed.

    Raises TableError where it is gone already.
    """
    with contextlib.suppress(OSError):
        held = _locked(folder / MANIFEST, shared=True)
        if folder.is_dir():
            return held
        os.close(held)
    raise TableError(f"{folder} has been removed, or is damaged. Run `graphrag-lite index` to build it again.")


@contextlib.contextmanager
def hold_while_reading(*folders: Path) -> Iterator[None]:
    """Keep snapshots from being removed."""
    with contextlib.ExitStack() as held:
        for folder in folders:
            held.callback(os.close, hold_snapshot(folder))
        yield


def _locked(path: Path, *, shared: bool) -> int:
    """Open a file with a lock that ends with the descriptor or the process. Raises OSError where it is taken.

    A file system without locks is read without one.
    """
    descriptor = os.open(path, os.O_RDONLY if shared else os.O_RDWR)  # NFS wants to write for an exclusive one
    try:
        import fcntl

        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except ImportError:  # Windows renames no folder with an open file in it
        pass
    except BlockingIOError:
        os.close(descriptor)
        raise
    except OSError as error:
        if error.errno not in (errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS, errno.EINVAL):
            os.close(descriptor)
            raise
    return descriptor


def find(output: Path, given: str) -> Path:
    """Return the folder of a snapshot by its id, a beginning of it that no other has, `current` or `previous`.

    `previous` is the one that the current one went on from. Raises IndexNotFound that lists those that are there.
    """
    here = current(output)
    there = published(output)
    if given == "current":
        return here
    if given == "previous":
        if not (before := _lineage(output)[1:]):
            raise IndexNotFound(f"{output} has no snapshot before the current one, {here.name}.")
        return before[0]
    found = [folder for folder in there if given and folder.name.startswith(given)]
    if len(found) == 1:
        return found[0]
    names = "".join(f"\n  {folder.name}{'  (current)' if folder == here else ''}" for folder in reversed(there))
    what = "Several snapshots begin with" if found else "There is no snapshot"
    raise IndexNotFound(f"{what} {given!r} in {output}. There are:{names}")


def roll_back(output: Path, folder: Path) -> None:
    """Make an older (or newer) snapshot current in one step, and drop the run in progress. The lock is held."""
    with explain_write_errors(output):
        for stamps in (output / "snapshots").glob("*/stamps.json"):  # no run is to be taken back from there
            stamps.unlink()
        tables.replace_file(output / "current", f"{folder.name}\n".encode())
        shutil.rmtree(output / "building", ignore_errors=True)


def write_json(path: Path, value: Any) -> None:
    """Write JSON atomically and durably."""
    tables.replace_file(path, (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode())


def table_digest(path: Path) -> str:
    """Return the sha256 of a table's file, or what tells those of its parts; empty where it cannot be read."""
    try:
        files = parts.all_files(path)
    except OSError:
        return ""
    return parts.joined(("" if file == path else file.name, file_digest(file)) for file in files)


def file_digest(path: Path) -> str:
    """Return the sha256 of a file, empty where it cannot be read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""
