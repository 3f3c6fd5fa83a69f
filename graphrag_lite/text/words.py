"""Text analysis for BM25: a text becomes a list of terms.

Words are stemmed by Snowball where the language has a stemmer, function words are left out, and scripts that put no
spaces between words give overlapping character n-grams. Every run of one script goes by its own rule, so a Chinese
text with Latin names and numbers gives both kinds of term. Simplified and traditional characters stay as they are.
"""

import re
import unicodedata
from collections.abc import Callable
from functools import cache

import Stemmer

from graphrag_lite.text.folding import fold, unaccented
from graphrag_lite.text.function_words import FUNCTION_WORDS, IDEOGRAPHIC_PARTICLES, IDEOGRAPHIC_QUESTIONS
from graphrag_lite.text.word_lists import expressions, sections

# Languages (ISO 639-1) of which Snowball's algorithms (snowballstem.org) are used; English is Porter2.
_STEMMED = frozenset("ar ca da de el en es et eu fi fr ga hi hu hy id it lt ne nl no pt ro ru sr sv ta tr yi".split())
_NORWEGIAN = {"nb": "no", "nn": "no"}
_WITH_TONES = ("vi",)  # where letters without their marks are other words: recall@5 fell by 1.7 points

# Syllabic scripts: two characters are about a word. Korean has spaces, but its particles are glued to the word.
_SYLLABIC = (
    "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"  # Han
    "\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u31a0-\u31bf"  # Kana, Bopomofo
    "\u1100-\u11ff\u3131-\u318e\uac00-\ud7ff"  # Hangul
)
# Thai, Lao, Burmese and Khmer are alphabets without spaces: a syllable has two to four characters, so three.
_ALPHABETIC = "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ecd\u1000-\u103f\u1050-\u109f\u1780-\u17d3"
_SYLLABIC_RUN = re.compile(f"[{_SYLLABIC}]+")
_ALPHABETIC_RUN = re.compile(f"[{_ALPHABETIC}]+")
UNSPACED_CHARACTERS = _SYLLABIC + _ALPHABETIC
"""Ranges for a character class: the scripts that put no spaces between words, and Hangul."""
UNSPACED = re.compile(f"[{UNSPACED_CHARACTERS}]")
# `\w` of the re module has no combining marks: it would cut Hindi, Tamil and Arabic words at their vowel signs.
_MARKS = "".join(
    chr(code)
    for code in range(0x300, 0x3000)
    if unicodedata.category(chr(code)) in ("Mn", "Mc") and not UNSPACED.match(chr(code))
)
_LETTERS = rf"[^\W_{UNSPACED_CHARACTERS}]"
WORD_PATTERN = rf"{_LETTERS}+(?:[{_MARKS}\u200c\u200d]+{_LETTERS}*)*"
"""Regular expression of one word in a script with spaces, with its combining marks; linear on any text."""
_WORD = re.compile(WORD_PATTERN)
_RUN = re.compile(f"[{_SYLLABIC}]+|[{_ALPHABETIC}]+|{WORD_PATTERN}")
_ASCII_WORD = re.compile(r"[a-z0-9]+")
# A number with one point is a word: "2.2" is neither the 2 of 2.4 nor section 6.2.2.
_POINT = r"(?<![^\W_])(?<!\.)\d+\.\d+(?![^\W_]|\.\d)"
_POINTED = re.compile(r"\d\.\d")  # found fast; few texts have it
_WORD_OR_NUMBER = re.compile(f"{_POINT}|{WORD_PATTERN}")
# Function words that carry weight in a question: periods and relative clauses. Without these terms recall@5 fell by
# 1.8 points on questions about periods (TimeQA). What answers is not chosen by them: one report of 23 on A Christmas
# Carol says "what", and was the whole answer; "Who is Agent Mercer?" was answered by five sentences with "who".
ASKING = frozenset(
    ("from", "how", "what", "when", "where", "which", "who", "whom", "whose", "why", "whi")
)  # "whi": its stem
_WEIGHTED = {"en": ASKING}
# What is longer is an encoded blob or a long address; a stemmer's time grows with the length.
_MAX_WORD = 64
_MAX_CACHED = 500_000


