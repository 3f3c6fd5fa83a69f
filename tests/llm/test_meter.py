"""What is spent is counted by stage, and the budget stops a run before the call that would exceed it."""

import asyncio
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag_lite.errors import ModelError, SettingsError
from graphrag_lite.llm.chat import Request, Usage
from graphrag_lite.llm.meter import Meter, cost_of
from graphrag_lite.settings.models import Llm, Prices

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


def test_weights_at_a_path_of_this_machine_cost_nothing_but_what_is_stated(tmp_path: Path) -> None:
    costs = [
        Meter(Llm(model=model, prices={"priced/one": Prices(input=7.0)})).prices
        for model in (str(tmp_path), "priced/one", "vendor/model", None)
    ]
    assert costs == [Prices(input=0.0), Prices(input=7.0), None, None]
    Meter(Llm(model=str(tmp_path), max_cost=1.0))


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


def test_calls_that_waited_for_money_are_no_more_than_may_be_made() -> None:
    meter = meter_of(prices=PRICES, max_cost=1.0, max_calls=5)

    async def main() -> None:
        await asyncio.gather(*(call(meter, takes=0.001) for _ in range(60)), return_exceptions=True)

    asyncio.run(main())
    assert meter.to_dict("stage")["calls"] == 5


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


@settings(deadline=None, max_examples=30)
@given(
    replies=st.lists(st.integers(1, 3000), min_size=5, max_size=60),
    most=st.floats(0.005, 0.2),
    dense=st.floats(0.5, 2.0),
)
def test_the_budget_is_passed_by_no_more_than_replies_longer_than_any_before(
    replies: list[int], most: float, dense: float
) -> None:
    meter = meter_of(prices=PRICES, max_cost=most)
    known: list[float] = []  # what a call of this kind has cost, so far
    surprise = [0.0]

    async def one(n_reply: int) -> None:
        async with meter.call("stage", ASK) as count:
            at_start = max(known, default=0.0)
            await asyncio.sleep(0)
            used = Usage(int(1004 * dense), 0, n_reply)
            cost = cost_of(used, PRICES["stub"])
            surprise[0] += max(0.0, cost - at_start)
            known.append(cost)
            count(used)

    async def main() -> None:
        await asyncio.gather(*map(one, replies), return_exceptions=True)

    asyncio.run(main())
    assert meter.of("stage").cost <= most + surprise[0] + 1e-9


def test_once_a_reply_is_longer_than_those_before_nothing_goes_that_only_waited() -> None:
    """39 calls that short replies had made room for were sent, 25 at once, while the long ones came: $.148 for $.10."""
    meter = meter_of(prices=PRICES, max_cost=0.1, concurrency=2)
    replies = iter([Usage(1000, 0, 100), *[Usage(1000, 0, 4000)] * 40])  # $.002, then $.041

    async def main() -> None:
        await asyncio.gather(*(call(meter, next(replies), takes=0.001) for _ in range(41)), return_exceptions=True)

    asyncio.run(main())
    assert meter.of("stage").calls == 3 and meter.of("stage").cost <= 0.1


def test_of_a_kind_of_call_one_tells_what_it_costs_before_others_go() -> None:
    """25 at once that are taken for short, and are long, had passed a budget of $.10 by $.03."""
    meter = meter_of(prices=PRICES, max_cost=0.1)
    long = Usage(1000, 0, 2500)  # $.026, where a reply of 800 tokens is guessed

    async def main() -> None:
        await asyncio.gather(*(call(meter, long, takes=0.001) for _ in range(25)), return_exceptions=True)

    asyncio.run(main())
    assert meter.to_dict("stage")["cost"] == pytest.approx(0.078)


def test_a_call_that_fails_takes_nothing_from_the_budget() -> None:
    meter = meter_of(prices=PRICES, max_cost=0.01)

    async def main() -> None:
        for _ in range(50):
            with pytest.raises(ValueError, match="no"):
                async with meter.call("stage", ASK):
                    raise ValueError("no")

    asyncio.run(main())
    assert meter.to_dict("stage")["cost"] == 0


