"""An event loop in a thread of its own: requests are sent, and answers kept, while the thread beside it computes."""

import asyncio
import sys
import threading
from collections.abc import Callable, Coroutine, Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any, Generic, TypeVar

T = TypeVar("T")

SWITCH = 0.0005  # seconds that one thread computes while the other one waits; at Python's 0.005 a request takes twenty
PATIENCE = 5  # seconds that what is cancelled may take to end; a model that blocks its loop is not waited for
_before: list[float] = []  # the switch intervals that loops have found; who leaves last puts the first one back


@contextmanager
def own_loop() -> Iterator[asyncio.AbstractEventLoop]:
    """Give a loop that runs until the context is left; what it has not done by then is cancelled."""
    started: Future[asyncio.AbstractEventLoop] = Future()

    def serve() -> None:
        with asyncio.Runner() as runner:
            loop = runner.get_loop()
            loop.set_exception_handler(lambda *_: None)  # whoever waits is told; a run that is stopped waits for none
            started.set_result(loop)
            loop.run_forever()

    thread = threading.Thread(target=serve, name="requests", daemon=True)
    thread.start()
    _before.append(sys.getswitchinterval())
    try:
        sys.setswitchinterval(min(SWITCH, _before[-1]))
        yield started.result()
    finally:
        before = _before.pop()
        if not _before:
            sys.setswitchinterval(before)
        started.result().call_soon_threadsafe(started.result().stop)
        thread.join(PATIENCE)


async def together(work: Iterable[Coroutine[Any, Any, Any]]) -> None:
    """Await all. Raises the first error, once the others are cancelled."""
    try:
        async with asyncio.TaskGroup() as group:
            for each in work:
                group.create_task(each)
                await asyncio.sleep(0)  # it asks before the next one begins, which may compute for long
    except BaseExceptionGroup as errors:
        first: BaseException = errors
        while isinstance(first, BaseExceptionGroup):
            first = first.exceptions[0]
        raise first from None


class OfLoop(Generic[T]):
    """What holds locks, which belong to an event loop: made anew in each."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._loop: asyncio.AbstractEventLoop | None = None

    def here(self) -> T:
        """Return that of the running event loop."""
        if (loop := asyncio.get_running_loop()) is not self._loop:
            self._loop, self._made = loop, self._make()
        return self._made
