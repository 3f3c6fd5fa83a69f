"""The loop in which a run asks its model: left, it leaves the process as it was, whatever was under way."""

import asyncio
import sys
import threading

import pytest

from graphrag_lite.llm import own_loop


def test_of_two_loops_that_overlap_the_last_puts_the_switch_interval_back() -> None:
    before = sys.getswitchinterval()
    one, other = own_loop.own_loop(), own_loop.own_loop()
    one.__enter__()
    other.__enter__()
    one.__exit__(None, None, None)
    assert sys.getswitchinterval() == pytest.approx(own_loop.SWITCH)
    other.__exit__(None, None, None)
    assert sys.getswitchinterval() == pytest.approx(before)


def test_a_model_that_blocks_its_loop_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_loop, "PATIENCE", 0.05)
    under_way, ends = threading.Event(), threading.Event()

    async def blocks() -> None:
        under_way.set()
        ends.wait(20)

    with own_loop.own_loop() as loop:
        asyncio.run_coroutine_threadsafe(blocks(), loop)
        under_way.wait(20)
    thread = next(each for each in threading.enumerate() if each.name == "requests")
    assert not ends.is_set() and thread.is_alive()
    ends.set()
    thread.join(20)
    assert not thread.is_alive()


def test_of_several_the_first_goes_on_before_the_last_begins() -> None:
    """142 reports were all put together before the first was asked for, .35 s later."""
    done: list[str] = []

    async def one(number: int) -> None:
        done.append(f"computes {number}")
        await asyncio.sleep(0)
        done.append(f"asks {number}")

    asyncio.run(own_loop.together(one(number) for number in range(9)))
    assert done.index("asks 0") < done.index("computes 2")
