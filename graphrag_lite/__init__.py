"""graphrag-lite: a corpus folder becomes a knowledge graph with communities and reports; answers cite their source.

    import graphrag_lite

    index = graphrag_lite.index("corpus", root=".")     # or graphrag_lite.open("output")
    index.entities                                       # a pandas DataFrame
    index.query("Who is Scrooge?", method="local").answer

Where things are: `pipeline` is the flow of stages, top to bottom. `stages` has one file per stage, `tables` the tables
that they read and write, `runner` the loop that runs them, `snapshots` what is on disk. `search` answers questions.
`text` and `graph` are pure functions. `settings` holds every default, `errors` what a user can fix.

Where a model is asked (`method: standard`, answers): `llm` is the only code that reaches a network, `prompts` fills
the files of prompts/, `text` reads replies (`records`, `graph_records`, `claim_records`, `report_reply`). `planning`
says what a run would ask, with `estimates` for what depends on answers to come; `tuning` writes prompts for a corpus.
`msgraphrag` reads an index of microsoft/graphrag.
"""

from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graphrag_lite.llm.chat import ChatModel
    from graphrag_lite.search.index import Index

__version__ = version("graphrag-lite")
__all__ = ["index", "open"]


def index(
    corpus: str | Path, root: str | Path = ".", *, overrides: Sequence[str] = (), model: "ChatModel | None" = None
) -> "Index":
    """Bring the index in `root`/output up to date with a corpus folder or file, and open it.

    Settings come from `root`/settings.yaml, then from `overrides` such as "split_text_units.size=300". Documents that
    could not be read are in the result's `failures`. `model` takes the place of the one that the settings name, for
    the index and for answers. Raises the errors of `graphrag_lite.errors`.
    """
    from graphrag_lite import pipeline, settings
    from graphrag_lite.search.index import Index

    loaded = settings.load(Path(root), overrides=overrides)
    # One process unless asked for: worker processes import the caller's main module, which may not expect that.
    run = pipeline.index(Path(corpus), Path(root) / "output", loaded, workers=loaded.workers or 1, model=model)
    return Index(run.snapshot, loaded, model)


def open(  # noqa: A001 - reads as graphrag_lite.open
    output: str | Path = "output", *, overrides: Sequence[str] = (), model: "ChatModel | None" = None
) -> "Index":
    """Open the published index of an output folder, with the settings of the root it is in and `overrides`.

    Raises IndexNotFound where there is none, SettingsError.
    """
    from graphrag_lite.search.index import Index

    return Index.open(output, overrides=overrides, model=model)
