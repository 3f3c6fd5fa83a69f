"""Wait for a coroutine from code that is not one."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Any, TypeVar, cast

T = TypeVar("T")


def run_coroutine(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end; in a thread of its own where an event loop runs already, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        # Not asyncio.run: it holds the first Ctrl-C back until the coroutine waits, and analysis of text never does.
        with asyncio.Runner() as runner:
            try:
                return runner.get_loop().run_until_complete(work)
            except KeyboardInterrupt:
                # It has struck within some task, which asyncio would report as a bug, with a traceback.
                runner.get_loop().set_exception_handler(lambda *_: None)
                raise
    task: Future[asyncio.Task[Any]] = Future()

    async def working() -> T:
        task.set_result(cast(asyncio.Task[Any], asyncio.current_task()))
        return await work

    with ThreadPoolExecutor(1) as thread:
        done = thread.submit(asyncio.run, working())
        try:
            return done.result()
        except KeyboardInterrupt:
            with suppress(RuntimeError):  # it has ended by now
                task.result().get_loop().call_soon_threadsafe(task.result().cancel)
            raise
