"""Times that a text states, with where it states them: "on October 7, 2023", "from 1993 until 2006", "先週の金曜日".

One finder for questions and for statements, in any language for the dates that `dates.py` knows, and for relative ones
in the languages of `relative_dates.toml`. What is not understood is no time.
"""

import re
import tomllib
from calendar import monthrange
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from importlib import resources
from typing import Any, NamedTuple

from graphrag_lite.text.dates import iso_date
from graphrag_lite.text.folding import fold, unaccented


@dataclass(frozen=True, slots=True, order=True)
class Period:
    """Days `first` to `last`, both of it."""

    first: date
    last: date


class Time(NamedTuple):
    """A time that a text states in its characters [start, end).

    `precision` is that of the words: day, week, month, season, year, decade or century, the vaguer of two. `form` tells
    how: a `date`, one without a year (`yearless`), a `range` of two, `open` ("2014-present"), a day `ago` or `ahead`,
    one of the calendar `near` by (last Friday, this month), or the `past` so many weeks.
    """

    start: int
    end: int
    period: Period
    precision: str
    form: str


PRECISIONS = ("day", "week", "month", "season", "year", "decade", "century")


@dataclass(frozen=True)
class Words:
    """How a language tells relative dates, as `relative_dates.toml` says."""

    units: tuple[str, str, str, str, str]  # day, week, month, year, weekend
    weekdays: tuple[str, str, str, str, str, str, str]  # from Monday
    days: tuple[str, str, str]  # today, yesterday, the day before
    tomorrow: str
    numbers: tuple[str, ...]  # one to ten
    ago: str
    past: str
    lasting: str
    last: str
    this: str
    next: str
    ahead: str
    since: str
    until: str


@cache
def relative_dates() -> dict[str, Words]:
    """Return the words of every language that has some, by ISO 639-1 code."""
    listed = tomllib.loads((resources.files(__package__) / "relative_dates.toml").read_text("utf-8"))
    found = {}
    for language, words in listed.items():
        fields: dict[str, Any] = {name: each if isinstance(each, str) else tuple(each) for name, each in words.items()}
        found[language] = Words(**fields)
    return found


_NAMES = (
    "january|janvier|januar|enero|gennaio|janeiro|januari|february|fevrier|februar|febrero|febbraio|fevereiro|februari"
    "|march|mars|marz|marzo|marco|maart|april|avril|abril|aprile|may|mai|mayo|maggio|maio|mei"
    "|june|juin|juni|junio|giugno|junho|july|juillet|juli|julio|luglio|julho|august|aout|agosto|augustus"
    "|september|septembre|septiembre|settembre|setembro|october|octobre|oktober|octubre|ottobre|outubro"
    "|november|novembre|noviembre|novembro|december|decembre|dezember|diciembre|dicembre|dezembro"
)
_SHORT = "jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec"
_YEAR = r"(?:1\d{3}|20\d{2})"
_DAY = r"\d{1,2}(?:st|nd|rd|th|er|º|\.)?"
_COMMA = r"(?: ?,? )"  # in prepared corpora a comma is a word of its own
_ABSOLUTE = re.compile(
    rf"(?:(?<![\w/.-])|(?<=[a-z\d]-)(?=[a-z]|\d{{1,2}} [a-z]))(?:{_YEAR}[-/.]\d{{1,2}}[-/.]\d{{1,2}}(?![\w/-]|\.\d)"
    rf"|(?P<years>{_YEAR} ?[-/–—] ?(?:{_YEAR}|\d{{2}}))(?![\w/-]|\.\d)"
    rf"|{_YEAR}[/.]\d(?![\w/-]|\.\d)"
    rf"|(?P<packed>{_YEAR}[01]\d[0-3]\d)(?!\w)"
    rf"|\d{{1,2}}[-/.]\d{{1,2}}[-/.]{_YEAR}(?!\w)"
    rf"|(?P<month_of_days>{_NAMES}) (?P<one>\d{{1,2}}) ?(?:\*\*)?(?:-|to|and) ?(?P<other>\d{{1,2}})"
    rf"(?:{_COMMA}(?P<year_of_days>{_YEAR}))?(?![\w:%]|,?\d|[-/.]\d)"
    rf"|(?:{_DAY} ?(?:de |of )?)?(?:{_NAMES}|{_SHORT})\.?{_COMMA}(?:de |of )?{_YEAR}(?!\w)"
    rf"|(?:{_NAMES}|{_SHORT})\.? {_DAY}{_COMMA}{_YEAR}(?!\w)"
    rf"|(?P<before>{_DAY}) (?:de |of )?(?P<month>{_NAMES})(?!\w)"
    rf"|(?P<name>{_NAMES}|(?:{_SHORT})\.?) (?P<after>\d{{1,2}})(?:st|nd|rd|th)?(?![\w:%]|,\d|\.\d)"
    rf"|(?:in|im|en|em|during|since|of) (?:early |mid[ -]?|late )?(?P<alone>{_NAMES})(?!\w|,? (?:de |of )?\d)"
    rf"|(?:the )?(?:(?P<part>early|mid|late)[ -])?(?P<decade>(?:1\d|20)\d0)['’]?s(?!\w)"
    rf"|(?P<slashed>(?:0?[1-9]|1[0-2])/(?:1[3-9]|2\d|3[01])|(?:1[3-9]|2\d|3[01])/(?:0?[1-9]|1[0-2]))(?![\w/%-]|\.\d)"
    rf"|(?P<year>{_YEAR})(?!\w|[./]\d| [年년]))"
    rf"|(?<!\d){_YEAR} ?[年년](?: ?\d{{1,2}} ?[月월](?: ?\d{{1,2}} ?[日일号號])?)?"
)
_TO = re.compile(r" ?(?:to|until|till|through|thru|-|~|bis|au|al?|hasta|ate|tot|から|至|到|부터|에서) ?(?:the )?")
_AND = re.compile(r" (?:and|et|und|y|en|e) (?:the )?")
_BETWEEN = re.compile(r"(?:between|entre|zwischen|tra|fra|tussen) (?:the )?$")
_STILL = re.compile(
    r" ?(?:-|to|until|till) ?(?:the )?(?:present|now|today|date|heute|aujourd'hui|hoy|oggi|hoje|heden)(?!\w)"
)
_LENGTHS = (1, 7, 30.4, 365.25, 7)  # days of a unit
_HALVES = (0, 3, 15, 182, 1)
_UNITS = ("day", "week", "month", "year", "week")


