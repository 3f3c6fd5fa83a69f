"""Word lists are text files beside the modules that use them, where the stamps of stages cover them."""

from importlib import resources


def sections(package: str, name: str) -> dict[str, list[str]]:
    """Return the words of a file by section, casefolded, in order: a line `[section]`, below it words.

    White space separates words, "_" stands for a space within one, lines of # are comments.

    >>> sections("graphrag_lite.text", "function_words.txt")["zh particles"][:3]
    ['和', '与', '與']
    """
    found: dict[str, list[str]] = {}
    words: list[str] = []
    for line in (resources.files(package) / name).read_text(encoding="utf-8").casefold().splitlines():
        if line.startswith("["):
            words = found.setdefault(line.strip("[]"), [])
        elif not line.startswith("#"):
            words += (word.replace("_", " ") for word in line.split())
    return found
