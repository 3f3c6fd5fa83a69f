"""JSON: one object, or a list of them, prose in the lists of one, or an export of conversations."""

import logging
from collections.abc import Iterable, Iterator
from itertools import islice, starmap
from typing import Any

from graphrag_lite.read.documents import Fields, Item, Loaded, Reader, replace_surrogates
from graphrag_lite.read.json_values import Listed, is_list, long_value

logger = logging.getLogger(__name__)
WRAPPED = ("attributes", "properties", "fields", "node", "data")


def read(data: bytes, path: str, fields: Fields) -> Iterator[Item]:
    from graphrag_lite.read.chat_exports import conversations_in
    from graphrag_lite.read.json_outline import prose_of
    from graphrag_lite.read.message_tables import message_documents, messages_by_chat
    from graphrag_lite.read.notes_json import notes_in
    from graphrag_lite.read.rows import Row, field_of, row_document, row_documents

    try:
        value = long_value(data)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"not valid JSON: {error}") from None
    if (found := conversations_in(value, path, fields)) is not None:
        yield from found
    elif (notes := notes_in(value, path, fields)) is not None:
        yield from notes
    elif isinstance(value, str):
        yield Loaded(path, "", replace_surrogates(value))
    elif isinstance(value, dict) and (prose := prose_of(value, path)):
        yield prose
    elif isinstance(value, dict) and (chats := messages_by_chat(value)):
        for name, (listed, columns) in chats.items():
            yield from message_documents(listed, columns, path, fields, name)
    elif not is_list(value) and (not isinstance(value, dict) or field_of(value, "text", fields)):
        yield row_document(value, path, fields)
    elif is_list(rows := _rows_within(value, path) if isinstance(value, dict) else value):
        yield from row_documents(Listed(lambda: starmap(Row, enumerate(rows, start=1))), path, fields)
    else:
        yield Loaded(path, "", "")  # settings of a program, say: no document


def _rows_within(value: dict[str, Any], path: str) -> Iterable[Any]:
    """Return the longest list of objects with texts in an object or those in it, or objects that are each below a key.

    What an interface wraps stands beside the rest: {"id": 7, "attributes": {...}}. Empty where there are none.
    """
    objects = {key: each for key, each in value.items() if isinstance(each, dict)}
    lists = [(key, each) for holder in (value, *objects.values()) for key, each in holder.items() if is_list(each)]
    found = [(key, rows) for key, each in lists if (rows := with_text(each))]
    if not found and len(objects) == len(value):
        return with_text([{"key": key, **each} for key, each in objects.items()])
    name, longest = max(found, key=lambda pair: sum(1 for _ in pair[1]), default=("", ()))
    if others := [key for key, rows in found if rows is not longest]:
        logger.warning("%s: of its lists %s is read, and not %s.", path, name, ", ".join(others))
    return longest


def with_text(rows: Iterable[Any]) -> Iterable[Any]:
    """Return rows, each with what it wraps, if they are objects of which a column holds texts, or many with titles."""
    from graphrag_lite.read.columns import MIN_ROWS, detect_columns

    known = list(islice((row for row in rows if isinstance(row, dict)), 100))
    wrapped = next((name for name in WRAPPED if all(isinstance(row.get(name), dict) for row in known)), "")

    def flat_row(row: Any) -> Any:
        plain = isinstance(row, dict) and isinstance(row.get(wrapped), dict)
        return {name: one for name, one in {**row, **row[wrapped]}.items() if name != wrapped} if plain else row

    flat = list(map(flat_row, known))
    columns = detect_columns(list(flat[0]), flat) if len(flat) > 1 else None
    if not columns or not (columns.texts or (len(flat) >= MIN_ROWS and columns.title)):
        return ()
    return Listed(lambda: map(flat_row, rows))


READER = Reader({".json": "application/json"}, read, rows=True)
