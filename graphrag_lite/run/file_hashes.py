"""What the files of a corpus held when they were last read, so that only what changed since is read again.

    output/seen_files.json    line 1: sha256 of line 2; line 2: [version, {path: "size mtime ctime inode sha256"}]

A file of the same inode, size and times holds the same, with the exception that Git's documentation calls racy
(Documentation/technical/racy-git): a file can change again within one tick of its file system's clock. So a file is not
remembered where its times are hardly older than the moment at which it is read, or in the future. `ctime`, which no
program can set, gives away an edit after which `mtime` was set back, and a new file with the inode of an old one.
The inode gives away a file that a folder brought along, which leaves its times as they were: two that were written in
one tick may have equal ones. On a network file system that numbers anew at each mount, every file is then read again.
"""

import contextlib
import hashlib
import json
import os
import time
from pathlib import Path

from graphrag_lite import tables
from graphrag_lite.run import snapshots

NAME = "seen_files.json"
VERSION = 2
TICK = 2_000_000_000  # ns: the coarsest clock of a file system, FAT's, counts by 2 s


class SeenFiles:
    """The files of a corpus by their real paths. Reading it writes nothing; `write` is for who holds the lock.

    What is damaged, missing or of another folder counts for nothing: this is a cache.
    """

    def __init__(self, output: Path, *, trust: bool = True) -> None:
        """Read what was remembered in an output folder. Without `trust`, every file is read again."""
        self._path = output / NAME
        self._before = _read(self._path)
        self._trusted = self._before if trust else {}
        self._now: dict[str, str] = {}
        self._youngest = time.time_ns() - TICK

    def size_and_hash(self, path: str) -> tuple[int, str]:
        """Return size and sha256 of a file. Raises OSError where it cannot be read."""
        # What is remembered is as it was before the file is read: a change meanwhile shows the next time.
        stat = os.stat(path)  # noqa: PTH116 - making a Path takes as long
        properties = f"{stat.st_size} {stat.st_mtime_ns} {stat.st_ctime_ns} {stat.st_ino}"
        before, _, sha256 = self._trusted.get(path, "").rpartition(" ")
        if before != properties:
            with open(path, "rb") as file:  # noqa: PTH123
                sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        if max(stat.st_mtime_ns, stat.st_ctime_ns) < self._youngest:
            self._now[path] = f"{properties} {sha256}"
        return stat.st_size, sha256

    def write(self) -> None:
        """Remember what was read, unless that is what was remembered before."""
        if self._now != self._before:
            line = json.dumps([VERSION, self._now])
            with snapshots.explain_write_errors(self._path.parent):
                tables.replace_file(self._path, f"{_sha256(line)}\n{line}\n".encode())


def _read(path: Path) -> dict[str, str]:
    with contextlib.suppress(OSError, ValueError, TypeError):
        sha256, line, _ = path.read_text(encoding="ascii").split("\n")
        if sha256 == _sha256(line):
            version, files = json.loads(line)
            if version == VERSION:
                return dict(files)
    return {}


def _sha256(line: str) -> str:
    return hashlib.sha256(line.encode("ascii")).hexdigest()
