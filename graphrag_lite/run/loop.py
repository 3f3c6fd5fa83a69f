"""The only loop: read -> call -> check -> write -> stamp.

A stage runs when its stamp is new (`stamps`). Otherwise its tables are taken from the run in progress or linked from
the current snapshot.
"""

import asyncio
import contextlib
import datetime
import logging
import platform
import shutil
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphrag_lite import tables
from graphrag_lite.attempts import attempting
from graphrag_lite.errors import TableError
from graphrag_lite.run import results, snapshots
from graphrag_lite.run.progress import LARGE, Progress, columns_of
from graphrag_lite.run.stamps import Stage, Stamp, arguments, digest_of, libraries, origins, reasons, stamp_of, versions
from graphrag_lite.run.turns import Checking, stages_in_turn
from graphrag_lite.run.workers import Engine, Workers, give_memory_back, peak_memory
from graphrag_lite.settings import Settings
from graphrag_lite.watch import Silence, Watch

if TYPE_CHECKING:
    from graphrag_lite.llm.model import Model
    from graphrag_lite.llm.openai_embedder import MemoisedEmbedder

logger = logging.getLogger(__name__)


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
    inputs: Mapping[str, Iterable[Any]],
    settings: Settings,
    output: Path,
    services: Mapping[str, Any],
    *,
    engine: Engine | None = None,
    watch: Watch | None = None,
    refresh: Collection[str] = (),
    made: Mapping[str, str] | None = None,
    known: Mapping[str, str] | None = None,
) -> Run:
    """Bring the index in `output` up to date with `inputs` (table -> rows) and publish it. The lock is held.

    Stages in `refresh` run in any case, and are told so. Without an `engine` all is done in this process.
    The digests of inputs that are `known` are not computed: their rows may never be asked for.
    """
    started = time.perf_counter()
    watch = watch or Silence()
    with snapshots.explain_write_errors(output):
        building = snapshots.building_folder(output)
    published, stamps = results.last_run(output), results.stamps_in(building)
    digests = {**(known or {})}
    digests |= {name: digest_of(rows) for name, rows in inputs.items() if name not in digests}
    anew = results.anew(output, published)
    so_far = Progress(stages, output, building, settings, services, inputs, published, anew, stamps, digests)
    so_far.why, resumed = [*anew], bool(stamps)

    async def bring_up(stage: Stage, watch: Watch) -> dict[str, Any]:
        return await _bring_up(stage, so_far, engine, watch, again=stage.name in refresh)

    async with contextlib.aclosing(stages_in_turn(stages, bring_up, partial(so_far.may_begin, engine), watch)) as turns:
        async for stage, record, waited in turns:
            so_far.records[stage.name] = record
            so_far.hold({}, stage)
            if has_run := stage.name in so_far.ran:
                give_memory_back()
            rows = {name: entry["rows"] for name, entry in record["tables"].items()}
            watch.finish(stage.name, record["seconds"] if has_run else waited, rows, not has_run)

    so_far.usage = {name: so_far.usage[name] for name in so_far.records if name in so_far.usage}
    dropped = sorted(set(published[1]["stages"]) - set(so_far.records)) if published else []
    so_far.why += [] if anew else [f"{name} is left out" for name in dropped]
    seconds = time.perf_counter() - started
    changed = not (published and so_far.unchanged and not dropped)
    if published and not changed:
        with snapshots.explain_write_errors(output):
            shutil.rmtree(building)
        folder, manifest, peak = *published, _peak_memory_mb(engine)
    else:
        folder, manifest = _publish(so_far, seconds, made, _peak_memory_mb(engine))
        peak = manifest["peak_memory_mb"]
    ran = tuple(name for name in so_far.records if name in so_far.ran)
    return Run(folder, manifest, changed, seconds, peak, ran, tuple(so_far.why), so_far.usage, resumed)


