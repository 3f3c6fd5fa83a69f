"""Vietnamese writes a space between syllables, and only the first of a word with a capital: "Quỹ Khoa học Quốc gia"."""

from graphrag_lite.text.names.lists import word_lists
from graphrag_lite.text.names.tokens import JOIN, Tokens

_LISTS = word_lists("vietnamese")
_WORDS = _LISTS["names"] | _LISTS["offices"]


def is_second_syllable(tokens: Tokens, k: int) -> bool:
    """Tell whether syllable `k`, in small letters, ends the word of a name that the one before begins.

    >>> from graphrag_lite.text.names.tokens import tokenize
    >>> tokens = tokenize("Quỹ Khoa học của họ", "vi")
    >>> [k for k in range(1, 5) if is_second_syllable(tokens, k)]
    [2]
    """
    return tokens.capital[k - 1] and tokens.gaps[k] == JOIN and f"{tokens.lower[k - 1]} {tokens.lower[k]}" in _WORDS


def is_plain_word(tokens: Tokens, first: int, last: int) -> bool:
    """Tell whether [first, last) is a word of two syllables and no more: "Sân bay", an airport."""
    return last - first == 2 and not tokens.capital[first + 1] and is_second_syllable(tokens, first + 1)


def without_offices(tokens: Tokens, first: int, last: int) -> int:
    """Return where the run [first, last) begins behind the offices in it: "Thủ tướng Phạm Văn Đồng"."""
    pairs = [f"{tokens.lower[k - 1]} {tokens.lower[k]}" for k in range(first + 1, last)]
    return max((first + i + 2 for i, pair in enumerate(pairs) if pair in _LISTS["offices"]), default=first)
