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
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from graphrag_lite.errors import IndexNotFound, LockedError, OutputError, TableError

MANIFEST = "manifest.json"


def current(output: Path) -> Path:
    """Return the folder of the published snapshot. Raises IndexNotFound."""
    try:
        name = (output / "current").read_text(encoding="utf-8").strip()
    except UnicodeDecodeError:
        name = "?"
    except OSError:
        raise IndexNotFound(f"There is no index in {output}. Run `graphrag-lite index CORPUS` first.") from None
    folder = output / "snapshots" / name
    if name in ("", "..") or Path(name).name != name or not os.path.isdir(folder):  # noqa: PTH112 - false for any name
        raise IndexNotFound(
            f"{output / 'current'} names the snapshot {name!r}, which is not there. Run `graphrag-lite index`."
        )
    return folder


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


@contextlib.contextmanager
def locked(output: Path) -> Iterator[None]:
    """Hold the lock of an output folder. Raises LockedError that says who holds it since when.

    The lock is the operating system's, so a process that dies gives it back.
    """
    import filelock

    with writing(output):
        output.mkdir(parents=True, exist_ok=True)
        lock = filelock.FileLock(output / "lock", blocking=False)
        try:
            lock.acquire()
        except filelock.Timeout:
            raise LockedError(
                f"{output}: {_holder(output)} is writing this index. Try again when it has ended."
            ) from None
    try:
        with writing(output):
            now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
            holder = {"pid": os.getpid(), "host": socket.gethostname(), "since": now}
            (output / "lock.json").write_text(json.dumps(holder), encoding="utf-8")
        yield
    finally:
        (output / "lock.json").unlink(missing_ok=True)
        lock.release()


def _holder(output: Path) -> str:
    try:
        holder = json.loads((output / "lock.json").read_text(encoding="utf-8"))
        return f"process {holder['pid']} on {holder['host']} (since {holder['since']})"
    except (OSError, ValueError, KeyError):
        return "another process"


@contextlib.contextmanager
def writing(output: Path) -> Iterator[None]:
    """Turn an operating system's refusal to write into an OutputError that says what to do."""
    advice = {
        errno.ENOSPC: "no space left on the disk. Free some and run again",
        errno.EDQUOT: "the disk quota is used up. Free some space and run again",
        errno.EFBIG: "the largest file size allowed is reached. Raise it (ulimit -f) and run again",
        errno.EROFS: "it is read-only. Choose another place with --root",
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


def workplace(output: Path) -> Path:
    """Return the folder of the run in progress; a finished run that was killed before it became current goes on."""
    building = output / "building"
    with contextlib.suppress(IndexNotFound):
        (current(output) / "stamps.json").unlink(missing_ok=True)
    if not building.exists():
        for stamps in sorted((output / "snapshots").glob("*/stamps.json"))[-1:]:
            stamps.parent.rename(building)
    (building / "work").mkdir(parents=True, exist_ok=True)
    return building


def publish(output: Path, building: Path, manifest: dict[str, Any], *, keep: int) -> Path:
    """Make the finished `building` the current snapshot in one step, and keep the newest `keep`."""
    digest = hashlib.sha256(json.dumps(manifest["tables"], sort_keys=True).encode()).hexdigest()
    stamp = datetime.datetime.now(datetime.UTC).strftime("%Y%m%dT%H%M%S%fZ")
    folder = output / "snapshots" / f"{stamp}-{digest[:8]}"
    folder.parent.mkdir(parents=True, exist_ok=True)
    write_json(building / MANIFEST, {"id": folder.name, **manifest})
    for inner in (building / "work", building):
        _sync_folder(inner)
    building.rename(folder)
    _sync_folder(folder.parent)
    write_text(output / "current", folder.name + "\n")
    (folder / "stamps.json").unlink(missing_ok=True)  # until now, `workplace` would have taken the run back
    for old in sorted(path for path in folder.parent.iterdir() if path.is_dir())[:-keep]:
        if old != folder:
            shutil.rmtree(old, ignore_errors=True)
    return folder


def write_json(path: Path, value: Any) -> None:
    """Write JSON atomically and durably."""
    write_text(path, json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def write_text(path: Path, text: str) -> None:
    """Replace a file by `text` in one step; it is durable when this returns."""
    temporary = path.with_name(path.name + ".tmp")
    with temporary.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    if not hasattr(os, "O_DIRECTORY"):  # Windows cannot sync a folder
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def link(source: Path, target: Path) -> None:
    """Put a table of an older snapshot into a newer one without copying it, where the file system can."""
    target.unlink(missing_ok=True)
    try:
        target.hardlink_to(source)
    except OSError:
        shutil.copy2(source, target)


def digest(path: Path) -> str:
    """Return the sha256 of a file, empty where it cannot be read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""
