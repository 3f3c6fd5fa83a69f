"""Jupyter notebooks (.ipynb): texts and code, without what the code printed."""

from collections.abc import Iterator

from graphrag_lite.read.documents import Composer, Fields, Loaded, Reader, replace_surrogates
from graphrag_lite.read.encoding import decode
from graphrag_lite.read.json_values import DECODER
from graphrag_lite.read.markdown_text import Heading, compose_markdown


def read(data: bytes, path: str, fields: Fields) -> Iterator[Loaded]:
    try:
        book = DECODER.decode(decode(data))
        cells = book["cells"] if "cells" in book else [cell for sheet in book["worksheets"] for cell in sheet["cells"]]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ValueError("is no notebook: it has no cells") from None
    composer = Composer()
    headings: list[Heading] = []
    for cell in cells:
        source = cell.get("source") or cell.get("input") or ""  # `input` and headings are of version 3
        text = replace_surrogates(source if isinstance(source, str) else "".join(map(str, source)))
        if cell.get("cell_type") in ("markdown", "heading"):
            marks = "#" * cell.get("level", 1) + " " if cell["cell_type"] == "heading" else ""
            headings += compose_markdown(marks + text, composer)
        elif cell.get("cell_type") == "code" and text.strip():
            composer.part()
            composer.add(f"```\n{text.rstrip()}\n```", "code")
    yield composer.loaded(path, headings[0].text if headings else "")


READER = Reader({".ipynb": "application/x-ipynb+json"}, read)
