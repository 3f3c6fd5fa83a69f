"""Markdown."""

import re
from collections.abc import Iterator

from graphrag_lite.read.documents import Fields, Loaded, Reader
from graphrag_lite.read.encoding import decode
from graphrag_lite.read.stated_times import stated_date

# A comment in a code block is no heading. What opens and is not closed goes on to the end (CommonMark 0.31, 4.5).
FENCED = re.compile(r"^ {0,3}(?:(`{3,})[^`\n]*|(~{3,})[^\n]*)\n(?s:.*?)(?:^ {0,3}(?:\1`*|\2~*)[ \t\r]*$|\Z)", re.M)


def read(data: bytes, path: str, fields: Fields) -> Iterator[Loaded]:
    text = decode(data)
    heading = re.search(r"^#[ \t]+(\S.{0,200}?)[ \t#]*$", FENCED.sub("", text[:4000]), re.M)
    yield Loaded(path, heading[1].strip() if heading else "", text, metadata=stated_date(text, fields))


READER = Reader({".md": "text/markdown"}, read)
