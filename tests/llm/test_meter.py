"""What is spent is counted by stage, and the budget stops a run before the call that would exceed it."""

import asyncio
from typing import Any

import pytest

from graphrag_lite.errors import ModelError, SettingsError
from graphrag_lite.llm.chat import Request, Usage
from graphrag_lite.llm.meter import Meter
from graphrag_lite.settings import Llm, Prices

PRICES = {"stub": Prices(input=1.0, output=10.0, cached_input=0.1)}
ASK = Request(({"role": "user", "content": "x" * 4000},))  # 1004 tokens: $0.001004
USED = Usage(1000, 0, 100)  # $0.002


def meter_of(**settings: Any) -> Meter:
    return Meter(Llm(model="stub", **settings))


async def call(meter: Meter, usage: Usage = USED, takes: float = 0.0, request: Request = ASK) -> None:
    async with meter.call("stage", request) as count:
        await asyncio.sleep(takes)
        count(usage)


def test_calls_hits_tokens_and_cost_are_counted_by_stage() -> None:
    meter = meter_of(prices=PRICES)

    async def main() -> None:
        await call(meter, Usage(1000, 600, 100))
        await call(meter, Usage(1000, 0, 100))
        async with meter.call("other", ASK) as count:
            count(Usage(5, 0, 1))

    asyncio.run(main())
    meter.hit("stage")
    assert meter.to_dict("stage") == {
        "calls": 2,
        "memo_hits": 1,
        "prompt_tokens": 2000,
        "cached_tokens": 600,
        "completion_tokens": 200,
        "cost": pytest.approx((1400 * 1.0 + 600 * 0.1 + 200 * 10) / 1e6),
    }
    assert meter.to_dict("other")["calls"] == 1
    assert meter.to_dict("third") == dict.fromkeys(
        ["calls", "memo_hits", "prompt_tokens", "cached_tokens", "completion_tokens", "cost"], 0
    )


def test_a_model_without_prices_counts_tokens_and_has_no_cost() -> None:
    meter = meter_of(prices={"other": PRICES["stub"]})
    asyncio.run(call(meter))
    assert meter.to_dict("stage")["prompt_tokens"] == 1000
    assert meter.to_dict("stage")["cost"] is None


def test_a_most_cost_without_prices_is_an_error_of_the_settings() -> None:
    with pytest.raises(SettingsError, match=r"llm.prices.*llm.max_calls"):
        meter_of(max_cost=1.0)


def test_calls_stop_before_the_one_too_many() -> None:
    meter = meter_of(max_calls=2)

    async def main() -> None:
        await call(meter)
        async with meter.call("other", ASK):
            with pytest.raises(ModelError, match=r"llm.max_calls.*Every answer is kept"):
                await call(meter)

    asyncio.run(main())
    with pytest.raises(ModelError):
        asyncio.run(call(meter_of(max_calls=0)))


def spent_with(most: float, n: int, concurrent: bool) -> tuple[float, int]:
    meter = meter_of(prices=PRICES, max_cost=most)

    async def main() -> None:
        if concurrent:
            await asyncio.gather(*(call(meter, takes=0.01) for _ in range(n)), return_exceptions=True)
        else:
            for _ in range(n):
                await call(meter)

    if concurrent:
        asyncio.run(main())
    else:
        with pytest.raises(ModelError, match=r"llm.max_cost: \$0.0\d+ is spent, and the next call \(about"):
            asyncio.run(main())
    spent = meter.to_dict("stage")
    return spent["cost"], spent["calls"]


def test_cost_stops_before_the_call_that_would_pass_it() -> None:
    cost, calls = spent_with(0.0205, 100, concurrent=False)
    assert cost == pytest.approx(0.02) and calls == 10


def test_calls_in_flight_count_and_where_they_are_all_that_is_too_much_others_wait_for_them() -> None:
    cost, calls = spent_with(0.0205, 100, concurrent=True)
    assert cost <= 0.0205
    assert calls == 10, "what is left is used"


def test_a_call_that_fails_takes_nothing_from_the_budget() -> None:
    meter = meter_of(prices=PRICES, max_cost=0.01)

    async def main() -> None:
        for _ in range(50):
            with pytest.raises(ValueError, match="no"):
                async with meter.call("stage", ASK):
                    raise ValueError("no")

    asyncio.run(main())
    assert meter.to_dict("stage")["cost"] == 0
