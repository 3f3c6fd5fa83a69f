"""Words with a number, as titles and questions say them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_lite.text.numbered_titles import Numbered, abbreviates, numbered_words


def found(text: str, language: str = "en") -> list[tuple[str, str]]:
    return [(one.word, one.number) for one in numbered_words(text, language)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Earnings call FY20 Q3", [("fy", "20"), ("q", "3")]),
        ("FY20Q3", [("fy", "20"), ("q", "3")]),
        ("EP-03 and Ep. 4, episode 12.", [("ep", "3"), ("ep", "4"), ("episode", "12")]),
        ("Release v1.2.0", [("v", "1.2.0")]),
        ("the Third Quarter, the 21st part, 4Th Earl", [("quarter", "3"), ("part", "21"), ("earl", "4")]),
        ("f\u0131rst part, \u017fecond part", []),  # other letters
        ("chat 2026-08-27 19:00", []),  # dates and times are of the documents
        ("in 1998 of 20 and 1,000", []),
        ("第3四半期", []),
        ("", []),
    ],
)
def test_words_with_a_number(text: str, expected: list[tuple[str, str]]) -> None:
    assert found(text) == expected


def test_a_function_word_of_the_language_has_no_number() -> None:
    assert found("mit 20 Folgen", "de") == [] and found("mit 20 Folgen") == [("mit", "20")]


def test_a_word_is_meant_by_itself_cut_short_or_by_initials() -> None:
    assert abbreviates("episode", Numbered("ep", "3")) and abbreviates("ep", Numbered("episode", "3"))
    assert abbreviates("fy", Numbered("year", "20", "fiscal"))
    assert not abbreviates("fy", Numbered("year", "20")) and not abbreviates("q", Numbered("part", "3"))


@given(st.text())
def test_spans_are_of_the_text_and_in_order(text: str) -> None:
    spans = [(one.start, one.end) for one in numbered_words(text, "en")]
    assert spans == sorted(spans) and all(0 <= start < end <= len(text) for start, end in spans)
