"""Rows of a file, each with named values -> documents."""

import logging
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from sys import intern
from typing import Any, NamedTuple

from graphrag_lite.attempts import outcome
from graphrag_lite.read.columns import ColumnRoles, cell_text, detect_columns, has_word, parts_of
from graphrag_lite.read.conversations import ShownMessage, conversation_document, group_by_key
from graphrag_lite.read.documents import ROLES, Composer, Fields, Item, Loaded, Message, Unreadable, replace_surrogates
from graphrag_lite.read.json_values import Listed
from graphrag_lite.read.message_tables import message_columns, message_documents
from graphrag_lite.read.stated_times import time_left
from graphrag_lite.text.word_lists import expressions

# A corpus may hold files of several makers: where the field that the settings name is missing, a usual one counts.
USUAL = {name: names.split("|") for name, names in expressions(__package__, "fields.txt").items()}
MANY = 10_000  # rows of a table by which its columns are told
MANY_NUMBERS = 5_000  # rows of a table of nothing but numbers: more are measurements, and not looked up
NESTED = 12  # cells of an object in a cell that are cells of the row
logger = logging.getLogger(__name__)


class Row(NamedTuple):
    """A row and its number within the file. What a JSON file lists may be no object, or not to be parsed: `error`."""

    number: int
    values: Any
    error: str = ""


def row_documents(rows: Iterable[Row], path: str, fields: Fields) -> Iterator[Item]:
    """Yield a document for each row, or for each conversation where rows are messages that have no id of their own.

    Where rows have the field that holds the text, that is their text, and all others are metadata. Otherwise, and where
    the field has a usual name alone and other columns are people or few values, columns are told by their values, and a
    row's text is a card of its cells with its long texts below.
    """
    source = rows
    rows = Listed(lambda: (row._replace(values=_flat(row.values)) for row in source))
    named = Listed(lambda: (row.values for row in rows if isinstance(row.values, dict)))
    n_rows, names = 0, dict[Any, None]()
    for row in rows:
        n_rows += 1
        names |= dict.fromkeys(row.values) if isinstance(row.values, dict) else {}
    text = field_of(names, "text", fields)
    is_named = text == fields.text or field_of(names, "sender", fields) or "role" in names
    if not is_named and (columns_of := message_columns(map(str, names))):
        yield from _of_messengers(rows, columns_of, path, fields)
        return
    known = [] if is_named else list(islice(named, MANY))
    if known and text and not any(has_word(values.get(text)) for values in known):
        text = None  # how heavy a body is
    columns = detect_columns(list(map(str, names)), known) if known else None
    if columns is None or (text and not columns.kinds):
        items = Listed(lambda: (row_document(row.values, f"{path}:{row.number}", fields, row.error) for row in rows))
        conversation_fields = fields.sender, *USUAL["conversation"]
        joined = not field_of(names, "id", fields) and any(name in names for name in conversation_fields)
        yield from _conversations(items, path, fields) if joined else items
        return
    if not (columns.texts or columns.title) and not any(has_word(cell) for values in known for cell in values.values()):
        if n_rows > MANY_NUMBERS:
            raise ValueError(f"a table of numbers, which has no text, with more than {MANY_NUMBERS:,} rows")
        if not any(map(has_word, map(str, names))):
            shown_names = ", ".join(map(str, known[0])) or "none"
            raise ValueError(f"no column holds text (columns: {shown_names}). Name one with load_documents.text_field")
    logger.info("%s: %d rows; %s.", path, n_rows, columns.summary())
    for row in rows:
        where = f"{path}:{row.number}"
        if not isinstance(row.values, dict):
            yield Unreadable(where, row.error or f"not a JSON object but {type(row.values).__name__}")
        elif any(cell_text(value) for value in row.values.values()):
            made, error = outcome(_card, row.values, where, columns, fields)
            yield made or Unreadable(where, error)


def _of_messengers(rows: Iterable[Row], columns: Mapping[str, str], path: str, fields: Fields) -> Iterator[Item]:
    messages = Listed(lambda: (row.values for row in rows if isinstance(row.values, dict)))
    yield from message_documents(messages, columns, path, fields)
    for row in rows:
        if not isinstance(row.values, dict):
            yield Unreadable(f"{path}:{row.number}", row.error or f"not a JSON object but {type(row.values).__name__}")


def _flat(values: Any) -> Any:
    """Return the values of a row, with those of an object that only groups some: {"medals": {"gold": 2}}.

    >>> _flat({"name": "Oslo", "medals": {"gold": 2, "total": 3}, "by": {"name": "Ann"}})
    {'name': 'Oslo', 'medals.gold': 2, 'medals.total': 3, 'by': {'name': 'Ann'}}
    """
    if not isinstance(values, dict) or not any(isinstance(value, dict) for value in values.values()):
        return values
    found: dict[Any, Any] = {}
    for name, value in values.items():
        groups = isinstance(value, dict) and 0 < len(value) <= NESTED and not cell_text(value)
        plain = groups and all(isinstance(each, int | float | str) or each is None for each in value.values())
        found |= {f"{name}.{key}": each for key, each in value.items()} if plain else {name: value}
    return found


