"""A cron expression: five fields as in crontab(5), read once, and written for whoever keeps the time.

cronsim reads it as Debian's cron does, and says when the times come.
"""

import datetime
import os
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

from cronsim import CronSim, CronSimError

from graphrag_lite.errors import SettingsError

MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
WEEKDAYS = "sun mon tue wed thu fri sat".split()
ITEM = re.compile(r"(\*|\w+(-\w+)?)(/[0-9]+)?", re.ASCII)
NEVER = datetime.datetime(2000, 1, 1)  # noqa: DTZ001 - cronsim reads an expression only together with a time
LOCALTIME = Path("/etc/localtime")
DAY_LONG = datetime.timedelta(days=1)


@dataclass(frozen=True)
class Field:
    """One of the five. `low` and `high` are the values it may hold, `names` those of the first of them."""

    name: str
    low: int
    high: int
    names: Sequence[str] = ()

    @property
    def every(self) -> tuple[int, ...]:
        return tuple(range(self.low, self.high + 1))


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
    `expression` is what cronsim reads.
    """

    minutes: tuple[int, ...]
    hours: tuple[int, ...]
    days: tuple[int, ...]
    months: tuple[int, ...]
    weekdays: tuple[int, ...]
    either: bool = False
    expression: str = field(default="* * * * *", repr=False, compare=False)


def parse_cron(expression: str) -> Cron:
    """Read a cron expression. Raises SettingsError that names the field.

    >>> parse_cron("*/30 2 * * mon-wed,7")
    Cron(minutes=(0, 30), hours=(2,), days=(1, 2, ..., 31), months=(1, ..., 12), weekdays=(0, 1, 2, 3), either=False)
    """
    texts = expression.split()
    if len(texts) != len(FIELDS):
        raise SettingsError(
            f"--cron {expression!r}: has {len(texts)} fields, not five: minute, hour, day of month, month, day of week."
            " Every night at two is '0 2 * * *'."
        )
    texts[4] = re.sub(r"-sun\b", "-7", texts[4], flags=re.IGNORECASE)  # for cronsim Sunday begins a range, as 0
    values = []
    for number, each in enumerate(FIELDS):
        items = [_whole(each, item) for item in texts[number].split(",")]
        texts[number] = ",".join(items)
        try:
            values.append(tuple(sorted({value for item in items for value in _values(each, item)})))
        except ValueError as error:
            raise SettingsError(f"--cron {expression!r}: {each.name}: {error}.") from None
    minutes, hours, days, months, weekdays = values
    either = not (texts[2].startswith("*") or texts[4].startswith("*"))
    if either and (days == DAY.every or weekdays == WEEKDAY.every):
        days, weekdays, either, texts[2], texts[4] = DAY.every, WEEKDAY.every, False, "*", "*"
    written = " ".join(texts)
    try:
        CronSim(written, NEVER)
    except CronSimError:
        no_day = "there is no such day in the months it names"
        raise SettingsError(f"--cron {expression!r}: day of month: {no_day}.") from None
    return Cron(minutes, hours, days, months, weekdays, either, written)


def _values(field: Field, item: str) -> Iterable[int]:
    """Return the values of an item of a field's list. Raises ValueError that says what is wrong with it."""
    for step in re.findall("/([0-9]+)$", item):
        if not 1 <= int(step[:9]) <= field.high - field.low:  # */90 some read as every hour
            raise ValueError(f"the step of {item} is not between 1 and {field.high - field.low}")
    if found := _read(field, item):
        return {value % 7 for value in found} if field is WEEKDAY else found  # Sunday is 0 and 7
    if not ITEM.fullmatch(item):
        raise ValueError(f"{item!r} is not a value, a range such as 1-5, or a star, with a step such as /2 or none")
    for word in re.findall(r"\w+", item.partition("/")[0]):
        if not _read(field, word):
            known = f", or {field.names[0]} to {field.names[-1]}" if field.names else ""
            raise ValueError(f"{word} is not between {field.low} and {7 if field is WEEKDAY else field.high}{known}")
    raise ValueError(f"the range {item} ends before it begins")


def _whole(field: Field, item: str) -> str:
    """Return an item, a range of one value without its step: cronsim reads 5-5/2 as 5/2, which goes on to the end."""
    span = item.partition("/")[0]
    return span if "-" in span and len(_read(field, span)) == 1 and _read(field, item) else item


def _read(field: Field, item: str) -> set[int]:
    """Return the values of an item as cronsim reads it, none where it cannot.

    L and #, which it knows too, are left out: systemd does not know them.
    """
    number = FIELDS.index(field)
    try:
        alone = CronSim(" ".join(item if i == number else "*" for i in range(len(FIELDS))), NEVER)
    except (CronSimError, ValueError):
        return set()
    found: set[Any] = (alone.minutes, alone.hours, alone.days, alone.months, alone.weekdays)[number]
    return found if all(isinstance(value, int) and value >= field.low for value in found) else set()


