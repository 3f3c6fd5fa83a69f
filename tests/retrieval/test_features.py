"""Reading a question: distinct terms, which of them are names, and the period."""

import json
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from graphrag_lite import pipeline
from graphrag_lite.retrieval.bm25 import Bm25, build
from graphrag_lite.retrieval.entity_names import NameTable, name_table
from graphrag_lite.retrieval.features import Features
from graphrag_lite.retrieval.held import Held
from graphrag_lite.retrieval.question import Question
from graphrag_lite.retrieval.title_numbers import as_titles_say, by_number
from graphrag_lite.retrieval.unit_attributes import Attributes
from graphrag_lite.search.index import Index
from graphrag_lite.settings import Settings
from graphrag_lite.text.words import terms

if TYPE_CHECKING:
    from graphrag_lite.retrieval.snapshot_view import SnapshotView

TEXTS = ["Mayor from 1918 to 1923", "In 1921", "Built 1850; 19200 seats; the 1920s", "2003年に東京で", "nothing"]
INDEX = build([terms(text, "en") for text in TEXTS])


@dataclass
class Corpus:
    """As much of an index as a question's features need."""

    bm25: Bm25
    names: NameTable
    attributes: Attributes
    languages: tuple[str, ...] = ("en",)
    is_dated: bool = False


def features_of(
    question: str,
    index: Bm25,
    names: NameTable,
    attributes: Attributes | None = None,
    as_of: date | None = None,
) -> Features:
    corpus = Corpus(index, names, attributes or Attributes(np.full(index.n_units, np.nan), name_table([]), []))
    asked = Question(cast("SnapshotView", corpus), question, as_of)
    asked.readings = {}
    asked.language = "en"
    return asked.features


def dated(question: str) -> list[int]:
    return [int(unit) for unit in features_of(question, INDEX, name_table([])).dated_units]


def test_the_period_is_from_the_first_to_the_last_year() -> None:
    assert dated("Who was mayor from 1920 to 1922?") == [1]
    assert dated("Who was mayor from 1923 back to 1918?") == [0, 1]
    assert dated("In 2003?") == [3]
    assert dated("Who ruled 19200 people in 0921?") == []


def test_terms_are_distinct_and_know_whether_they_are_of_a_name() -> None:
    read = features_of("Did the mayor of Acme City meet another mayor?", INDEX, name_table([("Acme City", 3)]))
    names = dict(zip(["mayor", "acm", "citi", "meet", "anoth"], read.in_name.tolist(), strict=True))
    assert names == {"mayor": False, "acm": True, "citi": True, "meet": False, "anoth": False}
    assert read.term_scores.shape == (5, 5) and read.entities == {3: 1.0}
    assert read.term_scores.columns(np.ones(5)).tolist() == INDEX.scores(["mayor"]).tolist()


def test_a_name_given_in_part_counts_less_the_more_it_can_mean() -> None:
    table = name_table([("John Mayor", 0), ("Ann Mayor", 1), ("Mayor", 1), ("Acme City", 2)])
    read = features_of("Did Mayor visit City?", INDEX, table)
    assert read.entities == {0: 0.5, 1: 1.0, 2: 1.0} and read.in_name.tolist() == [False, True, False, True][-3:]


def test_a_name_is_looked_up_as_one_word_where_the_corpus_writes_it_so() -> None:
    texts = [
        "BESTBUY 10K",
        "BESTBUY",
        "the best",
        "one buy",
        "best buy",
        *["LiHua met"] * 5,
        "Li and Hua",
        "redhat Red Hat hat",
    ]
    index = build([terms(text, "en") for text in texts])

    def found(question: str) -> set[float]:
        scores = features_of(question, index, name_table([])).term_scores @ np.ones(len(texts))
        return {round(float(score), 4) for score in scores if score}

    def held(*words: str) -> set[float]:
        return {round(float(index.scores([word]).sum()), 4) for word in words}

    assert found("Is Best Buy Co large?") == held("best", "buy", "bestbuy")
    assert found("Is Li Hua here?") == held("lihua")  # its words alone are in fewer units
    assert found("What is the best buy?") == held("best", "buy")
    assert found("Is Red Hat here?") == held("red", "hat")


def test_words_that_say_how_to_answer_count_half() -> None:
    index = build([terms("mayor answer seats", "en")] + [["nothing"]] * 3)

    def scores(question: str) -> list[float]:
        return features_of(question, index, name_table([])).term_scores.data.round(3).tolist()

    whole = scores("mayor answer seats?")
    assert scores("Mayor? Answer in seats.") == [whole[0], whole[1] / 2, whole[2] / 2]
    assert scores("Answer mayor of seats") == scores("answer mayor seats")  # only what a sentence of its own says
    assert scores("Mayor? Answer mayor.")[0] == whole[0]


