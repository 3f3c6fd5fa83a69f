"""Times that sentences state, and what of them: each case is a form in which people write."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_lite.temporal.intervals import intervals
from graphrag_lite.text.relative_times import relative_dates

SAID = date(2024, 3, 5)  # a Tuesday
DAYS = st.dates(date(1700, 1, 2), date(2040, 12, 30))


def told(sentence: str, said: date | None = SAID, language: str = "en") -> list[tuple[str, str, str]]:
    return [(one.kind, one.valid_at, one.invalid_at) for one in intervals(sentence, said, language)]


def test_what_was_added_to_an_old_document_later_has_been_so_since() -> None:
    assert told("Ann has worked at Acme since 2019.", date(1977, 12, 31)) == [("state", "2019-01-01", "")]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("She worked there from 1993 until 2006.", ("state", "1993-01-01", "2007-01-01")),
        ("He scored ten goals in the 2009–10 season.", ("event", "2009-01-01", "2011-01-01")),
        ("Inter won the 2009–10 Serie A title.", ("state", "2009-01-01", "2011-01-01")),
        ("He was prime minister 1997–99.", ("state", "1997-01-01", "2000-01-01")),
        ("Steven Beckwith, 1991–2001.", ("state", "1991-01-01", "2002-01-01")),
        ("Managed by Ann Bell (2014–present).", ("state", "2014-01-01", "")),
        ("She led it between May 3, 2020 and June 5, 2021.", ("state", "2020-05-03", "2021-06-06")),
        ("The festival is on May 11-12.", ("plan", "2024-05-11", "2024-05-13")),
        ("Since May 2006 Ann has served as mayor.", ("state", "2006-05-01", "")),
        ("Starting March 1, we pay less.", ("state", "2024-03-01", "")),
        ("He kept the post until 2006.", ("state", "", "2007-01-01")),
        ("It is postponed until next year.", ("state", "", "2025-01-01")),
        ("She joined Acme in 2004.", ("state", "2004-01-01", "")),
        ("In 2004 she joined Acme.", ("state", "2004-01-01", "")),
        ("I saw a bear three days ago.", ("event", "2024-03-02", "2024-03-03")),
        ("I moved to Oslo yesterday.", ("state", "2024-03-04", "")),
        ("I've been running for three weeks now.", ("state", "2024-02-10", "")),
        ("I've been taking lessons with Al, a friend, for three weeks now.", ("state", "2024-02-10", "")),
        ("We met on the Wednesday two weeks ago.", ("event", "2024-02-21", "2024-02-22")),
        ("I sold it 1 year and 2 months ago.", ("state", "2022-12-20", "")),
        ("We met the past weekend.", ("event", "2024-03-02", "2024-03-04")),
        ("My niece Emma just graduated.", ("event", "2024-03-05", "2024-03-06")),
        ("We met last Friday.", ("event", "2024-03-01", "2024-03-02")),
        ("I just wanted to let you know I have to work this Sunday.", ("plan", "2024-03-10", "2024-03-11")),
        ("The soup that I made on Sunday is part of my plan.", ("event", "2024-03-03", "2024-03-04")),
        ("We've used it on Sunday.", ("event", "2024-03-03", "2024-03-04")),
        ("There's a party on Sunday.", ("plan", "2024-03-10", "2024-03-11")),
        ("See you this Sunday!", ("plan", "2024-03-10", "2024-03-11")),
        ("Per Dahl is our new treasurer since Tuesday.", ("state", "2024-02-27", "")),
        ("Agreed, I take it over on Monday.", ("plan", "2024-03-11", "2024-03-12")),
        ("I will leave on Tuesday.", ("plan", "2024-03-12", "2024-03-13")),
        ("I heard that the exam is on Monday.", ("plan", "2024-03-11", "2024-03-12")),
        ("I've also got a class on Monday.", ("plan", "2024-03-11", "2024-03-12")),
        ("Lars agreed that the report has to be there by Friday.", ("plan", "", "2024-03-09")),
        ("The office is closed until Monday, as was announced.", ("state", "", "2024-03-11")),
        ("We hope to be done by May.", ("plan", "", "2024-06-01")),
        ("The treasurer would like to stop in September.", ("plan", "2024-09-01", "2024-10-01")),
        ("The election will be held in November.", ("plan", "2024-11-01", "2024-12-01")),
        ("The fair took place in November.", ("event", "2023-11-01", "2023-12-01")),
        ("The AGM was moved from 3 March to 7 April 2020.", ("event", "2020-04-07", "2020-04-08")),
        ("We had to reschedule the visit from Monday 1 April to Friday 5 April.", ("plan", "2024-04-05", "2024-04-06")),
        ("The fair ran from Monday, 1 April to Friday, 5 April 2019.", ("state", "2019-04-01", "2019-04-06")),
        ("The report is due Friday.", ("plan", "2024-03-08", "2024-03-09")),
        ("I am away until Friday.", ("state", "", "2024-03-08")),
        ("I just won the race on August 1st.", ("event", "2023-08-01", "2023-08-02")),
        ("It lasted from May 30, 1854, until March 1, 1867.", ("state", "1854-05-30", "1867-03-02")),
        ("I worked on it this week.", ("event", "2024-03-04", "2024-03-06")),
        ("I'm free this week.", ("event", "2024-03-04", "2024-03-11")),
        ("I’ll do it this week.", ("plan", "2024-03-06", "2024-03-11")),
        ("It opens later this month.", ("plan", "2024-03-06", "2024-04-01")),
        ("The call is on Wednesday, April 24.", ("plan", "2024-04-24", "2024-04-25")),
        ("We met last weekend.", ("event", "2024-03-02", "2024-03-04")),
        ("We met in November of last year.", ("event", "2023-11-01", "2023-12-01")),
        ("I finish the draft by April 20.", ("plan", "", "2024-04-21")),
        ("File the draft no later than 5 May 2024.", ("plan", "", "2024-05-06")),
        ("We meet on April 20 at noon.", ("plan", "2024-04-20", "2024-04-21")),
        ("It was sent on December 20.", ("event", "2023-12-20", "2023-12-21")),
        ("The exam is tomorrow.", ("plan", "2024-03-06", "2024-03-07")),
        ("Let us meet the day after tomorrow.", ("plan", "2024-03-07", "2024-03-08")),
        ("Ann led it from 1981 until the beginning of 1993.", ("state", "1981-01-01", "1994-01-01")),
        ("I'm leaving for Rome next month.", ("plan", "2024-04-01", "2024-05-01")),
        ("The Olympics of 1936 were held in Berlin.", ("event", "1936-01-01", "1937-01-01")),
        ("Ann has a contract from 2019 to 2021.", ("state", "2019-01-01", "2022-01-01")),
        ("We agreed to meet this coming Friday.", ("plan", "2024-03-08", "2024-03-09")),
        ("I just launched my website.", ("event", "2024-03-05", "2024-03-06")),
    ],
)
def test_what_a_sentence_states(sentence: str, expected: tuple[str, str, str]) -> None:
    assert told(sentence) == [expected]


@pytest.mark.parametrize(
    "sentence",
    [
        "I built a 1/24 scale model.",
        "My laptop is a Dell from 2018.",
        "My laptop is a Dell Inspiron 15 5000 series from 2018.",
        "- Ann Bell ( 1843–1906 ) , pilot",
        "Her work is still relevant today.",
        "By Friday everything was sold.",
        "Ann Bell (1843–1906) was a pilot.",
        "Ann Bell (born 12 May 1843) was a pilot.",
        "It costs $1995 and weighs 2000 grams.",
        "More than 1500 people came, 2000 words were said.",
        "Revenue of fiscal year 2016 rose.",
        "His 2009 novel sold well.",
        "You may 5 times march 3 miles.",
        "Entertainment Tonight was there.",
        "Version 2023.5.1 of 192.168.1.1 is out.",
        "Today most people use phones.",
        "Let us look at next week's goals.",
        "Put it in the oven for three days.",
        "It is cyclical, and we had benefits for a couple of years.",
        "I am close to 1300 now.",
        "Sales are higher than in 2019.",
        "It was written by May Jones.",
        "The house was sold by Friday.",
        "",
    ],
)
def test_what_is_no_time(sentence: str) -> None:
    assert told(sentence) == []


def test_without_a_day_on_which_it_was_said_relative_times_are_not_told() -> None:
    assert told("Last Friday, on May 3, three weeks ago, I met Ann.", said=None) == []


def test_what_ends_is_negative() -> None:
    (left,) = intervals("I left Acme on March 1.", SAID, "en")
    assert (left.polarity, left.kind, left.valid_at, left.invalid_at) == ("negative", "state", "2024-03-01", "")
    (never,) = intervals("I did not go on March 1.", SAID, "en")
    assert (never.polarity, never.kind) == ("negative", "event")


@pytest.mark.parametrize(
    ("language", "sentences"),
    [
        ("de", ["Seit 2006 ist sie Chefin.", "Er blieb bis 2006.", "Wir trafen uns vor zwei Tagen."]),
        ("fr", ["Depuis 2006 elle dirige.", "Il resta jusqu'en 2006.", "Nous sommes venus il y a deux jours."]),
        ("es", ["Desde 2006 dirige la casa.", "Se quedó hasta 2006.", "Llegamos hace dos días."]),
        ("it", ["Dal 2006 dirige la casa.", "Rimase fino al 2006.", "Siamo arrivati due giorni fa."]),
        ("pt", ["Desde 2006 dirige a casa.", "Ficou até 2006.", "Chegamos há dois dias."]),
        ("nl", ["Sinds 2006 leidt zij het.", "Hij bleef tot 2006.", "We kwamen twee dagen geleden."]),
        ("ja", ["2006年以来、社長だ。", "2006年まで社長だった。", "二日前に会った。"]),
        ("ko", ["2006년부터 대표이다.", "2006년까지 대표였다.", "2일 전에 만났다."]),
    ],
)
def test_other_languages_say_the_same(language: str, sentences: list[str]) -> None:
    expected = [("state", "2006-01-01", ""), ("state", "", "2007-01-01"), ("event", "2024-03-03", "2024-03-04")]
    assert [told(sentence, SAID, language) for sentence in sentences] == [[one] for one in expected]


@pytest.mark.parametrize(
    ("language", "sentence", "day"),
    [
        ("de", "Wir müssen am Freitag zum Amt.", "2024-03-08"),
        ("de", "Die Wahl wird am 3. November stattfinden.", "2024-11-03"),
        ("fr", "Elle voudrait partir le 3 novembre.", "2024-11-03"),
        ("es", "Vamos a mudarnos el 3 de noviembre.", "2024-11-03"),
        ("ja", "今週の金曜日に会います。", "2024-03-08"),
        ("zh", "下周三出发。", "2024-03-13"),
        ("ko", "이번 주 금요일에 만나요.", "2024-03-08"),
    ],
)
def test_what_is_told_as_ahead_is_to_come(language: str, sentence: str, day: str) -> None:
    assert [one[:2] for one in told(sentence, SAID, language)] == [("plan", day)]


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("it", "Fu sindaco dall’aprile 2019 all'aprile 2021."),
        ("it", "Tra l'aprile 2019 e l'aprile 2021 fu sindaco."),
        ("es", "Entre el 1 de abril de 2019 y el 30 de abril de 2021 fue alcalde."),
    ],
)
def test_articles_between_two_dates_are_of_a_span(language: str, sentence: str) -> None:
    assert told(sentence, SAID, language) == [("state", "2019-04-01", "2021-05-01")]


@given(DAYS, st.integers(1, 300))
def test_days_ago_and_ahead_are_counted_from_the_day_on_which_it_was_said(said: date, n: int) -> None:
    assert told(f"I saw it {n} days ago.", said)[0][1] == (said - timedelta(days=n)).isoformat()
    assert told(f"It is due in {n} days.", said)[0][:2] == ("plan", (said + timedelta(days=n)).isoformat())


@given(st.text(max_size=200), st.sampled_from([*relative_dates(), "ru", ""]), st.none() | DAYS)
def test_any_text_is_read(text: str, language: str, said: date | None) -> None:
    for padded in (text, f"since 2004 {text} last week", f"{text} until May 3, 1999 {text}"):
        for one in intervals(padded, said, language):
            assert 0 <= one.start < one.end <= len(padded)
            assert one.valid_at or one.invalid_at
            assert not (one.valid_at and one.invalid_at) or one.valid_at < one.invalid_at


@pytest.mark.parametrize(
    ("sentence", "polarity"),
    [
        ("I’ll be there tomorrow.", "positive"),
        ("I won’t be there tomorrow.", "negative"),
        ("I didn't go yesterday.", "negative"),
        ("Can't wait for tomorrow!", "positive"),
    ],
)
def test_what_is_not_to_be_is_told_from_what_will(sentence: str, polarity: str) -> None:
    assert [one.polarity for one in intervals(sentence, SAID, "en")] == [polarity]


def test_a_show_is_no_day() -> None:
    assert told("She was on Saturday Night Live.") == []
