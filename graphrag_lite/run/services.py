"""What a run offers its stages, beside tables and settings: workers, failures, the last snapshot."""

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphrag_lite import tables
from graphrag_lite.attempts import Attempt, Fail, unguarded
from graphrag_lite.errors import TableError
from graphrag_lite.run.workers import give_memory_back
from graphrag_lite.tables import groups

if TYPE_CHECKING:
    import pyarrow as pa

    from graphrag_lite.tables.segments import Stored
    from graphrag_lite.tables.side_by_side import SideBySide

__all__ = ["Attempt", "Counts", "Cut", "Each", "Fail", "Last", "Told", "unguarded"]

Each = Callable[[Callable[[Any], Any], Iterable[Any]], Iterator[Any]]
"""The service `each`: map a function over items, in their order, over the run's worker processes.

For an item that the function raises for there is None, and a failure under the item's `id`.
"""


Counts = Callable[[str, Any], None]
"""The service `count`: take down a number, or a list of few, by its name, for the manifest and what a run says."""

Cut = Callable[["pa.Table", "pa.Table"], Callable[[str, int, str], None]]
"""The service `cut`: given documents and episodes, what is told of each new text unit as soon as it is there.

That is its document's id, its first character, and its text. None where nobody waits for it.
"""

Told = Callable[[str, str], None]
"""The service `told`: is told the text of each document that is read, and its date. None where nobody waits for it."""


@dataclass(frozen=True)
class Last:
    """The service `last`: the last snapshot, for a stage that can go on from what it wrote there.

    `changed` are those of `settings`, `code` and `model` (with prompts) of this stage that were others then, `failed`
    what it could not do then. None stands for it where there is no such snapshot, or it is not to be gone on from.
    This run has `written` tables into `building` so far. Of tables that are `intact` parts may be linked;
    no page of a mapped one has a checksum.
    """

    folder: Path
    changed: frozenset[str]
    failed: tuple[str, ...] = ()
    building: Path | None = None
    written: Collection[str] = ()
    intact: Callable[[str], bool] = field(default=lambda _name: True)

    def read(self, *names: str, unless: Collection[str] = (), **only: list[str]) -> "list[pa.Table] | None":
        """Return tables of the snapshot, then those of which `only` some columns; None where one of them is damaged.

        None, too, where one of `unless` was other then, as in `changed`; "failed" among them: where anything failed.
        """
        if self._is_other(unless):
            return None
        try:
            read = [tables.read(self.folder, name, only.get(name)) for name in (*names, *only)]
        except TableError:
            return None
        give_memory_back()  # to read takes as much again as what is read
        return read

    def segments(self, name: str) -> "Stored | None":
        """Return the files of a table of postings, to link some; None where it is in one, or they are not intact."""
        if not self.intact(name):
            return None
        from graphrag_lite.tables.segments import stored_segments

        return stored_segments(self.folder, name)

    def beside(self, *, unless: Collection[str] = (), **now: "pa.Table") -> "list[SideBySide] | None":
        """Return tables beside those of the snapshot, in the columns that they have; None as `read` does."""
        if self._is_other(unless):
            return None
        from graphrag_lite.tables.side_by_side import SideBySide

        written = {name for name in now if tables.STORED_IN.get(name, (name,))[0] in self.written}
        try:
            return [
                SideBySide(name, table, self.folder, self.building if name in written else None)
                for name, table in now.items()
            ]
        except TableError:
            return None

    def _is_other(self, unless: Collection[str]) -> bool:
        return bool(self.changed.intersection(unless) or ("failed" in unless and self.failed))

    def parts(self, name: str, rows: int = 16_384) -> "Iterator[pa.Table]":
        """Yield a table some rows at a time. Raises TableError where it is damaged."""
        import pyarrow as pa

        for part in tables.batches(self.folder, name, tables.schema(name).names, rows=rows):
            yield pa.Table.from_batches([part]).cast(tables.schema(name))

    def rows(self, name: str, by: str, values: Collection[str], *only: str) -> "pa.Table | None":
        """Return `only` some columns of the rows with one of these values in column `by`; None where it is damaged.

        No more of the table is held at once than some rows.
        """
        import pyarrow as pa

        held, among = [tables.schema(name).empty_table().select(only)], pa.chunked_array([values], pa.string())
        try:
            parts = tables.batches(self.folder, name, [*only], by, values) if values else ()
            read = map(pa.Table.from_batches, ([part] for part in parts))
            held.extend(part.filter(pa.array(groups.is_in(part, by, among))) for part in read)  # the rest may go
        except TableError:
            return None
        return pa.concat_tables(held)


@dataclass(frozen=True)
class Columns:
    """A table of the last snapshot, each column read when it is asked for. Raises TableError where it is damaged."""

    last: Last
    name: str

    @property
    def num_rows(self) -> int:
        return tables.stored_shape(self.last.folder, self.name)[1]

    def __getitem__(self, column: str) -> "pa.ChunkedArray":
        return tables.read(self.last.folder, self.name, [column])[column]

    def take(self, rows: Any) -> "pa.Table":
        """Return some rows, in order, in memory of their own."""
        import numpy as np
        import pyarrow as pa

        found, start = [tables.schema(self.name).empty_table()], 0
        for part in self.last.parts(self.name):
            among = np.searchsorted(rows, (start, start + part.num_rows))
            found += [part.take(rows[slice(*among)] - start)] if among[0] < among[1] else []
            start += part.num_rows
        return pa.concat_tables(found)
