"""Read documents out of a file's bytes, one reader a format. Pure: the file's name only chooses the reader."""

import csv
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import Any

from graphrag_lite.attempts import ENDS_RUN, described, outcome
from graphrag_lite.read.encoding import decode
from graphrag_lite.text.timestamps import isos

MARKITDOWN = (".pdf", ".docx", ".pptx")  # read by the extra [documents]
MIME = {
    ".txt": "text/plain",
    ".md": "text/markdown",
    ".html": "text/html",
    ".htm": "text/html",
    ".csv": "text/csv",
    ".json": "application/json",
    ".jsonl": "application/jsonl",
    ".pdf": "application/pdf",
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
}
DATE_LINE = re.compile(
    r"^\W{0,4}(?:date|sent|datum|gesendet|fecha|дата|日付|日期|날짜)\W{1,5}"
    r"((?:\d{4}-\d\d-\d\d(?:[T ][\d:.+Z-]{4,30})?)|[^\n]{6,80}$)",
    re.I | re.M,
)
DATED = re.compile(r"(?<!\d)[12]\d{3}(?!\d)|\d{1,2}[-/.]\d{1,2}[-/.]\d{2}")
# A comment in a code block is no heading. What opens and is not closed goes on to the end (CommonMark 0.31, 4.5).
FENCED = re.compile(r"^ {0,3}(?:(`{3,})[^`\n]*|(~{3,})[^\n]*)\n(?s:.*?)(?:^ {0,3}(?:\1`*|\2~*)[ \t\r]*$|\Z)", re.M)
SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class Fields:
    """Which keys of a JSON object, or columns of a CSV, hold what."""

    id: str = "id"
    title: str = "title"
    text: str = "text"
    time: str = "timestamp"


@dataclass(frozen=True)
class Loaded:
    """A document. `metadata` is everything else that its row holds.

    `title` is the one that the document states, empty where it states none; `created_at` is ISO 8601 or empty.
    """

    source_id: str
    title: str
    text: str
    created_at: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Unreadable:
    """A file, or a row of it as path:line, that could not be read, and why."""

    where: str
    error: str


def read(data: bytes, path: str, fields: Fields) -> Iterator[Loaded | Unreadable]:
    """Yield the documents of a file in their order, and what of it could not be read."""
    suffix = PurePosixPath(path).suffix.lower()
    items: list[Loaded | Unreadable] = []
    try:
        if suffix in MARKITDOWN:
            items.append(_office(data, path, suffix))
        else:
            items.extend(READERS[suffix](decode(data), path, fields))
    except ValueError as error:
        items.append(Unreadable(path, str(error)))
    except ENDS_RUN:
        raise
    except Exception as error:  # a reader's mistake concerns this file alone
        items.append(Unreadable(path, described(error)))
    yield from _dated(items, fields)


def _text(text: str, path: str, fields: Fields) -> Iterator[Loaded]:
    """Plain text: a short first line with a blank one below it is the title."""
    first, _, rest = text.lstrip().partition("\n")
    titled = (
        0 < len(first.strip()) <= 80
        and not first.rstrip().endswith((".", ",", ":", ";"))
        and rest.startswith(("\n", "\r\n"))
    )
    yield Loaded(path, first.strip() if titled else "", text, metadata=_stated_date(text, fields))


def _markdown(text: str, path: str, fields: Fields) -> Iterator[Loaded]:
    heading = re.search(r"^#[ \t]+(\S.{0,200}?)[ \t#]*$", FENCED.sub("", text[:4000]), re.M)
    yield Loaded(path, heading[1].strip() if heading else "", text, metadata=_stated_date(text, fields))


def _html(text: str, path: str, fields: Fields) -> Iterator[Loaded]:
    from graphrag_lite.read.html import html_to_text

    page = html_to_text(text)
    dated = {fields.time: page.date} if page.date else _stated_date(page.text, fields)
    yield Loaded(path, page.title, page.text, metadata=dated)


