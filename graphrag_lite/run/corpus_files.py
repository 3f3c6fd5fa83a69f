"""The files of a corpus: which there are, what they hold as far as a hash tells, and what is left out."""

import errno
import logging
import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from graphrag_lite.errors import InputError
from graphrag_lite.read.documents import suffix_of
from graphrag_lite.read.formats import chat_log
from graphrag_lite.read.formats.delimited import repeated
from graphrag_lite.read.formats.without_ending import SAMPLE, is_document
from graphrag_lite.read.readers import Readers, all_readers
from graphrag_lite.run import snapshots
from graphrag_lite.run.file_hashes import SeenFiles
from graphrag_lite.settings import LoadDocuments

ENVIRONMENT = "pyvenv.cfg"  # a folder with such a file is a virtual environment
ADDRESS = re.compile(r"([a-z][a-z0-9+.-]+):/+(.*)")  # as a Path has it; a single letter is a drive
COPY = "only what a file system of this machine holds can be read. Copy it here, as by `aws s3 sync`, or mount it."
KEEP = (
    "an index is kept in a file system of this machine: its lock must end with the process that holds it, and a new"
    " snapshot become the current one in one step. Copy a finished one there."
)
LINKS = "links to folders, to nothing, or out of the corpus"
OTHERS = "not among load_documents.include"
REPEATED = "tables whose rows another (_all.csv) repeats"
NO_TEXT = "programs and other files without an ending"
WITHOUT_TEXT = "documents without text"
NOT_SHOWN = "messages that are hidden, of the system, a tool or service, or without words"

logger = logging.getLogger(__name__)


class Scan(NamedTuple):
    """The rows of `corpus_files`, by path, and how much of what else there is was left out, by what it is."""

    rows: list[tuple[str, int, str]]
    left_out: dict[str, int]


class File(NamedTuple):
    """A file of the corpus, or a folder that cannot be listed. `real_path` has no links in it."""

    name: str  # relative to the corpus, with /
    real_path: str
    is_folder: bool = False


def on_this_machine(corpus: Path | None, output: Path) -> None:
    """Raise InputError where one of them is an address, as `s3://bucket`: a path that ends in a folder called `s3:`.

    So does an output whose path is no UTF-8: no table could be read there.
    """
    for path, why in ((corpus, COPY), (output, KEEP)):
        if path and (address := ADDRESS.match(path.as_posix())):
            raise InputError(f"{address[1]}://{address[2]}: {why}")
    if _utf8(absolute := str(output.absolute())) != absolute:
        raise InputError(f"{_utf8(absolute)}: the path of an index has to be UTF-8. Rename its folder.")


def scan(
    corpus: Path,
    leave_out: Path,
    *,
    settings: LoadDocuments | None = None,
    seen: SeenFiles | None = None,
    readers: Readers | None = None,
) -> Scan:
    """List the files of a corpus. Raises InputError where there are none.

    Hidden files, links that lead out of the corpus, virtual environments, what the settings exclude, the index itself
    (`leave_out`) and the prompts that `init` wrote beside it are not part of it. A folder that cannot be listed is a
    row, which loading will report. A file is read only where `seen` (default: what the index remembers) does not know
    its hash.
    """
    if not corpus.exists():
        raise InputError(f"{corpus}: there is no such folder or file.")
    if not corpus.is_dir() and not corpus.is_file():  # reading a pipe or a device could wait for ever
        raise InputError(f"{corpus}: is neither a folder nor a file.")
    root = os.path.realpath(corpus)
    if Path(root).is_relative_to(leave_out.resolve()):
        raise InputError(f"{corpus}: is the index itself, or a part of it, and no corpus.")
    settings = settings or LoadDocuments()
    left_out: Counter[str] = Counter()
    files = [File(corpus.name, root)] if corpus.is_file() else _walk(root, leave_out, settings.exclude, left_out)
    twice = repeated({file.name for file in files})
    suffixes = {*(readers or all_readers()).suffixes()}
    read = []
    for file in files:
        suffix = suffix_of(file.name)
        if not file.is_folder and (
            suffix not in suffixes or (suffix in ("", *chat_log.LOGS) and not _is_text(file, suffix))
        ):
            left_out[f"{suffix} files" if suffix else NO_TEXT] += 1
        elif file.name in twice:
            left_out[REPEATED] += 1
        elif settings.include and not (file.is_folder or any(_matches(file.name, glob) for glob in settings.include)):
            left_out[OTHERS] += 1
        else:
            read.append(file)
    others = ", ".join(f"{n} {what}" for what, n in sorted(left_out.items()))
    if not read:
        there = f", but {others}" if others else ""
        kinds = ", ".join(sorted(filter(None, suffixes)))
        raise InputError(f"{corpus}: no documents{there}. A corpus holds files of these kinds: {kinds}.")
    if others:
        logger.info("Left out: %s.", others)
    seen = seen or SeenFiles(leave_out)
    found = seen.sizes_and_hashes(file.real_path for file in read)
    rows = [(_utf8(file.name), *pair) for file, pair in zip(read, found, strict=True)]  # loading reports the unreadable
    return Scan(sorted(rows), dict(sorted(left_out.items())))


