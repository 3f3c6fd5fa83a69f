"""Periods that questions name, in the languages that dates are read in."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_lite.text.period import Period, period_of
from graphrag_lite.text.periods import LONGEST, periods
from graphrag_lite.text.relative_times import relative_dates
from graphrag_lite.text.times import times

NOW = date(2023, 5, 30)  # a Tuesday
DAYS = st.dates(date(1000, 1, 1), date(2099, 12, 31))


def told(text: str, language: str = "en", now: date | None = NOW) -> list[tuple[str, str]]:
    return [(str(period.first), str(period.last)) for period in periods(text, now, language)]


def days(first: str, last: str = "") -> list[tuple[str, str]]:
    return [(first, last or first)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What was published on October 7, 2022?", days("2022-10-07")),
        ("on 7 October 2022", days("2022-10-07")),
        ("Май 2020 года", days("2020-05-01", "2020-05-31")),
        ("on Oct. 7th, 2022", days("2022-10-07")),
        ("on 2022-10-07?", days("2022-10-07")),
        ("on 20221007", days("2022-10-07")),
        ("on 20221399", []),
        ("on 07.10.2022", days("2022-10-07")),
        ("on 03/04/2022", days("2022-01-01", "2022-12-31")),  # two dates: only the year is sure
        ("in February 2024", days("2024-02-01", "2024-02-29")),
        ("who led it in 1998", days("1998-01-01", "1998-12-31")),
        ("from 1998 to 2003", days("1998-01-01", "2003-12-31")),
        ("from 2 to 13 December 1993", days("1993-12-02", "1993-12-13")),
        ("11-21 February 1997", days("1997-02-11", "1997-02-21")),
        ("between October 4, 2022 and October 9, 2022", days("2022-10-04", "2022-10-09")),
        ("from March to May 2020", days("2020-03-01", "2020-05-31")),
        ("between 5 March and 7 May 2020", days("2020-03-05", "2020-05-07")),
        ("Jan. – March 2020", days("2020-01-01", "2020-03-31")),
        ("from November to March 2020", days("2020-03-01", "2020-03-31")),
        ("in 1998 and 2003", days("1998-01-01", "1998-12-31") + days("2003-01-01", "2003-12-31")),
        ("2003 to 1998", days("2003-01-01", "2003-12-31") + days("1998-01-01", "1998-12-31")),
        ("on October 7", days("2022-10-07")),  # the last one
        ("on May 12th", days("2023-05-12")),
        ("on March the 4th", days("2023-03-04")),
        ("in March", days("2023-03-01", "2023-03-31")),
        ("in July", days("2022-07-01", "2022-07-31")),
        ("today", days("2023-05-30")),
        ("yesterday", days("2023-05-29")),
        ("the day before yesterday", days("2023-05-28")),
        ("10 days ago", days("2023-05-20")),
        ("a week ago", days("2023-05-20", "2023-05-26")),
        ("two months ago", days("2023-03-15", "2023-04-14")),
        ("last Friday", days("2023-05-26")),
        ("last Tuesday", days("2023-05-23")),
        ("on Tuesday", days("2023-05-30")),
        ("this week", days("2023-05-29", "2023-05-30")),
        ("last week", days("2023-05-22", "2023-05-28")),
        ("last month", days("2023-04-01", "2023-04-30")),
        ("this month", days("2023-05-01", "2023-05-30")),
        ("last year", days("2022-01-01", "2022-12-31")),
        ("this year", days("2023-01-01", "2023-05-30")),
        ("in the past 3 weeks", days("2023-05-09", "2023-05-30")),
        ("How many days ago did I start?", []),
        ("I may march in general, set 12 goals and mark 19200 of them in 0921", []),
        ("version 2023.5.1.4 of 192.168.1.1, order 120231007", []),
        ("", []),
    ],
)
def test_english(text: str, expected: list[tuple[str, str]]) -> None:
    assert told(text) == expected


IN_EVERY_LANGUAGE = """
en: two days ago | last Friday | last month | yesterday | this year | March 10, 2022 | two years and a month ago
fr: il y a deux jours | vendredi dernier | le mois dernier | hier | cette année | le 10 mars 2022 | il y a deux ans et un mois
de: vor zwei Tagen | letzten Freitag | letzten Monat | gestern | dieses Jahr | am 10. März 2022 | vor zwei Jahren und einem Monat
es: hace dos días | el viernes pasado | el mes pasado | ayer | este año | el 10 de marzo de 2022 | hace dos años y un mes
it: due giorni fa | venerdì scorso | il mese scorso | ieri | quest'anno | 10 marzo 2022 | due anni e un mese fa
pt: há dois dias | sexta-feira passada | mês passado | ontem | este ano | 10 de março de 2022 | há dois anos e um mês
nl: twee dagen geleden | afgelopen vrijdag | vorige maand | gisteren | dit jaar | 10 maart 2022 | twee jaar en een maand geleden
ja: 二日前 | 先週の金曜日 | 先月 | 昨日 | 今年 | 2022年3月10日 | 二年と一か月前
zh: 两天前 | 上周五 | 上个月 | 昨天 | 今年 | 2022年3月10日 | 两年零一个月前
ko: 2일 전 | 지난주 금요일 | 지난달 | 어제 | 올해 | 2022년 3월 10일 | 2년 1개월 전
"""


@pytest.mark.parametrize("line", IN_EVERY_LANGUAGE.strip().splitlines())
def test_the_same_periods_in_every_language(line: str) -> None:
    language, texts = line[:2], line[4:].split(" | ")
    expected = [told(text)[0] for text in ["two days ago", "last Friday", "last month", "yesterday", "this year"]]
    expected += [("2022-03-10", "2022-03-10"), ("2021-04-14", "2021-05-14")]
    assert [told(text, language) for text in texts] == [[period] for period in expected]
    assert len(texts) == 7 and set(relative_dates()) >= {language}


@pytest.mark.parametrize(
    ("text", "language", "found"),
    [
        ("我们后天下午开会。", "zh", 1),
        ("后天性免疫缺陷", "zh", 0),
        ("此后天气转凉", "zh", 0),
        ("모레까지", "ko", 1),
        ("모레노 감독", "ko", 0),
    ],
)
def test_the_day_after_tomorrow_is_no_part_of_a_word(text: str, language: str, found: int) -> None:
    assert len(list(times(text, NOW, language))) == found


def test_without_a_day_to_tell_from_only_whole_dates_are_periods() -> None:
    assert told("last Friday, on May 3 or on May 4, 2020", now=None) == days("2020-05-04")


def test_an_unknown_language_still_has_dates() -> None:
    assert told("вчера или 2022-03-10", "ru") == days("2022-03-10")


@given(DAYS, DAYS)
def test_an_iso_day_is_itself_whatever_day_it_is(day: date, now: date) -> None:
    assert periods(f"on {day.isoformat()}?", now, "en") == [Period(day, day)]
    assert period_of(day.isoformat()) == Period(day, day)


@given(DAYS, st.integers(1, 300))
def test_days_ago_are_counted_from_now(now: date, n: int) -> None:
    day = now - timedelta(days=n)
    assert periods(f"{n} days ago", now, "en") == [Period(day, day)]


@given(
    DAYS,
    st.sampled_from(["last", "this", "a couple of", "7", "the past two", "on", "999"]),
    st.sampled_from(["day", "week", "months", "year", "friday", "sunday"]),
    st.sampled_from(["", " ago"]),
)
def test_a_relative_period_begins_and_ends_before_now_ends(now: date, word: str, unit: str, ago: str) -> None:
    for period in periods(f"{word} {unit}{ago}", now, "en"):
        assert period.first <= period.last <= now


@given(DAYS)
def test_the_last_week_day_is_within_seven_days_and_on_that_day(now: date) -> None:
    (period,) = periods("last Friday", now, "en")
    assert period.first.weekday() == 4 and 1 <= (now - period.first).days <= 7
    (week,) = periods("last week", now, "en")
    assert week.first.weekday() == 0 and (week.last - week.first).days == 6
    (month,) = periods("last month", now, "en")
    assert month.first.day == 1 and (month.last + timedelta(days=1)).day == 1


@given(st.text(), st.sampled_from(sorted(relative_dates())))
def test_any_text_is_read(text: str, language: str) -> None:
    assert all(period.first <= period.last for period in periods(text, NOW, language))


def test_no_more_than_the_beginning_of_a_long_question_is_read() -> None:
    assert told("x" * (LONGEST - 10) + " yesterday") == days("2023-05-29")
    assert told("x" * LONGEST + " yesterday") == []
    for text in ("last ", "1 ", "2023-", "in ", "3 days ", "一"):
        for language in relative_dates():
            periods(text * LONGEST, NOW, language)
