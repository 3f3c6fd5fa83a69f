"""Words of a question that are likely names, as they have a capital."""

import re

from graphrag_lite.text.words import WORD_PATTERN

_WORD = re.compile(WORD_PATTERN)
_BEGINS = re.compile(r"(?:^|(?<![A-Z])(?<![A-Z][a-z])(?<![A-Z][a-z]{2})\.|[!?:;\n\u2026])[^\w,]*$")  # not behind "Mrs."


def names_within(text: str) -> list[str]:
    """Return the words of a text with a capital that they do not owe to the beginning of a sentence.

    >>> names_within("Who is Mrs. Dilber? Tell me.")
    ['Mrs', 'Dilber']
    """
    return [match[0] for match in _WORD.finditer(text) if is_named(text, match)]


def is_named(text: str, word: re.Match[str]) -> bool:
    """Say whether a word of a text has a capital that it does not owe to the beginning of a sentence."""
    return word[0][0].isupper() and not _BEGINS.search(text, max(0, word.start() - 8), word.start())