def terms(text: str, language: str) -> list[str]:
    """Return the terms of `text` for BM25: words in order, then the n-grams of scripts without spaces.

    `language` is an ISO 639-1 code, "" when unknown: then words are neither stemmed nor left out. Case, width, the
    accents of Latin letters, though not those of Vietnamese, and traditional Chinese are folded; a term occurs as often
    as its word. The same language must be given for a question as for the text units it is asked of.

    >>> terms("The directors of Café Müller (1978)", "en")
    ['director', 'cafe', 'muller', '1978']
    >>> terms("西施故里 opened in 2003年", "zh")
    ['opened', 'in', '2003', '西施', '施故', '故里', '年']
    >>> terms("登鸛雀樓", "zh") == terms("登鹳雀楼", "zh")
    True
    """
    pointed = _WORD_OR_NUMBER if "." in text and _POINTED.search(text) else None
    if text.isascii():
        return list(filter(None, map(_stems(language).__getitem__, (pointed or _ASCII_WORD).findall(text.lower()))))
    text = fold(text)
    found = list(filter(None, map(_stems(language).__getitem__, (pointed or _WORD).findall(text))))
    if UNSPACED.search(text):
        for run in _SYLLABIC_RUN.findall(text):
            found += _ngrams(run.translate(_simplified()) if language == "zh" else run, 2)
        for run in _ALPHABETIC_RUN.findall(text):
            found += _ngrams(run, 3)
    return found


@cache
def _simplified() -> dict[int, str]:
    return {ord(pair[0]): pair[1] for pair in sections(__package__, "simplified.txt")["pairs"]}


_IN_THE_TEXT = re.compile(rf"\b(?:{expressions(__package__, 'in_the_text.txt')['in the text']})(?!\w)", re.I)


def without_asking(question: str, language: str) -> str:
    """Return a question without the expressions that ask, in a `language` without spaces, and without "in the story".

    >>> without_asking("Zepとは何ですか", "ja"), without_asking("How does Ann change in the story?", "en")
    ('Zep ', 'How does Ann change ?')
    """
    question = _IN_THE_TEXT.sub("", question)
    for expression in IDEOGRAPHIC_QUESTIONS.get(language, ()):
        question = question.replace(expression, " ")
    return question


def content_words(question: str, language: str) -> list[str]:
    """Return the words of a question that are not function words of its `language`, in order, as they are written.

    >>> content_words("What is the memory of Zep?", "en"), content_words("Zepとは何ですか？", "ja")
    (['memory', 'Zep'], ['Zep'])
    """
    text = unicodedata.normalize("NFKC", question)
    text = without_asking(text, language)
    for expression in IDEOGRAPHIC_PARTICLES.get(language, ()):
        text = text.replace(expression, " ")
    left_out = FUNCTION_WORDS.get(language, frozenset())
    return [word for word in _RUN.findall(text) if word.casefold() not in left_out]


class _Stems(dict[str, str]):
    """Word to stem, "" for a function word; filled as words are met, emptied when it grows too large."""

    def __init__(
        self, stem: Callable[[str], str], function_words: frozenset[str], fold: Callable[[str], str] | None = None
    ) -> None:
        super().__init__()
        self._stem = stem
        self._fold = fold or unaccented
        self._function_words = function_words

    def __missing__(self, word: str) -> str:
        if len(self) >= _MAX_CACHED:
            self.clear()
        key = word[:_MAX_WORD]
        self[key] = stem = "" if word in self._function_words else self._fold(self._stem(key))
        return stem


@cache
def _stems(language: str) -> _Stems:
    language = _NORWEGIAN.get(language, language)
    stem: Callable[[str], str] = Stemmer.Stemmer(language).stemWord if language in _STEMMED else str
    left_out = FUNCTION_WORDS.get(language, frozenset()) - _WEIGHTED.get(language, frozenset())
    if language == "en":  # an English accent belongs to a foreign name, and its stem must not depend on it
        return _Stems(lambda word: "find" if word == "found" else stem(unaccented(word)), left_out)  # who founded it?
    return _Stems(stem, left_out, fold=str if language in _WITH_TONES else unaccented)


def _ngrams(run: str, size: int) -> list[str]:
    return [run[i : i + size] for i in range(max(1, len(run) - size + 1))]
