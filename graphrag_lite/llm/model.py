"""The model of a run, or of a query process: what is asked, with its memo, its budget, its batches and its event loop.

A `StageModel` is its face to one stage. A run's asks in a loop of its own (`own_loop`): what a stage computes does not
keep the next request from being sent.
"""

import asyncio
from collections.abc import AsyncIterator, Coroutine, Iterator, Mapping
from concurrent.futures import Future
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from graphrag_lite.errors import ModelError
from graphrag_lite.llm.batches import Batches
from graphrag_lite.llm.chat import ChatModel
from graphrag_lite.llm.diagnosis import http_client
from graphrag_lite.llm.memo import Memo
from graphrag_lite.llm.meter import Meter, Spent, Stopped
from graphrag_lite.llm.openai_chat import OpenAIChat
from graphrag_lite.llm.own_loop import own_loop
from graphrag_lite.llm.providers import chat_model, models_of_stages
from graphrag_lite.llm.stage_model import StageModel
from graphrag_lite.plugins import Origin
from graphrag_lite.settings.models import Llm
from graphrag_lite.watch import Silence, Watch

T = TypeVar("T")


@dataclass
class Model:
    """A chat model with its memo, its budget and its meter. `loop`: where it is asked; None: where the caller is."""

    chat: ChatModel
    memo: Memo
    settings: Llm
    meter: Meter
    batches: Batches | None = None  # in which everything is asked
    asking: dict[str, asyncio.Event] = field(default_factory=dict)  # by key of a request, until its answer is kept
    early: dict[str, StageModel] = field(default_factory=dict)  # of stages that ask before it is their turn
    others: Mapping[str, "Model"] = field(default_factory=dict)  # of stages that ask another one, by `llm.models`
    loop: asyncio.AbstractEventLoop | None = None

    @property
    def identity(self) -> Mapping[str, Any]:
        """What decides the answers: part of the stamp of every stage that asks the model."""
        return self.chat.identity

    @property
    def origins(self) -> tuple[Origin, ...]:
        """Where it comes from, if it is not ours."""
        return getattr(self.chat, "origins", ())

    def spent(self, run: str) -> Spent:
        """Return at least what a run asked that was killed."""
        calls, usage = self.memo.spent(run)
        return Spent(calls, 0, usage, prices=self.meter.prices)

    async def check(self) -> None:
        """Raise ModelError where one of the models cannot be asked."""
        for each in (self, *self.others.values()):
            await self.beside(each.chat.check())

    def checking(self) -> "Future[None] | asyncio.Future[None]":
        """Start the check; nothing that is begun early is sent before it has ended."""
        check = self.started(self.check())
        for early in self.early.values():
            early.after = check
        return check

    def started(self, work: Coroutine[Any, Any, T]) -> "Future[T] | asyncio.Future[T]":
        """Start what asks the model, in the loop where it is asked; `asyncio.wrap_future` awaits it in any loop."""
        if self.loop is None or self.loop is asyncio.get_running_loop():
            return asyncio.create_task(work)
        return asyncio.run_coroutine_threadsafe(work, self.loop)

    async def beside(self, work: Coroutine[Any, Any, T]) -> T:
        """Await what asks the model, in the loop where it is asked."""
        if self.loop in (None, asyncio.get_running_loop()):
            return await work
        return await asyncio.wrap_future(self.started(work))

    def of(self, stage: str, failures: list[tuple[str, str, int]], watch: Watch) -> StageModel:
        """Return the model as a stage sees it: what it has begun early goes on."""
        model = self.early.get(stage) or StageModel(self.at(stage), stage, failures, watch)
        model.failures, model.watch = failures, watch
        return model

    def before_its_turn(self, stage: str) -> StageModel:
        """Return the model for what a stage can begin while the stages before it run."""
        return self.early.setdefault(stage, StageModel(self.at(stage), stage, [], Silence()))

    def at(self, stage: str) -> "Model":
        """Return the model that a stage asks."""
        return self.others.get(stage, self)

    @asynccontextmanager
    async def alone(self, key: str) -> AsyncIterator[None]:
        """Wait until nobody asks the same: of identical requests one is made, and the others find its answer."""
        while key in self.asking:
            await self.asking[key].wait()
        answered = self.asking[key] = asyncio.Event()
        try:
            yield
        finally:
            del self.asking[key]
            answered.set()

    async def end(self, stopped: Stopped) -> None:
        """Have nothing more asked before its turn, and wait until what is in flight is answered, which is paid for."""
        for early in self.early.values():
            early.stopped = early.stopped or stopped
        with suppress(TimeoutError):  # what is only waiting its turn may take longer than an answer
            async with asyncio.timeout(self.settings.timeout):
                while self.asking:
                    await next(iter(self.asking.values())).wait()


@contextmanager
def open_model(
    settings: Llm,
    output: Path,
    chat: ChatModel | None = None,
    run: str = "",
    *,
    must_keep: bool = True,
    batch: bool = False,
    beside: bool = False,
) -> Iterator[Model]:
    """Open the model that the settings name (or `chat`) with the memo of an output folder, which knows the `run`.

    With `batch`, everything is asked in batches, which cost half; those that have ended are forgotten after a run.
    With `beside`, it is asked in a loop of its own, and what is asked goes on while the caller computes.
    """
    client = chat_model(settings, chat)
    batches = Batches(client, output / "batches") if batch else None
    meter = Meter(
        settings.model_copy(update={"prices": {name: p.halved for name, p in settings.prices.items()}})
        if batch
        else settings
    )
    with ExitStack() as opened:
        memo = Memo(output / "memo.sqlite", must_keep=must_keep, run=run)
        opened.callback(memo.close)
        loop = opened.enter_context(own_loop()) if beside else None
        if loop and isinstance(client, OpenAIChat):  # its import reads certificates: now, while the caller goes on
            loop.call_soon_threadsafe(http_client)
        model = Model(client, memo, settings, meter, batches, loop=loop)
        # Of what is asked, and what has begun, they know together: one stage may end the run of all.
        others = {stage: replace(model, chat=other) for stage, other in models_of_stages(settings, chat).items()}
        for stage in others:
            meter.priced(stage, settings.of(stage).model)
        try:
            yield replace(model, others=others)
        except Exception as error:
            if loop and not isinstance(error, ModelError):  # but a full disk, or what else is no matter of the model
                asyncio.run_coroutine_threadsafe(model.end(Stopped(str(error))), loop).result()
            raise
        if batches:
            batches.forget()
