"""Conditions on what may answer: `path=notes/*`, `date>=2024-03`, `speaker=Ana`, `department=Legal`."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from difflib import get_close_matches
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from graphrag_lite.errors import InputError
from graphrag_lite.text.dates import iso_date
from graphrag_lite.text.period import period_of
from graphrag_lite.text.timestamps import to_iso

if TYPE_CHECKING:
    import pyarrow as pa

OF_DOCUMENTS = ("path", "language")
OF_EPISODES = ("date", "speaker", "conversation", "role")
_FORM = re.compile(r"\s*([^=<>!]+?)\s*(>=|<=|!=|=|>|<)\s*(.*?)\s*", re.S)
UNTIL = " until "  # a comparison of dates that `as_of` makes: what has no date was there on every day
Row = Mapping[str, Any]
Range = tuple[float, float]


class Condition(NamedTuple):
    """What a field has to be. `field` is one of OF_DOCUMENTS or OF_EPISODES, or else of the documents' metadata."""

    field: str
    comparison: str
    value: str

    def __str__(self) -> str:
        return f"{self.field}{self.comparison}{self.value}"

    def holds(self, found: Iterable[Any]) -> bool:
        """Say whether one of the values that a field has fits; for `!=`, whether none is the value."""
        if self.comparison == "!=":
            return not self._replace(comparison="=").holds(found)
        return any(self._fits(one) for one in found)

    def _fits(self, found: Any) -> bool:
        text = str(found).strip()
        if self.comparison == UNTIL:
            held, wanted = _days(text), _days(self.value)
            return held is None or wanted is None or held[0] <= wanted[1]
        if self.field == "path":
            return fnmatchcase(text, self.value)
        if self.comparison == "=" and self.field != "date":
            return text.casefold() == self.value.casefold() or _compared(_number(text), "=", _number(self.value))
        return _compared(_number(text), self.comparison, _number(self.value)) or _compared(
            _days(text), self.comparison, _days(self.value)
        )


def read_condition(stated: str) -> Condition:
    """Return the condition that a text states. Raises InputError.

    A glob of paths takes `*` and `?`; more and less are of numbers and dates, of which a month or a year is all its
    days; all else is compared without case.

    >>> read_condition("date>=2024-03").holds(["2024-03-01T09:00:00Z"]), read_condition("path=a/*").holds(["a/b/c.md"])
    (True, True)
    >>> read_condition("pages<100").holds([99]), read_condition("team=Legal").holds(["legal", "sales"])
    (True, True)
    >>> read_condition("date<=2023").holds([""])
    False
    """
    found = _FORM.fullmatch(stated)
    if not found or not found[3]:
        raise InputError(f"{stated!r} is no condition. Such are path=notes/*, date>=2024-03-01, speaker=Ana.")
    condition = Condition(*found.groups())
    ordered = condition.comparison not in ("=", "!=")
    if condition.field == "date" and _days(condition.value) is None:
        raise InputError(f"{stated}: {condition.value!r} is not a date, such as 2023-05-30.")
    if ordered and condition.field in (*OF_DOCUMENTS, *OF_EPISODES) and condition.field != "date":
        raise InputError(f"{stated}: {condition.field} is neither a number nor a date. Write {condition.field}=...")
    if ordered and _number(condition.value) is None and _days(condition.value) is None:
        raise InputError(f"{stated}: more and less are of numbers and dates; {condition.value!r} is neither.")
    return condition


def dated_until(day: date) -> Condition:
    """Return the condition that leaves what was there at the end of a day.

    >>> [dated_until(date(2023, 5, 30)).holds([stated]) for stated in ("", "2023-05", "2023-05-31")]
    [True, True, False]
    """
    return Condition("date", UNTIL, day.isoformat())


def fitting_documents(documents: "pa.Table", conditions: Sequence[Condition]) -> list[bool]:
    """Return which documents fit the conditions that are on documents. Raises InputError for a field that none has."""
    fits = [True] * documents.num_rows
    columns = {name: documents[name].to_pylist() for name in OF_DOCUMENTS}
    columns["date"] = documents["created_at"].to_pylist() if any(one.field == "date" for one in conditions) else []
    metadata = [json.loads(row) if row else {} for row in documents["metadata"].to_pylist()]
    for condition in conditions:
        if condition.field in columns:
            values = [[value] for value in columns[condition.field]]
        else:
            values = [_listed(row.get(condition.field)) for row in metadata]
            if not any(values):
                raise InputError(_unknown(condition, metadata))
        fits = [fit and condition.holds(value) for fit, value in zip(fits, values, strict=True)]
    return fits


def fits_episode(row: Row, conditions: Sequence[Condition]) -> bool:
    """Say whether an episode fits the conditions that are on episodes."""
    return all(one.holds([row["reference_time" if one.field == "date" else one.field]]) for one in conditions)


@lru_cache(maxsize=100_000)
def _days(stated: str) -> Range | None:
    """Return the first and the last day of a date in any form that documents are dated in, None where it is none."""
    if stated.isdigit() and len(stated) != 4:
        return None
    try:
        found = period_of(iso_date(stated) or to_iso(stated))
    except ValueError:
        return None
    return (found.first.toordinal(), found.last.toordinal()) if found else None


def _number(stated: str) -> Range | None:
    try:
        return (float(stated), float(stated))
    except ValueError:
        return None


def _compared(held: Range | None, comparison: str, wanted: Range | None) -> bool:
    """Compare what is known to lie in one range with another: what may be earlier than it is not later."""
    if held is None or wanted is None:
        return False
    return {
        "=": wanted[0] <= held[0] and held[1] <= wanted[1],
        ">=": held[0] >= wanted[0],
        "<=": held[1] <= wanted[1],
        ">": held[0] > wanted[1],
        "<": held[1] < wanted[0],
    }[comparison]


def _unknown(condition: Condition, metadata: Sequence[Row]) -> str:
    known = sorted({*OF_DOCUMENTS, *OF_EPISODES, *(field for row in metadata for field, value in row.items() if value)})
    near = get_close_matches(condition.field, known, n=1)
    meant = f" Did you mean {near[0]}?" if near else ""
    return f"{condition}: no document has the field {condition.field!r}.{meant} There are: {', '.join(known)}."


def _listed(value: Any) -> list[Any]:
    return [] if value in (None, "") else value if isinstance(value, list) else [value]
