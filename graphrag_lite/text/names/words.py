"""Word lists of scripts with capitals, by the names that the rules use. What each is stands in `lists/cased.txt`."""

from graphrag_lite.text.function_words import FUNCTION_WORDS
from graphrag_lite.text.names.lists import all_languages, sentence_openers

LISTS = all_languages("cased")
_OPENERS = sentence_openers()

MONTHS_AND_DAYS = LISTS["months_and_days"]
NO_NAMES = LISTS["no_names"]
STRUCTURE = LISTS["structure"]
NUMBER_WORDS = LISTS["number_words"]
UNITS = LISTS["units"]
OF_WORDS = LISTS["of_words"]
FOR_WORDS = LISTS["for_words"]
AND_WORDS = LISTS["and_words"]
ARTICLES = LISTS["articles"]
DETERMINERS = LISTS["determiners"]
PARTICLES = LISTS["particles"]
LEADING_PARTICLES = LISTS["leading_particles"]
EPITHETS = LISTS["epithets"]
HONORIFICS = LISTS["honorifics"]
FEMALE_HONORIFICS = LISTS["female_honorifics"]
NEUTRAL_HONORIFICS = LISTS["neutral_honorifics"]
CROWN_TITLES = LISTS["crown_titles"]
ROLES = LISTS["roles"]
STRONG_ROLES = ROLES - LISTS["weak_roles"]
CORPORATE = LISTS["corporate"]
ABBREVIATIONS = LISTS["abbreviations"]
ROMANCE = frozenset(("fr", "es", "it", "pt", "ca", "ro"))
"""Languages that capitalise only the noun of an institution."""


def _function_words(language: str) -> frozenset[str]:
    words = FUNCTION_WORDS.get(language, frozenset()) | _OPENERS.get(language, frozenset())
    return words if language == "en" else words | FUNCTION_WORDS["en"] - {"die", "man"}


_FUNCTION_WORDS = {language: _function_words(language) for language in sorted({*_OPENERS, *FUNCTION_WORDS})}
_UNKNOWN = _function_words("en")
_CLOSED = {language: words | FUNCTION_WORDS["en"] for language, words in FUNCTION_WORDS.items()}


def closed_class(language: str) -> frozenset[str]:
    """Return the articles, pronouns, prepositions and the like of `language` and of English, casefolded."""
    return _CLOSED.get(language, FUNCTION_WORDS["en"])


def function_words(language: str) -> frozenset[str]:
    """Return the words of `language` (ISO 639-1, "" for unknown) that don't begin or end a name, casefolded.

    English words are in every list, since English phrases are found in texts of all languages.
    """
    return _FUNCTION_WORDS.get(language, _UNKNOWN)
