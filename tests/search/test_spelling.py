"""Words that the corpus does not hold: which are read as another, and which are left as they are."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag_lite.search.bm25 import build
from graphrag_lite.search.columns import Strings
from graphrag_lite.search.spelling import MAX_WORDS, distances, nearest, readings, respelt
from graphrag_lite.text.words import terms

TEXTS = [
    "Lyman Spitzer proposed a large telescope in space",
    "Spices and bread of India; they launched a ship from Goa",
    "Kennedy saw the Schwarzenegger film, which nobody launched",
    "Москва стала столицей",
    "Η Θεσσαλονίκη",
    "the whole year 20030",
]
INDEX = build([terms(text, "en") for text in TEXTS])
VOCABULARY = Strings.of(INDEX.vocabulary)


def read(question: str, language: str = "en") -> dict[str, str]:
    return readings(question, language, INDEX, VOCABULARY)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who was Lymann Spitser?", {"Lymann": "Lyman", "Spitser": "Spitzer"}),
        ("SPITSER", {"SPITSER": "SPITZER"}),
        ("when was the ship lanched", {"lanched": "launched"}),
        ("And Kenendy?", {"Kenendy": "Kennedy"}),  # with the ending that the stemmer takes off
        ("psitzer, yLman", {"psitzer": "spitzer", "yLman": "lyman"}),  # a swap may be of the first letters
        ("Who saw Schwartzeneger?", {"Schwartzeneger": "Schwarzenegger"}),  # two edits of a long word
        ("Где Масква?", {"Масква": "Москва"}),
        ("Θεσαλονίκη", {"Θεσαλονίκη": "Θεσσαλονίκη"}),
        ("Who is Zorblatt of Indonesia?", {}),
        ("Xpitzer, Tyman", {}),  # the first letter is seldom wrong
        ("Lman Spitzre?", {"Lman": "Lyman", "Spitzre": "Spitzer"}),
        ("Whose wich?", {}),  # words that ask are no errors, and a short word is near to too many
        ("In 20031", {}),
        ("", {}),
    ],
)
def test_words_are_read_as_what_they_are_near_to(question: str, expected: dict[str, str]) -> None:
    assert read(question) == expected


def test_a_word_is_not_read_as_one_that_the_rest_of_the_question_has_nothing_to_do_with() -> None:
    assert read("Which breed has Kennedy from the film?") == {}
    assert read("Which breed of spices has India?") == {"breed": "bread"}


def test_of_several_readings_the_one_that_fits_the_question_is_taken() -> None:
    index = build([terms(text, "en") for text in ("Marlin the fish", "Martin of Tours", "the marten")])
    vocabulary = Strings.of(index.vocabulary)
    assert readings("Was Markin a fish?", "en", index, vocabulary) == {"Markin": "Marlin"}
    assert readings("Was Markin from Tours?", "en", index, vocabulary) == {"Markin": "Martin"}


def test_an_empty_corpus_and_endless_questions() -> None:
    empty = build([])
    assert readings("Who was Lymann?", "en", empty, Strings.of([])) == {}
    words = " ".join(f"Spitz{letter}er" for letter in "abcdefghijklmnopqrstuvwxyz")
    assert len(read(words)) == MAX_WORDS


def test_only_whole_words_are_respelt() -> None:
    assert respelt("Spitser's Spitsers, Spitser", {"Spitser": "Spitzer"}) == "Spitzer's Spitsers, Spitzer"


def reference(one: str, other: str) -> int:
    """Optimal string alignment, cell by cell."""
    table = {(i, -1): i + 1 for i in range(-1, len(one))} | {(-1, j): j + 1 for j in range(-1, len(other))}
    for i, a in enumerate(one):
        for j, b in enumerate(other):
            table[i, j] = min(table[i - 1, j] + 1, table[i, j - 1] + 1, table[i - 1, j - 1] + (a != b))
            if i and j and (a, b) == (other[j - 1], one[i - 1]):
                table[i, j] = min(table[i, j], table[i - 2, j - 2] + 1)
    return table[len(one) - 1, len(other) - 1]


@settings(deadline=None)
@given(st.text("abcé\U0001f600", min_size=1, max_size=7), st.lists(st.text("abcé\U0001f600", max_size=8), max_size=5))
def test_distances_are_those_of_the_textbook(term: str, others: list[str]) -> None:
    points, lengths = Strings.of(others).code_points(np.arange(len(others)))
    codes = np.array([ord(letter) for letter in term], np.uint32)
    assert distances(codes, points, lengths).tolist() == [reference(term, other) for other in others]


@settings(deadline=None)
@given(st.text("abcd", min_size=4, max_size=9), st.data())
def test_every_single_edit_behind_the_first_letter_is_found(word: str, data: st.DataObject) -> None:
    i = data.draw(st.integers(1, len(word) - 1))
    letter = data.draw(st.sampled_from("abcdé"))
    edited = data.draw(
        st.sampled_from(
            [
                word[:i] + letter + word[i:],
                word[:i] + word[i + 1 :],
                word[:i] + letter + word[i + 1 :],
                word[: i - 1] + word[i] + word[i - 1] + word[i + 1 :],
            ]
        )
    )
    found = nearest(edited, Strings.of(sorted({word, "zzzz", word + "zzz"})))
    assert found == {word: int(edited != word)}