async def _bring_up(
    stage: Stage, so_far: Progress, engine: Engine | None, watch: Watch, *, again: bool
) -> dict[str, Any]:
    """Take a stage's last result, or run it. Returns its record, which `so_far` has then, too."""
    started = time.perf_counter()
    published, before = so_far.published, so_far.before(stage)
    # Hashed where it is compared, else once the stage has run: the first requests of a first index do not wait for it.
    stamp = cache(partial(stamp_of, stage, so_far.settings, so_far.services, so_far.digests))
    record = None
    if published and not again:
        record = results.reuse(stage, stamp(), published[0], published[1]["stages"], so_far.building, so_far.digest)
    if not (reused := record is not None) and not again and so_far.stamps:
        record = results.reuse(stage, stamp(), so_far.building, so_far.stamps, so_far.building)
    if not so_far.anew and not reused:
        made = published[1] if published else {}
        made_with = {**made.get("libraries", {}), **versions(made.get("plugins", {}))}
        so_far.why += reasons(stage, before, stamp(), so_far.inputs, made_with, origins(so_far.services), refresh=again)
    if record is None:
        check = None
        model: Model | None = so_far.services.get("model")
        if model and not so_far.checked and (stage.asks or before is None or before["stamp"] != stamp()):
            so_far.checked = True  # before the first work, unless it only tries again what no model does
            if model.loop is None or stage is not so_far.stages[0]:  # the first one only reads
                await model.check()
            else:
                watch = Checking(watch, check := model.checking())
        so_far.ran.append(stage.name)
        try:
            record = await _run_stage(stage, stamp, so_far, engine, watch, started, again=again)
            if check:
                await asyncio.wrap_future(check)
        finally:
            if check:
                check.cancel()  # nobody waits for it where the stage has failed
    retried = again or bool(before and before["failures"])
    so_far.unchanged = so_far.unchanged and (reused or (retried and results.same_result(before, record)))
    so_far.digests |= {name: entry["sha256"] for name, entry in record["tables"].items()}
    return record


async def _run_stage(
    stage: Stage,
    stamp: Callable[[], Stamp],
    so_far: Progress,
    engine: Engine | None,
    watch: Watch,
    started: float,
    *,
    again: bool,
) -> dict[str, Any]:
    """Read, call, check, write, stamp."""
    services = so_far.services
    gone_on = results.last_result(stage, stamp(), so_far.published) if so_far.published else None
    last_made = so_far.published[1] if so_far.published else {}
    linkable = partial(results.reusable_parts, gone_on, last_made, digest=so_far.digest)
    if gone_on:
        here = so_far.building
        gone_on = replace(gone_on, building=here, written={*so_far.digests}, intact=lambda name: bool(linkable(name)))
    offered = {**services, "mode": so_far.settings.communities.mode, "last": gone_on, "refresh": again}
    made, failures, counts = await _perform(stage, _read(stage, so_far), so_far.settings, offered, engine, watch)
    so_far.hold(made, stage)
    give_memory_back()  # before tables are written, which takes some, too
    record: dict[str, Any] = {"stamp": stamp(), "tables": {}, "failures": failures, "counts": counts}
    if metered := services["embedder"] if stage.embeds else services.get("model") if stage.asks else None:
        so_far.usage[stage.name] = record["usage"] = metered.meter.to_dict(stage.name)
    with snapshots.explain_write_errors(so_far.output):
        for name in stage.writes:
            record["tables"][name] = _write(so_far.building, name, made.pop(name), linkable(name))
        record["seconds"] = round(time.perf_counter() - started, 3)
        so_far.stamps[stage.name] = record
        snapshots.write_json(so_far.building / "stamps.json", so_far.stamps)
    return record


def _read(stage: Stage, so_far: Progress) -> dict[str, Any]:
    """Return the tables that a stage reads, in its order, of large ones its columns; `so_far` has them then, too."""
    read = {}
    for name in stage.reads:
        wanted = columns_of(stage, name)
        table = tables.make(name, so_far.inputs[name]) if name in so_far.inputs else so_far.held(name, wanted)
        if table is None:
            without_texts = name in tables.STORED_IN and "text" not in wanted
            large = without_texts or tables.size(tables.path_in(so_far.building, name)) >= LARGE // 4
            table = tables.read(so_far.building, name, wanted if large else None)
            so_far.hold({name: table}, stage)
        read[name] = table.select(wanted) if name in stage.columns else table
    so_far.hold({}, stage)  # the stage has what nobody else reads, and may let go of it
    return read


