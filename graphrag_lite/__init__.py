"""graphrag-lite: a corpus folder becomes a knowledge graph with communities and reports; answers cite their source.

    import graphrag_lite

    index = graphrag_lite.index("corpus", root=".")     # or graphrag_lite.open("output")
    index.entities                                       # a pandas DataFrame
    index.query("Who is Scrooge?", method="local").answer

Where things are, imports going down only (`pyproject.toml`):

    cli          commands, and all that is printed; no logic of its own
    ops          around runs: plan, tune prompts, evaluate, check, schedule, metrics, rollback; prints nothing
    views        an opened snapshot -> the bytes of a page or of an export; writes no file
    pipeline     the flow of stages, top to bottom: `pipeline.toml` is the first file to read
    agent        many small looks at an index and at memory: tools that return pages, and who calls them, rule or model
    stages       one file a stage, a function from tables to tables; none imports another
    search       one file a query method (`methods` has their table), and what models are asked for it;
                 `search.extractive` answers without a model, one file a kind of question
    retrieval    a snapshot as search reads it, a question as the index reads it, rankings; writes no answer
    extraction   what extractors share: text units, what is kept, mentions put into tables; knows no extractor
    run          the loop, stamps, snapshots, engines (pool, Ray), log: alone writes output/; knows no stage
    llm          chat and embedding models, memo, limits, budgets: the only code that reaches a network
    memory       what is remembered beside the corpus: the only store that no run makes
    msgraphrag   reads an index of microsoft/graphrag
    resolution   which names mean one entity, as pure functions; reads no text
    evidence     what a statement rests on: spans, citation marks, packing, kept reports; no ranking, no model
    graph        communities and PageRank, as pure functions; knows no texts
    prompts      fills the files of prompts/
    temporal     what held when: dated statements, facts folded from them, as pure functions; reads no table
    read         bytes of a file -> documents, one reader a format; opens no file
    replies      what a model wrote -> records, tolerantly; asks no model
    text         sentences, words, languages, dates, tokens; `text.names` finds and types names; knows no tables
    settings     every default, and the files that they come from; the only code that reads settings.yaml
    plugins      what an installed package brings in; `tables` holds every table,
                 `errors` what a user can fix, `distribution` what it is installed as, `watch` who is told how a run
                 goes, `attempts` what is done to one item and may fail alone
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphrag_lite.distribution import NAME as DISTRIBUTION
from graphrag_lite.distribution import installed_version
from graphrag_lite.errors import (
    CallError,
    GraphragLiteError,
    IndexNotFound,
    InputError,
    LockedError,
    ModelError,
    OutputError,
    PluginError,
    PromptError,
    ReplyError,
    SettingsError,
    TableError,
    WorkerError,
)

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from graphrag_lite.extraction.extractor import Extract
    from graphrag_lite.llm.chat import ChatModel, Embedder
    from graphrag_lite.read.documents import Reader
    from graphrag_lite.search.answer import Answer, Cited
    from graphrag_lite.search.index import Index
    from graphrag_lite.search.passages import Passage
    from graphrag_lite.watch import Watch

__version__ = installed_version()
# Imported when they are first used: a command has no need of most of them.
_MODULES = {
    "Answer": "search.answer",
    "Cited": "search.answer",
    "Index": "search.index",
    "Passage": "search.passages",
}
__all__ = [
    "DISTRIBUTION",
    "Answer",
    "CallError",
    "Cited",
    "GraphragLiteError",
    "Index",
    "IndexNotFound",
    "InputError",
    "LockedError",
    "ModelError",
    "OutputError",
    "Passage",
    "PluginError",
    "PromptError",
    "ReplyError",
    "SettingsError",
    "TableError",
    "WorkerError",
    "index",
    "open",
]


def _watch() -> "AbstractContextManager[Watch | None]":
    """Return what shows how far a run is: bars on a terminal, lines in a notebook; else nothing, not even imported."""
    from contextlib import nullcontext

    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal and not console.is_jupyter:
        return nullcontext()
    from graphrag_lite.cli import progress

    return nullcontext(progress.Lines()) if console.is_jupyter else progress.Bars(console)


def index(
    corpus: str | Path,
    root: str | Path = ".",
    *,
    config: str | Path | None = None,
    overrides: Sequence[str] = (),
    model: "ChatModel | None" = None,
    embedder: "Embedder | None" = None,
    extractor: "Extract | None" = None,
    readers: "Sequence[Reader]" = (),
) -> "Index":
    """Bring the index in `root`/output up to date with a corpus folder or file, and open it.

    Settings come from `root`/settings.yaml (or the file `config`), then from `overrides` such as
    "split_text_units.size=300". Documents that could not be read are in the result's `failures`. `model`, `embedder`
    and `extractor` take the place of those that the settings name, `model` and `embedder` for answers, too, and
    `readers` go before all others: docs/extending.md. On a terminal and in a notebook it shows how far it is. Raises
    the errors of `graphrag_lite.errors`.
    """
    from graphrag_lite import pipeline
    from graphrag_lite.search.index import Index
    from graphrag_lite.settings import file as settings_file

    file = Path(config) if config else None
    loaded = settings_file.load(Path(root), file, overrides, for_indexing=model is None)
    # One process unless asked for: worker processes import the caller's main module, which may not expect that.
    with _watch() as watch:
        run = pipeline.index(
            Path(corpus),
            Path(root) / "output",
            loaded,
            workers=loaded.workers or 1,
            watch=watch,
            model=model,
            embedder=embedder,
            extractor=extractor,
            readers=readers,
        )
    return Index(run.snapshot, loaded, model, embedder)


def open(  # noqa: A001 - reads as graphrag_lite.open
    output: str | Path = "output",
    *,
    config: str | Path | None = None,
    overrides: Sequence[str] = (),
    model: "ChatModel | None" = None,
    embedder: "Embedder | None" = None,
) -> "Index":
    """Open the published index of an output folder, with the settings of the root it is in and `overrides`.

    `config` is a settings file instead of the root's. `model` and `embedder` take the place of those that the settings
    name. Raises IndexNotFound where there is none, SettingsError.
    """
    from graphrag_lite.search.index import Index

    return Index.open(output, config=config, overrides=overrides, model=model, embedder=embedder)


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})
