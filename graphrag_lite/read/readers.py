"""The table of readers: those of `read.formats`, those that installed packages bring, and those passed in Python.

A package brings one by an entry point of the group `graphrag_lite.readers` that names a `Reader`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from graphrag_lite import plugins
from graphrag_lite.attempts import ENDS_RUN, describe_error
from graphrag_lite.errors import PluginError
from graphrag_lite.plugins import Origin
from graphrag_lite.read import formats
from graphrag_lite.read.documents import GZIP, Block, Fields, Item, Loaded, Reader, Unreadable, suffix_of
from graphrag_lite.read.packages import gunzipped
from graphrag_lite.read.stated_times import read_times, time_left
from graphrag_lite.text.dates import iso_date
from graphrag_lite.text.notices import legal_spans
from graphrag_lite.text.word_lists import expressions

_NAMES = expressions(__package__, "references.txt")["references"]
REFERENCES = re.compile(rf"(?im)^(#{{1,6}})[ \t]*(?:\d+\.?[ \t]*)?(?:{_NAMES})[ \t:]*$")
HEADING = re.compile(r"(?m)^#{1,6}[ \t]")
EMPTY = "an empty file"  # whatever a format's library calls that
DATED_NAME = re.compile(r"[12]\d{3}([-_])[01]\d\1[0-3]\d(?!\d|[-_]\d)")  # "2024-05-03 Standup.md", "2024_05_03.md"


@dataclass(frozen=True)
class Readers:
    """Readers, those that go first first."""

    readers: tuple[Reader, ...]
    origins: tuple[Origin, ...] = ()  # of those from outside the package

    def suffixes(self) -> list[str]:
        return sorted({suffix for reader in self.readers for suffix in reader.mime})

    def mime(self, path: str) -> str:
        return next((reader.mime[suffix_of(path)] for reader in self._of(path)), "")

    def has_rows(self, path: str) -> bool:
        """Say whether a file of this name holds several documents, whatever it begins with."""
        return any(reader.rows and reader.recognises is None for reader in self._of(path))

    def read(self, data: bytes, path: str, fields: Fields) -> Iterator[Item]:
        """Yield the documents of a file in their order, and what of it could not be read.

        Where nothing in a document dates it, its own file's name does: "2024-05-03 Standup.md".
        """
        day = "" if self.has_rows(path) else day_of_name(path)
        for item in read_times(self._items(data, path, fields), fields):
            if day and isinstance(item, Loaded) and not (item.created_at or item.messages):
                item = item if time_left(item.metadata, fields.time) else replace(item, created_at=day)
            yield item

    def _items(self, data: bytes, path: str, fields: Fields) -> Iterator[Item]:
        try:
            data = gunzipped(data) if path.lower().endswith(GZIP) else data
            fitting = (each for each in self._of(path) if each.recognises is None or each.recognises(data))
            reader = next(fitting, None)
            if reader is None:  # a log of no chat
                yield Loaded(path, "", "")
                return
            found = reader.read(data, path, fields)
            yield from (_with_blocks(item, references=not reader.rows) for item in found)
        except ValueError as error:
            yield Unreadable(path, str(error) if data else EMPTY)
        except ENDS_RUN:
            raise
        except Exception as error:  # a reader's mistake concerns this file alone
            yield Unreadable(path, describe_error(error))

    def _of(self, path: str) -> Iterator[Reader]:
        suffix = suffix_of(path)
        return (reader for reader in self.readers if suffix in reader.mime)


def _with_blocks(item: Item, *, references: bool) -> Item:
    """Mark licences and legal notices, and where asked lists of references: what names nobody that a document is about.

    A document of which most is a notice is about that.

    >>> text = "Text.\\n\\n## References\\n\\nA. B. 1999.\\n\\n## Annex"
    >>> _with_blocks(Loaded("a", "", text), references=True).blocks
    (Block(kind='references', label='', char_start=7, char_end=35),)
    >>> notice = "Copyright 2020. All rights reserved. Licensed without warranty; permission to redistribute."
    >>> text = "Marley was dead, to begin with. " * 9 + "\\n\\n" + notice
    >>> _with_blocks(Loaded("a", "", text), references=True).blocks
    (Block(kind='notice', label='', char_start=290, char_end=381),)
    """
    if not isinstance(item, Loaded):
        return item
    found = []
    for heading in REFERENCES.finditer(item.text) if references and "#" in item.text else ():
        after = HEADING.search(item.text, heading.end())
        found.append(Block("references", "", heading.start(), after.start() if after else len(item.text)))
    spans = legal_spans(item.text)
    if 2 * sum(end - start for start, end in spans) <= len(item.text):
        found += [Block("notice", "", start, end) for start, end in spans]
    found = [block for block in found if block not in item.blocks]  # a part of an archive has them
    return replace(item, blocks=(*item.blocks, *found)) if found else item


def day_of_name(path: str) -> str:
    """Return the day that begins a file's name, "" where none does."""
    named = DATED_NAME.match(path.rpartition("/")[2])
    return iso_date(named[0].replace("_", "-")) if named else ""


def all_readers(passed: Sequence[Reader] = ()) -> Readers:
    """Return all readers. Those passed go before those installed, and these before the package's own."""
    for each in passed:
        if not isinstance(each, Reader):
            raise PluginError(f"readers: {each!r} is a {type(each).__name__}, not a Reader.")
    names = plugins.names("readers")
    installed = [plugins.load("readers", name, Reader) for name in names]
    origins = [plugins.origin_of(each.read)._replace(version=each.version) for each in passed]
    origins += [plugins.origin("readers", name) for name in names]
    return Readers((*passed, *installed, *own_readers().readers), tuple(origins))


@cache
def own_readers() -> Readers:
    """Return the readers of the package; of one suffix, what recognises its files goes before what takes them all."""
    found = [import_module(f"{formats.__name__}.{module.name}").READER for module in iter_modules(formats.__path__)]
    return Readers(tuple(sorted(found, key=lambda reader: reader.recognises is None)))
