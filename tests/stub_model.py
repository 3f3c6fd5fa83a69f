"""A chat model for tests: its replies are a function of the request."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from typing import Any

from graphrag_lite.llm.chat import Reply, Request, Usage
from graphrag_lite.llm.memo import Memo
from graphrag_lite.llm.meter import Meter
from graphrag_lite.llm.model import Model
from graphrag_lite.llm.stage_model import StageModel
from graphrag_lite.settings.models import Llm
from graphrag_lite.watch import Silence


class StubModel:
    """Answers with `reply(request)`: a text, a Reply, or an exception to raise. Keeps what it was asked."""

    def __init__(self, reply: Callable[[Request], "str | Reply | Exception"], name: str = "stub") -> None:
        self.reply = reply
        self.name = name
        self.requests: list[Request] = []
        self.in_flight = self.most_in_flight = 0

    @property
    def identity(self) -> Mapping[str, Any]:
        return {"model": self.name}

    @property
    def asked(self) -> Counter[str]:
        """How often each request was made, by its messages."""
        return Counter(repr([dict(message) for message in request.messages]) for request in self.requests)

    async def check(self) -> None:
        return None

    async def complete(self, request: Request) -> Reply:
        self.requests.append(request)
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        await asyncio.sleep(0)
        self.in_flight -= 1
        said = self.reply(request)
        if isinstance(said, Exception):
            raise said
        if isinstance(said, Reply):
            return said
        n_prompt = sum(len(message["content"]) for message in request.messages) // 4
        return Reply(said, "stop", Usage(n_prompt, 0, len(said) // 4))

    async def stream(self, request: Request) -> AsyncIterator[str | Reply]:
        reply = await self.complete(request)
        for word in reply.text.split(" "):
            yield word + " "
        yield reply


def stage_model(
    stub: StubModel, stage: str = "stage", memo: Path | None = None, **settings: Any
) -> tuple[StageModel, list[tuple[str, str, int]]]:
    """Return what a stage gets as `model`, and the list that its failures are recorded in."""
    llm = Llm(model=stub.name, **settings)
    failures: list[tuple[str, str, int]] = []
    return Model(stub, Memo(memo), llm, Meter(llm)).of(stage, failures, Silence()), failures
