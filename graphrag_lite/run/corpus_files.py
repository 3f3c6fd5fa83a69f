"""The files of a corpus: which there are, and what they hold, as far as a hash tells."""

import logging
import os
from collections import Counter
from pathlib import Path, PurePath
from typing import NamedTuple

from graphrag_lite.errors import InputError
from graphrag_lite.read.readers import Readers, all_readers, suffix_of
from graphrag_lite.run.file_hashes import SeenFiles

logger = logging.getLogger(__name__)


class File(NamedTuple):
    """A file of the corpus, or a folder that cannot be listed. `real_path` has no links in it."""

    name: str  # relative to the corpus, with /
    real_path: str
    is_folder: bool = False


def scan(
    corpus: Path, leave_out: Path, *, seen: SeenFiles | None = None, readers: Readers | None = None
) -> list[tuple[str, int, str]]:
    """List the files of a corpus as rows of `corpus_files`, by path. Raises InputError where there are none.

    Hidden files, links that lead out of the corpus, the index itself (`leave_out`) and the prompts that `init` wrote
    beside it are not part of it. A folder that cannot be listed is a row, which loading will report. A file is read
    only where `seen` (default: what the index remembers) does not know its hash.
    """
    if not corpus.exists():
        raise InputError(f"{corpus}: there is no such folder or file.")
    if not corpus.is_dir() and not corpus.is_file():  # reading a pipe or a device could wait for ever
        raise InputError(f"{corpus}: is neither a folder nor a file.")
    root = os.path.realpath(corpus)
    files = [File(corpus.name, root)] if corpus.is_file() else _walk(root, leave_out)
    suffixes = (readers or all_readers()).suffixes()
    read = [file for file in files if file.is_folder or suffix_of(file.name) in suffixes]
    if not read:
        raise InputError(f"{corpus}: no documents. A corpus holds files of these kinds: {', '.join(suffixes)}.")
    if len(read) < len(files):
        others = Counter(PurePath(file.name).suffix for file in set(files) - set(read))
        kinds = ", ".join(f"{n} {kind or 'without ending'}" for kind, n in sorted(others.items()))
        logger.info("Left out files of other kinds: %s.", kinds)
    seen = seen or SeenFiles(leave_out)
    rows = []
    for file in read:
        try:
            rows.append((_utf8(file.name), *seen.size_and_hash(file.real_path)))
        except OSError:  # loading will report it
            rows.append((_utf8(file.name), -1, ""))
    return sorted(rows)


def _walk(root: str, leave_out: Path) -> list[File]:
    """Return the files below a folder, whose path has no links in it, without asking the system about each."""
    inside = os.path.join(root, "")  # noqa: PTH118 - of the root folder, no second slash
    index = leave_out.resolve()
    left_out = {str(index)}
    if (index.parent / "settings.yaml").is_file():
        left_out.add(str(index.parent / "prompts"))
    found = []
    n_links = 0
    folders = [("", root)]
    while folders:
        folder, folder_path = folders.pop()
        try:
            with os.scandir(folder_path) as listing:
                entries = list(listing)
        except OSError:
            found.append(File(folder or ".", folder_path, is_folder=True))
            continue
        for entry in entries:
            if entry.name.startswith("."):
                continue
            name = f"{folder}/{entry.name}" if folder else entry.name
            path = entry.path
            if link := entry.is_symlink():
                path = os.path.realpath(path)
            if _is_folder(entry):
                n_links += link
                if not link and path not in left_out:
                    folders.append((name, path))
            elif link and not path.startswith(inside):
                n_links += 1
            elif (link and not os.path.exists(path)) or entry.is_file():  # noqa: PTH110
                found.append(File(name, path))  # not a pipe or a device: reading one could wait for ever
    if n_links:
        logger.info("Left out links to folders, to nothing, or out of the corpus: %d.", n_links)
    return found


def _is_folder(entry: "os.DirEntry[str]") -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link to itself
        return False


def _utf8(name: str) -> str:
    """Return a name as text; bytes that are not UTF-8 are escaped, so that loading reports the file by this name."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")
