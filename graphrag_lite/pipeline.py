"""The flow. An index is built by these stages, top to bottom; a stage runs again only when what it reads changed.

    corpus folder -> documents -> text units -> mentions -> entities, relationships -> communities -> reports -> search

To add a stage: write `stages/verb_noun.py`, give its tables a dataclass in `tables.py`, its settings a section in
`settings.py`, and its place here.
"""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

from graphrag_lite import runner, snapshots
from graphrag_lite.runner import Run, Stage, Watch
from graphrag_lite.settings import Settings
from graphrag_lite.stages.detect_communities import detect_communities
from graphrag_lite.stages.extract_graph_fast import extract_graph_fast
from graphrag_lite.stages.index_search import index_search
from graphrag_lite.stages.load_documents import load_documents, scan
from graphrag_lite.stages.publish_tables import publish_tables
from graphrag_lite.stages.report_communities import report_communities
from graphrag_lite.stages.resolve_entities import resolve_entities
from graphrag_lite.stages.split_text_units import split_text_units
from graphrag_lite.stages.summarize_descriptions import summarize_descriptions


def stages() -> list[Stage]:
    """Return the stages in order; a model's stages will stand in the places marked."""
    return [
        Stage(load_documents, reads=("corpus_files",), writes=("source_documents", "load_failures")),
        Stage(split_text_units, reads=("source_documents",), writes=("source_units",)),
        Stage(  # with a model: extract_graph, then extract_claims for the covariates
            extract_graph_fast,
            reads=("source_documents", "source_units"),
            writes=("entity_mentions", "relationship_mentions", "covariates"),
        ),
        Stage(
            resolve_entities,
            reads=("source_units", "entity_mentions"),
            writes=("entity_resolutions",),
        ),
        Stage(
            summarize_descriptions,
            reads=("source_documents", "entity_mentions", "relationship_mentions", "entity_resolutions"),
            writes=("entities", "relationships"),
        ),
        Stage(
            detect_communities,
            reads=("source_documents", "source_units", "entities", "relationships"),
            writes=("communities",),
        ),
        Stage(
            report_communities,
            reads=("entities", "relationships", "communities"),
            writes=("community_reports",),
        ),
        Stage(
            publish_tables,
            reads=("source_documents", "source_units", "entities", "relationships", "covariates", "load_failures"),
            writes=("documents", "text_units", "failures"),
        ),
        Stage(
            index_search,
            reads=("documents", "text_units", "entities", "entity_mentions", "entity_resolutions", "community_reports"),
            writes=("search_terms", "search_report_terms", "search_links", "search_names"),
        ),
    ]


def index(corpus: Path, output: Path, settings: Settings, *, workers: int = 1, watch: Watch | None = None) -> Run:
    """Bring the index in `output` up to date with a corpus folder (or one file), and publish it in one step.

    Raises InputError for a corpus that cannot be used, LockedError while another run writes the same output,
    OutputError where it cannot be written. Interrupted at any moment, the next call goes on from there.
    """
    files = scan(corpus, leave_out=output)
    with snapshots.locked(output):
        work = runner.run(
            stages(), {"corpus_files": files}, settings, output, {"corpus": corpus}, workers=workers, watch=watch
        )
        return _complete(work)


def _complete(work: Coroutine[Any, Any, Run]) -> Run:
    """Run a coroutine to its end; in a thread of its own where an event loop runs already, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        # Not asyncio.run: it holds the first Ctrl-C back until the coroutine waits, and analysis of text never does.
        with asyncio.Runner() as runner:
            return runner.get_loop().run_until_complete(work)
    task: Future[asyncio.Task[Any]] = Future()

    async def working() -> Run:
        task.set_result(cast(asyncio.Task[Any], asyncio.current_task()))
        return await work

    with ThreadPoolExecutor(1) as thread:
        done = thread.submit(asyncio.run, working())
        try:
            return done.result()
        except KeyboardInterrupt:
            with suppress(RuntimeError):  # it has ended by now
                task.result().get_loop().call_soon_threadsafe(task.result().cancel)
            raise
