"""What stands beside a mention of a name, and how the name is written: the features that types are inferred from."""

import re
from collections.abc import Mapping

MAX_CONTEXTS = 30  # mentions of one name that are looked at
JOINED = "\n"  # stands between the features of a mention where they are one string: none has one
CELL = r"^< :\n> (\n|$)"
"""A mention that is all that stands behind the name of a field: nothing beside it tells what it is."""
_REACH = 40  # characters on either side
_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*|[^\s\w]")
PARTS = re.compile(r"[\s·・•]+")
"""What stands between the parts of a name, in scripts without spaces, too."""
_MAX_SHAPE = 4  # words
_CAPITAL = "Aa"  # stands for every capitalised word


def mention_context(text: str, start: int, end: int) -> tuple[str, ...]:
    """Return the word before a mention, the word after it, and on either side two words, within its line.

    Punctuation marks are words; capitalised words are all one.

    >>> mention_context("We moved to Oslo, the capital", 12, 16)
    ('< to', '> ,', '<< moved to', '>> , the')
    """
    line = text[max(0, start - _REACH) : start].rpartition("\n")[2]
    words = _WORD.findall(" ".join(line.rsplit(None, 2)[-2:]))
    before = _shown((words if len(words) > 1 else _WORD.findall(line))[-2:])
    ends = text.find("\n", end, end + _REACH)
    stop = ends if ends >= 0 else end + _REACH
    first = _WORD.search(text, end, stop)
    second = first and _WORD.search(text, first.end(), stop)
    after = _shown([word[0] for word in (first, second) if word])
    near = f"< {before[-1] if before else ''}", f"> {after[0] if after else ''}"
    far = [f"<< {before[0]} {before[1]}"] if len(before) > 1 else []
    return *near, *far, *([f">> {after[0]} {after[1]}"] if len(after) > 1 else [])


def _shown(words: list[str]) -> list[str]:
    return [_CAPITAL if word[0].isupper() else word for word in words]


def written_form(name: str, lower_counts: Mapping[str, int]) -> tuple[str, ...]:
    """Return how a name is written: its shape, its first and last word, and the last letters.

    The shape has a letter for each of the first words: n for one that the corpus never writes in lower case
    (`lower_counts`), c for any other with a capital, A for capitals alone, a for lower case, 9 for digits.

    >>> written_form("Bank of England", {"bank": 3})
    ('can', '^ bank', '$ england', '- and')
    """
    words = PARTS.split(name)
    first, last = words[0].casefold(), words[-1].casefold()
    shape = "".join(_class(word, lower_counts) for word in words[:_MAX_SHAPE])
    return shape, f"^ {first}", f"$ {last}", f"- {last[-3:]}"


def _class(word: str, lower_counts: Mapping[str, int]) -> str:
    if any(c.isdigit() for c in word):
        return "9"
    if word.islower():
        return "a"
    if word.isupper():
        return "A" if len(word.strip(".")) > 1 else "i"
    return "c" if lower_counts.get(word.casefold()) else "n"
