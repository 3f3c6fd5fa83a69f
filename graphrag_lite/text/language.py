"""Which language a text is in: its stems, stop words and abbreviations depend on it.

A text is in the language whose function words it is full of; a script of its own decides at once. Trained detectors are
better on single sentences only (docs/dependencies.md), and those take the language of the corpus here.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache

from graphrag_lite.text.function_words import FUNCTION_WORDS, QUESTION_WORDS
from graphrag_lite.text.word_lists import toml_file
from graphrag_lite.text.words import WORD_PATTERN

SAMPLE = 4000  # characters that are looked at
MIN_WORDS, MIN_DISTINCT = 20, 12  # of a text whose own function words decide
# Of its words: prose has 35% to 50% function words of its own language, under 15% of another's. Languages that say with
# endings what others say with words have fewer: they need more than any other language has, many times over.
MIN_SHARE, LEAST_SHARE, TIMES = 0.2, 0.08, 2.5
FEW = 2  # languages that share a function word, which tells two apart that have as many
SPECIAL = 0.005  # of the letters: those that only one of the languages of a script has
# For a question to be in a language of the corpus, for a word that asks, and for a language that has all words that
# are no names; a word of its own language alone counts 1.
PRIOR, ASKS, ALL = 0.75, 0.5, 0.5
SOME = 0.1  # of the letters of a question that are of a script, where no function word tells
ACCENTED = 0.002  # of the characters: fewer than in any language but English
_ACCENTED = re.compile("[\u00c0-\u024f\u0370-\u07ff]")
WORD = re.compile(WORD_PATTERN)
SCRIPTS, LETTERS, SAME_SCRIPT, OWN = toml_file(__package__, "scripts.toml").values()
# Languages that a script tells, alone or with others.
SCRIPTED = {*SCRIPTS.values(), *(each for same in (*LETTERS.values(), *SAME_SCRIPT.values()) for each in same)}


def languages(texts: Sequence[str]) -> list[str]:
    """Return one ISO 639-1 code for each text, empty where nothing tells.

    A text that is too short to tell takes the most common language of the others that its letters can be in.

    >>> languages(["It was the best of times, it was the worst of times, and it was the age of wisdom for us", "OK!"])
    ['en', 'en']
    >>> languages(["كتب أحمد رسالة", "Call Bo.", "Fix roof"])
    ['ar', '', '']
    """
    return with_common([detect(text) for text in texts])


def with_common(found: Sequence[str]) -> list[str]:
    """Return what `detect` found, with the most common code, ties by code, in the place of empty ones."""
    common = most_common(Counter(found))
    return [code or common for code in found]


def most_common(counts: Mapping[str, int]) -> str:
    """Return the most common code of those that no script tells, ties by code, empty where there is none.

    >>> most_common({"": 9, "fr": 2, "en": 2, "ar": 7})
    'en'
    """
    return min(filter(None, counts.keys() - SCRIPTED), key=lambda code: (-counts[code], code), default="")


def closest_language(text: str, among: Sequence[str]) -> str:
    """Return which of some languages a short text, such as a question, is most likely in; the first on a tie.

    >>> closest_language("Où est né Scrooge ?", ["en", "fr"])
    'fr'
    """
    if len(among) < 2:
        return among[0] if among else ""
    script = _script(text)
    counts = _function_words(WORD.findall(text.casefold()))
    return max(among, key=lambda code: (code == script, counts[code], -among.index(code)))


def question_languages(question: str, among: Sequence[str]) -> tuple[str, str]:
    """Return which language a question tells where one of the corpus (`among`) is likely, and which by itself."""
    return question_language(question, among), question_language(question, ())


def question_language(question: str, among: Sequence[str]) -> str:
    """Return which language a question is in, which need not be one of the corpus (`among`); empty where nothing tells.

    A function word counts the less the more languages have it, one that asks counts more, and one with a capital
    within the question is a name, as is a single one among the letters of another script. A language of the corpus
    needs less.

    >>> (question_language("What is Zep?", ["fr"]), question_language("Was ist Zep?", ["en"]),
    ...  question_language("Was Die Hard in Los Angeles?", ["en"]))
    ('en', 'de', 'en')
    >>> question_language("Zepとは何ですか", ["fr"]), question_language("Zep", ["fr"])
    ('ja', '')
    """
    words = WORD.findall(unicodedata.normalize("NFC", question))
    if words and not any(word[0].isupper() for word in words[1:]):
        words = [word.casefold() for word in words]
    lower = {word.casefold() for index, word in enumerate(words) if not index or not word[0].isupper()}
    found = {word: codes for word in sorted(lower) if (codes := languages_of().get(word))}
    if len(found) < 2 and (script := _script(question)):
        return next((code for code in SAME_SCRIPT.get(script, ()) if code in among), script)
    likely: dict[str, float] = {}
    for word, codes in found.items():
        for code in codes:
            counts = (1 + ASKS * (word in QUESTION_WORDS[code])) / len(codes)
            likely[code] = likely.get(code, PRIOR * (code in among) + ALL * (lower <= FUNCTION_WORDS[code])) + counts
    ranks = {code: index for index, code in enumerate(among)}
    best = max(likely, key=lambda code: (likely[code], -ranks.get(code, len(ranks)), code), default="")
    if best and likely[best] >= 1:
        return best
    return _script(question, SOME) or (best if best in among else "")


def of_part(text: str, whole: str) -> str:
    """Return the language of a part of a document in `whole`: pages that are half translated are English at first.

    >>> of_part("Il kernel è il cuore del sistema: non è un programma come gli altri, ma ciò che li fa girare.", "en")
    'it'
    """
    if whole == "en" and not text.isascii() and len(_ACCENTED.findall(text)) > ACCENTED * len(text):
        return detect(text) or whole
    return whole


def detect(text: str) -> str:
    """Return the ISO 639-1 code of a text, empty where it does not tell."""
    sample = unicodedata.normalize("NFC", text[:SAMPLE])
    folded = WORD.findall(sample.casefold())
    counts = _function_words(folded)
    if script := _script(sample):
        counts = _function_words([word for word in folded if not word.isascii()])
        codes: Sequence[str] = SAME_SCRIPT.get(script, (script,))
        return max(codes, key=lambda code: counts[code])
    words = [word for word in folded if not word.isdigit()]
    n_words = len(words) if len(set(words)) >= MIN_DISTINCT else 0  # one sentence again and again is one sentence
    own = _function_words([word for word in folded if len(languages_of().get(word, ())) <= FEW])
    best = max(sorted(counts), key=lambda code: (counts[code], own[code]), default="")
    most, second = counts[best], max((n for code, n in counts.items() if code != best), default=0)
    marked = sum(map(sample.casefold().count, OWN.get(best, ""))) > SPECIAL * len(sample)
    clear = most >= MIN_SHARE * n_words or (most >= LEAST_SHARE * n_words and (marked or most >= TIMES * second))
    return best if n_words >= MIN_WORDS and clear else ""


def is_written_in(text: str, code: str) -> bool:
    """Say whether a text can be in a language, by its script: a short one has that of the corpus, whatever it is in.

    >>> is_written_in("Ann sailed.", "ar"), is_written_in("Ann sailed.", "de"), is_written_in("大家 GraphRAG", "zh")
    (False, True, True)
    """
    return code not in SCRIPTED or bool(_script(text, SOME))


def _script(text: str, least: float = 0.4) -> str:
    """Return the language that the text's script alone tells, empty where it is one that many languages share."""
    letters: Counter[str] = Counter()
    for char, n in Counter(text).items():
        if char.isalpha():
            letters[_script_of(char)] += n
    total = letters.total()
    if letters["ja"] > 0.1 * total:  # Japanese mixes its kana with the characters of Chinese
        return "ja"
    found = next((code for code, n in sorted(letters.items()) if code and n > least * total), "")
    own = LETTERS.get(found, {})
    return next((code for code in own if sum(map(text.casefold().count, own[code])) > SPECIAL * total), found)


@cache
def _script_of(char: str) -> str:
    return "" if char < "\u0370" else SCRIPTS.get(unicodedata.name(char, "").split(" ")[0].split("-")[0], "")


def _function_words(words: Sequence[str]) -> Counter[str]:
    """Count the words, in lower case, that are function words, by language."""
    counts: Counter[str] = Counter()
    for word, n in Counter(words).items():
        for code in languages_of().get(word, ()):
            counts[code] += n
    return counts


@cache
def languages_of() -> dict[str, list[str]]:
    """Return the languages (ISO 639-1) of each function word."""
    found: dict[str, list[str]] = {}
    for code, words in FUNCTION_WORDS.items():
        for word in words:
            found.setdefault(word, []).append(code)
    return found
