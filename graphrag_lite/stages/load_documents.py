"""Corpus folder -> documents."""

import errno
import json
import logging
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphrag_lite import tables
from graphrag_lite.attempts import Attempt, attempting, in_turn, outcome
from graphrag_lite.errors import InputError
from graphrag_lite.read.conversations import LEFT_OUT
from graphrag_lite.read.documents import Fields, Unreadable
from graphrag_lite.read.documents_before import DocumentsBefore, Parts, content_key, name_of
from graphrag_lite.read.file_documents import Read, ReadFile, documents_in, read
from graphrag_lite.read.messengers import people_in
from graphrag_lite.read.readers import Readers, all_readers
from graphrag_lite.read.unread_times import UnreadTimes, unread_times
from graphrag_lite.run.services import Counts, Each, Fail, Last, Told
from graphrag_lite.settings import LoadDocuments
from graphrag_lite.tables import groups
from graphrag_lite.tables.lazy_items import LazyItems

if TYPE_CHECKING:
    import numpy.typing as npt
    import pyarrow as pa

ESCAPED = re.compile(r"\\x[0-9a-f]{2}")  # what `_utf8` makes of a byte that is none of UTF-8
NAMED = 3  # errors that a failure of many rows tells, and rows that it names for each
NUMERIC = re.compile(r"\D{0,2}\d{1,2}[-/.]\d{1,2}[-/.]\d{2}")  # of a day and a month, or a month and a day
WHOLE = 5_000_000  # bytes of a file that is read at once: a larger one may be a mailbox
FEW = 5  # documents without text that are named
MAX_NAMED = 5  # files with times that cannot be read

logger = logging.getLogger(__name__)


def fields_of(settings: LoadDocuments) -> Fields:
    """Return which keys and columns hold what, by the settings."""
    named = settings.id_field, settings.title_field, settings.text_field, settings.time_field, settings.sender_field
    return Fields(*named)


async def load_documents(
    corpus_files: "pa.Table",
    settings: LoadDocuments,
    corpus: Path,
    fail: Fail,
    last: Last | None = None,
    readers: Readers | None = None,
    count: Counts | None = None,
    each: Each = in_turn,
    told: Told | None = None,
) -> "pa.Table":
    """Read every file that the last snapshot has not read. What cannot be read is a failure, and the rest goes on.

    Rows of one file that cannot be read are one failure.

    A file, or folder, that only now cannot be read stays as it was last read: a disk's bad night withdraws nothing.
    What is gone, though a link still leads to it, was deleted. In a first index `told` is told of each document that is
    no conversation.
    """
    root = corpus.parent if corpus.is_file() else corpus
    people = _people(root, corpus_files["path"].to_pylist())
    before = DocumentsBefore(*_last_documents(last), readers := readers or all_readers())
    found = _Found(Parts(readers), None if last else told)
    unread: list[tuple[str, int, str, Fields]] = []
    for path, size, sha256 in tables.rows(corpus_files, "path", "size", "sha256"):
        folders = map(str, PurePath(path).parents) if people else ()
        meant = next((people[folder] for folder in folders if folder in people), {})  # whom the ids in it mean
        if size > settings.max_file_mb * 1e6:
            found.failures.append(Unreadable(path, f"{size / 1e6:.0f} MB, more than load_documents.max_file_mb"))
        elif not meant and (known := before.of_file.get((path, sha256))):
            found.reused += known
        elif not meant and (known_as := before.same(path, sha256)):
            found.made.add(known_as, content_key(known_as))
        else:
            unread.append((path, size, sha256, replace(fields_of(settings), people=meant)))
    files = LazyItems(
        len(unread),
        lambda: (ReadFile(path, of_it, _held(root, path, size, readers)) for path, size, _, of_it in unread),
    )
    for (path, _, sha256, fields), known in zip(unread, each(read, files), strict=True):
        if known:
            _add(path, sha256, known, found)
        else:
            _read_file(root, path, sha256, readers, fields, found, before, last)
    if found.empty:
        more = " ..." if len(found.empty) > FEW else ""
        named = ", ".join(found.empty[:FEW])
        logger.info("Left out documents without text (%d): %s%s", len(found.empty), named, more)
    if not found.made.keys and not found.reused:
        named = "\n".join(f"  {item.where}: {item.error}" for item in found.failures[:20])
        raise InputError(f"{corpus}: no document could be read." + (f"\n{named}" if named else ""))
    for item in sorted(found.failures, key=lambda item: item.where):
        fail(item.where, item.error, 1)
    documents = _documents(found.made, found.reused, before, attempting(fail), each, last)
    unread_now = unread_times(documents, settings.time_field)
    if count:
        count("unread_times", [one._asdict() for one in unread_now])
        count("without_text", len(found.empty))
        stated = (each for each in documents["metadata"].to_pylist() if f'"{LEFT_OUT}": ' in each)
        count(LEFT_OUT, sum(json.loads(each)[LEFT_OUT] for each in stated))
    _warn(unread_now)
    return documents


