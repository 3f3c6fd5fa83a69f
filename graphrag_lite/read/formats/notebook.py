"""Jupyter notebooks (.ipynb): texts and code, without what the code printed."""

from collections.abc import Iterator

from graphrag_lite.read.documents import Composer, Fields, Loaded, Reader, replace_surrogates
from graphrag_lite.read.encoding import decode
from graphrag_lite.read.formats.json_file import parsed
from graphrag_lite.read.markdown_text import Heading, compose_markdown


def read(data: bytes, path: str, fields: Fields) -> Iterator[Loaded]:
    try:
        cells = parsed(decode(data))["cells"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ValueError("is no notebook: it has no cells") from None
    composer = Composer()
    headings: list[Heading] = []
    for cell in cells:
        source = cell.get("source", "")
        text = replace_surrogates(source if isinstance(source, str) else "".join(map(str, source)))
        if cell.get("cell_type") == "markdown":
            headings += compose_markdown(text, composer)
        elif cell.get("cell_type") == "code" and text.strip():
            composer.part()
            composer.add(f"```\n{text.rstrip()}\n```", "code")
    yield composer.loaded(path, headings[0].text if headings else "")


READER = Reader({".ipynb": "application/x-ipynb+json"}, read)
