"""What monitoring reads of the last run: a file in Prometheus' text format, by node exporter's textfile convention.

Node exporter reads the files of one folder that end in .prom, at any moment, and refuses all of them where two have the
same series or one name with two texts: so each is replaced in one step, and every series has its root as a label.
"""

import contextlib
import datetime
import logging
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graphrag_lite.distribution import installed_version
from graphrag_lite.errors import GraphragLiteError, OutputError, OverrideError
from graphrag_lite.run import run_log, snapshots
from graphrag_lite.text.word_lists import toml_file

DONE = (0, 3)  # exit codes of a run that came to its end; 3: with failures recorded
SUCCEEDED = ("published", "unchanged")  # in the log of runs
HELP = toml_file(__package__, "metrics.toml")
ROWS = ("documents", "text_units", "entities", "relationships", "communities", "community_reports", "failures")
USAGE = ("calls", "memo_hits", "prompt_tokens", "completion_tokens")


@dataclass(frozen=True)
class EndedRun:
    """A run that has ended. `summary` is what `index --json` prints, None where the run did not come to its end."""

    started_at: datetime.datetime
    ended_at: datetime.datetime
    exit_code: int
    summary: Mapping[str, Any] | None = None
    peak_memory_mb: int | None = None

    @property
    def seconds(self) -> float:
        """Return how long it took; not below 0, whatever became of the clock."""
        return max(0.0, (self.ended_at - self.started_at).total_seconds())


def check(path: Path) -> None:
    """Raise OutputError where a metrics file could not be written, or would not be read."""
    if path.suffix != ".prom":
        raise OutputError(f"--metrics-file {path}: node exporter reads only files whose names end in .prom.")
    if not path.parent.is_dir():
        raise OutputError(f"--metrics-file {path}: there is no folder {path.parent}.")
    if path.is_dir() or not os.access(path.parent, os.W_OK):
        raise OutputError(f"--metrics-file {path}: cannot be written.")


@contextlib.contextmanager
def record_run(path: Path | None, output: Path) -> Iterator[dict[str, Any]]:
    """Write a metrics file when the run within has ended, however it does. It fills in its summary.

    Not for a command that is wrong, which is no run. A file that cannot be written is told, and does not change how
    the run ends.
    """
    if path is None:
        yield {}
        return
    check(path)
    summary: dict[str, Any] = {}
    started_at = datetime.datetime.now(datetime.UTC)
    code: int | None = 1
    try:
        yield summary
        code = 0
    except GraphragLiteError as error:
        code = None if isinstance(error, OverrideError) else error.exit_code
        raise
    except KeyboardInterrupt:
        code = 130
        raise
    except SystemExit as leaving:
        code = leaving.code if isinstance(leaving.code, int) else 1
        raise
    finally:
        if code is not None:
            from graphrag_lite.run.workers import peak_memory

            ended_at = datetime.datetime.now(datetime.UTC)
            try:
                write(path, output, EndedRun(started_at, ended_at, code, summary, round(peak_memory() / 1e6)))
            except OSError as error:
                logging.getLogger(__name__).warning("--metrics-file %s was not written: %s", path, error)


def write(path: Path, output: Path, ended: EndedRun) -> None:
    """Replace a metrics file in one step. What is not known, such as the memory of a run that was killed, is left out.

    Raises OSError where it cannot be written.
    """
    from prometheus_client import CollectorRegistry, Gauge, write_to_textfile

    registry = CollectorRegistry()
    root = os.fsencode(output.parent.absolute()).decode("utf-8", "replace")
    gauges: dict[str, Gauge] = {}
    for name, labels, value in samples(output, ended):
        if name not in gauges:
            gauges[name] = Gauge(f"graphrag_lite_{name}", HELP[name], ["root", *labels], registry=registry)
        gauges[name].labels(root, *labels.values()).set(value)
    write_to_textfile(str(path), registry)


def samples(output: Path, ended: EndedRun) -> list[tuple[str, dict[str, str], float]]:
    """Return names, labels and values: of the run, of what it is known to have asked and changed, and of the index."""
    entries = run_log.read(output)
    # The log has whole seconds. A run that found the index locked, or was killed, has no entry.
    times = [run_log.started_at(entry) for entry in entries]
    own = entries[-1] if times and times[-1] and times[-1] >= ended.started_at.replace(microsecond=0) else {}
    summary = ended.summary or {}
    # A process that was ended by a signal may have come to the end of its run before.
    done = ended.exit_code in DONE or (ended.exit_code > 128 and own.get("status") in SUCCEEDED)
    peak = summary.get("peak_memory_mb", ended.peak_memory_mb)
    succeeded = [
        time.timestamp() + entry.get("seconds", 0)
        for time, entry in zip(times, entries, strict=True)
        if time and entry.get("status") in SUCCEEDED
    ]
    succeeded += [ended.ended_at.timestamp()] if ended.exit_code in DONE else []
    usage = own.get("usage") or {}
    values: list[tuple[str, float | None]] = [
        ("last_run_start_timestamp_seconds", ended.started_at.timestamp()),
        ("last_run_end_timestamp_seconds", ended.ended_at.timestamp()),
        ("last_success_timestamp_seconds", succeeded[-1] if succeeded else None),
        ("last_run_success", done),
        ("last_run_exit_code", ended.exit_code),
        ("last_run_duration_seconds", ended.seconds),
        ("last_run_stages", len(summary["stages_run"]) if "stages_run" in summary else None),
        ("last_run_peak_memory_bytes", peak and peak * 1e6),
        *((f"last_run_model_{name}", usage.get(name)) for name in USAGE),
        ("last_run_model_cost_dollars", usage.get("cost")),
        ("stale_reports", summary.get("stale_reports")),
    ]
    found: list[tuple[str, dict[str, str], float]] = [
        (name, {}, float(value)) for name, value in values if value is not None
    ]
    changes: Mapping[str, int] = own.get("changes") or {}
    known = ("added", "edited", "renamed", "deleted") if done else ()
    found += [("last_run_documents", {"change": change}, float(changes.get(change, 0))) for change in known]
    with contextlib.suppress(GraphragLiteError):  # there is no index yet
        folder = snapshots.current(output)
        manifest = snapshots.read_manifest(folder)
        tables = manifest["tables"]
        found += [(name, {}, float(tables[name]["rows"])) for name in ROWS if name in tables]
        about = {"snapshot": folder.name, "method": manifest["settings"]["method"], "version": installed_version()}
        found.append(("snapshot_info", about, 1.0))
    return sorted(found, key=lambda sample: list(HELP).index(sample[0]))
