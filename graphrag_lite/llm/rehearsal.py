"""A rehearsal: stages ask, what the memo holds is answered, and what it does not hold is counted instead of asked."""

import re
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from graphrag_lite.attempts import ENDS_RUN
from graphrag_lite.errors import CallError, ReplyError
from graphrag_lite.llm.chat import ChatModel, Message, Request
from graphrag_lite.llm.memo import Memo
from graphrag_lite.llm.meter import Meter
from graphrag_lite.llm.model import Model
from graphrag_lite.llm.stage_model import StageModel
from graphrag_lite.settings.models import Llm

T = TypeVar("T")
R = TypeVar("R")
FIRST, YES_NO, MORE = "first request", "yes or no", "further request"
LINE_START = re.compile(r"(?<=\n)(?=[^\s/])")  # where every encoding of text.tokens begins a token


class Rehearsal:
    """A chat model that counts the tokens of what it is asked, and has no answer."""

    def __init__(self, chat: ChatModel | None, count: Callable[[str], int]) -> None:
        self._identity = chat.identity if chat else {}
        self.origins = getattr(chat, "origins", ())
        self.count = count
        self.n_calls = self.n_tokens = 0

    @property
    def identity(self) -> Mapping[str, Any]:
        return self._identity

    async def check(self) -> None:
        return None

    async def complete(self, request: Request) -> Any:
        self.n_calls += 1
        self.n_tokens += sum(self.count(message["content"]) for message in request.messages)
        raise CallError("a rehearsal asks nobody")

    def stream(self, request: Request) -> Any:  # noqa: ARG002
        raise CallError("a rehearsal asks nobody")


@dataclass
class RehearsedStage(StageModel):
    """The model as a stage sees it in a rehearsal: counts calls, their prompt tokens and kept answers, by kind."""

    calls: Counter[str] = field(default_factory=Counter)
    prompt_tokens: Counter[str] = field(default_factory=Counter)
    hits: Counter[str] = field(default_factory=Counter)

    async def ask(self, messages: Sequence[Message], parse: Callable[[str], T], **options: Any) -> T:
        with self._counted(FIRST if len(messages) == 1 else MORE):
            return await super().ask(messages, parse, **options)

    async def yes(self, messages: Sequence[Message]) -> bool:
        with self._counted(YES_NO):
            return await super().yes(messages)

    async def map(
        self,
        work: Callable[[T], Awaitable[R]],
        items: Sequence[T],
        name: Callable[[T], str],  # noqa: ARG002
    ) -> list[R | None]:
        """Return the results of `work` over items, one after the other; None where an answer is not kept."""
        results: list[R | None] = []
        for item in items:
            try:
                results.append(await work(item))
            except (ReplyError, CallError):
                results.append(None)
            except ENDS_RUN:
                raise
            except Exception:  # what a run would record
                results.append(None)
        return results

    @contextmanager
    def _counted(self, kind: str) -> Iterator[None]:
        chat: Any = self.model.chat
        n_calls, n_tokens, n_hits = chat.n_calls, chat.n_tokens, self._n_hits()
        try:
            yield
        finally:
            self.calls[kind] += chat.n_calls - n_calls
            self.prompt_tokens[kind] += chat.n_tokens - n_tokens
            self.hits[kind] += self._n_hits() - n_hits

    def _n_hits(self) -> int:
        return int(self.model.meter.to_dict(self.stage)["memo_hits"])


@contextmanager
def open_rehearsal(
    settings: Llm, chat: ChatModel | None, others: Mapping[str, ChatModel], memo: Path, count: Callable[[str], int]
) -> Iterator[Model]:
    """Open a model that stands for `chat`, answers from a memo, which is only read, and counts what it lacks.

    `others` are asked by some of the stages, by name.
    """
    free = settings.model_copy(update={"max_calls": None, "max_cost": None})
    answers = Memo(memo, read_only=True) if memo.is_file() else Memo(None)
    try:
        meter = Meter(free)
        made = {stage: Model(Rehearsal(other, by_line(count)), answers, free, meter) for stage, other in others.items()}
        yield Model(Rehearsal(chat, by_line(count)), answers, free, meter, others=made)
    finally:
        answers.close()


def by_line(count: Callable[[str], int]) -> Callable[[str], int]:
    """Return a function that counts a text's tokens line by line: the lines that prompts share are counted once.

    >>> by_line(lambda text: len(text.split()))("Who was there?\\n\\n  Marley.\\nAnd Scrooge.")
    6
    """
    counted = lru_cache(maxsize=2000)(count)
    return lambda text: sum(map(counted, LINE_START.split(text)))
