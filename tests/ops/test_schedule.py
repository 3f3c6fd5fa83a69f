"""`graphrag-lite schedule`: when it runs, what it survives, how it stops."""

import asyncio
import datetime
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import stub_replies
from click.testing import CliRunner
from stub_batches import BatchServer
from stub_server import Fault, StubServer

from graphrag_lite.cli import main
from graphrag_lite.ops import cron, schedule
from graphrag_lite.run import run_log, snapshots

UTC = datetime.UTC
NIGHTLY = cron.next_after(cron.parse_cron("0 2 * * *"), UTC)
REPOSITORY = Path(__file__).parents[2]
STARTED: list["subprocess.Popen[str]"] = []


def at(text: str) -> datetime.datetime:
    return datetime.datetime.fromisoformat(text).replace(tzinfo=UTC)


class Clock:
    """A clock that goes on by what is slept and by what runs take.

    `jumps` are made at a sleep, in seconds; the runs of the numbers in `again`, from 1, could not go on.
    """

    def __init__(
        self,
        start: str,
        *,
        takes: float = 60,
        days: float = 3,
        jumps: dict[int, float] | None = None,
        again: tuple[int, ...] = (),
    ) -> None:
        self.time = at(start)
        self.end = self.time + datetime.timedelta(days=days)
        self.takes, self.jumps, self.again = takes, jumps or {}, again
        self.slept: list[float] = []
        self.runs: list[str] = []
        self.events: list[str] = []

    def now(self) -> datetime.datetime:
        return self.time

    async def wait(self, seconds: float) -> bool:
        if seconds:
            self.slept.append(seconds)
            self.time += datetime.timedelta(seconds=seconds + self.jumps.get(len(self.slept), 0))
        return self.time >= self.end

    async def run(self, due: datetime.datetime | None) -> bool:
        now, then = (moment and moment.strftime("%d %H:%M") for moment in (self.time, due))
        self.runs.append(str(now) if now == then else f"{now}, due {then}")
        self.time += datetime.timedelta(seconds=self.takes)
        return len(self.runs) in self.again

    def log(self, event: str, **_: Any) -> None:
        self.events.append(event)

    def keep(self, last: str | None, after: Any = NIGHTLY) -> list[str]:
        """Return when runs began, and when each was due where that was another time."""
        work = schedule.keep_time(after, last and at(last), self.run, now=self.now, wait=self.wait, log=self.log)
        asyncio.run(work)
        assert all(0 < seconds <= 60 for seconds in self.slept)
        return self.runs


def test_it_runs_at_its_times_and_looks_at_the_clock_every_minute() -> None:
    assert Clock("2026-06-01T12:00").keep("2026-06-01T02:00") == ["02 02:00", "03 02:00", "04 02:00"]


def test_a_time_missed_while_it_was_down_is_caught_up_once() -> None:
    clock = Clock("2026-06-10T12:00", days=1)
    assert clock.keep("2026-06-01T02:00") == ["10 12:00, due 02 02:00", "11 02:00"]


def test_the_first_run_is_at_once() -> None:
    assert Clock("2026-06-10T12:00", days=1).keep(None) == ["10 12:00, due None", "11 02:00"]


def test_a_run_that_takes_longer_than_the_interval_is_followed_by_one() -> None:
    every_minute = cron.next_after(cron.parse_cron("* * * * *"), UTC)
    clock = Clock("2026-06-01T12:00", takes=200, days=1 / 144)
    assert clock.keep("2026-06-01T12:00", every_minute) == [
        "01 12:01",
        "01 12:04, due 01 12:02",
        "01 12:07, due 01 12:05",
    ]


def test_a_run_that_could_not_go_on_is_tried_again_until_it_can_and_its_next_time_stays() -> None:
    clock = Clock("2026-06-01T12:00", days=1.5, again=(1, 2, 4))
    assert clock.keep("2026-06-01T02:00") == ["02 02:00", "02 02:11", "02 02:22"]
    every_five_minutes = cron.next_after(cron.parse_cron("*/5 * * * *"), UTC)
    clock = Clock("2026-06-01T12:00", days=1 / 72, again=(1,))
    assert clock.keep("2026-06-01T12:00", every_five_minutes) == ["01 12:05", "01 12:10", "01 12:15"]


def test_a_laptop_that_slept_runs_once_when_it_wakes() -> None:
    clock = Clock("2026-06-01T12:00", days=4, jumps={5: 2.5 * 86400})
    assert clock.keep("2026-06-01T02:00") == ["04 00:05, due 02 02:00", "04 02:00", "05 02:00"]


def test_a_clock_that_was_years_ahead_does_not_wait_for_years() -> None:
    clock = Clock("2026-06-01T12:00", days=1)
    assert clock.keep("2036-06-01T12:00") == ["02 02:00"]
    assert clock.events.count("clock_went_back") == 1


