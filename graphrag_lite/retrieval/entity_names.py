"""Which known entities a text names, by looking up the names of the index in it.

Names and texts are compared without case, width and accents, word by word (character by character in scripts without
spaces). The longest name wins: "New York City" is not a mention of "New York". A question needs no extractor of its
own, and can only find what the graph holds.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations

from graphrag_lite.retrieval.columns import Strings
from graphrag_lite.text.folding import fold, unaccented
from graphrag_lite.text.function_words import FUNCTION_WORDS
from graphrag_lite.text.words import UNSPACED_CHARACTERS, WORD_PATTERN

_TOKEN = re.compile(rf"[{UNSPACED_CHARACTERS}]|{WORD_PATTERN}")
_SECTION = re.compile(r"\s[/>|»›]\s")
_QUALIFIER = re.compile(r"[(（][^()（）]*[)）]$")
# Words of a name, as titles of files and names of accounts write them together.
_CAPITALISED = re.compile(r"[^\W\d_a-z]\w*(?: [^\W\d_a-z]\w*)+")
_MOST_TOGETHER = 3
_MAX_TOKENS = 16
# A part of a name is of at least so many letters, the name of at most so many bytes, and not of more entities.
_MIN_PART, _MAX_PART_BYTES, MAX_AMBIGUITY = 3, 48, 5
_MAX_LOOKED_UP = 16  # of a text: each word takes some milliseconds among a million names
_MAX_SPANS = 100_000
_AFTER_JOIN = "\x20"
_JOIN = "\x1f"  # sorts before every character of a token, so that the names that begin with the same ones are together


@dataclass(frozen=True, slots=True)
class Mention:
    """Characters [start, end) of a text that name entities: indices, ascending, several where a name is ambiguous."""

    start: int
    end: int
    entities: tuple[int, ...]


@dataclass(frozen=True)
class NameTable:
    """Names of entities, ascending by key (`key_of`): `keys[i]` means `entities[i]`, equal keys several.

    `spans` are those of tokens that were looked up: texts repeat them, and each takes two searches.
    """

    keys: Sequence[str]
    entities: Sequence[int]
    spans: dict[str, tuple[int, int]] = field(default_factory=dict, compare=False, repr=False)

    def span(self, token: str) -> tuple[int, int]:
        """Return where the keys stand whose first token is this, [first, last)."""
        if (known := self.spans.get(token)) is None:
            if len(self.spans) >= _MAX_SPANS:
                self.spans.clear()
            first = last = bisect_left(self.keys, token)
            if first < len(self.keys) and self.keys[first].startswith(token):
                last = bisect_left(self.keys, token + _AFTER_JOIN, first)
            known = self.spans[token] = first, last
        return known


def name_table(names: Iterable[tuple[str, int]]) -> NameTable:
    """Make a table of (name, entity index) pairs; an entity may have several names, a name several entities."""
    rows = sorted((key, entity) for name, entity in names if (key := key_of(name)))
    return NameTable([key for key, _ in rows], [entity for _, entity in rows])


def key_of(name: str) -> str:
    """Return the folded tokens of a name, joined; empty for a single character, and for what is too long for a name."""
    tokens = [_fold(token) for token in _TOKEN.findall(name)]
    too_short = len(tokens) == 1 and len(tokens[0]) == 1
    return "" if too_short or len(tokens) > _MAX_TOKENS else _JOIN.join(tokens)


def find_mentions(text: str, language: str, table: NameTable) -> list[Mention]:
    """Return the mentions in `text` of the names in `table`, in order, not overlapping, the longest name first.

    A name of one word counts only where the text writes it with a capital, a digit, or in a script without case:
    "Water" is a title, "water" is not. A function word of the `language` (ISO 639-1, "" when unknown) needs capitals
    throughout. A text without capitals has all its words looked up.

    >>> table = name_table([("New York", 0), ("New York City", 1), ("Water", 2), ("東京", 3)])
    >>> [(m.start, m.end, m.entities) for m in find_mentions("Is water from New york city or 東京都?", "en", table)]
    [(14, 27, (1,)), (31, 33, (3,))]
    """
    spans = [match.span() for match in _TOKEN.finditer(text)]
    words = [text[start:end] for start, end in spans]
    tokens = [_fold(word) for word in words]
    function_words = FUNCTION_WORDS.get(language, frozenset())
    caseless = not any(character.isupper() for character in text[1:])
    mentions = []
    i = 0
    while i < len(tokens):
        length, found = _longest(tokens, i, table)
        if found and (length > 1 or _stands_alone(words[i], caseless, function_words)):
            mentions.append(Mention(spans[i][0], spans[i + length - 1][1], found))
            i += length - 1
        i += 1
    return mentions


def find_parts(text: str, language: str, table: NameTable, mentions: Sequence[Mention]) -> list[Mention]:
    """Return the words of `text` that are the last word of a few known names, "Lennon" of "John Lennon", in order.

    `mentions` are the names that the text gives in full, in order: no word of a longer one is looked up. A word needs a
    capital, and means nothing where more than a few entities' names end in it.

    >>> table = name_table([("John Lennon", 0), ("Sean Ono Lennon", 1), ("Lennon Wall", 2)])
    >>> find_parts("When did Lennon see the wall?", "en", table, [])
    [Mention(start=9, end=15, entities=(0, 1))]
    """
    function_words = FUNCTION_WORDS.get(language, frozenset())
    meant: dict[str, tuple[int, ...]] = {}
    found = []
    index = 0
    for match in _TOKEN.finditer(text):
        start, end = match.span()
        if not match[0][0].isupper() or end - start < _MIN_PART or (word := _fold(match[0])) in function_words:
            continue
        while index < len(mentions) and mentions[index].end <= start:
            index += 1
        if (
            index < len(mentions)
            and mentions[index].start <= start
            and mentions[index].end - mentions[index].start > end - start
        ):
            continue
        if word not in meant and len(meant) < _MAX_LOOKED_UP:
            meant[word] = _ending_with(word, table)
        if 0 < len(entities := meant.get(word, ())) <= MAX_AMBIGUITY:
            found.append(Mention(start, end, entities))
    return found


def _ending_with(word: str, table: NameTable) -> tuple[int, ...]:
    """Return the entities, ascending, with a name of several words of which `word` is the last."""
    tail = (_JOIN + word).encode()
    keys = table.keys if isinstance(table.keys, Strings) else Strings.of(table.keys)  # a small one, made in memory
    positions = keys.ending(keys.of_size(len(tail) + 1, _MAX_PART_BYTES), tail)
    return tuple(sorted({table.entities[position] for position in positions.tolist()}))


def _longest(tokens: Sequence[str], start: int, table: NameTable) -> tuple[int, tuple[int, ...]]:
    """Return the length in tokens of the longest name that begins at `start`, and what it means; 0 for none."""
    position, stop = table.span(tokens[start])
    if position == stop:
        return 0, ()
    length, first, keys, prefix = 0, position, table.keys, tokens[start]
    if keys[position] == prefix:
        length = 1
    for end in range(start + 2, min(len(tokens), start + _MAX_TOKENS) + 1):
        prefix += _JOIN + tokens[end - 1]
        position = bisect_left(keys, prefix, position, stop)
        if position == stop or not keys[position].startswith(prefix):
            break
        if keys[position] == prefix:
            length, first = end - start, position
    if not length:
        return 0, ()
    key, last = keys[first], first
    while last < len(keys) and keys[last] == key:
        last += 1
    return length, tuple(sorted(set(table.entities[first:last])))


def as_one_word(text: str) -> Iterator[tuple[str, str]]:
    """Yield names that `text` writes as several words, as one word and as they are written.

    >>> list(as_one_word("When did Best Buy buy Ann Li?"))
    [('BestBuy', 'Best Buy'), ('AnnLi', 'Ann Li')]
    """
    for run in _CAPITALISED.finditer(text):
        words = run[0].split()
        for first, last in combinations(range(len(words) + 1), 2):
            if 1 < last - first <= _MOST_TOGETHER:
                yield "".join(words[first:last]), " ".join(words[first:last])


def names_of_title(title: str) -> list[str]:
    """Return what a document's title names: itself without its section, and also without what only qualifies it.

    >>> names_of_title("The Rack (1915 film)"), names_of_title("Springfield, Ohio"), names_of_title("Cicero / Works")
    (['The Rack (1915 film)', 'The Rack'], ['Springfield, Ohio', 'Springfield'], ['Cicero'])
    """
    name = _SECTION.split(title, maxsplit=1)[0].strip()
    shorter = [_QUALIFIER.sub("", name).strip(), name.rsplit(", ", 1)[0].strip()]
    return list(dict.fromkeys(part for part in (name, *shorter) if part))


def _stands_alone(word: str, caseless: bool, function_words: frozenset[str]) -> bool:
    if word.casefold() in function_words:
        return word.isupper() and len(word) > 1
    return caseless or not word[0].islower()


@lru_cache(maxsize=200_000)
def _fold(word: str) -> str:
    """Return `word` as names are compared: without case, width and the accents of Latin letters."""
    return word.lower() if word.isascii() else unaccented(fold(word))
