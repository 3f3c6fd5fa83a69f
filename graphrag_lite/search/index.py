"""An opened index, as Python users see it: tables as pandas DataFrames, and questions."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphrag_lite import settings, tables
from graphrag_lite.errors import (
    CallError,
    GraphragLiteError,
    InputError,
    PluginError,
    ReplyError,
    TableError,
    UnansweredError,
)
from graphrag_lite.retrieval.question_vectors import embed_questions
from graphrag_lite.retrieval.snapshot_view import SnapshotView
from graphrag_lite.run import snapshots
from graphrag_lite.search.answer import Answer
from graphrag_lite.search.methods import Query, SearchMethod, check, method_named
from graphrag_lite.settings import file as settings_file
from graphrag_lite.text.dates import iso_date
from graphrag_lite.text.period import period_of
from graphrag_lite.text.timestamps import to_iso

if TYPE_CHECKING:
    import pandas as pd

    from graphrag_lite.llm.chat import ChatModel, Embedder
    from graphrag_lite.retrieval.vectors import Floats
    from graphrag_lite.search.model_query import Asking, Show
    from graphrag_lite.search.passages import Passage

Outcome = Answer | GraphragLiteError
Day = date | str


class Index(SnapshotView):
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
        if not isinstance(folder, Path):
            raise TypeError(f"Index takes the folder of a snapshot. To open an index: graphrag_lite.open({folder!r})")
        self.settings = values = values or settings.Settings()
        super().__init__(folder, values.search)
        self.llm = values.llm
        self.model = model
        self.embeddings = values.embeddings
        self.embedder = embedder
        if embedder or values.embeddings.model:
            from graphrag_lite.retrieval.note_vectors import NoteVectors

            self.note_vectors = NoteVectors(values.embeddings, values.llm, folder.parent.parent, embedder)

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
        loaded = settings_file.load(root, Path(config) if config else None, overrides, for_indexing=False)
        while True:
            folder = snapshots.current(Path(output))
            try:
                return cls(folder, loaded, model, embedder)
            except TableError:  # it may have been removed since `current` was read: then that names another one
                if snapshots.current(Path(output)) == folder:
                    raise

    def __reduce__(self) -> Any:
        """Open the same snapshot again where this is unpickled, as in a pool of processes."""
        return type(self), (self.folder.resolve(), self.settings, self.model, self.embedder)

    def __repr__(self) -> str:
        return f"Index({self.folder.name}, {self.n_rows('documents')} documents, {self.n_rows('entities')} entities)"

    def _repr_html_(self) -> str:
        from graphrag_lite.search.notebook import index_html

        return index_html(f"Index {self.folder.name}", {name: self.n_rows(name) for name in tables.FINAL})

    def _repr_markdown_(self) -> str:
        from graphrag_lite.search.notebook import index_markdown

        return index_markdown(f"Index {self.folder.name}", {name: self.n_rows(name) for name in tables.FINAL})

    def __getattr__(self, name: str) -> "pd.DataFrame":
        if name not in tables.FINAL:
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}. Tables: {', '.join(tables.FINAL)}")
        frame: pd.DataFrame = self.arrow(name).to_pandas()
        return frame

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *tables.FINAL]

    @property
    def left_out(self) -> dict[str, int]:
        """How much of the corpus folder was not read, and is no failure, by what it is: kinds of files, folders."""
        from graphrag_lite.run.corpus_files import left_out_of

        return left_out_of(self.manifest)

    @property
    def asks(self) -> bool:
        """Whether a model answers; otherwise answers are sentences of the corpus."""
        return self.model is not None or self.llm.model is not None

    async def embed(self, questions: Sequence[str]) -> "list[Floats | None]":
        """Return the vectors of questions, each of length 1; None where the index or the settings have none."""
        return await embed_questions(self, questions, self.embeddings, self.llm, self.embedder)

    def query(
        self,
        question: str,
        method: str | SearchMethod = "local",
        *,
        level: int = 0,
        dynamic: bool = False,
        budget: int | None = None,
        top_k: int | None = None,
        retrieve_only: bool = False,
        response_type: str | None = None,
        as_of: Day | None = None,
        valid_at: Day | None = None,
        history: bool = False,
        steps: int | None = None,
        tokens: int | None = None,
        session: str | None = None,
        where: Sequence[str] = (),
        show: "Show | None" = None,
    ) -> Answer:
        """Answer a question by `local`, `global` (reports of `level`), `basic`, `drift` or `agent` search, or another.

        A method is named, or passed as a `SearchMethod`.

        With `budget`, global search reads text units instead of reports: it tests so many of them for relevance.

        With a model in the settings, it answers: `response_type` says in which form, `dynamic` lets it choose the
        reports of global search, and `show` is told the answer in pieces as it comes. With `retrieve_only` nobody is
        asked, and the answer has ranked documents and text units, and no text.

        With `as_of`, such as "2023-05-30", it answers as of the end of that day: what is dated later is not there,
        "last week" is told from it, and in local search newer documents go before older ones. With `valid_at`, local
        search tells facts that held on that day, by all documents; with `history` ended ones, too.

        Agent search takes so many `steps` within a context of `tokens`; with a `session`, it is remembered.

        With `where`, conditions such as "path=notes/*", "language=de", "date>=2024-03", "speaker=Ana" or one on another
        field of the metadata, what does not fit all of them is not there, for any method.

        Raises InputError for an empty question, an unknown method, level, day or field, and where nothing is left,
        CallError and ReplyError where the model did not answer, ModelError where it cannot be asked or the budget is
        spent.
        """
        template = Query(
            question, self.search_settings.top_k if top_k is None else top_k, level, dynamic, budget, history=history
        )
        template = replace(template, retrieve_only=retrieve_only, steps=steps, tokens=tokens, session=session)
        queries = self._queries(template, [question], [as_of], valid_at, [where])
        (outcome,) = self._outcomes(queries, method, response_type, show)
        if isinstance(outcome, GraphragLiteError):
            raise outcome
        return outcome

    async def aquery(self, question: str, method: str | SearchMethod = "local", **options: Any) -> Answer:
        """Answer like `query`, with its options, in a thread of its own: others go on meanwhile."""
        import asyncio  # a query without a model has no need of it

        return await asyncio.to_thread(self.query, question, method, **options)

    def search(
        self, question: str, k: int = 5, *, as_of: Day | None = None, where: Sequence[str] = ()
    ) -> "list[Passage]":
        """Return the passages that fit a question best, best first, by the ranking of local search; no model answers.

        `as_of` and `where` are those of `query`. Raises InputError for an empty question, for `k` below 1, and like
        `query` for these.
        """
        from graphrag_lite.retrieval.question import Question
        from graphrag_lite.run.sync import run_coroutine
        from graphrag_lite.search.passages import passages_found

        if k < 1:
            raise InputError(f"k is {k}; it must be 1 or more.")
        (query,) = self._queries(Query(question, k, retrieve_only=True), [question], [as_of], None, [where])
        check("local", query, model=False)
        vector = run_coroutine(self.embed([question]))[0] if self.vector_weight else None
        return passages_found(Question(self.limited(query.where, query.as_of), question, query.as_of, vector), k)

    def query_all(
        self,
        questions: Sequence[str],
        method: str | SearchMethod = "local",
        *,
        level: int = 0,
        dynamic: bool = False,
        budget: int | None = None,
        top_k: int | None = None,
        retrieve_only: bool = False,
        response_type: str | None = None,
        as_of: Day | Sequence[Day | None] | None = None,
        valid_at: Day | None = None,
        history: bool = False,
        steps: int | None = None,
        tokens: int | None = None,
        session: str | None = None,
        where: Sequence[str] | Sequence[Sequence[str]] = (),
        done: Callable[[int, Outcome], None] | None = None,
    ) -> list[Outcome]:
        """Answer questions, a model several at once, and return the answers in their order.

        `as_of` is one day for all, or one (or None) for each, `where` one list of conditions, or one for each. A
        question that the model did not answer has its CallError or ReplyError instead, one whose conditions leave
        nothing its InputError. `done` is told each one's place and outcome, in their order, as soon as it and those
        before it are there. Raises like `query` for what concerns all of them.
        """
        days = [as_of] * len(questions) if as_of is None or isinstance(as_of, Day) else as_of
        stated = [where] if isinstance(where, str) else [one for one in where if isinstance(one, str)]
        limits = [stated] * len(questions) if stated or not where else [list(one) for one in where]
        for name, given in (("as_of", days), ("where", limits)):
            if isinstance(questions, str) or len(given) != len(questions):
                raise InputError(f"Give a list of questions, and one {name} for all or one for each of them.")
        template = Query(
            "", self.search_settings.top_k if top_k is None else top_k, level, dynamic, budget, history=history
        )
        template = replace(template, retrieve_only=retrieve_only, steps=steps, tokens=tokens, session=session)
        queries = self._queries(template, questions, days, valid_at, limits)
        return self._outcomes(queries, method, response_type, done=done)

    def _queries(
        self,
        template: Query,
        questions: Sequence[str],
        as_of: Sequence[Day | None],
        valid_at: Day | None,
        where: Sequence[Sequence[str]],
    ) -> list[Query]:
        """Return a query like `template` for each question."""
        days = [None if day is None else last_day(day) for day in as_of]
        template = replace(template, valid_at=None if valid_at is None else last_day(valid_at))
        return [
            replace(template, question=text, as_of=day, where=(limits,) if isinstance(limits, str) else tuple(limits))
            for text, day, limits in zip(questions, days, where, strict=True)
        ]

    def _outcomes(
        self,
        queries: Sequence[Query],
        method: str | SearchMethod,
        response_type: str | None,
        show: "Show | None" = None,
        done: Callable[[int, Outcome], None] | None = None,
    ) -> list[Outcome]:
        if response_type and not self.asks:
            raise InputError("A form of the answer needs a model: name one in the settings, as llm.model.")
        found = method_named(method)
        for query in queries:
            check(method, query, model=self.asks)
        if found.embeds and self.vector_weight:
            from graphrag_lite.run.sync import run_coroutine

            vectors = run_coroutine(self.embed([query.question for query in queries]))
            queries = [replace(query, vector=vector) for query, vector in zip(queries, vectors, strict=True)]
        outcomes: list[Outcome] = []

        def tell(outcome: Outcome) -> None:
            if not isinstance(outcome, Outcome):
                raise PluginError(f"Method {method} returned a {type(outcome).__name__}, not an Answer.")
            outcomes.append(outcome)
            if done:
                done(len(outcomes) - 1, outcome)

        if found.ask and self.asks and not (queries and queries[0].retrieve_only):
            from graphrag_lite.run.sync import run_coroutine

            run_coroutine(
                self._ask_all(queries, found.ask, response_type or self.search_settings.response_type, show, tell)
            )
        else:
            for query in queries:
                try:
                    view = self.limited(query.where, query.as_of)
                except InputError as error:
                    tell(error)
                else:
                    tell(found.answer(view, query))
        return outcomes

    async def _ask_all(
        self,
        queries: Sequence[Query],
        ask: "Callable[[SnapshotView, Query, Asking], Awaitable[Answer]]",
        response_type: str,
        show: "Show | None",
        tell: Callable[[Outcome], None],
    ) -> None:
        """Ask the model about every question, under the same limits; `tell` is called in their order."""
        import asyncio

        from graphrag_lite import prompts
        from graphrag_lite.llm.model import open_model
        from graphrag_lite.search.model_query import Asking, CheckedFirst, map_all
        from graphrag_lite.watch import Silence

        output = self.folder.parent.parent
        loaded = prompts.load(output.parent / "prompts")
        waiting: dict[int, Outcome] = {}
        n_reported = 0
        begun = asyncio.Semaphore(self.llm.concurrency)  # no question's time is spent waiting behind many others
        with open_model(self.llm, output, self.model, must_keep=False) as opened:
            opened = replace(opened, chat=CheckedFirst(opened.chat))

            async def answer(position: int) -> None:
                nonlocal n_reported
                name = "query" if len(queries) == 1 else f"query {position + 1}"
                asking = Asking(opened.of(name, [], Silence()), loaded, response_type, show)
                try:
                    query = queries[position]
                    limited = self.limited(query.where, query.as_of)
                    async with begun:
                        waiting[position] = await _within(self.search_settings.timeout, ask(limited, query, asking))
                except InputError as error:
                    waiting[position] = error
                while n_reported in waiting:
                    tell(waiting.pop(n_reported))
                    n_reported += 1

            await map_all(opened.of("query", [], Silence()), answer, range(len(queries)))


async def _within(seconds: float, answer: Awaitable[Answer]) -> Outcome:
    """Return an answer, or why there is none; its calls end with it."""
    import asyncio  # here, as an answer without a model has no use of it

    try:
        async with asyncio.timeout(seconds):
            return await answer
    except (CallError, ReplyError) as error:
        return error
    except TimeoutError:
        return UnansweredError(
            f"The model has not answered within {seconds:g} s (search.timeout). Its answers so far are kept: ask again,"
            " or give it longer."
        )


def last_day(stated: Day) -> date:
    """Return the day that a date states, of a month or a year the last one. Raises InputError.

    >>> str(last_day("2023-05-30T21:56:00")), str(last_day("May 2023")), str(last_day("2023/05/30 (Tue) 23:40"))
    ('2023-05-30', '2023-05-31', '2023-05-30')
    """
    period = period_of(stated.isoformat() if isinstance(stated, date) else iso_date(stated) or to_iso(stated))
    if period is None:
        raise InputError(f"{stated!r} is not a date, such as 2023-05-30.")
    return period.last