def _conversations(items: Iterable[Item], path: str, fields: Fields) -> Iterator[Item]:
    """Join the messages of each conversation, in their order; what is no message stays as it is."""

    def messages() -> Iterator[tuple[Loaded, Message]]:
        return ((item, item.messages[0]) for item in items if isinstance(item, Loaded) and item.messages)

    names = []
    for item in items:
        if isinstance(item, Loaded) and item.messages:
            names.append(intern(item.messages[0].conversation))
        else:
            yield item
    for name, of_chat in group_by_key(names, messages()):
        times = (item.metadata.get(time_left(item.metadata, fields.time), "") for item, _ in of_chat)
        shown = [
            ShownMessage(message.speaker, item.text, time) for (item, message), time in zip(of_chat, times, strict=True)
        ]
        title = next((item.title for item, _ in of_chat if item.title), "")
        yield conversation_document(shown, name or path, f"{path}:{name}" if name else path, title, {})


def row_document(row: Any, where: str, fields: Fields, error: str = "") -> Item:
    """Make a document of one object whose fields are named."""
    if error:
        return Unreadable(where, error)
    made, error = outcome(_document, row, where, fields)
    return made or Unreadable(where, error)


def _document(row: Any, where: str, fields: Fields) -> Item:
    if not isinstance(row, dict):
        return Unreadable(where, f"not a JSON object but {type(row).__name__}")
    text_key, title_key, id_key, time_key = (field_of(row, name, fields) for name in ("text", "title", "id", "time"))
    text, title, source_id = (row.get(key) for key in (text_key, title_key, id_key))
    if not isinstance(text, str):
        found = "no field" if text_key is None else "no text in field"
        return Unreadable(where, f"{found} `{fields.text}` (fields: {', '.join(map(str, row))})")
    metadata = _metadata(row, {id_key, title_key, text_key})
    if time_key in metadata and time_key not in (fields.time, Fields.time):
        metadata[fields.time] = metadata.pop(time_key)
    text = replace_surrogates(text)
    return Loaded(
        source_id=where if source_id in (None, "") else replace_surrogates(str(source_id)),
        title=replace_surrogates(str(title)) if title not in (None, "") else "",
        text=text,
        metadata=metadata,
        messages=_messages(row, text, replace_surrogates(str(source_id or "")), fields),
    )


def _messages(row: Mapping[str, Any], text: str, identity: str, fields: Fields) -> tuple[Message, ...]:
    """Return what a row says as a message, where it names who says it."""

    def stated(name: str) -> Any:
        return row.get(field_of(row, name, fields) or "")

    sender, role = stated("sender"), str(row.get("role", "")).casefold()
    speaker = replace_surrogates(sender).strip() if isinstance(sender, str) else role if role in ROLES else ""
    if not speaker or not text:
        return ()
    role = ROLES.get(speaker.casefold()) or ROLES.get(role, "")
    answered, conversation = (replace_surrogates(str(stated(name) or "")) for name in ("reply", "conversation"))
    return (Message(speaker, 0, len(text), "", role, conversation, identity, answered),)


def field_of(row: Mapping[Any, Any], name: str, fields: Fields) -> str | None:
    """Return the field of a row that holds what is named: that of the settings, a usual one, or None."""
    return next((key for key in (getattr(fields, name, name), *USUAL[name]) if key in row), None)


def _metadata(row: Mapping[Any, Any], taken: set[str | None]) -> dict[str, Any]:
    return {
        replace_surrogates(str(key)): value
        for key, value in row.items()
        if key not in taken and value not in (None, "") and not isinstance(value, bytes)
    }


def _card(row: Mapping[str, Any], where: str, columns: ColumnRoles, fields: Fields) -> Loaded:
    """Return a row as its cells, a line each, and its texts; where there are several, each below its column's name."""
    values = {name: replace_surrogates(cell_text(value)) for name, value in row.items()}
    composer = Composer()
    for name, value in values.items():
        if value and name != columns.title and name not in columns.texts:
            composer.add(f"{replace_surrogates(name)}: " if name else "")  # cells beyond the columns have none
            kind = "key" if name == columns.key else columns.kinds.get(name, "")
            _add_cell(composer, value, kind, replace_surrogates(name))
            composer.add("\n")
    composer.mark("card", "", 0)
    texts = [name for name in columns.texts if values.get(name)]
    for name in texts:
        heading = f"## {replace_surrogates(name)}\n\n" if name != columns.texts[0] else ""
        composer.add(f"{chr(10) if composer.length else ''}{heading}{values[name]}\n")
    text = composer.text().rstrip("\n")
    no_column = {"": ""}  # no column: not the one that has no name
    key, *names = ((values | no_column).get(name, "") for name in (columns.key, columns.title, columns.family))
    title = " ".join(filter(None, names))
    text = text or (f"{columns.title}: {values[columns.title]}" if columns.title and title else "")
    flat = {name: values[name] if isinstance(value, dict | list) else value for name, value in row.items()}
    metadata = _metadata(flat, {columns.key, columns.title, *columns.texts, columns.time})
    if columns.time and values.get(columns.time):
        metadata[fields.time] = row[columns.time]
    return Loaded(
        source_id=key or where,
        title=f"{key}: {title}" if key and title else title or key,
        text=text,
        metadata=metadata,
        blocks=tuple(block._replace(char_end=min(block.char_end, len(text))) for block in composer.blocks),
    )


def _add_cell(composer: Composer, value: str, kind: str, name: str) -> None:
    """Add a cell, each value in it a block."""
    rest = value
    for part in parts_of(value, kind) if kind else ():
        before, _, rest = rest.partition(part)
        composer.add(before)
        composer.add(part, kind, name)
    composer.add(rest)
