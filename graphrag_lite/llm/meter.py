"""What a run asks and spends, by stage, and the budget that stops it."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, field
from math import ceil
from typing import Any

from graphrag_lite.errors import ModelError, SettingsError
from graphrag_lite.llm.chat import Request, Usage, prompt_tokens
from graphrag_lite.llm.own_loop import OfLoop
from graphrag_lite.settings.models import Llm, Prices

GO_ON = "Every answer is kept: raise it, or run again, and the run goes on from there."
FIRST_GUESS = 800  # tokens of a reply, while none of its stage has come: gpt-4o-mini's reports have 790
LONGEST = 16_384  # tokens that a reply may have: what most models can say, and one that repeats itself does
BOUNDS = ("max_tokens", "max_completion_tokens")  # among `llm.parameters`: no reply has more


class Stopped(ModelError):
    """The run asks nothing more, of itself; what is in flight is paid for, so it is answered and kept."""


@dataclass
class Spent:
    """What one stage asked in this run. `cost` in US dollars, None where the model's prices are not known."""

    calls: int = 0
    memo_hits: int = 0
    usage: Usage = field(default_factory=Usage)
    prices: Prices | None = None
    bound: int = 0  # tokens of every reply at most, as the endpoint is told; 0: none
    longest: dict[bool, int] = field(default_factory=dict)  # tokens of a reply: of choices (True), of words (False)
    word_read: bool = False  # whether a reply of a word has told it
    denser: float = 1.0  # most that a prompt had of the tokens that it was estimated to have

    @property
    def cost(self) -> float | None:
        return None if self.prices is None else cost_of(self.usage, self.prices)

    def to_dict(self) -> dict[str, Any]:
        """Return it as the manifest stores it."""
        return {"calls": self.calls, "memo_hits": self.memo_hits, **asdict(self.usage), "cost": self.cost}

    def expected(self, request: Request | Usage, *, at_most: bool = False) -> Usage:
        """Return about what a request will use: a reply as long as the longest of its stage, a prompt as dense.

        `at_most`: what it may use. However short those before it were, a reply may have as many tokens as the endpoint
        is told, else as models can say, or twice the longest; but for a word, which is as long as those before it.
        """
        if isinstance(request, Usage):
            return request
        kind = bool(request.choices)
        n_reply = self.longest.get(kind, 1 if kind else FIRST_GUESS)
        bounds = [bound for bound in (self.bound, request.max_tokens) if bound]
        if at_most and not (kind and self.word_read):
            n_reply = min(bounds, default=max(LONGEST, 2 * n_reply))
        n_reply = min([n_reply, *bounds])
        return Usage(ceil(self.denser * prompt_tokens(request.messages)), 0, n_reply)

    def learn(self, request: Request | Usage, used: Usage | None) -> None:
        """Take what a request has used, None where it failed, as a measure of the next ones."""
        if isinstance(request, Usage):
            return
        kind, n_reply = bool(request.choices), used.completion_tokens if used else 0
        self.longest[kind] = max(self.longest.get(kind, 0), n_reply) or FIRST_GUESS
        if used:
            self.word_read |= kind
            self.denser = max(self.denser, used.prompt_tokens / max(prompt_tokens(request.messages), 1))


