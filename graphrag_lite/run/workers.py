"""Map a function over items in worker processes that end with their stage, and with the run, however it ends."""

import contextlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from graphrag_lite.attempts import Fail, outcome
from graphrag_lite.errors import WorkerError
from graphrag_lite.watch import Watch

T = TypeVar("T")
R = TypeVar("R")
MIN_PARALLEL_ITEMS = 10_000  # about 5 MB of text; below, starting processes costs more than it saves
TOLD = 100  # times that a watch is told, at least, how far a stage is


@dataclass(frozen=True)
class Workers:
    """The service `each`: map a function over items, in their order, over worker processes that end with the stage.

    Where the function raises, the result is None, and `fail` is told the item's `id`, or its place.
    """

    n: int
    watch: Watch
    pools: contextlib.ExitStack
    fail: Fail

    def __call__(self, function: Callable[[T], R], items: Iterable[T]) -> Iterator[R | None]:
        listed = list(items)
        step = max(1, len(listed) // TOLD)
        try:
            for done, (result, error) in enumerate(self._results(partial(outcome, function), listed), start=1):
                if error:
                    self.fail(getattr(listed[done - 1], "id", f"item {done}"), error, 1)
                if done % step == 0 or done == len(listed):
                    self.watch.advance(done, len(listed))
                yield result
        except BrokenProcessPool:
            raise WorkerError(
                "A worker process was killed, most likely because memory was short. Nothing was published; finished"
                " stages are kept. Run again with fewer of them: --set workers=1."
            ) from None

    def _results(self, function: Callable[[T], R], items: list[T]) -> Iterator[R]:
        if self.n == 1 or len(items) < MIN_PARALLEL_ITEMS:
            return map(function, items)
        context = multiprocessing.get_context("spawn")
        executor = ProcessPoolExecutor(self.n, context, initializer=_end_with_parent)
        self.pools.callback(executor.shutdown, cancel_futures=True)
        with _interrupts_held():  # the processes start here, and inherit it
            return executor.map(function, items, chunksize=128)


@contextlib.contextmanager
def _interrupts_held() -> Iterator[None]:
    """Hold Ctrl-C and SIGTERM back: a process whose start breaks off half-way ends with a traceback of its own.

    Processes started meanwhile inherit that both are blocked, until they have left the parent's process group.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    held: list[int] = []
    handlers = {}
    if threading.current_thread() is threading.main_thread():
        # Blocking is not enough: a thread of Arrow's may take the signal, and Python then tells the main thread.
        for number in (signal.SIGINT, signal.SIGTERM):
            handlers[number] = signal.signal(number, lambda number, _: held.append(number))
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        for number, handler in handlers.items():
            signal.signal(number, handler or signal.SIG_DFL)
        for late in held[:1]:
            signal.raise_signal(late)


def _end_with_parent() -> None:
    """Leave Ctrl-C, and a SIGTERM to the whole process group, to the parent; do not outlive it, however it ends.

    Where a worker dies while the parent cancels its work, `ProcessPoolExecutor` of Python 3.11 waits for ever.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "setpgrp"):
        os.setpgrp()
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # forget the one that came before
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    parent = multiprocessing.parent_process()

    def wait() -> None:
        if parent:
            parent.join()
            os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def default_workers() -> int:
    """Return how many processes this machine can run at once."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
