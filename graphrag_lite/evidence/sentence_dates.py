"""When what a sentence says was, and what its "today" means in a document that is dated."""

import re
from collections.abc import Iterator
from datetime import date, timedelta

from graphrag_lite.text.period import Period
from graphrag_lite.text.periods import periods
from graphrag_lite.text.relative_times import relative_spans

# Numbers of four digits are years after these, and where they stand for themselves in brackets or between dashes.
_YEARS = re.compile(
    r"(?:\b(?i:in|since|from|until|till|by|during|before|after|early|late|mid|year|spring|summer|autumn|fall|winter|and|to"
    r"|en|im|seit|ab|bis|um|jahr|depuis|dès|an|année|desde|año|nel|dal|sinds|w|v|в|с|до)\s|[(–-])"
    r"(1[5-9]\d\d|20\d\d)(?![\w/%]|[.,]\d|\s\w+s\b)"
)
VAGUE = {6: "%Y-%m-%d", 30: "%Y-%m", 364: "%Y"}  # days of what is some weeks, months or years ago, and how to tell it
_QUOTED = re.compile(r"[\"“”«»「『]")


def stated_period(sentence: str, day: date | None, language: str) -> Period | None:
    """Return the first period that a sentence names; `day` is its document's, for what is told from it.

    A number alone is a year only where words make it one.

    >>> str(stated_period("It was built in 1975 for 1800 people.", None, "en").first)
    '1975-01-01'
    >>> print(stated_period("It has 2048 tokens.", None, "en"), stated_period("Closed in 2020.", None, "en").last)
    None 2020-12-31
    """
    if day is None and not any(map(str.isnumeric, sentence)):
        return None  # nothing but a year tells, which is a twentieth of the time
    years = {int(found[1]) for found in _YEARS.finditer(sentence)}
    for period in periods(sentence, day, language):
        if not _is_year(period) or period.first.year in years or re.search(rf"{period.first.year}\s?[年년]", sentence):
            return period
    return None


def resolve_dates(sentence: str, day: date | None, language: str) -> str:
    """Return a sentence with the dates that "today" or "last year" mean behind them, in a document of that `day`.

    What somebody is quoted with may have been said on another day, and is left as it is.

    >>> resolve_dates("It landed today, a year after the first.", date(1997, 2, 21), "en")
    'It landed today (1997-02-21), a year after the first.'
    >>> [resolve_dates(said, date(1997, 2, 21), "en") for said in ("Sales grew last year.", "“Today!” he said.")]
    ['Sales grew last year (1996).', '“Today!” he said.']
    """
    if day is None or _QUOTED.search(sentence):
        return sentence
    parts, done = [], 0
    for _, end, period in _apart(relative_spans(sentence, day, language)):
        parts.append(f"{sentence[done:end]} ({_meant(period, day)})")
        done = end
    return "".join([*parts, sentence[done:]])


def period_label(period: Period) -> str:
    """Return a period in ISO 8601, as precise as it is.

    >>> [period_label(Period(date(2020, 5, 1), last)) for last in (date(2020, 5, 1), date(2020, 5, 31))]
    ['2020-05-01', '2020-05']
    """
    first, last = period.first, period.last
    if first == last:
        return first.isoformat()
    if first.year == last.year and (first.month, last.month) == (1, 12):
        return str(first.year)
    months = [f"{day:%Y-%m}" for day in (first, last)]
    return months[0] if months[0] == months[1] else " to ".join(months)


def _meant(period: Period, day: date) -> str:
    """Return what a phrase means on a `day`: of "this year" and "three years ago" the year, not the days so far.

    >>> [_meant(Period(first, date(2020, 5, 9)), date(2020, 5, 9)) for first in (date(2020, 1, 1), date(2019, 11, 1))]
    ['2020', '2019-11 to 2020-05']
    >>> _meant(Period(date(2017, 11, 8), date(2018, 11, 7)), date(2020, 5, 9))
    'about 2018'
    """
    first, last = period.first, period.last
    if last == day and first == date(day.year, 1, 1):
        return str(day.year)
    length = (last - first).days
    if last == day and length > 365:
        return f"{first.year} to {day.year}"
    if _is_year(period) or last == day or not (vague := VAGUE.get(length)):
        return period_label(period)
    return f"about {first + timedelta(days=length // 2):{vague}}"


def _is_year(period: Period) -> bool:
    return (period.first.month, period.first.day, period.last.month, period.last.day) == (1, 1, 12, 31)


def _apart(spans: Iterator[tuple[int, int, Period]]) -> Iterator[tuple[int, int, Period]]:
    """Yield spans in order, of those that overlap the first and longest."""
    done = 0
    for start, end, period in sorted(spans, key=lambda span: (span[0], -span[1])):
        if start >= done:
            yield start, end, period
            done = end
