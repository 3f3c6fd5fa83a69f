"""Word lists of names: the text files beside this module, where the stamps of stages that import it cover them."""

from collections.abc import Mapping
from functools import cache
from importlib import resources


@cache
def word_lists(name: str) -> Mapping[str, frozenset[str]]:
    """Return the sections of `{name}.txt`, casefolded.

    >>> "river" in word_lists("cased")["location_heads"]
    True
    """
    lists: dict[str, list[str]] = {}
    section: list[str] = []
    path = resources.files(__name__) / f"{name}.txt"
    for line in path.read_text(encoding="utf-8").casefold().splitlines():
        if line.startswith("["):
            section = lists.setdefault(line.strip("[]"), [])
        elif not line.startswith("#"):
            section += line.replace("_", "\0").split()
    return {key: frozenset(word.replace("\0", " ") for word in words) for key, words in lists.items()}
