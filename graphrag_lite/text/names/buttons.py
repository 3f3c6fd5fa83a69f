"""What is written on buttons, keys and tabs, as manuals point to it: "Click Add User", "mit dem Knopf Suchen"."""

from functools import cache

from graphrag_lite.text.names.lists import BUTTONS
from graphrag_lite.text.names.runs import WordRun
from graphrag_lite.text.names.tokens import JOIN, Tokens
from graphrag_lite.text.names.words import ARTICLES, DETERMINERS

_MARKS = frozenset(("", ":", '"', "“", "„", "«", "'", "‘"))  # between the words and the button
_BETWEEN = ARTICLES | DETERMINERS | frozenset("on auf en sur su em no na sul nel в на".split())
_OR = frozenset("or and oder und ou et o y e или и lub i nebo a of en veya hoặc".split())
_NO_ORDER = frozenset("to who we they i he she".split())  # "to choose Azure"
_MAX_WORDS = 3  # between: "klicken Sie auf den"


@cache
def _words(language: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return what is done with buttons, and what they are called."""
    return BUTTONS.get(f"{language} verbs", frozenset()), BUTTONS.get(f"{language} parts", frozenset())


def is_button(tokens: Tokens, run: WordRun, language: str) -> bool:
    """Tell whether a run is what a button, a key or a tab says.

    >>> from graphrag_lite.text.names.tokens import tokenize
    >>> texts = ("Now press Add User.", "The press Add User")
    >>> [is_button(tokenize(text, "en"), WordRun(2, 4, False), "en") for text in texts]
    [True, False]
    """
    verbs, parts = _words(language)
    if run.last < len(tokens.words) and tokens.gaps[run.last] == JOIN and tokens.lower[run.last] in parts:
        return True
    at = first = _first_of_several(tokens, run.first)
    if not at or tokens.gap_texts[at].strip() not in _MARKS or "\n\n" in tokens.gap_texts[at]:
        return False
    for at in range(first - 1, max(-1, first - 2 - _MAX_WORDS), -1):
        word = tokens.lower[at]
        if word in parts:
            return True
        if word in verbs:
            before = tokens.lower[at - 1]
            begins = not at or tokens.gaps[at] != JOIN
            return begins or (before not in DETERMINERS and before not in _NO_ORDER and _asks(tokens, at - 1, language))
        if word not in _BETWEEN or tokens.gaps[at] != JOIN:
            return False
    return False


def _asks(tokens: Tokens, before: int, language: str) -> bool:
    """Tell whether a verb behind word `before` may be an order: in English not "customers choose"."""
    return language != "en" or tokens.function[before]


def _first_of_several(tokens: Tokens, first: int) -> int:
    """Return where the words begin that an "or" joins to word `first`: "press Cancel or Save"."""
    while first > 2 and tokens.lower[first - 1] in _OR and tokens.capital[first - 2]:
        first -= 2
        while first and tokens.capital[first - 1] and tokens.gaps[first] == JOIN:
            first -= 1
    return first
