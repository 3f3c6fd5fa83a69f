"""Corpus folder -> documents."""

import hashlib
import json
import logging
import os
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from graphrag_lite import tables
from graphrag_lite.errors import InputError
from graphrag_lite.settings import LoadDocuments
from graphrag_lite.stages import Fail
from graphrag_lite.text.formats import MIME, Fields, Loaded, Unreadable, read
from graphrag_lite.text.language import languages

if TYPE_CHECKING:
    import pyarrow as pa

logger = logging.getLogger(__name__)


def scan(corpus: Path, leave_out: Path) -> list[tuple[str, int, str]]:
    """List the files of a corpus as rows of `corpus_files`, by path. Raises InputError where there are none.

    Hidden files, links that lead out of the corpus, the index itself (`leave_out`) and the prompts that `init` wrote
    beside it are not part of it. A folder that cannot be listed is a row, which loading will report.
    """
    if not corpus.exists():
        raise InputError(f"{corpus}: there is no such folder or file.")
    paths = [corpus] if corpus.is_file() else _walk(corpus, leave_out)
    known = [path for path in paths if path.suffix.lower() in MIME or path.is_dir()]
    if not known:
        kinds = ", ".join(sorted(MIME))
        raise InputError(f"{corpus}: no documents. A corpus holds files of these kinds: {kinds}.")
    if len(known) < len(paths):
        kinds = ", ".join(
            f"{n} {kind or 'without ending'}"
            for kind, n in sorted(Counter(p.suffix for p in set(paths) - set(known)).items())
        )
        logger.info("Left out files of other kinds: %s.", kinds)
    root = corpus.parent if corpus.is_file() else corpus
    return sorted((_name(path.relative_to(root)), *_size_and_hash(path)) for path in known)


def _walk(corpus: Path, leave_out: Path) -> list[Path]:
    inside = corpus.resolve()
    index = leave_out.resolve()
    left_out = {index}
    if (index.parent / "settings.yaml").is_file():
        left_out.add(index.parent / "prompts")
    found = []
    n_links = 0
    for folder, folders, names in os.walk(corpus, onerror=lambda error: found.append(Path(error.filename))):
        here = Path(folder)
        n_links += sum((here / name).is_symlink() for name in folders)
        folders[:] = [name for name in folders if not name.startswith(".") and (here / name).resolve() not in left_out]
        for name in names:
            path = here / name
            if name.startswith("."):
                continue
            if path.is_symlink() and not Path(os.path.realpath(path)).is_relative_to(inside):
                n_links += 1
                continue
            if path.is_fifo() or path.is_socket() or path.is_char_device() or path.is_block_device():
                continue  # reading one could wait for ever
            found.append(path)
    if n_links:
        logger.info("Left out %d links: to folders, or out of the corpus.", n_links)
    return found


def _name(path: Path) -> str:
    """Return a path as text; bytes that are not UTF-8 are escaped, so that loading reports the file by this name."""
    return os.fsencode(path.as_posix()).decode("utf-8", "backslashreplace")


def _size_and_hash(path: Path) -> tuple[int, str]:
    """Return size and sha256 of a file; -1 and empty where it cannot be read, which loading will report."""
    try:
        with path.open("rb") as file:
            return path.stat().st_size, hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return -1, ""


async def load_documents(corpus_files: "pa.Table", settings: LoadDocuments, corpus: Path, fail: Fail) -> "pa.Table":
    """Read every file. What cannot be read is a failure, and the rest goes on."""
    fields = Fields(settings.id_field, settings.title_field, settings.text_field, settings.time_field)
    root = corpus.parent if corpus.is_file() else corpus
    rows: list[tuple[str, Loaded]] = []
    failures: list[Unreadable] = []
    empty: list[str] = []
    for path, size in zip(corpus_files["path"].to_pylist(), corpus_files["size"].to_pylist(), strict=True):
        if size > settings.max_file_mb * 1e6:
            failures.append(Unreadable(path, f"{size / 1e6:.0f} MB, more than load_documents.max_file_mb"))
            continue
        try:
            data = (root / path).read_bytes()
        except OSError as error:
            failures.append(Unreadable(path, f"cannot be read: {error.strerror}"))
            continue
        for item in read(data, path, fields):
            if isinstance(item, Unreadable):
                failures.append(item)
            elif not item.text.strip():
                empty.append(item.source_id)
            else:
                rows.append((path, item))
    if empty:
        logger.info(
            "Left out %d documents without text: %s%s",
            len(empty),
            ", ".join(empty[:5]),
            " ..." if len(empty) > 5 else "",
        )
    if not rows:
        named = "\n".join(f"  {item.where}: {item.error}" for item in failures[:20])
        raise InputError(f"{corpus}: no document could be read." + (f"\n{named}" if named else ""))
    digests = dict(zip(corpus_files["path"].to_pylist(), corpus_files["sha256"].to_pylist(), strict=True))
    for item in sorted(failures, key=lambda item: item.where):
        fail(item.where, item.error, 1)
    return _documents(rows, digests)


def _documents(rows: list[tuple[str, Loaded]], digests: dict[str, str]) -> "pa.Table":
    """Give each document an id by its content alone; equal documents are told apart by their order."""
    seen: Counter[str] = Counter()
    made = []
    rows = sorted(rows, key=lambda row: (row[0], row[1].source_id))
    codes = languages([item.text for _, item in rows])
    for (path, item), code in zip(rows, codes, strict=True):
        metadata = json.dumps(item.metadata, sort_keys=True, ensure_ascii=True, default=str)
        # A title taken from the name of the file is not content: a renamed file keeps its id.
        content = json.dumps([item.title, item.text, item.created_at, metadata])
        key = hashlib.sha256(content.encode()).hexdigest()
        identity = tables.content_id("document", key, str(seen[key]))
        seen[key] += 1
        made.append(
            {
                "id": identity,
                "source_id": item.source_id,
                "title": item.title or (Path(path).stem if item.source_id == path else item.source_id),
                "text": item.text,
                "path": path,
                "content_sha256": digests[path],
                "mime": MIME[Path(path).suffix.lower()],
                "language": code,
                "created_at": item.created_at,
                "metadata": metadata,
            }
        )
    return tables.make("source_documents", made)
