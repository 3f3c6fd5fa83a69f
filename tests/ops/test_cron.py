"""Cron expressions: read as crontab(5) says, and the same times whoever keeps them."""

import datetime
import os
import re
import shutil
import subprocess
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from graphrag_lite.errors import SettingsError
from graphrag_lite.ops import cron

UTC = datetime.UTC
RANGES = {"minute": (0, 59), "hour": (0, 23), "day": (1, 31), "month": (1, 12), "weekday": (0, 7)}


def at(text: str) -> datetime.datetime:
    return datetime.datetime.fromisoformat(text).replace(tzinfo=UTC)


def times(expression: str, start: str, n: int, zone: str = "UTC") -> list[str]:
    after, moment, found = cron.next_after(cron.parse_cron(expression), cron.time_zone(zone)), at(start), []
    for _ in range(n):
        moment = after(moment)
        found.append(moment.strftime("%a %d %H:%M"))
    return found


@st.composite
def item(draw: st.DrawFn, low: int, high: int) -> str:
    first = draw(st.integers(low, high))
    last = draw(st.integers(first, high))
    step = draw(st.integers(1, min(6, high - low)))
    forms = ["*", f"*/{step}", f"{first}", f"{first}-{last}", f"{first}-{last}/{step}", f"{first}/{step}"]
    return draw(st.sampled_from(forms))


def field(name: str) -> st.SearchStrategy[str]:
    return st.one_of(st.just("*"), st.lists(item(*RANGES[name]), min_size=1, max_size=3).map(",".join))


expressions = st.tuples(*map(field, RANGES)).map(" ".join)


def named(text: str, low: int, high: int, value: int) -> bool:
    """Say whether a field names a value; written anew, item by item, from crontab(5)."""
    for part in text.split(","):
        span, _, step = part.partition("/")
        first, _, last = span.partition("-")
        begin = low if first == "*" else int(first)
        end = max(begin, high) if first == "*" or (step and not last) else int(last or first)  # Sunday may be 7
        if any(each == value for each in range(begin, end + 1, int(step or 1))):
            return True
    return False


def comes(expression: str, moment: datetime.datetime) -> bool:
    """Say whether an expression names a minute."""
    minute, hour, day, month, weekday = expression.split()
    sunday_is = [7, 0] if moment.isoweekday() == 7 else [moment.isoweekday()]
    on_day = named(day, 1, 31, moment.day)
    stars = weekday.replace("*", "0-6")  # but 5/2 goes on to 7, as in Debian's cron
    on_weekday = any(named(stars, 0, 7, value) for value in sunday_is)
    both = day.startswith("*") or weekday.startswith("*")
    return (
        named(minute, 0, 59, moment.minute)
        and named(hour, 0, 23, moment.hour)
        and named(month, 1, 12, moment.month)
        and ((on_day and on_weekday) if both else (on_day or on_weekday))
    )


def in_calendar(calendar: str, moment: datetime.datetime) -> bool:
    """Say whether an OnCalendar= names a minute: the part of systemd.time(7) that we write."""
    *weekdays, date, clock = calendar.split()
    names = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]

    def holds(text: str, value: int) -> bool:
        return named(text.replace("..", "-"), 0, 99, value)

    def holds_weekday(text: str) -> bool:
        spans = [part.split("..") for part in text.split(",")]
        return any(names.index(span[0]) <= moment.weekday() <= names.index(span[-1]) for span in spans)

    year, month, day = date.split("-")
    hour, minute, second = clock.split(":")
    assert (year, second) == ("*", "00")
    return (
        all(map(holds_weekday, weekdays))
        and holds(month, moment.month)
        and holds(day, moment.day)
        and holds(hour, moment.hour)
        and holds(minute, moment.minute)
    )


moments = st.integers(0, 5 * 365 * 24 * 60).map(lambda n: at("2024-01-01T00:00") + datetime.timedelta(minutes=n))


def read(expression: str) -> cron.Cron:
    """Read a random expression; those that never come are left out."""
    try:
        return cron.parse_cron(expression)
    except SettingsError as error:
        assume("no such day" not in str(error))
        raise


