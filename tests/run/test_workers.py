"""What workers are given is made as it is handed out."""

import asyncio
import multiprocessing
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest

from graphrag_lite import attempts
from graphrag_lite.run import workers
from graphrag_lite.watch import Silence


class Here:
    """An engine that does one part after the other, when its result is asked for."""

    n, started = 1, True

    def __init__(self) -> None:
        self.peaks: dict[Any, int] = {}

    def each(self, function: Callable[[Any], Any], parts: Iterable[Any], *_: object) -> Iterator[Any]:
        return map(function, parts)


@pytest.mark.parametrize("engine", [None, Here()])
def test_few_items_are_there_at_once(engine: Here | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "LARGEST", 20)
    monkeypatch.setattr(workers, "GOES_OVER", 1)
    made = 0

    def items() -> Iterator[str]:
        nonlocal made
        for number in range(1000):
            made += 1
            yield f"{number:010}"

    found = workers.Workers(engine, Silence(), attempts.ignore)(int, items())
    assert next(found) == 0
    assert made <= workers.AT_LEAST * 2 + 2  # what tells whether there is enough to do
    assert list(found) == list(range(1, 1000))


def test_workers_that_have_done_much_end_before_a_stage_goes_on_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "STARTS", 1)
    with workers.Pool(1) as pool:
        first, again = (workers.Workers(pool, Silence(), attempts.ignore, once=once) for once in (True, False))
        assert list(first(abs, [-1, 2])) == [1, 2]
        assert multiprocessing.active_children()  # to start anew would take longer than they have worked
        monkeypatch.setattr(workers, "MANY", 1)
        monkeypatch.setattr(workers, "SMALL", 1 << 62)
        assert list(first(abs, [-1, 2])) == [1, 2] and multiprocessing.active_children(), "there is room for them"
        monkeypatch.setattr(workers, "SMALL", 1)
        assert list(first(abs, [-1, 2])) == [1, 2] and not multiprocessing.active_children()
        assert list(again(abs, [-3])) == [3] and len(pool.peaks) == 1


def test_what_is_done_in_a_thread_goes_on_beside_the_rest_and_ends_with_the_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(workers, "STARTS", 1)
    monkeypatch.setattr(workers, "GOES_OVER", 1)
    monkeypatch.setattr(workers, "MANY", 1)
    monkeypatch.setattr(workers, "SMALL", 1)
    begun, done = threading.Event(), []

    async def run(pool: workers.Pool) -> None:
        each = workers.Workers(pool, Silence(), attempts.ignore)

        async def stage() -> None:
            for one in each(abs, range(0, -100_000, -1)):
                done.append(one)
                begun.set()

        task = asyncio.create_task(each.in_thread(stage()))
        await asyncio.sleep(0)
        assert begun.wait(60)  # which lets no other task run
        assert list(workers.Workers(pool, Silence(), attempts.ignore, once=True)(abs, [-3])) == [3]
        assert pool.started, "the stage in the thread is not done with them"
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    with workers.Pool(1) as pool:
        asyncio.run(run(pool))
    assert done[:3] == [0, 1, 2] and len(done) < 100_000
