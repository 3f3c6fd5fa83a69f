"""Descriptions stand together, once each, and are cut at a sentence."""

from hypothesis import given
from hypothesis import strategies as st

from graphrag_lite.evidence.descriptions import cut_to_tokens, distinct_descriptions, join_descriptions
from graphrag_lite.text.tokens import estimate_tokens, token_counter


def test_repetitions_are_said_once_whatever_the_order() -> None:
    said = ["He  died.", "he died", "He died in Ravn.", "", " \n"]
    assert distinct_descriptions(said) == distinct_descriptions(said[::-1]) == ["He died in Ravn.", "He died."]


def test_each_ends_as_a_sentence() -> None:
    assert join_descriptions(["A miser", 'He said "no".', "Why?"]) == 'A miser. He said "no". Why?'
    assert join_descriptions(["A miser"]) == "A miser" and join_descriptions([]) == ""


@given(st.text(max_size=300), st.integers(1, 60))
def test_what_is_cut_is_a_beginning_of_the_text_and_short(text: str, most: int) -> None:
    found = cut_to_tokens(text, most, estimate_tokens)
    if found != text:
        assert estimate_tokens(text) > most and text.startswith(found.removesuffix("…"))
        assert estimate_tokens(found) <= most + 1


def test_a_long_sentence_is_cut_after_a_word() -> None:
    count = token_counter("cl100k_base")
    found = cut_to_tokens("Marley was dead to begin with and there is no doubt whatever about that. Yes.", 10, count)
    assert found == "Marley was dead to begin with and…" and count(found) <= 11
    assert len(cut_to_tokens("死" * 1_000_000, 50, count)) < 60
