"""Questions that are computed with dates, and what is computed."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_lite.temporal.date_questions import date_question
from graphrag_lite.temporal.durations import When, day_of, in_order, time_between

DAYS = st.integers(1, date.max.toordinal() - 1)


def day(stated: str) -> When:
    ordinal = date.fromisoformat(stated).toordinal()
    return When(ordinal, ordinal)


@pytest.mark.parametrize(
    ("question", "kind", "unit", "events"),
    [
        ("How many days ago did I plant the tomatoes?", "ago", "day", ["I plant the tomatoes"]),
        ("How long has it been since the wedding?", "ago", "", ["the wedding"]),
        ("How many weeks have passed since I sold the car?", "ago", "week", ["I sold the car"]),
        ("How many days are there between my trip and the exam?", "between", "day", ["my trip", "the exam"]),
        ("How many days passed between the day I came and the day I left?", "between", "day", ["I came", "I left"]),
        ("How many days after I came did I leave?", "between", "day", ["I came", "I leave"]),
        ("How long had I been running when I bought it?", "between", "", ["I been running", "I bought it"]),
        ("How many days did it take me to read it after I got it?", "between", "day", ["I got it", "read it"]),
        ("Which did I buy first, the bed or the pads?", "first", "", ["the bed", "the pads"]),
        ("Who came most recently, Ann or Bo?", "last", "", ["Ann", "Bo"]),
        ("Who came first, Ann, Bo or Cy?", "first", "", ["Ann", "Bo", "Cy"]),
        ("Who left at an earlier date, Ann or Bo, the elder?", "first", "", ["Ann", "Bo, the elder"]),
        ("What is the order of these: 'I came', 'I sang', 'I left'?", "order", "", ["I came", "I sang", "I left"]),
        ("Until when did Bo lead Acme?", "until", "", ["Bo lead Acme"]),
        ("How many years lie between Bo's launch and the sale?", "between", "year", ["Bo's launch", "the sale"]),
        ("How many days are left until the exam?", "ahead", "day", ["the exam"]),
        ("How long has Bo led Acme?", "since", "", ["Bo led Acme"]),
        ("How old was Bo when he died?", "age", "year", ["Bo", "he died"]),
        ("How many years did the war last?", "lasted", "year", ["the war last"]),
        ("Which of Ann and Bo came earlier?", "first", "", ["Ann", "Bo"]),
        ("What is the order of the six museums I visited, from earliest to latest?", "list", "", ["museums I visited"]),
        ("What did I do last Friday?", "on", "", ["What did I do last Friday"]),
    ],
)
def test_what_is_asked(question: str, kind: str, unit: str, events: list[str]) -> None:
    asked = date_question(question)
    assert asked is not None
    assert (asked.kind, asked.unit, list(asked.events)) == (kind, unit, events)


@pytest.mark.parametrize(
    ("language", "question", "kind", "unit", "events"),
    [
        ("fr", "Combien d'années se sont écoulées entre la fête et le bal ?", "between", "year", "la fête;le bal"),
        ("fr", "Il y a combien de jours que Marie est partie ?", "ago", "day", "Marie est partie"),
        ("fr", "Quel événement a eu lieu d’abord : la fête ou le concert ?", "first", "", "la fête;le concert"),
        ("de", "Vor wie vielen Jahren wurde das Museum eröffnet?", "ago", "year", "das Museum eröffnet"),
        ("de", "Bis wann war Anna Müller Bürgermeisterin?", "until", "", "Anna Müller Bürgermeisterin"),
        ("es", "¿Cuántos días pasaron entre la boda y el viaje?", "between", "day", "la boda;el viaje"),
        ("es", "¿Cuánto duró la guerra?", "lasted", "", "la guerra"),
        ("zh", "婚礼和旅行之间相隔多少个月？", "between", "month", "婚礼;旅行"),
        ("zh", "会议和婚礼哪个更早？", "first", "", "会议;婚礼"),
        ("ja", "結婚式から旅行まで何日ですか？", "between", "day", "結婚式;旅行"),
        ("ja", "会社の設立は何年前ですか？", "ago", "year", "会社の設立"),
    ],
)
def test_what_is_asked_in_other_languages(language: str, question: str, kind: str, unit: str, events: str) -> None:
    asked = date_question(question, language)
    assert asked is not None
    assert (asked.kind, asked.unit, ";".join(asked.events)) == (kind, unit, events)


@given(st.sampled_from(["fr", "de", "es", "zh", "ja", "ko", "tlh"]), st.text(max_size=200))
def test_any_text_is_read_in_any_language(language: str, text: str) -> None:
    for padded in (text, f"combien de jours entre {text} et {text}", f"{text}と{text}ではどちらが先"):
        asked = date_question(padded, language)
        assert asked is None or asked.events


@pytest.mark.parametrize(
    "question",
    [
        "",
        "When did Ann come?",
        "How many people came first?",
        "How long is the bridge?",
        "Which bed did I buy?",
        "What did Ann do last Friday?",
        "How much did I spend in total last week, and on what?",
        "Which shop did I spend most at last month?",
        "What should I cook this weekend?",
        "How many days did I ski?",
        "?" * 500,
    ],
)
def test_other_questions_are_none_of_these(question: str) -> None:
    assert date_question(question) is None


@given(DAYS, DAYS)
def test_days_between_two_days_are_counted_either_way(one: int, other: int) -> None:
    told = time_between(When(one, one), When(other, other), "day")
    assert told == time_between(When(other, other), When(one, one), "day")
    assert int(told.split()[0]) == abs(one - other)


@given(st.lists(st.tuples(DAYS, st.integers(0, 400)), min_size=2, max_size=6))
def test_an_order_is_of_the_middles_and_stated_only_where_it_is_certain(spans: list[tuple[int, int]]) -> None:
    days = [When(first, first + length) for first, length in spans if first + length < date.max.toordinal()]
    order = in_order(days)
    if order is not None:
        middles = [days[place].middle for place in order]
        assert middles == sorted(middles) and len(set(middles)) == len(middles)
        assert sorted(order) == list(range(len(days)))


def test_what_is_known_to_the_month_is_not_counted_in_days() -> None:
    march = When(day("2024-03-01").first, day("2024-03-31").first)
    assert time_between(march, day("2024-04-02"), "day") == ""
    assert time_between(march, day("2024-12-16"), "day") == "about 9 months"
    assert str(march) == "2024-03"


def test_from_a_stretch_it_is_counted_from_its_end() -> None:
    trip = day_of({"valid_at": "2024-04-20", "invalid_at": "2024-04-22", "precision": "day", "kind": "state"})
    assert trip is not None
    assert time_between(trip, day("2024-05-05"), "day") == "14 days"
    assert str(trip) == "2024-04-20 to 2024-04-21"


def test_a_state_is_dated_by_its_beginning_or_its_end() -> None:
    row = {"valid_at": "1993-01-01", "invalid_at": "2007-01-01", "precision": "year", "kind": "state"}
    assert (str(day_of(row)), str(day_of(row, at_end=True))) == ("1993", "2006")
    assert str(day_of(row | {"valid_at": ""})) == "2006"
