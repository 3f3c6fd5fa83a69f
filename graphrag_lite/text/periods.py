"""Dates and periods that a question names, absolute or relative to a day: "on October 7, 2023", "last Friday", "先月".

A question in any language is read for the dates that `dates.py` knows, and for relative ones in its own language. What
is not understood is no period: a question keeps its words in any case.
"""

import re
import tomllib
from calendar import monthrange
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from importlib import resources
from typing import Any

from graphrag_lite.text.dates import iso_date
from graphrag_lite.text.folding import fold, unaccented

LONGEST = 4_000  # characters of a question that are read


@dataclass(frozen=True, slots=True, order=True)
class Period:
    """Days `first` to `last`, both of it."""

    first: date
    last: date


@dataclass(frozen=True)
class Words:
    """How a language tells relative dates, as `relative_dates.toml` says."""

    units: tuple[str, str, str, str]  # day, week, month, year
    weekdays: tuple[str, str, str, str, str, str, str]  # from Monday
    days: tuple[str, str, str]  # today, yesterday, the day before
    numbers: tuple[str, ...]  # one to ten
    ago: str
    past: str
    last: str
    this: str


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
_ABSOLUTE = re.compile(
    rf"(?<![\w/.-])(?:{_YEAR}[-/.]\d{{1,2}}(?:[-/.]\d{{1,2}})?(?![\w/-]|\.\d)"
    rf"|(?P<packed>{_YEAR}[01]\d[0-3]\d)(?!\w)"
    rf"|\d{{1,2}}[-/.]\d{{1,2}}[-/.]{_YEAR}(?!\w)"
    rf"|(?:{_DAY} ?(?:de |of )?)?(?:{_NAMES}|{_SHORT})\.?,? (?:de |of )?{_YEAR}(?!\w)"
    rf"|(?:{_NAMES}|{_SHORT})\.? {_DAY},? {_YEAR}(?!\w)"
    rf"|(?P<before>{_DAY}) (?:de |of )?(?P<month>{_NAMES})(?!\w)"
    rf"|(?P<name>{_NAMES}) (?P<after>\d{{1,2}})(?:st|nd|rd|th)?(?!\w)"
    rf"|(?:in|im|en|em|during|since|of) (?P<alone>{_NAMES})(?!\w|,? (?:de |of )?\d)"
    rf"|{_YEAR}(?!\w|[./]\d))"
    rf"|(?<!\d){_YEAR} ?[年년](?: ?\d{{1,2}} ?[月월](?: ?\d{{1,2}} ?[日일号號])?)?"
)
_TO = re.compile(r" ?(?:to|until|till|through|-|–|—|~|bis|au|al?|hasta|ate|tot|から|至|到|부터|에서) ?")
_AND = re.compile(r" (?:and|et|und|y|en|e) ")
_BETWEEN = re.compile(r"(?:between|entre|zwischen|tra|fra|tussen) (?:the )?$")
_LENGTHS = (1, 7, 30.4, 365.25)  # days of a unit
_HALVES = (0, 3, 15, 182)


# Documents of a series, of which the newest is meant: "in the latest quarter", "according to the last report".
_NEWEST = {
    "en": r"(?:latest|newest|most recent|current|last)(?: (?:fiscal|financial|annual|quarterly|earnings|monthly))?"
    r" (?:quarter|year|report|call|release|version|edition|issue|update|filing|results|minutes|meeting|newsletter)",
    "fr": r"(?:derni[eè]re?s?|plus r[eé]cente?s?) (?:trimestre|exercice|rapport|version|[eé]dition|compte rendu)",
    "de": r"(?:letzte|neueste|aktuelle)[ns]? (?:quartal|gesch[aä]ftsjahr|bericht|version|ausgabe|protokoll)e?s?",
    "es": r"(?:[uú]ltim[oa]s?|m[aá]s recientes?) (?:trimestre|ejercicio|informe|versi[oó]n|edici[oó]n|acta)",
}


def without_newest(text: str, language: str) -> str:
    """Return a question without the words by which it means the newest document of a series.

    >>> without_newest("How much was it in the most recent quarter?", "en"), without_newest("Who came last?", "en")
    ('How much was it in the  ?', 'Who came last?')
    """
    pattern = _NEWEST.get(language)
    return re.sub(rf"\b{pattern}\b", " ", text, flags=re.I) if pattern else text


def periods(text: str, now: date | None, language: str) -> list[Period]:
    """Return the periods that `text` names, in order, none twice.

    Relative ones, and days and months without a year, are told from `now`; without it they are left out. A week begins
    on Monday; "three weeks ago" is as long as its unit, around that day; nothing ends after `now` that begins before.

    >>> now = date(2023, 5, 30)  # a Tuesday
    >>> [str(period.first) for period in periods("On October 7, 2022, or last Friday, or yesterday?", now, "en")]
    ['2022-10-07', '2023-05-26', '2023-05-29']
    >>> periods("Who won last month?", now, "en") == periods("先月は誰が勝った", now, "ja") != []
    True
    """
    plain = _plain(text)
    found = list(_absolute(plain, now))
    if now and language in relative_dates():
        found += [(start, period) for start, _, period in _relative(plain, now, language)]
    return list(dict.fromkeys(period for _, period in sorted(found, key=lambda item: item[0])))


