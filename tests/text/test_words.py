"""Terms for BM25: stems, function words, n-grams by script, and time on hostile text."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from linear import assert_linear

from graphrag_lite.text.function_words import FUNCTION_WORDS
from graphrag_lite.text.words import WORD_PATTERN, terms


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en", "The directors' films, directed in 1978", ["director", "film", "direct", "1978"]),
        ("en", "snake_case & C++", ["snake", "case", "c"]),
        ("", "The directors", ["the", "directors"]),
        ("xx", "The directors", ["the", "directors"]),
        ("fr", "L’écrivain et les écrivains", ["ecrivain", "ecrivain"]),
        ("de", "Die Häuser der Straße", ["haus", "strass"]),
        ("nb", "bøkene", terms("bøkene", "no")),
        ("ru", "города городов", ["город", "город"]),
        ("zh", "台灣與台湾", ["台湾", "湾与", "与台", "台湾"]),
        ("zh", "ＩＢＭ于1911年成立，IBM", ["ibm", "1911", "ibm", "于", "年成", "成立"]),
        ("ja", "東京タワーの高さ", ["東京", "京タ", "タワ", "ワー", "ーの", "の高", "高さ"]),
        ("ja", "ﾀﾜｰ", ["タワ", "ワー"]),
        ("ko", "서울에서 김", ["서울", "울에", "에서", "김"]),
        ("th", "ประเทศไทย 2563", ["2563", "ประ", "ระเ", "ะเท", "เทศ", "ทศไ", "ศไท", "ไทย"]),
        ("", "हिन्दी", ["हिन्दी"]),
        ("", "مُحَمَّد", ["مُحَمَّد"]),
        ("", "Tiếng Việt", ["tieng", "viet"]),
        ("en", "", []),
        ("en", " \n…—😀", []),
    ],
)
def test_terms(language: str, text: str, expected: list[str]) -> None:
    assert terms(text, language) == expected


def test_accents_and_case_of_a_name_do_not_matter() -> None:
    assert terms("ÉMILE Chautard", "en") == terms("emile chautard", "en")


def test_marks_of_other_scripts_are_letters_of_their_own() -> None:
    assert terms("мой", "") == ["мой"]
    assert terms("パリ", "") != terms("ハリ", "")


@given(st.text(), st.sampled_from(["", "en", "fr", "ja", "ru"]))
def test_every_term_is_casefolded_and_not_empty(text: str, language: str) -> None:
    for term in terms(text, language):
        assert term and not term.isspace() and len(term) <= 70
    assert terms(text, language) == terms(text, language)


@given(st.text("abc é中の ", max_size=30), st.text("abc é中の ", max_size=30))
def test_terms_of_two_paragraphs_are_the_terms_of_both(first: str, second: str) -> None:
    assert sorted(terms(f"{first}\n{second}", "")) == sorted(terms(first, "") + terms(second, ""))


def test_function_words_are_single_folded_words() -> None:
    for words in FUNCTION_WORDS.values():
        assert all(word == word.casefold() and re.fullmatch(WORD_PATTERN, word) for word in words)


@pytest.mark.parametrize("unit", ["a", "A", " ", "é", "中", "ไ", "\u0301", "é\u0301", "a中", "_", "1", "a ", "'"])
def test_a_megabyte_of_one_pattern_takes_linear_time(unit: str) -> None:
    assert_linear(lambda text: terms(text, "en"), unit)


def test_marks_of_vietnamese_letters_make_other_words() -> None:
    assert terms("bán bàn bạn", "vi") == ["bán", "bàn", "bạn"] and terms("bán bàn", "fr") == ["ban", "ban"]


def test_romanian_with_a_comma_below_or_a_cedilla_is_the_same() -> None:
    assert terms("și informații despre țări", "ro") == terms("şi informaţii despre ţări", "ro") != []
