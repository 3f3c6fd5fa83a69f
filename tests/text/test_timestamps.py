"""Times of fields, as programs and people write them."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_lite.text.timestamps import column_to_iso, to_iso

AT = "2023-05-30T23:40:00"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2023-05-21", "2023-05-21"),
        (" 2023-05-21 08:38 ", "2023-05-21T08:38:00"),
        ("2023-05-21T08:38:00Z", "2023-05-21T08:38:00+00:00"),
        ("20230521", "2023-05-21T00:00:00"),
        (1700000000, "2023-11-14T22:13:20+00:00"),
        (1700000000000, "2023-11-14T22:13:20+00:00"),
        (1700000000000000, "2023-11-14T22:13:20+00:00"),
        ("1700000000", "2023-11-14T22:13:20+00:00"),
        ("1700000000.5", "2023-11-14T22:13:20.500000+00:00"),
        ("1685489999.000200", "2023-05-30T23:39:59.000200+00:00"),  # Slack
        (2023, "2023"),
        (0, "1970-01-01T00:00:00+00:00"),
        ("Tue, 30 May 2023 23:40:00 +0200", f"{AT}+02:00"),  # a mail
        ("Tue, 30 May 2023 23:40:00 +0000 (UTC)", f"{AT}+00:00"),
        ("30 May 23 23:40 EST", f"{AT}-05:00"),
        ("Sunday, 30-May-23 23:40:00 GMT", f"{AT}+00:00"),
        ("Tue May 30 23:40:00 +0000 2023", f"{AT}+00:00"),  # Twitter
        ("Tue May 30 23:40:00 2023", AT),
        ("Tue 30 May 23:40:00 2023", AT),
        ("Tue May 30 2023 23:40:00 GMT+0200 (Central European Summer Time)", f"{AT}+02:00"),  # a browser
        ("30.05.2023 23:40:00 UTC+02:00", f"{AT}+02:00"),  # Telegram
        ("30/05/2023, 23:40", AT),  # WhatsApp
        ("5/30/23, 11:40\u202fPM", AT),
        ("[30.05.23, 23:40:00]", AT),
        ("5/30/2023 11:40 PM", AT),  # a spreadsheet
        ("30.05.2023", "2023-05-30"),
        ("2023/05/30 (Tue) 23:40", AT),
        ("11:40 pm on 30 May, 2023", AT),
        ("12:05 a.m. on May 30th, 2023", "2023-05-30T00:05:00"),
        ("Tuesday, May 30, 2023 11:40 PM", AT),
        ("Dienstag, 30. Mai 2023 um 23:40 Uhr", AT),
        ("mardi 30 mai 2023 à 23h40", AT),
        ("martes, 30 de mayo de 2023, 23:40", AT),
        ("mié, 31 may 2023", "2023-05-31"),
        ("terça-feira, 30 de maio de 2023 23:40", AT),
        ("Mar 30 2023", "2023-03-30"),
        ("2023年5月30日 23:40", AT),
        ("2023年5月30日(火) 午後11時40分", AT),
        ("2023年5月30日星期二 下午11:40", AT),
        ("2023年5月30日 中午12:30", "2023-05-30T12:30:00"),
        ("2023년 5월 30일 오후 11:40", AT),
        ("2023. 5. 30. 오후 11:40:00", AT),  # KakaoTalk
        ("2023-05-30T23:40:00.000+0000", f"{AT}+00:00"),  # Jira
        ("٢٠٢٣-٠٥-٢١", "2023-05-21"),
        ("May 2023", "2023-05"),
        ("05/05/2023", "2023-05-05"),
        *(
            (value, "")
            for value in (
                "05/06/2023", "05/06/07", "2023-13-45", "31/02/2023", "last week", "23:40", "May 23:40", "25:10 on 8 May 2023",
                "1:00 and 2:00 on 8 May 2023", "13:40 xm 8 May 2023", "0:40 pm, 8 May 2023", "", "x" * 500,
                None, True, [], 10**400, float("nan"), float("inf"), -float("inf"),
            )
        ),
    ],
)  # fmt: skip
def test_a_time(value: Any, expected: str) -> None:
    assert to_iso(value) == expected


def test_which_comes_first_is_told_by_all_values_of_a_field() -> None:
    assert column_to_iso(["05/06/2023", "06/30/2023", "x"]) == ["2023-05-06", "2023-06-30", ""]
    assert column_to_iso(["05-06-2023", "30-06-2023"]) == ["2023-06-05", "2023-06-30"]
    assert column_to_iso(["05/06/2023", "06/05/2023"]) == ["", ""]
    assert column_to_iso(["05/06/2023", "30/05/2023", "5/30/2023"]) == ["", "2023-05-30", "2023-05-30"], "both are used"


def test_of_years_with_two_digits_the_one_that_changes_less_is_the_year() -> None:
    assert column_to_iso(["30/05/23, 23:40", "31/05/23, 00:10", "1/6/23, 8:00"])[2] == "2023-06-01T08:00:00"
    assert column_to_iso(["23/05/28", "23/05/29"]) == ["2023-05-28", "2023-05-29"]
    assert column_to_iso(["30/05/23"]) == [""], "a day of 2023, or of 2030"


@given(st.lists(st.text("0123456789/.-: ,apmMay年月日時火()+", max_size=24) | st.integers() | st.floats() | st.text()))
def test_any_values_give_times_or_nothing(values: list[Any]) -> None:
    for one in column_to_iso(values):
        assert one == "" or one[:4].isdigit()