def relative_spans(text: str, now: date, language: str) -> Iterator[tuple[int, int, Period]]:
    """Yield where `text` names a period relative to `now`, [start, end), and which; in no order.

    >>> [(start, end, str(period.first)) for start, end, period in relative_spans("Vu hier.", date(2023, 5, 30), "fr")]
    [(3, 7, '2023-05-29')]
    """
    plain = unaccented(text.casefold())
    if language in relative_dates() and len(plain) == len(text):
        yield from _relative(plain, now, language)


def whole(stated: str) -> Period | None:
    """Return the days of an ISO 8601 date of any precision, None for "".

    >>> str(whole("2024-02").last), str(whole("1843").first), str(whole("2024-05-01T09:30:00Z").first), whole("")
    ('2024-02-29', '1843-01-01', '2024-05-01', None)
    """
    if not stated:
        return None
    year, month, day = (int(part or 0) for part in (stated[:4], stated[5:7], stated[8:10]))
    if not month:
        return Period(date(year, 1, 1), date(year, 12, 31))
    return Period(date(year, month, day or 1), date(year, month, day or monthrange(year, month)[1]))


def _plain(text: str) -> str:
    """Return a text in small letters, without the accents of Latin ones."""
    return " ".join(unaccented(fold(text[:LONGEST])).split())


def _absolute(plain: str, now: date | None) -> Iterator[tuple[int, Period]]:
    """Yield dates and the periods between two of them, with where they begin."""
    open_at, opened = 0, None
    for found in _ABSOLUTE.finditer(plain):
        period = whole(_stated(found, now))
        if period is None:
            continue
        if opened:
            between = plain[open_at : found.start()]
            joins = _TO.fullmatch(between) or (_AND.fullmatch(between) and _BETWEEN.search(plain[: opened[0]]))
            if joins and opened[1].first <= period.last:
                yield opened[0], Period(opened[1].first, period.last)
                opened = None
                continue
            yield opened
        open_at, opened = found.end(), (found.start(), period)
    if opened:
        yield opened


def _stated(found: re.Match[str], now: date | None) -> str:
    """Return the ISO date of a match; what has no year comes last before `now`."""
    if packed := found["packed"]:
        return iso_date(f"{packed[:4]}-{packed[4:6]}-{packed[6:]}")
    if not (month := found["month"] or found["name"] or found["alone"]):
        return iso_date(found[0])
    day = re.sub(r"\D", "", found["before"] or found["after"] or "")
    for year in (now.year, now.year - 1) if now else ():
        stated = iso_date(f"{month} {day}, {year}" if day else f"{month} {year}")
        if stated and now and stated <= now.isoformat()[: len(stated)]:
            return stated
    return ""


def _relative(plain: str, now: date, language: str) -> Iterator[tuple[int, int, Period]]:
    words, patterns = relative_dates()[language], _patterns(language)
    for found in patterns["days"].finditer(plain):
        n = next(n for n, days in enumerate(words.days) if re.fullmatch(days, found[0]))
        yield *found.span(), _before(now, n, n)
    for found in patterns["ago"].finditer(plain):
        unit = _which(words.units, found[0])
        n, half = round(_number(words, found[0]) * _LENGTHS[unit]), _HALVES[unit]
        yield *found.span(), _before(now, n + half, max(n - half, 0))
    for found in patterns["past"].finditer(plain):
        n = round(_number(words, found[0]) * _LENGTHS[_which(words.units, found[0])])
        yield *found.span(), _before(now, n, 0)
    for kind, back in (("last", 1), ("this", 0)):
        for found in patterns[kind].finditer(plain):
            weekday = _which(words.weekdays, found[0])
            if weekday >= 0:
                n = (now.weekday() - weekday) % 7 or 7 * back
                yield *found.span(), _before(now, n, n)
            elif unit := _which(words.units, found[0]):
                yield *found.span(), _unit_of(now, unit, back)


def _unit_of(now: date, unit: int, back: int) -> Period:
    """Return the week (1), month (2) or year (3) of `now`, or with `back` 1 the one before it."""
    if unit == 1:
        first = now - timedelta(days=now.weekday() + 7 * back)
        return Period(first, min(first + timedelta(days=6), now))
    begin = now.replace(day=1) if unit == 2 else date(now.year, 1, 1)
    last = begin - timedelta(days=1) if back else now
    return Period(last.replace(day=1) if unit == 2 else date(last.year, 1, 1), last)


def _before(now: date, most: int, least: int) -> Period:
    """Return the days from `most` to `least` days before `now`."""
    return Period(*(date.fromordinal(max(1, now.toordinal() - n)) for n in (most, least)))


def _which(patterns: tuple[str, ...], phrase: str) -> int:
    """Return the number of the pattern of which a match stands last in `phrase`, -1 where none does."""
    ends = [max((m.end() for m in _word(pattern).finditer(phrase)), default=-1) for pattern in patterns]
    return ends.index(max(ends)) if max(ends) >= 0 else -1


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

    named = {kind: filled(getattr(words, kind)) for kind in ("ago", "past", "last", "this")}
    # The longest first: "the day before yesterday" holds "yesterday".
    return named | {"days": _word("|".join(reversed(words.days)))}