def left_out_of(manifest: Mapping[str, Any]) -> dict[str, int]:
    """Return what was left out of the snapshot with this manifest: files, documents without text, messages."""
    counts = snapshots.counted(manifest)
    named = {WITHOUT_TEXT: counts.get("without_text", 0), NOT_SHOWN: counts.get("messages_left_out", 0)}
    return {**manifest.get("left_out", {}), **{what: n for what, n in named.items() if n}}


def _walk(root: str, leave_out: Path, exclude: Sequence[str], left_out: Counter[str]) -> list[File]:
    """Return the files below a folder, whose path has no links in it, without asking the system about each."""
    inside = os.path.join(root, "")  # noqa: PTH118 - of the root folder, no second slash
    index = leave_out.resolve()
    own = {str(index)}
    if (index.parent / "settings.yaml").is_file():
        own.add(str(index.parent / "prompts"))
    placed = [glob for glob in exclude if _is_placed(glob)]
    named = re.compile("|".join(_pattern(glob).pattern for glob in exclude if glob not in placed) or "(?!)")
    found = []
    folders = [("", root)]
    while folders:
        folder, folder_path = folders.pop()
        try:
            with os.scandir(folder_path) as listing:
                entries = list(listing)
        except OSError:
            found.append(File(folder or ".", folder_path, is_folder=True))
            continue
        if folder and any(entry.name == ENVIRONMENT for entry in entries):
            left_out[f"{folder}/ (a virtual environment)"] += 1
            continue
        for entry in entries:
            if entry.name.startswith("."):
                continue
            name = f"{folder}/{entry.name}" if folder else entry.name
            if named.fullmatch(entry.name) or (placed and any(_matches(name, glob) for glob in placed)):
                left_out[f"excluded by {next(glob for glob in exclude if _matches(name, glob))}"] += 1
                continue
            path = entry.path
            if entry.is_file(follow_symlinks=False):
                found.append(File(name, path))
                continue
            if link := entry.is_symlink():
                with suppress(OSError):  # what is gone since the folder was listed leads nowhere
                    path = os.path.realpath(path)
            if _is_folder(entry):
                left_out[LINKS] += link
                if not link and path not in own:
                    folders.append((name, path))
            elif link and not path.startswith(inside):
                left_out[LINKS] += 1
            elif link and (not os.path.exists(path) or entry.is_file()):  # noqa: PTH110
                found.append(File(name, path))  # not a pipe or a device: reading one could wait for ever
    left_out += Counter()  # takes out what is not there
    return found


def _is_text(file: File, suffix: str) -> bool:
    """Say whether a file without an ending holds a text, or a log a chat, as its beginning tells; what cannot be read
    now may do."""
    try:
        with Path(file.real_path).open("rb") as opened:
            begins = opened.read(SAMPLE)
            return chat_log.recognises(begins) if suffix else is_document(file.name.rpartition("/")[2], begins)
    except OSError as error:
        return error.errno not in (errno.ENOENT, errno.ELOOP)  # a link, as some programs lock by


def _matches(path: str, glob: str) -> bool:
    """Say whether a path, or one without slashes its last part, matches a glob. `**` matches any number of folders.

    >>> [_matches(path, "drafts/**/*.md") for path in ("drafts/a.md", "drafts/x/y/a.md", "a.md")]
    [True, True, False]
    >>> _matches("web/node_modules", "node_modules"), _matches("a/b.tmp.md", "*.tmp.md")
    (True, True)
    """
    return bool(_pattern(glob).fullmatch(path if _is_placed(glob) else path.rpartition("/")[2]))


def is_excluded(path: str, settings: LoadDocuments) -> bool:
    """Say whether the settings leave a file out by its path in the corpus.

    >>> is_excluded("web/node_modules/a.md", LoadDocuments()), is_excluded("web/a.md", LoadDocuments())
    (True, False)
    """
    parts = path.split("/")
    within = ("/".join(parts[: n + 1]) for n in range(len(parts)))
    out = any(_matches(part, glob) for part in within for glob in settings.exclude)
    return out or bool(settings.include and not any(_matches(path, glob) for glob in settings.include))


def _is_placed(glob: str) -> bool:
    return "/" in glob.rstrip("/")


@cache
def _pattern(glob: str) -> re.Pattern[str]:
    parts = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    pieces = re.split(r"(\*\*/|\*\*|\*|\?)", glob.strip("/"))
    return re.compile("".join(parts.get(piece) or re.escape(piece) for piece in pieces))


def _is_folder(entry: "os.DirEntry[str]") -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link to itself
        return False


def _utf8(name: str) -> str:
    """Return a name as text; bytes that are not UTF-8 are escaped, so that loading reports the file by this name."""
    return name if name.isascii() else os.fsencode(name).decode("utf-8", "backslashreplace")