def time_zone(name: str | None) -> datetime.tzinfo:
    """Return a time zone by its name, None: that of this machine. Raises SettingsError."""
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

    if name is None:
        return _machine_zone()
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        import difflib

        zones = {zone.casefold(): zone for zone in available_timezones()}
        near = difflib.get_close_matches(name.casefold(), zones, n=1)
        hint = f"Did you mean {zones[near[0]]}?" if near else "Write it as in Europe/Berlin or UTC."
        hint = hint if zones else "This machine has no time zones: install its package tzdata, or that of PyPI."
        raise SettingsError(f"--timezone {name}: no such time zone. {hint}") from None


def _machine_zone() -> datetime.tzinfo:
    """Return what the C library takes: TZ, a name or a file, else /etc/localtime, else UTC. Raises SettingsError."""
    from zoneinfo import ZoneInfo

    named = os.environ.get("TZ")
    try:
        if named is None and sys.platform == "win32":
            raise ValueError("Windows names it in its own way")
        path = LOCALTIME if named is None else Path(named.removeprefix(":"))
        if named is not None and not path.is_absolute():
            return ZoneInfo(named.removeprefix(":") or "UTC")
        if named is None and not path.exists():
            return datetime.UTC
        *_, known = str(path.resolve()).rpartition("zoneinfo/")
        with path.open("rb") as file:
            return ZoneInfo.from_file(file, key=known)
    except (LookupError, ValueError, OSError) as error:
        cause = f"TZ={named}" if named else error
        raise SettingsError(f"The time zone of this machine is not known ({cause}). Name one: --timezone.") from None


def next_after(cron: Cron, zone: datetime.tzinfo) -> Callable[[datetime.datetime], datetime.datetime]:
    """Return a function from a time to the first time after it that the expression names, in UTC.

    Where clocks are put forward, a time that is left out comes as much later; where they are put back, a time of the
    hour that is repeated comes twice. So each time of the clock on the wall is read with both offsets from UTC
    (PEP 495); cronsim itself does as Debian's cron: what is left out comes at the change, what is repeated comes once.
    """

    def moved(moment: datetime.datetime) -> datetime.timedelta:
        """Return by how much the clock is put forward or back within a day of a time."""
        before, after = (zone.utcoffset((moment + step).astimezone(zone)) for step in (-DAY_LONG, DAY_LONG))
        return abs(after - before) if before is not None and after is not None else datetime.timedelta()

    def after(moment: datetime.datetime) -> datetime.datetime:
        moment = moment.astimezone(datetime.UTC)
        found: list[datetime.datetime] = []
        begin = moment.astimezone(zone).replace(tzinfo=None) - moved(moment)
        until = None
        for wall in CronSim(cron.expression, begin):
            if until and wall > until:
                break
            first, second = (wall.replace(tzinfo=zone, fold=fold).astimezone(datetime.UTC) for fold in (0, 1))
            later = [each for each in (first, max(first, second)) if each > moment]  # left out: the second is before
            if later and not found:
                until = wall + moved(later[0])
            found += later
        return min(found)

    return after


def crontab(cron: Cron) -> str:
    """Write it for cron: numbers alone, which every cron reads. Raises SettingsError where that cannot be done.

    >>> crontab(parse_cron("00,30 */2 5/8 jan-jun sat-sun"))
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


def systemd_calendars(cron: Cron, timezone: str | None = None) -> list[str]:
    """Write it for systemd: the values of OnCalendar= (systemd.time(7)), any of which is enough.

    No steps: with 00/5:*, systemd 252 leaves out the hour after midnight.

    >>> systemd_calendars(parse_cron("*/15 2 * * mon-fri"), "Europe/Berlin")
    ['Mon..Fri *-*-* 02:00,15,30,45:00 Europe/Berlin']
    """
    clock = f"{_list(HOUR, cron.hours, '..')}:{_list(MINUTE, cron.minutes, '..')}:00"
    days, weekdays = _list(DAY, cron.days, ".."), ""
    if cron.weekdays != WEEKDAY.every:
        from_monday = sorted(value or 7 for value in cron.weekdays)
        weekdays = ",".join("..".join(WEEKDAYS[value % 7].title() for value in run) for run in _runs(from_monday))
    month = _list(MONTH, cron.months, "..")
    either = [("", days), (weekdays, "*")] if cron.either else [(weekdays, days)]
    return [" ".join(filter(None, [weekday, f"*-{month}-{day}", clock, timezone])) for weekday, day in either]


def _step(field: Field, values: tuple[int, ...]) -> str | None:
    """Write values as a step over the whole field, None where they are none."""
    step = values[1] - values[0] if len(values) > 2 else 0
    if not step or values != field.every[::step]:
        return None
    return f"*/{step}" if step > 1 else "*"


def _list(field: Field, values: tuple[int, ...], to: str) -> str:
    digits = 2 if to == ".." else 1
    listed = ",".join(to.join(f"{value:0{digits}}" for value in run) for run in _runs(values))
    return "*" if values == field.every else listed


def _runs(values: Sequence[int]) -> list[tuple[int, ...]]:
    """Return the first and the last value of each run of three or more, other values one by one.

    >>> _runs([1, 2, 4, 5, 6])
    [(1,), (2,), (4, 6)]
    """
    found: list[tuple[int, ...]] = []
    for _, group in groupby(enumerate(values), key=lambda each: each[1] - each[0]):
        run = [value for _, value in group]
        found += [(run[0], run[-1])] if len(run) > 2 else [(value,) for value in run]
    return found
