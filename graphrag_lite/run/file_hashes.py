"""What the files of a corpus held when they were last read, so that only what changed since is read again.

    output/seen_files.json    line 1: sha256 of line 2
                              line 2: [version, sha256 of line 3, {key of a listing: what it comes to}]
                              line 3: {folder: "name/size mtime ctime inode sha256/name/..."}

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
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from graphrag_lite import tables
from graphrag_lite.run import snapshots
from graphrag_lite.run.corpus_listing import Properties

NAME = "seen_files.json"
VERSION = 4
TICK = 2_000_000_000  # ns: the coarsest clock of a file system, FAT's, counts by 2 s


class Known(NamedTuple):
    """What a listing of a corpus comes to: the digest of the rows of its files, how many they are, what is left out."""

    digest: str
    n: int
    left_out: dict[str, int]


class SeenFiles:
    """The files of a corpus by their real paths. Reading it writes nothing; `write` is for who holds the lock.

    What is damaged, missing or of another folder counts for nothing: this is a cache.
    """

    def __init__(self, output: Path, *, trust: bool = True) -> None:
        """Read what was remembered in an output folder. Without `trust`, every file is read again."""
        self._path = output / NAME
        self._known, self._sha256, self._files = _read(self._path)
        self._trusted = trust
        self._now: dict[str, dict[str, str]] = {}  # by folder and name
        self._listed: dict[str, Known] = {}
        self._unsure = False  # whether a file may be another next time, with nothing to show for it
        self._youngest = time.time_ns() - TICK

    @cached_property
    def _before(self) -> dict[str, str]:
        files, self._files = self._files, b""
        with contextlib.suppress(ValueError, TypeError):
            return dict(json.loads(files)) if self._sha256 == _sha256(files) else {}
        return {}

    def known(self, key: str) -> Known | None:
        """Return what a listing of this key comes to, where that was remembered."""
        if self._trusted and key in self._known:
            self._listed = self._known
        return self._listed.get(key)

    def know(self, key: str, found: Known) -> None:
        """Remember what a listing comes to, unless a file may be another next time with nothing to show for it."""
        self._listed = {} if self._unsure else {key: found}

    def looked_at(self, properties: Properties) -> None:
        """Take down that a file with these properties was looked at, whether it is to be read."""
        size, modified, changed, _ = properties
        self._unsure = self._unsure or size < 0 or not modified < self._youngest > changed

    def sizes_and_hashes(self, files: Iterable[tuple[str, Properties]]) -> Iterator[tuple[int, str]]:
        """Yield size and sha256 of each file, -1 and nothing of one that cannot be read.

        Its properties are from before it is read: a change meanwhile shows the next time.
        """
        opened, known, listed = None, dict[str, str](), dict[str, str]()
        for path, properties in files:
            folder, _, name = path.rpartition(os.sep)
            if folder != opened:
                opened, known, listed = folder, self._lines(folder), self._now.setdefault(folder, {})
            size, modified, changed, inode = properties
            line, stated = known.get(name, ""), f"{size} {modified} {changed} {inode} "
            if not line.startswith(stated):
                try:
                    if size < 0:
                        raise FileNotFoundError(path)
                    with open(path, "rb") as file:  # noqa: PTH123 - making a Path takes as long
                        line = stated + hashlib.file_digest(file, "sha256").hexdigest()
                except OSError:
                    self._unsure = True
                    yield -1, ""
                    continue
            if modified < self._youngest > changed:
                listed[name] = line
            else:
                self._unsure = True
            yield size, line[len(stated) :]

    def _lines(self, folder: str) -> dict[str, str]:
        listed = self._before.get(folder, "").split("/") if self._trusted else []
        return dict(zip(listed[::2], listed[1::2], strict=False))

    def write(self) -> None:
        """Remember what was read, unless that is what was remembered before."""
        if self._listed is self._known:
            return
        now = {folder: "/".join(chain.from_iterable(files.items())) for folder, files in self._now.items() if files}
        if now != self._before or self._listed != self._known:
            files = json.dumps(now).encode()
            line = json.dumps([VERSION, _sha256(files), self._listed]).encode()
            with snapshots.explain_write_errors(self._path.parent):
                tables.replace_file(self._path, b"\n".join((_sha256(line).encode(), line, files, b"")))


def _read(path: Path) -> tuple[dict[str, Known], str, bytes]:
    """Return what listings come to, by their keys, and the third line of a file, with the hash that it should have."""
    with contextlib.suppress(OSError, ValueError, TypeError, AttributeError):
        sha256, line, files = path.read_bytes().split(b"\n")[:3]
        if sha256.decode() == _sha256(line):
            version, sha256_of_files, listed = json.loads(line)
            if version == VERSION:
                return {key: Known(*each) for key, each in listed.items()}, sha256_of_files, files
    return {}, "", b""


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
