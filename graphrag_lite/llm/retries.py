"""Attempts at a request, none earlier than the limits allow: which are made again, when, and what is told meanwhile."""

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from math import ceil
from typing import NoReturn, TypeVar

from graphrag_lite.errors import ModelError
from graphrag_lite.llm.limits import Limits, Slot
from graphrag_lite.llm.own_loop import OfLoop
from graphrag_lite.settings.models import Llm

FIRST_DELAY, MAX_DELAY = 1.0, 30.0  # seconds before the second attempt; before any
MAX_PAUSE = 600.0  # seconds; who asks for more is asked again another day
MAX_PAID = 2  # tries of a request whose answers cannot be used, or do not come in time
MAX_TRIES = 5  # times max_attempts, where other requests are answered between the refusals of this one
TELL_AGAIN = 30.0  # seconds until the same is said again

logger = logging.getLogger(__name__)
T = TypeVar("T")


class Trouble(Exception):
    """An attempt failed in a way that can heal. `pause`: seconds that the endpoint asks to wait.

    `paid`: the answer to it may have been paid for, as one that does not end in time, and may be no better again.
    """

    def __init__(self, text: str, *, pause: float | None = None, down: bool = False, paid: bool = False) -> None:
        super().__init__(text)
        self.pause = pause
        self.down = down
        self.paid = paid


class Retries:
    """Makes attempts for one model. `give_up` raises what a trouble is after the last of so many tries."""

    def __init__(self, settings: Llm, give_up: Callable[[Trouble, int], NoReturn]) -> None:
        self.settings = settings
        self._give_up = give_up
        limits = settings.concurrency, settings.requests_per_minute, settings.tokens_per_minute
        self._limits = OfLoop(lambda: Limits(*limits))
        self._n_answered = 0
        self._told, self._told_until = "", 0.0

    @property
    def limits(self) -> Limits:
        """The limits of the running event loop."""
        return self._limits.here()

    async def answer(
        self, attempt: Callable[[Slot], Awaitable[T]], tokens: int, holding: AsyncExitStack | None = None
    ) -> T:
        """Return what an attempt returns, after as many as it takes and the settings allow; it raises Trouble for more.

        `tokens` estimates what it will use. `holding` keeps its place among the requests in flight.
        """
        counted = tries = n_paid = 0
        answered = self._n_answered
        while True:
            try:
                async with AsyncExitStack() as held:
                    slot = await held.enter_async_context(self.limits.slot(tokens))
                    try:
                        answer = await attempt(slot)
                    except BaseException:
                        self.limits.correct(slot, 0)
                        raise
                    if holding is not None:
                        holding.push_async_exit(held.pop_all())
                self._n_answered += 1
                return answer
            except Trouble as trouble:
                tries += 1
                n_paid += trouble.paid
                # Where others are answered meanwhile, a request that is told to wait has only been unlucky.
                counted += trouble.pause is None or self._n_answered == answered
                answered = self._n_answered
                most = self.settings.max_attempts
                if counted >= most or tries >= MAX_TRIES * most or n_paid >= MAX_PAID:
                    self._give_up(trouble, tries)
                await self._wait(trouble, counted)

    async def _wait(self, trouble: Trouble, counted: int) -> None:
        """Sleep before the next attempt; a pause that the endpoint asks for is everybody's."""
        delay = min(FIRST_DELAY * 2 ** max(counted - 1, 0), MAX_DELAY) * random.uniform(0.5, 1.0)  # noqa: S311
        if not trouble.pause:
            which = "once more" if trouble.paid else f"attempt {counted + 1} of {self.settings.max_attempts}"
            self.tell(f"{trouble} Trying again in {ceil(delay)} s ({which}).", delay)
        elif trouble.pause > MAX_PAUSE:
            raise ModelError(
                f"{trouble} It asks to wait for {trouble.pause / 60:.0f} minutes. What was answered is kept: run"
                " again then, and the run goes on from there."
            ) from None
        else:
            self.pause(trouble.pause, f"{trouble} Waiting {ceil(trouble.pause)} s, as it asks.")
            delay = min(delay, 1.0)  # so that they do not all come back in one moment
        await asyncio.sleep(delay)

    def pause(self, seconds: float, why: str) -> None:
        """Let no request go for so many seconds, and tell why where nobody waits so long already."""
        if self.limits.pause(seconds) > 0.5:
            self.tell(why, seconds)

    def tell(self, text: str, silence: float) -> None:
        """Say why it takes so long, once for all the requests that wait for the same reason, and not every second."""
        now = asyncio.get_running_loop().time()
        if now >= self._told_until and (text != self._told or now >= self._told_until + TELL_AGAIN):
            self._told, self._told_until = text, now + silence
            logger.info("%s", text)
