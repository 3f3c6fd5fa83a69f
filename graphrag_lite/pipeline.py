"""The flow: `pipeline.toml` has the stages of an index, top to bottom, and what each reads and writes; here they run.

To add a stage: write `stages/verb_noun.py`, declare its tables in `tables/declared.txt`, its settings a section
in `settings/`, and its place in `pipeline.toml`.
"""

from collections.abc import Coroutine, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphrag_lite.errors import SettingsError
from graphrag_lite.read.documents import Reader
from graphrag_lite.read.readers import all_readers
from graphrag_lite.run import loop, run_log, snapshots
from graphrag_lite.run.corpus_files import on_this_machine, scan
from graphrag_lite.run.file_hashes import SeenFiles
from graphrag_lite.run.loop import Run
from graphrag_lite.run.lost_readers import refuse_without_readers
from graphrag_lite.run.ray_engine import RayEngine
from graphrag_lite.run.stamps import Stage
from graphrag_lite.run.sync import run_coroutine
from graphrag_lite.run.workers import Engine, Pool
from graphrag_lite.settings import Settings
from graphrag_lite.text.word_lists import toml_file
from graphrag_lite.watch import Watch

if TYPE_CHECKING:
    from graphrag_lite.extraction.extractor import Extract
    from graphrag_lite.llm.chat import ChatModel, Embedder


@dataclass(frozen=True)
class Method:
    """A way to make an index: its stages in order, and what later code has to know about what they make."""

    stages: Sequence[Stage]
    made: Mapping[str, str]  # stands in the manifest, under this name


def _stage(name: str, reads: str, writes: str, columns: Mapping[str, str] | None = None, **more: bool) -> Stage:
    listed = {table: tuple(names.split()) for table, names in (columns or {}).items()}
    return Stage(name, tuple(reads.split()), tuple(writes.split()), listed, **more)


_FLOW = toml_file(__package__, "pipeline.toml")
STAGES = {name: _stage(name, **stated) for name, stated in _FLOW["stages"].items()}
METHODS = {
    name: Method([STAGES[stage] for stage in stated["stages"].split()], stated["made"])
    for name, stated in _FLOW["methods"].items()
}


def stages(method: str = "fast", *, embeds: bool = False) -> list[Stage]:
    """Return the stages of a method in order; with `embeds`, text units get vectors, too."""
    return [*METHODS[method].stages, *([STAGES["embed_text_units"]] if embeds else [])]


def index(
    corpus: Path,
    output: Path,
    settings: Settings,
    *,
    workers: int = 1,
    watch: Watch | None = None,
    model: "ChatModel | None" = None,
    embedder: "Embedder | None" = None,
    extractor: "Extract | None" = None,
    refresh: bool = False,
    checksum: bool = False,
    prompt_folder: Path | None = None,
    readers: Sequence[Reader] = (),
) -> Run:
    """Bring the index in `output` up to date with a corpus folder (or one file), and publish it in one step.

    `model`, `embedder` and `extractor` take the place of those that the settings name; what is passed extracts in this
    process alone. `readers` go before all others. `refresh` writes reports that are stale again, `checksum` reads every
    file, also those of unchanged size and times; `prompt_folder` takes the place of the root's prompts.

    Raises SettingsError where `settings.method` needs a model and there is none, or takes no extractor, PluginError for
    what a package brings and cannot be used, InputError for a corpus that cannot be used, ModelError where the model
    cannot be asked or the budget is spent, LockedError while another run writes the same output, OutputError where it
    cannot be written. Interrupted at any moment, the next call goes on from there.
    """
    on_this_machine(corpus, output)
    if model is None and (lacking := settings.lack_a_model()):
        raise SettingsError("\n".join(lacking))
    if not (extracts := STAGES["extract_graph_fast"] in METHODS[settings.method].stages) and extractor:
        raise SettingsError(f"method: {settings.method} extracts by its model, and takes no extractor.")
    seen = SeenFiles(output, trust=not checksum)
    with run_log.log_run(output) as log, ExitStack() as opened:
        known = all_readers(readers)
        files = scan(corpus, leave_out=output, settings=settings.load_documents, seen=seen, readers=known)
        killed = opened.enter_context(snapshots.lock_output(output, log.started_at))
        seen.write()
        refuse_without_readers(corpus, output, known, settings.load_documents)
        found = None  # our own, which is not imported before it runs
        if extractor or (extracts and settings.extract_graph_fast.extractor):
            from graphrag_lite.extraction.extractor import open_extractor

            found = open_extractor(settings.extract_graph_fast, extractor)
        services = _open_models(opened, log, settings, output, model, embedder) | {"corpus": corpus}
        services |= {"readers": known, "left_out": files.left_out, "extractor": found}
        services |= _of_a_model(settings, services["model"], prompt_folder or output.parent / "prompts")
        if killed:
            log.killed(killed, [services[name].spent(killed) for name in ("model", "embedder") if services.get(name)])
        work = loop.run(
            stages(settings.method, embeds="embedder" in services),
            {"corpus_files": files.rows},
            settings,
            output,
            services,
            known={"corpus_files": files.digest},
            engine=None if extractor else _open_engine(opened, settings, workers),
            watch=watch,
            refresh=("report_communities", "report_communities_fast") if refresh else (),
            made=METHODS[settings.method].made,
        )
        return _ended(work, log, settings)


