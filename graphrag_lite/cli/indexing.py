"""The commands that build an index: index, import."""

import gc
import os
import sys
import time
from collections.abc import Callable, Collection
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from graphrag_lite import tables
from graphrag_lite.cli import progress, terminal
from graphrag_lite.cli.group import command, while_read
from graphrag_lite.cli.options import Root, corpus_of, log, terminable, with_options
from graphrag_lite.errors import GraphragLiteError, InputError, WaitingError
from graphrag_lite.ops import metrics
from graphrag_lite.run import run_log, snapshots
from graphrag_lite.run.workers import default_workers

if TYPE_CHECKING:
    from graphrag_lite.run.loop import Run
    from graphrag_lite.settings import Settings

POLL = 60.0  # seconds between looks at a batch
# In the place of Python's 700: rows have no cycles, and looking for some took 4 to 10% of a run. Every 50,000 it was
# still 5% of an edit of 100 MB.
OBJECTS_BETWEEN_COLLECTIONS = 500_000


def spare_memory() -> None:
    """Set what Python and Arrow do with memory, before Arrow is loaded: for a process that makes an index and ends.

    Arrow's own allocator gives memory back and asks for it anew: 7% of the CPU of an edit, and 55 of 430 MB.
    """
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")


@command("index")
@click.argument("corpus", required=False, type=click.Path(path_type=Path))
@with_options("index")
def index(
    corpus: Path | None,
    root: Root,
    dry_run: bool,
    batch: bool,
    wait: bool,
    refresh: str | None,
    checksum: bool,
    engine: str | None,
    ray_address: str | None,
    metrics_file: Path | None,
    quiet: bool,
    verbose: bool,
    as_json: bool,
) -> None:
    spare_memory()
    from graphrag_lite import pipeline
    from graphrag_lite.cli import run_summary

    if quiet and verbose:
        raise click.UsageError("Give --quiet or --verbose, not both.")
    corpus = corpus_of(root, corpus)
    log(quiet=quiet)
    if dry_run:
        from graphrag_lite.cli.planning import show_plan

        show_plan(corpus, root, as_json)
        return
    with terminable() as done, metrics.record_run(metrics_file, root.output) as summary:
        _expect(root.output, imported=False)
        with run_log.log_run(root.output):  # a settings file that stops a run belongs to the history, too
            loaded = _with_options(root.load(), engine, ray_address, batch=batch)
        with progress.watch(as_json, quiet=quiet, verbose=verbose) as watch:
            make = partial(pipeline.index, corpus, root.output, loaded, watch=watch, checksum=checksum)
            make = partial(make, workers=loaded.workers or default_workers(), refresh=refresh == "reports")
            run = _waited_for(make) if wait else make()
        done()
        summary |= run_summary.summary(run)
        if as_json or not quiet:
            _print_summary(run, summary, root.output, as_json)
        if run.n_failures:
            _name_failures(run.snapshot)
            sys.exit(3)


@command("import")
@click.argument("folder", type=click.Path(path_type=Path), metavar="DIR")
@with_options("import")
def import_(folder: Path, root: Root, quiet: bool, as_json: bool) -> None:
    from graphrag_lite import pipeline
    from graphrag_lite.cli import run_summary

    log(quiet=quiet)
    loaded, output = root.load(for_indexing=False), root.output
    _expect(output, imported=True)
    with terminable(), progress.watch(as_json, quiet=quiet) as watch:
        run = pipeline.take_over(folder, output, loaded, watch=watch)
    if as_json or not quiet:
        _print_summary(run, run_summary.summary(run), output, as_json)


def _with_options(loaded: "Settings", engine: str | None, ray_address: str | None, *, batch: bool) -> "Settings":
    """Return settings with what the options of `index` say instead."""
    chosen: dict[str, Any] = {"engine": engine or loaded.engine, "ray_address": ray_address or loaded.ray_address}
    if batch:
        chosen["llm"] = loaded.llm.model_copy(update={"batch": True})
    return loaded.model_copy(update=chosen)


def _waited_for(make: Callable[[], "Run"]) -> "Run":
    """Make an index again until no batch is waited for."""
    while True:
        try:
            return make()
        except WaitingError as waiting:
            terminal.print_note(str(waiting))
            time.sleep(POLL)


def _expect(output: Path, *, imported: bool) -> None:
    """Raise InputError where the current index is of the other kind, and would be replaced, not updated."""
    try:
        made = snapshots.read_manifest(snapshots.current(output)).get("made", {})
    except GraphragLiteError:  # there is none, or a damaged one, which the run is to make anew
        return
    if (made.get("from", "corpus") != "corpus") != imported:
        here, other = ("import", "index") if imported else ("index", "import")
        raise InputError(
            f"{output} holds an index that `graphrag-lite {other}` made, and `{here}` would replace it."
            f" Choose another place with --root; or remove {output} first, if nothing in it is needed any more."
        )


def _print_summary(run: "Run", summary: dict[str, Any], output: Path, as_json: bool) -> None:
    from graphrag_lite.cli import run_summary

    with while_read():
        if as_json:
            terminal.print_json(summary)
        else:
            run_summary.print_summary(terminal.Output(), run, summary, str(output))


def _name_failures(snapshot: Path) -> None:
    failures = tables.read(snapshot, "failures").to_pylist()
    terminal.print_note("1 failure was recorded:" if len(failures) == 1 else f"{len(failures)} failures were recorded:")
    locations = _unit_locations(snapshot, {row["document"] for row in failures[:20]})
    for row in failures[:20]:
        what = locations.get(row["document"]) or terminal.source_of(row["document"], row["document"])
        terminal.print_note(f"  {what}: {row['error']}")
    if len(failures) > 20:
        terminal.print_note(f"  and {len(failures) - 20} more; see `graphrag-lite show failures`")


def _unit_locations(snapshot: Path, unit_ids: Collection[str]) -> dict[str, str]:
    """Return where text units stand, in words, by their ids."""
    units = tables.read(snapshot, "text_units", only=["id", "document_id", "char_start", "char_end"]).to_pylist()
    documents = tables.read(snapshot, "documents", only=["id", "path", "source_id"]).to_pylist()
    names = {row["id"]: terminal.source_of(row["path"], row["source_id"]) for row in documents}
    return {
        unit["id"]: f"{names[unit['document_id']]}, characters {unit['char_start']}-{unit['char_end']}"
        f" (text unit {unit['id']})"
        for unit in units
        if unit["id"] in unit_ids
    }
