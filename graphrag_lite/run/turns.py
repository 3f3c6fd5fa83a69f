"""Stages in their order. One that waits for a model, or for workers, begins before its turn, once what it reads is
there: the stages between compute meanwhile."""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping, Sequence
from concurrent.futures import Future
from typing import Any

from graphrag_lite.run.stamps import Stage
from graphrag_lite.watch import Silence, Watch

Record = dict[str, Any]


class InTurn(Silence):
    """The watch of a stage: nobody is told of it before its turn."""

    def __init__(self, watch: Watch) -> None:
        self.watch, self.its_turn = watch, False
        self.spent: Mapping[str, Any] = {}

    def begin(self) -> None:
        """Tell from now on, and what has been spent by now."""
        self.its_turn = True
        if self.spent:
            self.watch.spend(self.spent)

    def advance(self, done: int, total: int) -> None:
        if self.its_turn:
            self.watch.advance(done, total)

    def spend(self, usage: Mapping[str, Any]) -> None:
        self.spent = usage
        if self.its_turn:
            self.watch.spend(usage)


class Checking(Silence):
    """The watch of a stage beside which it is checked whether the model can be asked; it ends where it cannot."""

    def __init__(self, watch: Watch, check: "Future[None] | asyncio.Future[None]") -> None:
        self.watch, self.check = watch, check

    def advance(self, done: int, total: int) -> None:
        if self.check.done():
            self.check.result()
        self.watch.advance(done, total)


async def stages_in_turn(
    stages: Sequence[Stage],
    bring_up: Callable[[Stage, Watch], Coroutine[Any, Any, Record]],
    may_begin: Callable[[Stage], bool],
    watch: Watch,
) -> AsyncGenerator[tuple[Stage, Record, float], None]:
    """Yield each stage, its record, and the seconds that were waited for it.

    `may_begin` is asked of the stages whose turn is still to come, whenever one has ended.
    """
    begun: dict[str, tuple[InTurn, asyncio.Task[Record]]] = {}
    try:
        for index, stage in enumerate(stages):
            await asyncio.sleep(0)  # here a caller can cancel the run
            started = time.perf_counter()
            watch.start(stage.name)
            for each in stages[index + 1 :]:
                if each.name not in begun and may_begin(each):
                    begun[each.name] = (own := InTurn(watch)), asyncio.create_task(bring_up(each, own))
                    await asyncio.sleep(0)
            if stage.name in begun:
                own, task = begun[stage.name]
                own.begin()
                record = await task
            else:
                record = await bring_up(stage, watch)
            yield stage, record, time.perf_counter() - started
    finally:
        for _, task in begun.values():
            task.cancel()
        await asyncio.gather(*(task for _, task in begun.values()), return_exceptions=True)
