"""Word files (.docx, .docm)."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from graphrag_lite.read.documents import Fields, Loaded, Reader, replace_surrogates
from graphrag_lite.read.packages import attribute, child, local_name, open_package
from graphrag_lite.read.stated_times import stated_date

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

PART = re.compile(r"word/([a-z]+)\d*\.xml")  # some programs write document2.xml
HEADING = re.compile(r"(?:heading|überschrift|titre|título|titolo|kop|заголовок|見出し|标题|標題|제목) ?(\d)", re.I)
# Deleted text, codes of fields, what stands a second time for old programs; text boxes follow their paragraph.
SKIPPED = frozenset({"del", "instrText", "Fallback", "txbxContent", "moveFrom"})
BREAKS = {"tab": " ", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}


def read(data: bytes, path: str, fields: Fields) -> Iterator[Loaded]:
    """Yield paragraphs, headings, lists and tables in their order, then the notes and comments."""
    with open_package(data) as package:
        parts = {found[1]: name for name in package.names if (found := PART.fullmatch(name))}
        styles = _styles(package.xml(parts["styles"])) if "styles" in parts else {}
        body = child(package.xml(parts.get("document", "word/document.xml")), "body")
        pieces = list(_blocks(body, styles)) if body is not None else []
        for notes in (parts[kind] for kind in ("footnotes", "endnotes", "comments") if kind in parts):
            for note in package.xml(notes):
                if blocks := [] if attribute(note, "type") else list(_blocks(note, styles)):
                    pieces += [f"{by}: {blocks[0]}" if (by := attribute(note, "author")) else blocks[0], *blocks[1:]]
        title, metadata = package.properties()
    headings = [piece.lstrip("# ") for piece in pieces if piece.startswith("#")]
    text = replace_surrogates(re.sub(r"(?m)^(- .*)\n\n(?=- )", r"\1\n", "\n\n".join(pieces)))
    if "<" not in text:  # of a converter that wrote its own escapes twice
        text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    yield Loaded(path, title or (headings or [""])[0], text, metadata=metadata | stated_date(text, fields))


def _styles(stated: "Element") -> dict[str, str]:
    """Return what a style puts before a paragraph: the marks of a heading, by the style's id."""
    marks = {}
    for style in stated:
        name = attribute(child(style, "name"), "val")
        level = HEADING.match(name)
        if level or name.casefold() == "title":
            marks[attribute(style, "styleId")] = "#" * min(int(level[1]) if level else 1, 6) + " "
    return marks


def _blocks(parent: "Element", styles: dict[str, str]) -> Iterator[str]:
    for element in parent:
        kind = local_name(element)
        if kind == "p":
            yield from _paragraph(element, styles)
        elif kind == "tbl":
            rows = [_row(row) for row in _nearest(element, "tr", "tbl")]
            if shown := "\n".join(row for row in rows if row.strip(" |")):
                yield shown
        elif kind not in SKIPPED:  # a container, as of a table of contents, or a change that was taken
            yield from _blocks(element, styles)


def _paragraph(element: "Element", styles: dict[str, str]) -> Iterator[str]:
    text = _text(element).strip()
    style = child(element, "pPr")
    mark = styles.get(attribute(child(style, "pStyle"), "val"), "") if style is not None else ""
    if not mark and style is not None and child(style, "numPr") is not None:
        mark = "- "
    if text:
        yield mark + (" ".join(text.split()) if mark.startswith("#") else text)
    for box in _nearest(element, "txbxContent", "Fallback"):
        yield from _blocks(box, styles)


def _nearest(element: "Element", name: str, stop: str) -> "Iterator[Element]":
    """Yield the elements of a name in another, however deep, but not those within each other or within a `stop`."""
    for each in element:
        if local_name(each) == name:
            yield each
        elif local_name(each) != stop:
            yield from _nearest(each, name, stop)


def _row(row: "Element") -> str:
    """Return a row's cells, each on one line, with bars between them."""
    return " | ".join(" ".join(_text(cell, between=" ").split()) for cell in _nearest(row, "tc", "tbl"))


def _text(element: "Element", between: str = "") -> str:
    pieces: list[str] = []
    for each in element:
        kind = local_name(each)
        if kind == "t":
            pieces.append(each.text or "")
        elif kind in BREAKS:
            pieces.append(BREAKS[kind])
        elif kind not in SKIPPED:
            pieces += [_text(each, between), between if kind == "p" else ""]
    return "".join(pieces)


_OPEN = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
READER = Reader({".docx": _OPEN, ".docm": "application/vnd.ms-word.document.macroEnabled.12"}, read)
