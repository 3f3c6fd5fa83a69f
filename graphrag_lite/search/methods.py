"""The query methods: one protocol, one table. The command line, its help, the checks and the docs are derived from it.

To add one, write `search/NAME_search.py` with `answer` and `ask`, and give it a row below; to bring one in from another
package, name a `SearchMethod` as an entry point of the group `graphrag_lite.search_methods`.
"""

import importlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from graphrag_lite import plugins
from graphrag_lite.errors import InputError

if TYPE_CHECKING:
    from graphrag_lite.retrieval.question import Question
    from graphrag_lite.retrieval.snapshot_view import SnapshotView
    from graphrag_lite.retrieval.vectors import Floats
    from graphrag_lite.search.answer import Answer
    from graphrag_lite.search.model_query import Asking

# What a query may state beside its question, if its method takes it.
OPTIONS = {
    "level": "A level of reports",
    "dynamic": "The model's choice of reports",
    "budget": "A budget of tests",
    "valid_at": "What held on a day",
    "history": "What has ended",
    "steps": "A number of steps",
    "tokens": "A budget of tokens",
    "session": "A session",
}


@dataclass(frozen=True, slots=True)
class Query:
    """A question and how to answer it: `level` 0 is the coarsest, `budget` counts tests, `as_of` is the last day.

    `valid_at` is the day on which facts are to hold, with `history` also those that have ended are told. An agent takes
    `steps` at most, within a context of `tokens`, and remembers where a `session` is named.

    `where` are conditions on what may answer, which no method needs to know of: it is given an index of nothing else,
    and of nothing that is dated after `as_of`.

    `vector`, of length 1, is the question's where the method ranks by vectors and the index has a model for them.
    """

    question: str
    top_k: int
    level: int = 0
    dynamic: bool = False
    budget: int | None = None
    as_of: date | None = None
    valid_at: date | None = None
    history: bool = False
    retrieve_only: bool = False
    steps: int | None = None
    tokens: int | None = None
    session: str | None = None
    where: tuple[str, ...] = ()
    vector: "Floats | None" = None

    def read_by(self, index: "SnapshotView") -> "Question":
        """Return the question as an index reads it."""
        from graphrag_lite.retrieval.question import Question

        return Question(index, self.question, self.as_of, self.vector)

    def states(self) -> list[str]:
        """Return the names of the options that it states."""
        return [name for name in OPTIONS if getattr(self, name) not in (None, False, 0)]


@dataclass(frozen=True, slots=True)
class SearchMethod:
    """A way to answer.

    `answer` finds and answers with sentences of the corpus, or finds alone (`Query.retrieve_only`); `ask` answers by a
    model, None where the method cannot. `takes` are names of OPTIONS; `embeds`: it ranks text units by vectors, too.
    """

    summary: str
    answer: "Callable[[SnapshotView, Query], Answer]"
    ask: "Callable[[SnapshotView, Query, Asking], Awaitable[Answer]] | None" = None
    takes: frozenset[str] = frozenset()
    embeds: bool = False


def _own(module: str, summary: str, *takes: str, embeds: bool = False) -> SearchMethod:
    """Return a method of ours, whose module, named from here, is imported when it is first used."""

    def answer(index: "SnapshotView", query: Query) -> "Answer":
        found: Answer = importlib.import_module(module, __package__).answer(index, query)
        return found

    async def ask(index: "SnapshotView", query: Query, asking: "Asking") -> "Answer":
        found: Answer = await importlib.import_module(module, __package__).ask(index, query, asking)
        return found

    return SearchMethod(summary, answer, ask, frozenset(takes), embeds)


METHODS = {
    "local": _own(".local_search", "named entities and the passages they lead to", "valid_at", "history", embeds=True),
    "global": _own(".global_search", "community reports", "level", "dynamic", "budget"),
    "basic": _own(".basic_search", "BM25 alone"),
    "drift": _own(".drift_search", "reports, then local searches for what they leave open", embeds=True),
    # Above this package, which knows no more of it than this name.
    "agent": _own(
        "..agent.agent_search",
        "many small looks: passages, then what those that are found lead to",
        *("steps", "tokens", "session"),
        embeds=True,
    ),
}


def names() -> list[str]:
    """Return the names of all methods: this package's, then those that are installed beside it."""
    return [*METHODS, *(name for name in plugins.names("search_methods") if name not in METHODS)]


def method_named(name: str | SearchMethod) -> SearchMethod:
    """Return a method by name. Raises InputError that lists the names, PluginError for one that cannot be loaded."""
    if isinstance(name, SearchMethod):
        return name
    if name in METHODS:
        return METHODS[name]
    if name not in names():
        raise InputError(f"Method {name!r} is not one of {', '.join(names())}.")
    return plugins.load("search_methods", name, SearchMethod)


def check(named: str | SearchMethod, query: Query, *, model: bool) -> SearchMethod:
    """Return the method that answers a query, with a `model` or without. Raises InputError for what it cannot do."""
    method = method_named(named)
    name = method.summary if isinstance(named, SearchMethod) else named
    if not isinstance(query.question, str):
        raise InputError(f"The question is a {type(query.question).__name__}, not a text.")
    if query.top_k < 1:
        raise InputError(f"top_k is {query.top_k}; it must be 1 or more.")
    if not query.question.strip():
        raise InputError("The question is empty.")
    for option in query.states():
        if option not in method.takes:
            those = ", ".join(other for other, known in METHODS.items() if option in known.takes)
            raise InputError(
                f"{OPTIONS[option]} ({option.replace('_', '-')}) is not for method {name} but for {those}."
            )
    if query.budget is not None and query.budget < 1:
        raise InputError(f"A budget of {query.budget} tests finds nothing; it must be 1 or more.")
    if query.steps is not None and query.steps < 1:
        raise InputError(f"With {query.steps} steps nothing is looked at; it must be 1 or more.")
    if query.dynamic and query.budget is not None:
        raise InputError("A budget is for global search that does not choose reports: not with dynamic.")
    if query.dynamic and not model:
        raise InputError("This needs a model: name one in the settings, as llm.model.")
    if model and method.ask is None and not query.retrieve_only:
        raise InputError(f"Method {name} answers without a model only. Ask with llm.model=null, or retrieve only.")
    return method
