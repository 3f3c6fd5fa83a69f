"""Read documents out of a file's bytes, one reader a format. Pure: the file's name only chooses the reader."""

import csv
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import PurePosixPath
from typing import Any

from graphrag_lite.text.encoding import decode

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
DATE_LINE = re.compile(r"^\W{0,4}date\W{1,5}(\d{4}-\d\d-\d\d(?:[T ][\d:.+Z-]{4,30})?)", re.I | re.M)
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
    try:
        if suffix in MARKITDOWN:
            yield _office(data, path, suffix)
        else:
            yield from READERS[suffix](decode(data), path, fields)
    except ValueError as error:
        yield Unreadable(path, str(error))


def _text(text: str, path: str, fields: Fields) -> Iterator[Loaded]:
    """Plain text: a short first line with a blank one below it is the title."""
    first, _, rest = text.lstrip().partition("\n")
    titled = (
        0 < len(first.strip()) <= 80
        and not first.rstrip().endswith((".", ",", ":", ";"))
        and rest.startswith(("\n", "\r\n"))
    )
    yield Loaded(path, first.strip() if titled else "", text, _stated_date(text))


def _markdown(text: str, path: str, fields: Fields) -> Iterator[Loaded]:
    heading = re.search(r"^#[ \t]+(\S.{0,200}?)[ \t#]*$", text[:4000], re.M)
    yield Loaded(path, heading[1].strip() if heading else "", text, _stated_date(text))


def _html(text: str, path: str, fields: Fields) -> Iterator[Loaded]:
    from graphrag_lite.text.html import html_to_text

    page = html_to_text(text)
    yield Loaded(path, page.title, page.text, iso(page.date) or _stated_date(page.text))


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
    if not isinstance(row, dict):
        return Unreadable(where, f"not a JSON object but {type(row).__name__}")
    # A corpus may hold files of several makers: where the field that is named is missing, the usual name counts.
    text_key, title_key, time_key, id_key = (
        getattr(fields, name) if getattr(fields, name) in row else getattr(Fields, name)
        for name in ("text", "title", "time", "id")
    )
    text, title, time, source_id = (row.get(key) for key in (text_key, title_key, time_key, id_key))
    if not isinstance(text, str):
        found = "no field" if text is None else "no text in field"
        return Unreadable(where, f"{found} `{fields.text}` (fields: {', '.join(map(str, row))})")
    known = {id_key, title_key, text_key}
    created_at = iso(time)
    if created_at:
        known.add(time_key)
    return Loaded(
        source_id=where if source_id in (None, "") else clean(str(source_id)),
        title=clean(str(title)) if title not in (None, "") else "",
        text=clean(text),
        created_at=created_at,
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


def iso(value: Any) -> str:
    """Return a time as ISO 8601, empty where it is none. Numbers are seconds (or milliseconds) since 1970, UTC,
    in digits too, as a CSV file has them.

    >>> iso("2023-05-21 08:38"), iso(1700000000), iso("last week")
    ('2023-05-21T08:38:00', '2023-11-14T22:13:20+00:00', '')
    """
    try:
        if isinstance(value, str):
            value = value.strip()
            if not value.isascii():
                return ""
            if len(value) == 10 and "-" in value:
                return date.fromisoformat(value).isoformat()
            if not re.fullmatch(r"\d{9,13}(\.\d+)?", value):
                return datetime.fromisoformat(value).isoformat()
            value = float(value)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return datetime.fromtimestamp(value / 1000 if value > 1e11 else value, UTC).isoformat()
    except (ValueError, OverflowError, OSError):
        pass
    return ""


def _stated_date(text: str) -> str:
    """Return the date of a `Date: 1990-04-24` line near the top of a text."""
    found = DATE_LINE.search(text[:1000])
    return iso(found[1]) if found else ""
