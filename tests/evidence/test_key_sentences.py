"""Key sentences say most about what all sentences are about, and nothing twice."""

from hypothesis import given
from hypothesis import strategies as st

from graphrag_lite.evidence.distinct_sentences import says_the_same
from graphrag_lite.evidence.key_sentences import Sentence, choose_sentences, rounded_idf

WORDS = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=6, unique=True)


def made(*texts: str, worth: float = 1.0) -> list[Sentence]:
    return [Sentence(text, frozenset(text.split()), len(text.split()), worth) for text in texts]


def test_what_many_sentences_speak_of_comes_first_and_filler_words_count_for_nothing() -> None:
    sentences = made("mirror shape error", "mirror error found", "lunch was served", "mirror shape test")
    assert choose_sentences(sentences, 1, rounded_idf(sentences))[0] in (0, 3)
    long = Sentence("mirror shape error you know", frozenset(("mirror", "shape", "error")), 30, 1.0)
    assert choose_sentences([long, *sentences], 1, rounded_idf(sentences)) != [0]


def test_what_was_told_above_and_what_is_no_statement_come_last() -> None:
    sentences = [*made("mirror shape error", "lunch was served"), *made("mirror glass", worth=0.0)]
    assert choose_sentences(sentences, 3, rounded_idf(sentences), {"lunch was served"}) == [0, 1, 2]
    assert choose_sentences(sentences, 3, rounded_idf(sentences)) == [1, 0, 2]


def test_what_has_been_said_makes_room_for_the_rest() -> None:
    sentences = made(
        "mirror shape error glass", "mirror shape wheel lamp", "lunch box tray menu soup", "mirror shape coat hat"
    )
    idf = dict.fromkeys("mirror shape error glass wheel lamp lunch box tray menu soup coat hat".split(), 1.0)
    assert choose_sentences(sentences, 2, idf) == [0, 2]


@given(st.lists(WORDS, max_size=12), st.integers(0, 12))
def test_the_chosen_are_the_first_of_a_longer_choice(words: list[list[str]], most: int) -> None:
    sentences = made(*(" ".join(one) for one in words))
    idf = rounded_idf(sentences)
    chosen = choose_sentences(sentences, most, idf)
    assert chosen == choose_sentences(sentences, 12, idf)[:most]
    for i, place in enumerate(chosen):
        own = sentences[place].terms
        assert not says_the_same(own, (sentences[other].terms for other in chosen[:i]))


@given(st.lists(st.frozensets(st.sampled_from("abcdefgh"), min_size=1), max_size=12), st.permutations("abcdefgh"))
def test_a_choice_does_not_depend_on_the_order_of_sets(sets: list[frozenset[str]], order: list[str]) -> None:
    texts = [" ".join(sorted(one)) for one in sets]
    again = [Sentence(t, frozenset(sorted(s, key=order.index)), len(s), 1.0) for t, s in zip(texts, sets, strict=True)]
    sentences = [Sentence(t, s, len(s), 1.0) for t, s in zip(texts, sets, strict=True)]
    assert choose_sentences(sentences, 5, rounded_idf(sentences)) == choose_sentences(again, 5, rounded_idf(again))
