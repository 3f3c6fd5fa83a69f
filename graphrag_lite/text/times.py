"""Times that a text states, with where it states them: "on October 7, 2023", "from 1993 until 2006", "先週の金曜日".

One finder for questions and for statements, in any language for the dates that `dates.py` knows, and for relative ones
in the languages of `relative_dates.toml`. What is not understood is no time.
"""

import re
from collections.abc import Iterator
from datetime import date
from functools import cache

from graphrag_lite.text.dates import MONTHS, iso_date
from graphrag_lite.text.folding import fold, unaccented
from graphrag_lite.text.period import Period, Time, days_of, period_of
from graphrag_lite.text.relative_times import relative_dates, relative_times
from graphrag_lite.text.word_lists import expressions

PRECISIONS = ("day", "week", "month", "season", "year", "decade", "century")

_FORMS = expressions(__package__, "stated_dates.txt")
_NAMES = [name for names in MONTHS.values() for name in names]
_LATIN, _OTHER = "|".join(filter(str.isascii, _NAMES)), "|".join(name for name in _NAMES if not name.isascii())
ANY_MONTH = f"{_LATIN}|{_OTHER}|{_FORMS['short months']}"
_YEAR = r"(?:1\d{3}|20\d{2})"
_PARTS = {
    "YEAR": _YEAR,
    "DAY": r"\d{1,2}(?:st|nd|rd|th|er|º|\.)?",
    "COMMA": r"(?: ?,? )",  # in prepared corpora a comma is a word of its own
    "MONTH": f"{_LATIN}|(?=[\u0400-\u097f])(?:{_OTHER})",  # tried where such a letter stands
    "SHORT": _FORMS["short months"],
}
_DATES = re.sub("|".join(_PARTS), lambda part: _PARTS[part[0]], _FORMS["dates"])
_ABSOLUTE = re.compile(
    rf"(?:(?<![\w/.-])|(?<=[a-z\d ]-)(?=[a-z]|\d{{1,2}} [a-z]))(?:{_DATES})"
    rf"|(?<!\d){_YEAR} ?[年년](?: ?\d{{1,2}} ?[月월](?: ?\d{{1,2}} ?[日일号號])?)?"
)
_TO = re.compile(
    rf"(?: ?(?:{_FORMS['to']})|, until) ?(?:the )?"
    r"(?:(?:beginning|start|middle|end|close|early|mid|late)(?: of)?[ -])?(?:the )?(?:[a-z]+(?:day|tag|di),? )?"
)
_THE = r"(?:(?:the|il|el|le|den) |l['’])?"
_AND = re.compile(rf" (?:{_FORMS['and']}) {_THE}")
_BETWEEN = re.compile(rf"(?:{_FORMS['between']}) {_THE}$")
_OPENED = rf"(?:(?:{ANY_MONTH})\.?(?: \d{{1,2}}(?:st|nd|rd|th)?)?|\d{{1,2}}\.? (?:de )?(?:{ANY_MONTH}))"
_BEGUN = re.compile(rf"(?<!\w)(?:({_OPENED}){_TO.pattern}|(?:{_FORMS['between']}) {_THE}({_OPENED}){_AND.pattern})$")
_STILL = re.compile(rf" ?(?:-|to|until|till) ?(?:the )?(?:{_FORMS['now']})(?!\w)")


