"""Times as programs and people write them into a field -> ISO 8601: mails, chats, exports of spreadsheets.

All values of a field are read together: 05/06/2023 is two dates, and another value, 30/06/2023, tells which it is.
"""

import contextlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from itertools import groupby, pairwise
from sys import intern
from typing import Any

from graphrag_lite.text.dates import LONGEST, iso_date
from graphrag_lite.text.folding import fold, unaccented
from graphrag_lite.text.relative_times import relative_dates

# RFC 5322 section 3.3 and what mail programs make of it, and C's asctime, with Twitter's zone before the year.
_MAIL = re.compile(
    r"(?:[A-Z][a-z]{2,8},? )?(?:\d{1,2}[ -][A-Z][a-z]{2}[ -]\d{2,4}|[A-Z][a-z]{2} \d{1,2}) \d{1,2}:\d{2}.*"
)
_HALVES = {"午前": "am", "上午": "am", "오전": "am", "午後": "pm", "下午": "pm", "오후": "pm"}
_HALVES |= {"凌晨": "am", "清晨": "am", "早上": "am", "中午": "pm", "晚上": "pm"}  # noon: 12:00 to 12:59
_HALF = re.compile(rf"({'|'.join(_HALVES)}) ?(\d{{1,2}}(?::\d{{2}}){{0,2}})")
_HOURS = re.compile(
    r"(?<![:\d])(\d{1,2}) ?(?:uhr|[时時點点시h]) ?(?:(\d{1,2}) ?[分분]?)?(?: ?(\d{1,2}) ?[秒초])?(?!\w)"
)
_CLOCK = re.compile(
    r"(?<![\w:.+-])(?:(?P<before>[ap])m ?)?"
    r"(?P<hour>\d{1,2})(?::(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,]\d{1,9})?)?)?(?: ?(?P<after>[ap])\.? ?m\b\.?)?"
    r"(?: ?(?:(?P<zone>z|utc|gmt)(?: ?(?P<ahead>[+-]\d{1,2})(?::?(?P<minutes>\d{2}))?)?|(?P<offset>[+-]\d{2}:?\d{2})))?"
    r"(?![\w:])"
)
_NUMBERS = re.compile(r"(\d{1,4})(?P<mark>[-/.]) ?(\d{1,2})(?P=mark) ?(\d{1,4})\.?")
_JOINING = re.compile(r"\b(?:at|on|um|uhr|kl|klo|om|alle|ore|a las?|as?)\b\.?|[,@|]|\[|\]")
_NAMED_MONTH = re.compile(r"(?<![\w/-])(\d{1,2})([-/ ])([a-z]{3})\2(\d{4}|\d{2}(?![:.]\d))(?![\w/-])")  # 1-Jan-24
_YEAR_FIRST = re.compile(r"(?<![\w/-])(\d{4})([-/])([a-z]{3,9})\2(\d{1,2})(?![\w/-])")  # 2013-Feb-15
_ORDERS = {"day first": (2, 1, 0), "month first": (2, 0, 1), "year first": (0, 1, 2)}  # places of year, month, day


def to_iso(value: Any) -> str:
    """Return a time as ISO 8601, empty where it is none. Numbers are seconds (or thousandths, or millionths) since
    1970, UTC, in digits too, as a CSV file has them; of four digits they are a year.

    >>> to_iso("2023-05-21 08:38"), to_iso(1700000000), to_iso("last week")
    ('2023-05-21T08:38:00', '2023-11-14T22:13:20+00:00', '')
    >>> to_iso("2013-Feb-15"), to_iso("2013-May"), to_iso("2013 releases 2")
    ('2013-02-15', '', '')
    >>> to_iso("Tue, 30 May 2023 23:40:00 +0200"), to_iso("1:56 pm on 8 May, 2023"), to_iso("2023/05/30 (Tue) 23:40")
    ('2023-05-30T23:40:00+02:00', '2023-05-08T13:56:00', '2023-05-30T23:40:00')
    """
    return column_to_iso([value])[0]


def is_standard(value: Any) -> bool:
    """Say whether a time is read alike whatever else its field holds: ISO 8601, RFC 5322, a count of seconds.

    >>> is_standard("2024-05-01T10:00:00"), is_standard(1700000000), is_standard("05/06/2023")
    (True, True, False)
    """
    return bool(_standard(value))


def column_to_iso(values: Sequence[Any]) -> list[str]:
    """Return each of the values of a field as ISO 8601, empty where it is no time, or one of two that nothing tells.

    >>> column_to_iso(["05/06/2023, 23:40", "30/06/2023, 9:05 pm"]), column_to_iso(["05/06/2023"])
    (['2023-06-05T23:40:00', '2023-06-30T21:05:00'], [''])
    """
    return list(times_of(values))


