"""Dates as models write them, in ISO 8601."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from linear import assert_linear

from graphrag_lite.text.dates import LONGEST, iso_date, iso_period


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ("2022-01-10T00:00:00", "2022-01-10"),
        ("2022-01-10T10:00:00.123Z", "2022-01-10T10:00:00Z"),
        ("2022-01-10T01:30:00+02:00", "2022-01-09T23:30:00Z"),  # another zone's: told in UTC, so that it sorts
        ("2022-01-10 25:30", ""),
        ("2023-02-29", ""),
        ("2023-13", ""),
        ("2022/1/5", "2022-01-05"),
        ("05.01.2022", "2022-01-05"),  # between dots the day comes first
        ("05/01/2022", "2022"),  # two dates
        ("05/05/2022", "2022-05-05"),
        ("12/2020", "2020-12"),
        ("in March 2023", "2023-03"),
        ("c. 1915", "1915"),
        *((f"{name} 2014", "") for name in ("Lisa", "Mark", "Mary", "Juno", "Jui")),
        *((f"3 {name}. 2014", "2014-03-03") for name in ("mar", "mrt", "march", "maerz", "бер")),
        ("Monday, March 3, 2025", "2025-03-03"),
        ("4 Aug. 2021", "2021-08-04"),
        ("1er mai 2001", "2001-05-01"),
        ("12 août 2023", "2023-08-12"),
        ("10 de enero de 2020", "2020-01-10"),
        ("3. März 2023", "2023-03-03"),
        ("2 апреля 2025 г.", "2025-04-02"),
        ("7 września 2025 r.", "2025-09-07"),
        ("6 مارس 2025", "2025-03-06"),
        ("10 फ़रवरी 2025", "2025-02-10"),
        ("2023年3月12日", "2023-03-12"),
        ("2023년 3월", "2023-03"),
        ("２０２３-０１-０２", "2023-01-02"),
        ("the spring of 1890", ""),
        ("last year", ""),
        ("Mango 2020", ""),
        ("14:30", ""),
        ("N/A", ""),
    ],
)
def test_a_date(stated: str, expected: str) -> None:
    assert iso_date(stated) == expected


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        ("NONE", "NONE", ("", "")),
        ("2022-01-10", "NONE", ("2022-01-10", "")),
        ("2023-05", "2023-05", ("2023-05", "2023-05")),
        ("March to May 2023", "", ("2023-03", "2023-05")),
        ("January 3, 2020 - February 4, 2020", "", ("2020-01-03", "2020-02-04")),
        ("2022-01-10/2022-02-01", "", ("2022-01-10", "2022-02-01")),
        ("1914-18", "", ("1914", "1918")),
        ("2020年1月至2020年3月", "", ("2020-01", "2020-03")),
        ("between 1990 and 1995", "NONE", ("1990", "1995")),
        ("", "1990s", ("1990", "1999")),
        ("Q4 2020", "", ("2020-10", "2020-12")),
        ("2023", "2021", ("2021", "2023")),  # the wrong way round
        ("2022-01-10", "2022", ("2022-01-10", "2022")),  # its end is said less exactly
    ],
)
def test_a_period(start: str, end: str, expected: tuple[str, str]) -> None:
    assert iso_period(start, end) == expected


@given(st.dates(min_value=date(1000, 1, 1), max_value=date(2999, 12, 31)))
def test_every_day_of_the_calendar_is_read_in_every_way_of_writing_it(day: date) -> None:
    iso = str(day)
    for form in ("%Y-%m-%d", "%Y/%m/%d", "%d %B %Y", "%B %d, %Y", "%d.%m.%Y", "%Y年%m月%d日", "%Y-%m-%dT00:00:00"):
        written = day.strftime(form).replace(day.strftime("%Y"), iso[:4])
        assert iso_date(written) == iso
    assert iso_period(iso, iso) == (iso, iso)


@given(st.text(max_size=LONGEST))
def test_whatever_is_written_gives_a_date_or_nothing(text: str) -> None:
    assert all(value == "" or value[:4].isdigit() for value in (iso_date(text), *iso_period(text, text)))


@pytest.mark.parametrize("char", "1 -/.a年TQ,")
def test_a_megabyte_is_no_date(char: str) -> None:
    assert iso_period(char * 1_000_000, char * LONGEST) == ("", "")
    assert_linear(lambda text: iso_period(text, text), char)
