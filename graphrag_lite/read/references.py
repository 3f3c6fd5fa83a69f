"""Lists of references: what follows a heading that says so, up to the next heading."""

import re
from dataclasses import replace

from graphrag_lite.read.documents import Block, Loaded
from graphrag_lite.text.word_lists import expressions

_NAMES = expressions(__package__, "references.txt")["references"]
HEADING = re.compile(rf"(?im)^(#{{1,6}})[ \t]*(?:\d+\.?[ \t]*)?(?:{_NAMES})[ \t:]*$")
NEXT = re.compile(r"(?m)^#{1,6}[ \t]")


def with_references(document: Loaded) -> Loaded:
    """Mark lists of references as blocks, which name nobody that the document speaks of.

    >>> with_references(Loaded("a", "", "Text.\\n\\n## References\\n\\nA. B. 1999.\\n\\n## Annex")).blocks
    (Block(kind='references', label='', char_start=7, char_end=35),)
    """
    text = document.text
    found = []
    for heading in HEADING.finditer(text):
        after = NEXT.search(text, heading.end())
        found.append(Block("references", "", heading.start(), after.start() if after else len(text)))
    return replace(document, blocks=(*document.blocks, *found)) if found else document
