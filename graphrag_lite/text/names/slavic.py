"""Slavic languages: names decline, and only the adjective of an institution's name has a capital: Кировский район."""

import re

from graphrag_lite.text.names.gazetteer import GIVEN_NAMES, PLACES
from graphrag_lite.text.names.lists import FORMS, list_mark
from graphrag_lite.text.names.runs import WordRun
from graphrag_lite.text.names.tokens import JOIN, Tokens
from graphrag_lite.text.names.types import evidence_of_words, kind_of

SLAVIC = frozenset(("ru", "uk", "pl", "cs"))
_OF_A_PLACE = re.compile("ск(?:ом|ому|их)$|(?:ые|ие|ыми|ими|ое|ее)$")  # "на Тихоокеанском побережье", "Морские змеи"
_OFFICE_FIRST = SLAVIC | {"tr"}
_ADJECTIVE, _NO_SURNAME = (re.compile(f"(?:{FORMS[f'slavic {kind}']})$") for kind in ("adjective", "no surname"))


def split_before_person(tokens: Tokens, run: WordRun, language: str) -> list[WordRun]:
    """Cut `run` before a given name behind a place or an office, without the offices: "Президент России Иван"."""
    marked = [list_mark(word, language) for word in tokens.lower[run.first : run.last]]
    opened = language == "tr" and run.initial and len(marked) > 2 and marked[0] not in GIVEN_NAMES
    if opened and marked[1] in GIVEN_NAMES:  # "Konuşmacılardan Ali Şimşek"
        return [WordRun(run.first + 1, run.last, False, kind="person")]
    offices = [kind_of(word) == "person" for word in marked]
    for i in range(len(marked) - 1, 0, -1):
        before = marked[i - 1]
        place = before in PLACES and (":" in before or (len(marked) > 2 and before not in GIVEN_NAMES))
        given = marked[i].rpartition(":")[2] in GIVEN_NAMES or (language == "tr" and not offices[i])
        if given and ((offices[i - 1] and language in _OFFICE_FIRST) or (place and language != "tr")):
            if language == "tr" and offices[i - 1]:  # "Genel Yayın Yönetmeni Murat Sabuncu"
                return [WordRun(run.first + i, run.last, False, kind="person")]
            ahead = WordRun(run.first + offices[0], run.first + i - offices[i - 1], run.initial)
            person = WordRun(run.first + i, run.last, False, kind="person")
            return [ahead, person] if ahead.first < ahead.last else [person]
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
        sure = run.anchored and not (run.initial and alone)
        return run._replace(first=run.first + opened, last=last + 1, initial=run.initial and not opened, anchored=sure)
    return None if alone and (_NO_SURNAME.search(word) or _OF_A_PLACE.search(word)) else run