def test_a_clock_set_back_by_seconds_does_not_run_again() -> None:
    clock = Clock("2026-06-01T12:00", takes=1, days=0.8, jumps={14 * 60 + 1: -90})
    assert clock.keep("2026-06-01T02:00") == ["02 02:00"]
    assert clock.events == ["waiting", "waiting"]


def test_the_last_start_is_that_of_a_run_that_ended_by_itself(tmp_path: Path) -> None:
    def log(*entries: Any) -> None:
        (tmp_path / run_log.NAME).write_text("".join(f"{json.dumps(entry)}\n" for entry in entries))

    assert schedule.last_start(tmp_path) is None
    first = {"started_at": "2026-06-01T02:00:00+00:00", "status": "published"}
    log(first)
    assert schedule.last_start(tmp_path) == at("2026-06-01T02:00")
    log(first, {"started_at": "2026-06-02T02:00:00+00:00", "status": "failed"})
    assert schedule.last_start(tmp_path) == at("2026-06-02T02:00")
    log(first, {"started_at": "2026-06-02T02:00:00+00:00", "status": "interrupted"})
    assert schedule.last_start(tmp_path) is None
    log(first, {"started_at": "2026-06-02T02:00:00+00:00", "status": "waiting"})
    assert schedule.last_start(tmp_path) is None
    log({"started_at": "2026-13-01", "status": "published"})
    assert schedule.last_start(tmp_path) is None


# Real processes, whose times come at once.


@pytest.fixture
def _handlers() -> Iterator[None]:
    """Give the signals back that `schedule.serve` takes."""
    handlers = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    yield
    for number, handler in handlers.items():
        signal.signal(number, handler)


@pytest.fixture
def serve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, _handlers: None) -> Callable[..., list[dict[str, Any]]]:
    """Serve scripts in the place of `index`, run by run, and return the log."""

    def run(*scripts: str | list[str], on: dict[str, Callable[[], None]] | None = None) -> list[dict[str, Any]]:
        commands = [[sys.executable, "-c", script] if isinstance(script, str) else script for script in scripts]
        entries: list[dict[str, Any]] = []

        def log(event: str, **fields: Any) -> None:
            entries.append({"event": event, **fields})
            if event in (on or {}):
                on[event]()
            if (
                sum(entry["event"].startswith("run_") for entry in entries) == 2 * len(scripts)
                and event != "run_started"
            ):
                os.kill(os.getpid(), signal.SIGTERM)

        monkeypatch.setattr(schedule, "command", lambda _: commands.pop(0))
        soon = datetime.timedelta(microseconds=1)
        monkeypatch.setattr(schedule, "next_after", lambda *_: lambda moment: moment + soon)
        job = schedule.Job(tmp_path, tmp_path, metrics_file=tmp_path / "m.prom")
        asyncio.run(asyncio.wait_for(schedule.serve(job, cron.parse_cron("* * * * *"), UTC, log), 60))
        return entries

    return run


def of(entries: list[dict[str, Any]], *events: str) -> list[dict[str, Any]]:
    return [entry for entry in entries if entry["event"] in events]


def test_whatever_a_run_ends_with_the_next_one_comes(
    serve: Callable[..., list[dict[str, Any]]], tmp_path: Path
) -> None:
    says = "import sys; print('{\"failures\": 1}'); sys.exit(3)"
    user_error = "import sys; print('loading', file=sys.stderr); sys.exit('Error: settings.yaml:\\n  no')"
    locked = "import sys; print('Error: locked', file=sys.stderr); sys.exit(75)"
    killed = "import os; os.kill(os.getpid(), 9)"
    bug = "{}[0]"
    entries = serve(says, user_error, locked, killed, bug, ["/nowhere/python"], "print('{}')", "print('[]')")
    ended = [
        (entry["event"], entry["level"], entry["exit_code"], entry.get("error"))
        for entry in of(entries, "run_finished", "run_failed")
    ]
    assert ended == [
        ("run_finished", "warning", 3, None),
        ("run_failed", "error", 1, "settings.yaml:\n  no"),
        ("run_failed", "warning", 75, "locked"),
        ("run_failed", "error", 137, "ended by SIGKILL"),
        ("run_failed", "error", 1, "KeyError: 0"),
        ("run_failed", "error", 1, "FileNotFoundError: [Errno 2] No such file or directory: '/nowhere/python'"),
        ("run_finished", "info", 0, None),
        ("run_failed", "error", 0, None),
    ]
    assert of(entries, "run_finished")[0]["summary"] == {"failures": 1}
    assert of(entries, "progress")[0]["message"] == "loading"
    assert [entry["event"] for entry in entries][-1] == "stopped"
    assert "graphrag_lite_last_run_exit_code" in (tmp_path / "m.prom").read_text()


