"""Which wordings are one relation, and in which direction: works at, worked at; founded, was founded by.

A preposition belongs to the relation: "works at" and "works for" are two.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from typing import NamedTuple

from graphrag_lite.text.folding import fold
from graphrag_lite.text.function_words import FUNCTION_WORDS
from graphrag_lite.text.relations import is_verb_form
from graphrag_lite.text.word_lists import sections
from graphrag_lite.text.words import terms

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
# Up to seven words; with numbers or marks it is half a sentence.
_WORDING = re.compile(r"[^\W\d_]+(?:['’\-_ ]+[^\W\d_]+){0,6}")
_LISTS = {name: frozenset(words) for name, words in sections("graphrag_lite.text", "relations.txt").items()}
_RELATIVE = frozenset(("which", "who"))
_VERBS, _ATTITUDES = (
    frozenset(sections("graphrag_lite.temporal", "verbs.txt")[name]) for name in ("others", "attitudes")
)
_BEFORE_VERB = _LISTS["adverbs"] | frozenset("actually alone herself himself itself not quite themselves".split())
_OTHER = re.compile(  # who tells of themselves, not of what is named; and what begins another clause
    r"\b(?:i|we|let['’]s|anyone|everyone|someone|that|if|because|when|while|how|whether|than|though|although)\b"
)
_BE = frozenset("am are be been being is was were".split())
_OF_ANY_LANGUAGE = frozenset().union(*FUNCTION_WORDS.values())
_LEFT_OUT = _LISTS["auxiliaries en"] | _LISTS["adverbs"] | _LISTS["determiners"] | _BE
_LEFT_OUT |= frozenset("a an become becomes became".split())


class RelationMeaning(NamedTuple):
    """What a wording stands for. `inverse`: its subject is the relation's object. `rule`: exact or stem."""

    wording: str
    relation: str
    inverse: bool
    rule: str


def resolve(wordings: Mapping[str, int], english: Collection[str]) -> dict[str, RelationMeaning]:
    """Return the relation of each wording that states one: the commonest of those that are one, of equals the first.

    `wordings` says how often each comes up, `english` are those of English documents; in other languages wordings are
    one where they differ in case, width, blanks and underscores alone.

    >>> wordings = {"works at": 3, "WORKED_AT": 1, "was founded by": 2, "founded": 1, "and the": 9}
    >>> for each in resolve(wordings, wordings).values(): print(*each, sep=", ")
    WORKED_AT, works at, False, stem
    founded, was founded by, True, stem
    was founded by, was founded by, False, exact
    works at, works at, False, exact
    """
    keys = {each: relation_key(each, english=each in english) for each in sorted(wordings)}
    keys = {wording: found for wording, found in keys.items() if found[0]}
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for wording, (key, _) in keys.items():
        counts[key][wording] += wordings[wording]
    name = {key: max(sorted(found), key=found.__getitem__) for key, found in counts.items()}
    return {
        wording: RelationMeaning(
            *(wording, name[key], inverse != keys[name[key]][1]),
            "exact" if _plain(wording) == _plain(name[key]) else "stem",
        )
        for wording, (key, inverse) in keys.items()
    }


def relation_key(wording: str, *, english: bool) -> tuple[str, bool]:
    """Return what wordings of one relation have in common, and whether it is told from its object's side ("by").

    The key is empty where a wording is no relation: it has no word but function words, or is half a sentence.

    >>> relation_key("was later acquired by", english=True), relation_key("acquires the", english=True)
    (('acquir', True), ('acquir', False))
    >>> relation_key("is the director of", english=True), relation_key("and the", english=True)
    (('director of', False), ('', False))
    >>> relation_key("was launched", english=True) == relation_key("launched", english=True)
    False
    """
    words = _plain(wording).split() if _WORDING.fullmatch(" ".join(wording.split())) else []
    if not english:
        return "" if _OF_ANY_LANGUAGE.issuperset(words) else " ".join(words), False
    if FUNCTION_WORDS["en"].issuperset(words):
        return "", False
    content = [word for word in words if word not in _LEFT_OUT] or words
    passive = len(content) == 2 and content[-1] == "by" and not _BE.isdisjoint(words)
    of_itself = not passive and content[-1].endswith("ed") and not _BE.isdisjoint(words)  # not "launched"
    stems = ((terms(word, "en") or [word])[0] for word in (content[:-1] if passive else content))
    return "be " * of_itself + " ".join(stems), passive


def states_relation(wording: str, language: str = "en") -> bool:
    """Tell whether words behind a subject say what it does or is: they open with a verb, not with a noun.

    Of a language without endings that tell verbs, it is a form of "be" or "have". What somebody feels or means to do
    is no such statement.

    >>> [states_relation(words) for words in ("who died in", "was carried out in a", "just got a", "worked at")]
    [True, True, True, True]
    >>> [states_relation(words) for words in ("s Prime Minister", "and planning", "we announced with",
    ...  "is so excited for", "can come")]
    [False, False, False, False, False]
    >>> [states_relation(words) for words in ("confirmed they had signed", "plans we've discussed", "said that",
    ...  "unit is in")]
    [True, False, False, False]
    >>> [states_relation(words, "fr") for words in ("a participé aux", "le capitaine en")]
    [True, False]
    """
    words = _plain(wording).split()
    if language != "en":
        return not _LISTS.get(f"auxiliaries {language}", frozenset()).isdisjoint(words[:1])
    words = words[1:] if words[:1] and words[0] in _RELATIVE else words
    verb = next((index for index, word in enumerate(words) if word in _VERBS or is_verb_form(word, "en")), None)
    opens = verb is not None and all(word in _BEFORE_VERB or word.endswith("ly") for word in words[:verb])
    content = [word for word in words if word not in _LEFT_OUT][:2]  # "so excited", "made sure", "can come"
    return opens and _ATTITUDES.isdisjoint([*words[verb:][:1], *content]) and not _OTHER.search(" ".join(words))


def _plain(wording: str) -> str:
    return " ".join(_WORD.findall(fold(wording)))
