"""Documents as their files have them, and those of the last snapshot: which a file still holds, and which are equal."""

import hashlib
import itertools
import json
from collections.abc import Collection, Iterable
from functools import cached_property
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from graphrag_lite import tables
from graphrag_lite.read.documents import suffix_of
from graphrag_lite.read.readers import Readers, day_of_name
from graphrag_lite.tables import groups
from graphrag_lite.text.plain_text import plain

if TYPE_CHECKING:
    import pyarrow as pa

PART = 1_000_000  # characters


class FileDocument(NamedTuple):
    """A document as its file has it. `title` is the one that it states, empty where it states none."""

    path: str
    source_id: str
    title: str
    text: str
    created_at: str
    metadata: str  # JSON
    content_sha256: str  # of the file
    blocks: list[dict[str, Any]]
    messages: list[dict[str, Any]]


class Parts:
    """Documents as they are read: those of some megabytes become a table, in which they take a tenth of the memory.

    `keys` are the hashes of their content, `source_ids` what stands for the column of that name.
    """

    def __init__(self, readers: Readers) -> None:
        self.keys: list[str] = []
        self.source_ids: list[str] = []
        self._readers, self._size = readers, 0
        self._waiting: list[FileDocument] = []
        self._made: list[pa.Table] = []

    def add(self, document: FileDocument, key: str) -> None:
        self.keys.append(key)
        self.source_ids.append(document.source_id)
        self._waiting.append(document)
        self._size += len(document.text)
        if self._size > PART:
            self._make()

    def table(self) -> "pa.Table":
        """Return `source_documents` of all, without ids and languages, and let them go."""
        import pyarrow as pa

        self._make()
        made, self._made = self._made, []
        return pa.concat_tables(made)

    def _make(self) -> None:
        more = {"id": "", "language": ""}
        rows = (row._asdict() | more | {"mime": self._readers.mime(row.path)} for row in self._waiting)
        self._made.append(tables.make("source_documents", rows))
        self._waiting, self._size = [], 0


class DocumentsBefore:
    """The documents of the last snapshot, by row; none where nothing of it can be taken.

    `of_file` are the rows of each file, by path and sha256, that was read in full, and by the code of today.
    """

    def __init__(self, table: "pa.Table", unread: Collection[str] | None, readers: Readers) -> None:
        self.table, self.readers = table, readers
        self.ids, self.paths, self.hashes = (table[name].to_pylist() for name in ("id", "path", "content_sha256"))
        self.row_of = {identity: row for row, identity in enumerate(self.ids)}
        self.of_file: dict[tuple[str, str], list[int]] = {}
        for row, (path, sha256) in enumerate(zip(self.paths, self.hashes, strict=True)):
            if unread is not None and path not in unread:
                self.of_file.setdefault((path, sha256), []).append(row)

    @cached_property
    def _contents(self) -> frozenset[str]:
        return frozenset(self.hashes)

    @cached_property
    def _of_content(self) -> dict[tuple[str, str], int]:
        """Return by kind of file and sha256 the row of a document that stands alone in its file."""
        first = {(suffix_of(path), sha256): rows for (path, sha256), rows in reversed(self.of_file.items())}
        return {key: rows[0] for key, rows in first.items() if len(rows) == 1}

    def same(self, path: str, sha256: str) -> FileDocument | None:
        """Return the document of a file that another had, unless a document of its kind depends on the file's name."""
        if sha256 not in self._contents:
            return None
        row = self._of_content.get((suffix_of(path), sha256))
        if row is None or self.readers.has_rows(path):
            return None
        (document,) = self.documents([row])
        named = document.source_id != document.path or day_of_name(document.path) != day_of_name(path)
        named = named or any(message["conversation"] == document.path for message in document.messages)
        return None if named else document._replace(path=path, source_id=path)

    def documents(self, rows: Iterable[int]) -> list[FileDocument]:
        """Return documents as their files have them. A title may be a name that a document does not state."""
        listed = list(rows)
        taken = groups.in_rows(self.table.select(FileDocument._fields), np.array(listed, np.int64)).to_pylist()
        return [self._as_read(row, FileDocument(**values)) for row, values in zip(listed, taken, strict=True)]

    def _as_read(self, row: int, document: FileDocument) -> FileDocument:
        unstated = document._replace(title="")
        is_name = document.title == name_of(document.path, document.source_id)
        return unstated if is_name and row in self.equal(content_key(unstated)) else document

    def equal(self, key: str) -> list[int]:
        """Return the rows of the documents of equal content, which are told apart by their order."""
        identities = (tables.content_id("document", key, str(n)) for n in itertools.count())
        return list(itertools.takewhile(lambda row: row >= 0, (self.row_of.get(one, -1) for one in identities)))


def content_key(row: FileDocument) -> str:
    """Return a hash of a document's content. A title taken from the name of the file is not content."""
    content = [row.title, row.text, row.created_at, row.metadata, *filter(None, (row.blocks, row.messages))]
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def name_of(path: str, source_id: str) -> str:
    """Return the title of a document that states none."""
    name = PurePath(path)
    return plain((name.stem if suffix_of(path) else name.name) if source_id == path else source_id)
