"""Runs of words that may be one name: which words join.

A run is a half-open range of word indices. Joining is greedy from left to right: capitalised words side by side,
initials and abbreviations with their full stops, numbers ("Apollo 11"), connectors ("Bank of England"), ampersands,
possessives of institutions ("St. Paul's Cathedral") and the few cases of "and" that make one name.
"""

import re
from dataclasses import dataclass

from graphrag_lite.text.names.gazetteer import DEMONYMS, GIVEN_NAMES, PLACES
from graphrag_lite.text.names.tokens import AMPERSAND, COMMA, INITIAL, JOIN, Tokens
from graphrag_lite.text.names.types import EVENTS_OF_A_YEAR, INSTITUTION_OWNED, OF_HEADS, PAIR_HEADS
from graphrag_lite.text.names.words import (
    AND_WORDS,
    ARTICLES,
    CROWN_TITLES,
    EPITHETS,
    FOR_WORDS,
    HONORIFICS,
    LEADING_PARTICLES,
    LISTS,
    MONTHS_AND_DAYS,
    OF_WORDS,
    PARTICLES,
    ROMANCE,
    STRONG_ROLES,
    UNITS,
)

MAX_WORDS = 12
_NUMBERED = frozenset("war part type phase class division league volume super bowl chapter king queen pope".split())
_ADJECTIVE_HEADS = OF_HEADS | LISTS["adjective_heads"]
_ADJECTIVE = re.compile(
    r"(?:[aei]l(?:e|es|s)?|aux|iques?|[aéi](?:en|ens|enne|ennes)|éenn?e?s?|ain(?:e|es|s)?|ais(?:e|es)?|ois(?:e|es)?|aires?|"
    r"i[fv]e?s?|[fn]ois|uni(?:e|es|s)?|unid[ao]s|suprême|suprem[oa]|nacional|populaire|rouge|étrangères|intérieure?s?|"
    r"pe[ao]s?|[ií]c[ao]s?|[eo]nse|olímpicos|britannique|publi[cq](?:ue)?s?|nationales?)$"
)
_INSTITUTIONAL = LISTS["institutional"]
_AFTER_NUMBER = UNITS | MONTHS_AND_DAYS
_YEAR_FRAME = frozenset("the a an his her their its our this that le la les l' der die das el los o os il".split())


@dataclass(frozen=True, slots=True)
class Run:
    """Words [first, last) of a candidate; `initial`: a sentence begins with it; `kind`: a type known already."""

    first: int
    last: int
    initial: bool
    anchored: bool = True
    kind: str = ""


def find_runs(tokens: Tokens, language: str, taken: list[Run]) -> list[Run]:
    """Return the runs of capitalised words outside `taken`, in order; `taken` is sorted and doesn't overlap."""
    runs: list[Run] = []
    capital, n = tokens.capital, len(tokens.words)
    blocked = iter([*taken, Run(n, n, False)])
    stop = next(blocked)
    i = 0
    while i < n:
        if i >= stop.first:
            i = max(i, stop.last)
            stop = next(blocked, Run(n + 1, n + 1, False))
            continue
        if not capital[i]:
            i += 1
            continue
        first = i
        last = _extend(tokens, first, min(stop.first, first + MAX_WORDS), language)
        if first and _leading(tokens, first, language):
            first -= 1
        runs.append(Run(first, last, tokens.gaps[first] == INITIAL))
        i = last
    return runs


def _leading(tokens: Tokens, first: int, language: str) -> bool:
    """Tell whether the word before is a particle ("von Neumann") or the year of an event ("2002 Winter Olympics")."""
    before = first - 1
    if tokens.gaps[first] != JOIN:
        return False
    word = tokens.words[before]
    if language == "en" and word in LEADING_PARTICLES and not tokens.function[first]:
        return tokens.gaps[before] == JOIN and before > 0 and not tokens.capital[before - 1]
    if len(word) == 4 and word.isdigit() and word[0] in "12":
        framed = before > 0 and tokens.lower[before - 1] in _YEAR_FRAME and tokens.gaps[before] == JOIN
        framed = framed or tokens.gaps[before] == INITIAL
        return framed and any(w in EVENTS_OF_A_YEAR for w in tokens.lower[first : first + 5])
    return False