@dataclass
class _Found:
    """What files hold: documents made, rows of the last snapshot that are `reused`, what is unreadable, and empty."""

    made: Parts
    told: Told | None
    reused: list[int] = field(default_factory=list)
    failures: list[Unreadable] = field(default_factory=list)
    empty: list[str] = field(default_factory=list)


def _warn(unread: Sequence[UnreadTimes]) -> None:
    for path, n_documents, example in unread[:MAX_NAMED]:
        logger.warning(
            "%s: times that cannot be read date nothing: %d, such as %r.%s",
            *(path, n_documents, example),
            " Nothing tells whether the day or the month comes first." if NUMERIC.match(example) else "",
        )
    if len(unread) > MAX_NAMED:
        logger.warning("Such times in %d more files.", len(unread) - MAX_NAMED)


def _held(root: Path, path: str, size: int, readers: Readers) -> bytes | None:
    """Return what a file holds that any process can read; None where it may be many documents, or cannot be read."""
    if size <= WHOLE and not readers.origins and not readers.has_rows(path):
        with suppress(OSError):
            return _file(root, path).read_bytes()
    return None


def _read_file(
    root: Path,
    path: str,
    sha256: str,
    readers: Readers,
    fields: Fields,
    found: _Found,
    before: DocumentsBefore,
    last: Last | None,
) -> None:
    """Add the documents of a file to those found; of one that cannot be read now, those of the last snapshot."""
    file = _file(root, path)
    try:
        data = file.read_bytes()
    except OSError as error:
        gone = _is_gone(file, error, last)
        within = [] if gone else [row for row, each in enumerate(before.paths) if f"{each}/".startswith(f"{path}/")]
        stays = "; kept as it was last read" if within else ""
        why = "its name is not UTF-8; rename it" if ESCAPED.search(path) else error.strerror
        found.failures.append(Unreadable(path, f"cannot be read: {why}{stays}"))
        found.reused += within
    else:
        _add(path, sha256, documents_in(data, path, readers, fields), found)


def _add(path: str, scanned: str, read: Read, found: _Found) -> None:
    """Add what is in a file, which had another sha256 when the corpus was scanned if it has changed since."""
    sha256, items = read
    if sha256 != scanned:
        found.failures.append(Unreadable(path, "changed while the run was reading; the next run reads it again"))
    made, first = found.made, len(found.made.keys)
    bad: list[Unreadable] = []
    for item, key in items:
        if isinstance(item, Unreadable):
            bad.append(item)
        elif isinstance(item, str):
            found.empty.append(item)
        else:
            made.add(item, key)
            if found.told and not item.messages:
                outcome(found.told, item.text, item.created_at)  # what fails now fails in its stage, too
    made.source_ids[first:] = _unique_ids(path, made.source_ids[first:])
    found.failures += bad if len(bad) < 2 else [_together(path, bad)]


