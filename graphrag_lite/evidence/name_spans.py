"""Where names stand in a text unit, and the sentences around them.

A model writes names in its own way: other capitals, quotation marks, accents, line breaks. What it wrote is looked for
in the folded text, then without respect to what follows it ("Spirit" in "Spirits"), then by the parts of it, of as many
words as possible, that the text has.
"""

import re
from array import array
from bisect import bisect_right
from functools import cached_property, lru_cache
from operator import itemgetter
from typing import NamedTuple

from graphrag_lite.text.folding import fold_with_offsets
from graphrag_lite.text.function_words import FUNCTION_WORDS
from graphrag_lite.text.names.words import HONORIFICS
from graphrag_lite.text.sentences import sentences, trimmed
from graphrag_lite.text.words import UNSPACED, terms

PUNCTUATION = re.compile(r"[\s\"'*_.,;:()\[\]{}<>-]+")
WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")
MAX_OCCURRENCES = 40  # of one name that are looked at
MAX_WORDS = 12  # of a name whose parts are looked for
MIN_PART = 3  # letters of a word that can stand for its name
Span = tuple[int, int]


class NameSpan(NamedTuple):
    """Characters of a text unit: the mention, -1 where the name is not found, and the sentence or sentences around."""

    mention_start: int
    char_start: int
    char_end: int


class NameSpans:
    """A text unit in which names are looked for."""

    def __init__(self, text: str, language: str = "") -> None:
        self.text = text
        self.language = language
        self._found: dict[str, list[Span]] = {}

    def of(self, name: str, description: str = "") -> NameSpan:
        """Return where a name stands: in the sentence that has most words of its description, the first of equals.

        The span is the whole unit where the name is not found.

        >>> NameSpans("Marley was dead. Old Marley's\\nchain clanked.", "en").of("marley", "His chain clanked.")
        NameSpan(mention_start=21, char_start=17, char_end=44)
        >>> NameSpans("Marley was dead.").of("Fezziwig")
        NameSpan(mention_start=-1, char_start=0, char_end=16)
        """
        found = self.mentions(name)
        if not found:
            start, end = trimmed(self.text, 0, len(self.text))
            return NameSpan(-1, min(start, end), end)
        best = max(found, key=lambda mention: (self._shared(self._at(mention[0]), description), -mention[0]))
        return self._around(best, best)

    def of_both(self, one: str, other: str, description: str = "") -> NameSpan:
        """Return where two names stand: in one sentence, else in the fewest sentences from one to the other.

        Of equally many, those which have most words of the description, then the first. Where one name is not found
        it is the place of the other, where neither is, the whole unit.

        >>> NameSpans("Marley was dead. Nobody cared. Scrooge was his friend.").of_both("Scrooge", "Marley")
        NameSpan(mention_start=0, char_start=0, char_end=54)
        """
        ones, others = self.mentions(one), self.mentions(other)
        if not ones or not others:
            return self.of(one if ones else other, description)
        pairs = [sorted((a, b)) for a in self._firsts(ones) for b in self._firsts(others)]
        nearest = min(last[0] - first[0] for first, last in pairs)
        near = [(first, last) for first, last in pairs if last[0] - first[0] == nearest]
        first, last = min(
            near, key=lambda pair: (-sum(self._shared(at, description) for at in {at for at, _ in pair}), pair[0][0])
        )
        return self._around(first[1], last[1])

    def _firsts(self, mentions: list[Span]) -> list[tuple[int, Span]]:
        """Return the first of the mentions in each sentence, with its number."""
        return sorted({self._at(mention[0]): mention for mention in reversed(mentions)}.items())

    def holds(self, name: str) -> bool:
        """Say whether the name stands in the unit, or the longest part of it."""
        return bool(self.mentions(name))

    def _around(self, first: Span, last: Span) -> NameSpan:
        """Return the sentences from the start of one mention to the end of another."""
        return NameSpan(first[0], self._spans[self._at(first[0])][0], self._spans[self._at(last[1] - 1)][1])

    def mentions(self, name: str) -> list[Span]:
        """Return where a name stands, in order, else the longest parts of it that stand there; nothing for none."""
        if name not in self._found:
            self._found[name] = self._look_for(name)
        return self._found[name]

    def _look_for(self, name: str) -> list[Span]:
        """Return where a name stands, in order: as it is, else with an ending, else parts of it of most words."""
        folded = fold_with_offsets(name)[0]
        bare = PUNCTUATION.sub(" ", folded).strip() if not UNSPACED.search(name) else ""
        for wanted in dict.fromkeys([folded.strip(), folded.strip("\"'*_.,;:()[]{}<> "), bare]):
            if wanted and (found := self._occurrences(wanted, whole=True) or self._occurrences(wanted, whole=False)):
                return found
        words = [word.removesuffix("'s") for word in WORD.findall(folded)[:MAX_WORDS]]
        weak = FUNCTION_WORDS.get(self.language or "en", frozenset())
        telling = [word not in weak and (len(word) >= MIN_PART or UNSPACED.search(word) is not None) for word in words]
        untitled = [tells and word not in HONORIFICS for word, tells in zip(words, telling, strict=True)]
        telling = untitled if any(untitled) else telling
        for length in range(len(words) - 1, 0, -1):
            ends = ((i, i + length) for i in range(len(words) - length + 1) if telling[i] and telling[i + length - 1])
            parts = [" ".join(words[first:last]) for first, last in ends]
            if mentions := {mention for part in parts for mention in self._occurrences(part, whole=True)}:
                return sorted(mentions)[:MAX_OCCURRENCES]
        return []

    def _occurrences(self, wanted: str, *, whole: bool) -> list[Span]:
        """Return the places in the text where folded text stands as a word, or (not `whole`) at the start of one."""
        folded, offsets = self._folded
        found: list[Span] = []
        bound_before = wanted[0].isalnum() and not UNSPACED.match(wanted[0])
        bound_after = whole and wanted[-1].isalnum() and not UNSPACED.match(wanted[-1])
        start = folded.find(wanted)
        while start >= 0 and len(found) < MAX_OCCURRENCES:
            end = start + len(wanted)
            inside = bound_before and start > 0 and _goes_on(folded[start - 1])
            if not inside and not (bound_after and end < len(folded) and _goes_on(folded[end])):
                found.append((offsets[start], offsets[end - 1] + 1))
            start = folded.find(wanted, end)
        return found

    @cached_property
    def _folded(self) -> tuple[str, "array[int]"]:
        return fold_with_offsets(self.text)

    @cached_property
    def _spans(self) -> list[tuple[int, int]]:
        return [trimmed(self.text, *span) for span in sentences(self.text, self.language)]

    def _at(self, start: int) -> int:
        """Return the number of the sentence that a character is in."""
        return max(0, bisect_right(self._spans, start, key=itemgetter(0)) - 1)

    @cached_property
    def _terms(self) -> list[frozenset[str]]:
        return [frozenset(terms(self.text[start:end], self.language)) for start, end in self._spans]

    def _shared(self, sentence: int, description: str) -> int:
        """Return how many of a description's terms a sentence has."""
        return len(self._terms[sentence] & _terms_of(description, self.language)) if description else 0


@lru_cache(maxsize=8)
def _terms_of(text: str, language: str) -> frozenset[str]:
    return frozenset(terms(text, language))


def _goes_on(char: str) -> bool:
    """Say whether a character next to a name makes it a part of a longer word."""
    return char.isalnum() and not UNSPACED.match(char)
