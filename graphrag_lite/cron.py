"""A cron expression: five fields as in crontab(5), read once, and written for whoever keeps the time.

APScheduler's `CronTrigger` says when the times come, but does not read the expression: its `from_crontab` takes 0 for
Monday, wants day of month and day of week at once where cron takes either, and drops the step of `jan-jun/2`.
"""

import datetime
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from graphrag_lite.errors import SettingsError

MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
WEEKDAYS = "sun mon tue wed thu fri sat".split()
ITEM = re.compile(r"(?:(?P<star>\*)|(?P<first>\w+)(?:-(?P<last>\w+))?)(?:/(?P<step>[0-9]+))?", re.ASCII)


@dataclass(frozen=True)
class Field:
    """One of the five. `low` and `high` are the values it may hold, `names` those of the first of them."""

    name: str
    low: int
    high: int
    names: Sequence[str] = ()


MINUTE = Field("minute", 0, 59)
HOUR = Field("hour", 0, 23)
DAY = Field("day of month", 1, 31)
MONTH = Field("month", 1, 12, MONTHS)
WEEKDAY = Field("day of week", 0, 6, WEEKDAYS)
FIELDS = (MINUTE, HOUR, DAY, MONTH, WEEKDAY)


@dataclass(frozen=True)
class Cron:
    """When something is to be done. Values ascend; weekday 0 is Sunday.

    `either`: a day of `days` or of `weekdays` is enough, as cron has it where neither field begins with a star.
    """

    minutes: tuple[int, ...]
    hours: tuple[int, ...]
    days: tuple[int, ...]
    months: tuple[int, ...]
    weekdays: tuple[int, ...]
    either: bool = False


def read(expression: str) -> Cron:
    """Read a cron expression. Raises SettingsError that names the field.

    >>> read("*/30 2 * * mon-wed,7")
    Cron(minutes=(0, 30), hours=(2,), days=(1, 2, ..., 31), months=(1, ..., 12), weekdays=(0, 1, 2, 3), either=False)
    """
    texts = expression.split()
    if len(texts) != len(FIELDS):
        raise SettingsError(
            f"--cron {expression!r}: has {len(texts)} fields, not five: minute, hour, day of month, month, day of week."
            " Every night at two is '0 2 * * *'."
        )
    values = []
    for field, text in zip(FIELDS, texts, strict=True):
        try:
            values.append(_values(field, text))
        except ValueError as error:
            raise SettingsError(f"--cron {expression!r}: {field.name}: {error}.") from None
    minutes, hours, days, months, weekdays = values
    either = not (texts[2].startswith("*") or texts[4].startswith("*"))
    cron = Cron(minutes, hours, days, months, weekdays, either)
    if cron.either and (_all(DAY, cron.days) or _all(WEEKDAY, cron.weekdays)):
        cron = replace(cron, days=every(DAY), weekdays=every(WEEKDAY), either=False)
    longest = {2: 29} | dict.fromkeys((4, 6, 9, 11), 30)
    if not cron.either and not any(cron.days[0] <= longest.get(month, 31) for month in cron.months):
        raise SettingsError(f"--cron {expression!r}: day of month: there is no such day in the months it names.")
    return cron


def _values(field: Field, text: str) -> tuple[int, ...]:
    values: set[int] = set()
    high = 7 if field is WEEKDAY else field.high  # Sunday is 0 and 7
    for item in text.split(","):
        match = ITEM.fullmatch(item)
        if not match:
            raise ValueError(f"{item!r} is not a value, a range such as 1-5, or a star, with a step such as /2 or none")
        first = field.low if match["star"] else _value(field, match["first"], high)
        last = first
        if match["star"]:
            last = field.high
        elif match["last"]:
            last = _value(field, match["last"], high)
            last = 7 if match["last"].lower() == "sun" else last
        elif match["step"]:
            last = max(first, field.high)
        if first > last:
            raise ValueError(f"the range {item} ends before it begins")
        step = int(match["step"] or 1)
        if not 1 <= step <= field.high - field.low:
            raise ValueError(f"the step of {item} is not between 1 and {field.high - field.low}")
        values |= {value % 7 if field is WEEKDAY else value for value in range(first, last + 1, step)}
    return tuple(sorted(values))


def _value(field: Field, text: str, high: int) -> int:
    if text.lower() in field.names:
        return field.low + list(field.names).index(text.lower())
    if not (text.isdecimal() and field.low <= int(text) <= high):
        known = f", or {field.names[0]} to {field.names[-1]}" if field.names else ""
        raise ValueError(f"{text} is not between {field.low} and {high}{known}")
    return int(text)


def every(field: Field) -> tuple[int, ...]:
    return tuple(range(field.low, field.high + 1))


def _all(field: Field, values: tuple[int, ...]) -> bool:
    return values == every(field)


