"""JSON: one object, or a list of them."""

import json
from collections.abc import Iterator
from typing import Any

from graphrag_lite.read.documents import Fields, Item, Reader
from graphrag_lite.read.encoding import decode
from graphrag_lite.read.rows import row_document


def read(data: bytes, path: str, fields: Fields) -> Iterator[Item]:
    try:
        value = parsed(decode(data))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"not valid JSON: {error}") from None
    for position, row in enumerate(value if isinstance(value, list) else [value], start=1):
        yield row_document(row, f"{path}:{position}" if isinstance(value, list) else path, fields)


def parsed(text: str) -> Any:
    """Parse JSON; NaN and Infinity, which it does not have but many programs write, are null."""
    return json.loads(text, parse_constant=lambda _: None)


READER = Reader({".json": "application/json"}, read, rows=True)
