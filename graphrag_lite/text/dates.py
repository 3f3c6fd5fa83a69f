"""Dates as models and texts write them -> ISO 8601, as precise as they were stated and no more.

A year, a month, a day or a moment: `1843`, `1843-12`, `1843-12-19`, `1843-12-19T14:30:00Z`; a moment of another zone is
told in UTC. Such values sort by time as plain text.
"""

import re
import unicodedata
from datetime import UTC, date, datetime

from graphrag_lite.text.folding import unaccented
from graphrag_lite.text.word_lists import sections

LONGEST = 120  # characters; more is no date
MONTHS = sections(__package__, "months.txt")
"""The names of each month, folded, as regular expressions."""
_WHOLE = {name.partition("(")[0]: n for n, names in enumerate(MONTHS.values(), start=1) for name in names}
_NUMBERS = {name[:length]: n for name, n in _WHOLE.items() for length in (3, 4, None) if name[:length] != "jui"}
QUARTERS = {1: ("01", "03"), 2: ("04", "06"), 3: ("07", "09"), 4: ("10", "12")}

_YEAR = r"(?P<year>[12]\d{3})"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th|er|º|\.)?"
_WORD = r"(?P<month>[^\d\s.,:;/()-]{2,12})\.?"
_TIME = r"[T\s](?P<time>\d{1,2}:\d{2}(?::\d{2})?)(?:\.\d{1,9})?\s?(?P<zone>Z|UTC|GMT|[+-]\d{2}:?\d{2})?"
FORMS = tuple(
    re.compile(form, re.I)
    for form in (
        rf"{_YEAR}(?:[-/.](?P<month>\d{{1,2}})(?:[-/.](?P<day>\d{{1,2}})(?:{_TIME})?)?)?",
        rf"{_YEAR}\s?[年년]\s?(?:(?P<month>\d{{1,2}})\s?[月월]\s?(?:(?P<day>\d{{1,2}})\s?[日일号號]?)?)?",
        rf"(?:{_DAY}\s?(?:de |of )?)?{_WORD}(?:,? (?:de |of )?){_YEAR}(?: ?(?:г|года|р|року|r|roku))?",
        rf"{_WORD} {_DAY},? {_YEAR}",
        rf"(?P<one>\d{{1,2}})(?P<mark>[-/.])(?P<other>\d{{1,2}})(?P=mark){_YEAR}",
        rf"(?P<month>\d{{1,2}})[-/.]{_YEAR}",
    )
)
_AROUND = re.compile(
    r"^(?:(?:in|on|at|about|around|between|circa|ca|c|approx|approximately|early|mid|late|the|year|since|from|by|until"
    r"|monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b[\s,.-]{0,3})+",
    re.I,
)
_DECADE = re.compile(r"(?:the )?([12]\d{2})0['’]?s", re.I)
_QUARTER = re.compile(rf"(?:Q([1-4])[\s,/-]?(?:of )?{_YEAR}|([12]\d{{3}})[\s-]?Q([1-4]))", re.I)
# A hyphen joins two dates only between blanks or two years: in 2022-01-10 it joins the parts of one.
_RANGE = re.compile(r"\s(?:-|to|until|till|through|and|bis|à|au|al|a)\s|\s?[–—~～至]\s?|/(?=[12]\d{3}-)", re.I)
_YEARS = re.compile(r"([12]\d{3})-((?:[12]\d)?\d{2})")
_HAS_YEAR = re.compile(r"[12]\d{3}")  # as every form has; most texts that are looked at have none


def iso_date(text: str) -> str:
    """Return the date that `text` states, in ISO 8601; "" where it states none, or more than one.

    Of 03/04/2023, which is two dates, only the year is sure; between dots the day comes first. Midnight without a zone
    is a day: models fill it in.

    >>> [iso_date(text) for text in ("NONE", "March 2023", "10. März 2022", "December 19th, 1843", "2023-04-31")]
    ['', '2023-03', '2022-03-10', '1843-12-19', '']
    >>> [iso_date(text) for text in ("listopad 2014", "Lisbon 2014", "Lisa 2014", "Mar. 2014")]
    ['2014-11', '', '', '2014-03']
    >>> [iso_date(text) for text in ("1843-12-19T00:00:00", "2024-05-01 9:30 UTC", "31/12/1999", "03/04/2023")]
    ['1843-12-19', '2024-05-01T09:30:00Z', '1999-12-31', '2023']
    """
    if len(text) > LONGEST:
        return ""
    plain = unicodedata.normalize("NFKC", text).strip(" \t\n.,;()[]\"'")
    if not _HAS_YEAR.search(plain):
        return ""
    plain = _AROUND.sub("", " ".join(plain.split()))
    for form in FORMS:
        for spelling in (plain, unaccented(plain.casefold())):
            if (found := form.fullmatch(spelling)) and (written := _written(found.groupdict())):
                return written
    return ""


