"""Times that a text tells relative to the day on which it was said: "last Friday", "two years and a month ago", 先週.

The words of each language stand in `relative_dates.toml`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache

from graphrag_lite.text.folding import unaccented
from graphrag_lite.text.period import Period, Time, days_of
from graphrag_lite.text.word_lists import toml_file

_LENGTHS = (1, 7, 30.4, 365.25, 7)  # days of a unit
_HALVES = (0, 3, 15, 182, 1)
_UNITS = ("day", "week", "month", "year", "week")
_OF_WEEK = re.compile("[週周주]|星期|礼拜")  # "先週の金曜日" is of the week before, "last Friday" may be of this one


@dataclass(frozen=True)
class Words:
    """How a language tells relative dates, as `relative_dates.toml` says."""

    units: Sequence[str]  # day, week, month, year, weekend
    weekdays: Sequence[str]  # from Monday
    days: Sequence[str]  # today, yesterday, the day before
    tomorrow: Sequence[str]  # and the day after
    numbers: Sequence[str]  # one to ten
    joint: str
    ago: str
    past: str
    lasting: str
    last: str
    this: str
    next: str
    ahead: str
    since: str
    until: str
    plans: str = ""  # what tells that something is to come


@cache
def relative_dates() -> dict[str, Words]:
    """Return the words of every language that has some, by ISO 639-1 code."""
    return {language: Words(**words) for language, words in toml_file(__package__, "relative_dates.toml").items()}


def relative_spans(text: str, now: date, language: str) -> Iterator[tuple[int, int, Period]]:
    """Yield where a sentence names a period relative to `now`, and which, as [start, end) of it; in no order.

    >>> [(start, end, str(period.first)) for start, end, period in relative_spans("Vu hier.", date(2023, 5, 30), "fr")]
    [(3, 7, '2023-05-29')]
    """
    plain = unaccented(text.casefold())
    if language in relative_dates() and len(plain) == len(text):
        for time in relative_times(plain, now, language):
            if time.form in ("near", "ago", "past"):
                yield time.start, time.end, time.period


def relative_times(plain: str, now: date, language: str) -> Iterator[Time]:
    """Yield the times that a folded text tells relative to a day; some may overlap. Raises OverflowError for no day."""
    words, patterns = relative_dates()[language], _patterns(language)
    for name, days, step, form in (("days", words.days, 0, "near"), ("tomorrow", words.tomorrow, 1, "ahead")):
        for found in patterns[name].finditer(plain):
            n = next(n for n, pattern in enumerate(days, start=step) if re.fullmatch(pattern, found[0]))
            n = -n if step else n
            yield Time(*found.span(), _before(now, n, n), "day", form)
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
                n = now.weekday() - weekday + 7 * back if _OF_WEEK.search(found[0]) else n - 7 * (back < 0)
                yield Time(*found.span(), _before(now, n, n), "day", "ahead" if n < 0 else "near")
            elif unit := max(_unit(words, found[0]), 0):
                past = found[0].startswith("past") or plain.endswith("the ", 0, found.start())
                if kind == "last" and past and unit != 4:
                    yield Time(*found.span(), _before(now, round(_LENGTHS[unit]), 0), _UNITS[unit], "past")
                    continue
                yield Time(*found.span(), _unit_of(now, unit, back), _UNITS[unit], "ahead" if back < 0 else "near")


def is_current(words: str, language: str) -> bool:
    """Tell whether words are of the form "this week", "on Friday".

    >>> is_current("am freitag", "de"), is_current("letzten freitag", "de")
    (True, False)
    """
    return bool(language in relative_dates() and _patterns(language)["this"].fullmatch(words))


def _length(
    plain: str, found: re.Match[str], words: Words, patterns: Mapping[str, re.Pattern[str]]
) -> tuple[int, int, int, int]:
    """Return the span of a length of time, its days, and the number of its smallest unit: "two years and a month"."""
    start, end, unit = *found.span(), _unit(words, found[0])
    days = _number(words, found[0]) * _LENGTHS[unit]
    more = patterns["and_more"].match(plain, end) if patterns["to_unit"].search(found[0]) else None
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
        return days_of(later.isoformat()[: 7 if unit == 2 else 4])
    last = begin - timedelta(days=1) if back else now
    return Period(last.replace(day=1) if unit == 2 else date(last.year, 1, 1), last)


def _before(now: date, most: int, least: int) -> Period:
    """Return the days from `most` to `least` days before `now`."""
    ordinals = (max(1, min(date.max.toordinal(), now.toordinal() - n)) for n in (most, least))
    return Period(*map(date.fromordinal, ordinals))


def _which(patterns: Sequence[str], phrase: str) -> int:
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
        "{joint}": rf"(?:{words.joint})",
    }

    def filled(pattern: str) -> re.Pattern[str]:
        for name, part in parts.items():
            pattern = pattern.replace(name, part)
        return re.compile(pattern)

    named = {kind: filled(getattr(words, kind)) for kind in ("ago", "past", "lasting", "last", "this", "next", "ahead")}
    named["of_weekday"] = filled(r"(?<![a-z]){weekday} (?:of )?$")
    named["to_unit"] = filled(r"{unit}$")
    named["and_more"] = filled(r"{joint}{n} ?{unit}(?![a-z])")
    named["more_and"] = filled(r"(?<![a-z0-9]){n} ?{unit}{joint}$")
    # The longest first: "the day before yesterday" holds "yesterday".
    return named | {name: _word("|".join(reversed(getattr(words, name)))) for name in ("days", "tomorrow")}