@settings(max_examples=40, deadline=None)
@given(expressions, moments, st.sets(st.integers(1, 60 * 24 * 60), max_size=100))
def test_next_is_the_first_minute_that_the_expression_names(
    expression: str, start: datetime.datetime, skipped: set[int]
) -> None:
    parsed = read(expression)
    found = cron.next_after(parsed, UTC)(start)
    assert found > start
    assert comes(expression, found)
    passed = int((found - start).total_seconds() // 60)
    for n in sorted(skipped | set(range(1, 90))):  # those next to the start, and any that it may have left out
        assert n >= passed or not comes(expression, start + datetime.timedelta(minutes=n))


@settings(max_examples=40, deadline=None)
@given(expressions, st.lists(moments, min_size=1, max_size=20))
def test_calendars_and_crontab_name_the_same_minutes(expression: str, tried: list[datetime.datetime]) -> None:
    parsed = read(expression)
    tried = [*tried, *(cron.next_after(parsed, UTC)(moment) for moment in tried)]
    calendars = cron.systemd_calendars(parsed)
    for moment in tried:
        assert any(in_calendar(calendar, moment) for calendar in calendars) == comes(expression, moment)
    try:
        written = cron.crontab(parsed)
    except SettingsError:
        assert expression.split()[2].startswith("*") or expression.split()[4].startswith("*")
        return
    assert cron.parse_cron(written) == parsed
    assert all(comes(written, moment) == comes(expression, moment) for moment in tried)


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd-analyze is not on this machine")
@settings(max_examples=25, deadline=None)
@given(expressions, moments)
def test_systemd_itself_names_the_same_times(expression: str, start: datetime.datetime) -> None:
    parsed = read(expression)
    expected, moment = [], start
    for _ in range(3):
        moment = cron.next_after(parsed, UTC)(moment)
        expected.append(moment)
    found: set[datetime.datetime] = set()
    for calendar in cron.systemd_calendars(parsed):
        base = start.strftime("%Y-%m-%d %H:%M:%S UTC")
        done = subprocess.run(
            ["systemd-analyze", "calendar", "--iterations=3", f"--base-time={base}", calendar],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "TZ": "UTC", "LC_ALL": "C"},
        )
        stamps = re.findall(r"(?:Next elapse|Iteration #\d+|Iter\. #\d+): \w+ (\S+ \S+) UTC", done.stdout)
        assert stamps, done.stdout
        found |= {at(stamp.replace(" ", "T")) for stamp in stamps}
    assert sorted(found)[:3] == expected


def test_sunday_is_0_and_7_and_names_are_names() -> None:
    sundays = ["Sun 07 02:00", "Sun 14 02:00"]
    for weekday in ("0", "7", "sun", "SUN", "7-7"):
        assert times(f"0 2 * * {weekday}", "2026-06-01T00:00", 2) == sundays
    assert cron.parse_cron("0 0 * * sat-sun") == cron.parse_cron("0 0 * * 6,0")
    assert cron.parse_cron("0 0 * jan-jun/2 *").months == (1, 3, 5)
    assert cron.parse_cron("0 0 * * mon-fri").weekdays == (1, 2, 3, 4, 5)


def test_day_of_month_or_day_of_week_is_enough_where_both_are_named() -> None:
    assert times("0 0 13 * fri", "2026-06-01T00:00", 3) == ["Fri 05 00:00", "Fri 12 00:00", "Sat 13 00:00"]
    assert times("0 0 */2 * fri", "2026-06-01T00:00", 2) == ["Fri 05 00:00", "Fri 19 00:00"]
    assert cron.systemd_calendars(cron.parse_cron("0 0 13 * fri")) == ["*-*-13 00:00:00", "Fri *-*-* 00:00:00"]
    assert cron.crontab(cron.parse_cron("0 0 1-31 * fri")) == "0 0 * * *"


def test_clocks_that_are_put_forward_or_back() -> None:
    forward = times("30 2 * * *", "2026-03-28T12:00", 2, "Europe/Berlin")
    assert forward == ["Sun 29 01:30", "Mon 30 00:30"]  # 03:30 of summer time: 02:30 does not exist
    back = times("30 2 * * *", "2026-10-24T12:00", 3, "Europe/Berlin")
    assert back == ["Sun 25 00:30", "Sun 25 01:30", "Mon 26 01:30"]  # 02:30 exists twice
    assert times("*/30 1-3 * * *", "2026-03-29T00:00", 4, "Europe/Berlin") == [
        *("Sun 29 00:30", "Sun 29 01:00", "Sun 29 01:30", "Sun 29 23:00")
    ]
    no_such_day = times("0 2 30 12 *", "2011-12-01T00:00", 2, "Pacific/Apia")
    assert no_such_day == ["Fri 30 12:00", "Sat 29 12:00"]
    hourly = times("0 * * * *", "2026-10-24T23:30", 3, "Europe/Berlin")
    assert hourly == ["Sun 25 00:00", "Sun 25 01:00", "Sun 25 02:00"]


