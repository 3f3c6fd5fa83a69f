"""Cut a run of capitalised words down to names: openers, roles, honorifics, dates and headings go.

"However, IBM CEO Ginni Rometty" is "IBM" and the person "Ginni Rometty"; "Chapter One" is nothing.
"""

import re

from graphrag_lite.text.names.gazetteer import DEMONYMS, GIVEN_NAMES
from graphrag_lite.text.names.runs import Run
from graphrag_lite.text.names.tokens import ACRONYMS, INITIAL, JOIN, Tokens
from graphrag_lite.text.names.types import OF_HEADS, PAIR_HEADS, kind_of
from graphrag_lite.text.names.words import (
    AND_WORDS,
    ARTICLES,
    CORPORATE,
    CROWN_TITLES,
    HONORIFICS,
    LISTS,
    MONTHS_AND_DAYS,
    NO_NAMES,
    NUMBER_WORDS,
    OF_WORDS,
    ROLES,
    ROMANCE,
    STRONG_ROLES,
    STRUCTURE,
    closed_class,
)

_ROMAN = re.compile(r"[IVXL]+$")
_DAYS = frozenset("monday tuesday wednesday thursday friday saturday sunday".split())
_BEFORE_MONTH = frozenset("in since until by during of from on last next early late mid".split())
_AFTER_DAY = frozenset("times night post mail mirror telegraph express herald morning football club school".split())
# Roles that stay before a single name: "President Trump" is no other name of anyone called Trump.
_KEPT_ROLES = frozenset("president senator governor professor chancellor".split())
_PRONOUNS = LISTS["pronouns"]
_CUT_BEFORE_FULL_NAMES = LISTS["cut_before_full_names"]


def split_run(tokens: Tokens, run: Run, language: str) -> list[Run]:
    """Cut openers, roles, dates and headings off `run`; return what is left as runs, in order."""
    first, last, initial = run.first, run.last, run.initial
    low, function = tokens.lower, tokens.function
    while first < last and initial and function[first]:
        if (
            low[first] in GIVEN_NAMES
            and first + 1 < last
            and not function[first + 1]
            and tokens.gaps[first + 1] == JOIN
        ):
            break
        first, initial = first + 1, False
    while first < last and function[first] and not _title_start(tokens, first, last):
        first += 1
    closed = closed_class(language)
    while (
        first < last
        and low[last - 1] in closed
        and not (tokens.words[last - 1] in ACRONYMS or (last - first > 1 and tokens.words[last - 1] == "I"))
    ):
        last -= 1
    if last - first == 1 and function[first]:
        return []
    while (
        last - 1 > first
        and not tokens.capital[last - 1]
        and not tokens.words[last - 1].isdigit()
        and low[last - 1] not in CORPORATE
    ):
        if language in ROMANCE and last - first == 2:
            break
        last -= 1
    if first >= last:
        return []
    if (
        low[first] in STRUCTURE
        and (last - first > 1 or initial)
        and all(w in NUMBER_WORDS or w.isdigit() or w in STRUCTURE for w in low[first + 1 : last])
    ):
        return []
    return [
        part
        for piece in _split_roles(tokens, Run(first, last, initial))
        for part in [_trimmed(tokens, piece)]
        if part is not None
    ]


def _title_start(tokens: Tokens, first: int, last: int) -> bool:
    """Tell whether a capitalised function word within a sentence begins a name ("The Hague", "In Cold Blood")."""
    if last - first < 2 or tokens.gaps[first] == INITIAL or not tokens.capital[first] or not tokens.capital[first + 1]:
        return False
    return tokens.lower[first] not in _PRONOUNS or (last - first > 2 and all(tokens.capital[first:last]))


