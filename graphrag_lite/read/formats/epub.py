"""Books (.epub): the chapters in the order in which they are read."""

import posixpath
from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import unquote

from graphrag_lite.read.documents import Composer, Fields, Loaded, Reader
from graphrag_lite.read.formats.web_page import decoded_page, read_page
from graphrag_lite.read.packages import Package, attribute, child, local_name, open_package, title_and_author

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

CONTAINER = "META-INF/container.xml"


def read(data: bytes, path: str, fields: Fields) -> Iterator[Loaded]:
    composer = Composer()
    with open_package(data) as package:
        # In a folder of its own, as Debian packs manuals, all of it is.
        container = min(
            (name for name in package.names if f"/{name}".endswith(f"/{CONTAINER}")), key=len, default=CONTAINER
        )
        root = package.xml(container)
        book = next((attribute(each, "full-path") for each in root.iter() if local_name(each) == "rootfile"), "")
        book = posixpath.join(container.removesuffix(CONTAINER), book)
        described = package.xml(book)
        for chapter in _chapters(package, described, posixpath.dirname(book)):
            page = read_page(decoded_page(chapter))
            if page.text:
                composer.part()
                start = composer.length
                composer.add(page.text)
                composer.blocks += [
                    each._replace(char_start=start + each.char_start, char_end=start + each.char_end)
                    for each in page.blocks
                ]
    title, metadata = title_and_author(child(described, "metadata") or ())
    yield composer.loaded(path, title, metadata)


def _chapters(package: Package, book: "Element", folder: str) -> Iterator[bytes]:
    """Yield the pages that the spine lists, without the table of contents."""
    items = {each.get("id"): each for each in child(book, "manifest") or ()}
    for entry in child(book, "spine") or ():
        item = items.get(entry.get("idref"))
        if item is not None and "nav" not in (item.get("properties") or "").split():
            name = posixpath.normpath(posixpath.join(folder, unquote(item.get("href", ""))))
            if name in package.names:
                yield package.data(name)


READER = Reader({".epub": "application/epub+zip"}, read)
