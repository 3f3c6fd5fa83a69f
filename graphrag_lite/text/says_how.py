"""Whether a sentence says how two of its names are related, although no label could be read off the words between them.

It does where the first name is the subject of what the words say: it opens its clause, and a verb follows it. Of the
languages whose verbs are not known, a word follows that is no preposition, conjunction or article. In Japanese and
Korean it is the one topic or subject, and a case follows the second name. Chinese tells it by labels alone.
"""

import re

from graphrag_lite.text.function_words import FUNCTION_WORDS
from graphrag_lite.text.names.name import Name
from graphrag_lite.text.names.words import ARTICLES
from graphrag_lite.text.relations import AUXILIARIES, CLAUSAL, is_finite, opens_clause, without_adverb
from graphrag_lite.text.word_lists import expressions

_FORMS = {name: re.compile(form) for name, form in expressions(__package__, "says_how.txt").items()}
_WORD = re.compile(r"[^\W\d_][\w'’-]*")
_CLAUSE_END = re.compile(r"[.!?,;:()\n—–\"“”„«»]")
_BEFORE = 60  # characters beside a name
_DENIES = frozenset(("not", "never", "cannot", "no"))


def says_how(text: str, a: Name, b: Name, language: str) -> bool:
    """Tell whether what stands between two names says what the first is to the second.

    >>> def told(text, *names, language="en"):
    ...     a, b = (Name(text.index(name), text.index(name) + len(name), name, "unknown", True) for name in names)
    ...     return says_how(text, a, b, language)
    >>> told("Acme (Oslo) quietly sold its mines to Bo.", "Acme", "Bo"), told("Miners at Acme saw Bo.", "Acme", "Bo")
    (True, False)
    >>> told("Acme said it would see Bo.", "Acme", "Bo"), told("Firma Acme baut Bo nach.", "Acme", "Bo", language="de")
    (False, True)
    """
    between = text[a.end : b.start]
    if language == "zh":
        return False
    if language in ("ja", "ko"):
        return bool(_FORMS[f"{language} topic"].fullmatch(between) and _FORMS[f"{language} case"].match(text, b.end))
    if language == "en" and (_FORMS["based"].fullmatch(between) or _is_called(text, a, between)):
        return True
    aside = _FORMS["aside"].match(between)
    after = _WORD.findall(between[aside.end() :] if aside else between)
    if not after or between.startswith(("'", "’", "-")):
        return False
    relative = aside and _FORMS["relative"].match(aside[0])  # "the pilot was Ann, who"
    if not (relative or is_subject(text, a, language)) or _acts(
        _WORD.findall(_CLAUSE_END.split(text[b.end : b.end + _BEFORE])[0]), language
    ):
        return False
    if language == "en":
        transitive = len(after) == 1 and after[0].endswith("s")  # "insulin lowers glucose"
        return transitive or (not _DENIES.intersection(after) and _acts(after, language) and after[0] not in CLAUSAL)
    known = FUNCTION_WORDS.get(language, frozenset()) - AUXILIARIES.get(language, frozenset())
    return after[0].islower() and after[0] not in known


def opens_between(text: str, name: Name) -> bool:
    """Tell whether something is between a name and the one that "and" joins to it: "a pact between Ann and Bo"."""
    return bool(_FORMS["between"].search(text, max(0, name.start - _BEFORE), name.start))


def is_subject(text: str, name: Name, language: str) -> bool:
    """Tell whether a name opens its clause: in other languages than English, behind articles and capitals alone."""
    before = _CLAUSE_END.split(text[max(0, name.start - _BEFORE) : name.start])[-1]
    if language == "en":
        return opens_clause(text, name.start) and not _FORMS["when"].search(before)
    return all(word[0].isupper() or word in ARTICLES for word in _WORD.findall(before))


def _is_called(text: str, a: Name, between: str) -> bool:
    """Tell whether it is said who something of the first name is: "The director of Acme is Ann"."""
    return bool(_FORMS["is"].fullmatch(between) and _FORMS["of"].search(text, max(0, a.start - _BEFORE), a.start))


def _acts(words: list[str], language: str) -> bool:
    """Tell whether `words`, which follow a name, begin with a finite verb."""
    rest = without_adverb([word.casefold() for word in words[:4]]) if words else []
    return bool(rest) and is_finite(rest, language)
