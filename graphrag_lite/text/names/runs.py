"""Runs of words that may be one name: which words join.

A run is a half-open range of word indices. Joining is greedy from left to right: capitalised words side by side,
initials and abbreviations with their full stops, numbers ("Apollo 11"), connectors ("Bank of England"), ampersands,
possessives of institutions ("St. Paul's Cathedral") and the few cases of "and" that make one name.
"""

import re
from typing import NamedTuple

from graphrag_lite.text.names import words as vocab
from graphrag_lite.text.names.gazetteer import DEMONYMS, GIVEN_NAMES, PLACES
from graphrag_lite.text.names.lists import FORMS, LISTED, list_mark
from graphrag_lite.text.names.tokens import AMPERSAND, COMMA, INITIAL, JOIN, Tokens
from graphrag_lite.text.names.types import EVENTS_OF_A_YEAR, INSTITUTION_OWNED, OF_HEADS, PAIR_HEADS
from graphrag_lite.text.names.vietnamese import is_second_syllable

MAX_WORDS = 12
_NUMBERED = frozenset("war part type phase class division league volume super bowl chapter king queen pope".split())
_ADJECTIVE_HEADS = OF_HEADS | vocab.LISTS["adjective_heads"]
_ADJECTIVE = re.compile(f"(?:{FORMS['romance adjective']})$")
_INSTITUTIONAL = vocab.LISTS["institutional"]
_SIZE = re.compile(r"\d+[BM]")
# What joins names in other languages: "in Santiago den Rücktritt", "Zbyszka do Ameryki", "İkimiz de Tanrı".
_SLAVIC_ONLY = frozenset(("do", "da", "na", "za", "di", "a", "i", "o", "e"))
_NO_CONNECTORS = {
    "de": frozenset(("den", "dem")),
    "tr": frozenset(("de", "da", "en", "on", "o", "ile")),
    "vi": frozenset(("do", "da", "la", "en", "on", "e", "a")),
    "pl": _SLAVIC_ONLY - {"i"},
    "cs": _SLAVIC_ONLY,
}
_AFTER_NUMBER = vocab.UNITS | vocab.MONTHS_AND_DAYS
_YEAR_FRAME = frozenset("the a an his her their its our this that le la les l' der die das el los o os il".split())


class WordRun(NamedTuple):
    """Words [first, last) of a candidate; `initial`: a sentence begins with it; `kind`: a type known already."""

    first: int
    last: int
    initial: bool
    anchored: bool = True
    kind: str = ""


def find_runs(tokens: Tokens, language: str, taken: list[WordRun]) -> list[WordRun]:
    """Return the runs of capitalised words outside `taken`, in order; `taken` is sorted and doesn't overlap."""
    runs: list[WordRun] = []
    i = 0
    capital = [*tokens.capital, True]
    for stop in [*taken, WordRun(len(tokens.words), len(tokens.words), False)]:
        while (i := capital.index(True, i)) < stop.first:
            first, limit = i, min(stop.first, i + MAX_WORDS)
            i += 1
            while i < limit and (step := _next_part(tokens, first, i, limit, language)):
                i += step
            if first and _leading(tokens, first, language):
                first -= 1
            runs.append(WordRun(first, i, tokens.gaps[first] == INITIAL))
        i = max(i, stop.last)
    return runs


def _leading(tokens: Tokens, first: int, language: str) -> bool:
    """Tell whether the word before is a particle ("von Neumann") or the year of an event ("2002 Winter Olympics")."""
    before = first - 1
    if tokens.gaps[first] != JOIN:
        return False
    word = tokens.words[before]
    inside = before > 0 and tokens.gaps[before] == JOIN
    if language == "en" and word in vocab.LEADING_PARTICLES and not tokens.function[first]:
        return inside and not tokens.capital[before - 1]
    if len(word) != 4 or not word.isdigit() or word[0] not in "12":
        return False
    framed = tokens.gaps[before] == INITIAL or (inside and tokens.lower[before - 1] in _YEAR_FRAME)
    return framed and not EVENTS_OF_A_YEAR.isdisjoint(tokens.lower[first : first + 5])


