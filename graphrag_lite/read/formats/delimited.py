"""Tables as text: CSV and what spreadsheets write by that name."""

import csv
import io
import re
from collections.abc import Iterator

from graphrag_lite.read.documents import Fields, Item, Reader
from graphrag_lite.read.encoding import decode
from graphrag_lite.read.rows import row_document


def read(data: bytes, path: str, fields: Fields) -> Iterator[Item]:
    text = decode(data)
    head = re.sub(r'"[^"]*"', "", (text[:4096].splitlines() or [""])[0])
    delimiter = max(",;\t|", key=head.count)
    csv.field_size_limit(len(text) + 1)
    rows = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, restkey="")
    try:
        rows.fieldnames = [name.strip() for name in rows.fieldnames or ()]
        if not {fields.text, Fields.text} & set(rows.fieldnames or ()):
            columns = ", ".join(rows.fieldnames or ()) or "none"
            raise ValueError(f"no column `{fields.text}` (columns: {columns}). Name it with load_documents.text_field")
        for row in rows:
            yield row_document(row, f"{path}:{rows.line_num}", fields)
    except csv.Error as error:
        raise ValueError(f"line {rows.line_num}: {error}") from None


READER = Reader({".csv": "text/csv"}, read, rows=True)
