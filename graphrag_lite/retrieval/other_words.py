"""How texts tell what a question asks in other words: forms that no stem joins, and ways to tell an attribute."""

import re
from functools import cache
from typing import Any

from graphrag_lite.text.function_words import FUNCTION_WORDS
from graphrag_lite.text.translations import translations
from graphrag_lite.text.word_lists import expressions, toml_file
from graphrag_lite.text.words import terms

RequestedAttribute = tuple[re.Pattern[str], frozenset[str]]
"""What tells an attribute, and the terms of a question that ask for it."""
_LETTER = "[A-Za-zß-ɏЀ-ӿ]"


def _lists() -> dict[str, Any]:
    return toml_file(__package__, "attributes.toml")


@cache
def _listed(*, english: bool) -> dict[str, tuple[str, str]]:
    """Return what asks for each attribute, and what tells it, for questions in English or in another language."""
    listed = {name: ("|".join(o["asks"]), "|".join(o["says"])) for name, o in _lists().items() if isinstance(o, dict)}
    if not english:
        more = expressions(__package__, "attributes_by_language.txt")
        for name in (head.removesuffix(" asks") for head in more if head.endswith(" asks")):
            own = more[f"{name} asks"], more[f"{name} says"]
            asks, says = map("|".join, zip(listed[name], own, strict=True)) if name in listed else own
            listed[name] = asks, says
    return listed


@cache
def attributes(*, english: bool = True) -> dict[re.Pattern[str], str]:
    """Return what asks for an attribute, in English or in any language, and what tells it: an expression."""
    listed = [*_listed(english=english).values()]
    listed += [("|".join(forms), "|".join(rf"\b{form}\b" for form in forms)) for forms in sorted(set(roles().values()))]
    return {re.compile(rf"(?<!{_LETTER})(?:{asks})(?!{_LETTER})", re.I): says for asks, says in listed}


@cache  # of few: to compile all takes a cold question 15 to 30 ms
def _expression(says: str, language: str) -> re.Pattern[str]:
    """Return what tells an attribute in a language, without what is a function word there: "die" and "nach" in German.

    >>> [bool(_expression("(?:die|dies)|tod", language).search("die Brücke")) for language in ("en", "de")]
    [True, False]
    """
    words = " ".join(FUNCTION_WORDS.get(language, ()))
    alternatives = [re.compile(one, re.I) for one in _alternatives(says)] if words and language != "en" else []
    return re.compile("|".join(one.pattern for one in alternatives if not one.search(words)) or says, re.I)


def _alternatives(expression: str) -> list[str]:
    """Return the alternatives of a regular expression.

    >>> _alternatives("a(?:b|c)|[(|]d|e")
    ['a(?:b|c)', '[(|]d', 'e']
    """
    parts, depth, in_set = [""], 0, False
    for piece in re.findall(r"\\.|.", expression):
        if in_set or piece == "[":
            in_set = piece != "]"
        else:
            depth += (piece == "(") - (piece == ")")
        if piece == "|" and not depth and not in_set:
            parts.append("")
        else:
            parts[-1] += piece
    return parts


@cache
def amounts() -> frozenset[str]:
    """Return what tells an amount of money, as patterns: of one thing, and of another beside it."""
    return frozenset(_listed(english=english)[name][1] for name in ("price", "salary") for english in (True, False))


@cache
def pronouns() -> re.Pattern[str]:
    """Return the words of other languages than English for him or her."""
    return re.compile(rf"(?<!\w)(?:{expressions(__package__, 'attributes_by_language.txt')['he']})(?!\w)", re.I)


@cache
def general_terms() -> frozenset[str]:
    """Return the terms that only ask."""
    return frozenset(terms(" ".join(_lists()["general"]), "en"))


@cache
def roles() -> dict[str, tuple[str, str]]:
    """Return the forms of roles that have letters of their own, these and in words, by each in lower case."""
    forms = (tuple(role.split(maxsplit=1)) for role in _lists()["roles"])
    return {form.casefold(): (short, long) for short, long in forms for form in (short, long)}


@cache
def role_terms() -> frozenset[str]:
    """Return the terms that are short for roles, and no names."""
    return frozenset(terms(" ".join(short for short, _ in roles().values()), "en"))


@cache
def _irregular() -> dict[str, set[str]]:
    """Return the terms of irregular verbs of English by each of them."""
    groups = [set(terms(forms, "en")) for forms in _lists()["irregular"]]
    return {term: group for group in groups for term in group}


@cache
def _of_roles() -> dict[str, set[str]]:
    """Return the terms of the words of a role by that of its letters."""
    found = (terms(" ".join(forms), "en") for forms in roles().values())
    return {short: set(words) for short, *words in found}


def other_forms(term: str, language: str) -> set[str]:
    """Return other forms of a term: of an irregular verb or a role's letters, as lists have them, of a German verb.

    >>> sorted(other_forms("cfo", "en")), sorted(other_forms("ate", "en")), other_forms("mill", "en")
    (['chief', 'financi', 'offic'], ['ate', 'eat', 'eaten'], set())
    >>> other_forms("wohnt", "de"), other_forms("wohn", "de")  # no stem joins "wohnen" and "wohnt"
    ({'wohn'}, {'wohnt'})
    """
    if language == "de":
        return {term[:-1].removesuffix("e") if term.endswith("t") else f"{term}t"}
    return _irregular().get(term) or _of_roles().get(term, set()) if language == "en" else set()


def in_other_words(term: str, language: str) -> set[str]:
    """Return a term with those of the forms and words that mean the same, as far as lists have them.

    >>> sorted(in_other_words("eat", "en")), sorted(in_other_words("wife", "fr"))
    (['ate', 'eat', 'eaten'], ['wife'])
    """
    others = {other for _, word in translations(term, language, [language]) for other in terms(word, language)}
    return {term, *others, *(_irregular().get(term, ()) if language == "en" else ())}


def requested_attributes(question: str, language: str) -> list[RequestedAttribute]:
    """Return what tells each attribute that a question in `language` asks for, and the terms that ask for it.

    >>> [(says, asking)] = requested_attributes("Where was Ann born?", "en")
    >>> bool(says.search("Ann (4 May 1950 – 2001)")), sorted(asking)
    (True, ['born'])
    """
    known = attributes(english=language == "en")
    found = ((says, asking_terms(asks, question, language)) for asks, says in known.items())
    return [(_expression(says, language), asking) for says, asking in found if asking]


def asking_terms(asks: re.Pattern[str], question: str, language: str) -> frozenset[str]:
    """Return the terms with which a question asks for an attribute, without those between.

    >>> sorted(asking_terms(re.compile("how much did .* cost"), "how much did the mill cost", "en"))
    ['cost', 'how', 'much']
    """
    words = [word for phrase in asks.findall(question) for word in (*phrase.split()[:2], phrase.split()[-1])]
    return frozenset(terms(" ".join(words), language))
