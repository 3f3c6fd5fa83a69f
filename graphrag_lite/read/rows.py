"""Rows of a file, each with named values -> documents."""

from typing import Any

from graphrag_lite.attempts import outcome
from graphrag_lite.read.documents import Fields, Item, Loaded, Unreadable, clean


def row_document(row: Any, where: str, fields: Fields) -> Item:
    """Make a document of one JSON object or row of a table."""
    made, error = outcome(_document, row, where, fields)
    return made or Unreadable(where, error)


def _document(row: Any, where: str, fields: Fields) -> Item:
    if not isinstance(row, dict):
        return Unreadable(where, f"not a JSON object but {type(row).__name__}")
    # A corpus may hold files of several makers: where the field that is named is missing, the usual name counts.
    text_key, title_key, id_key = (
        getattr(fields, name) if getattr(fields, name) in row else getattr(Fields, name)
        for name in ("text", "title", "id")
    )
    text, title, source_id = (row.get(key) for key in (text_key, title_key, id_key))
    if not isinstance(text, str):
        found = "no field" if text is None else "no text in field"
        return Unreadable(where, f"{found} `{fields.text}` (fields: {', '.join(map(str, row))})")
    known = {id_key, title_key, text_key}
    return Loaded(
        source_id=where if source_id in (None, "") else clean(str(source_id)),
        title=clean(str(title)) if title not in (None, "") else "",
        text=clean(text),
        metadata={clean(str(key)): value for key, value in row.items() if key not in known and value not in (None, "")},
    )