@pytest.mark.parametrize(("bound", "most"), [({}, 0.033), ({"max_tokens": 8000}, 0.03)])
@pytest.mark.parametrize("seed", range(3))
def test_few_replies_do_not_tell_that_all_are_short(seed: int, bound: dict[str, int], most: float) -> None:
    """Of 400 replies one in thirty was twenty times as long as the first: $.0459 for $.03."""
    prices = {"stub": Prices(input=0.15, output=0.6)}
    meter = Meter(Llm(model="stub", prices=prices, max_cost=0.03, parameters=bound))
    rng = random.Random(seed)
    replies = [Usage(2500, 0, 8000 if rng.random() < 0.03 else 400) for _ in range(400)]

    async def main() -> None:
        await asyncio.gather(*(call(meter, used, takes=0.001) for used in replies), return_exceptions=True)

    asyncio.run(main())
    assert 0.02 < meter.of("stage").cost <= most


def test_replies_that_all_grow_long_pass_the_budget_by_one_of_them() -> None:
    """25 that were taken for as short as the 150 before them: $.334 for $.10."""
    prices = {"stub": Prices(input=0.15, output=0.6)}
    meter = Meter(Llm(model="stub", prices=prices, max_cost=0.1))
    replies = iter([Usage(2000, 0, 400)] * 150 + [Usage(2000, 0, 16_384)] * 250)

    async def one() -> None:
        async with meter.call("stage", Request(({"role": "user", "content": "x" * 8000},))) as count:
            used = next(replies)
            for _ in range(used.completion_tokens // 200):  # a long one takes longer
                await asyncio.sleep(0)
            count(used)

    async def main() -> None:
        await asyncio.gather(*(one() for _ in range(400)), return_exceptions=True)

    asyncio.run(main())
    assert meter.of("stage").calls > 150 and meter.of("stage").cost <= 0.1 + 16_384 * 0.6e-6


def most_at_once(meter: Meter, request: Request, n_known: int, n_reply: int) -> int:
    """Return how many of 25 calls go at once, where so many replies of so many tokens have come."""
    at_once = 0

    async def main() -> None:
        nonlocal at_once
        for _ in range(n_known):
            await call(meter, Usage(1, 0, n_reply), request=request)
        waiting = [asyncio.create_task(call(meter, Usage(1, 0, n_reply), 9, request)) for _ in range(25)]
        await asyncio.sleep(0.02)
        at_once = meter.of("stage").calls - n_known
        for task in waiting:
            task.cancel()

    asyncio.run(main())
    return at_once


@pytest.mark.parametrize(
    ("bound", "words", "n_known", "n_reply", "at_once"),
    [
        (0, False, 0, 400, 6),  # of 16,384 tokens, for 100,000
        (0, False, 200, 400, 6),  # however short those before were
        (0, False, 1, 9_000, 5),  # of 18,000
        (8_000, False, 1, 400, 12),
        (8_000, True, 0, 1, 12),  # who thinks first says as much as all
        (8_000, True, 1, 1, 25),  # of one
    ],
)
def test_a_call_counts_with_what_it_may_say(bound: int, words: bool, n_known: int, n_reply: int, at_once: int) -> None:
    prices = {"stub": Prices(input=0.0, output=10.0)}
    parameters = {"max_tokens": bound} if bound else {}
    spent = n_known * n_reply * 1e-5
    meter = Meter(Llm(model="stub", prices=prices, max_cost=1.0 + spent, parameters=parameters))
    asked = Request(ASK.messages, choices=("Yes", "No") if words else ())
    assert most_at_once(meter, asked, n_known, n_reply) == at_once


def test_a_batch_counts_its_replies_as_those_that_have_come_or_as_most_stages_have_them() -> None:
    meter = meter_of(prices=PRICES, max_cost=0.1)
    assert meter.room("stage", [ASK] * 50) == 11  # at 800 tokens, $.009
    meter.take("stage", Usage(1000, 0, 2000))  # $.021
    assert meter.room("stage", [ASK] * 50) == 3
