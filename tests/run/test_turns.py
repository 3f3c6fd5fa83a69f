"""Stages run in their order; what waits for a model begins early, is told of in its turn, and ends with the run."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from graphrag_lite.run.stamps import Stage
from graphrag_lite.run.turns import stages_in_turn
from graphrag_lite.watch import Silence, Watch

STAGES = [Stage(name, (), ()) for name in ("load", "ask", "count", "report", "publish")]


class Told(Silence):
    def __init__(self) -> None:
        self.said: list[Any] = []

    def start(self, stage: str) -> None:
        self.said.append(stage)

    def advance(self, done: int, total: int) -> None:
        self.said.append((done, total))

    def spend(self, usage: Mapping[str, Any]) -> None:
        self.said.append(usage)


async def run(happened: list[str], watch: Watch, fails: str = "") -> None:
    """`report` may begin once `ask` has ended, and is answered while `count` computes and after it."""
    done: set[str] = set()

    async def bring_up(stage: Stage, watch: Watch) -> dict[str, Any]:
        happened.append(f"> {stage.name}")
        try:
            if stage.name == "report":
                watch.advance(0, 2)
                watch.spend({"calls": 1})
                await asyncio.sleep(0.05)
                watch.advance(1, 2)
            if stage.name == fails:
                raise ValueError(stage.name)
        finally:
            happened.append(f"< {stage.name}")
        done.add(stage.name)
        return {}

    turns = stages_in_turn(STAGES, bring_up, lambda stage: stage.name == "report" and "ask" in done, watch)
    happened += [f"told {stage.name}" async for stage, _, _ in turns]


def test_a_stage_that_waits_begins_before_its_turn_and_is_told_of_in_it() -> None:
    happened: list[str] = []
    watch = Told()
    asyncio.run(run(happened, watch))
    assert happened.index("> report") < happened.index("> count") < happened.index("< report")
    assert [each for each in happened if each[0] == "<"] == [f"< {stage.name}" for stage in STAGES]
    assert watch.said == ["load", "ask", "count", "report", {"calls": 1}, (1, 2), "publish"]


@pytest.mark.parametrize("fails", ["count", "report"])
def test_what_has_begun_ends_with_a_run_that_fails(fails: str) -> None:
    happened: list[str] = []
    with pytest.raises(ValueError, match=fails):
        asyncio.run(run(happened, Told(), fails))
    assert "< report" in happened and "> publish" not in happened