def _extend(tokens: Tokens, first: int, limit: int, language: str) -> int:
    """Return the end (exclusive) of the run that begins with word `first`."""
    last = first + 1
    while last < limit:
        step = _next_part(tokens, first, last, limit, language)
        if step == 0:
            break
        last += step
    return last


def _next_part(tokens: Tokens, first: int, k: int, limit: int, language: str) -> int:
    """Return how many words from `k` on belong to the run [first, k), 0 if it ends here."""
    gap = tokens.gaps[k]
    word, low = tokens.words[k], tokens.lower[k]
    if tokens.possessive[k - 1]:
        owned = tokens.lower[k : k + 2]
        if gap == JOIN and tokens.capital[k] and k - first <= 3:
            if owned[0] in INSTITUTION_OWNED:
                return 1
            if (
                len(owned) > 1
                and owned[1] in INSTITUTION_OWNED
                and tokens.gaps[k + 1] == JOIN
                and tokens.capital[k + 1]
            ):
                return 2
        return 0
    if gap == COMMA:
        return int(tokens.capital[k] and low in ("inc", "llc", "ltd", "plc", "corp", "co", "gmbh", "s.a", "jr", "sr"))
    if gap == AMPERSAND:
        return int(tokens.capital[k])
    if gap != JOIN:
        return _nickname(tokens, k, limit)
    if tokens.capital[k]:
        if word == "I" and not _numbered(tokens, first, k):
            return 0
        return 1
    if word[0].isdigit():
        return int(_number_joins(tokens, first, k))
    # "Cour suprême", "Nations unies": only the noun of an institution is capitalised
    headed = language in ROMANCE and tokens.lower[k - 1] in _ADJECTIVE_HEADS and tokens.capital[k - 1]
    if headed and not tokens.function[k] and _ADJECTIVE.search(low):
        return 1
    if k + 1 >= limit:
        return 0
    return _connected(tokens, first, k, limit, language)


def _nickname(tokens: Tokens, k: int, limit: int) -> int:
    """Return the words of a quoted nickname inside a name and the word after it: `Wilfried "Willi" Schneider`."""
    opening = tokens.gap_texts[k].strip()
    if opening not in ('"', "“", "'", "‘") or not tokens.capital[k] or not tokens.gap_texts[k].startswith(" "):
        return 0
    for j in range(k + 1, min(k + 4, limit)):
        closing = tokens.gap_texts[j]
        if closing.strip() in ('"', "”", "'", "’") and closing.endswith(" "):
            return j - k + 1 if tokens.capital[j] and not tokens.function[j] else 0
        if tokens.gaps[j] != JOIN or not tokens.capital[j]:
            return 0
    return 0


def _numbered(tokens: Tokens, first: int, k: int) -> bool:
    """Tell whether "I" at `k` is a numeral ("World War I", "Elizabeth I"), rather than a pronoun."""
    before = tokens.lower[k - 1]
    follows = k + 1 < len(tokens.words) and tokens.gaps[k + 1] == JOIN and not tokens.capital[k + 1]
    if before in _NUMBERED or tokens.lower[first] in CROWN_TITLES:
        return True
    if follows and tokens.lower[k + 1] not in ("of", "was", "is", "and", "in", "von", "de"):
        return False
    if k + 1 < len(tokens.words) and tokens.gaps[k + 1] == JOIN and tokens.capital[k + 1]:
        return True  # "I" inside a run: a title such as "I Want Your Love"
    return before in GIVEN_NAMES


def _number_joins(tokens: Tokens, first: int, k: int) -> bool:
    word = tokens.words[k]
    if not word.isdigit() or len(word) > 4 or tokens.lower[k - 1] in MONTHS_AND_DAYS or tokens.function[k - 1]:
        return False
    if k + 1 < len(tokens.words):
        after = tokens.gap_texts[k + 1]
        if (after[:1] in (".", ",") and after == after.strip() and after) or after.strip().startswith(
            ("%", "-", "–", "/")
        ):
            return False
        if tokens.gaps[k + 1] == JOIN and tokens.lower[k + 1] in _AFTER_NUMBER:
            return False
    if len(word) == 4 and "1000" <= word <= "2099":
        return tokens.lower[k - 1] in EVENTS_OF_A_YEAR
    return tokens.lower[k - 1] not in GIVEN_NAMES or k - first == 1


