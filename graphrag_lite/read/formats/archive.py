"""An export of conversations as it is downloaded (.zip). Nothing is unpacked to disk, and no more than is bearable."""

from collections import ChainMap
from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePosixPath

from graphrag_lite.attempts import outcome
from graphrag_lite.read.documents import Fields, Item, Loaded, Reader, Unreadable
from graphrag_lite.read.packages import open_package

CONVERSATIONS = (".json", ".jsonl", ".txt", ".eml", ".mbox")
LARGEST = 512_000_000  # bytes of all parts that are read, once they are unpacked
MOST = 100_000  # parts
TIMES = 200  # as large as it was, at most: text shrinks to a tenth or so


def read(data: bytes, path: str, fields: Fields) -> Iterator[Item]:
    """Yield the conversations in an archive, in the order of its parts' names; what else it holds is left out."""
    from graphrag_lite.read.messengers import people_in
    from graphrag_lite.read.readers import all_readers

    with open_package(data) as package:
        names = sorted(name for name in package.names if PurePosixPath(name).suffix.lower() in CONVERSATIONS)
        size = sum(package.size(name) for name in names)
        if len(package.names) > MOST or size > LARGEST or size > TIMES * len(data) + 1_000_000:
            raise ValueError(f"{len(package.names)} parts, {size / 1e6:.0f} MB once it is unpacked: more than is read")
        users = [name for name in names if PurePosixPath(name).name == "users.json"]
        people = ChainMap(*(dict(people_in(package.data(name))) for name in users), dict(fields.people))
        fields = replace(fields, people=people)
        readers = all_readers()
        found = False
        for name in names:
            part, error = outcome(package.data, name)
            if part is None:
                yield Unreadable(f"{path}/{name}", error)
                continue
            for item in readers.read(part, f"{path}/{name}", fields):
                if isinstance(item, Unreadable) or item.messages:
                    found = True
                    yield item
        if not found:
            yield Loaded(path, "", "")


READER = Reader({".zip": "application/zip"}, read, rows=True)
