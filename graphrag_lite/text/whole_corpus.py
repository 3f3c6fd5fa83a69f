"""Questions about a corpus as a whole, told from those about something in it, by the words that are left of them."""

import re
from functools import cache
from typing import Literal, get_args

from graphrag_lite.text.word_lists import expressions, sections
from graphrag_lite.text.words import ASKING, terms

Aspect = Literal[
    "person", "organization", "location", "product", "event", "concept", "change", "problem", "disagreement"
]
# "What is this about?": in most languages, all words of that are function words, too.
_ABOUT = re.compile(r"\b(?:about|in here|worum|wovon|quoi|waarover|sobre qu[eé]|di (?:che )?cosa)\b", re.I)
_PHRASES = re.compile(rf"\b(?:{expressions(__package__, 'whole_corpus.txt')['phrases']})\b", re.I)
# "T-7"; "When is the event?"
_OF_ONE = re.compile(r"\b[A-Z]+-\d|^\W*(?:[Ww]hen|[Ww]hat time) (?:is|was|will|does|did)\b")
_THE_ONE = re.compile(r"\W*what(?:'s|’s| is| was) the [a-z]+[^s\W]\W*$", re.I)  # "What is the product?": one of them
_WHO = re.compile(r"\W*who (?!is|was)", re.I)  # "Who keeps turning up?"
LANGUAGES = ("en", "fr", "de", "es", "it", "pt", "nl", "ru", "pl", "cs", "zh", "ja", "ko", "ar", "hi")


def about_something(question_terms: list[str], language: str) -> list[str]:
    """Return those terms of a question in `language` (ISO 639-1) that do not only ask, nor mean the corpus itself.

    Who speaks in a corpus, and that it is said, is left out where the question says what about.

    >>> about_something(terms("Which guests share views on data privacy?", "en"), "en")
    ['data', 'privaci']
    """
    about = [term for term in question_terms if term not in ASKING and term not in _terms_of("corpus", language)]
    return [term for term in about if term not in _terms_of("frame", language)] or about


def corpus_aspects(text: str, language: str) -> set[Aspect] | None:
    """Return which aspects of the whole corpus a question asks about, none of them for an overview.

    None where it asks about something in the corpus. Years and the like are no such thing.

    >>> (corpus_aspects("What are the main themes?", "en"),
    ...  sorted(corpus_aspects("Who are the most important people?", "en")))
    (set(), ['person'])
    >>> corpus_aspects("What is the product?", "en"), corpus_aspects("What are the products?", "en")
    (None, {'product'})
    """
    if not language:  # too few words to tell it
        return next((found for code in LANGUAGES if (found := corpus_aspects(text, code)) is not None), None)
    if _OF_ONE.search(text):
        return None
    text, n_phrases = _PHRASES.subn("", text)
    own = set(terms(text, language)) - ASKING
    found = {aspect for aspect in get_args(Aspect) if not own.isdisjoint(_terms_of(aspect, language))}
    if "change" in found and any(term.isdecimal() for term in own):  # "What is different in 2023?"
        found.discard("disagreement")
    if found and _THE_ONE.match(text):
        return None
    aspect_terms = frozenset(term for aspect in found for term in _terms_of(aspect, language))
    if not found and language == "en" and _WHO.match(text):
        found = {"person"}
    generic = _terms_of("corpus", language)
    left = [term for term in own - generic - aspect_terms if not term.isdecimal()]
    return found if not left and (aspect_terms or own & generic or n_phrases or _ABOUT.search(text)) else None


@cache
def _terms_of(section: str, language: str) -> frozenset[str]:
    return frozenset(terms(" ".join(sections(__package__, "whole_corpus.txt")[section]), language))