@cache
def _triggers(language: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return a pattern of numbers and signs that every time has which has no word of the other."""
    words = relative_dates().get(language)
    relative = [*words.units, *words.weekdays, *words.days, *words.tomorrow] if words else []
    if language in ("ja", "zh", "ko"):
        return re.compile(r"[12]\d{3}|[年년月월日일]"), re.compile("|".join(relative))
    by_letter: dict[str, list[str]] = {}  # the search tries a letter once, not for each of its words
    for word in re.split(r"\|(?![^(]*\))", "|".join([ANY_MONTH, *relative])):
        by_letter.setdefault(word[0], []).append(word[1:])
    either = "|".join(f"{first}(?:{'|'.join(rest)})" for first, rest in by_letter.items())
    return re.compile(r"[12]\d{3}|\d/\d|[年년]"), re.compile(rf"\b(?:{either})(?!\w)")


def may_state(text: str, language: str) -> bool:
    """Tell whether a text has what every time has: a year, the name of a month, or a word of relative dates.

    >>> may_state("On May 3 it rained.", "en"), may_state("It rained a lot, 12 mm.", "en")
    (True, False)
    """
    plain = text.lower() if text.isascii() else unaccented(fold(text))
    numbers, words = _triggers(language)
    return bool(numbers.search(plain) or words.search(plain))


def times(plain: str, now: date | None, language: str) -> list[Time]:
    """Return the times that a statement, folded (`fold_with_offsets`), states, by place, none of which overlap.

    Relative ones, and days and months without a year, are told from `now`, the day on which it was said; without it
    they are left out. What has no year is of the year in which it is nearest: people tell plans, too.

    >>> text = "we met last friday, and the deadline is april 20."
    >>> [(text[time.start : time.end], str(time.period.first)) for time in times(text, date(2024, 3, 5), "en")]
    [('last friday', '2024-03-01'), ('april 20', '2024-04-20')]
    """
    selected: list[Time] = []
    for time in sorted(all_times(plain, now, language), key=lambda time: (time.start, -time.end)):
        if selected and (of_year := _of_year(plain, selected[-1], time)):
            selected[-1] = of_year
        elif not selected or time.start >= selected[-1].end:
            selected.append(time)
        elif time.end - time.start > selected[-1].end - selected[-1].start:
            selected[-1] = time
    return selected


def _of_year(plain: str, month: Time, year: Time) -> Time | None:
    """Return the one time that two state together: "in November of last year"."""
    if month.form != "yearless" or year.precision != "year" or year.form not in ("near", "ahead"):
        return None
    if not re.fullmatch(r",? (?:of |the )*", plain[month.end : year.start]):
        return None
    first, last = month.period.first, month.period.last
    stated = f"{year.period.last.year}-{first.isoformat()[5 : 7 if first != last else 10]}"
    return Time(month.start, year.end, days_of(stated), month.precision, "date") if _is_day(stated) else None


def all_times(plain: str, now: date | None, language: str, *, in_question: bool = False) -> Iterator[Time]:
    """Yield the times in a folded text, dates before relative ones; some may overlap.

    In a question (`in_question`) what has no year is the last before `now`.
    """
    yield from _absolute(plain, now, in_question=in_question)
    if now and language in relative_dates():
        try:
            yield from relative_times(plain, now, language)
        except OverflowError:  # of a day before the first, or after the last, that there is
            return


def coarser(one: str, other: str) -> str:
    """Return the vaguer of two precisions."""
    return max(one, other, key=PRECISIONS.index)


def _absolute(plain: str, now: date | None, *, in_question: bool) -> Iterator[Time]:
    """Yield dates, and the periods between two of them."""
    opened: Time | None = None
    for found in _ABSOLUTE.finditer(plain):
        time = _dated(found, now, in_question=in_question)
        if time is None:
            continue
        time = _begun(plain, time)
        if opened and opened.end > time.start:
            opened = None
        if opened:
            between = plain[opened.end : time.start]
            joins = _TO.fullmatch(between) or (_AND.fullmatch(between) and _BETWEEN.search(plain, 0, opened.start))
            if joins and opened.period.first <= time.period.last and opened.form != "range":
                period = Period(opened.period.first, time.period.last)
                yield Time(opened.start, time.end, period, coarser(opened.precision, time.precision), "range")
                opened = None
                continue
            yield opened
        opened = time
        if still := _STILL.match(plain, time.end):
            yield time._replace(end=still.end(), form="open")
            opened = None
    if opened:
        yield opened


def _begun(plain: str, time: Time) -> Time:
    """Return a day or month with the one before it from which it lasts, and which has its year: "March to May 2020"."""
    before = _BEGUN.search(plain, max(0, time.start - 50), time.start)
    if not before or time.form != "date" or time.precision not in ("day", "month"):
        return time
    stated = (before[1] or before[2]).replace(" de ", " ")
    dated = iso_date(f"{stated}{', ' if stated[-1].isdigit() else ' '}{time.period.first.year}")
    if not dated or (first := days_of(dated)) >= time.period:
        return time
    precision = coarser(time.precision, "month" if len(dated) == 7 else "day")
    return Time(before.start(), time.end, Period(first.first, time.period.last), precision, "range")


def _dated(found: re.Match[str], now: date | None, *, in_question: bool) -> Time | None:
    """Return the time that a match states, None where no calendar has it."""
    if decade := found["decade"]:
        return _decade(found, int(decade))
    if years := found["years"]:
        return _years(found, years)
    if days := found["one"] or found["first"]:
        month, stated_year = found["month_of_days"] or found["days_of"], found["year_of_days"] or found["days_year"]
        year = f", {stated_year}" if stated_year else ""
        first, last = (
            _iso(f"{month} {day}{year}", now, in_question) for day in (days, found["other"] or found["last"])
        )
        if not (first and last and first < last):
            return None
        return Time(*found.span(), Period(date.fromisoformat(first), date.fromisoformat(last)), "day", "range")
    yearless = found["month"] or found["name"] or found["alone"] or found["slashed"]
    stated = _stated(found, now, in_question)
    period = period_of(stated)
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
    """Return two years, as 1997-99, 1997/98 and the season 2009-10 state them; 2023-05 is a month."""
    year, short = int(years[:4]), int(years[-2:])
    if years[-4:].isdigit():
        last = int(years[-4:])
        period = Period(date(year, 1, 1), date(max(year, last), 12, 31))
        return Time(*found.span(), period, "year", "range") if last > year else None
    if 1 <= short <= 12 and years[4:-2] == "-" and short != year % 100 + 1:
        return Time(*found.span(), days_of(f"{year}-{short:02}"), "month", "date")
    if short <= year % 100:
        return Time(*found.span(), days_of(f"{year}-{short:02}"), "month", "date") if 1 <= short <= 12 else None
    return Time(*found.span(), Period(date(year, 1, 1), date(year // 100 * 100 + short, 12, 31)), "year", "range")


def _stated(found: re.Match[str], now: date | None, in_question: bool) -> str:
    """Return the ISO date of a match, "" for none."""
    if packed := found["packed"]:
        return iso_date(f"{packed[:4]}-{packed[4:6]}-{packed[6:]}")
    if slashed := found["slashed"]:
        one, other = map(int, slashed.split("/"))
        return _nearest(
            [f"{year}-{min(one, other):02}-{max(one, other):02}" for year in _years_near(now)], now, in_question
        )
    if not (month := found["month"] or found["name"] or found["alone"]):
        return iso_date(re.sub(r" ,", ",", found[0]))
    day = re.sub(r"\D", "", found["before"] or found["after"] or "")
    return _iso(f"{month} {day}" if day else month, now, in_question)


def _iso(stated: str, now: date | None, in_question: bool) -> str:
    """Return a day or month as ISO 8601; what has no year is the last before `now`, or the nearest to it."""
    if stated[-4:].isdigit():
        return iso_date(stated)
    comma = ", " if stated[-1].isdigit() else " "
    return _nearest([iso_date(f"{stated}{comma}{year}") for year in _years_near(now)], now, in_question)


def _years_near(now: date | None) -> list[int]:
    return [now.year + n for n in (0, -1, 1)] if now and 1 < now.year < 9998 else []


def _nearest(dates: list[str], now: date | None, in_question: bool) -> str:
    known = [stated for stated in dates if _is_day(stated)]
    if now is None or not known:
        return ""
    if in_question:
        return next((stated for stated in known if stated <= now.isoformat()[: len(stated)]), "")
    periods = [days_of(stated) for stated in known]
    apart = [max((period.first - now).days, (now - period.last).days, 0) for period in periods]
    return known[apart.index(min(apart))]


def _is_day(stated: str) -> bool:
    try:
        return bool(period_of(stated))
    except ValueError:
        return False
