"""Keep an index up to date: run `index` at the times of a cron expression, each run a process of its own.

A process that crashes, or has grown, is not the scheduler; and what a run finished is kept when it is ended half-way.
cronsim says when the next time is (see `cron.py`); a scheduler of somebody else's would know nothing of the runs before
its start, and could not end a run.
"""

import asyncio
import contextlib
import datetime
import json
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from graphrag_lite.errors import LockedError
from graphrag_lite.ops import metrics
from graphrag_lite.ops.cron import Cron, crontab, next_after
from graphrag_lite.run import run_log

LOOK = 60.0  # seconds after which the clock is looked at again: a laptop sleeps, a clock is set
JUMP = datetime.timedelta(hours=1)  # by which the clock goes back before it is believed
AGAIN = datetime.timedelta(minutes=10)  # after which a run that could not go on is tried again, as by systemd
GRACE = 60.0  # seconds that a run has to end after SIGTERM; most take one, a large matrix some
MAX_LINE = 1 << 16  # bytes
LATER = LockedError.exit_code  # a WaitingError's, too

LogEvent = Callable[..., None]
"""Takes the event and its fields as keywords; `level` among them, where it is not "info"."""


@dataclass(frozen=True)
class Job:
    """What `graphrag-lite index` is to be called with."""

    corpus: Path
    root: Path
    config: Path | None = None
    overrides: tuple[str, ...] = ()
    metrics_file: Path | None = None

    @property
    def output(self) -> Path:
        return self.root / "output"

    def arguments(self) -> list[str]:
        """Return the arguments of `graphrag-lite`. An overriding setting may hold a key: they are for no log."""
        config = ["--config", str(self.config)] if self.config else []
        overrides = [part for override in self.overrides for part in ("--set", override)]
        metrics = ["--metrics-file", str(self.metrics_file)] if self.metrics_file else []
        return ["index", "--root", str(self.root), *config, *overrides, *metrics, "--json", "--", str(self.corpus)]


def command(job: Job) -> list[str]:
    """Return the command of a run by this interpreter. -P: nothing is imported from the folder it is started in."""
    return [sys.executable, "-P", "-m", "graphrag_lite", *job.arguments()]


def last_start(output: Path) -> datetime.datetime | None:
    """Return when the last run that ended by itself was started; None: there is none, or it had to be gone on with.

    A run that was killed does not count, so that its time, which lies after the entry before, is still to come.
    """
    entries = [entry for entry in run_log.read(output) if entry.get("status") not in ("rolled back", "killed")]
    if not entries or entries[-1].get("status") in ("interrupted", "waiting"):
        return None
    return run_log.started_at(entries[-1])


async def keep_time(
    after: Callable[[datetime.datetime], datetime.datetime],
    last: datetime.datetime | None,
    run: Callable[[datetime.datetime | None], Awaitable[bool]],
    *,
    now: Callable[[], datetime.datetime],
    wait: Callable[[float], Awaitable[bool]],
    log: LogEvent,
) -> None:
    """Run once whenever at least one time has come since the last run was started, one run after the other.

    `run` returns whether another is due AGAIN after it, too. `after` gives the first time after another, `last` is None
    where the first run is due at once, `wait` sleeps for some seconds and says whether to stop.
    """
    announced: datetime.datetime | None = None
    again: datetime.datetime | None = None
    while not await wait(0):
        moment = now()
        if last and last - moment > JUMP:
            log("clock_went_back", level="warning", seconds=round((last - moment).total_seconds()))
            last = moment
        due = after(last) if last else None
        if due and again:
            due = min(due, again)
        if due is None or due <= moment:
            last = moment
            again = now() + AGAIN if await run(due) else None
            continue
        if due != announced:
            announced = due
            log("waiting", next_run_at=format_time(due))
        await wait(min(LOOK, (due - moment).total_seconds()))


