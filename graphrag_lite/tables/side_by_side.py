"""A table of two runs side by side: rows of parts that both have are the same, and neither read nor compared."""

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from graphrag_lite import tables
from graphrag_lite.tables import groups, parts

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    Rows = NDArray[np.int64]


def parts_apart(name: str, folder: Path, other: Path | None) -> list[tuple[int, Path]]:
    """Return the parts of a table that its table in another folder has not, and the row that each begins with."""
    there = {_rows_in(file) for _, file in parts.part_files(tables.path_in(other, name))} if other else set()
    return [each for each in parts.part_files(tables.path_in(folder, name)) if _rows_in(each[1]) not in there]


class SideBySide:
    """A table as this run holds it, `now`, and as the snapshot `last` does, in the same columns.

    This run has written it into `building`, unless that is None: then no part is known to be the same.
    Raises TableError where what has to be read is missing or damaged.
    """

    def __init__(self, name: str, now: "pa.Table", last: Path, building: Path | None) -> None:
        self.now = now
        path = tables.path_in(last, name)
        with tables.telling_damage(path):
            files = [file for _, file in parts.part_files(path)]
            mine = parts.part_files(tables.path_in(building, name)) if building else []
            spans = pairwise([*(first for first, _ in mine), now.num_rows])
            span_of = {_rows_in(file): span for (_, file), span in zip(mine, spans, strict=True)} if mine else {}
            self._shared = [span_of.get(_rows_in(file)) for file in files]  # the rows now of each part then
            self._pieces = [
                now.slice(span[0], span[1] - span[0]) if span else tables.read_part(file, now.column_names)
                for file, span in zip(files, self._shared, strict=True)
            ]

    @cached_property
    def then(self) -> "pa.Table":
        return groups.stack(*self._pieces)

    @cached_property
    def apart(self) -> "tuple[pa.Table, pa.Table]":
        """The rows now and then that are in no part that both have."""
        then = (piece for piece, span in zip(self._pieces, self._shared, strict=True) if not span)
        return groups.in_rows(self.now, self._rows[0]), groups.stack(self.now.slice(0, 0), *then)

    def changed(self, by: str, columns: Sequence[str]) -> set[str]:
        """Return the values of column `by` whose rows are not the same, as `groups.changed_keys` does."""
        return groups.changed_keys(*self.apart, by, columns)

    def rows_then(self, columns: Sequence[str]) -> "Rows":
        """Return the row that each row was, by its id, -1 where there was none or one of `columns` was another."""
        (now, then), (apart_now, apart_then) = self.apart, self._rows
        found = groups.row_indices(now["id"], then["id"])
        found[groups.is_in(now, "id", self.changed("id", columns))] = -1
        rows = np.full(self.now.num_rows, -1)
        rows[apart_now] = np.where(found < 0, -1, np.append(apart_then, -1)[found])
        starts = np.cumsum([0, *(piece.num_rows for piece in self._pieces)]).tolist()
        for span, start, end in zip(self._shared, starts, starts[1:], strict=False):
            if span:
                rows[slice(*span)] = np.arange(start, end)
        return rows

    @cached_property
    def _rows(self) -> "tuple[Rows, Rows]":
        """The numbers of the rows that are apart."""
        now = np.ones(self.now.num_rows, bool)
        for span in filter(None, self._shared):
            now[slice(*span)] = False
        then = np.repeat([span is None for span in self._shared], [piece.num_rows for piece in self._pieces])
        return np.flatnonzero(now), np.flatnonzero(then)


def _rows_in(file: Path) -> str:
    """Return what tells the rows in a part from all others: its name, or of a table in one file, which it is."""
    status = file.stat()
    return file.name.partition("-")[2] or f"{status.st_dev} {status.st_ino}"