def test_replies_count_unless_they_are_asked_for() -> None:
    replies = np.array([False, True, False, True, False])
    attributes = replace(NO_DATES, replies=replies)
    assert read("Who is mayor?").replies is None
    assert read("Can you tell me who is mayor?", None, attributes).replies is replies
    assert read("Who did you say is mayor?", None, attributes).replies is None


def test_what_a_user_says_to_do_always_and_prefers_is_heeded_in_a_chat_with_an_assistant() -> None:
    said = ("Always give prices when I ask of hotels.", "I prefer trains.", "You always ask, and prefer planes.", "Hi")
    index = build([terms(text, "en") for text in said])
    chat = Attributes(np.full(4, np.nan), name_table([]), [], replies=np.array([False, False, True, False]))

    def heeded(question: str, attributes: Attributes = chat) -> list[int] | None:
        found = features_of(question, index, name_table([]), attributes).heeded
        return None if found is None else found.tolist()

    assert heeded("Which hotels are there?") == [0]
    assert heeded("Which hotel do you recommend?") == [0, 1]
    assert heeded("Which hotel did you recommend?") is None  # asks for what was said
    assert heeded("How many days passed between my trip to Oslo and the race?") is None  # is computed
    assert heeded("Which hotel do you recommend?", replace(chat, replies=None)) is None


def test_the_newest_goes_first_as_of_a_day_and_of_a_value_that_a_chat_with_an_assistant_tells() -> None:
    order = np.arange(5.0)
    people, chat = (replace(ATTRIBUTES, order=order, replies=replies) for replies in (None, order > 3))
    value = "How many seats are there?"
    asked = (value, "How many seats were there?", "Are there seats?", "How many seats are there in 2022?")
    assert [read(each, None, chat).order is order for each in asked] == [True, False, False, False]
    assert read(value, None, people).order is None and read(value, date(2023, 5, 31), people).order is order


def test_what_sentences_say_of_times_counts_nothing_where_titles_state_the_year() -> None:
    ones = np.ones(1, np.int32)
    held = Held(5, ones, 728659 * ones, 729023 * ones, ones, 0 * ones)  # 1996
    titles = replace(NO_DATES, held=held, units=[np.arange(n) for n in (2, 3)])
    for place, counts in ((0, True), (1, False)):
        found = read("Who was mayor in 1996?", None, replace(titles, numbered={"1996": [("10k", "", place)]})).held
        assert found[1] > 0.9 if counts else found is None


def test_an_empty_question() -> None:
    read = features_of("", INDEX, name_table([]))
    assert read.term_scores.shape == (0, 5) and not read.entities and not len(read.dated_units)


# Units 0 to 4 of five documents: three dated, one of them by the newest day, and two that are not.
DAYS = np.array(
    [date(2023, 5, 30).toordinal(), date(2023, 5, 26).toordinal(), np.nan, date(2022, 3, 1).toordinal(), np.nan]
)
ATTRIBUTES = Attributes(
    DAYS, name_table([("The Verge", 0), ("Fortune", 1)]), [np.array([1, 3], np.int32), np.array([4], np.int32)]
)
NO_DATES = Attributes(np.full(5, np.nan), name_table([]), [])


def read(question: str, as_of: date | None = None, attributes: Attributes | None = ATTRIBUTES) -> Features:
    return features_of(question, INDEX, name_table([]), attributes, as_of)


def fits(question: Features) -> list[dict[int, float]]:
    return [dict(zip(units.tolist(), values.tolist(), strict=True)) for units, values in question.stated]


def test_values_that_the_question_names_are_stated_once() -> None:
    assert fits(read("What did The Verge and Fortune say, and The Verge again?")) == [{1: 1.0, 3: 1.0}, {4: 1.0}]
    assert fits(read("What of Bob's fortune on the verge?")) == [{1: 1.0, 3: 1.0}]  # of one word, only with a capital


# Titles "Call FY19 Q3" (unit 0), "Call FY20 Q3" (1, 2), "Call FY20 Q4" (3).
NUMBERED = by_number([("FY19", 0), ("FY20", 1), ("Q3", 2), ("Q4", 3)])
UNITS = [np.array(units, np.int32) for units in ([0], [1, 2, 3], [0, 1, 2], [3])]
SERIES = replace(NO_DATES, units=UNITS, numbered=NUMBERED)


def test_titles_are_stated_by_all_the_words_with_a_number_that_they_share_with_the_question() -> None:
    assert fits(read("How was Azure in q3 of FY20?", None, SERIES)) == [{1: 1.0, 2: 1.0}]
    assert fits(read("How was FY20?", None, SERIES)) == [{1: 1.0, 2: 1.0, 3: 1.0}]
    assert fits(read("From FY19 to FY20 Q3?", None, SERIES)) == [{0: 1.0}, {1: 1.0, 2: 1.0}]
    assert fits(read("How was Azure in 20, or FY21?", None, SERIES)) == []


