"""Texts of the corpus as a page holds them, and where their characters are then."""

import re
from bisect import bisect_left
from collections.abc import Callable
from itertools import accumulate

from graphrag_lite.text.plain_text import CONTROL

# Marks that turn the direction of what follows could hide what a text says; letters of such scripts need none.
TURNING = re.compile("[\u202a-\u202e\u2066-\u2069]")
WIDE = re.compile("[\U00010000-\U0010ffff]")  # two units in UTF-16


def shown(text: str) -> str:
    """Return a text without control characters and marks that turn its direction.

    >>> shown("Ann\\x07 \\u202eeeL\\u202c")
    'Ann eeL'
    """
    return TURNING.sub("", CONTROL.sub("", text))


def utf16_offsets(text: str) -> Callable[[int], int]:
    """Return where a character of a text stands in `shown(text)`, in UTF-16 units, which JavaScript counts.

    >>> [utf16_offsets("a😀\\x07b")(at) for at in range(5)]
    [0, 1, 3, 3, 4]
    """
    changes = [(found.start(), 1) for found in WIDE.finditer(text)]
    changes += [(found.start(), -1) for pattern in (CONTROL, TURNING) for found in pattern.finditer(text)]
    if not changes:
        return int
    places, steps = zip(*sorted(changes), strict=True)
    moved = [0, *accumulate(steps)]
    return lambda at: at + moved[bisect_left(places, at)]
