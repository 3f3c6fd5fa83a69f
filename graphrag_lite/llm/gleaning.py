"""Gleaning: one conversation that goes on as long as the model says that something was missed (GraphRAG paper A.1).

The first round is asked for without that question, which would send the whole conversation once more to learn a word:
a round that finds nothing costs as much as the question.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

from graphrag_lite.errors import CallError, ReplyError
from graphrag_lite.llm.chat import Message
from graphrag_lite.llm.stage_model import StageModel

T = TypeVar("T")


async def rounds(
    model: StageModel,
    first: Sequence[Message],
    read: Callable[[str], T],
    *,
    missed: str,
    more: str,
    max_gleanings: int,
    name: str,
) -> list[T]:
    """Return what `read` makes of every reply: of the first pass, then of up to `max_gleanings` rounds.

    `first` begins the conversation, `more` asks for the rest, `missed`, between rounds, for a yes or no. A round that
    fails is recorded under `name`, and what was found before it is kept. Raises like `StageModel.ask` where the first
    pass fails.
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
        model.failed(name, error, f"gleaning {len(found)}, what was found before it is kept: ")
    return found
