"""What the files of a corpus held when they were last read, so that only what changed since is read again.

    output/seen_files.json    line 1: sha256 of line 2
                              line 2: [version, {folder: "name/size mtime ctime inode sha256/name/..."}]

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
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

from graphrag_lite import tables
from graphrag_lite.run import snapshots

NAME = "seen_files.json"
VERSION = 3
TICK = 2_000_000_000  # ns: the coarsest clock of a file system, FAT's, counts by 2 s


class SeenFiles:
    """The files of a corpus by their real paths. Reading it writes nothing; `write` is for who holds the lock.

    What is damaged, missing or of another folder counts for nothing: this is a cache.
    """

    def __init__(self, output: Path, *, trust: bool = True) -> None:
        """Read what was remembered in an output folder. Without `trust`, every file is read again."""
        self._path = output / NAME
        self._before = _read(self._path)
        self._trusted = trust
        self._now: dict[str, dict[str, str]] = {}  # by folder and name
        self._youngest = time.time_ns() - TICK

    def sizes_and_hashes(self, paths: Iterable[str]) -> Iterator[tuple[int, str]]:
        """Yield size and sha256 of each file, -1 and nothing of one that cannot be read."""
        opened, known, listed = None, dict[str, str](), dict[str, str]()
        for path in paths:  # nearly all that a run does where nothing changed: no call but what asks the system
            folder, _, name = path.rpartition(os.sep)
            if folder != opened:
                opened, known, listed = folder, self._known(folder), self._now.setdefault(folder, {})
            try:
                # What is remembered is as it was before the file is read: a change meanwhile shows the next time.
                stat = os.stat(path)  # noqa: PTH116 - making a Path takes as long
                size, modified, changed = stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns
                properties = f"{size} {modified} {changed} {stat.st_ino} "
                line = known.get(name, "")
                if not line.startswith(properties):
                    with open(path, "rb") as file:  # noqa: PTH123
                        line = properties + hashlib.file_digest(file, "sha256").hexdigest()
            except OSError:
                yield -1, ""
                continue
            if modified < self._youngest > changed:
                listed[name] = line
            yield size, line[len(properties) :]

    def _known(self, folder: str) -> dict[str, str]:
        listed = self._before.get(folder, "").split("/") if self._trusted else []
        return dict(zip(listed[::2], listed[1::2], strict=False))

    def write(self) -> None:
        """Remember what was read, unless that is what was remembered before."""
        now = {folder: "/".join(chain.from_iterable(files.items())) for folder, files in self._now.items() if files}
        if now != self._before:
            line = json.dumps([VERSION, now])
            with snapshots.explain_write_errors(self._path.parent):
                tables.replace_file(self._path, f"{_sha256(line)}\n{line}\n".encode())


def _read(path: Path) -> dict[str, str]:
    with contextlib.suppress(OSError, ValueError, TypeError):
        sha256, line, _ = path.read_text(encoding="ascii").split("\n")
        if sha256 == _sha256(line):
            version, folders = json.loads(line)
            if version == VERSION:
                return dict(folders)
    return {}


def _sha256(line: str) -> str:
    return hashlib.sha256(line.encode("ascii")).hexdigest()