def test_runs_never_overlap_and_long_lines_are_read(serve: Callable[..., list[dict[str, Any]]], tmp_path: Path) -> None:
    mark = repr(str(tmp_path / "running"))
    script = f"import os, sys, time; os.close(os.open({mark}, os.O_CREAT | os.O_EXCL)); time.sleep(.2)"
    script += f"; sys.stderr.write('x' * 300_000 + '\\ny'); os.unlink({mark}); print('{{}}')"
    entries = serve(*[script] * 3)
    assert [entry["exit_code"] for entry in of(entries, "run_finished")] == [0] * 3
    assert [entry["event"] for entry in of(entries, "run_started", "run_finished")] == [
        "run_started",
        "run_finished",
    ] * 3
    said = "".join(entry["message"] for entry in of(entries, "progress"))
    assert said == ("x" * 300_000 + "y") * 3


def test_a_run_that_does_not_end_when_told_is_killed(
    serve: Callable[..., list[dict[str, Any]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schedule, "GRACE", 0.2)
    stubborn = "import signal, sys, time; signal.signal(15, signal.SIG_IGN); print('deaf', file=sys.stderr, flush=True); time.sleep(60)"
    entries = serve(stubborn, on={"progress": lambda: os.kill(os.getpid(), signal.SIGTERM)})
    assert [entry["event"] for entry in entries] == [
        *("started", "run_started", "progress", "stopping", "killed", "run_interrupted", "stopped")
    ]
    assert of(entries, "run_interrupted")[0]["exit_code"] == 137


def test_a_run_that_is_stopped_when_it_has_told_its_summary_has_finished(
    serve: Callable[..., list[dict[str, Any]]], tmp_path: Path
) -> None:
    for n_failures, code in ((0, 0), (2, 3)):
        late = f"import sys, time; print('{{\"failures\": {n_failures}}}', flush=True)"
        late += "; print('late', file=sys.stderr, flush=True); time.sleep(60)"
        entries = serve(late, on={"progress": lambda: os.kill(os.getpid(), signal.SIGTERM)})
        finished = of(entries, "run_finished")[0]
        assert (finished["exit_code"], finished["summary"]) == (code, {"failures": n_failures})
        assert "graphrag_lite_last_run_success{" in (told := (tmp_path / "m.prom").read_text())
        assert f'last_run_success{{root="{tmp_path}"}} 1.0' in told


# The command itself.


@pytest.fixture(autouse=True)
def _none_outlives_its_test() -> Iterator[None]:
    yield
    while STARTED:
        STARTED.pop().kill()


def start(*arguments: str, **settings: Any) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "graphrag_lite", "schedule", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY), "PYTHONWARNINGS": "ignore", **settings}
    STARTED.append(
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    )
    return STARTED[-1]


def until(process: "subprocess.Popen[str]", event: str) -> list[dict[str, Any]]:
    """Read the log until an event; after a run that failed it would come in a year."""
    entries: list[dict[str, Any]] = []
    assert process.stdout
    for line in process.stdout:
        entries.append(json.loads(line))
        assert entries[-1]["event"] != "run_failed", entries
        if entries[-1]["event"] == event:
            return entries
    assert process.stderr
    raise AssertionError((entries, process.stderr.read()))


def stop(process: "subprocess.Popen[str]", number: int) -> list[dict[str, Any]]:
    process.send_signal(number)
    printed, said = process.communicate(timeout=90)
    assert (process.returncode, said) == (0, "")
    return [json.loads(line) for line in printed.splitlines()]


def test_it_indexes_at_once_waits_and_stops_at_once(notes: Path, tmp_path: Path) -> None:
    metrics = tmp_path / "index.prom"
    once_a_year = ["--root", str(tmp_path), "--cron", "0 0 1 1 *", "--metrics-file", str(metrics)]
    process = start(str(notes), *once_a_year, "--set", "llm.parameters={api_key: sk-secret}")
    entries = until(process, "waiting")
    began = time.monotonic()
    entries += stop(process, signal.SIGTERM)
    assert time.monotonic() - began < 20  # the next look at the clock may be 60 seconds away
    assert [entry["event"] for entry in entries if entry["event"] != "progress"] == [
        *("started", "run_started", "run_finished", "waiting", "stopped")
    ]
    finished = of(entries, "run_finished")[0]
    assert finished["summary"]["snapshot"] == snapshots.current(tmp_path / "output").name
    assert "sk-secret" not in json.dumps(entries)
    for entry in entries:
        assert datetime.datetime.fromisoformat(entry["time"]).tzinfo == UTC
        assert entry["level"] == "info"
    assert "graphrag_lite_last_run_success" in metrics.read_text()
    # Nothing is due: the next one runs nothing.
    process = start(str(notes), *once_a_year)
    entries = until(process, "waiting") + stop(process, signal.SIGINT)
    assert [entry["event"] for entry in entries] == ["started", "waiting", "stopped"]


