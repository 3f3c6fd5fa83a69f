"""Times as ISO 8601 text -> seconds since 0001-01-01 UTC, so that they can be compared; what has no zone is in UTC."""

import re
from datetime import UTC, datetime

UNKNOWN = -(2**62)  # in the place of a time that nobody states
_DAYS = {"day": 1, "week": 7, "month": 31, "season": 92, "year": 366, "decade": 3653, "century": 36525}
UNITS = {"second": 1} | {name: days * 86_400 for name, days in _DAYS.items()}
"""The longest that a time of a precision may be off (seconds)."""
_PARTS = re.compile(r"(\d{4})(?:-(\d\d))?(?:-(\d\d))?")
_EPOCH = datetime(1, 1, 1, tzinfo=UTC)


def first_second(text: str) -> int:
    """Return the first second of a day, month or year, or a moment; UNKNOWN for what is none of them.

    >>> (first_second("0001-01-02"), first_second("2023") == first_second("2023-01-01T01:00:00+01:00"),
    ...  first_second("soon") == UNKNOWN)
    (86400, True, True)
    """
    try:
        if found := _PARTS.fullmatch(text):
            moment = datetime(int(found[1]), int(found[2] or 1), int(found[3] or 1), tzinfo=UTC)
        else:
            moment = datetime.fromisoformat(text)
            moment = moment.replace(tzinfo=moment.tzinfo or UTC)
        return (moment - _EPOCH) // _SECOND
    except (ValueError, OverflowError):
        return UNKNOWN


_SECOND = datetime(1, 1, 1, 0, 0, 1) - datetime(1, 1, 1)  # noqa: DTZ001
