"""Files and folders of tables on the disk: removed, linked, replaced in one step, made durable."""

import contextlib
import os
import shutil
from pathlib import Path

from graphrag_lite.tables import parts


def size(path: Path) -> int:
    """Return the bytes of a table's file, or of its parts."""
    return sum(file.stat().st_size for file in parts.all_files(path))


def remove(path: Path) -> None:
    """Remove a table's file, or its parts, where they are there."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def link(source: Path, target: Path) -> None:
    """Put a table of an older snapshot into a newer one without copying it, where the file system can."""
    remove(target)
    if source.is_dir():
        target.mkdir()
        for part in parts.all_files(source):
            link(part, target / part.name)
        sync_folder(target)
        return
    try:
        target.hardlink_to(source)
    except OSError:
        shutil.copy2(source, target)
        with target.open("rb+") as file:
            os.fsync(file.fileno())


def replace_file(path: Path, content: bytes, *, durable: bool = True) -> None:
    """Replace a file that is no table in one step; if `durable`, it is on the disk when this returns."""
    temporary = path.with_name(path.name + ".tmp")
    try:
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            if durable:
                os.fsync(file.fileno())
        temporary.replace(path)
    except OSError:  # half a file would fill a disk that is full
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    if durable:
        sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable."""
    if not hasattr(os, "O_DIRECTORY"):  # Windows cannot sync a folder
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