def test_stopped_in_mid_run_it_ends_the_run_and_goes_on_from_there_next_time(notes: Path, tmp_path: Path) -> None:
    hang = [True]

    def reply(body: dict[str, Any]) -> str | Fault:
        text = stub_replies.answer(body)
        reports = stub_replies.recognise(body["messages"][0]["content"])[0] == "report_communities.md"
        return Fault(text, hang=True) if hang[0] and reports else text

    with StubServer(reply) as server:
        (tmp_path / "settings.yaml").write_text(
            f"method: standard\nllm: {{model: stub, base_url: '{server.url}'}}\n", encoding="utf-8"
        )
        process = start(str(notes), "--root", str(tmp_path), "--cron", "0 0 1 1 *")
        entries: list[dict[str, Any]] = []
        while not any(entry.get("message", "").startswith("detect_communities") for entry in entries):
            entries += until(process, "progress")
        entries = stop(process, signal.SIGTERM)
        events = [entry["event"] for entry in entries if entry["event"] != "progress"]
        assert events == ["stopping", "run_interrupted", "stopped"]
        assert of(entries, "run_interrupted")[0]["exit_code"] == 130
        assert run_log.read(tmp_path / "output")[-1]["status"] == "interrupted"
        assert not (tmp_path / "output" / "lock.json").exists()
        hang[0], n_requests = False, server.n_requests
        summary = json.loads(CliRunner().invoke(main, ["index", str(notes), "--root", str(tmp_path), "--json"]).stdout)
        assert schedule.last_start(tmp_path / "output"), "the next time that is due is that of the next run"
        ran = summary["stages_run"]  # what computes meanwhile may have ended before it was stopped
        assert "report_communities" in ran and not {"extract_graph", "detect_communities"} & set(ran)
        asked = [body["messages"][0]["content"] for body in server.requests[n_requests:]]
        assert {stub_replies.recognise(text)[0] for text in asked} == {"report_communities.md"}


@pytest.mark.usefixtures("_handlers")
def test_an_index_in_batches_is_gone_on_with_until_it_is_made(
    notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schedule, "AGAIN", datetime.timedelta(0))
    monkeypatch.setattr(schedule, "LOOK", 0.1)
    entries: list[dict[str, Any]] = []
    jobs: list[int] = []

    def log(event: str, **fields: Any) -> None:
        entries.append({"event": event, **fields})
        if event.startswith("run_") and event != "run_started":
            jobs.append(len(server.jobs))
            assert (tmp_path / "output" / "current").exists() == (event == "run_finished")
        if event == "run_finished" or len(jobs) > 20:
            os.kill(os.getpid(), signal.SIGTERM)

    with BatchServer(stub_replies.answer, n_looks=2) as server:
        llm = {"model": "stub", "base_url": server.url, "batch": True}
        (tmp_path / "settings.yaml").write_text(json.dumps({"method": "standard", "llm": llm}), encoding="utf-8")
        job = schedule.Job(notes, tmp_path)
        asyncio.run(asyncio.wait_for(schedule.serve(job, cron.parse_cron("0 0 1 1 *"), UTC, log), 300))
        asked = [key for key, _ in server.asked]
    *waited, made = of(entries, "run_failed", "run_finished")
    assert made["event"] == "run_finished" and made["exit_code"] == 0, entries
    assert {(entry["exit_code"], entry["level"]) for entry in waited} == {(75, "warning")}
    assert all("to be answered within 24 hours" in entry["error"] for entry in waited)
    assert len(set(jobs)) >= 3 and len(waited) > len(set(jobs)), "some runs send a job, others only look"
    assert len(asked) == len(set(asked)) and server.n_requests == 0, "nothing is paid twice"
    statuses = [entry["status"] for entry in run_log.read(tmp_path / "output")]
    assert statuses == [*["waiting"] * len(waited), "published"]


def test_what_cannot_be_scheduled_is_told_at_once(tmp_path: Path) -> None:
    def refused(*arguments: str) -> str:
        result = CliRunner().invoke(main, ["schedule", *arguments])
        assert result.exit_code == 1 and not result.stdout
        return result.stderr

    nightly = ["--root", str(tmp_path), "--cron", "0 2 * * *"]
    assert "hour: 24" in refused(str(tmp_path), "--cron", "0 24 * * *")
    assert "--timezone Europe/Berln" in refused(str(tmp_path), *nightly, "--timezone", "Europe/Berln")
    assert "no such folder" in refused(str(tmp_path / "corpus"), *nightly)
    assert "end in .prom" in refused(str(tmp_path), *nightly, "--metrics-file", str(tmp_path / "m.txt"))
    assert "not a setting" in refused(str(tmp_path), *nightly, "--set", "split_text_units.sice=3")
