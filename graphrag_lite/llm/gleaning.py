"""Gleaning: one conversation that goes on as long as the model says that something was missed (GraphRAG paper A.1).

The first round is asked for without that question, which would send the whole conversation once more to learn a word:
a round that finds nothing costs as much as the question.
"""

from collections.abc import Callable, Sequence
from typing import Generic, NamedTuple, TypeVar

from graphrag_lite.errors import CallError, ReplyError
from graphrag_lite.llm.chat import Message
from graphrag_lite.llm.stage_model import StageModel

T = TypeVar("T")


class Rounds(NamedTuple, Generic[T]):
    """What was found by each round, and why the last one failed that was asked for, if it did."""

    found: list[T]
    failed: ReplyError | CallError | None = None

    def recorded(self, model: StageModel, name: str) -> list[T]:
        """Return what was found; a round that failed is a failure under `name`."""
        if self.failed:
            model.failed(name, self.failed, f"gleaning {len(self.found)}, what was found before it is kept: ")
        return self.found


async def rounds(
    model: StageModel,
    first: Sequence[Message],
    read: Callable[[str], T],
    *,
    missed: str,
    more: str,
    max_gleanings: int,
) -> Rounds[T]:
    """Return what `read` makes of every reply: of the first pass, then of up to `max_gleanings` rounds.

    `first` begins the conversation, `more` asks for the rest, `missed`, between rounds, for a yes or no. Raises like
    `StageModel.ask` where the first pass fails.
    """

    def parse(reply: str) -> tuple[str, T]:
        return reply, read(reply)

    conversation = list(first)
    reply, result = await model.ask(conversation, parse)
    found = [result]
    try:
        for number in range(max_gleanings):
            conversation.append({"role": "assistant", "content": reply})
            if number and not await model.yes([*conversation, {"role": "user", "content": missed}]):
                break
            conversation.append({"role": "user", "content": more})
            reply, result = await model.ask(conversation, parse)
            found.append(result)
    except (ReplyError, CallError) as error:
        return Rounds(found, error)
    return Rounds(found)