@cache
def _trigger(language: str) -> re.Pattern[str]:
    words = relative_dates().get(language)
    relative = [*words.units, *words.weekdays, *words.days, words.tomorrow] if words else []
    if language in ("ja", "zh", "ko"):
        return re.compile("|".join([r"[12]\d{3}", "[年년月월日일]", *relative]))
    return re.compile(r"[12]\d{3}|\d/\d|\b(?:" + "|".join([_NAMES, _SHORT, *relative]) + r")\b|[年년]")


def may_state(text: str, language: str) -> bool:
    """Tell whether a text has what every time has: a year, the name of a month, or a word of relative dates.

    >>> may_state("On May 3 it rained.", "en"), may_state("It rained a lot, 12 mm.", "en")
    (True, False)
    """
    return bool(_trigger(language).search(text.lower() if text.isascii() else unaccented(fold(text))))


def times(plain: str, now: date | None, language: str) -> list[Time]:
    """Return the times that a statement, folded (`fold_with_places`), states, by place, none of which overlap.

    Relative ones, and days and months without a year, are told from `now`, the day on which it was said; without it
    they are left out. What has no year is of the year in which it is nearest: people tell plans, too.

    >>> said = "we met last friday, and the deadline is april 20."
    >>> [(said[time.start : time.end], str(time.period.first)) for time in times(said, date(2024, 3, 5), "en")]
    [('last friday', '2024-03-01'), ('april 20', '2024-04-20')]
    """
    kept: list[Time] = []
    for time in sorted(all_times(plain, now, language), key=lambda time: (time.start, -time.end)):
        if kept and (of_year := _of_year(plain, kept[-1], time)):
            kept[-1] = of_year
        elif not kept or time.start >= kept[-1].end:
            kept.append(time)
        elif time.end - time.start > kept[-1].end - kept[-1].start:
            kept[-1] = time
    return kept


def _of_year(plain: str, month: Time, year: Time) -> Time | None:
    """Return the one time that two state together: "in November of last year"."""
    if month.form != "yearless" or year.precision != "year" or year.form not in ("near", "ahead"):
        return None
    if not re.fullmatch(r",? (?:of |the )*", plain[month.end : year.start]):
        return None
    first, last = month.period.first, month.period.last
    stated = f"{year.period.last.year}-{first.isoformat()[5 : 7 if first != last else 10]}"
    return Time(month.start, year.end, _days(stated), month.precision, "date") if _is_day(stated) else None


