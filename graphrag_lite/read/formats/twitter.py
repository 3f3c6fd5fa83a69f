"""Files of Twitter's download (.js): a list behind a name, of which tweets and direct messages say something."""

import re
from collections.abc import Iterator
from typing import Any

from graphrag_lite.read.documents import Fields, Item, Loaded, Reader
from graphrag_lite.read.json_values import DECODER, Listed

BEGINS = re.compile(rb"\s*window\.YTD\.\w+\.part\d+\s*=\s*")
TEXT = ("full_text", "fullText", "text")


def recognises(data: bytes) -> bool:
    return bool(BEGINS.match(data))


def read(data: bytes, path: str, fields: Fields) -> Iterator[Item]:
    """Yield a document for each tweet, or for each day of a talk; none for the rest, which tells of the account."""
    from graphrag_lite.read.chat_exports import conversations_in
    from graphrag_lite.read.rows import Row, row_documents

    begins = BEGINS.match(data)
    listed = DECODER.decode(data[begins.end() if begins else 0 :].decode("utf-8", "replace").strip().rstrip(";"))
    if found := conversations_in(listed, path, fields):
        yield from found
        return
    inner = (next(iter(each.values()), None) for each in listed if isinstance(each, dict) and len(each) == 1)
    rows = [row for each in inner if isinstance(each, dict) and (row := _row(each))]
    if rows:
        yield from row_documents(Listed(lambda: (Row(n, row) for n, row in enumerate(rows, start=1))), path, fields)
    else:
        yield Loaded(path, "", "")


def _row(value: dict[str, Any]) -> dict[str, Any]:
    """Return what a tweet says, when; empty for what says nothing."""
    text = next((value[name] for name in TEXT if isinstance(value.get(name), str)), "")
    named = {"id": value.get("id_str") or value.get("tweetId"), "text": text, "timestamp": value.get("created_at")}
    return {name: each for name, each in named.items() if each} if text else {}


READER = Reader({".js": "text/javascript"}, read, rows=True, recognises=recognises)
