"""What one name does to the next one of its sentence, where the words between them say so by their form.

A label begins with a finite verb whose subject is the first name, and runs to the second name: "is the director of",
"later married". Verbs are told by closed classes, and by endings where English has them. A language without an entry
has no labels: none is better than a wrong one.
"""

import re

from graphrag_lite.text.function_words import FUNCTION_WORDS
from graphrag_lite.text.names.name import Name
from graphrag_lite.text.names.words import function_words
from graphrag_lite.text.word_lists import sections

MAX_LENGTH = 40  # characters between two names that still join them
_JOINING = re.compile(r"[^\W\d_]+(?:['’\- ][^\W\d_]+){0,5}")  # up to six words, no punctuation
_WORD = re.compile(r"[\w'’-]+")
# A date ends an opening phrase: "In May 1990 Ann", "On Monday Ann".
_CLAUSE_END = re.compile(
    r"[.!?,;:()\n—–\"“”]|\b(?:19|20)\d\d\b|\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b"
    r"|\b(?:January|February|March|April|May|June|July|August|September|October|November|December)\b"
)
_BEFORE = 60  # characters before the first name that are looked at
_OWNS = ("'", "’", "-")
_LISTS = {section: frozenset(words) for section, words in sections(__package__, "relations.txt").items()}
AUXILIARIES = {name[-2:]: words for name, words in _LISTS.items() if name.startswith("auxiliaries ")}
_PAST, _PRESENT, _NO_PAST, CLAUSAL, _ADVERBS, _DETERMINERS, _NO_SUBJECT_AFTER = (
    _LISTS[name] for name in "past present no_past clausal adverbs determiners no_subject_after".split()
)
OTHER_CLAUSE, NO_LABEL, OF_VERBS, ENGLISH = (_LISTS[name] for name in "other_clause no_label of_verbs english".split())


def relation(text: str, a: Name, b: Name, language: str) -> str:
    """Return the words between two neighbouring names of a sentence if they state what `a` does to `b`, else "".

    >>> def between(text, *names):
    ...     a, b = (Name(text.index(name), text.index(name) + len(name), name, "unknown", True) for name in names)
    ...     return relation(text, a, b, "en")
    >>> between("Sam Altman is the head of OpenAI.", "Sam Altman", "OpenAI")
    'is the head of'
    >>> between("Sam and his team at OpenAI", "Sam", "OpenAI"), between("The head of OpenAI met Al.", "OpenAI", "Al")
    ('', '')
    """
    between = " ".join(text[a.end : b.start].split())
    if len(between) > MAX_LENGTH or not _JOINING.fullmatch(between):
        return ""
    words = between.casefold().split()
    rest = without_adverb(words)
    if not rest or not is_finite(rest, language) or not AUXILIARIES[language].isdisjoint(rest[1:]):
        return ""
    if not OTHER_CLAUSE.isdisjoint(words) or words[-1] in CLAUSAL | {"a", "an"}:
        return ""
    if FUNCTION_WORDS[language].issuperset(words):  # "is the", "was in" say too little
        return ""
    return between if opens_clause(text, a.start) and ends_phrase(text, b.end, language) else ""


def without_adverb(words: list[str]) -> list[str]:
    """Return words without the adverb that they begin with."""
    return words[1:] if words[0] in _ADVERBS or words[0].endswith("ly") else words


def is_finite(words: list[str], language: str) -> bool:
    """Tell whether words begin with a finite verb."""
    first, second = words[0], words[1] if len(words) > 1 else ""
    if first in AUXILIARIES.get(language, ()):
        return True
    if language != "en":
        return False
    if first in _PAST or (first.endswith("ed") and first not in _NO_PAST):
        return True
    if first.endswith("s") and second in _DETERMINERS:  # what follows a plural is no determiner
        return True
    return first in _PRESENT and (second != "of" or first == "consists")


def has_verb(words: list[str], language: str) -> bool:
    """Tell whether one of `words` may be a verb or a participle; in another language than English, any content word."""
    if language != "en":
        return not FUNCTION_WORDS.get(language, frozenset()).issuperset(words)
    return any(is_verb_form(word, language) or (len(word) > 4 and word.endswith("ing")) for word in words)


def is_verb_form(word: str, language: str) -> bool:
    """Tell whether an English word may be a finite verb or a participle of the past."""
    if language != "en":
        return False
    known = word in _PAST or word in _PRESENT or word in AUXILIARIES["en"]
    return known or (len(word) > 4 and word.endswith("ed"))


def opens_clause(text: str, start: int) -> bool:
    """Tell whether no word before a name at `start` makes it the end of a longer phrase: "the head of OpenAI"."""
    before = _CLAUSE_END.split(text[max(0, start - _BEFORE) : start])[-1]
    for word in reversed(_WORD.findall(before.casefold())):
        if word in _NO_SUBJECT_AFTER:
            return False
        if word in OTHER_CLAUSE:
            return True
    return True


def ends_phrase(text: str, end: int, language: str) -> bool:
    """Tell whether nothing behind a name that ends at `end` makes it the owner, a part or the subject of another thing.

    >>> [ends_phrase(text, 4, "en") for text in ("Acme in Oslo", "Acme's head", "Acme shares", "Acme has")]
    [True, False, False, False]
    """
    after = _WORD.match(text, end + 1) if text[end : end + 1] == " " else None
    if not after:
        return text[end : end + 1] not in _OWNS
    word = after[0]
    if word in AUXILIARIES[language]:
        return False
    return word[0].isupper() or word in function_words(language) or word.endswith("ly")