def _unique_ids(path: str, ids: list[str]) -> list[str]:
    """Give each document of a file an id that no other has: of three that state `a`, `a`, `a (2)` and `a (3)`."""
    stated = Counter(ids)
    if len(stated) == len(ids):
        return ids
    numbers: Counter[str] = Counter()
    own = []
    for source_id in ids:
        name = source_id
        numbers[source_id] += 1
        while numbers[source_id] > 1 and (name := f"{source_id} ({numbers[source_id]})") in stated:
            numbers[source_id] += 1
        own.append(name)
    for source_id, n in stated.items():
        if n > 1:
            logger.warning("%s: %d documents have the id %s; a number tells them apart.", path, n, source_id)
    return own


def _people(root: Path, paths: list[str]) -> dict[str, Mapping[str, str]]:
    """Return by folder whom the ids in an export of Slack mean that lies there."""
    found = {}
    for path in paths:
        if path.rpartition("/")[2] == "users.json":
            with suppress(OSError):  # which is told when the file is read itself
                found[str(PurePath(path).parent)] = people_in(_file(root, path).read_bytes())
    return {folder: people for folder, people in found.items() if people}


def _together(path: str, bad: list[Unreadable]) -> Unreadable:
    """Return one failure for several rows of a file: how many they are, and where the first are that fail alike.

    >>> _together("a.jsonl", [Unreadable(f"a.jsonl:{n}", "no field `text`") for n in range(1, 6)])
    Unreadable(where='a.jsonl', error='5 rows cannot be read: no field `text` (1, 2, 3 and 2 more)')
    """
    locations: dict[str, list[str]] = {}
    for item in bad:
        locations.setdefault(item.error, []).append(item.where.removeprefix(f"{path}:"))
    described = [
        f"{error} ({', '.join(rows[:NAMED])}{f' and {len(rows) - NAMED} more' if len(rows) > NAMED else ''})"
        for error, rows in list(locations.items())[:NAMED]
    ]
    others = [f"and {len(locations) - NAMED} other errors"] if len(locations) > NAMED else []
    return Unreadable(path, f"{len(bad)} rows cannot be read: {'; '.join([*described, *others])}")


def _file(root: Path, path: str) -> Path:
    """Return where a file of the corpus is: its name is UTF-8, whatever the locale takes names for."""
    return root / os.fsdecode(path.encode())


def _is_gone(path: Path, error: OSError, last: Last | None) -> bool:
    """Return whether what cannot be read was deleted, and is not on a disk that is not there.

    A disk that is not mounted leaves the folder for it empty, in which nothing has changed since the last snapshot.
    """
    if error.errno not in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
        return False
    folder = Path(os.path.realpath(path)).parent
    try:
        while not folder.is_dir():
            folder = folder.parent
        return any(folder.iterdir()) or last is None or folder.stat().st_mtime > last.folder.stat().st_mtime
    except OSError:
        return False


def _last_documents(last: Last | None) -> "tuple[pa.Table, set[str] | None]":
    """Return the last `source_documents`, and the files that were not read in full; None where none is to be kept."""
    found = last.read("source_documents", unless={"settings"}) if last else None
    if not last or not found:
        return tables.make("source_documents", []), None
    unread = {path for where in last.failed for path in (where, where.rpartition(":")[0])}
    return found[0], None if "code" in last.changed else unread


