"""The tables of a snapshot, each read when first used and kept."""

import os
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphrag_lite import tables
from graphrag_lite.errors import TableError
from graphrag_lite.run import snapshots
from graphrag_lite.tables.row_groups import RowGroups

if TYPE_CHECKING:
    import pyarrow as pa

    from graphrag_lite.tables.segments import Segments

TOGETHER = {"documents": ("title", "language", "path", "source_id"), "text_units": ("id", "char_start")}
"""Columns that nearly every answer asks for."""
INTACT_BYTES = 32_000_000  # of a mapped table: up to here its hash is compared when it is opened, which takes 50 ms


class SnapshotTables:
    """The tables of a snapshot in a folder, which retention leaves alone until this is gone."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.manifest: dict[str, Any] = snapshots.usable_manifest(folder)
        weakref.finalize(self, os.close, snapshots.hold_snapshot(folder))
        self._read: dict[str, pa.Table] = {}
        self._groups: dict[str, RowGroups] = {}
        self._columns: dict[tuple[str, str], pa.ChunkedArray] = {}

    def arrow(self, name: str) -> "pa.Table":
        """Return a table as Arrow, read once. Raises TableError where it is damaged."""
        if name not in self._read:
            self._read[name] = tables.read(self.folder, name)
            if name in tables.MAPPED:
                self._compare(name)
        return self._read[name]

    def column(self, table: str, column: str) -> "pa.ChunkedArray":
        """Return a column of a table, read once, without the others. Raises TableError where it is damaged."""
        if table in self._read or table in tables.MAPPED:
            return self.arrow(table)[column]
        if (table, column) not in self._columns:
            together = TOGETHER.get(table, ())
            self._hold(table, together if column in together else (column,))
        return self._columns[table, column]

    def _hold(self, table: str, names: Sequence[str]) -> None:
        """Read columns together: to open the parts of a table costs more than to read another short column."""
        read = tables.read(self.folder, table, only=[*names])
        self._columns.update({(table, name): read[name] for name in names})

    def columns(self, table: str, names: Sequence[str]) -> "pa.Table":
        """Return some columns of a table, without the others. Raises TableError where it is damaged."""
        import pyarrow as pa

        others = [name for name in names if (table, name) not in self._columns]
        if others and table not in self._read and table not in tables.MAPPED:
            self._hold(table, others)
        return pa.Table.from_arrays([self.column(table, name) for name in names], names=list(names))

    def cell(self, table: str, column: str, row: int) -> Any:
        """Return one value of a table. Of a long column, few others are read. Raises TableError where it is damaged."""
        if table not in self._read and table not in tables.MAPPED and (table, column) not in self._columns:
            if table not in self._groups:
                self._groups[table] = RowGroups(self.folder, table)
            if column in self._groups[table].long:
                return self._groups[table].value(column, row)
        return self.column(table, column)[row].as_py()

    def row_of(self, table: str, value: str, *columns: str) -> int:
        """Return the first row that has a value in a column, or else in the next of them; -1 where none has."""
        import pyarrow.compute as pc

        rows = (int(pc.index(self.column(table, column), value).as_py()) for column in columns)
        return next((row for row in rows if row >= 0), -1)

    def segments(self, name: str) -> "Segments | None":
        """Open a table of postings that is in parts, of which nothing is read yet. Raises TableError."""
        from graphrag_lite.tables.segments import open_segments

        found = open_segments(self.folder, name)
        self._compare(name)
        return found

    def _compare(self, name: str) -> None:
        """Raise TableError where a mapped table that is not large is not what the manifest says."""
        path, entry = tables.path_in(self.folder, name), self.manifest["tables"][name]
        if entry["bytes"] <= INTACT_BYTES and snapshots.table_digest(path) != entry["sha256"]:
            raise TableError(
                f"{path}: this table is damaged (its sha256 is not the manifest's). "
                "Run `graphrag-lite index` to build it again."
            )

    @property
    def reports_are_written(self) -> bool:
        """Whether community reports are a model's own words, not put together of the corpus's sentences."""
        return bool(self.manifest["made"]["reports"] == "written")

    def n_rows(self, name: str) -> int:
        return int(self.manifest["tables"][name]["rows"])
