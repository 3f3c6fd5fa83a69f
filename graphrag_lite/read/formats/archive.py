"""Files in one (.zip, .tar), as an export of chats. Nothing is unpacked to disk, and no more than is bearable."""

import re
from collections import ChainMap
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import PurePosixPath

from graphrag_lite.attempts import outcome
from graphrag_lite.read.documents import Fields, Item, Loaded, Reader, Unreadable, suffix_of
from graphrag_lite.read.packages import Package, open_package

SUFFIXES = {".zip": "application/zip", ".tar": "application/x-tar", ".jex": "application/x-tar"}  # the last of Joplin
CONVERSATIONS = (".json", ".jsonl", ".txt", ".eml", ".mbox")
PAGES = re.compile(r"(?:.*/)?messages\d*\.html")  # of Telegram
LARGEST = 512_000_000  # bytes of all parts that are read, once they are unpacked
MOST = 100_000  # parts
EACH = 20_000  # bytes that an archive within another counts for beside its own: it can hold itself
TIMES = 200  # as large as it was, at most: text shrinks to a tenth or so


def read(data: bytes, path: str, fields: Fields) -> Iterator[Item]:
    """Yield the conversations in an archive, in the order of its parts' names, or else all documents.

    An export of conversations has files on feedback, pictures and settings beside them, which are left out. An archive
    within it (as in exports of Notion) is read like a folder; all together may unpack to what one may.
    """
    yield from _read(data, path, fields, [min(LARGEST, TIMES * len(data) + 1_000_000)])


def _read(data: bytes, path: str, fields: Fields, left: list[int]) -> Iterator[Item]:
    """Yield what an archive holds; `left` is how many bytes may still be unpacked, of which its own are taken."""
    from graphrag_lite.read.formats.delimited import repeated
    from graphrag_lite.read.messengers import people_in
    from graphrag_lite.read.readers import all_readers

    known = {*all_readers().suffixes()}
    with open_package(data, tar=suffix_of(path) in (".tar", ".jex")) as package:
        parts = {name for name in package.names if suffix_of(name) in known and not _is_hidden(name)}
        names = sorted(parts - repeated(parts))
        size = sum(package.size(name) for name in names if suffix_of(name) not in SUFFIXES)
        left[0] -= size
        if len(package.names) > MOST or left[0] < 0:
            raise ValueError(f"{len(package.names)} parts, {size / 1e6:.0f} MB once it is unpacked: more than is read")
        users = [name for name in names if PurePosixPath(name).name == "users.json"]
        people = ChainMap(*(dict(people_in(package.data(name))) for name in users), dict(fields.people))
        fields = replace(fields, people=people)
        unreadable: list[Item] = []
        found = False
        for item in _items(
            package,
            (name for name in names if suffix_of(name) in CONVERSATIONS or PAGES.fullmatch(name)),
            path,
            fields,
            left,
        ):
            if isinstance(item, Unreadable):
                unreadable.append(item)
            elif item.messages:
                found = True
                yield item
        for item in unreadable if found else _items(package, names, path, fields, left):
            found = True
            yield item
        if not found:
            yield Loaded(path, "", "")


def _is_hidden(name: str) -> bool:
    return name.endswith("/") or any(part.startswith((".", "__MACOSX")) for part in name.split("/"))


def _items(package: Package, names: Iterable[str], path: str, fields: Fields, left: list[int]) -> Iterator[Item]:
    """Yield what the named parts hold, each as if it stood in a folder of the archive's name."""
    from graphrag_lite.read.readers import all_readers

    readers = all_readers()
    for name in names:
        part, error = outcome(package.data, name)
        if part is None:
            yield Unreadable(f"{path}/{name}", error)
        elif suffix_of(name) in SUFFIXES:
            left[0] -= len(part) + EACH
            try:
                yield from _read(part, f"{path}/{name}", fields, left)
            except ValueError as unread:
                yield Unreadable(f"{path}/{name}", str(unread))
        else:
            yield from readers.read(part, f"{path}/{name}", fields)


READER = Reader(SUFFIXES, read, rows=True)
