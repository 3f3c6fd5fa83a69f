"""Descriptions stand together, once each, and are cut at a sentence."""

from hypothesis import given
from hypothesis import strategies as st

from graphrag_lite.evidence.descriptions import cut, distinct, joined
from graphrag_lite.text.tokens import counter, estimate


def test_repetitions_are_said_once_whatever_the_order() -> None:
    said = ["He  died.", "he died", "He died in Ravn.", "", " \n"]
    assert distinct(said) == distinct(said[::-1]) == ["He died in Ravn.", "He died."]


def test_each_ends_as_a_sentence() -> None:
    assert joined(["A miser", 'He said "no".', "Why?"]) == 'A miser. He said "no". Why?'
    assert joined(["A miser"]) == "A miser" and joined([]) == ""


@given(st.text(max_size=300), st.integers(1, 60))
def test_what_is_cut_is_a_beginning_of_the_text_and_short(text: str, most: int) -> None:
    found = cut(text, most, estimate)
    if found != text:
        assert estimate(text) > most and text.startswith(found.removesuffix("…"))
        assert estimate(found) <= most + 1


def test_a_long_sentence_is_cut_after_a_word() -> None:
    count = counter("cl100k_base")
    found = cut("Marley was dead to begin with and there is no doubt whatever about that. Yes.", 10, count)
    assert found == "Marley was dead to begin with and…" and count(found) <= 11
    assert len(cut("死" * 1_000_000, 50, count)) < 60
