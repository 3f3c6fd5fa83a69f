"""Notes as Evernote, and programs that write its format, export them (.enex)."""

from collections.abc import Iterator

from graphrag_lite.read.documents import Fields, Loaded, Reader, replace_surrogates
from graphrag_lite.read.formats.web_page import read_page
from graphrag_lite.read.formats.xml_file import root_of
from graphrag_lite.read.packages import local_name

METADATA = ("author", "source-url")


def read(data: bytes, path: str, fields: Fields) -> Iterator[Loaded]:
    """Yield a document for each note. Its pictures and attachments are left out."""
    for number, note in enumerate(root_of(data).iter("note"), start=1):
        texts = {local_name(each): replace_surrogates((each.text or "").strip()) for each in note.iter()}
        tags = ", ".join(each.text or "" for each in note.iter("tag"))
        stated = {fields.time: texts.get("created"), "tags": tags, **{name: texts.get(name) for name in METADATA}}
        page = read_page(texts.get("content", ""))
        metadata = {name: value for name, value in stated.items() if value}
        yield Loaded(f"{path}:{number}", texts.get("title", ""), page.text, metadata=metadata, blocks=page.blocks)


READER = Reader({".enex": "application/xml"}, read, rows=True)