def _next_part(tokens: Tokens, first: int, k: int, limit: int, language: str) -> int:
    """Return how many words from `k` on belong to the run [first, k), 0 if it ends here."""
    gap, capital = tokens.gaps[k], tokens.capital[k]
    word, low = tokens.words[k], tokens.lower[k]
    if tokens.possessive[k - 1]:
        return _owned(tokens, k) if gap == JOIN and capital and k - first <= 3 else 0
    if gap == COMMA:
        return int(capital and low in ("inc", "llc", "ltd", "plc", "corp", "co", "gmbh", "s.a", "jr", "sr"))
    if gap == AMPERSAND:
        return int(capital)
    if gap != JOIN:
        return _nickname(tokens, k, limit)
    if capital:
        return int(word != "I" or _numbered(tokens, first, k))
    if word[0].isdigit():
        counts = language == "tr" and k + 1 < len(tokens.words) and not tokens.capital[k + 1]  # "Zirvede 5 takım"
        return int(not (counts and tokens.gaps[k + 1] == JOIN) and _number_joins(tokens, first, k))
    if language == "vi" and is_second_syllable(tokens, k):
        return 1
    # "Cour suprême", "Nations unies": only the noun of an institution is capitalised
    headed = language in vocab.ROMANCE and tokens.lower[k - 1] in _ADJECTIVE_HEADS and tokens.capital[k - 1]
    if headed and not tokens.function[k] and _ADJECTIVE.search(low):
        return 1
    return _connected(tokens, first, k, limit, language) if k + 1 < limit else 0


def _owned(tokens: Tokens, k: int) -> int:
    """Return how many words from `k` on an institution's possessive takes into its name."""
    if tokens.lower[k] in INSTITUTION_OWNED:
        return 1
    after = k + 1
    joined = after < len(tokens.words) and tokens.gaps[after] == JOIN and tokens.capital[after]
    return 2 if joined and tokens.lower[after] in INSTITUTION_OWNED else 0


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
    if tokens.lower[k - 1] in _NUMBERED or tokens.lower[first] in vocab.CROWN_TITLES:
        return True
    if k + 1 < len(tokens.words) and tokens.gaps[k + 1] == JOIN:
        if tokens.capital[k + 1]:
            return True  # "I" inside a run: a title such as "I Want Your Love"
        if tokens.lower[k + 1] not in ("of", "was", "is", "and", "in", "von", "de"):
            return False
    return tokens.lower[k - 1] in GIVEN_NAMES


def _number_joins(tokens: Tokens, first: int, k: int) -> bool:
    word, before = tokens.words[k], tokens.lower[k - 1]
    if _SIZE.fullmatch(word):  # "Mistral 7B Instruct"
        return k + 1 < len(tokens.words) and tokens.gaps[k + 1] == JOIN and tokens.capital[k + 1]
    if not word.isdigit() or len(word) > 4 or before in vocab.MONTHS_AND_DAYS or tokens.function[k - 1]:
        return False
    if k + 1 < len(tokens.words):
        after = tokens.gap_texts[k + 1]
        if after.strip().startswith(("%", "-", "–", "/")) or (after[:1] in (".", ",") and after == after.strip()):
            return False
        if tokens.gaps[k + 1] == JOIN and tokens.lower[k + 1] in _AFTER_NUMBER:
            return False
    if len(word) == 4 and "1000" <= word <= "2099":
        return before in EVENTS_OF_A_YEAR
    return before not in GIVEN_NAMES or k - first == 1