@dataclass(frozen=True)
class Times:
    """Times as ISO 8601, put together as they are gone through, as a long chat writes one day, and one hour, often.

    `days` are as they are written, `read` tells what each means, `rests` are times of day; or, beside None, the whole.
    """

    days: Sequence[str | None]
    rests: Sequence[str]
    read: Mapping[str, str]

    def __iter__(self) -> Iterator[str]:
        for day, rest in zip(self.days, self.rests, strict=True):
            yield rest if day is None else _joined(self.read[day], rest)


def times_of(values: Iterable[Any], *, in_order: bool = False) -> Times:
    """Return what `column_to_iso` does, and hold little of it. Of values that are `in_order` of time, that tells, too.

    >>> list(times_of(["05/06/2023", "06/06/2023", "01/07/2023"], in_order=True))
    ['2023-06-05', '2023-06-06', '2023-07-01']
    """
    days: list[str | None] = []
    rests = []
    for value in values:
        standard = _standard(value)
        day, rest = (None, standard) if standard else _cut(value) if isinstance(value, str) else ("", "")
        days.append(day)
        rests.append(rest)
    written = {day: _NUMBERS.fullmatch(_without_weekday(day)) for day in dict.fromkeys(days) if day is not None}
    meant_by = {day: _dates(match) for day, match in written.items() if match}
    dates = [meant_by[day] for day, _ in groupby(days) if day in meant_by]
    order = _order(dates) or (_following(dates) if in_order else "")
    read = {day: iso_date(day) or iso_date(_without_weekday(day)) for day, match in written.items() if not match}
    for day, meant in meant_by.items():
        alone = set(meant.values())
        stated = meant.get(order) or (alone.pop() if len(alone) == 1 else None)
        read[day] = stated.isoformat() if stated else ""
    return Times(days, rests, read)


def _dates(found: re.Match[str]) -> dict[str, date]:
    """Return the dates that three numbers can mean, by their order. Between dots the day comes before the month.

    >>> [list(_dates(_NUMBERS.fullmatch(text))) for text in ("30/05/23", "05/06/2023", "30.05.2023", "2023. 5. 30.")]
    [['day first', 'year first'], ['day first', 'month first'], ['day first'], ['year first']]
    """
    parts = (found[1], found[3], found[4])
    meant: dict[str, date] = {}
    for order, indices in _ORDERS.items():
        year, month, day = (parts[index] for index in indices)
        short = len(year) == 2 and max(len(month), len(day)) <= 2
        if not (short or len(year) == 4) or (found["mark"] == "." and (order == "month first" or (short and meant))):
            continue
        with contextlib.suppress(ValueError):
            number = int(_century(year))
            number -= 543 * (number > 2400)  # of the Buddhist calendar, as phones in Thai have it
            meant[order] = date(number, int(month), int(day))
    return meant


def _century(year: str) -> str:
    """Return a year in four digits; POSIX has the century of two digits begin at 69."""
    return year if len(year) > 2 else f"{'19' if int(year) >= 69 else '20'}{year:0>2}"


def _order(fields: Sequence[dict[str, date]]) -> str:
    """Return the one order that all dates of a field can have, empty where there is none, or more than one.

    A year of two digits is the number that changes less often than the other which it may be.
    """
    orders = [order for order in _ORDERS if fields and all(order in meant for meant in fields)]
    if len(orders) == 2 and "year first" in orders:
        n_years = {order: len({meant[order].year for meant in fields}) for order in orders}
        orders.sort(key=lambda order: n_years[order])
        orders = orders[: 1 + (len(set(n_years.values())) == 1)]
    return orders[0] if len(orders) == 1 else ""


def _following(fields: Sequence[dict[str, date]]) -> str:
    """Return the one order that all dates can have in which the fewest go back in time, then that of fewer months."""
    back: list[tuple[tuple[int, int], str]] = []
    for order in _ORDERS:
        if all(order in meant for meant in fields):
            days = [meant[order] for meant in fields]
            descents = sum(after < before for before, after in pairwise(days))
            back.append(((descents, len({(day.year, day.month) for day in days})), order))
    back.sort()
    return back[0][1] if back and (len(back) == 1 or back[0][0] < back[1][0]) else ""


