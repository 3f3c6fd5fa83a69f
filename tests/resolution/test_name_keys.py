"""The exact rung: spellings of one name have one key."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_lite.resolution.name_keys import exact_key


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The  Orchard", "orchard"),
        ("L’Oréal", "l'oréal"),
        ("L’Oréal", "Oréal"),
        ("ＡＢＣ", "abc"),
        ("Jean-Claude", "Jean Claude"),
        ("U.S.", "US"),
        ("J. R. R. Velm", "J.R.R. Velm"),
        ("O’Brien", "O'Brien"),
    ],
)
def test_spellings_of_one_name(one: str, other: str) -> None:
    assert exact_key(one) == exact_key(other)


@pytest.mark.parametrize(("one", "other"), [("C++", "C"), ("C#", "C"), ("Los Velos", "Velos"), ("AT&T", "ATT")])
def test_different_names(one: str, other: str) -> None:
    assert exact_key(one) != exact_key(other)


@given(st.text(min_size=1))
def test_key_is_never_empty_for_a_name_that_is_not(name: str) -> None:
    assert exact_key(name) or not name.strip()