def all_times(plain: str, now: date | None, language: str, *, asked: bool = False) -> Iterator[Time]:
    """Yield the times in a folded text, dates before relative ones; some may overlap.

    In a question (`asked`) what has no year is the last before `now`.
    """
    yield from _absolute(plain, now, asked=asked)
    if now and language in relative_dates():
        try:
            yield from _relative(plain, now, relative_dates()[language], _patterns(language))
        except OverflowError:  # of a day before the first, or after the last, that there is
            return


def relative_spans(text: str, now: date, language: str) -> Iterator[tuple[int, int, Period]]:
    """Yield where a sentence names a period relative to `now`, and which, as [start, end) of it; in no order.

    >>> [(start, end, str(period.first)) for start, end, period in relative_spans("Vu hier.", date(2023, 5, 30), "fr")]
    [(3, 7, '2023-05-29')]
    """
    plain = unaccented(text.casefold())
    if language in relative_dates() and len(plain) == len(text):
        for time in _relative(plain, now, relative_dates()[language], _patterns(language)):
            if time.form in ("near", "ago", "past"):
                yield time.start, time.end, time.period


def whole(stated: str) -> Period | None:
    """Return the days of an ISO 8601 date of any precision, None for "".

    >>> str(whole("2024-02").last), str(whole("1843").first), str(whole("2024-05-01T09:30:00Z").first), whole("")
    ('2024-02-29', '1843-01-01', '2024-05-01', None)
    """
    return _days(stated) if stated else None


def _days(stated: str) -> Period:
    """Return the days of an ISO 8601 date. Raises ValueError for one that no calendar has."""
    year, month, day = (int(part or 0) for part in (stated[:4], stated[5:7], stated[8:10]))
    if not month:
        return Period(date(year, 1, 1), date(year, 12, 31))
    return Period(date(year, month, day or 1), date(year, month, day or monthrange(year, month)[1]))


def vaguer(one: str, other: str) -> str:
    """Return the vaguer of two precisions."""
    return max(one, other, key=PRECISIONS.index)


def _absolute(plain: str, now: date | None, *, asked: bool) -> Iterator[Time]:
    """Yield dates, and the periods between two of them."""
    opened: Time | None = None
    for found in _ABSOLUTE.finditer(plain):
        time = _dated(found, now, asked=asked)
        if time is None:
            continue
        if opened:
            between = plain[opened.end : time.start]
            joins = _TO.fullmatch(between) or (_AND.fullmatch(between) and _BETWEEN.search(plain, 0, opened.start))
            if joins and opened.period.first <= time.period.last and opened.form != "range":
                period = Period(opened.period.first, time.period.last)
                yield Time(opened.start, time.end, period, vaguer(opened.precision, time.precision), "range")
                opened = None
                continue
            yield opened
        opened = time
        if still := _STILL.match(plain, time.end):
            yield time._replace(end=still.end(), form="open")
            opened = None
    if opened:
        yield opened


def _dated(found: re.Match[str], now: date | None, *, asked: bool) -> Time | None:
    """Return the time that a match states, None where no calendar has it."""
    if decade := found["decade"]:
        return _decade(found, int(decade))
    if years := found["years"]:
        return _years(found, years)
    if found["one"] and found["month_of_days"]:
        year = f", {found['year_of_days']}" if found["year_of_days"] else ""
        first, last = (_iso(f"{found['month_of_days']} {found[day]}{year}", now, asked) for day in ("one", "other"))
        if not (first and last and first < last):
            return None
        return Time(*found.span(), Period(date.fromisoformat(first), date.fromisoformat(last)), "day", "range")
    yearless = found["month"] or found["name"] or found["alone"] or found["slashed"]
    stated = _stated(found, now, asked)
    period = whole(stated)
    if period is None:
        return None
    precision = "year" if len(stated) == 4 else "month" if len(stated) == 7 else "day"
    start = found.start("alone") if found["alone"] else found.start()
    return Time(start, found.end(), period, precision, "yearless" if yearless else "date")


def _decade(found: re.Match[str], year: int) -> Time | None:
    """Return a decade, or a part of it; the 1900s and 2000s are a century as often, and neither."""
    if year % 100 == 0:
        return None
    first, last = {"early": (0, 3), "mid": (3, 6), "late": (6, 9)}.get(found["part"] or "", (0, 9))
    return Time(*found.span(), Period(date(year + first, 1, 1), date(year + last, 12, 31)), "decade", "date")