def _connected(tokens: Tokens, first: int, k: int, limit: int, language: str) -> int:
    """Return how many words join through the lower-case connector at `k`, 0 if it doesn't connect."""
    low = tokens.lower[k]
    of, by, particle = low in vocab.OF_WORDS, low in vocab.FOR_WORDS, low in vocab.PARTICLES
    if low in _NO_CONNECTORS.get(language, ()):
        return 0
    after = k + 1
    if of or by or particle:
        while after < limit - 1 and after < k + 3 and tokens.gaps[after] == JOIN and not tokens.capital[after]:
            if tokens.lower[after] not in vocab.ARTICLES and tokens.lower[after] not in vocab.PARTICLES:
                return 0
            after += 1
    right = tokens.lower[after]
    if tokens.gaps[after] != JOIN or not tokens.capital[after]:
        return 0
    if right in vocab.MONTHS_AND_DAYS and (tokens.lower[k - 1], right) != ("rio", "janeiro"):
        return 0
    if tokens.function[after] and right not in ("la", "são") and low != "the":
        return 0
    left = tokens.lower[first:k]
    if language == "de" and not _joins_german(left):
        return 0
    content = [tokens.lower[i] for i in range(first, k) if not tokens.function[i]] or left
    if low in vocab.AND_WORDS:
        joins = _pair(tokens, first, k, content)
    elif low == "the" or (low in vocab.ARTICLES and not particle):
        joins = right in vocab.EPITHETS and len(left) <= 2
    elif by and not of:
        joins = content[-1] in OF_HEADS or content[0] in OF_HEADS
    elif of:
        weak = low in ("of", "de", "du", "des", "del", "di", "do", "da", "d'")
        joins = not weak or _of(tokens, first, k, content, language)
    else:
        surname = language == "en" or low in ("van", "von", "der", "bin", "ibn", "al")
        surname = surname or (len(content) == 1 and content[0] in GIVEN_NAMES)
        joins = particle and surname and low not in ("a", "e", "i", "y", "o")
    return after - k + 1 if joins else 0


def _joins_german(words: list[str]) -> bool:
    """Tell whether a name goes on after `words` and "von" or "der": nouns are joined so all the time."""
    ends = (words[0], words[-1])
    return words[0] in GIVEN_NAMES or any(word in OF_HEADS or word in vocab.HONORIFICS for word in ends)


def _of(tokens: Tokens, first: int, k: int, content: list[str], language: str) -> bool:
    """Tell whether "X of Y" is one name: X is an institution, a noble, a saint, or a single word within a sentence."""
    of = tokens.lower[k] == "of"
    start, head = content[0], content[-1]
    if language in vocab.ROMANCE and language in LISTED and list_mark(start, language) in OF_HEADS:
        return True
    if start in OF_HEADS or head in OF_HEADS:
        return True
    acronym = tokens.words[k - 1].isupper() and len(tokens.words[k - 1]) > 1
    if acronym or not vocab.STRONG_ROLES.isdisjoint(content):
        return False
    if not of and language in ("en", "de", "nl", "") and PLACES.isdisjoint(content):
        return True
    if start in vocab.HONORIFICS:
        saint = language in vocab.ROMANCE and start in ("san", "santa", "santo", "são")
        return saint or (of and start not in ("mr", "mrs", "ms", "miss", "dr"))
    if " ".join(content) in PLACES or head in DEMONYMS or head in vocab.MONTHS_AND_DAYS:
        return False
    if head in GIVEN_NAMES:
        return len(content) == 1
    if len(content) > 1:
        named = not of and start in GIVEN_NAMES and language != "fr"
        return named or start in _INSTITUTIONAL or start in DEMONYMS
    return tokens.gaps[first] != INITIAL or (not of and not head.endswith("s"))


def _pair(tokens: Tokens, first: int, k: int, content: list[str]) -> bool:
    """Tell whether "X and Y" is one name: "Mr. and Mrs. Y", "Food and Drug Administration", "Smith and Sons"."""
    low = [*tokens.lower[k + 1 : k + 4], "", "", ""]
    if len(content) == 1 and content[0] in vocab.HONORIFICS and low[0] in vocab.HONORIFICS:
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