def test_the_name_of_a_series_is_stated_also_where_titles_write_it_as_one_word() -> None:
    named = replace(NO_DATES, values=name_table([("3M", 0), ("BESTBUY", 1), ("Coca Cola", 2)]), units=UNITS)
    assert fits(read("What did Best Buy sell to Coca Cola?", None, named)) == [
        {0: 1.0, 1: 1.0, 2: 1.0},
        {1: 1.0, 2: 1.0, 3: 1.0},
    ]
    assert fits(read("What is the best buy of Coca?", None, named)) == []


def test_a_fiscal_year_is_the_year_that_reports_say() -> None:
    index = build([["sale", "2022"]] * 5 + [["sale", "fy2022", "fy21"], ["fy21", "2021"]])
    asked = features_of("Sales in FY2022 and FY21", index, name_table([]))
    assert asked.term_scores.sizes.tolist() == [6, 1, 2, 5] and asked.dated_units.tolist() == [0, 1, 2, 3, 4]


def test_words_with_a_number_are_read_as_titles_write_them() -> None:
    def reading(question: str) -> dict[str, str]:
        return as_titles_say(question, "en", NUMBERED)

    assert reading("Azure in the third quarter of fiscal year 2020") == {
        "third quarter": "Q3",
        "fiscal year 2020": "FY20",
    }
    assert reading("Azure in quarter 4, FY2020") == {"quarter 4": "Q4", "FY2020": "FY20"}
    assert reading("Azure in q3 of fy20, in FY21, and in the first quarter") == {}


def test_documents_of_the_period_fit_and_those_soon_after_it_a_little() -> None:
    (found,) = fits(read("What did I buy on May 26, 2023?"))
    assert found[1] == 1.0 and 0 < found[0] < 0.25 and set(found) == {0, 1}
    assert fits(read("And on 20230530?")) == [{0: 1.0}]
    assert fits(read("And in 1850?")) == [{}]


def test_relative_dates_are_told_from_as_of_else_from_the_newest_day() -> None:
    assert fits(read("What was on last Friday?")) == fits(read("What was on May 26, 2023?"))
    assert fits(read("What was on last Friday?", date(2022, 3, 20)))[0].keys() == set()
    assert fits(read("What was yesterday?", date(2022, 3, 2)))[0][3] == 1.0


def test_age_counts_as_of_a_day_where_no_period_is_asked_for() -> None:
    assert read("Who is mayor now?").ages is None
    assert read("Who is mayor?", date(2023, 5, 31)).ages.tolist() == [1, 5, 5, 456, 5]  # not dated: as old as most
    assert read("Who was mayor last year?", date(2023, 5, 31)).ages is None


@given(
    st.sampled_from(["Who is mayor now?", "Who left last Friday?", "Who came on May 26, 2023?"]), st.none() | st.dates()
)
def test_without_dates_nothing_of_time_is_read(question: str, as_of: date | None) -> None:
    found, plain = read(question, as_of, NO_DATES), read(question, None, None)
    assert (found.stated, found.ages) == ([], None)
    np.testing.assert_array_equal(found.term_scores.data, plain.term_scores.data)


def test_a_word_that_only_asks_counts_half() -> None:
    index = build([terms("how many seats", "en"), terms("seats", "en")])
    scores = features_of("How many seats?", index, name_table([])).term_scores @ np.array([1.0, 0.0])
    assert scores.tolist() == [index.scores(["how"])[0] / 2, index.scores(["mani"])[0], index.scores(["seat"])[0]]


def test_a_number_is_read_as_titles_write_it_only_where_the_corpus_bears_it_out(tmp_path: Path) -> None:
    rows = [
        {"id": f"{year}{q}", "title": f"Acme call FY{year} Q{q}", "text": text}
        for year in (20, 21)
        for q, text in enumerate(
            (
                "Welcome to the first quarter of the fiscal year. A question: who has the float64 and HIV-1?",
                "Welcome to the second quarter of the fiscal year. Another question of Ann Lee.",
                "Welcome to the third quarter of the fiscal year. The last question, from Bob Orr.",
            ),
            start=1,
        )
    ]
    ids = [{"id": f"c{n}", "title": "", "text": f"Chair number {n} is by Ann Lee, a maker."} for n in range(1, 9)]
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (folder / "b.jsonl").write_text("\n".join(map(json.dumps, ids)))
    index = Index(pipeline.index(folder, tmp_path / "output", Settings()).snapshot)
    assert Question(index, "Sales in the third quarter of fiscal year 2020?").readings == {
        "third quarter": "Q3",
        "fiscal year 2020": "FY20",
    }
    assert Question(index, "Sales in FY2021?").readings == {"FY2021": "FY21"}
    for question in ("Who asked question 3?", "Who has HIV-1?", "Is it float64?", "Who made the first chair?"):
        assert Question(index, question).readings == {}, question
