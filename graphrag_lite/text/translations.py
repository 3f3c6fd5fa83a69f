"""Words of a question in the languages of the texts, for the words that most questions are made of."""

from collections import defaultdict
from collections.abc import Sequence
from functools import cache

from graphrag_lite.text.word_lists import sections
from graphrag_lite.text.words import UNSPACED, terms


def translations(word: str, language: str, into: Sequence[str]) -> list[tuple[str, str]]:
    """Return what a word of a question in `language` may be in other languages, as (ISO 639-1 code, word), in order.

    >>> translations("Preis", "de", ["en"]), translations("打ち上げられた", "ja", ["fr"])[:1]
    ([('en', 'cost'), ('en', 'price')], [('fr', 'lancer')])
    >>> translations("Graphiti", "de", ["en"])
    []
    """
    by_stem, unspaced = _words(language)
    meanings = dict.fromkeys(meaning for stem in terms(word, language) for meaning in by_stem.get(stem, ()))
    meanings |= {meaning: None for part, meaning in unspaced if part in word}
    return [pair for meaning in meanings for pair in _meanings()[meaning] if pair[0] in into]


@cache
def _meanings() -> dict[str, list[tuple[str, str]]]:
    listed = sections(__package__, "translations.txt").items()
    return {meaning: [(word[:2], word[3:]) for word in words] for meaning, words in listed}


@cache
def _words(language: str) -> tuple[dict[str, list[str]], list[tuple[str, str]]]:
    """Return the meanings of the words of a language: by stem, and beside words of scripts without spaces."""
    by_stem: dict[str, list[str]] = defaultdict(list)
    unspaced: list[tuple[str, str]] = []
    for meaning, pairs in _meanings().items():
        for word in (word for code, word in pairs if code == language):
            if UNSPACED.search(word):
                unspaced.append((word, meaning))
            else:
                for stem in terms(word, language):
                    by_stem[stem].append(meaning)
    return dict(by_stem), unspaced
