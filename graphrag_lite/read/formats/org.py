"""Org files of Emacs (.org)."""

import re
from collections.abc import Iterator

from graphrag_lite.read.documents import Composer, Fields, Loaded, Reader
from graphrag_lite.read.encoding import decode

HEADING = re.compile(
    r"(\*{1,8})[ \t]+(?:(?:TODO|DONE|NEXT|WAITING|CANCELLED)[ \t]+)?(?:\[#\w\][ \t]+)?(.*?)(?:[ \t]+:[\w@:]+:)?[ \t]*"
)
KEYWORD = re.compile(r"#\+(\w+):[ \t]*(.*)")
BLOCK = re.compile(r"(?i)[ \t]*#\+(begin|end)_(\w+).*")
DRAWER = re.compile(r"[ \t]*:[\w-]+:[ \t]*")
LINK = re.compile(r"\[\[(?:[^\]]*)\]\[([^\]]+)\]\]|\[\[([^\]]+)\]\]")
CODE = re.compile(r"(?<!\w)([=~])(?=\S)([^\n]+?)(?<=\S)\1(?!\w)")
EMPHASIS = re.compile(r"(?<![\w/])([*/_+])(?=\S)([^\n]+?)(?<=\S)\1(?![\w/])")


def read(data: bytes, path: str, fields: Fields) -> Iterator[Loaded]:
    """Yield what a reader sees; keywords such as #+AUTHOR are metadata, source blocks are code."""
    composer = Composer()
    stated: dict[str, str] = {}
    code = hidden = drawer = False
    for line in decode(data).expandtabs(8).splitlines():
        block, keyword, heading = BLOCK.fullmatch(line), KEYWORD.fullmatch(line.strip()), HEADING.fullmatch(line)
        if block:
            begins, kind = block[1].lower() == "begin", block[2].lower()
            code, hidden = begins and kind in ("src", "example", "export"), begins and kind == "comment"
        elif code:
            composer.add(line, "code")
            composer.add("\n")
        elif hidden:
            continue
        elif (drawer and not heading) or DRAWER.fullmatch(line):
            drawer = not line.strip().lower().startswith(":end:")
        elif keyword:
            stated.setdefault(keyword[1].lower(), keyword[2].strip())
        elif heading:
            drawer = False  # one that nothing ends
            composer.part()
            composer.add(f"{'#' * min(len(heading[1]), 6)} {_plain(heading[2])}\n\n")
        elif not re.match(r"[ \t]*(?:#(?: |$)|(?:SCHEDULED|DEADLINE|CLOSED):)", line):
            _line(composer, line)
    metadata = {fields.time if name == "date" else name: value.strip("<>[]") for name, value in stated.items() if value}
    taken = {name: value for name, value in metadata.items() if name in (fields.time, "author", "filetags", "email")}
    yield composer.loaded(path, stated.get("title", ""), taken)


def _line(composer: Composer, line: str) -> None:
    if re.fullmatch(r"[ \t]*\|[-+|]+[ \t]*", line):
        return
    if line.lstrip().startswith("|"):
        line = " | ".join(cell.strip() for cell in line.strip().strip("|").split("|"))
    last = 0
    for found in CODE.finditer(line):
        composer.add(_plain(line[last : found.start()]))
        composer.add(found[2], "code")
        last = found.end()
    composer.add(_plain(line[last:]) + "\n")


def _plain(text: str) -> str:
    linked = LINK.sub(lambda found: found[1] or found[2], text)
    return EMPHASIS.sub(r"\2", linked)


READER = Reader({".org": "text/x-org"}, read)
