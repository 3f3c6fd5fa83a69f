"""What stands in a corpus folder: its files with their sizes, times and inodes, and one digest of all that.

Nearly all that a run does where nothing changed: no call for a file but what asks the system.
"""

import hashlib
import marshal
import os
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

ENVIRONMENT = "pyvenv.cfg"  # a folder with such a file is a virtual environment
LINKS = "links to folders, to nothing, or out of the corpus"
BY_DESCRIPTOR = os.scandir in os.supports_fd  # a file is found from its folder, not by its whole path from the root

Properties = tuple[int, int, int, int]
"""Size, mtime and ctime in ns, inode."""

GONE: Properties = -1, 0, 0, 0  # or none that can be told


class Folder(NamedTuple):
    """A folder of the corpus: name and properties of each file; of each link to a file also where that is."""

    name: str  # relative to the corpus, with /; empty: the corpus itself
    path: str  # without links
    files: list[tuple[str, int, int, int, int]]
    links: list[tuple[str, str, Properties]]


class Listing(NamedTuple):
    """The folders of a corpus, those that cannot be listed (name and path), how much was left out, by what it is."""

    folders: list[Folder]
    closed: list[tuple[str, str]]
    left_out: Counter[str]
    digest: str


def list_file(name: str, path: str) -> Listing:
    """List a corpus that is one file, at a path without links."""
    folder = Folder("", os.path.dirname(path), [], [(name, path, _properties(path))])  # noqa: PTH120
    return Listing([folder], [], Counter(), _digest_of([], [folder]))


def list_corpus(root: str, own: Collection[str], excluded_by: Callable[[str], str]) -> Listing:
    """List the files below a folder, whose path has no links in it.

    Hidden ones, links that lead out of it, virtual environments, the folders `own` and those that are excluded, as
    `excluded_by` says of a name, are left out.
    """
    found = Listing([], [], Counter(), "")
    waiting = [("", root)]
    inside = os.path.join(root, "")  # noqa: PTH118 - of the root folder, no second slash
    while waiting:
        name, path = waiting.pop()
        if name and os.path.lexists(os.path.join(path, ENVIRONMENT)):  # noqa: PTH118
            found.left_out[f"{name}/ (a virtual environment)"] += 1
            continue
        folder = Folder(name, path, [], [])
        try:
            with _entries(path) as entries:
                for entry in _no_files(entries, folder):
                    if within := _look_at(entry, folder, inside, found.left_out, excluded_by):
                        waiting += [within] if within[1] not in own else []
        except OSError:
            found.closed.append((name or ".", path))
            continue
        found.folders.append(folder)
    told = [found.closed, sorted(found.left_out.items())]
    return found._replace(left_out=+found.left_out, digest=_digest_of(told, found.folders))


@contextmanager
def _entries(path: str) -> "Iterator[Iterator[os.DirEntry[str]]]":
    """Open a folder: what it holds can be asked about until it is closed."""
    opened: Any = os.open(path, os.O_RDONLY) if BY_DESCRIPTOR else path
    try:
        with os.scandir(opened) as entries:
            yield entries
    finally:
        if BY_DESCRIPTOR:
            os.close(opened)


def _no_files(entries: "Iterator[os.DirEntry[str]]", folder: Folder) -> "list[os.DirEntry[str]]":
    """Take down the files of a folder, and return what is none: folders, links, pipes."""
    others, add = [], folder.files.append
    for entry in entries:
        name = entry.name
        if name[0] == ".":
            continue
        if not entry.is_file(follow_symlinks=False):
            others.append(entry)
            continue
        try:
            # Windows knows the inode only by the path.
            stat = entry.stat(follow_symlinks=False) if BY_DESCRIPTOR else os.stat(entry.path)  # noqa: PTH116
        except OSError:
            add((name, *GONE))
        else:
            add((name, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino))
    return others


def _look_at(
    entry: "os.DirEntry[str]",
    folder: Folder,
    inside: str,
    left_out: Counter[str],
    excluded_by: Callable[[str], str],
) -> tuple[str, str] | None:
    """Take down a link to a file, and return name and path of a folder."""
    name = f"{folder.name}/{entry.name}" if folder.name else entry.name
    path = os.path.join(folder.path, entry.name)  # noqa: PTH118
    if excluded := excluded_by(name):
        left_out[excluded] += 1
        return None
    if link := entry.is_symlink():
        with suppress(OSError):  # what is gone since the folder was listed leads nowhere
            path = os.path.realpath(path)
    if _is_folder(entry):
        left_out[LINKS] += link
        return None if link else (name, path)
    if link and not path.startswith(inside):
        left_out[LINKS] += 1
    elif link and (not os.path.exists(path) or entry.is_file()):  # noqa: PTH110
        folder.links.append((entry.name, path, _properties(path)))  # no pipe or device: reading could wait for ever
    return None


def _is_folder(entry: "os.DirEntry[str]") -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link to itself
        return False


def _properties(path: str) -> Properties:
    try:
        stat = os.stat(path)  # noqa: PTH116
    except OSError:
        return GONE
    return stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino


def _digest_of(told: list[Any], folders: list[Folder]) -> str:
    hashed = hashlib.sha256(marshal.dumps(told, 2))  # of version 2: equal values give equal bytes
    for folder in folders:
        hashed.update(marshal.dumps(tuple(folder), 2))
    return hashed.hexdigest()
