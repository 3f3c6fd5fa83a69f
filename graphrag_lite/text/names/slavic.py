"""Slavic languages: names decline, and only the adjective of an institution's name has a capital: Кировский район."""

import re

from graphrag_lite.text.names.gazetteer import GIVEN_NAMES, PLACES
from graphrag_lite.text.names.lists import FORMS, list_mark
from graphrag_lite.text.names.runs import WordRun
from graphrag_lite.text.names.tokens import JOIN, Tokens
from graphrag_lite.text.names.types import evidence_of_words, kind_of

SLAVIC = frozenset(("ru", "uk", "pl", "cs"))
_ADJECTIVE, _NO_SURNAME = (re.compile(f"(?:{FORMS[f'slavic {kind}']})$") for kind in ("adjective", "no surname"))


def split_before_person(tokens: Tokens, run: WordRun, language: str) -> list[WordRun]:
    """Cut `run` before a given name behind a place or an office, without the offices: "Президент России Иван"."""
    marked = [list_mark(word, language) for word in tokens.lower[run.first : run.last]]
    offices = [kind_of(word) == "person" for word in marked]
    for i in range(len(marked) - 1, 0, -1):
        if marked[i].rpartition(":")[2] in GIVEN_NAMES and (offices[i - 1] or marked[i - 1] in PLACES):
            before = WordRun(run.first + offices[0], run.first + i - offices[i - 1], run.initial)
            person = WordRun(run.first + i, run.last, False, kind="person")
            return [before, person] if before.first < before.last else [person]
    return [run]


def with_head(tokens: Tokens, run: WordRun, language: str) -> WordRun | None:
    """Add the noun in small letters to an adjective: "Кировский район"; an adjective before any other is no name."""
    last = run.last
    if last == len(tokens.words) or tokens.gaps[last] != JOIN or tokens.capital[last] or tokens.function[last]:
        return run
    word, alone = tokens.lower[last - 1], last - run.first == 1
    if not _ADJECTIVE.search(word):
        return run
    if evidence_of_words([list_mark(tokens.lower[last], language)], [tokens.words[last]]):
        opened = run.initial and last - run.first == 2  # "Жители Кировского района"
        return run._replace(first=run.first + opened, last=last + 1, initial=run.initial and not opened)
    return None if alone and _NO_SURNAME.search(word) else run
