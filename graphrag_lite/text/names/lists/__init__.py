"""Word lists of names: the text files beside this module, where the stamps of stages that import it cover them."""

from collections.abc import Mapping
from functools import cache

from graphrag_lite.text.word_lists import sections


@cache
def word_lists(name: str) -> Mapping[str, frozenset[str]]:
    """Return the sections of `{name}.txt`, casefolded.

    >>> "river" in word_lists("cased")["location_heads"]
    True
    """
    return {section: frozenset(words) for section, words in sections(__name__, f"{name}.txt").items()}
