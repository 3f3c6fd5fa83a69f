"""Plain text."""

from collections.abc import Iterator
from string import whitespace

from graphrag_lite.read.documents import Fields, Loaded, Reader
from graphrag_lite.read.encoding import decode
from graphrag_lite.read.hard_lines import joined_lines
from graphrag_lite.read.stated_times import stated_date


def read(data: bytes, path: str, fields: Fields) -> Iterator[Loaded]:
    """Yield the text. A short first line with a blank one below it is the title."""
    text = decode(data)
    first, _, rest = text.lstrip().partition("\n")
    titled = (
        0 < len(first.strip()) <= 80
        and not first.rstrip().endswith((".", ",", ":", ";"))
        and rest.startswith(("\n", "\r\n"))
    )
    text = joined_lines(text)
    yield Loaded(path, first.strip("#" + whitespace) if titled else "", text, metadata=stated_date(text, fields))


READER = Reader({".txt": "text/plain"}, read)
