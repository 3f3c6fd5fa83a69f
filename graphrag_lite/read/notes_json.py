"""Notes that programs keep as JSON: pages of Roam, whose lines stand below each other, and entries of Day One."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from graphrag_lite.attempts import outcome
from graphrag_lite.read.documents import Composer, Fields, Item, Unreadable, replace_surrogates
from graphrag_lite.read.json_values import fits, is_list
from graphrag_lite.read.markdown_text import compose_markdown
from graphrag_lite.text.dates import iso_date

Value = Mapping[str, Any]
EMBEDDED = re.compile(r"\{\{[^{}]*\}\}|\(\([\w-]{6,}\)\)|!\[\]\([^()\s]*\)")  # of others, queries, pictures
ESCAPED = re.compile(r"\\/")


def notes_in(value: Any, path: str, fields: Fields) -> Iterator[Item] | None:
    """Return the documents of what Roam or Day One have exported; None for anything else."""
    entries = value.get("entries") if fits(value, "metadata{} entries[]") else None
    if entries and any(fits(each, "uuid creationDate text") for each in entries):
        return _notes(entries, _entry, path, fields)
    pages = value if is_list(value) else ()
    if any(fits(page, "title children[]") and any(fits(each, "string") for each in page["children"]) for page in pages):
        return _notes(pages, _page, path, fields)
    return None


def _notes(
    values: Iterable[Any], read: Callable[[Value], tuple[str, str, str, Value]], path: str, fields: Fields
) -> Iterator[Item]:
    for number, value in enumerate(values, start=1):
        made, error = outcome(read, value)
        if made is None:
            yield Unreadable(f"{path}:{number}", error)
            continue
        name, title, text, about = made
        composer = Composer()
        headings = compose_markdown(replace_surrogates(EMBEDDED.sub("", text)), composer)
        title = title or next((heading.text for heading in headings if heading.level == 1), "")
        stated = {fields.time if key == "time" else key: one for key, one in about.items() if one}
        yield composer.loaded(f"{path}:{name or number}", replace_surrogates(title), stated)


def _entry(entry: Value) -> tuple[str, str, str, Value]:
    place = entry.get("location") or {}
    named = ", ".join(str(place[key]) for key in ("placeName", "localityName", "country") if place.get(key))
    about = {"time": entry["creationDate"], "tags": entry.get("tags"), "place": named}
    return str(entry["uuid"]), "", ESCAPED.sub("/", str(entry.get("text") or "")), about


def _page(page: Value) -> tuple[str, str, str, Value]:
    made = iso_date(page["title"]) or page.get("create-time", "")  # of a day's page, that day
    return str(page.get("uid") or page["title"]), str(page["title"]), "\n".join(_lines(page, 0)), {"time": made}


def _lines(block: Value, depth: int) -> Iterator[str]:
    """Yield the blocks below a block as items of a list in Markdown."""
    for each in block.get("children") or ():
        text = str(each.get("string") or "").strip()
        yield "  " * depth + "- " + text.replace("\n", "\n" + "  " * (depth + 1))
        yield from _lines(each, depth + 1)
