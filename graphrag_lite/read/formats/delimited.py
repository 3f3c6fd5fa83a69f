"""Tables as text: CSV and what spreadsheets write by that name."""

import re
from collections.abc import Iterator

from graphrag_lite.read.documents import Fields, Item, Reader
from graphrag_lite.read.encoding import decode


def read(data: bytes, path: str, fields: Fields) -> Iterator[Item]:
    import csv
    import io

    from graphrag_lite.read.rows import Row, row_documents

    text = decode(data)
    head = re.sub(r'"[^"]*"', "", (text[:4096].splitlines() or [""])[0])
    delimiter = max(",;\t|", key=head.count)
    csv.field_size_limit(max(csv.field_size_limit(), len(text) + 1))  # of the whole process: never lowered
    lines = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, restkey="")
    try:
        lines.fieldnames = [name.strip() for name in lines.fieldnames or ()]
        if not lines.fieldnames:
            raise ValueError("an empty file")
        rows = [Row(lines.line_num, row) for row in lines]
    except csv.Error as error:
        raise ValueError(f"line {lines.line_num}: {error}") from None
    yield from row_documents(rows, path, fields)


READER = Reader({".csv": "text/csv", ".tsv": "text/tab-separated-values"}, read, rows=True)
