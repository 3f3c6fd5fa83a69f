"""Who is told how a run goes: the command line shows it, others need not know."""

from collections.abc import Mapping
from typing import Any, Protocol


class Watch(Protocol):
    """Is told when a stage starts, how far it is, and what has come of it.

    Where a model is asked, `advance` and `spend` come from the thread that asks it.
    """

    def start(self, stage: str) -> None: ...
    def advance(self, done: int, total: int) -> None: ...
    def finish(self, stage: str, seconds: float, rows: Mapping[str, int], reused: bool) -> None: ...
    def spend(self, usage: Mapping[str, Any]) -> None:
        """Is told, with every advance of a stage that asks a model, what the stage has spent (`Meter.to_dict`)."""


class Silence:
    """A watch that tells nobody."""

    def start(self, stage: str) -> None: ...
    def advance(self, done: int, total: int) -> None: ...
    def finish(self, stage: str, seconds: float, rows: Mapping[str, int], reused: bool) -> None: ...
    def spend(self, usage: Mapping[str, Any]) -> None: ...
