"""Which language a text is in: its stems, stop words and abbreviations depend on it.

A text is in the language whose function words it is full of; a script of its own decides at once. Trained detectors are
better on single sentences only (docs/dependencies.md), and those take the language of the corpus here.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from functools import cache

from graphrag_lite.text.function_words import FUNCTION_WORDS

SAMPLE = 4000  # characters that are looked at
MIN_WORDS = 20  # of a text whose own function words decide
MIN_SHARE = 0.2  # of its words: prose has 35% to 50% function words of its own language, under 15% of another's
WORD = re.compile(r"[^\W\d_]+")
# Parts of Unicode's character names, and the language where a script means just one.
SCRIPTS = {
    "HIRAGANA": "ja", "KATAKANA": "ja", "HANGUL": "ko", "CJK": "zh", "THAI": "th", "GREEK": "el", "HEBREW": "he",
    "ARABIC": "ar", "DEVANAGARI": "hi", "BENGALI": "bn", "TAMIL": "ta", "GEORGIAN": "ka", "ARMENIAN": "hy",
}  # fmt: skip


def languages(texts: Sequence[str]) -> list[str]:
    """Return one ISO 639-1 code for each text, empty where nothing tells.

    A text that is too short to tell takes the most common language of the others, ties by code.

    >>> languages(["It was the best of times, it was the worst of times, and it was the age of wisdom for us", "OK!"])
    ['en', 'en']
    """
    return with_common([detect(text) for text in texts])


def with_common(found: Sequence[str]) -> list[str]:
    """Return what `detect` found, with the most common code, ties by code, in the place of empty ones."""
    known = Counter(code for code in found if code)
    common = min(known, key=lambda code: (-known[code], code), default="")
    return [code or common for code in found]


def closest(text: str, among: Sequence[str]) -> str:
    """Return which of some languages a short text, such as a question, is most likely in; the first on a tie.

    >>> closest("Où est né Scrooge ?", ["en", "fr"])
    'fr'
    """
    if len(among) < 2:
        return among[0] if among else ""
    script = _script(text)
    counts = _function_words(text)
    return max(among, key=lambda code: (code == script, counts[code], -among.index(code)))


def detect(text: str) -> str:
    """Return the ISO 639-1 code of a text, empty where it does not tell."""
    sample = text[:SAMPLE]
    if script := _script(sample):
        return script
    n_words = len(WORD.findall(sample))
    counts = _function_words(sample)
    best = min(counts, key=lambda code: (-counts[code], code), default="")
    return best if n_words >= MIN_WORDS and counts[best] >= MIN_SHARE * n_words else ""


def _script(text: str) -> str:
    """Return the language that the text's script alone tells, empty where it is one that many languages share."""
    letters: Counter[str] = Counter()
    for char, n in Counter(text).items():
        if char.isalpha():
            letters[_script_of(char)] += n
    total = letters.total()
    if letters["ja"] > 0.1 * total:  # Japanese mixes its kana with the characters of Chinese
        return "ja"
    return next((code for code, n in sorted(letters.items()) if code and n > 0.4 * total), "")


@cache
def _script_of(char: str) -> str:
    return "" if char < "\u0370" else SCRIPTS.get(unicodedata.name(char, "").split(" ")[0].split("-")[0], "")


def _function_words(text: str) -> Counter[str]:
    """Count the words of `text` that are function words, by language."""
    counts: Counter[str] = Counter()
    for word, n in Counter(WORD.findall(text.casefold())).items():
        for code in _languages_of().get(word, ()):
            counts[code] += n
    return counts


@cache
def _languages_of() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for code, words in FUNCTION_WORDS.items():
        for word in words:
            found.setdefault(word, []).append(code)
    return found
