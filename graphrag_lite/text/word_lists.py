"""Word lists are text files beside the modules that use them, where the stamps of stages cover them."""

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import Any

_HEAD = re.compile(r"\[([a-z][a-z_ ]*)\](?: +(\S.*))?")


@cache
def sections(package: str, name: str) -> dict[str, list[str]]:
    """Return the words of a file by section, casefolded, in order: a line `[section]`, behind or below it words.

    White space separates words, "_" stands for a space within one, lines of # are comments.

    >>> sections("graphrag_lite.text", "function_words.txt")["zh particles"][:3]
    ['和', '与', '與']
    """
    found: dict[str, list[str]] = {}
    for section, line in _lines(package, name):
        found.setdefault(section, []).extend(word.replace("_", " ") for word in line.casefold().split())
    return found


@cache
def expressions(package: str, name: str) -> dict[str, str]:
    """Return the regular expressions of a file by section: `[section]`, behind or below it alternatives, one a line.

    >>> expressions("graphrag_lite.text", "transcripts.txt")["en persons"]
    'i|me|my|mine|you|your|yours'
    """
    found: dict[str, str] = {}
    for section, line in _lines(package, name):
        found[section] = f"{found[section]}|{line}" if section in found else line
    return found


@cache
def toml_file(package: str, name: str) -> dict[str, Any]:
    """Return what a TOML file of a package says."""
    return tomllib.loads((resources.files(package) / name).read_text(encoding="utf-8"))


def _lines(package: str, name: str) -> Iterator[tuple[str, str]]:
    """Yield the lines of a file that are neither blank nor comments, each with its section."""
    section = ""
    for line in (resources.files(package) / name).read_text(encoding="utf-8").splitlines():
        if line[:1] == "[" and (head := _HEAD.fullmatch(line)):
            section = head[1]
            if head[2]:
                yield section, head[2]
        elif line.strip() and line != "#" and not line.startswith("# "):
            yield section, line
