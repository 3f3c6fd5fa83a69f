"""Which facts held on a day, as the documents told it until some day; and how a fact's time is shown."""

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

from graphrag_lite.temporal.durations import SEEN
from graphrag_lite.temporal.instants import UNKNOWN, first_second

Row = Mapping[str, Any]
DAY = 86_400
_CUT = {"year": 4, "decade": 4, "century": 4, "month": 7, "season": 7}  # characters of a date of that precision


def is_stated(fact: Row, as_of: date | None = None) -> bool:
    """Tell whether documents say so: all of them, or those dated until the end of a day, and those without a date.

    >>> was = {"created_at": "2020-05-01", "expired_at": "2021-03-01"}
    >>> is_stated(was), is_stated(was, date(2020, 12, 31)), is_stated(was, date(2021, 3, 1))
    (False, True, False)
    """
    if as_of is None:
        return not fact["expired_at"]
    end = first_second(as_of.isoformat()) + DAY
    return first_second(fact["created_at"]) < end and (
        not fact["expired_at"] or first_second(fact["expired_at"]) >= end
    )


def holds_on(fact: Row, day: date) -> bool:
    """Tell whether a state held, or an event may have happened, on a day. A time that is unknown has no bound.

    >>> holds_on({"kind": "state", "valid_at": "2020-05-01", "invalid_at": "2021-03-01"}, date(2021, 3, 1))
    False
    """
    start = first_second(day.isoformat())
    end = first_second(fact["invalid_at"])
    return fact["kind"] != "plan" and first_second(fact["valid_at"]) < start + DAY and (end == UNKNOWN or end > start)


def is_over(fact: Row) -> bool:
    """Tell whether it is a state that has ended: nothing here depends on the day on which it is asked."""
    return fact["kind"] == "state" and bool(fact["ended_by"])


def fact_period(fact: Row) -> str:
    """Return the time of a fact, as precise as it is stated; empty where none is.

    >>> dates = {"kind": "state", "valid_at": "1993-01-01", "invalid_at": "2007-01-01", "precision": "year"}
    >>> fact_period(dates | {"ended_by": "stated"}), fact_period(dates | {"invalid_at": "", "ended_by": ""})
    ('1993 – 2006', '1993 – present')
    >>> fact_period(dates | {"kind": "event", "ended_by": "", "invalid_at": "1994-01-01"})
    '1993'
    >>> fact_period(dates | {"precision": "seen", "invalid_at": "", "ended_by": ""})
    'said 1993-01-01'
    """
    length = _CUT.get(fact["precision"], 10)
    start, end = fact["valid_at"][:length], fact["invalid_at"]
    if end and fact["ended_by"] not in ("negated", "succeeded"):
        end = _day_before(end)
    end = end[:length]
    if start == end:
        return str(start)
    if fact["precision"] == SEEN and not end:
        return f"said {start}"  # since when is not told, and nor is whether it still is so
    if fact["kind"] == "state":
        return f"{start} – {end or 'present'}" if start else f"until {end}"
    return " – ".join(filter(None, (start, end)))


def _day_before(day: str) -> str:
    """Return the last day that is meant, where a day that is not meant any more is given."""
    try:
        return (date.fromisoformat(day) - timedelta(days=1)).isoformat()
    except (ValueError, OverflowError):
        return day


def fact_line(fact: Row) -> str:
    """Return what a fact says, with its time.

    >>> fact_line({"subject": "Ana", "relation": "works at", "object": "Acme", "kind": "state",
    ...  "valid_at": "2022-03-01",
    ...       "invalid_at": "", "ended_by": "", "precision": "day"})
    'Ana works at Acme (2022-03-01 – present)'
    """
    when = fact_period(fact)
    text = " ".join(filter(None, (fact["subject"], fact["relation"], fact["object"])))
    return f"{text} ({when})" if when else text
