"""Words of a list in text without spaces: the scan that finds them, and patterns of them."""

import re
from collections.abc import Iterable


def characters(words: Iterable[str]) -> frozenset[str]:
    """Return the characters of a section that is a list of characters, written without spaces between them."""
    return frozenset("".join(words))


def longest_first(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(words, key=lambda word: (-len(word), word)))


def any_of(words: Iterable[str]) -> str:
    """Return a regular expression for one of `words`, the longest that fits."""
    return f"(?:{'|'.join(map(re.escape, longest_first(words)))})"


class Lexicon:
    """Words with one kind each, looked up by their first character.

    A word in several lists takes the kind of the last one.
    """

    def __init__(self, words_by_kind: Iterable[tuple[str, Iterable[str]]]) -> None:
        self._kinds = {word: kind for kind, words in words_by_kind for word in words}
        sizes: dict[str, set[int]] = {}
        for word in self._kinds:
            sizes.setdefault(word[0], set()).add(len(word))
        self.sizes = {first: tuple(sorted(of, reverse=True)) for first, of in sizes.items()}  # by first character

    def kind(self, word: str) -> str:
        """Return the kind of a word, "" if no list has it."""
        return self._kinds.get(word, "")

    def at(self, text: str, position: int, end: int) -> tuple[str, str] | None:
        """Return the longest word that starts at `position` and ends by `end`, with its kind.

        >>> Lexicon([("place", ["北京", "北"])]).at("在北京市", 1, 4)
        ('北京', 'place')
        """
        for size in self.sizes.get(text[position], ()):
            word = text[position : position + size]
            if word in self._kinds and position + size <= end:
                return word, self._kinds[word]
        return None


def occurrences(text: str, words: Iterable[str]) -> list[tuple[int, int, str]]:
    """Return the spans of `words` in `text` with the word, ordered, not overlapping; leftmost, then longest.

    >>> occurrences("abcab", ["ab", "abc"])
    [(0, 3, 'abc'), (3, 5, 'ab')]
    """
    lexicon = Lexicon([("", words)])
    found = []
    end = 0
    for i, char in enumerate(text):
        if char in lexicon.sizes and i >= end and (hit := lexicon.at(text, i, len(text))):
            end = i + len(hit[0])
            found.append((i, end, hit[0]))
    return found
