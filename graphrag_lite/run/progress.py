"""A run under way: what it found when it began, what it has done, and which tables it holds."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphrag_lite import tables
from graphrag_lite.run.snapshots import table_digest
from graphrag_lite.run.stamps import Stage
from graphrag_lite.run.workers import Engine
from graphrag_lite.settings import Settings
from graphrag_lite.tables.mapped_table import MappedTable, forget_what_was_looked_at
from graphrag_lite.tables.parts import Ranges

if TYPE_CHECKING:
    from graphrag_lite.llm.model import Model

LARGE = 32_000_000  # bytes of tables beside which stages do not compute at once, or of which only columns are read
MOST_HELD = 16_000_000  # bytes of a table that is held in memory between stages


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
    inputs: Mapping[str, Iterable[Any]]
    published: tuple[Path, dict[str, Any]] | None
    anew: list[str]  # why nothing of the last index can be taken
    stamps: dict[str, Any]  # records of what this run, and the one that had broken off before it, finished
    digests: dict[str, str]  # of the tables there are
    memory: dict[str, Any] = field(default_factory=dict)  # tables that later stages read
    mapped: dict[str, MappedTable] = field(default_factory=dict)  # large ones that later stages read
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

    def hold(self, made: Mapping[str, Any], stage: Stage) -> None:
        """Hold what others than this stage, which `made` tables, still read: in memory what is not large.

        Of a large table that has not all of its columns nothing: who reads it next may want others.
        """
        others = (each for each in self.stages if each.name not in self.records and each is not stage)
        later = {name for each in others for name in each.reads}
        self.memory = {name: table for name, table in self.memory.items() if name in later}
        self.mapped = {name: table for name, table in self.mapped.items() if name in later}
        forget_what_was_looked_at()
        for name in later.intersection(made):
            if isinstance(made[name], Ranges):  # read when it is asked for
                continue
            if made[name].nbytes < MOST_HELD:
                self.memory[name] = made[name]
            elif made[name].column_names == tables.schema(name).names:
                try:
                    self.mapped[name] = MappedTable(made[name], self.building)
                except OSError:  # no room, or a file system that maps nothing
                    self.memory[name] = made[name]

    def held(self, name: str, columns: Collection[str]) -> Any:
        """Return a table that is held, None where it is not, or has not these columns."""
        table = self.mapped[name].table if name in self.mapped else self.memory.get(name)
        return table if table is not None and {*columns} <= {*table.column_names} else None

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