async def serve(job: Job, cron: Cron, zone: datetime.tzinfo, log: LogEvent) -> None:
    """Keep the index of a root up to date until SIGTERM or SIGINT. A run that fails is logged; the next one comes."""
    loop, stop = asyncio.get_running_loop(), asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: loop.call_soon_threadsafe(stop.set))

    async def wait(seconds: float) -> bool:
        await asyncio.sleep(0)  # a signal is heard here, also where there is nothing to wait for
        if seconds:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), seconds)
        return stop.is_set()

    async def run(due: datetime.datetime | None) -> bool:
        log("run_started", due_at=due and format_time(due))
        started = _now()
        try:
            # The metrics are written here: a run that is killed writes none.
            code, summary, error = await _process(command(replace(job, metrics_file=None)), stop, log)
        except Exception as failure:  # no memory for a process, no interpreter any more
            code, summary, error = 1, None, f"{type(failure).__name__}: {failure}"
        if summary is not None and code > 128:  # it was ended when nothing but its own end was left
            code = 3 if summary.get("failures") else 0
        ended = metrics.EndedRun(started, _now(), code, summary)
        outcome = {"exit_code": code, "seconds": round(ended.seconds, 3)}
        if summary is not None:
            log("run_finished", level="info" if code == 0 else "warning", **outcome, summary=summary)
        elif stop.is_set():
            log("run_interrupted", **outcome)
        else:
            log("run_failed", level="warning" if code == LATER else "error", **outcome, error=error)
        if job.metrics_file:
            try:
                metrics.write(job.metrics_file, job.output, ended)
            except Exception as failure:
                log("metrics_failed", level="error", error=f"{job.metrics_file}: {failure}")
        return code == LATER

    log(
        "started",
        corpus=str(job.corpus.absolute()),
        root=str(job.root.absolute()),
        cron=crontab(cron),
        timezone=str(zone),
    )
    await keep_time(next_after(cron, zone), last_start(job.output), run, now=_now, wait=wait, log=log)
    log("stopped")


async def _process(
    arguments: Sequence[str], stop: asyncio.Event, log: LogEvent
) -> tuple[int, dict[str, Any] | None, str | None]:
    """Wait for a process, or end it when asked to stop. Return its exit code, the JSON object it printed, its error.

    The exit code is 128 + n where signal n ended it, as shells have it.
    """
    process = await asyncio.create_subprocess_exec(
        *arguments,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,  # Ctrl-C goes to a whole process group; a run is to be told once, by its parent
    )
    printed: list[str] = []
    words: deque[str] = deque(maxlen=100)

    def progress(line: str) -> None:
        words.append(line)
        log("progress", message=line)

    reading = [
        asyncio.create_task(_read(stream, take))
        for stream, take in ((process.stdout, printed.append), (process.stderr, progress))
    ]
    ended, stopped = asyncio.create_task(process.wait()), asyncio.create_task(stop.wait())
    try:
        await asyncio.wait({ended, stopped}, return_when=asyncio.FIRST_COMPLETED)
        if not ended.done():
            log("stopping", most_seconds=GRACE)
            process.terminate()
            await asyncio.wait({ended}, timeout=GRACE)
    finally:
        stopped.cancel()
        if process.returncode is None:
            log("killed", level="warning")
            process.kill()
    code = await ended
    _, still_reading = await asyncio.wait(reading, timeout=10)  # what it has left behind may hold its pipes
    for task in still_reading:
        task.cancel()
    error = f"ended by {signal.Signals(-code).name}" if code < 0 else _error(words)
    return (128 - code if code < 0 else code), _summary(printed), error


async def _read(stream: asyncio.StreamReader | None, take: Callable[[str], None]) -> None:
    """Pass lines on as they come; one of over MAX_LINE bytes in pieces."""
    rest = b""
    while stream and (chunk := await stream.read(MAX_LINE)):
        *lines, rest = (rest + chunk).split(b"\n")
        if len(rest) > MAX_LINE:
            lines, rest = [*lines, rest], b""
        for line in lines:
            take(line.decode("utf-8", "replace").rstrip("\r"))
    if rest:
        take(rest.decode("utf-8", "replace"))


def _summary(printed: Sequence[str]) -> dict[str, Any] | None:
    try:
        summary = json.loads("".join(printed))
    except (ValueError, RecursionError):
        return None
    return summary if isinstance(summary, dict) else None


def _error(words: Iterable[str]) -> str | None:
    """Return the message that a run ended with: from its last "Error:" on, else the last line of a traceback."""
    lines = list(words)
    _, found, error = "\n".join(["", *lines]).rpartition("\nError: ")
    return error if found else lines[-1] if lines else None


def format_time(moment: datetime.datetime | None = None) -> str:
    """Write a time as the log has it; None: now.

    >>> format_time(datetime.datetime(2026, 1, 31, 2, tzinfo=datetime.UTC))
    '2026-01-31T02:00:00.000Z'
    """
    return (moment or _now()).astimezone(datetime.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _now() -> datetime.datetime:
    return datetime.datetime.now(datetime.UTC)