def _years(found: re.Match[str], years: str) -> Time | None:
    """Return two years, as 1997-99 and 1997/98 state them; 2023-05 is a month."""
    year, short = int(years[:4]), int(years[-2:])
    if years[-4:].isdigit():
        last = int(years[-4:])
        period = Period(date(year, 1, 1), date(max(year, last), 12, 31))
        return Time(*found.span(), period, "year", "range") if last > year else None
    if 1 <= short <= 12 and years[4:-2] == "-":
        return Time(*found.span(), _days(f"{year}-{short:02}"), "month", "date")
    if short <= year % 100:
        return Time(*found.span(), _days(f"{year}-{short:02}"), "month", "date") if 1 <= short <= 12 else None
    return Time(*found.span(), Period(date(year, 1, 1), date(year // 100 * 100 + short, 12, 31)), "year", "range")


def _stated(found: re.Match[str], now: date | None, asked: bool) -> str:
    """Return the ISO date of a match, "" for none."""
    if packed := found["packed"]:
        return iso_date(f"{packed[:4]}-{packed[4:6]}-{packed[6:]}")
    if slashed := found["slashed"]:
        one, other = map(int, slashed.split("/"))
        return _nearest([f"{year}-{min(one, other):02}-{max(one, other):02}" for year in _years_near(now)], now, asked)
    if not (month := found["month"] or found["name"] or found["alone"]):
        return iso_date(re.sub(r" ,", ",", found[0]))
    day = re.sub(r"\D", "", found["before"] or found["after"] or "")
    return _iso(f"{month} {day}" if day else month, now, asked)


def _iso(stated: str, now: date | None, asked: bool) -> str:
    """Return a day or month as ISO 8601; what has no year is the last before `now`, or the nearest to it."""
    if stated[-4:].isdigit():
        return iso_date(stated)
    comma = ", " if stated[-1].isdigit() else " "
    return _nearest([iso_date(f"{stated}{comma}{year}") for year in _years_near(now)], now, asked)


def _years_near(now: date | None) -> list[int]:
    return [now.year + n for n in (0, -1, 1)] if now and 1 < now.year < 9998 else []


def _nearest(dates: list[str], now: date | None, asked: bool) -> str:
    known = [stated for stated in dates if _is_day(stated)]
    if now is None or not known:
        return ""
    if asked:
        return next((stated for stated in known if stated <= now.isoformat()[: len(stated)]), "")
    periods = [_days(stated) for stated in known]
    apart = [max((period.first - now).days, (now - period.last).days, 0) for period in periods]
    return known[apart.index(min(apart))]


def _is_day(stated: str) -> bool:
    try:
        return bool(whole(stated))
    except ValueError:
        return False


def _relative(plain: str, now: date, words: Words, patterns: dict[str, re.Pattern[str]]) -> Iterator[Time]:
    for found in patterns["days"].finditer(plain):
        n = next(n for n, days in enumerate(words.days) if re.fullmatch(days, found[0]))
        yield Time(*found.span(), _before(now, n, n), "day", "near")
    for found in patterns["tomorrow"].finditer(plain):
        yield Time(*found.span(), _before(now, -1, -1), "day", "ahead")
    for form in ("ago", "lasting"):
        for found in patterns[form].finditer(plain):
            start, end, n, unit = _length(plain, found, words, patterns)
            period = _before(now, n + _HALVES[unit], max(n - _HALVES[unit], 0))
            if on := patterns["of_weekday"].search(plain[max(0, start - 30) : start]):
                start, period = start - len(on[0]), _weekday(period, _which(words.weekdays, on[0]))
                yield Time(start, end, period, "day", "near")
                continue
            yield Time(start, end, period, _UNITS[unit], form)
    for found in patterns["ahead"].finditer(plain):
        unit = _unit(words, found[0])
        n, half = round(_number(words, found[0]) * _LENGTHS[unit]), _HALVES[unit]
        yield Time(*found.span(), _before(now, -max(n - half, 0), -n - half), _UNITS[unit], "ahead")
    for found in patterns["past"].finditer(plain):
        unit = _unit(words, found[0])
        n = round(_number(words, found[0]) * _LENGTHS[unit])
        yield Time(*found.span(), _before(now, n, 0), _UNITS[unit], "past")
    for kind, back in (("last", 1), ("this", 0), ("next", -1)):
        for found in patterns[kind].finditer(plain):
            weekday = _which(words.weekdays, found[0])
            if weekday >= 0:
                n = (now.weekday() - weekday) % 7 or 7 * max(back, 0)
                n = (n or 7) - 7 if back < 0 else n
                yield Time(*found.span(), _before(now, n, n), "day", "ahead" if back < 0 else "near")
            elif unit := max(_unit(words, found[0]), 0):
                past = found[0].startswith("past") or plain.endswith("the ", 0, found.start())
                if kind == "last" and past and unit != 4:
                    yield Time(*found.span(), _before(now, round(_LENGTHS[unit]), 0), _UNITS[unit], "past")
                    continue
                yield Time(*found.span(), _unit_of(now, unit, back), _UNITS[unit], "ahead" if back < 0 else "near")


def _length(
    plain: str, found: re.Match[str], words: Words, patterns: Mapping[str, re.Pattern[str]]
) -> tuple[int, int, int, int]:
    """Return the span of a length of time, its days, and the number of its smallest unit: "two years and a month"."""
    start, end, unit = *found.span(), _unit(words, found[0])
    days = _number(words, found[0]) * _LENGTHS[unit]
    more = patterns["and_more"].match(plain, end)
    before = patterns["more_and"].search(plain[max(0, start - 30) : start])
    for part in filter(None, (more, before)):
        other = _unit(words, part[0])
        days, unit = days + _number(words, part[0]) * _LENGTHS[other], min(unit, other)
    return start - len(before[0] if before else ""), end + len(more[0] if more else ""), round(days), unit


def _weekday(period: Period, weekday: int) -> Period:
    """Return the day of a period, nearest to its middle, that is a weekday (0 is Monday)."""
    middle = period.first + (period.last - period.first) / 2
    day = middle + timedelta(days=(weekday - middle.weekday() + 3) % 7 - 3)
    return Period(day, day)


def _unit_of(now: date, unit: int, back: int) -> Period:
    """Return the week (1), month (2), year (3) or weekend (4) of `now`, with `back` 1 the one before, -1 the next."""
    if unit == 4:
        saturday = now + timedelta(days=5 - now.weekday() - 7 * back)
        return Period(saturday, saturday + timedelta(days=1))
    if unit == 1:
        first = now - timedelta(days=now.weekday() + 7 * back)
        return Period(first, first + timedelta(days=6) if back else now)
    begin = now.replace(day=1) if unit == 2 else date(now.year, 1, 1)
    if back < 0:
        later = begin + timedelta(days=32 if unit == 2 else 367)
        return _days(later.isoformat()[: 7 if unit == 2 else 4])
    last = begin - timedelta(days=1) if back else now
    return Period(last.replace(day=1) if unit == 2 else date(last.year, 1, 1), last)


def _before(now: date, most: int, least: int) -> Period:
    """Return the days from `most` to `least` days before `now`."""
    ordinals = (max(1, min(date.max.toordinal(), now.toordinal() - n)) for n in (most, least))
    return Period(*map(date.fromordinal, ordinals))


def _which(patterns: tuple[str, ...], phrase: str) -> int:
    """Return the number of the pattern of which a match stands last in `phrase`, -1 where none does."""
    ends = [max((m.end() for m in _word(pattern).finditer(phrase)), default=-1) for pattern in patterns]
    return ends.index(max(ends)) if max(ends) >= 0 else -1


def _unit(words: Words, phrase: str) -> int:
    """Return the number of the unit that a phrase counts; in a weekend no week is counted, as in "fin de semana"."""
    return 4 if _word(words.units[4]).search(phrase) else _which(words.units[:4], phrase)


def _number(words: Words, phrase: str) -> int:
    digits = re.search(r"\d+", phrase)
    return int(digits[0]) if digits else max(1, _which(words.numbers, phrase) + 1)


@cache
def _word(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![a-z])(?:{pattern})(?![a-z])")


@cache
def _patterns(language: str) -> dict[str, re.Pattern[str]]:
    words = relative_dates()[language]
    parts = {
        "{n}": rf"(?:(?<!\d)\d{{1,3}}|{'|'.join(sorted(words.numbers, key=len, reverse=True))})",
        "{unit}": rf"(?:{'|'.join(words.units)})",
        "{weekday}": rf"(?:{'|'.join(words.weekdays)})",
    }

    def filled(pattern: str) -> re.Pattern[str]:
        for name, part in parts.items():
            pattern = pattern.replace(name, part)
        return re.compile(pattern)

    named = {kind: filled(getattr(words, kind)) for kind in ("ago", "past", "lasting", "last", "this", "next", "ahead")}
    named["of_weekday"] = filled(r"(?<![a-z]){weekday} (?:of )?$")
    named["and_more"] = filled(r",? (?:and|et|und|y|e|en) {n} {unit}(?!\w)")
    named["more_and"] = filled(r"(?<!\w){n} {unit},? (?:and|et|und|y|e|en) $")
    # The longest first: "the day before yesterday" holds "yesterday".
    return named | {"days": _word("|".join(reversed(words.days))), "tomorrow": _word(words.tomorrow)}
