"""The files of a corpus: which there are, what they hold as far as a hash tells, and what is left out."""

import errno
import logging
import os
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
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
from graphrag_lite.run.corpus_listing import GONE, Listing, Properties, list_corpus, list_file
from graphrag_lite.run.file_hashes import Known, SeenFiles
from graphrag_lite.run.stamps import code_hash, digest_of
from graphrag_lite.settings import LoadDocuments
from graphrag_lite.tables.lazy_items import LazyItems

Row = tuple[str, int, str]
"""Path, size and sha256 of a file."""

ADDRESS = re.compile(r"([a-z][a-z0-9+.-]+):/+(.*)")  # as a Path has it; a single letter is a drive
COPY = "only what a file system of this machine holds can be read. Copy it here, as by `aws s3 sync`, or mount it."
KEEP = (
    "an index is kept in a file system of this machine: its lock must end with the process that holds it, and a new"
    " snapshot become the current one in one step. Copy a finished one there."
)
OTHERS = "not among load_documents.include"
REPEATED = "tables whose rows another (_all.csv) repeats"
NO_TEXT = "programs and other files without an ending"
WITHOUT_TEXT = "documents without text"
NOT_SHOWN = "messages that are hidden, of the system, a tool or service, or without words"

logger = logging.getLogger(__name__)


Rows = list[Row] | LazyItems[Row]


class Scan(NamedTuple):
    """The rows of `corpus_files`, by path, and how much of what else there is was left out, by what it is.

    The rows are made when they are gone through where `digest`, of all of them, is known.
    """

    rows: Rows
    left_out: dict[str, int]
    digest: str


class File(NamedTuple):
    """A file of the corpus, or a folder that cannot be listed. `real_path` has no links in it."""

    name: str  # relative to the corpus, with /
    real_path: str
    properties: Properties
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
    its hash; where it knows all of them, as the system tells of each, none is looked at.
    """
    if not corpus.exists():
        raise InputError(f"{corpus}: there is no such folder or file.")
    if not corpus.is_dir() and not corpus.is_file():  # reading a pipe or a device could wait for ever
        raise InputError(f"{corpus}: is neither a folder nor a file.")
    root = os.path.realpath(corpus)
    if Path(root).is_relative_to(leave_out.resolve()):
        raise InputError(f"{corpus}: is the index itself, or a part of it, and no corpus.")
    settings, suffixes = settings or LoadDocuments(), {*(readers or all_readers()).suffixes()}
    own = _own(leave_out)
    listed = list_file(corpus.name, root) if corpus.is_file() else list_corpus(root, own, _excluded_by(settings))
    seen = seen or SeenFiles(leave_out)
    decides = [root, sorted(own), settings.exclude, settings.include, sorted(suffixes), code_hash(__name__)]
    found = seen.known(key := digest_of([*decides, listed.digest]))
    if found:
        _tell(found.left_out)
        rows = LazyItems(found.n, lambda: iter(_rows(corpus, listed, settings, suffixes, seen)[0]))
        return Scan(rows, found.left_out, found.digest)
    made, left_out = _rows(corpus, listed, settings, suffixes, seen)
    _tell(left_out)
    seen.know(key, found := Known(digest_of(made), len(made), left_out))
    return Scan(made, left_out, found.digest)


def _rows(
    corpus: Path, listed: Listing, settings: LoadDocuments, suffixes: Collection[str], seen: SeenFiles
) -> tuple[list[Row], dict[str, int]]:
    """Return the rows of a listing, and how much of what else there is was left out."""
    left_out = listed.left_out.copy()
    files = list(_files(listed, settings, left_out))
    twice = repeated({file.name for file in files})
    read = []
    for file in files:
        suffix = suffix_of(file.name)
        if not file.is_folder and (
            suffix not in suffixes or (suffix in ("", *chat_log.LOGS) and not _is_text(file, suffix, seen))
        ):
            left_out[f"{suffix} files" if suffix else NO_TEXT] += 1
        elif file.name in twice:
            left_out[REPEATED] += 1
        elif settings.include and not (file.is_folder or any(_matches(file.name, glob) for glob in settings.include)):
            left_out[OTHERS] += 1
        else:
            read.append(file)
    if not read:
        there = f", but {_counted(left_out)}" if left_out else ""
        kinds = ", ".join(sorted(filter(None, suffixes)))
        raise InputError(f"{corpus}: no documents{there}. A corpus holds files of these kinds: {kinds}.")
    found = seen.sizes_and_hashes((file.real_path, file.properties) for file in read)
    rows = [(_utf8(file.name), *pair) for file, pair in zip(read, found, strict=True)]  # loading reports the unreadable
    return sorted(rows), dict(sorted(left_out.items()))


def _tell(left_out: Mapping[str, int]) -> None:
    if left_out:
        logger.info("Left out: %s.", _counted(left_out))


def _counted(left_out: Mapping[str, int]) -> str:
    return ", ".join(f"{n} {what}" for what, n in sorted(left_out.items()))


def left_out_of(manifest: Mapping[str, Any]) -> dict[str, int]:
    """Return what was left out of the snapshot with this manifest: files, documents without text, messages."""
    counts = snapshots.counted(manifest)
    named = {WITHOUT_TEXT: counts.get("without_text", 0), NOT_SHOWN: counts.get("messages_left_out", 0)}
    return {**manifest.get("left_out", {}), **{what: n for what, n in named.items() if n}}


def _own(leave_out: Path) -> set[str]:
    """Return the folders that are no part of a corpus: an index, and the prompts that `init` wrote beside it."""
    index = leave_out.resolve()
    return {str(index), *([str(index.parent / "prompts")] if (index.parent / "settings.yaml").is_file() else [])}


def _files(listed: Listing, settings: LoadDocuments, left_out: Counter[str]) -> Iterator[File]:
    """Yield the files of a listing that are not excluded."""
    excluded_by = _excluded_by(settings)
    for folder in listed.folders:
        inside = f"{folder.name}/" if folder.name else ""
        path = os.path.join(folder.path, "")  # noqa: PTH118 - of the root folder, no second slash
        for name, size, modified, changed, inode in folder.files:
            if excluded := excluded_by(inside + name):
                left_out[excluded] += 1
            else:
                yield File(inside + name, path + name, (size, modified, changed, inode))
        yield from (File(inside + name, real_path, properties) for name, real_path, properties in folder.links)
    yield from (File(name, path, GONE, is_folder=True) for name, path in listed.closed)


def _excluded_by(settings: LoadDocuments) -> Callable[[str], str]:
    """Return what says which glob leaves a file or folder out, as it is counted; nothing where none does."""
    placed = [glob for glob in settings.exclude if _is_placed(glob)]
    named = re.compile("|".join(_pattern(glob).pattern for glob in settings.exclude if glob not in placed) or "(?!)")
    fits = named.fullmatch

    def excluded_by(name: str) -> str:
        if fits(name, name.rfind("/") + 1) or (placed and any(_matches(name, glob) for glob in placed)):
            return f"excluded by {next(glob for glob in settings.exclude if _matches(name, glob))}"
        return ""

    return excluded_by


def _is_text(file: File, suffix: str, seen: SeenFiles) -> bool:
    """Say whether a file without an ending holds a text, or a log a chat, as its beginning tells; what cannot be read
    now may do."""
    seen.looked_at(file.properties)
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


def _utf8(name: str) -> str:
    """Return a name as text; bytes that are not UTF-8 are escaped, so that loading reports the file by this name."""
    return name if name.isascii() else os.fsencode(name).decode("utf-8", "backslashreplace")
