"""JSON: one object, or a list of them, or an export of conversations."""

import json
from collections.abc import Iterator
from itertools import starmap
from typing import Any

from graphrag_lite.read.documents import Fields, Item, Loaded, Reader
from graphrag_lite.read.json_values import Listed, is_list, long_value


def read(data: bytes, path: str, fields: Fields) -> Iterator[Item]:
    from graphrag_lite.read.chat_exports import conversations_in
    from graphrag_lite.read.rows import Row, field_of, row_document, row_documents

    try:
        value = long_value(data)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"not valid JSON: {error}") from None
    if (found := conversations_in(value, path, fields)) is not None:
        yield from found
    elif is_list(value):
        yield from row_documents(Listed(lambda: starmap(Row, enumerate(value, start=1))), path, fields)
    elif isinstance(value, dict) and not field_of(value, "text", fields):
        yield Loaded(path, "", "")  # settings of a program, say: no document
    else:
        yield row_document(value, path, fields)


def parsed(text: str) -> Any:
    """Parse JSON; NaN and Infinity, which it does not have but many programs write, are null."""
    return json.loads(text, parse_constant=lambda _: None)


READER = Reader({".json": "application/json"}, read, rows=True)
