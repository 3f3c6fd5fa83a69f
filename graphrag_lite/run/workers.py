"""Map a function over items in worker processes that end with the run, however it ends."""

import asyncio
import contextlib
import ctypes
import multiprocessing
import os
import platform
import signal
import threading
from collections import deque
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sized
from concurrent.futures import CancelledError, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, tee
from typing import Any, Protocol, TypeVar

from graphrag_lite.attempts import Fail, outcome
from graphrag_lite.errors import WorkerError
from graphrag_lite.run.turns import InTurn
from graphrag_lite.tables.mapped_table import forget_what_was_looked_at
from graphrag_lite.watch import Watch

T = TypeVar("T")
R = TypeVar("R")
STARTS = 2_000_000  # characters of work that are worth starting processes, a second of CPU each
GOES_OVER = 100_000  # that are worth handing to processes which run already
LARGEST = 250_000  # of a part, unless one item has more: small, so that all end at about the same time
AT_LEAST = 8  # parts for each worker
AHEAD = 4  # parts for each worker that are handed over before the first is done: more only take memory
MANY = 100  # parts: to start processes takes a twentieth of what they have done then
LITTLE = 256_000_000  # bytes of this process, below which none are given back
SMALL = 600_000_000  # bytes of this process at its peak, beside which there is room for them
PROGRESS_REPORTS = 100  # times that a watch is told, at least, how far a stage is


class Engine(Protocol):
    """What carries work out beside this process. `peaks` is the peak memory of each of its workers so far, in bytes."""

    n: int  # parts at once
    peaks: dict[Any, int]

    @property
    def started(self) -> bool:
        """Whether there are workers by now."""

    def each(self, function: Callable[[T], R], parts: Iterable[T], early: Callable[[], bool]) -> Iterator[R]:
        """Map a function over parts, some at a time, in order. Raises WorkerError where a worker is gone for good.

        As long as it is `early` this process computes beside it, and needs a core of its machine.
        """


