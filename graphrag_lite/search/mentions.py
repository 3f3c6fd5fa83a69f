"""Which known entities a text names, by looking up the names of the index in it.

Names and texts are compared without case, width and accents, word by word (character by character in scripts without
spaces). The longest name wins: "New York City" is not a mention of "New York". A question needs no extractor of its
own, and can only find what the graph holds.
"""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from graphrag_lite.text.function_words import FUNCTION_WORDS
from graphrag_lite.text.words import UNSPACED_CHARACTERS, WORD_PATTERN, unaccented

_TOKEN = re.compile(rf"[{UNSPACED_CHARACTERS}]|{WORD_PATTERN}")
_SECTION = re.compile(r"\s[/>|»›]\s")
_QUALIFIER = re.compile(r"[(（][^()（）]*[)）]$")
_MAX_TOKENS = 16


@dataclass(frozen=True, slots=True)
class Mention:
    """Characters [start, end) of a text that name entities: indices, ascending, several where a name is ambiguous."""

    start: int
    end: int
    entities: tuple[int, ...]


@dataclass(frozen=True)
class NameTable:
    """Names of entities by their folded tokens."""

    entities: dict[tuple[str, ...], tuple[int, ...]]
    lengths: dict[str, tuple[int, ...]]  # first token -> lengths in tokens of the names that begin so, longest first


def name_table(names: Iterable[tuple[str, int]]) -> NameTable:
    """Make a table of (name, entity index) pairs; an entity may have several names, a name several entities."""
    entities: dict[tuple[str, ...], set[int]] = {}
    for name, entity in names:
        key = tuple(_fold(token) for token in _TOKEN.findall(name))
        if key and len(key) <= _MAX_TOKENS and not (len(key) == 1 and len(key[0]) == 1):
            entities.setdefault(key, set()).add(entity)
    lengths: dict[str, set[int]] = {}
    for key in entities:
        lengths.setdefault(key[0], set()).add(len(key))
    return NameTable(
        {key: tuple(sorted(found)) for key, found in entities.items()},
        {first: tuple(sorted(found, reverse=True)) for first, found in lengths.items()},
    )


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
        for length in table.lengths.get(tokens[i], ()):
            found = table.entities.get(tuple(tokens[i : i + length])) if i + length <= len(tokens) else None
            if found and (length > 1 or _stands_alone(words[i], caseless, function_words)):
                mentions.append(Mention(spans[i][0], spans[i + length - 1][1], found))
                i += length - 1
                break
        i += 1
    return mentions


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
