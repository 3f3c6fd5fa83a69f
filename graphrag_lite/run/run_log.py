"""The log of runs, `output/runs.jsonl`: one line for every run that ended by itself, whatever came of it."""

import contextlib
import datetime
import json
import os
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphrag_lite.errors import GraphragLiteError, LockedError, OverrideError, WaitingError
from graphrag_lite.read.json_values import objects
from graphrag_lite.run import snapshots

if TYPE_CHECKING:
    from graphrag_lite.llm.meter import Meter, Spent
    from graphrag_lite.run.loop import Run

NAME = "runs.jsonl"


@dataclass
class Log:
    """A run under way. `meter` counts what it asks of a model."""

    output: Path
    started_at: str
    meter: "Meter | None" = None
    outcome: dict[str, Any] = field(default_factory=dict)

    def ended(self, run: "Run") -> "Run":
        """Take down what came of the run."""
        self.outcome = {
            "status": "published" if run.changed else "unchanged",
            "snapshot": run.snapshot.name,
            "why": list(run.why),
            "changes": run.manifest["changes"] if run.changed else {},
            "failures": run.n_failures,
            "resumed": run.resumed,
        }
        return run

    def killed(self, started_at: str, spent: "Sequence[Spent]") -> None:
        """Take down that the run before this one was killed, and at least what it had asked of each model."""
        entry: dict[str, Any] = {"started_at": started_at, "status": "killed"}
        if spent:
            entry["usage"] = total_usage({str(i): each.to_dict() for i, each in enumerate(spent)})
        with snapshots.explain_write_errors(self.output):
            _add(self.output / NAME, entry)

    def rolled_back(self, before: str, after: str) -> None:
        """Take down that an older snapshot is current again."""
        self.outcome = {"status": "rolled back", "snapshot": after, "before": before}


@contextlib.contextmanager
def log_run(output: Path) -> Iterator[Log]:
    """Add a line to the log of runs when the run ends, also where it fails.

    None where another run holds the lock, and for a command that is wrong: neither was begun.
    """
    started = time.perf_counter()
    log = Log(output, datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"))
    try:
        yield log
    except BaseException as error:
        import asyncio  # a query, which reads this module's sums, has no need of it

        if isinstance(error, LockedError | OverrideError) or not output.is_dir():
            log.outcome = {}
        elif isinstance(error, KeyboardInterrupt | asyncio.CancelledError):
            log.outcome = log.outcome or {"status": "interrupted"}  # what it has published stays so
        else:
            known = isinstance(error, GraphragLiteError)
            status = "waiting" if isinstance(error, WaitingError) else "failed"
            log.outcome = {"status": status, "error": str(error) if known else type(error).__name__}
        raise
    finally:
        if log.outcome:
            entry = {"started_at": log.started_at, "seconds": round(time.perf_counter() - started, 3), **log.outcome}
            if log.meter:
                entry["usage"] = total_usage({name: log.meter.to_dict(name) for name in log.meter.stages})
            with contextlib.suppress(OSError):  # a full disk is told by the run itself
                _add(output / NAME, entry)


def read(output: Path) -> list[dict[str, Any]]:
    """Return the entries, oldest first; none where no run has ended yet. A line that is damaged is left out."""
    try:
        text = (output / NAME).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    return [entry for _, entry in objects(text) if entry and "started_at" in entry]


def started_at(entry: Mapping[str, Any]) -> datetime.datetime | None:
    """Return when a run of the log started, None where the entry does not say."""
    try:
        moment = datetime.datetime.fromisoformat(entry["started_at"])
    except (TypeError, ValueError):
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=datetime.UTC)


def entries(output: Path) -> list[dict[str, Any]]:
    """Return what `runs` shows, newest first: the log, and a snapshot whose run was killed before it was logged.

    The log is in the order in which runs ended, also where the clock was set back: the last one of it is the newest.
    `kept` says whether an entry's snapshot is still there, `current` whether it is the current one.
    """
    there = {folder.name: folder for folder in snapshots.published(output)}
    logged = read(output)
    unlogged = list(_unlogged(there, {entry.get("snapshot") for entry in logged}))
    times = [str(entry["started_at"]) for entry in unlogged]
    times += accumulate((str(entry["started_at"]) for entry in logged), max)
    listed = [entry for _, entry in sorted(zip(times, [*unlogged, *logged], strict=True), key=itemgetter(0))]
    try:
        now = snapshots.current(output).name
    except GraphragLiteError:
        now = ""
    return [
        entry | {"kept": entry["snapshot"] in there, "current": entry["snapshot"] == now}
        if "snapshot" in entry
        else entry
        for entry in reversed(listed)
    ]


def _unlogged(there: Mapping[str, Path], logged: Collection[str | None]) -> Iterator[dict[str, Any]]:
    for name, folder in there.items():
        if name not in logged:
            with contextlib.suppress(GraphragLiteError, KeyError):
                manifest = snapshots.read_manifest(folder)
                yield {
                    "started_at": manifest["created_at"],
                    "seconds": manifest["seconds"],
                    "status": "published",
                    "snapshot": name,
                    "why": manifest.get("why", []),
                    "changes": manifest.get("changes", {}),
                    "failures": manifest["tables"]["failures"]["rows"],
                    **({"usage": total_usage(manifest["usage"])} if "usage" in manifest else {}),
                }


def total_usage(usage: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Add what stages asked of the model. The cost is None where the model's prices are not known."""
    names = ("calls", "memo_hits", "prompt_tokens", "cached_tokens", "completion_tokens")
    costs = [stage["cost"] for stage in usage.values()]
    return {
        **{name: sum(stage[name] for stage in usage.values()) for name in names},
        "cost": None if None in costs else round(sum(costs), 6),
    }


def _add(path: Path, entry: Mapping[str, Any]) -> None:
    with path.open("ab") as file:
        if file.tell() and not _ends_line(path):  # a line that a crash cut off
            file.write(b"\n")
        file.write(json.dumps(entry, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n")
        file.flush()
        os.fsync(file.fileno())


def _ends_line(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"
