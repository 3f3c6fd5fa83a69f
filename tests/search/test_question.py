"""Reading a question: distinct terms, which of them are names, and the period."""

from graphrag_lite.search.bm25 import build
from graphrag_lite.search.mentions import name_table
from graphrag_lite.search.question import read_question
from graphrag_lite.text.words import terms

TEXTS = ["Mayor from 1918 to 1923", "In 1921", "Built 1850; 19200 seats; the 1920s", "2003年に東京で", "nothing"]
INDEX = build([terms(text, "en") for text in TEXTS])


def dated(question: str) -> list[int]:
    return [int(unit) for unit in read_question(question, "en", INDEX, name_table([])).dated_units]


def test_the_period_is_from_the_first_to_the_last_year() -> None:
    assert dated("Who was mayor from 1920 to 1922?") == [1]
    assert dated("Who was mayor from 1923 back to 1918?") == [0, 1]
    assert dated("In 2003?") == [3]
    assert dated("Who ruled 19200 people in 0921?") == []


def test_terms_are_distinct_and_know_whether_they_are_of_a_name() -> None:
    read = read_question("Did the mayor of Acme City meet another mayor?", "en", INDEX, name_table([("Acme City", 3)]))
    names = dict(zip(["mayor", "acm", "citi", "meet", "anoth"], read.in_name.tolist(), strict=True))
    assert names == {"mayor": False, "acm": True, "citi": True, "meet": False, "anoth": False}
    assert read.term_scores.shape == (5, 5) and read.entities == {3: 1.0}
    assert read.term_scores.sum(axis=1).tolist() == INDEX.scores(["mayor"]).tolist()


def test_an_empty_question() -> None:
    read = read_question("", "en", INDEX, name_table([]))
    assert read.term_scores.shape == (5, 0) and not read.entities and not len(read.dated_units)
