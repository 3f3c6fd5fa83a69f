"""Word lists of names: the text files beside this module, where the stamps of stages that import it cover them."""

from collections import defaultdict
from collections.abc import Mapping
from functools import cache, lru_cache

from graphrag_lite.text.case_endings import ENDINGS, stems
from graphrag_lite.text.word_lists import expressions, sections

# Those in which a word means the same in any language.
_SHARED = ("male_names", "female_names")
FORMS = expressions(__name__, "forms.txt")
BUTTONS = {head: frozenset(words) for head, words in sections(__name__, "buttons.txt").items()}


@cache
def word_lists(name: str) -> Mapping[str, frozenset[str]]:
    """Return the sections of `{name}.txt`, casefolded.

    >>> "river" in word_lists("cased")["location_heads"]
    True
    """
    return {section: frozenset(words) for section, words in sections(__name__, f"{name}.txt").items()}


@cache
def all_languages(name: str) -> Mapping[str, frozenset[str]]:
    """Return the sections of `{name}.txt` with those of other languages, whose words are marked as `listed` marks them.

    >>> all_languages("gazetteer")["places"] >= {"france", "pl:polska", "es:nueva es:york"}
    True
    """
    found = {}
    for section, words in word_lists(name).items():
        more = [_marked(word, code) for code, of in _words().items() for word in of["all"] & words | of[section]]
        shared = [word for of in _words().values() for word in of[section]] if section in _SHARED else []
        found[section] = words.union(more, shared)
    return found


@lru_cache(maxsize=50_000)
def list_mark(word: str, language: str) -> str:
    """Return the mark of the word of `language`, one of LISTED, that a casefolded word is a form of; itself if of none.

    >>> list_mark("россией", "ru"), list_mark("oslo", "ru"), list_mark("rosja", "ru")
    ('ru:россия', 'oslo', 'rosja')
    """
    if word in _words()[language]["each"]:
        return _marked(word, language)
    forms = _forms(language) if language in ENDINGS else {}
    return next((forms[stem] for stem in stems(word, ENDINGS[language]) if stem in forms), word) if forms else word


@cache
def sentence_openers() -> Mapping[str, frozenset[str]]:
    """Return by language the words that a sentence may begin with, those of `by_language.txt` among them."""
    found = dict(word_lists("openers"))
    for head, words in sections(__name__, "by_language.txt").items():
        code, section = head.split(" ")
        if section == "openers":
            found[code] = found.get(code, frozenset()).union(words)
    for head, verbs in BUTTONS.items():
        code, _, section = head.partition(" ")
        if section == "verbs" and code != "en":  # "Press Association"
            found[code] = found.get(code, frozenset()) | verbs
    return found


def _marked(word: str, language: str) -> str:
    return " ".join(part if len(part) < 3 else f"{language}:{part}" for part in word.split())


@cache
def _words() -> Mapping[str, Mapping[str, frozenset[str]]]:
    """Return by language the words of each section, `all` of them, and `each` word of those that have several."""
    found: dict[str, dict[str, frozenset[str]]] = defaultdict(lambda: defaultdict(frozenset))
    for head, words in sections(__name__, "by_language.txt").items():
        code, section = head.split(" ")
        if section != "openers":
            found[code][section] = frozenset(words)
            found[code]["all"] |= found[code][section]
    for of in found.values():
        of["each"] = frozenset(part for word in of["all"] for part in word.split() if len(part) > 2)
    return found


@cache
def _forms(language: str) -> Mapping[str, str]:
    """Return the marked words of a language by their stems; where two share one, the first by the alphabet."""
    found: dict[str, str] = {}
    for word in sorted(_words().get(language, {}).get("each", ())):
        for stem in stems(word, ENDINGS[language]):
            found.setdefault(stem, _marked(word, language))
    return found


LISTED = frozenset(_words())
"""Languages (ISO 639-1) of which `listed` knows words."""
