"""PDF, by pypdfium2 (the extra `documents`)."""

import re
from collections.abc import Iterator

from graphrag_lite.distribution import install_hint
from graphrag_lite.read.documents import Composer, Fields, Loaded, Reader, Unreadable, replace_surrogates
from graphrag_lite.read.stated_times import stated_date

NO_TITLE = re.compile(r"(?i)untitled|microsoft (?:word|powerpoint)|\(anonymous\)|.*\.(?:docx?|pptx?|pdf|tex|indd|hwp)")


def read(data: bytes, path: str, fields: Fields) -> Iterator[Loaded | Unreadable]:
    """Yield the text of all pages, each page a block. Raises ValueError where there is none, as in a scan."""
    try:
        import pypdfium2
    except ImportError:
        raise ValueError(f".pdf files need {install_hint('documents')}") from None
    from graphrag_lite.read.page_layout import compose, page_lines, title

    try:
        file = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        locked = "password" in str(error).lower()
        raise ValueError("is locked by a password" if locked else f"is no PDF file that can be read: {error}") from None
    pages = []
    try:
        stated = file.get_metadata_dict(skip_empty=True)
        for number in range(1, len(file) + 1):
            try:
                pages.append(page_lines(file, number - 1, pypdfium2.raw))
            except pypdfium2.PdfiumError:
                pages.append([])
                yield Unreadable(f"{path}:page {number}", f"page {number} is damaged, and left out")
    finally:
        file.close()
    composer = Composer()
    compose(pages, composer)
    if not composer.length:
        raise ValueError(f"no text on its {len(pages)} pages: a scan? Recognise its letters first, such as by ocrmypdf")
    name = replace_surrogates(stated.get("Title", "")).strip()
    author = replace_surrogates(stated.get("Author", "")).strip()
    metadata = {"author": author} if author and not author.startswith("(") else {}
    named = name if name and not NO_TITLE.fullmatch(name) else title(pages[0])
    yield composer.loaded(path, named, metadata | stated_date(composer.text(), fields))


READER = Reader({".pdf": "application/pdf"}, read)