class Meter:
    """Counts by stage. Raises Stopped before a call that the budget does not allow.

    Calls in flight count with the most that they may cost. Where that alone is too much, a call waits for them.
    Raises SettingsError for a `max_cost` where prices are not known.
    """

    def __init__(self, settings: Llm) -> None:
        self.settings = settings
        self.stages: dict[str, Spent] = {}
        self.prices = self.prices_of(settings.model)
        bounds = [settings.parameters.get(name) for name in BOUNDS]
        self._bound = max((bound for bound in bounds if isinstance(bound, int)), default=0)
        self._in_flight: list[tuple[Spent, Request | Usage]] = []
        self._ended: asyncio.Event | None = None  # of the next call that ends, where one is waited for
        self._look = OfLoop(asyncio.Lock)  # calls look one after the other: few of many find room

    def prices_of(self, model: str | None) -> Prices | None:
        """Return the prices of a model, None where they are not known. Raises SettingsError where they have to be."""
        prices = self.settings.prices_of(model)
        if self.settings.max_cost is not None and prices is None:
            raise SettingsError(
                f"llm.max_cost: what {model} costs is not known. Put its prices into llm.prices"
                f" ({model}: {{input: 0.15, output: 0.6}}, US dollars per million tokens), or use llm.max_calls."
            )
        return prices

    def of(self, stage: str) -> Spent:
        return self.stages.setdefault(stage, Spent(prices=self.prices, bound=self._bound))

    def priced(self, stage: str, model: str | None) -> None:
        """Take the prices of another model for a stage. Raises SettingsError as `prices_of`."""
        self.of(stage).prices = self.prices_of(model)

    def hit(self, stage: str) -> None:
        self.of(stage).memo_hits += 1

    @asynccontextmanager
    async def call(self, stage: str, request: Request | Usage) -> AsyncIterator[Callable[[Usage], None]]:
        """Count a call, known by its request or by what it will use; yields the function that is told what it used."""
        spent = self.of(stage)
        await self._afford(spent, request)
        calls = sum(each.calls for each in self.stages.values())  # now: others may have been sent during the wait
        if self.settings.max_calls is not None and calls >= self.settings.max_calls:
            raise Stopped(f"llm.max_calls: this run may make {self.settings.max_calls} calls, and has. {GO_ON}")
        spent.calls += 1
        self._in_flight.append(call := (spent, request))
        used: Usage | None = None

        def count(usage: Usage) -> None:
            nonlocal used
            used = usage
            spent.usage += usage

        try:
            yield count
        finally:
            spent.learn(request, used)
            self._in_flight = [each for each in self._in_flight if each is not call]
            if self._ended is not None:
                self._ended.set()
                self._ended = None

    def take(self, stage: str, usage: Usage) -> None:
        """Count a call that a batch has answered."""
        self.of(stage).usage += usage
        self.of(stage).calls += 1

    def room(self, stage: str, requests: Sequence[Request]) -> int:
        """Return how many of the next requests the budget has room for. Raises Stopped where it has for none."""
        calls = sum(each.calls for each in self.stages.values())
        cost = sum(each.cost or 0.0 for each in self.stages.values())
        spent = self.of(stage)
        n_reply = spent.usage.completion_tokens // spent.calls if spent.calls else FIRST_GUESS
        for n, request in enumerate(requests):
            usage = Usage(spent.expected(request).prompt_tokens, 0, n_reply)
            cost += cost_of(usage, self.prices) if self.prices else 0.0
            over = [
                f"{name}: {most} is reached"
                for name, most, now in (
                    ("llm.max_calls", self.settings.max_calls, calls + n + 1),
                    ("llm.max_cost", self.settings.max_cost, cost),
                )
                if most is not None and now > most
            ]
            if over and not n:
                raise Stopped(f"{over[0]} by what a batch would ask. {GO_ON}")
            if over:
                return n
        return len(requests)

    async def _afford(self, spent: Spent, request: Request | Usage) -> None:
        """Wait until the budget has room for a call. Raises Stopped where it never will.

        What calls in flight may cost is looked at anew: a reply that is longer than those before it tells. One goes
        alone where only what such a call has cost before fits. No more than may be in flight are let through, since
        whoever waits may yet be spared.
        """
        most = self.settings.max_cost
        if most is None or spent.prices is None:
            return
        async with self._look.here():
            while True:
                while len(self._in_flight) >= self.settings.concurrency:
                    await self._end_of_a_call()
                expected = cost_of(spent.expected(request), spent.prices)
                may_cost = sum(
                    cost_of(its.expected(call, at_most=True), its.prices)
                    for its, call in (*self._in_flight, (spent, request))
                    if its.prices
                )
                cost = sum(each.cost or 0.0 for each in self.stages.values())
                if cost + may_cost <= most:
                    return
                if cost + expected > most:
                    raise Stopped(
                        f"llm.max_cost: ${cost:.4f} is spent, and the next call (about ${expected:.4f}) would pass"
                        f" ${most}. {GO_ON}"
                    )
                if not self._in_flight:
                    return
                await self._end_of_a_call()

    async def _end_of_a_call(self) -> None:
        self._ended = self._ended or asyncio.Event()
        await self._ended.wait()

    def to_dict(self, stage: str) -> Mapping[str, Any]:
        """Return what a stage spent, as the manifest stores it."""
        return self.of(stage).to_dict()


def cost_of(usage: Usage, prices: Prices) -> float:
    """Return what tokens cost, in US dollars.

    >>> cost_of(Usage(1_000_000, 400_000, 100_000), Prices(input=1.0, output=10.0, cached_input=0.5))
    1.8
    """
    fresh = usage.prompt_tokens - usage.cached_tokens
    cached = prices.input if prices.cached_input is None else prices.cached_input
    return (fresh * prices.input + usage.cached_tokens * cached + usage.completion_tokens * prices.output) / 1e6