def _publish(
    so_far: Progress, seconds: float, made: Mapping[str, str] | None, peak: int
) -> tuple[Path, dict[str, Any]]:
    """Publish what has been built. Returns the snapshot and its manifest."""
    published, services = so_far.published, so_far.services
    model: Model | None = services.get("model")
    with snapshots.explain_write_errors(so_far.output):
        failed = [(what, name, *rest) for name, each in so_far.records.items() for what, *rest in each["failures"]]
        entry = _write(so_far.building, "failures", tables.make("failures", failed))
        so_far.records["failures"] = {"tables": {"failures": entry}}
        so_far.why = list(dict.fromkeys(so_far.why))
        manifest = _manifest(so_far.settings, so_far.records, seconds, peak) | {"why": so_far.why, "changes": {}}
        manifest["previous"] = published[0].name if published else None
        if made:
            manifest["made"] = dict(made)
        manifest["left_out"] = services.get("left_out", {})
        if brought := origins(services):
            manifest["plugins"] = brought
        with contextlib.suppress(TableError):  # the last snapshot is damaged
            from graphrag_lite.run import comparison  # and numpy with it

            manifest["changes"] = comparison.changed_documents(published and published[0], so_far.building)
        if model:
            manifest |= {"model": dict(model.identity), "prompts": dict(services["prompts"].digests())}
        if embedder := services.get("embedder"):
            manifest["embedder"] = dict(embedder.identity)
        if model or embedder:
            manifest["usage"] = so_far.usage
        folder = snapshots.publish(so_far.output, so_far.building, manifest)
        if published:
            _warn_of_loss(manifest, published[0].name)
    return folder, snapshots.read_manifest(folder)


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
    engine: Engine | None,
    watch: Watch,
) -> tuple[dict[str, Any], list[tuple[str, str, int]], dict[str, Any]]:
    """Call a stage. Returns its tables by name, what it could not do, sorted, each once, and what it counted."""
    failures: list[tuple[str, str, int]] = []
    counts: dict[str, Any] = {}

    def fail(what: str, error: str, attempts: int) -> None:
        failures.append((what, error, attempts))

    model: Model | None = services.get("model")
    embedder: MemoisedEmbedder | None = services.get("embedder")
    each = Workers(engine, watch, fail, stage.once)
    offered = {
        **services,
        "each": each,
        "fail": fail,
        "attempt": attempting(fail),
        "count": counts.__setitem__,
        "model": model and model.of(stage.name, failures, watch),
        "embedder": embedder and stage.embeds and embedder.of(stage.name, watch),
    }
    work = stage.run(**read, **arguments(stage, settings, offered))
    del read
    written = await (each.in_thread(work) if stage.beside and engine and not model else work)
    written = written if isinstance(written, tuple) else (written,)
    return dict(zip(stage.writes, written, strict=True)), sorted(set(failures)), counts


def _write(building: Path, name: str, table: Any, last: Path | None = None) -> dict[str, Any]:
    whole = hasattr(table, "num_rows")
    if whole:
        tables.check(name, table)
    if not tables.has_file(name):  # what holds it is written later, and another run's is not it
        tables.remove(tables.path_in(building, name))
        return {"rows": table.num_rows, "bytes": 0, "sha256": tables.sha256(table, name)}
    path = tables.write(building, name, table, last)
    rows = table.num_rows if whole else tables.stored_shape(building, name)[1]
    return {"rows": rows, "bytes": tables.size(path), "sha256": snapshots.table_digest(path)}


def _manifest(settings: Settings, records: dict[str, dict[str, Any]], seconds: float, peak: int) -> dict[str, Any]:
    return {
        "created_at": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "schema_version": tables.SCHEMA_VERSION,
        "settings": settings.model_dump(),
        "seconds": round(seconds, 3),
        "peak_memory_mb": peak,
        "libraries": libraries(),
        "python": platform.python_version(),
        "tables": {
            name: entry for each in records.values() for name, entry in each["tables"].items() if tables.has_file(name)
        },
        "stages": {name: record for name, record in records.items() if name != "failures"},
    }


def _peak_memory_mb(engine: Engine | None) -> int:
    """Return the peak memory of this process and of each worker, added up, in MB: as much as is wanted at most."""
    return round((peak_memory() + sum(engine.peaks.values() if engine else ())) / 1e6)
