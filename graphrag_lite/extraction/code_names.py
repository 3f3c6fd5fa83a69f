"""What stands in code within a line names commands, options, files and identifiers: what manuals are about.

One that is written so once or twice is an example: `resolution.candidates` keeps those that recur.
"""

import re
from collections.abc import Iterable, Iterator

from graphrag_lite.extraction.blocks import UnitBlock
from graphrag_lite.text.names.name import Name
from graphrag_lite.text.names.words import LISTS

MAX_WORDS = 3  # of a command: "npm install"
MAX_LENGTH = 50  # characters
WORD = re.compile(r"(?=[^A-Za-z]*[A-Za-z][^A-Za-z]*[A-Za-z])[@.-]{0,2}\w[\w./@:+-]*(?<![:./@+-])")
END = re.compile(r"[(=\[{]")  # of a name before arguments and values


def code_names(text: str, blocks: Iterable[UnitBlock]) -> Iterator[Name]:
    """Yield what the code within the lines of `text` names, in order, without arguments and values.

    >>> text = "Run npm install --save <pkg>, or set true with --omit=dev."
    >>> blocks = [UnitBlock("code", "", 4, 28), UnitBlock("code", "", 37, 41), UnitBlock("code", "", 47, 57)]
    >>> [name.name for name in code_names(text, blocks)]
    ['npm install', '--omit']
    """
    for block in blocks:
        if block.kind == "code" and "\n" not in (code := text[block.start : block.end]) and "```" not in code:
            line = text.rfind("\n", 0, block.start) + 1, text.find("\n", block.end) % (len(text) + 1)
            alone = not text[line[0] : block.start].strip() and not text[block.end : line[1]].strip()
            if not alone and (length := _named(code)):
                yield Name(block.start, block.start + length, code[:length], "code", anchored=False)


def _named(code: str) -> int:
    """Return how many of the first characters of code name something, 0 where they do not."""
    first, *rest = code.split(" ")
    cut = END.split(first)[0]
    if not WORD.fullmatch(cut) or cut.casefold() in LISTS["literals"] or "://" in cut:
        return 0
    length = len(cut)
    if cut == first and cut[0] != "-":
        for word in rest[: MAX_WORDS - 1]:
            if not WORD.fullmatch(word) or not word[0].isalpha():
                break
            length += 1 + len(word)
    return length if length <= MAX_LENGTH else 0