def zone(name: str | None) -> datetime.tzinfo:
    """Return a time zone by its name, None: that of this machine. Raises SettingsError."""
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

    try:
        if name is not None:
            return ZoneInfo(name)
        from apscheduler.triggers.cron import CronTrigger

        machine: datetime.tzinfo = CronTrigger().timezone
        return machine
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        if name is None:
            raise SettingsError(
                f"The time zone of this machine is not known ({error}). Name one: --timezone."
            ) from None
        import difflib

        zones = {zone.casefold(): zone for zone in available_timezones()}
        near = difflib.get_close_matches(name.casefold(), zones, n=1)
        hint = f"Did you mean {zones[near[0]]}?" if near else "Write it as in Europe/Berlin or UTC."
        hint = hint if zones else "This machine has no time zones: install its package tzdata, or that of PyPI."
        raise SettingsError(f"--timezone {name}: no such time zone. {hint}") from None


def next_after(cron: Cron, zone: datetime.tzinfo) -> Callable[[datetime.datetime], datetime.datetime]:
    """Return a function from a time to the first time after it that the expression names, in UTC.

    Where clocks are put forward, a time that is left out comes as much later; where they are put back, a time of the
    hour that is repeated comes twice.
    """
    from apscheduler.triggers.combining import OrTrigger
    from apscheduler.triggers.cron import CronTrigger

    def listed(values: Sequence[int]) -> str:
        return ",".join(map(str, values))

    clock: dict[str, Any] = {"minute": listed(cron.minutes), "hour": listed(cron.hours), "month": listed(cron.months)}
    day = {"day": listed(cron.days)}
    weekday = {"day_of_week": ",".join(WEEKDAYS[value] for value in cron.weekdays)}
    if cron.either:
        trigger: Any = OrTrigger([CronTrigger(**clock, **each, timezone=zone) for each in (day, weekday)])
    else:
        trigger = CronTrigger(**clock, **day, **weekday, timezone=zone)

    def after(moment: datetime.datetime) -> datetime.datetime:
        later = moment.astimezone(datetime.UTC) + datetime.timedelta(microseconds=1)
        found: datetime.datetime = trigger.get_next_fire_time(None, later)
        return found.astimezone(datetime.UTC)

    return after


def crontab(cron: Cron) -> str:
    """Write it for cron: numbers alone, which every cron reads. Raises SettingsError where that cannot be done.

    >>> crontab(read("00,30 */2 5/8 jan-jun sat-sun"))
    '0,30 */2 5,13,21,29 1-6 0,6'
    """
    minute, hour, month = (
        _step(field, values) or _list(field, values, "-")
        for field, values in ((MINUTE, cron.minutes), (HOUR, cron.hours), (MONTH, cron.months))
    )
    # A star, also that of */2, makes cron take day of month and day of week together.
    steps = [None, None] if cron.either else [_step(DAY, cron.days), _step(WEEKDAY, cron.weekdays)]
    day, weekday = steps[0] or _list(DAY, cron.days, "-"), steps[1] or _list(WEEKDAY, cron.weekdays, "-")
    if not cron.either and "*" not in day + weekday:
        raise SettingsError(f"--cron: day of month {day} and day of week {weekday} at once cannot be written for cron.")
    return f"{minute} {hour} {day} {month} {weekday}"


def calendars(cron: Cron, timezone: str | None = None) -> list[str]:
    """Write it for systemd: the values of OnCalendar= (systemd.time(7)), any of which is enough.

    No steps: with 00/5:*, systemd 252 leaves out the hour after midnight.

    >>> calendars(read("*/15 2 * * mon-fri"), "Europe/Berlin")
    ['Mon..Fri *-*-* 02:00,15,30,45:00 Europe/Berlin']
    """
    clock = f"{_list(HOUR, cron.hours, '..')}:{_list(MINUTE, cron.minutes, '..')}:00"
    days, weekdays = _list(DAY, cron.days, ".."), ""
    if not _all(WEEKDAY, cron.weekdays):
        from_monday = sorted(value or 7 for value in cron.weekdays)
        weekdays = ",".join("..".join(WEEKDAYS[value % 7].title() for value in run) for run in _runs(from_monday))
    month = _list(MONTH, cron.months, "..")
    either = [("", days), (weekdays, "*")] if cron.either else [(weekdays, days)]
    return [" ".join(filter(None, [weekday, f"*-{month}-{day}", clock, timezone])) for weekday, day in either]


def _step(field: Field, values: tuple[int, ...]) -> str | None:
    """Write values as a step over the whole field, None where they are none."""
    if len(values) < 3 or values != tuple(range(field.low, field.high + 1, values[1] - values[0])):
        return None
    return f"*/{values[1] - values[0]}" if values[1] - values[0] > 1 else "*"


def _list(field: Field, values: tuple[int, ...], to: str) -> str:
    digits = 2 if to == ".." else 1
    listed = ",".join(to.join(f"{value:0{digits}}" for value in run) for run in _runs(values))
    return "*" if _all(field, values) else listed


def _runs(values: Sequence[int]) -> list[tuple[int, ...]]:
    """Return the first and the last value of each run of three or more, other values one by one.

    >>> _runs([1, 2, 4, 5, 6])
    [(1,), (2,), (4, 6)]
    """
    runs: list[list[int]] = []
    for value in values:
        if runs and runs[-1][-1] == value - 1:
            runs[-1].append(value)
        else:
            runs.append([value])
    parts = [[(run[0], run[-1])] if len(run) > 2 else [(value,) for value in run] for run in runs]
    return [part for each in parts for part in each]
