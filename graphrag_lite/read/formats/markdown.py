"""Markdown, and MDX."""

import re
from collections.abc import Iterator
from pathlib import PurePath

from graphrag_lite.read.composer import Composer
from graphrag_lite.read.documents import Fields, Loaded, Reader
from graphrag_lite.read.encoding import decode
from graphrag_lite.read.front_matter import split_front_matter
from graphrag_lite.read.markdown_text import compose_markdown
from graphrag_lite.read.stated_times import stated_date

MODULES = re.compile(r"(?m)^(?:import\s.+\sfrom\s.+|import\s['\"].+|export\s.+)$\n?")  # of MDX


def read(data: bytes, path: str, fields: Fields) -> Iterator[Loaded]:
    """Yield what a reader sees. What the front matter states is metadata, and the title before any heading."""
    metadata, text = split_front_matter(decode(data), fields)
    if PurePath(path).suffix.lower() == ".mdx":
        text = MODULES.sub("", text)
    composer = Composer()
    headings = compose_markdown(text, composer)
    first = next((heading.text for heading in headings if heading.level == 1), "")
    title = metadata.pop(fields.title, None) or metadata.pop(Fields.title, None) or first
    if fields.time not in metadata:
        metadata |= stated_date(composer.text(), fields)
    yield Loaded(path, str(title).strip(), composer.text(), metadata=metadata, blocks=tuple(composer.blocks))


READER = Reader(dict.fromkeys((".md", ".markdown", ".mdx"), "text/markdown"), read)