def _documents(
    made: Parts, reused: list[int], before: DocumentsBefore, attempt: Attempt, each: Each, last: Last | None
) -> "pa.Table":
    """Give each document an id by its content alone; equal documents are told apart by their order.

    What is `reused` keeps its row. Its id is another only where an equal document came or went.
    """
    import pyarrow as pa

    keys = made.keys
    gone = before.documents(sorted(set(range(len(before.ids))).difference(reused))) if reused else []
    coupled = {key: before.equal(key) for key in (*keys, *map(content_key, gone))}
    key_of = {row: key for key, rows in coupled.items() for row in rows}
    old = groups.in_rows(before.table, np.array(reused, np.int64))
    table = pa.concat_tables([old, made.table()])
    sources = list(zip(table["path"].to_pylist(), [*old["source_id"].to_pylist(), *made.source_ids], strict=True))
    titles = [title or name_of(*source) for title, source in zip(table["title"].to_pylist(), sources, strict=True)]
    order = sorted(range(len(sources)), key=sources.__getitem__)
    table = groups.in_rows(table, np.array(order))
    stated = {"source_id": [sources[index][1] for index in order], "title": [titles[index] for index in order]}
    seen: Counter[str] = Counter()
    ids = []
    for index in order:
        key = keys[index - len(reused)] if index >= len(reused) else key_of.get(reused[index], "")
        ids.append(tables.content_id("document", key, str(seen[key])) if key else before.ids[reused[index]])
        seen[key] += 1
    columns = {name: table[name] for name in table.column_names} | {"id": ids}
    return tables.make_columns(
        "source_documents", **columns | stated | {"language": _languages(table, ids, attempt, each, last, before.table)}
    )


def _behind_cards(table: "pa.Table") -> "npt.NDArray[np.int64]":
    """Return where the text of each document begins, behind the cells of a row: names and values are no language."""
    import pyarrow.compute as pc

    blocks = table["blocks"].combine_chunks()
    each = blocks.flatten()
    is_first = pc.and_(pc.equal(each.field("kind"), "card"), pc.equal(each.field("char_start"), 0))
    ends = np.zeros(len(table), np.int64)
    ends[pc.list_parent_indices(blocks).filter(is_first).to_numpy()] = each.field("char_end").filter(is_first)
    return ends


class Opening(NamedTuple):
    """What the language of the document at this path is told from."""

    id: str
    text: str


def _detected(opening: Opening) -> str:
    from graphrag_lite.text.language import detect

    return detect(opening.text)


def _languages(
    table: "pa.Table", ids: Sequence[str], attempt: Attempt, each: Each, last: Last | None, read: "pa.Table"
) -> list[str]:
    """Return the language of each document; one that does not tell takes the most common one.

    In the last snapshot, whose table may have been `read`, the most common one may have been told or taken. It stays
    where it still is the most common:
    of the documents that have it, as many are asked again as it takes to know that.
    """
    from graphrag_lite.text.language import SAMPLE, most_common, with_common  # while the first texts are asked about

    found = None
    if last and "code" not in last.changed:
        found = [read] if read.num_rows else last.read(source_documents=["id", "language"])
    before = dict(zip(*(found[0][name].to_pylist() for name in ("id", "language")), strict=True)) if found else {}
    failed = frozenset(last.failed) if last else frozenset()
    common = most_common(Counter(before.values()))
    paths = table["path"].to_pylist()

    def openings(rows: Sequence[int]) -> Iterator[Opening]:
        begins = _behind_cards(groups.in_rows(table.select(["blocks"]), np.array(rows, np.int64)))
        return (
            Opening(paths[row], table["text"][row].as_py()[begin:][:SAMPLE])
            for row, begin in zip(rows, begins.tolist(), strict=True)
        )

    unchanged = [identity in before and path not in failed for path, identity in zip(paths, ids, strict=True)]
    new = [row for row, stays in enumerate(unchanged) if not stays]
    detected = dict(zip(new, each(_detected, LazyItems(len(new), lambda: openings(new))), strict=True))
    codes = [detected[row] or "" if row in detected else before[identity] for row, identity in enumerate(ids)]
    common_rows = [row for row, code in enumerate(codes) if unchanged[row] and code and code == common]
    counts = Counter(codes)
    counts[common] -= len(common_rows)
    for row in common_rows:
        if counts[common] and most_common(counts) == common:
            break
        codes[row] = attempt(paths[row], _detected, next(openings([row]))) or ""
        counts[codes[row]] += 1
    return with_common(codes)
