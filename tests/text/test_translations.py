"""Common words of questions in other languages."""

import pytest

from graphrag_lite.text.function_words import FUNCTION_WORDS
from graphrag_lite.text.translations import translations
from graphrag_lite.text.word_lists import sections

LISTED = [
    (meaning, *word.split(":"))
    for meaning, words in sections("graphrag_lite.text", "translations.txt").items()
    for word in words
]


def test_every_word_is_found_again_from_every_language() -> None:
    for meaning, code, word in LISTED:
        english = {other for same, known, other in LISTED if same == meaning and known == "en"}
        assert english <= {found for _, found in translations(word, code, ["en"])}, (code, word)


def test_no_word_that_only_joins_others_is_listed() -> None:
    assert not [(code, word) for _, code, word in LISTED if word in FUNCTION_WORDS.get(code, ())]


@pytest.mark.parametrize(("word", "language"), [("Graphiti", "de"), ("", "fr"), ("COSTAR", "ja")])
def test_what_is_not_listed_has_no_translation(word: str, language: str) -> None:
    assert translations(word, language, ["en", "fr", "de"]) == []
