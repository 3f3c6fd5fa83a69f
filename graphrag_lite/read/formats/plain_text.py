"""Plain text."""

import re
from collections.abc import Iterator
from string import whitespace

from graphrag_lite.read.documents import Fields, Loaded, Reader
from graphrag_lite.read.encoding import decode
from graphrag_lite.read.formats import restructured_text
from graphrag_lite.read.hard_lines import joined_lines
from graphrag_lite.read.stated_times import stated_date

# What a page of a manual has above it and below it: "APROPOS(1)   Manual pager utils   APROPOS(1)" and so on.
_RUNNING_HEAD = re.compile(r"\s*(?P<name>[\w.:+-]+\(\d\w*\))[ \t]{2,}[^\n]*[ \t](?P=name)[ \t]*\n")
_MANUAL_NAME = re.compile(
    r"\s*[^\n]+\n+[ \t]+(?P<title>[^\s,]+(?:,\s+[^\s,]+)* [-–—] [^\n]{3,100}(?:\n[ \t]+\S[^\n]*)?)\n\n"
)
_MODE_LINE = re.compile(r"\s*-\*-.{1,60}-\*-")  # of an editor: "NEWS -*- outline -*-"
_HYPHENATED = re.compile(r"(?<=[^\W\d_])\u2010\n[ \t]*(?=[^\W\d_])")  # as troff breaks words; others keep a hyphen


def read(data: bytes, path: str, fields: Fields) -> Iterator[Loaded]:
    """Yield the text, of reStructuredText as of such. A short first line with a blank one below it is the title."""
    text = decode(data)
    if restructured_text.is_marked_up(text):
        yield from restructured_text.read(data, path, fields)
        return
    if head := _RUNNING_HEAD.match(text):
        title, text = _manual_page(text, head)
    else:
        first, _, rest = text.lstrip().partition("\n")
        titled = (
            0 < len(first.strip()) <= 80
            and not first.rstrip().endswith((".", ",", ":", ";"))
            and rest.startswith(("\n", "\r\n"))
        )
        title = _MODE_LINE.sub("", first).strip("#" + whitespace) if titled else ""
    text = joined_lines(text)
    yield Loaded(path, title, text, metadata=stated_date(text, fields))


def _manual_page(text: str, head: "re.Match[str]") -> tuple[str, str]:
    """Return the title of a page of a manual and its text, without the lines at its head and foot, words whole."""
    body = _HYPHENATED.sub("", text[head.end() :])
    last = body.rstrip().rpartition("\n")
    if last[2].rstrip().endswith(head["name"]):
        body = last[0]
    named = _MANUAL_NAME.match(body)
    return (" ".join(named["title"].split()) if named else head["name"]), body.strip() + "\n"


READER = Reader({".txt": "text/plain"}, read)