def _split_roles(tokens: Tokens, run: Run) -> list[Run]:
    """Cut `run` at roles: "IBM CEO Ginni Rometty" is "IBM" and the person "Ginni Rometty"."""
    low = tokens.lower
    roles = [i for i in range(run.first, run.last) if low[i] in STRONG_ROLES]
    if not roles or (any(w in OF_WORDS for w in low[run.first : run.last]) and low[run.first] not in ROLES):
        return [run]
    left = right = roles[0]
    while left > run.first and low[left - 1] in ROLES:
        left -= 1
    while right < run.last and (low[right] in ROLES or (right < run.last - 1 and low[right] in OF_WORDS)):
        right += 1
    pieces: list[Run] = []
    if right == run.last and left > run.first and low[run.first] in HONORIFICS:
        return [run]
    if left > run.first:
        pieces.append(Run(run.first, left, run.initial))
    if right < run.last:
        named = right - left and low[right - 1] in ROLES and low[right] not in PAIR_HEADS and low[right] not in OF_HEADS
        if not named and right - left == 1 and left == run.first:
            return [run]
        alone = run.last - right == 1 and left == run.first and low[right - 1] in STRONG_ROLES
        first = right - 1 if alone and low[right - 1] in _KEPT_ROLES else right
        pieces.append(Run(first, run.last, run.initial and first == run.first, kind="person" if named else ""))
    elif not pieces and right - left > 1 and len([i for i in range(left, right) if low[i] not in ROLES]) > 0:
        return [run]
    return pieces


def _trimmed(tokens: Tokens, run: Run) -> Run | None:
    """Cut dates, honorifics before full names and adjectives of nations; None if no name is left."""
    low, words = tokens.lower, tokens.words
    first, last = run.first, run.last
    while first < last and low[first] in MONTHS_AND_DAYS:
        if last - first > 1 and (
            (low[first] in _DAYS and low[first + 1] in _AFTER_DAY)
            or (
                low[first] in GIVEN_NAMES
                and not words[first + 1].isdigit()
                and not words[first + 1].isupper()
                and not (first and (words[first - 1].isdigit() or low[first - 1] in _BEFORE_MONTH))
            )
        ):
            break
        first += 1
    while last > first + 1 and low[last - 1] in MONTHS_AND_DAYS and (last - first > 2 or low[last - 1] not in _DAYS):
        if (low[last - 1] in GIVEN_NAMES and low[last - 2] in GIVEN_NAMES | HONORIFICS) or tokens.lower[
            last - 2
        ] in OF_WORDS:
            break
        last -= 1
    while first < last and (
        tokens.function[first]
        and low[first] not in ARTICLES
        and low[first] not in GIVEN_NAMES
        and not tokens.capital[first]
    ):
        first += 1
    if first >= last:
        return None
    length = last - first
    if length >= 3 and low[first] in DEMONYMS and low[first + 1] in GIVEN_NAMES and tokens.gaps[first + 1] == JOIN:
        first, length = first + 1, length - 1
        run = Run(first, last, False, run.anchored, "person")
    while length >= 3 and low[first] in _CUT_BEFORE_FULL_NAMES and low[first + 1] not in AND_WORDS:
        first, length = first + 1, length - 1
        run = Run(first, last, False, run.anchored, run.kind or "person")
    if length >= 3 and low[first] in CROWN_TITLES and _ROMAN.match(words[last - 1]):
        first, length = first + 1, length - 1
        run = Run(first, last, False, run.anchored, "person")
    if length == 1:
        word, folded = words[first], low[first]
        if (
            (len(word.strip(".")) < 2 and not word.isdigit())
            or folded in NO_NAMES
            or folded in NUMBER_WORDS
            or folded in STRUCTURE
        ):
            return None
        if "(" in tokens.gap_texts[first] + tokens.gap_texts[max(0, first - 1)] and kind_of(folded):
            return None  # "The Rack (1915 Film)"
        if folded in HONORIFICS or folded in ROLES or _ROMAN.match(word) or tokens.function[first]:
            return None
        if folded in DEMONYMS and (not folded.endswith("ns") or _adjectival(tokens, last)):
            return None
    elif all(w in DEMONYMS or w in ROLES or w in NUMBER_WORDS for w in low[first:last]):
        return None
    return Run(first, last, run.initial and first == run.first, run.anchored, run.kind)


def _adjectival(tokens: Tokens, after: int) -> bool:
    return after < len(tokens.words) and tokens.gaps[after] == JOIN
