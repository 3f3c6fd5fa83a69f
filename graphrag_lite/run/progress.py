"""A run under way: what it found when it began, what it has done, and which tables it holds."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphrag_lite import tables
from graphrag_lite.run.snapshots import table_digest
from graphrag_lite.run.stamps import Stage
from graphrag_lite.run.workers import Engine
from graphrag_lite.settings import Settings

if TYPE_CHECKING:
    from graphrag_lite.llm.model import Model

LARGE = 32_000_000  # bytes of a table that is read again sooner than it is held for nothing


def columns_of(stage: Stage, name: str) -> list[str]:
    """Return the columns that a stage gets of a table."""
    return list(stage.columns.get(name, tables.schema(name).names))


@dataclass
class Progress:
    """A run under way: what it found when it began, and what it has done up to a stage."""

    stages: Sequence[Stage]
    output: Path
    building: Path
    settings: Settings
    services: Mapping[str, Any]
    inputs: Mapping[str, list[Any]]
    published: tuple[Path, dict[str, Any]] | None
    anew: list[str]  # why nothing of the last index can be taken
    stamps: dict[str, Any]  # records of what this run, and the one that had broken off before it, finished
    digests: dict[str, str]  # of the tables there are
    memory: dict[str, Any] = field(default_factory=dict)  # tables that later stages read
    small: dict[str, Any] = field(default_factory=dict)  # those of them that are known not to be large
    dropped: set[str] = field(default_factory=set)  # large ones, of which a stage reads the columns that it gets
    records: dict[str, dict[str, Any]] = field(default_factory=dict)
    usage: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    ran: list[str] = field(default_factory=list)
    why: list[str] = field(default_factory=list)
    checked: bool = False  # the model can be asked
    unchanged: bool = True
    digest: Callable[[Path], str] = field(default_factory=lambda: cache(table_digest))  # of the last snapshot's files

    def before(self, stage: Stage) -> Any:
        """Return the record of a stage in the last snapshot."""
        return self.published[1]["stages"].get(stage.name) if self.published else None

    def hold(self, made: dict[str, Any], stage: Stage) -> None:
        """Hold what others than this stage, which `made` tables, still read.

        Large ones only for the first of them, and if they have the columns that it gets.
        """
        others = [each for each in self.stages if each.name not in self.records and each is not stage]
        later = {name for each in others for name in each.reads}
        held = {name: table for name, table in (self.memory | made).items() if name in later}
        first = {name for name in tables.STORED_IN if self.only_here(name)}
        for name in set(others[0].reads if others else ()).intersection(held):
            if {*columns_of(others[0], name)} <= {*held[name].column_names}:
                first.add(name)
        self.memory = {name: table for name, table in held.items() if name in first or not self.is_large(name, table)}
        self.dropped |= held.keys() - self.memory.keys()
        self.small = {name: table for name, table in self.small.items() if name in self.memory}

    def is_large(self, name: str, table: Any) -> bool:
        """Tell whether a table that may be held is large, each looked at once: its bytes are counted chunk by chunk."""
        if self.small.get(name) is not table:
            if table.nbytes >= LARGE:
                return True
            self.small[name] = table
        return False

    def only_here(self, name: str) -> bool:
        """Tell whether the texts of a table stand in no file yet."""
        return not self.digests.keys() >= {*tables.STORED_IN.get(name, ())}

    def may_begin(self, engine: Engine | None, stage: Stage) -> bool:
        """Tell whether a stage can wait for workers, or for the model, which knows it then, while others compute."""
        model: Model | None = self.services.get("model")
        may = self.digests.keys() >= set(stage.reads)
        if model is None:
            held = sum(entry["bytes"] for each in self.records.values() for entry in each["tables"].values())
            return may and stage.beside and held < LARGE and engine is not None and engine.started
        if may := may and model.loop is not None and stage.asks:
            model.before_its_turn(stage.name)
        return may
