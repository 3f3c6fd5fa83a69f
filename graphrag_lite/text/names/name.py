"""A name found in a text unit: what every extractor of `method: fast` returns."""

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple


class Name(NamedTuple):
    """One mention of a name, with the evidence that its own text gives.

    `start` and `end` are characters in the text, half-open. `name` is the surface with white space folded and
    surrounding punctuation off. `type` is one of `types.TYPES` or unknown.
    `anchored` is False where the corpus must confirm the name, for instance when only the first capital of a
    sentence speaks for it.
    """

    start: int
    end: int
    name: str
    type: str
    anchored: bool


def merged(names: Sequence[Name], others: Sequence[Name]) -> list[Name]:
    """Return `names` and those of `others` that don't overlap them, ordered by start."""
    starts = [name.start for name in names]
    free = []
    for other in others:
        at = bisect_right(starts, other.start)
        if (at == 0 or names[at - 1].end <= other.start) and (at == len(names) or starts[at] >= other.end):
            free.append(other)
    return sorted([*names, *free], key=lambda name: name.start)
