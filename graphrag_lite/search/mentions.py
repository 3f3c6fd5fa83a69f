"""Which known entities a text names, by looking up the names of the index in it.

Names and texts are compared without case, width and accents, word by word (character by character in scripts without
spaces). The longest name wins: "New York City" is not a mention of "New York". A question needs no extractor of its
own, and can only find what the graph holds.
"""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from graphrag_lite.text.function_words import FUNCTION_WORDS
from graphrag_lite.text.words import UNSPACED_CHARACTERS, WORD_PATTERN, unaccented

_TOKEN = re.compile(rf"[{UNSPACED_CHARACTERS}]|{WORD_PATTERN}")
_SECTION = re.compile(r"\s[/>|»›]\s")
_QUALIFIER = re.compile(r"[(（][^()（）]*[)）]$")
_MAX_TOKENS = 16
_JOIN = "\x1f"  # sorts before every character of a token, so that the names that begin with the same ones are together


@dataclass(frozen=True, slots=True)
class Mention:
    """Characters [start, end) of a text that name entities: indices, ascending, several where a name is ambiguous."""

    start: int
    end: int
    entities: tuple[int, ...]


@dataclass(frozen=True)
class NameTable:
    """Names of entities, ascending by key (`key_of`): `keys[i]` means `entities[i]`, equal keys several."""

    keys: Sequence[str]
    entities: Sequence[int]


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


def _longest(tokens: Sequence[str], start: int, table: NameTable) -> tuple[int, tuple[int, ...]]:
    """Return the length in tokens of the longest name that begins at `start`, and what it means; 0 for none."""
    length, first, keys = 0, 0, table.keys
    prefix, place = "", 0
    for end in range(start + 1, min(len(tokens), start + _MAX_TOKENS) + 1):
        prefix = _JOIN.join(tokens[start:end])
        place = bisect_left(keys, prefix, place)
        if place == len(keys) or not keys[place].startswith(prefix):
            break
        if keys[place] == prefix:
            length, first = end - start, place
    if not length:
        return 0, ()
    key, last = keys[first], first
    while last < len(keys) and keys[last] == key:
        last += 1
    return length, tuple(sorted(set(table.entities[first:last])))


def question_entities(question: str, table: NameTable, language: str) -> dict[int, float]:
    """Return the entities that a question names, by index in order of mention, each with weight 1.0.

    >>> question_entities("Who directed The Rack?", name_table([("The Rack", 4), ("Who", 5)]), "en")
    {4: 1.0}
    """
    return {entity: 1.0 for m in find_mentions(question, language, table) for entity in m.entities}


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
    return word.lower() if word.isascii() else unaccented(unicodedata.normalize("NFKC", word).casefold())
