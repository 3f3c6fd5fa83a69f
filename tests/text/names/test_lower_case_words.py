"""Words in lower case are counted as `tokenize` has them, but of identifiers."""

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag_lite.text.names.tokens import lower_case_words, tokenize, without_identifiers

PIECES = [*"s'’ Sa-B\n.\u0301é", "'s", "'S", "it", "'ll", " s", "www.", "x.y.", "ab.cd", "_"]


def counted(text: str) -> Counter[str]:
    return Counter(word for word in tokenize(without_identifiers(text), "").words if word.islower())


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join) | st.text(max_size=40))
def test_the_words_are_those_of_tokenize(text: str) -> None:
    assert lower_case_words(text) == counted(text)


@settings(deadline=None)
@given(*[st.lists(st.sampled_from(PIECES), max_size=10).map("".join)] * 2)
def test_texts_can_be_counted_together(one: str, other: str) -> None:
    assert lower_case_words(f"{one}\n\n{other}") == counted(one) + counted(other)
