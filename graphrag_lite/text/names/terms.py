"""Terms in lower case: phrases of two or three words that a text unit repeats, and expansions of acronyms.

A phrase stands between function words and punctuation, like a noun phrase (after RAKE, Rose et al. 2010), and must
occur twice in the unit. What is left is checked against the whole corpus by `resolution.ladder`.
"""

import re

from graphrag_lite.text.names.lists import FORMS
from graphrag_lite.text.names.name import Name
from graphrag_lite.text.names.tokens import JOIN, Tokens
from graphrag_lite.text.names.words import DETERMINERS, LISTS, MONTHS_AND_DAYS, NUMBER_WORDS, UNITS

_NO_EDGE = LISTS["no_edge"]
_ADJECTIVE = re.compile("(?:[ыиіо]й|[ая]я|[оеє]е|[ыиі]е|[оеє]го|[оеє]му|[ыиі]м|[ую]ю|[ыиії]х|[ыиі]ми)$")
_NOUN, _GENITIVE = re.compile("(?:[бвгджзклнпрстфхцчшщ]|ия|[бгзкрнтц]а)$"), re.compile("(?:[аяыи]|[оеё]в|ий|тей)$")
_VERB = re.compile("(?:[аяуе]ет|[ие]т(?:е|ся)|[ую]т(?:ся)?|[аяие]ть(?:ся)?|ите|йте)$")
_WHICH = re.compile(f"(?:{FORMS['russian which']})$")
_SPANISH_FUTURE = ("ará", "arán", "erá", "erán", "irá", "irán", "drá", "drán")
_PATH = frozenset("./\\_")
_NO_END = _NO_EDGE | UNITS | NUMBER_WORDS | MONTHS_AND_DAYS


def find_terms(tokens: Tokens, text: str) -> list[Name]:
    """Return every mention of the unit's repeated terms, in order, none of them anchored."""
    phrases: dict[tuple[str, ...], list[int]] = {}
    lower = tokens.lower
    segment = 0  # length of the segment of plain words that ends before i
    columns = zip(tokens.words, tokens.capital, tokens.function, strict=True)
    plains = [
        not capital and not function and 1 < len(word) < 30 and word[0].islower() for word, capital, function in columns
    ]
    for i, plain in enumerate([*plains, False]):
        if plain and (segment == 0 or (tokens.gaps[i] == JOIN and not tokens.possessive[i - 1])):
            segment += 1
            continue
        if segment > 1:
            for first in range(i - segment, i - 1):
                if first and tokens.words[first - 1].isdigit() and tokens.gaps[first] == JOIN:
                    continue  # a unit: "140 mln dlrs"
                if lower[first] in _NO_EDGE or lower[first].endswith("ly"):
                    continue
                for last in range(first + 2, min(first + 3, i) + 1):
                    if _bad_end(lower[last - 1]) or not _is_noun_phrase(lower[first], lower[last - 1]):
                        continue
                    if not (last == i and _says(tokens, last)):
                        phrases.setdefault(tuple(lower[first:last]), []).append(first)
        segment = int(plain)
    repeated = {}
    for phrase, at in phrases.items():
        if len(at) > 1 and len(own := [i for i in at if not _in_path(tokens, i, i + len(phrase))]) > 1:
            repeated[phrase] = own
    for phrase in list(repeated):
        if len(phrase) == 3:
            for part in (phrase[:2], phrase[1:]):
                if part in repeated and len(repeated[part]) <= len(repeated[phrase]):
                    del repeated[part]
    found: list[Name] = []
    end = 0
    for first, negative in sorted((first, -len(phrase)) for phrase, at in repeated.items() for first in at):
        start, stop = tokens.starts[first], tokens.ends[first - negative - 1]
        if start >= end:
            found.append(Name(start, stop, " ".join(text[start:stop].split()), "concept", False))
            end = stop
    return found


def _says(tokens: Tokens, last: int) -> bool:
    """Tell whether a phrase that ends before word `last` ends in a verb: "a flag sets the", "a bug introduced in"."""
    word = tokens.lower[last - 1]
    if last == len(tokens.words) or tokens.gaps[last] != JOIN:
        return False
    if tokens.lower[last] in DETERMINERS:
        return word.endswith(("ing", "ed", "s"))
    return tokens.function[last] and word.endswith("ed")


def _is_noun_phrase(first: str, last: str) -> bool:
    """Tell whether a phrase with these ends may be a noun phrase: of words in Cyrillic letters, one that begins with an
    adjective, or is a noun with another in the genitive. Of other words all may be.

    >>> [_is_noun_phrase(*ends.split()) for ends in ("верхний слой", "элемент экрана", "кнопке содержится")]
    [True, True, False]
    """
    if not "\u0400" <= first[0] <= "\u052f":
        return not first.endswith(_SPANISH_FUTURE)
    return (
        not _VERB.search(last)
        and not _WHICH.match(first)
        and bool(_ADJECTIVE.search(first) or (_NOUN.search(first) and _GENITIVE.search(last)))
    )


def _in_path(tokens: Tokens, first: int, last: int) -> bool:
    """Tell whether words [first, last) begin or end within a path or a file's name: "a.hpp libs/b.hpp"."""
    after = tokens.gap_texts[last] if last < len(tokens.words) else ""
    return tokens.gap_texts[first][-1:] in _PATH or after in _PATH


def _bad_end(word: str) -> bool:
    return word in _NO_END or word.endswith("ly") or len(word) < 3