def iso_period(start: str, end: str) -> tuple[str, str]:
    """Return the first and the last date of what two fields state; either may hold both, a quarter or a decade.

    >>> iso_period("2022-01-10 to 2022-01-12", "NONE"), iso_period("1914–1918", "")
    (('2022-01-10', '2022-01-12'), ('1914', '1918'))
    >>> iso_period("Q3 2023", ""), iso_period("the 1840s", ""), iso_period("May 2, 2020", "unknown")
    (('2023-07', '2023-09'), ('1840', '1849'), ('2020-05-02', ''))
    """
    first, second = _span(start), _span(end)
    opened, closed = first[0] or second[0] * (second[0] != second[1]), second[1] or first[1] * (first[0] != first[1])
    if opened and closed and closed < opened[: len(closed)]:
        return closed, opened  # a period is stated, and its ends in the wrong fields
    return opened, closed


def _span(text: str) -> tuple[str, str]:
    """Return the first and last date of one field: equal for one date, both "" for none."""
    if len(text) > LONGEST or not _HAS_YEAR.search(unicodedata.normalize("NFKC", text)):
        return "", ""
    if one := iso_date(text):
        return one, one
    plain = " ".join(unicodedata.normalize("NFKC", text).split()).strip(" .,;()")
    if decade := _DECADE.fullmatch(_AROUND.sub("", plain)):
        return f"{decade[1]}0", f"{decade[1]}9"
    if quarter := _QUARTER.fullmatch(_AROUND.sub("", plain)):
        year, (first, last) = quarter[2] or quarter[3], QUARTERS[int(quarter[1] or quarter[4])]
        return f"{year}-{first}", f"{year}-{last}"
    if years := _YEARS.fullmatch(plain):
        last_year = years[2] if len(years[2]) == 4 else years[1][:2] + years[2]
        return (years[1], last_year) if last_year > years[1] else ("", "")
    parts = _RANGE.split(plain)
    dates = [iso_date(part) for part in parts]
    if len(dates) == 2 and dates[1] and not dates[0] and (year := dates[1][:4]):
        dates[0] = iso_date(f"{parts[0]} {year}")  # "March to May 2023"
    return (dates[0], dates[1]) if len(dates) == 2 and all(dates) else ("", "")


def _written(parts: dict[str, str | None]) -> str:
    """Write what a form found as ISO 8601, "" for a day or a time that no calendar has."""
    year = parts["year"]
    month, day = _month(parts.get("month")), parts.get("day")
    if parts.get("one"):
        one, other = int(parts["one"] or 0), int(parts["other"] or 0)
        if one != other and max(one, other) <= 12 and parts.get("mark") != ".":
            return str(year)
        month, day = (other, str(one)) if other <= 12 else (one, str(other))
    if parts.get("month") and not month:
        return ""
    if not month:
        return str(year)
    if not day:
        return f"{year}-{month:02}"
    try:
        stated = date(int(year or 0), month, int(day)).isoformat()
        if not (time := parts.get("time")):
            return stated
        zone = (parts.get("zone") or "").upper().replace("UTC", "Z").replace("GMT", "Z")
        moment = datetime.fromisoformat(f"{stated}T{'0' * (time.index(':') == 1)}{time}{zone}")
    except (ValueError, OverflowError):
        return ""
    if not zone:
        return stated if moment.time().isoformat() == "00:00:00" else moment.isoformat()
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat() + "Z"


def _month(stated: str | None) -> int:
    """Return the number of a month given as digits or by name, 0 for none."""
    if not stated:
        return 0
    if stated.isdigit():
        return int(stated) if 1 <= int(stated) <= 12 else 0
    return _NUMBERS.get(unaccented(stated.casefold()), 0)
