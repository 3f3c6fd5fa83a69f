"""Files that are ZIP archives of XML (Word, PowerPoint, EPUB), or compressed by gzip. By the standard library alone.

Nothing in them is trusted: no entity is expanded, and what would grow beyond measure is refused.
"""

import io
import posixpath
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from graphrag_lite.read.documents import replace_surrogates

if TYPE_CHECKING:
    from tarfile import TarFile
    from xml.etree.ElementTree import Element
    from zipfile import ZipFile

LARGEST = 256_000_000  # bytes of a part once it is unpacked


class Package:
    """The parts of an archive by name."""

    def __init__(self, archive: "ZipFile") -> None:
        self._archive = archive
        self.names = archive.namelist()

    def size(self, name: str) -> int:
        """Return how many bytes a part says it has, once it is unpacked."""
        return self._archive.getinfo(name).file_size

    def data(self, name: str) -> bytes:
        """Return a part. Raises ValueError where there is none, or it is too large."""
        try:
            info = self._archive.getinfo(name)
        except KeyError:
            raise ValueError(f"its part {name} is missing") from None
        if info.file_size > LARGEST:
            raise ValueError(f"its part {name} has {info.file_size / 1e6:.0f} MB once it is unpacked")
        return self._archive.read(info)

    def xml(self, name: str) -> "Element":
        """Return the root of a part. Raises ValueError where it is no XML, or has a document type of its own."""
        from xml.etree import ElementTree

        data = self.data(name)
        if b"<!ENTITY" in data.replace(b"\0", b""):  # in UTF-16, too
            raise ValueError(f"its part {name} declares entities, which are not read")
        try:
            return ElementTree.fromstring(data)  # noqa: S314 - has no entities
        except ElementTree.ParseError as error:
            raise ValueError(f"its part {name} is damaged: {error}") from None

    def related(self, name: str) -> dict[str, str]:
        """Return the parts that a part of an Office file refers to, by id."""
        folder, base = posixpath.split(name)
        relations = f"{folder}/_rels/{base}.rels"
        if relations not in self.names:
            return {}
        return {
            relation.get("Id", ""): posixpath.normpath(posixpath.join(folder, relation.get("Target", ""))).lstrip("/")
            for relation in self.xml(relations)
            if relation.get("TargetMode") != "External"
        }

    def properties(self) -> tuple[str, dict[str, str]]:
        """Return the title and the author that an Office file states, as `title_and_author` does."""
        return title_and_author(self.xml("docProps/core.xml") if "docProps/core.xml" in self.names else ())


class TarPackage(Package):
    """The parts of a .tar by name."""

    def __init__(self, archive: "TarFile") -> None:
        self._parts = {each.name: each for each in archive if each.isfile()}
        self._tar, self.names = archive, [*self._parts]

    def size(self, name: str) -> int:
        return self._parts[name].size

    def data(self, name: str) -> bytes:
        if self.size(name) > LARGEST or (part := self._tar.extractfile(self._parts[name])) is None:
            raise ValueError(f"its part {name} has {self.size(name) / 1e6:.0f} MB")
        return part.read()


@contextmanager
def open_package(data: bytes, *, tar: bool = False) -> Iterator[Package]:
    """Open an archive. Raises ValueError where it is none, or damaged."""
    import tarfile
    import zipfile
    import zlib

    file = io.BytesIO(data)
    try:
        with tarfile.open(fileobj=file, mode="r:") if tar else zipfile.ZipFile(file) as archive:
            yield TarPackage(archive) if isinstance(archive, tarfile.TarFile) else Package(archive)
    except (tarfile.TarError, zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        old = data.startswith(b"\xd0\xcf\x11\xe0")
        what = "is locked by a password, or of before 2007" if old else f"is damaged: {error}"
        raise ValueError(what) from None


def gunzipped(data: bytes) -> bytes:
    """Return what gzip has compressed. Raises ValueError where it is damaged, or too large."""
    import gzip
    import zlib

    try:
        with gzip.open(io.BytesIO(data)) as file:
            found = file.read(LARGEST + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise ValueError(f"is damaged: {error}") from None
    if len(found) > LARGEST:
        raise ValueError(f"has more than {LARGEST / 1e6:.0f} MB once it is unpacked")
    return found


def local_name(element: "Element") -> str:
    """Return the name of an element without its namespace.

    >>> from xml.etree.ElementTree import Element
    >>> local_name(Element("{http://purl.org/dc/elements/1.1/}title"))
    'title'
    """
    return str(element.tag).rpartition("}")[2]


def title_and_author(stated: "Iterable[Element]") -> tuple[str, dict[str, str]]:
    """Return the title among elements of Dublin Core, and the author as metadata; both empty where none is stated."""
    texts = {local_name(each): replace_surrogates((each.text or "").strip()) for each in stated}
    return texts.get("title", ""), {"author": texts["creator"]} if texts.get("creator") else {}


def attribute(element: "Element | None", name: str) -> str:
    """Return an attribute by its name without its namespace, empty where there is none."""
    if element is None:
        return ""
    return next((value for key, value in element.attrib.items() if key.rpartition("}")[2] == name), "")


def child(element: "Element", *names: str) -> "Element | None":
    """Return the first child of a name, then its first child of the next name, and so on."""
    found: Element | None = element
    for name in names:
        found = next((each for each in found if local_name(each) == name), None) if found is not None else None
    return found
