"""Types of the user's own: what a text calls a name in words of the type's line, "the trawler Ann Marie"."""

import re
from collections.abc import Mapping

from graphrag_lite.text.names.lists import FORMS

_REACH = 60  # characters on either side of a name
_BEFORE = re.compile(r"([^\W\d_]+)\s+\Z")
# An apposition with an article, or a sentence that says what it is.
_AFTER = re.compile(
    rf"\A\s*(?:,\s*|\(\s*|(?:{FORMS['is']})\s+)(?:{FORMS['article']})\s+((?:[^\W\d_]+[ -]?){{1,4}})", re.I
)
_ENDS = frozenset(FORMS["phrase end"].split("|"))


def cues_of(types: Mapping[str, str]) -> dict[str, str]:
    """Return the words by which texts tell a type -> the type: its name, and the last word of each part of its line.

    >>> cues_of({"vessel": "a ship, fishing boat or trawler"})
    {'vessel': 'vessel', 'ship': 'vessel', 'boat': 'vessel', 'trawler': 'vessel'}
    """
    found: dict[str, str] = {}
    for kind, line in types.items():
        parts = re.split(r"[,;:/()]|\b(?:or|and|oder|und|ou|et|o|y|e)\b", line)
        for words in [[kind], *(part.split() for part in parts)]:
            if words:
                found.setdefault(words[-1].casefold(), kind)
    return found


def stated_type(text: str, start: int, end: int, cues: Mapping[str, str]) -> str:
    """Return the type that a text tells of the name in its characters [start, end), "" where it tells none.

    A noun before the name tells it, the name's own last word, or the head of what the name is said to be.

    >>> cues = cues_of({"vessel": "a ship, boat or trawler"})
    >>> text = "The trawler Ann Marie met Oslo Star, an old boat, and Ann Li, the owner of a boat."
    >>> [stated_type(text, text.index(name), text.index(name) + len(name), cues) for name in
    ...  ("Ann Marie", "Oslo Star", "Ann Li")]
    ['vessel', 'vessel', '']
    """
    before = _BEFORE.search(text, max(0, start - _REACH), start)
    if before and before[1] in cues:
        return cues[before[1]]
    own = text[start:end].casefold().split()
    if own and own[-1] in cues:
        return cues[own[-1]]
    after = _AFTER.match(text[end : end + _REACH])
    head = ""
    for word in after[1].split() if after else ():
        if word in _ENDS:
            break
        head = word
    return cues.get(head, "")
