"""Words that the corpus does not hold: which are read as another, and which are left as they are."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag_lite.retrieval.bm25 import build
from graphrag_lite.retrieval.capitals import names_within
from graphrag_lite.retrieval.columns import Strings
from graphrag_lite.retrieval.spelling import MAX_WORDS, distances, nearest, readings, respell
from graphrag_lite.text.words import terms

TEXTS = [
    "Lyman Spitzer proposed a large telescope in space",
    "Spices and bread of India; they launched a ship from Goa",
    "Kennedy saw the Schwarzenegger film, which nobody launched",
    "Москва стала столицей",
    "Η Θεσσαλονίκη",
    "the whole year 20030",
]


def read(question: str, texts: list[str] = TEXTS, language: str = "en") -> dict[str, str]:
    index = build([terms(text, language) for text in texts])
    words, names = Strings.of(index.vocabulary), names_within(question)
    return readings(question, language, index, words, lambda unit: (texts[unit], language), names)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who was Lymann Spitser?", {"Lymann": "Lyman", "Spitser": "Spitzer"}),
        ("SPITSER", {"SPITSER": "Spitzer"}),  # as the corpus writes it
        ("when was the ship lanched", {"lanched": "launched"}),
        ("And Kenendy?", {"Kenendy": "Kennedy"}),  # with the ending that the stemmer takes off
        ("psitzer, yLman", {"psitzer": "Spitzer", "yLman": "Lyman"}),  # a swap may be of the first letters
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


def test_words_with_numbers_written_together_are_read_apart_where_the_corpus_has_them() -> None:
    found = read("FY20Q3 or fy20q3, FY20Q4, Q3?", ["Call FY20 Q3 of unit 7B"])
    assert found == {"FY20Q3": "FY20 Q3", "fy20q3": "fy20 q3"}


def test_what_is_read_together_is_replaced_before_words_are() -> None:
    said = {"third quarter": "Q3", "quater": "quarter", "FY20Q3": "FY20 Q3"}
    assert respell("third quarter, FY20Q3, quater", said) == "Q3, FY20 Q3, quarter"


def test_a_word_is_not_read_as_one_that_the_rest_of_the_question_has_nothing_to_do_with() -> None:
    assert read("Which breed has Kennedy from the film?") == {}
    assert read("Which breed of spices has India?") == {"breed": "bread"}
    painted = ["The mayor pointed at the tower"]
    assert read("Who painted the tower?", painted) == {}  # a verb of its own
    assert read("Who piointed at the tower?", painted) == {"piointed": "pointed"}


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        ("And HoloLense?", "We sell the HoloLens.", {"HoloLense": "HoloLens"}),
        ("the Activison deal", "Activision Blizzard, a deal", {"Activison": "Activision"}),
        ("Who is Nadela?", "SATYA NADELLA: Good afternoon", {"Nadela": "Nadella"}),  # nobody is to be shouted at
        ("Who is NADELA?", "NADELLA: Nadella", {"NADELA": "NADELLA"}),
        ("the McDonad farm", "MCDONALD\nMCDONALD, a farm, McDonald", {"McDonad": "McDonald"}),
        ("what is a launsh", "Launch it. We launch", {"launsh": "launch"}),
        ("it lauches", "We launch. It launches", {"lauches": "launches"}),  # the form that is nearest
        ("How many moons?", "Good morning to many", {}),  # "morn" is a stem, no word
        ("What is Elon?", "An elongated thing", {}),
        ("What of Lisa?", "a list of paintings. List them", {}),  # a name is no other word
        ("What of the lisa?", "a list of paintings", {}),  # too short
        ("What of Bisquit?", "a biscuit", {}),
        ("Bisquit?", "a biscuit", {"Bisquit": "biscuit"}),  # the capital is that of the sentence
        ("What of Bisquit?", "Biscuit: good boy", {"Bisquit": "Biscuit"}),
        ("What of Bisquit?", "He is Biscuit, a biscuit", {"Bisquit": "Biscuit"}),
    ],
)
def test_a_word_is_read_as_a_word_that_the_corpus_has(question: str, text: str, expected: dict[str, str]) -> None:
    assert read(question, [text]) == expected


def test_of_several_readings_the_one_that_fits_the_question_is_taken() -> None:
    texts = ["Marlin the fish", "Martin of Tours", "the marten"]
    assert read("Was Markin a fish?", texts) == {"Markin": "Marlin"}
    assert read("Was Markin from Tours?", texts) == {"Markin": "Martin"}


def test_an_empty_corpus_and_endless_questions() -> None:
    assert read("Who was Lymann?", []) == {}
    words = " ".join(f"Spitz{letter}er" for letter in "abcdefghijklmnopqrstuvwxyz")
    assert len(read(words)) == MAX_WORDS


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Who is Tim Cook? Nobody at Apple", ["Tim", "Cook", "Apple"]),
        ("TIM: (Yes) So said Ann\nBob", ["So", "Ann"]),
        ("iPhone or LinkedIn", ["LinkedIn"]),
        ("", []),
    ],
)
def test_a_capital_at_the_beginning_of_a_sentence_makes_no_name(text: str, names: list[str]) -> None:
    assert names_within(text) == names


def test_only_whole_words_are_respelt() -> None:
    assert respell("Spitser's Spitsers, Spitser", {"Spitser": "Spitzer"}) == "Spitzer's Spitsers, Spitzer"


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
