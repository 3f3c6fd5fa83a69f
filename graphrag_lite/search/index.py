"""An opened index, as Python users see it: tables as pandas DataFrames, and questions."""

from pathlib import Path
from typing import TYPE_CHECKING

from graphrag_lite import settings, snapshots, tables
from graphrag_lite.errors import InputError
from graphrag_lite.search.answer import Answer
from graphrag_lite.search.basic_search import basic_search
from graphrag_lite.search.global_search import global_search
from graphrag_lite.search.loaded import Loaded
from graphrag_lite.search.local_search import local_search

if TYPE_CHECKING:
    import pandas as pd


class Index(Loaded):
    """A published snapshot. Its tables are attributes: `index.entities`, `index.community_reports`, ...

    >>> index = Index.open("output")  # doctest: +SKIP
    >>> index.entities[["title", "type", "frequency"]].head()  # doctest: +SKIP
    """

    @classmethod
    def open(cls, output: str | Path = "output") -> "Index":
        """Open the current snapshot of an output folder, with the search settings of the root it is in.

        Raises IndexNotFound.
        """
        folder = snapshots.current(Path(output))
        return cls(folder, settings.load(Path(output).resolve().parent).search)

    def __repr__(self) -> str:
        return f"Index({self.folder.name}, {self.n_rows('documents')} documents, {self.n_rows('entities')} entities)"

    def __getattr__(self, name: str) -> "pd.DataFrame":
        if name not in tables.FINAL:
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}. Tables: {', '.join(tables.FINAL)}")
        frame: pd.DataFrame = self.arrow(name).to_pandas()
        return frame

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *tables.FINAL]

    def query(
        self,
        question: str,
        method: str = "local",
        *,
        level: int = 0,
        top_k: int | None = None,
        retrieve_only: bool = False,
    ) -> Answer:
        """Answer a question by `local`, `global` (from the reports of `level`) or `basic` search.

        Raises InputError for an empty question or an unknown method. With `retrieve_only` the answer has ranked
        documents and text units, and no text.
        """
        if not question.strip():
            raise InputError("The question is empty.")
        top_k = top_k or self.search.top_k
        match method:
            case "local":
                return local_search(self, question, top_k, retrieve_only=retrieve_only)
            case "global":
                return global_search(self, question, top_k, level, retrieve_only=retrieve_only)
            case "basic":
                return basic_search(self, question, top_k, retrieve_only=retrieve_only)
        raise InputError(f"Method {method!r} is not one of local, global, basic.")