def _connected(tokens: Tokens, first: int, k: int, limit: int, language: str) -> int:
    """Return how many words join through the lower-case connector at `k`, 0 if it doesn't connect."""
    low = tokens.lower[k]
    after = k + 1
    if low in OF_WORDS or low in FOR_WORDS or low in PARTICLES:
        while after < limit - 1 and after < k + 3 and tokens.gaps[after] == JOIN and not tokens.capital[after]:
            if tokens.lower[after] not in ARTICLES and tokens.lower[after] not in PARTICLES:
                return 0
            after += 1
    if tokens.gaps[after] != JOIN or not tokens.capital[after]:
        return 0
    if tokens.function[after] and tokens.lower[after] != "la" and low != "the":
        return 0
    right = tokens.lower[after]
    if right in MONTHS_AND_DAYS:
        return 0
    width = after - k + 1
    left = tokens.lower[first:k]
    content = [w for w, f in zip(left, tokens.function[first:k], strict=True) if not f] or left
    if low in AND_WORDS:
        return width if _pair(tokens, first, k, content) else 0
    if low == "the" or (low in ARTICLES and low not in PARTICLES):
        return width if right in EPITHETS and len(left) <= 2 else 0
    if low in FOR_WORDS and low not in OF_WORDS:
        return width if content[-1] in OF_HEADS or content[0] in OF_HEADS else 0
    if low in OF_WORDS:
        if low not in ("of", "de", "du", "des", "del", "di", "do", "da", "d'"):
            return width
        return width if _of(tokens, first, k, content, language) else 0
    if low in PARTICLES and low not in ("a", "e", "i", "y", "o"):
        if language == "en" or (len(content) == 1 and content[0] in GIVEN_NAMES):
            return width
        return width if low in ("van", "von", "der", "bin", "ibn", "al") else 0
    return 0


def _of(tokens: Tokens, first: int, k: int, content: list[str], language: str) -> bool:
    """Tell whether "X of Y" is one name: X is an institution, a noble, a saint, or a single word within a sentence."""
    low = tokens.lower[k]
    head = content[-1]
    if content[0] in OF_HEADS or head in OF_HEADS:
        return True
    if any(w in STRONG_ROLES for w in content) or (tokens.words[k - 1].isupper() and len(tokens.words[k - 1]) > 1):
        return False
    if low != "of" and language in ("en", "de", "nl", "") and all(w not in PLACES for w in content):
        return True
    if any(w in HONORIFICS for w in content[:1]):
        return low == "of" and content[0] not in ("mr", "mrs", "ms", "miss", "dr")
    if " ".join(content) in PLACES or head in DEMONYMS or head in MONTHS_AND_DAYS:
        return False
    if head in GIVEN_NAMES:
        return len(content) == 1
    if len(content) > 1:
        return (
            content[0] in _INSTITUTIONAL
            or content[0] in DEMONYMS
            or (low != "of" and content[0] in GIVEN_NAMES and language != "fr")
        )
    if tokens.gaps[first] == INITIAL:
        return low != "of" and not head.endswith("s")
    return True


def _pair(tokens: Tokens, first: int, k: int, content: list[str]) -> bool:
    """Tell whether "X and Y" is one name: "Mr. and Mrs. Y", "Food and Drug Administration", "Smith and Sons"."""
    low = [*tokens.lower[k + 1 : k + 4], "", "", ""]
    if len(content) == 1 and content[0] in HONORIFICS and low[0] in HONORIFICS:
        return True
    if low[0] in ("sons", "son", "co", "company", "daughters", "brothers"):
        return True
    joined = [*tokens.gaps[k + 1 : k + 4], INITIAL, INITIAL, INITIAL]
    if len(content) == 1 and joined[1] == JOIN and low[1] in PAIR_HEADS and content[0] not in PLACES:
        return True
    if len(content) == 1 and joined[1] == joined[2] == JOIN and low[2] in PAIR_HEADS and low[1] not in PLACES:
        return content[0] not in PLACES and content[0] not in GIVEN_NAMES
    if content[0] in PAIR_HEADS and any(w in ("of", "for") for w in tokens.lower[first:k]):
        return low[0] not in PLACES and tokens.lower[k - 1] not in PLACES
    if tokens.gaps[first] == INITIAL and len(content) == 1 and not tokens.function[first] and joined[1] == JOIN:
        # "Marks and Spencer has": one subject with a singular verb
        return low[1] in ("is", "was", "has", "hasn't", "isn't", "wasn't", "est", "a") and content[0] not in PLACES
    return False
