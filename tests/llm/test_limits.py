"""Limits hold, in order, without a busy wait."""

import asyncio
import datetime
import json
import time
from email.utils import format_datetime

import pytest

from graphrag_lite.llm import limits
from graphrag_lite.llm.limits import TURN, Limits, pause_before_next, retry_after, seconds


@pytest.fixture
def short_minute(monkeypatch: pytest.MonkeyPatch) -> float:
    monkeypatch.setattr(limits, "WINDOW", 0.4)
    return 0.4


def starts(limit: Limits, sizes: list[int], takes: float = 0.0, real: int | None = None) -> list[float]:
    """Return when each request began, in seconds."""

    async def main() -> list[float]:
        begun: dict[int, float] = {}
        zero = time.monotonic()

        async def one(i: int) -> None:
            async with limit.slot(sizes[i]) as slot:
                begun[i] = time.monotonic() - zero
                await asyncio.sleep(takes)
                if real is not None:
                    limit.correct(slot, real)

        await asyncio.gather(*(one(i) for i in range(len(sizes))))
        assert list(begun) == sorted(begun), "out of order"
        return [begun[i] for i in range(len(sizes))]

    return asyncio.run(main())


def most_within(times: list[float], window: float) -> int:
    return max(sum(start <= other < start + window for other in times) for start in times)


def test_requests_per_minute_hold_in_every_window(short_minute: float) -> None:
    begun = starts(Limits(50, requests_per_minute=5), [1] * 17)
    assert most_within(begun, short_minute * 0.99) == 5
    assert begun[16] == pytest.approx(3 * short_minute, abs=0.15)  # and none of it is wasted


def test_tokens_per_minute_hold_and_a_larger_request_goes_alone(short_minute: float) -> None:
    begun = starts(Limits(50, tokens_per_minute=100), [60, 40, 60, 500, 10])
    assert begun[1] < 0.1
    assert short_minute <= begun[2] < 2 * short_minute
    assert begun[3] >= begun[2] + short_minute
    assert begun[4] >= begun[3] + short_minute


def test_real_usage_takes_the_place_of_the_estimate(short_minute: float) -> None:
    assert starts(Limits(1, tokens_per_minute=100), [60] * 5, takes=0.01, real=10)[4] < short_minute
    assert starts(Limits(1, tokens_per_minute=100), [10] * 3, takes=0.01, real=95)[2] >= short_minute


def test_no_more_are_in_flight_than_concurrency_allows() -> None:
    begun = starts(Limits(3), [1] * 9, takes=0.1)
    assert most_within(begun, 0.09) == 3


def test_waiting_costs_no_processor_time(short_minute: float) -> None:
    """The reference's limiter polled: tokens per minute at 100% of a core."""
    started = time.process_time()
    starts(Limits(100, requests_per_minute=50, tokens_per_minute=1000), [100] * 50)
    assert time.process_time() - started < 0.1  # of about 2 s


def test_a_pause_holds_everybody_back() -> None:
    limit = Limits(10)
    assert limit.pause(0.3) == pytest.approx(0.3, abs=0.05)
    assert limit.pause(0.1) == 0
    begun = starts(limit, [1] * 5)
    assert begun[0] >= 0.25 and begun[4] < 0.5


def test_retry_after_is_read_in_all_its_forms() -> None:
    when = datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=30)
    assert retry_after({"retry-after": format_datetime(when, usegmt=True)}) == pytest.approx(30, abs=2)
    assert retry_after({"retry-after": "3"}) == 3
    assert retry_after({"retry-after": "9", "retry-after-ms": "1500"}) == 1.5
    for nonsense in ("soon", "nan", "inf", "", "Wed, 99 Nov 2025"):
        assert retry_after({"retry-after": nonsense}) is None
    assert retry_after({"retry-after": "-5"}) == 0
    openrouters = {
        "error": {"code": 429, "metadata": {"headers": {"X-RateLimit-Reset": str(int(when.timestamp()) * 1000)}}}
    }
    assert retry_after({}, json.dumps(openrouters)) == pytest.approx(30, abs=2)
    assert retry_after({"x-ratelimit-reset": str(int(when.timestamp()) * 1000)}) == pytest.approx(30, abs=2)
    assert retry_after({"x-ratelimit-reset": "1700000000"}) is None  # seconds, of other providers
    assert retry_after({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}) == 0
    theirs = {"date": "Wed, 21 Oct 2015 07:28:00 GMT"}  # by their own clock, in any form that HTTP has had
    for stated in ("Wed, 21 Oct 2015 07:28:07", "Wed Oct 21 07:28:07 2015", "Wed, 21 Oct 2015 17:28:07 +1000"):
        assert retry_after({"retry-after": stated, **theirs}) == 7


def test_rate_limit_headers_tell_when_there_is_room() -> None:
    headers = {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "6s"}
    assert pause_before_next(headers, 1) == 6
    assert pause_before_next(headers | {"x-ratelimit-limit-requests": "60"}, 1) == pytest.approx(0.1)
    assert pause_before_next({"x-ratelimit-remaining-tokens": "99", "x-ratelimit-reset-tokens": "1s"}, 10) == 0
    assert pause_before_next({"x-ratelimit-remaining-tokens": "many"}, 10) == 0
    assert pause_before_next({}, 10) == 0
    assert seconds("1h2m3s") == 3723
    assert seconds("1m" * 100_000 + "x") is None


def test_of_a_later_stage_goes_who_no_other_waits_before_and_no_place_is_lost_with_who_gives_up() -> None:
    limit = Limits(1)
    went: list[str] = []
    tasks: dict[str, asyncio.Task[None]] = {}

    async def one(name: str) -> None:
        TURN.set(name.startswith("later"))
        async with limit.slot(1):
            went.append(name)
            await asyncio.sleep(0.001)
        if name == "first":
            tasks["b"].cancel()  # which has its place by now, and does not know it yet

    async def main() -> None:
        nonlocal tasks
        tasks = {name: asyncio.create_task(one(name)) for name in ("first", "later 1", "later 2", "a", "b", "c")}
        await asyncio.sleep(0)
        tasks["a"].cancel()
        await asyncio.gather(*tasks.values(), return_exceptions=True)
        await asyncio.wait_for(one("last"), 1)

    asyncio.run(main())
    assert went == ["first", "c", "later 1", "later 2", "last"]
