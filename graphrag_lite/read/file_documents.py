"""The documents of one file, read in any process."""

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from operator import attrgetter

from graphrag_lite.attempts import outcome
from graphrag_lite.read.documents import Block, Fields, Loaded, Unreadable
from graphrag_lite.read.documents_before import FileDocument, content_key
from graphrag_lite.read.readers import Readers, own_readers
from graphrag_lite.text.plain_text import plain

Item = FileDocument | Unreadable | str  # a document, what cannot be read, and where one stands that has no text
Read = tuple[str, Iterable[tuple[Item, str]]]  # sha256 of a file, and what is in it: documents with their `content_key`


@dataclass(frozen=True)
class ReadFile:
    """A file to be read, and what it holds; None where the process that asks reads it, document by document."""

    id: str
    fields: Fields
    data: bytes | None

    @property
    def n_characters(self) -> int:
        return len(self.data or b"-")


def read(file: ReadFile) -> Read | None:
    """Return what is in a file, by the readers of the package."""
    if file.data is None:
        return None
    sha256, items = documents_in(file.data, file.id, own_readers(), file.fields)
    return sha256, list(items)


def documents_in(data: bytes, path: str, readers: Readers, fields: Fields) -> Read:
    """Return what is in a file, document by document."""
    sha256 = hashlib.sha256(data).hexdigest()
    return sha256, _items(data, path, sha256, readers, fields)


def _items(data: bytes, path: str, sha256: str, readers: Readers, fields: Fields) -> Iterator[tuple[Item, str]]:
    for item in readers.read(data, path, fields):
        if isinstance(item, Unreadable):
            yield item, ""
        elif not item.text.strip():
            yield item.source_id, ""
        else:
            document, problem = outcome(_document, path, item, sha256)
            where = f"{path}:{item.source_id.removeprefix(f'{path}:')}"
            yield (document, content_key(document)) if document else (Unreadable(where, problem), "")


def _document(path: str, item: Loaded, sha256: str) -> FileDocument:
    metadata = json.dumps(item.metadata, sort_keys=True, ensure_ascii=True, default=str)
    # "user", "customer" and the like are parts that many play; "zoe_99" and "zoe@x.org" are somebody.
    named = (each for each in item.messages if each.speaker and not (each.speaker.isalpha() and each.speaker.islower()))
    speakers = [Block("message", message.speaker, message.char_start, message.char_end) for message in named]
    blocks = sorted([*item.blocks, *speakers], key=attrgetter("char_start", "char_end", "kind"))
    rows = ([each._asdict() for each in several] for several in (blocks, item.messages))
    return FileDocument(path, item.source_id, plain(item.title), item.text, item.created_at, metadata, sha256, *rows)
