"""A name found in a text unit: what every extractor of `method: fast` returns."""

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
