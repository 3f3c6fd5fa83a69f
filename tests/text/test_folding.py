"""Folding makes spellings equal, and goes back to the places that it comes from."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_lite.text.folding import fold, fold_with_offsets, unaccented, unmarked


@given(st.text(max_size=60))
def test_to_fold_twice_is_to_fold_once(text: str) -> None:
    assert unaccented(unaccented(fold(text))) == unaccented(fold(text))
    assert unmarked(unmarked(text)) == unmarked(text)


@pytest.mark.parametrize(
    ("one", "other"),
    [("Müller", "ＭＵＬＬＥＲ"), ("“Bah’s”", '"BAH\'S"'), ("a\n  b—c", "A b-c"), ("zero\u200bwidth", "zerowidth")],
)
def test_spellings_of_a_quotation_are_equal(one: str, other: str) -> None:
    assert fold_with_offsets(one)[0] == fold_with_offsets(other)[0]


def test_only_latin_letters_lose_their_accents() -> None:
    assert [unaccented(fold(word)) for word in ("Café", "Йод", "がく", "हिन्दी")] == ["cafe", "йод", "がく", "हिन्दी"]
    assert unmarked("ά") == "α" and unmarked("\u0301") == "\u0301"
