"""A web page, or a fragment of one, in a file of text (.txt): help texts of programs and games."""

import re

from graphrag_lite.read.documents import Reader
from graphrag_lite.read.encoding import decode
from graphrag_lite.read.formats import web_page

_BEGINS = re.compile(
    r"(?i)\ufeff?\s*(?:<\?xml\b[^<>]*>\s*|<!--[^<>]*-->\s*)*"
    r"<(?:!doctype\s+html|html|head|title|meta|body|h[1-6]|p|div|center|table|ul|ol)\b[^<>]*>"
)
_PARAGRAPH = re.compile(r"\n\s*\n")
_TAG = re.compile(
    r"(?i)</?(?:html|head|title|meta|link|body|main|section|article|h[1-6]|p|div|center|span|font|a|b|i|u|em|strong|br"
    r"|hr|img|code|pre|table|t[rdh]|ul|ol|li|d[ltd])(?:\s[^<>]*|\s*/)?>"
)
_SAMPLE = 4000  # bytes by which a file is told
_FEWEST = 3  # tags: a note on "<p>" is none


def recognises(data: bytes) -> bool:
    """Say whether a file begins with a tag, and has others in most of its paragraphs.

    >>> page, note = b"<h1>Gates</h1>\\n\\n<p>A gate <em>opens</em>.", b"<p> is a tag.\\n\\nSo is <b>.\\n\\nOf pages."
    >>> recognises(page), recognises(note)
    (True, False)
    """
    try:
        text = decode(data if len(data) <= _SAMPLE else data[:_SAMPLE].rpartition(b"\n")[0])
    except ValueError:
        return False
    if not _BEGINS.match(text):
        return False
    found = [len(_TAG.findall(paragraph)) for paragraph in _PARAGRAPH.split(text.strip())]
    return sum(found) >= _FEWEST and 2 * sum(map(bool, found)) > len(found)


READER = Reader({".txt": "text/plain"}, web_page.read, recognises=recognises)
