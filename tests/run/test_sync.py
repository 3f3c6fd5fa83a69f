"""Waiting for a coroutine: a Ctrl-C ends it without a word of asyncio's."""

import asyncio
import gc

import pytest

from graphrag_lite.run.sync import run_coroutine


def test_a_ctrl_c_that_strikes_within_a_task_leaves_no_traceback(caplog: pytest.LogCaptureFixture) -> None:
    async def struck() -> None:
        raise KeyboardInterrupt

    async def work(grouped: bool) -> None:
        if not grouped:
            loose = asyncio.create_task(struck())
            await asyncio.sleep(9)
            await loose
        async with asyncio.TaskGroup() as group:
            group.create_task(asyncio.sleep(9))
            group.create_task(struck())

    for grouped in (True, False):
        with pytest.raises(KeyboardInterrupt):
            run_coroutine(work(grouped))
        gc.collect()
    assert not caplog.records
