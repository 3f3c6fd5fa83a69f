"""German writes every noun with a capital: what else says that a single word is a name, or that it is none.

Names of people and places mostly take no article and no adjective, and have no plural: "die Regierung" and
"Regierungen" show a noun. A name is shown by its shape (an acronym, digits), by what
types it, by a longer name that it is part of, and by "in", "aus", "nach" or a noun right before it.
"""

import re
from functools import lru_cache

from graphrag_lite.text.names.gazetteer import GIVEN_NAMES
from graphrag_lite.text.names.lists import FORMS, word_lists
from graphrag_lite.text.names.runs import WordRun
from graphrag_lite.text.names.tokens import JOIN, Tokens
from graphrag_lite.text.names.types import OF_HEADS
from graphrag_lite.text.names.words import HONORIFICS

_LISTS = word_lists("german")
_DETERMINERS, _NO_ADJECTIVE, _HEADS = _LISTS["determiner"], _LISTS["no_adjective"], _LISTS["heads"]
_WHOLE = _HEADS | _LISTS["whole"]
_MIN_HEAD = 4  # letters, of what ends a longer word
_ADJECTIVE = re.compile(r"[^\W\d_]{3,}(?:e|en|er|es|em)$")
_ABSTRACT, _NOUN = (re.compile(f"(?:{FORMS[f'german {kind}']})$") for kind in ("abstract", "noun"))
_OF_NAMES = re.compile(f"(?:{FORMS['german name adjective']})$")
_BARE = frozenset(("in", "aus", "nach"))
_ENDINGS = ("s", "es", "e", "en", "n", "er", "ern", "se", "sen")
_WITHOUT_UMLAUT = str.maketrans("äöü", "aou")


@lru_cache(maxsize=20_000)
def is_noun(word: str) -> bool:
    """Tell whether a casefolded word is a noun by its end: German compounds are what their last part is.

    >>> [is_noun(word) for word in ("schneedecken", "tesla-patente", "ende", "merkel", "samsung", "allende")]
    [True, True, True, False, False, False]
    """
    last = word.rpartition("-")[2]
    stems = {last, *(last.removesuffix(ending) for ending in _ENDINGS)}
    stems |= {stem.translate(_WITHOUT_UMLAUT) for stem in stems if stem != last}  # "Gründen"
    compound = any(stem[i:] in _HEADS for stem in stems for i in range(2, len(stem) - _MIN_HEAD + 1))
    return compound or not stems.isdisjoint(_WHOLE) or bool(_ABSTRACT.search(last))


def without_last_noun(word: str) -> str:
    """Return a compound without the noun behind its last hyphen, of which the rest may be a name.

    >>> [without_last_noun(word) for word in ("Xbox-Hardware", "Online-Konto", "Baden-Württemberg", "Karl-Heinz")]
    ['Xbox', 'Online', 'Baden-Württemberg', 'Karl-Heinz']
    """
    head, _, tail = word.rpartition("-")
    return head if len(head) > 1 and tail[:1].isupper() and not tail.isupper() and is_noun(tail.casefold()) else word


def without_nouns(tokens: Tokens, run: WordRun) -> WordRun | None:
    """Cut the nouns that begin and end a run of several words; None if no name is left.

    "Heimstadion Polonias" is "Polonias"; of "Geophysikalische Daten" nothing is left. Whole are a person ("Michael
    Ende") and what has an article and an adjective in capitals ("die Deutsche Welle").
    """
    first, last = run.first, run.last
    low = tokens.lower[first]
    if last - first < 2 or not all(tokens.capital[i] or tokens.words[i].isdigit() for i in range(first, last)):
        return run
    titled = first and tokens.gaps[first] == JOIN and tokens.lower[first - 1] in _DETERMINERS and _OF_NAMES.match(low)
    if titled and not is_noun(low):
        return run
    if not (low in GIVEN_NAMES or low in OF_HEADS or low in HONORIFICS):  # "Alarmglocken Nathalie Roller"
        person = next((i for i in range(first + 1, last - 1) if tokens.lower[i] in GIVEN_NAMES), first)
        first, low = person, tokens.lower[person]
    least = 2 if low in GIVEN_NAMES else 0  # words
    while (
        not least
        and first < last
        and (is_noun(tokens.lower[first]) or (first > run.first and tokens.words[first].isdigit()))
    ):
        first += 1
    while last - first > least and is_noun(tokens.lower[last - 1]):
        last -= 1
    if all(tokens.function[first:last]) or (
        last < run.last and last - first == 1 and _ADJECTIVE.match(tokens.lower[first])
    ):
        return None
    return run._replace(first=first, last=last, initial=run.initial and first == run.first)


def plain_nouns(tokens: Tokens, runs: list[WordRun]) -> frozenset[str]:
    """Return the single words of `runs`, casefolded, that nothing but the capital makes a name in this text.

    >>> from graphrag_lite.text.names.tokens import tokenize
    >>> tokens = tokenize("Merkel reiste nach Palu, während in Berlin die Regierung mit Menschen sprach.", "de")
    >>> capitals = [WordRun(i, i + 1, i == 0) for i, is_capital in enumerate(tokens.capital) if is_capital]
    >>> sorted(plain_nouns(tokens, capitals))
    ['menschen', 'merkel', 'regierung']
    """
    single = {tokens.lower[run.first] for run in runs if run.last - run.first == 1}
    named = {word for run in runs if run.last - run.first > 1 for word in tokens.lower[run.first : run.last]}
    nouns = {word for word in single if is_noun(word) or _NOUN.search(word)}
    for run in runs:
        first, word = run.first, tokens.lower[run.first]
        if run.last - first > 1 or first == 0 or tokens.gaps[first] != JOIN:
            continue
        before = tokens.words[first - 1]
        if before in _DETERMINERS or before[0].isdigit() or (_ADJECTIVE.match(before) and before not in _NO_ADJECTIVE):
            nouns.add(word)
        elif before in _BARE or is_noun(tokens.lower[first - 1]):  # "Heimstadion Polonias"
            named.add(word)
    words = {word for i, word in enumerate(tokens.lower) if tokens.capital[i]}
    for word in single - nouns:
        inflected = any(word + ending in words for ending in _ENDINGS[1:])
        if inflected or any(word.endswith(ending) and word.removesuffix(ending) in nouns for ending in _ENDINGS):
            nouns.add(word)
    return frozenset(single - (named - nouns))