@dataclass(frozen=True)
class Workers:
    """The service `each`: map a function over items, in their order, by an engine or in this process.

    Where the function raises, the result is None, and `fail` is told the item's `id`, or its place. `once` says that a
    stage has no other work for workers, and much of its own then.
    """

    engine: Engine | None
    watch: Watch
    fail: Fail
    once: bool = False
    broken_off: threading.Event = field(default_factory=threading.Event)

    async def in_thread(self, work: Coroutine[Any, Any, R]) -> R:
        """Wait for work that calls this, in a thread, which ends with the next item where the run is broken off."""
        try:
            return await asyncio.to_thread(asyncio.run, work)
        finally:
            self.broken_off.set()

    def __call__(self, function: Callable[[T], R], items: Iterable[T]) -> Iterator[R | None]:
        total = len(items) if isinstance(items, Sized) else 0
        step = max(1, total // PROGRESS_REPORTS)
        forget_what_was_looked_at()
        given, waiting = tee(items)  # which keeps those that are handed out and not done
        for done, (result, error) in enumerate(self._results(partial(outcome, function), given), start=1):
            item = next(waiting)
            if self.broken_off.is_set():
                raise CancelledError
            if error:
                self.fail(getattr(item, "id", f"item {done}"), error, 1)
            if done % step == 0 or done == total:
                self.watch.advance(done, max(done, total))
            yield result
        if self.once and isinstance(self.engine, Pool):
            self.engine.rest()

    def _results(self, function: Callable[[T], R], items: Iterator[T]) -> Iterator[R]:
        """Map a function, by the engine if the first items are worth it. Few items are there at once."""
        if self.engine is None:
            return map(function, items)
        n_parts = AT_LEAST * self.engine.n
        least = GOES_OVER if self.engine.started else STARTS
        first = next(split_work(items, max(least, n_parts * LARGEST)), [])
        held = sum(map(work_size, first))
        if held < least:
            return map(function, first)
        cut = split_work(chain(first, items), min(LARGEST, held // n_parts))
        return chain.from_iterable(
            _recording_peaks(self.engine, self.engine.each(partial(_done, function), cut, self._early))
        )

    def _early(self) -> bool:
        return isinstance(self.watch, InTurn) and not self.watch.its_turn


def _done(function: Callable[[T], R], part: list[T]) -> tuple[list[R], Any, int]:
    """Return the results of a part, and which worker did it with how much memory at its peak."""
    return list(map(function, part)), (platform.node(), os.getpid()), peak_memory()


def _recording_peaks(engine: Engine, done: Iterable[tuple[list[R], Any, int]]) -> Iterator[list[R]]:
    for results, worker, peak in done:
        engine.peaks[worker] = peak
        yield results


def work_size(item: Any) -> int:
    """Return about how much work an item is: the characters of its texts. A list is of equals: its first one tells.

    >>> work_size("whale"), work_size(("id", ["to", "be"])), work_size(7)
    (5, 6, 1)
    """
    kind = type(item)
    if kind is str:
        return len(item)
    if kind is int or kind is float or kind is bool:
        return 1
    if kind is list:
        return len(item) * work_size(item[0]) if item else 0
    if not isinstance(item, dict | tuple):
        return int(getattr(item, "n_characters", 1))
    total = 0  # by a loop: this is asked of every item
    for one in item.values() if isinstance(item, dict) else item:
        total += len(one) if type(one) is str else work_size(one)
    return total


def split_work(items: Iterable[T], most: int) -> Iterator[list[T]]:
    """Cut items into parts that end with the first one at which they hold `most`.

    >>> list(split_work(["a", "b", "whale", "c", "d", "e"], most=2))
    [['a', 'b'], ['whale'], ['c', 'd'], ['e']]
    """
    part: list[T] = []
    room = most
    for item in items:
        part.append(item)
        room -= work_size(item)
        if room <= 0:
            yield part
            part, room = [], most
    if part:
        yield part


@dataclass
class Pool:
    """The engine of this machine: processes that start when there is work, and end when it is left.

    Each holds a hundred megabytes: those that have done much end when nobody has work for them for long, too.
    """

    n: int
    peaks: dict[Any, int] = field(default_factory=dict)
    _executor: ProcessPoolExecutor | None = None
    _n_parts: int = 0  # that they have been given
    _n_at_work: int = 0  # calls of `each` under way: a stage in a thread is beside others
    _counting: threading.Lock = field(default_factory=threading.Lock)

    def __enter__(self) -> "Pool":
        return self

    def __exit__(self, *raised: object) -> None:
        if self._executor:
            self._executor.shutdown(cancel_futures=True)

    def rest(self) -> None:
        """End processes that have done `MANY` parts beside one that is not `SMALL`; others start with the next work."""
        with self._counting:
            if self._executor and self._n_parts >= MANY and not self._n_at_work and peak_memory() >= SMALL:
                self._executor.shutdown()
                self._executor, self._n_parts = None, 0

    @property
    def started(self) -> bool:
        return self._executor is not None

    def each(self, function: Callable[[T], R], parts: Iterable[T], early: Callable[[], bool]) -> Iterator[R]:
        with self._counting:
            self._n_at_work += 1
            if self._executor is None:
                # Not while interrupts are held: its locks start a process that lets them through.
                context = multiprocessing.get_context("spawn")
                self.peaks.clear()
                self._executor = ProcessPoolExecutor(self.n, context, initializer=_end_with_parent)
        waiting: deque[Future[R]] = deque()
        try:
            for part in parts:
                while len(waiting) >= (max(self.n - 1, 1) if early() else AHEAD * self.n):
                    yield waiting.popleft().result()
                with _interrupts_held():  # a process may start here, and inherits it
                    waiting.append(self._executor.submit(function, part))
                self._n_parts += 1
            while waiting:
                yield waiting.popleft().result()
        except BrokenProcessPool:
            raise WorkerError(
                "A worker process was killed, most likely because memory was short. Nothing was published; finished"
                " stages are kept. Run again with fewer of them: --set workers=1."
            ) from None
        finally:
            with self._counting:
                self._n_at_work -= 1


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


def give_memory_back() -> None:
    """Give what is free back to the system: the C library and Arrow each keep it, and one could not use the other's;
    and what was looked at of mapped tables.

    Not where little is held: what is given back is asked for anew, page after page.
    """
    with contextlib.suppress(OSError), open("/proc/self/statm", "rb") as file:  # noqa: PTH123
        if int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") < LITTLE:
            return
    import pyarrow as pa

    forget_what_was_looked_at()
    pa.default_memory_pool().release_unused()
    with contextlib.suppress(OSError, TypeError, AttributeError):  # glibc's alone
        ctypes.CDLL(None).malloc_trim(0)


def peak_memory() -> int:
    """Return the peak resident memory of this process in bytes; 0 where it is not known."""
    with contextlib.suppress(OSError), open("/proc/self/status", encoding="ascii", errors="replace") as file:  # noqa: PTH123
        # What `getrusage` says of a process begins with the peak of the one that started it.
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM:"))
    with contextlib.suppress(ImportError):
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if platform.system() == "Darwin" else 1024)
    return 0
