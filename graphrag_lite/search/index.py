"""An opened index, as Python users see it: tables as pandas DataFrames, and questions."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from graphrag_lite import settings, snapshots, tables
from graphrag_lite.errors import CallError, GraphragLiteError, InputError, ReplyError, TableError
from graphrag_lite.search.answer import Answer
from graphrag_lite.search.basic_search import ask_basic, basic_search
from graphrag_lite.search.global_search import ask_global, global_search
from graphrag_lite.search.loaded import Loaded
from graphrag_lite.search.question_vectors import embed_questions
from graphrag_lite.text.dates import iso_date
from graphrag_lite.text.periods import whole
from graphrag_lite.text.timestamps import iso

if TYPE_CHECKING:
    import pandas as pd

    from graphrag_lite.llm.chat import ChatModel, Embedder
    from graphrag_lite.search.asking import Asking, Show

METHODS = ("local", "global", "basic", "drift")
EMBEDDED = ("local", "drift")  # rank text units by vectors, too
UNDATED = ("global", "drift")  # read reports, which tell of the whole corpus, whatever its dates
Outcome = Answer | GraphragLiteError
Day = date | str


class Index(Loaded):
    """A published snapshot. Its tables are attributes: `index.entities`, `index.community_reports`, ...

    >>> index = Index.open("output")  # doctest: +SKIP
    >>> index.entities[["title", "type", "frequency"]].head()  # doctest: +SKIP
    """

    def __init__(
        self,
        folder: Path,
        values: settings.Settings | None = None,
        model: "ChatModel | None" = None,
        embedder: "Embedder | None" = None,
    ) -> None:
        values = values or settings.Settings()
        super().__init__(folder, values.search)
        self.llm = values.llm
        self.model = model
        self.embeddings = values.embeddings
        self.embedder = embedder

    @classmethod
    def open(
        cls,
        output: str | Path = "output",
        *,
        config: str | Path | None = None,
        overrides: Sequence[str] = (),
        model: "ChatModel | None" = None,
        embedder: "Embedder | None" = None,
    ) -> "Index":
        """Open the current snapshot of an output folder, with the settings of the root it is in.

        `config` is a settings file instead of the root's, `overrides` change settings, such as "llm.model=null";
        `model` and `embedder` take the place of those that the settings name. Raises IndexNotFound, SettingsError, and
        TableError where the index is damaged or of another schema version.
        """
        root = Path(output).resolve().parent
        loaded = settings.load(root, Path(config) if config else None, overrides, for_indexing=False)
        while True:
            folder = snapshots.current(Path(output))
            try:
                return cls(folder, loaded, model, embedder)
            except TableError:  # it may have been removed since `current` was read: then that names another one
                if snapshots.current(Path(output)) == folder:
                    raise

    def __repr__(self) -> str:
        return f"Index({self.folder.name}, {self.n_rows('documents')} documents, {self.n_rows('entities')} entities)"

    def __getattr__(self, name: str) -> "pd.DataFrame":
        if name not in tables.FINAL:
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}. Tables: {', '.join(tables.FINAL)}")
        frame: pd.DataFrame = self.arrow(name).to_pandas()
        return frame

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *tables.FINAL]

    @property
    def asks(self) -> bool:
        """Whether a model answers; otherwise answers are sentences of the corpus."""
        return self.model is not None or self.llm.model is not None

    async def embed(self, questions: Sequence[str]) -> None:
        """Find the vectors of questions, where the index has vectors and the settings name their model."""
        await embed_questions(self, questions, self.embeddings, self.llm, self.embedder)

    def query(
        self,
        question: str,
        method: str = "local",
        *,
        level: int = 0,
        dynamic: bool = False,
        budget: int | None = None,
        top_k: int | None = None,
        retrieve_only: bool = False,
        response_type: str | None = None,
        as_of: Day | None = None,
        show: "Show | None" = None,
    ) -> Answer:
        """Answer a question by `local`, `global` (from the reports of `level`), `basic` or `drift` search.

        With `budget`, global search reads text units instead of reports: it tests so many of them for relevance.

        With a model in the settings, it answers: `response_type` says in which form, `dynamic` lets it choose the
        reports of global search, and `show` is told the answer in pieces as it comes. With `retrieve_only` nobody is
        asked, and the answer has ranked documents and text units, and no text.

        With `as_of`, such as "2023-05-30", local and basic search answer as of the end of that day: documents dated
        later are not there, "last week" is told from it, and in local search newer documents go before older ones.

        Raises InputError for an empty question, an unknown method, level or day, CallError and ReplyError where the
        model did not answer, ModelError where it cannot be asked or the budget is spent.
        """
        options = Options(method, level, dynamic, budget, top_k, retrieve_only, response_type)
        (outcome,) = self._outcomes([question], [as_of], options, show)
        if isinstance(outcome, GraphragLiteError):
            raise outcome
        return outcome

    def query_all(
        self,
        questions: Sequence[str],
        method: str = "local",
        *,
        level: int = 0,
        dynamic: bool = False,
        budget: int | None = None,
        top_k: int | None = None,
        retrieve_only: bool = False,
        response_type: str | None = None,
        as_of: Day | Sequence[Day | None] | None = None,
        done: Callable[[int, Outcome], None] | None = None,
    ) -> list[Outcome]:
        """Answer questions, a model several at once, and return the answers in their order.

        `as_of` is one day for all, or one (or None) for each. A question that the model did not answer has its
        CallError or ReplyError instead. `done` is told each one's place and outcome, in their order, as soon as it and
        those before it are there. Raises like `query` for what concerns all of them.
        """
        options = Options(method, level, dynamic, budget, top_k, retrieve_only, response_type)
        days = [as_of] * len(questions) if as_of is None or isinstance(as_of, Day) else as_of
        return self._outcomes(questions, days, options, done=done)

    def _outcomes(
        self,
        questions: Sequence[str],
        as_of: Sequence[Day | None],
        options: "Options",
        show: "Show | None" = None,
        done: Callable[[int, Outcome], None] | None = None,
    ) -> list[Outcome]:
        days = [None if day is None else last_day(day) for day in as_of]
        self._check(questions, days, options)
        if options.method in EMBEDDED and self.vector_weight:
            from graphrag_lite.waiting import complete

            complete(self.embed(questions))
        asked = list(zip(questions, days, strict=True))
        outcomes: list[Outcome] = []

        def tell(outcome: Outcome) -> None:
            outcomes.append(outcome)
            if done:
                done(len(outcomes) - 1, outcome)

        if self.asks and not options.retrieve_only:
            from graphrag_lite.waiting import complete

            complete(self._ask_all(asked, options, show, tell))
        else:
            for question, day in asked:
                tell(self._find(question, day, options))
        return outcomes

    def _check(self, questions: Sequence[str], days: Sequence[date | None], options: "Options") -> None:
        if not all(question.strip() for question in questions):
            raise InputError("The question is empty.")
        if options.method not in METHODS:
            raise InputError(f"Method {options.method!r} is not one of {', '.join(METHODS)}.")
        if options.method in UNDATED and any(days):
            raise InputError("Reports tell of the whole corpus: only local and basic search answer as of a day.")
        if options.dynamic and options.method != "global":
            raise InputError("Only global search chooses reports (dynamic); its method is global.")
        if options.budget is not None and (options.method != "global" or options.dynamic):
            raise InputError("A budget is for global search that does not choose reports: method global, not dynamic.")
        if options.budget is not None and options.budget < 1:
            raise InputError(f"A budget of {options.budget} tests finds nothing; it must be 1 or more.")
        if (options.dynamic or options.response_type) and not self.asks:
            raise InputError("This needs a model: name one in the settings, as llm.model.")

    def _find(self, question: str, as_of: date | None, options: "Options") -> Answer:
        """Answer with sentences of the corpus."""
        top_k = options.top_k or self.search.top_k
        if options.method == "local":
            from graphrag_lite.search.local_search import local_search  # scipy, which basic search does without

            return local_search(self, question, top_k, as_of=as_of, retrieve_only=options.retrieve_only)
        if options.method == "drift":
            from graphrag_lite.search.drift_search import drift_search

            return drift_search(self, question, top_k, retrieve_only=options.retrieve_only)
        if options.budget:
            from graphrag_lite.search.budgeted_search import budgeted_search

            return budgeted_search(self, question, top_k, options.budget, retrieve_only=options.retrieve_only)
        if options.method == "global":
            return global_search(self, question, top_k, options.level, retrieve_only=options.retrieve_only)
        return basic_search(self, question, top_k, as_of=as_of, retrieve_only=options.retrieve_only)

    async def _ask_all(
        self,
        asked: Sequence[tuple[str, date | None]],
        options: "Options",
        show: "Show | None",
        tell: Callable[[Outcome], None],
    ) -> None:
        """Ask the model about every question, under the same limits; `tell` is called in their order."""
        from graphrag_lite import prompts
        from graphrag_lite.llm.model import open_model
        from graphrag_lite.search.asking import Asking, CheckedFirst, Silent

        output = self.folder.parent.parent
        loaded = prompts.load(output.parent / "prompts")
        response_type = options.response_type or self.search.response_type
        waiting: dict[int, Outcome] = {}
        n_told = 0
        with open_model(self.llm, output, self.model, must_keep=False) as opened:
            opened = replace(opened, chat=CheckedFirst(opened.chat))

            async def answer(place: int) -> None:
                nonlocal n_told
                name = "query" if len(asked) == 1 else f"query {place + 1}"
                asking = Asking(opened.of(name, [], Silent()), loaded, response_type, show)
                try:
                    waiting[place] = await self._ask(*asked[place], options, asking)
                except (CallError, ReplyError) as error:
                    waiting[place] = error
                while n_told in waiting:
                    tell(waiting.pop(n_told))
                    n_told += 1

            await opened.of("query", [], Silent()).map(answer, range(len(asked)), str)

    async def _ask(self, question: str, as_of: date | None, options: "Options", asking: "Asking") -> Answer:
        top_k = options.top_k or self.search.top_k
        if options.method == "local":
            from graphrag_lite.search.local_search import ask_local

            return await ask_local(self, question, top_k, asking, as_of=as_of)
        if options.method == "drift":
            from graphrag_lite.search.drift_search import ask_drift

            return await ask_drift(self, question, top_k, asking)
        if options.budget:
            from graphrag_lite.search.budgeted_search import ask_budgeted

            return await ask_budgeted(self, question, top_k, options.budget, asking)
        if options.method == "global":
            return await ask_global(self, question, top_k, options.level, asking, dynamic=options.dynamic)
        return await ask_basic(self, question, top_k, asking, as_of=as_of)


def last_day(stated: Day) -> date:
    """Return the day that a date states, of a month or a year the last one. Raises InputError.

    >>> str(last_day("2023-05-30T21:56:00")), str(last_day("May 2023")), str(last_day("2023/05/30 (Tue) 23:40"))
    ('2023-05-30', '2023-05-31', '2023-05-30')
    """
    period = whole(stated.isoformat() if isinstance(stated, date) else iso_date(stated) or iso(stated))
    if period is None:
        raise InputError(f"{stated!r} is not a date, such as 2023-05-30.")
    return period.last


@dataclass(frozen=True, slots=True)
class Options:
    """How questions are answered."""

    method: str
    level: int
    dynamic: bool
    budget: int | None
    top_k: int | None
    retrieve_only: bool
    response_type: str | None
