"""JSON lines: an object a line."""

from collections.abc import Iterator

from graphrag_lite.read.documents import Fields, Item, Reader, Unreadable
from graphrag_lite.read.encoding import decoded_lines
from graphrag_lite.read.json_values import DECODER, Listed


def read(data: bytes, path: str, fields: Fields) -> Iterator[Item]:
    from graphrag_lite.read.chat_exports import conversations_in
    from graphrag_lite.read.rows import Row, row_documents

    def parsed_lines() -> Iterator[Row]:
        for number, line in enumerate(decoded_lines(data), start=1):
            if line.strip():
                try:
                    yield Row(number, DECODER.decode(line))
                except (ValueError, RecursionError) as error:
                    yield Row(number, None, f"not valid JSON: {error}")

    rows = Listed(parsed_lines)
    found = conversations_in(Listed(lambda: (row.values for row in rows if not row.error)), path, fields)
    if found is None:
        yield from row_documents(rows, path, fields)
        return
    yield from found
    yield from (Unreadable(f"{path}:{row.number}", row.error) for row in rows if row.error)


READER = Reader({".jsonl": "application/jsonl", ".ndjson": "application/jsonl"}, read, rows=True)
