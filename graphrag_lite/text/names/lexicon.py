"""A small word list and the scan that finds its words in text without spaces: leftmost, longest, linear."""

from collections.abc import Iterable, Mapping, Sequence


class Lexicon:
    """Words with one kind each, looked up by their first character.

    A word in several lists takes the kind of the last one.
    """

    def __init__(self, words_by_kind: Iterable[tuple[str, Iterable[str]]]) -> None:
        kinds: dict[str, str] = {}
        for kind, words in words_by_kind:
            kinds.update((word, kind) for word in words)
        by_first: dict[str, list[tuple[str, str]]] = {}
        for word in sorted(kinds, key=lambda word: (-len(word), word)):
            by_first.setdefault(word[0], []).append((word, kinds[word]))
        self.kinds: Mapping[str, str] = kinds
        self._by_first = {first: tuple(words) for first, words in by_first.items()}

    def at(self, text: str, position: int, end: int) -> tuple[str, str] | None:
        """Return the longest word that starts at `position` and ends by `end`, with its kind.

        >>> Lexicon([("place", ["北京", "北"])]).at("在北京市", 1, 4)
        ('北京', 'place')
        """
        for word, kind in self._by_first.get(text[position], ()):
            if position + len(word) <= end and text.startswith(word, position):
                return word, kind
        return None


def occurrences(text: str, words: Sequence[str]) -> list[tuple[int, int, str]]:
    """Return the spans of `words` in `text` with the word, ordered, not overlapping; leftmost, then longest.

    >>> occurrences("abcab", ["ab", "abc"])
    [(0, 3, 'abc'), (3, 5, 'ab')]
    """
    lexicon = Lexicon([("", words)])
    firsts = lexicon._by_first
    found = []
    i, end = 0, len(text)
    while i < end:
        hit = lexicon.at(text, i, end) if text[i] in firsts else None
        if hit:
            found.append((i, i + len(hit[0]), hit[0]))
            i += len(hit[0])
        else:
            i += 1
    return found