def _of_a_model(settings: Settings, model: Any, folder: Path) -> dict[str, Any]:
    """Return the prompts of a run that asks a model, and what begins to ask for names and claims before their turn."""
    found: dict[str, Any] = {"prompts": None, "told": None, "cut": None, "named": None}
    if not settings.asks:
        return found
    from graphrag_lite import prompts

    found["prompts"] = own = prompts.load(folder)
    if settings.llm.batch:
        return found
    from graphrag_lite.extraction.model_rounds import claims_begun, names_begun, texts_begun

    early = model.before_its_turn("extract_graph")
    found["told"] = texts_begun(settings.extract_graph, settings.split_text_units, early, own)
    found["cut"] = names_begun(settings.extract_graph, early, own)
    if settings.extract_claims.enabled:
        found["named"] = claims_begun(settings.extract_claims, model.before_its_turn("extract_claims"), own)
    return found


def _open_engine(opened: ExitStack, settings: Settings, workers: int) -> Engine | None:
    """Open what does text analysis beside this process, until `opened` is left; None: this process does it all."""
    if settings.engine == "ray":
        if settings.asks:
            raise SettingsError(
                f"engine: ray shares out text analysis; method {settings.method} waits for its model, whose limits,"
                " budget and kept answers one process holds. Leave engine out, or take method fast."
            )
        return opened.enter_context(RayEngine(settings.ray_address, workers))
    return opened.enter_context(Pool(workers)) if workers > 1 else None


def _open_models(
    opened: ExitStack,
    log: run_log.Log,
    settings: Settings,
    output: Path,
    model: "ChatModel | None" = None,
    embedder: "Embedder | None" = None,
) -> dict[str, Any]:
    """Open what stages ask, until `opened` is left; what it costs is in the log."""
    found: dict[str, Any] = {"model": None}
    if settings.asks:
        from graphrag_lite.llm.model import open_model

        found["model"] = opened.enter_context(
            open_model(
                settings.llm, output, model, log.started_at, batch=settings.llm.batch, beside=not settings.llm.batch
            )
        )
        log.meter = found["model"].meter
    if embedder or settings.embeddings.model:
        from graphrag_lite.llm.openai_embedder import open_embedder

        found["embedder"] = opened.enter_context(
            open_embedder(settings.embeddings, settings.llm, output, embedder, meter=log.meter, run=log.started_at)
        )
        log.meter = found["embedder"].meter
    return found


def _ended(work: Coroutine[Any, Any, Run], log: run_log.Log, settings: Settings) -> Run:
    """Run to the end, and remove old snapshots only when the log knows what has come of it."""
    run = log.ended(run_coroutine(work))
    with snapshots.explain_write_errors(log.output):
        snapshots.remove_old(log.output, settings.snapshots.keep, settings.snapshots.keep_days)
    return run


def take_over(folder: Path, output: Path, settings: Settings, *, watch: Watch | None = None) -> Run:
    """Publish a finished index of microsoft/graphrag, a folder of Parquet or JSON lines, in `output`.

    Raises InputError that names every file and column which cannot be used, and LockedError and OutputError as `index`.
    """
    from graphrag_lite.stages.import_graphrag import find

    with run_log.log_run(output) as log, ExitStack() as opened:
        tables_folder, files = find(folder)
        opened.enter_context(snapshots.lock_output(output))
        settings = settings.model_copy(update={"method": "imported"})
        services = _open_models(opened, log, settings, output)
        work = loop.run(
            stages(settings.method, embeds="embedder" in services),
            {"corpus_files": files},
            settings,
            output,
            services | {"corpus": tables_folder, "prompts": None},
            watch=watch,
            made=METHODS[settings.method].made,
        )
        return _ended(work, log, settings)
