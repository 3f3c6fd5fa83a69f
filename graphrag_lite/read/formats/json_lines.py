"""JSON lines: an object a line."""

from collections.abc import Iterator

from graphrag_lite.read.documents import Fields, Item, Reader, Unreadable
from graphrag_lite.read.encoding import decode
from graphrag_lite.read.formats.json_file import parsed
from graphrag_lite.read.rows import row_document


def read(data: bytes, path: str, fields: Fields) -> Iterator[Item]:
    for number, line in enumerate(decode(data).split("\n"), start=1):
        if not line.strip():
            continue
        where = f"{path}:{number}"
        try:
            yield row_document(parsed(line), where, fields)
        except (ValueError, RecursionError) as error:
            yield Unreadable(where, f"not valid JSON: {error}")


READER = Reader({".jsonl": "application/jsonl", ".ndjson": "application/jsonl"}, read, rows=True)