def test_a_time_zone_is_that_of_the_machine_or_a_known_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    assert cron.time_zone(None) == ZoneInfo("Asia/Tokyo")
    monkeypatch.setenv("TZ", "CET-1CEST,M3.5.0")
    with pytest.raises(SettingsError, match=r"not known \(TZ=CET.*--timezone"):
        cron.time_zone(None)
    for path in (":/etc/localtime", ""):
        monkeypatch.setenv("TZ", path)
        assert cron.time_zone(None)
    for name in ("Europe/Berln", "../../etc/passwd", "/etc/passwd", "", "Europe", "a\0b"):
        with pytest.raises(SettingsError, match="--timezone"):
            cron.time_zone(name)
    with pytest.raises(SettingsError, match=r"Did you mean Europe/Berlin\?"):
        cron.time_zone("europe/berlin")


@pytest.mark.skipif(not Path("/usr/share/zoneinfo/Asia/Tokyo").exists(), reason="no time zones on this machine")
def test_the_time_zone_of_the_machine_is_that_of_etc_localtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A link into the folder of time zones, a copy of one, or neither, which is UTC for the C library."""
    monkeypatch.delenv("TZ", raising=False)
    tokyo, localtime = Path("/usr/share/zoneinfo/Asia/Tokyo"), tmp_path / "localtime"
    monkeypatch.setattr(cron, "LOCALTIME", localtime)
    assert cron.time_zone(None) == UTC
    for make in (localtime.symlink_to, lambda path: localtime.write_bytes(path.read_bytes())):
        make(tokyo)
        found = cron.next_after(cron.parse_cron("0 2 * * *"), cron.time_zone(None))(at("2026-06-01T00:00"))
        assert found == at("2026-06-01T17:00")
        named = str(cron.time_zone(None))
        localtime.unlink()
        assert named == ("Asia/Tokyo" if make == localtime.symlink_to else str(localtime))
    localtime.write_bytes(b"no zone")
    with pytest.raises(SettingsError, match="--timezone"):
        cron.time_zone(None)


@settings(max_examples=50, deadline=None)
@given(
    expressions, moments, st.sampled_from(["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia"])
)
def test_in_any_zone_no_time_is_left_out(expression: str, start: datetime.datetime, zone: str) -> None:
    parsed, named, moment = read(expression), cron.time_zone(zone), start
    after = cron.next_after(parsed, named)
    for _ in range(3):
        found = after(moment)
        between = int((found - moment).total_seconds() // 60)
        assert found > moment
        for n in {1, 2, 30, 59, 60, 61, 90, 120, between - 60, between - 30, between - 1} & set(range(1, between)):
            skipped = (moment + datetime.timedelta(minutes=n)).astimezone(named)
            assert not comes(expression, skipped.replace(tzinfo=None))
        wall = found.astimezone(named).replace(tzinfo=None)
        step = datetime.timedelta(days=1)
        moved = (found + step).astimezone(named).utcoffset() - (found - step).astimezone(named).utcoffset()
        assert comes(expression, wall) or comes(expression, wall - moved), "it is there, or was left out near by"
        moment = found


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("* * * *", "has 4 fields, not five"),
        ("@daily", "has 1 fields"),
        ("60 * * * *", "minute: 60 is not between 0 and 59"),
        ("* 24 * * *", "hour: 24 is not between 0 and 23"),
        ("* * 0 * *", "day of month: 0 is not between 1 and 31"),
        ("* * * 13 *", "month: 13 is not between 1 and 12, or jan to dec"),
        ("* * * * 8", "day of week: 8 is not between 0 and 7, or sun to sat"),
        ("* * * * mon;rm", "day of week: 'mon;rm' is not a value"),
        ("* * * january *", "month: january is not between"),
        ("5-1 * * * *", "minute: the range 5-1 ends before it begins"),
        ("* * * * fri-mon", "day of week: the range fri-mon ends"),
        ("*/0 * * * *", "minute: the step of \\*/0 is not between 1 and 59"),
        ("*/90 * * * *", "minute: the step of"),  # some read it as every hour
        ("1,,2 * * * *", "minute: '' is not a value"),
        ("-1 * * * *", "minute: '-1' is not a value"),
        ("٣ * * * *", "minute: '٣' is not a value"),
        ("1 2 30 2 *", "there is no such day"),
        ("1 2 31 4,6 *", "there is no such day"),
        ("0 2 L * *", "day of month: L is not between"),
    ],
)
def test_what_cannot_be_read_is_told_by_field(expression: str, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        cron.parse_cron(expression)


def test_every_time_that_is_read_comes() -> None:
    assert times("0 0 29 2 *", "2026-01-01T00:00", 1) == ["Tue 29 00:00"]
    assert times("0 0 31 2 mon", "2026-01-01T00:00", 1) == ["Mon 02 00:00"]  # Mondays of February
