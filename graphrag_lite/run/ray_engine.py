"""The engine of a Ray cluster (the extra `ray`): each part is a task, on whichever machine of it has room.

A task whose worker or machine dies is done again by Ray elsewhere; what a machine's object store cannot hold, it puts
on disk; a machine that joins gets tasks. What a task returns depends on its part alone, so all of this changes no byte.
"""

import importlib.util
import os
import platform
import signal
import socket
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar

from graphrag_lite.distribution import install_hint
from graphrag_lite.errors import SettingsError, WorkerError
from graphrag_lite.run import stamps, workers

T = TypeVar("T")
R = TypeVar("R")
PATIENCE = 10  # seconds that the head of a cluster may take to answer


@dataclass
class RayEngine:
    """A cluster, joined or else started with `n` cores on this machine when there is work, and left at the end."""

    address: str | None
    n: int
    peaks: dict[Any, int] = field(default_factory=dict)
    started: bool = False
    _own: bool = False  # who has called `ray.init` before keeps it

    def __enter__(self) -> "RayEngine":
        if importlib.util.find_spec("ray") is None:
            raise SettingsError(f"engine: ray needs {install_hint('ray')}")
        return self

    def __exit__(self, *raised: object) -> None:
        if self._own:
            import ray

            ray.shutdown()

    def each(self, function: Callable[[T], R], parts: Iterable[T], *_: object) -> Iterator[R]:
        self._start()
        import ray

        task, shared, own = ray.remote(_work), ray.put(function), _code()
        waiting: deque[Any] = deque()
        for part in parts:
            waiting.append(task.remote(shared, part, own))
            if len(waiting) > workers.AHEAD * ray.cluster_resources().get("CPU", 1):
                yield _result(waiting.popleft())
        while waiting:
            yield _result(waiting.popleft())

    def _start(self) -> None:
        import ray

        if not ray.is_initialized():
            os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is told to anybody
            here: dict[str, Any] = {"num_cpus": self.n, "include_dashboard": False, "_node_ip_address": "127.0.0.1"}
            handler = signal.getsignal(signal.SIGTERM)
            try:
                host, _, port = (self.address or "").rpartition(":")
                if port.isdecimal():  # Ray would try for minutes
                    socket.create_connection((host, int(port)), timeout=PATIENCE).close()
                ray.init(
                    self.address or "local",
                    log_to_driver=False,
                    logging_level="ERROR",
                    **({} if self.address else here),
                )
            except (OSError, RuntimeError, ValueError) as error:
                message = " ".join(str(error).split())
                raise SettingsError(f"ray_address: {self.address} cannot be joined: {message}") from None
            finally:
                if threading.current_thread() is threading.main_thread():
                    signal.signal(signal.SIGTERM, handler)  # in the place of Ray's own
            self._own = True
            ray._private.worker._worker_logs_enabled = False  # on standard output, beside what --json prints
        self.started = True


def _work(function: Callable[[T], R], part: T, own: str) -> R:
    if _code() != own:
        raise WorkerError(
            f"{platform.node()} has another version of graphrag-lite, or of a library that it reads texts with."
            " Install there what is installed here."
        )
    return function(part)


def _code() -> str:
    """Return a hash of what an index is made with: what another version of it makes is another index."""
    return stamps.code_hash("graphrag_lite.pipeline")


def _result(task: Any) -> Any:
    import ray

    try:
        return ray.get(task)
    except ray.exceptions.RayTaskError as error:
        raise error.cause from None
    except ray.exceptions.RayError as error:
        message = " ".join(str(error).split())
        raise WorkerError(
            f"Ray gave up a part of the work, most likely because memory was short: {message} Nothing was published;"
            " finished stages are kept."
        ) from None
