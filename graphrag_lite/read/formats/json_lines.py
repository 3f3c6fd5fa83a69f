"""JSON lines: an object a line."""

from collections.abc import Iterator

from graphrag_lite.read.documents import Fields, Item, Reader, Unreadable
from graphrag_lite.read.encoding import lines
from graphrag_lite.read.formats.json_file import parsed


def read(data: bytes, path: str, fields: Fields) -> Iterator[Item]:
    from graphrag_lite.read.chat_exports import conversations_in
    from graphrag_lite.read.rows import Row, row_documents

    rows = []
    for number, line in enumerate(lines(data), start=1):
        if line.strip():
            try:
                rows.append(Row(number, parsed(line.rstrip("\n"))))
            except (ValueError, RecursionError) as error:
                rows.append(Row(number, None, f"not valid JSON: {error}"))
    found = conversations_in([row.values for row in rows if not row.error], path, fields)
    if found is None:
        yield from row_documents(rows, path, fields)
        return
    yield from found
    yield from (Unreadable(f"{path}:{row.number}", row.error) for row in rows if row.error)


READER = Reader({".jsonl": "application/jsonl", ".ndjson": "application/jsonl"}, read, rows=True)