def _csv(text: str, path: str, fields: Fields) -> Iterator[Loaded | Unreadable]:
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
            yield _row(row, f"{path}:{rows.line_num}", fields)
    except csv.Error as error:
        raise ValueError(f"line {rows.line_num}: {error}") from None


def _json(text: str, path: str, fields: Fields) -> Iterator[Loaded | Unreadable]:
    try:
        value = _parsed(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"not valid JSON: {error}") from None
    for position, row in enumerate(value if isinstance(value, list) else [value], start=1):
        yield _row(row, f"{path}:{position}" if isinstance(value, list) else path, fields)


def _parsed(text: str) -> Any:
    """Parse JSON; NaN and Infinity, which it does not have but many programs write, are null."""
    return json.loads(text, parse_constant=lambda _: None)


def _jsonl(text: str, path: str, fields: Fields) -> Iterator[Loaded | Unreadable]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        where = f"{path}:{number}"
        try:
            yield _row(_parsed(line), where, fields)
        except (ValueError, RecursionError) as error:
            yield Unreadable(where, f"not valid JSON: {error}")


READERS: dict[str, Callable[[str, str, Fields], Iterator[Loaded | Unreadable]]] = {
    ".txt": _text,
    ".md": _markdown,
    ".html": _html,
    ".htm": _html,
    ".csv": _csv,
    ".json": _json,
    ".jsonl": _jsonl,
}


def _row(row: Any, where: str, fields: Fields) -> Loaded | Unreadable:
    """Make a document of one JSON object or CSV row."""
    made, error = outcome(_document, row, where, fields)
    return made or Unreadable(where, error)


def _document(row: Any, where: str, fields: Fields) -> Loaded | Unreadable:
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


def _office(data: bytes, path: str, suffix: str) -> Loaded:
    try:
        import markitdown
        from markitdown import converters
    except ImportError:
        raise ValueError(
            f"{suffix} files need the extra [documents]: pip install 'markitdown[docx,pdf,pptx]'"
        ) from None
    # Not MarkItDown.convert: what one converter refuses it tries as plain text, which makes noise of a damaged file.
    convert = getattr(converters, f"{suffix[1:].title()}Converter")().convert
    try:
        result = convert(io.BytesIO(data), markitdown.StreamInfo(extension=suffix, mimetype=MIME[suffix]))
    except Exception as error:  # whatever a converter raises on a damaged file concerns this file alone
        raise ValueError(f"cannot be converted: {type(error).__name__}: {str(error).strip()[:200]}") from None
    return Loaded(path, clean(result.title or ""), clean(result.markdown))


def clean(text: str) -> str:
    """Replace halves of surrogate pairs, which no encoding can write."""
    return SURROGATE.sub("\ufffd", text)


def _dated(items: list[Loaded | Unreadable], fields: Fields) -> Iterator[Loaded | Unreadable]:
    """Read the times that are left in the metadata of a file's documents, all of a field together."""
    left: dict[str, list[Any]] = {}
    keys = [time_left(item.metadata, fields.time) if isinstance(item, Loaded) else "" for item in items]
    for item, key in zip(items, keys, strict=True):
        if isinstance(item, Loaded) and key:
            left.setdefault(key, []).append(item.metadata[key])
    read = {key: iter(isos(values)) for key, values in left.items()}
    for item, key in zip(items, keys, strict=True):
        if isinstance(item, Loaded) and key and (stated := next(read[key])):
            rest = {name: value for name, value in item.metadata.items() if name != key}
            yield replace(item, created_at=stated, metadata=rest)
        else:
            yield item


def time_left(metadata: Mapping[str, Any], field: str) -> str:
    """Return the name under which metadata holds a time that has not been read, empty where it holds none."""
    return next((key for key in (field, Fields.time) if key in metadata), "")


def _stated_date(text: str, fields: Fields) -> dict[str, str]:
    """Return what a `Date: Tue, 30 May 2023` line near the top of a text states, as its time field."""
    lines = (found[1].strip(" \t\r\"'*_") for found in DATE_LINE.finditer(text[:1000]))
    return next(({fields.time: line} for line in lines if DATED.search(line)), {})