def _standard(value: Any) -> str:
    """Return what ISO 8601, RFC 5322 or a count of seconds states, empty for anything else."""
    try:
        if isinstance(value, str):
            value = value.strip()
            if not value.isascii() or len(value) > LONGEST:
                return ""
            if len(value) == 10 and value[4] == "-":
                return date.fromisoformat(value).isoformat()
            if _MAIL.fullmatch(value) and "(" not in value.partition("GMT+")[2]:  # a browser's zone is not of RFC 5322
                return parsedate_to_datetime(value).isoformat()
            if not re.fullmatch(r"\d{9,19}(\.\d+)?", value):
                return datetime.fromisoformat(value).isoformat()
            value = float(value)
        if isinstance(value, int | float) and not isinstance(value, bool):
            if 1000 <= value < 3000 and value == int(value):
                return str(int(value))
            while 1e11 < value < 1e21:
                value /= 1000
            return datetime.fromtimestamp(value, UTC).isoformat()
    except (ValueError, OverflowError, OSError):
        pass
    return ""


def _cut(value: str) -> tuple[str, str]:
    """Return the date that a text states, as far as it is nothing else, and its time of day in ISO 8601; or empty.

    >>> _cut("[30.05.23, 23:40:12]"), _cut("30. Mai 2023 um 9 Uhr"), _cut("2023年5月30日(火) 午後11時40分")
    (('30.05.23', '23:40:12'), ('30. mai 2023', '09:00:00'), ('2023年5月30日', '23:40:00'))
    """
    if len(value) > LONGEST:
        return "", ""
    plain = re.sub(r"\([^()]*\)", " ", value.lower() if value.isascii() else unaccented(fold(value)))
    plain = _YEAR_FIRST.sub(r"\4 \3 \1", plain)
    plain = _NAMED_MONTH.sub(lambda found: f"{found[1]} {found[3]} {_century(found[4])}", plain)
    plain = _HOURS.sub(lambda found: f" {found[1]}:{found[2] or 0:0>2}:{found[3] or 0:0>2} ", " ".join(plain.split()))
    plain = _HALF.sub(lambda half: f" {half[2]} {_HALVES[half[1]]} ", " ".join(plain.split()))
    plain = " ".join(re.sub(r"(?<=\d)t(?=\d)", " ", plain).split())
    clocks = [found for found in _CLOCK.finditer(plain) if found["minute"] or found["before"] or found["after"]]
    time = _time(clocks[0]) if len(clocks) == 1 else ""
    if clocks and not time:
        return "", ""
    for found in clocks:
        plain = _JOINING.sub(" ", f"{plain[: found.start()]} {plain[found.end() :]}")
    return intern(" ".join(plain.split()).strip(" ,.-–[]")), intern(time)


def _time(found: re.Match[str]) -> str:
    """Return a time of day, with its zone, as ISO 8601; empty where no clock shows it."""
    hour, half = int(found["hour"]), found["before"] or found["after"]
    if half:
        if not 1 <= hour <= 12:
            return ""
        hour = hour % 12 + 12 * (half == "p")
    zone = found["offset"] or ("+00:00" if found["zone"] else "")
    if found["ahead"]:
        zone = f"{found['ahead'][0]}{found['ahead'][1:]:0>2}:{found['minutes'] or '00'}"
    return f"{hour:02}:{found['minute'] or '00'}:{found['second'] or '00'}{zone}"


def _joined(day: str, time: str) -> str:
    """Return a day and a time of day as one moment; empty where there is a time and no full day."""
    if not time or not day:
        return day
    try:
        return datetime.fromisoformat(f"{day}T{time}").isoformat() if len(day) == 10 else ""
    except ValueError:
        return ""


def _without_weekday(day: str) -> str:
    """Return a day without its weekday: the first word that can be one, as the second may be a month.

    >>> _without_weekday("tue mar 12 2024"), _without_weekday("mar 12 mars 2024")
    ('mar 12 2024', '12 mars 2024')
    """
    return " ".join(_weekday().sub(" ", day, count=1).split()).strip(" ,")


@cache
def _weekday() -> re.Pattern[str]:
    words = {word for language in relative_dates().values() for word in language.weekdays}
    short = (
        "mon|tues?|wed|thu(?:rs?)?|fri|sat|sun|mo|di|mi|do|fr|sa|so|lun|mar|mer|jeu|ven|sam|dim|mie|jue|vie|gio|sab|dom"
    )
    latin = rf"(?<![^\W\d_])(?:{'|'.join(word for word in sorted(words) if word.isascii())}|{short})(?![^\W\d_])"
    return re.compile(rf"(?:{latin}|{'|'.join(word for word in sorted(words) if not word.isascii())})[.,]*")
