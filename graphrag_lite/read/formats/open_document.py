"""Texts and slides of LibreOffice (.odt, .odp)."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from graphrag_lite.read.documents import Composer, Fields, Loaded, Reader, replace_surrogates
from graphrag_lite.read.packages import attribute, child, local_name, open_package, title_and_author
from graphrag_lite.read.stated_times import stated_date

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

WHITE = {"s": " ", "tab": " ", "line-break": "\n"}
UNSEEN = frozenset({"tracked-changes", "note", "annotation", "table-of-content", "forms", "sequence-decls"})
DEEPEST = 6  # levels of headings
OASIS = "application/vnd.oasis.opendocument."


def read(data: bytes, path: str, fields: Fields) -> Iterator[Loaded]:
    """Yield the text: headings, lists, tables a row a line, notes below; a block for each slide."""
    composer = Composer()
    with open_package(data) as package:
        body = child(package.xml("content.xml"), "body")
        described = child(package.xml("meta.xml"), "meta") if "meta.xml" in package.names else None
    title, metadata = title_and_author(described if described is not None else ())
    headings = list(_add(composer, body)) if body is not None else []
    for note in body.iter() if body is not None else ():
        if local_name(note) in ("note-body", "annotation"):
            _line(composer, " ".join(_text_of(each) for each in note if local_name(each) == "p"))
    stated = stated_date(composer.text(), fields)
    yield composer.loaded(path, replace_surrogates(title or next(iter(headings), "")), metadata | stated)


def _add(composer: Composer, element: "Element", item: str = "") -> Iterator[str]:
    """Add what an element shows, and yield its headings."""
    for each in element:
        name = local_name(each)
        if name == "h":
            level = attribute(each, "outline-level")
            _line(composer, f"{'#' * min(int(level) if level.isdigit() else 1, DEEPEST)} {_text_of(each)}")
            yield _text_of(each)
        elif name == "p":
            _line(composer, f"{item}{_text_of(each)}" if _text_of(each) else "", n_lines=1 if item else 2)
            yield from _add(composer, each)  # a frame within
        elif name == "table-row":
            _line(composer, " | ".join(" ".join(map(_text_of, cell)) for cell in each), n_lines=1)
        elif name == "page":
            composer.part()
            start = composer.length
            yield from _add(composer, each)
            composer.mark("slide", attribute(each, "name"), start)
        elif name not in UNSEEN:
            composer.part(0 if item or name not in ("list", "table") else 2)
            yield from _add(composer, each, "- " if name == "list-item" else item)


def _line(composer: Composer, line: str, n_lines: int = 2) -> None:
    if line.strip(" |"):
        composer.part(n_lines)
        composer.add(replace_surrogates(line))


def _text_of(element: "Element") -> str:
    """Return the text of a paragraph without its notes and frames."""
    if local_name(element) in WHITE:
        return WHITE[local_name(element)]
    pieces = [element.text or ""]
    for each in element:
        pieces += ["" if local_name(each) in (*UNSEEN, "frame") else _text_of(each), each.tail or ""]
    return "".join(pieces).strip() if local_name(element) in ("p", "h") else "".join(pieces)


READER = Reader({".odt": OASIS + "text", ".odp": OASIS + "presentation"}, read)
