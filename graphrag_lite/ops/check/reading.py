"""Columns of a snapshot as arrays: ids become row numbers, lists become pairs of row numbers."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from graphrag_lite import tables
from graphrag_lite.tables.groups import row_indices

Ints = NDArray[np.int64]

NAMES = {  # columns that say what a row is
    "documents": ("path", "source_id"),
    "episodes": ("id",),
    "text_units": ("id",),
    "entities": ("title",),
    "relationships": ("source", "target"),
    "covariates": ("subject_id", "object_id"),
    "communities": ("community", "title"),
    "community_reports": ("community", "title"),
    "entity_mentions": ("name",),
    "relationship_mentions": ("source", "target"),
    "fact_mentions": ("subject", "object"),
    "facts": ("subject", "relation", "object"),
    "entity_resolutions": ("name",),
    "search_terms": ("term",),
    "search_report_terms": ("term",),
    "search_names": ("name",),
    "search_values": ("field", "value"),
}
SMALL_BYTES = 2**20  # a file up to this size is read whole, and once; of a larger one, a column as it is needed


class Missing(Exception):
    """A table that a check reads is not intact; that has been said already."""


class Reading:
    """Reads columns of the intact tables of a snapshot, of which the small ones are held.

    `complete` is false for an index that was taken over. It keeps what another program counted and partitioned, so only
    its references are held to our rules.
    `written` says that a model wrote its reports.
    """

    def __init__(self, folder: Path, intact: Mapping[str, pa.Table | None], *, complete: bool, written: bool) -> None:
        self.folder = folder
        self.intact = intact
        self.complete = complete
        self.written = written
        self._ids: dict[str, pa.Array] = {}
        self._pairs: dict[tuple[str, str, str], tuple[Ints, Ints]] = {}

    def name(self, table: str, row: int) -> str:
        """Say what a row of a table is, in words: its title, path or number."""
        columns = NAMES.get(table, ())
        values = [str(self.column(table, column)[row].as_py()) for column in columns]
        return f"{' – '.join(values)} (row {row})" if values else f"row {row}"

    def column(self, table: str, column: str) -> pa.ChunkedArray:
        """Return a column. Raises Missing."""
        if table not in self.intact:
            raise Missing(table)
        small = self.intact[table]
        return (tables.read(self.folder, table, only=[column]) if small is None else small)[column]

    def numbers(self, table: str, column: str) -> NDArray[Any]:
        """Return a column of numbers, (n_rows,)."""
        return np.asarray(self.column(table, column))

    def texts(self, table: str, column: str) -> list[str]:
        return list(self.column(table, column).to_pylist())

    def not_empty(self, table: str, column: str) -> NDArray[np.bool_]:
        return np.asarray(pc.not_equal(self.column(table, column), ""))

    def n_rows(self, table: str) -> int:
        return len(self.column(table, tables.schema(table).names[0]))

    def rows_of(self, values: pa.ChunkedArray, table: str) -> Ints:
        """Return the row of `table` whose id each value is, -1 where there is none."""
        if table not in self._ids:
            self._ids[table] = self.column(table, "id").combine_chunks()
        return row_indices(values, self._ids[table])

    def refer(self, table: str, column: str, target: str) -> Ints:
        """Return the rows of `target` that a column of ids names, (n_rows,), -1 where there is none."""
        return self.pairs(table, column, target)[1]

    def pairs(self, table: str, column: str, target: str) -> tuple[Ints, Ints]:
        """Return (row, row of `target`) for every id in a column of ids or of lists of ids, in their order."""
        if (table, column, target) not in self._pairs:
            values = self.column(table, column)
            owners = np.arange(len(values), dtype=np.int64)
            if pa.types.is_list(values.type):
                owners, values = flat(values)
            self._pairs[table, column, target] = owners, self.rows_of(values, target)
        return self._pairs[table, column, target]

    def spans(self, table: str, column: str) -> tuple[Ints, Ints, Ints, Ints, Ints]:
        """Return (row, row of text_units, row of documents, start, end) for every span in a column of lists of them."""
        owners, spans = flat(self.column(table, column))
        units = self.rows_of(pc.struct_field(spans, "text_unit_id"), "text_units")
        documents = self.rows_of(pc.struct_field(spans, "document_id"), "documents")
        start, end = (pc.struct_field(spans, name).to_numpy() for name in ("char_start", "char_end"))
        return owners, units, documents, start, end

    def community_rows(self, numbers: NDArray[Any]) -> Ints:
        """Return the rows of `communities` by number, -1 where there is none."""
        own = self.numbers("communities", "community")
        order = np.argsort(own, kind="stable")
        places, there = look_up(own[order], numbers)
        found: Ints = np.where(there, np.append(order, -1)[places], -1)
        return found


def is_small(folder: Path, table: str) -> bool:
    """Say whether a table is soon read, and may be held whole."""
    return tables.path_in(folder, table).stat().st_size <= SMALL_BYTES


def flat(lists: pa.ChunkedArray) -> tuple[Ints, pa.ChunkedArray]:
    """Return the row of every element of a column of lists, and the elements."""
    lengths = pc.list_value_length(lists).to_numpy()
    return np.repeat(np.arange(len(lists), dtype=np.int64), lengths), pc.list_flatten(lists)


def at(values: NDArray[Any], rows: Ints) -> NDArray[Any]:
    """Return the values of some rows, 0 for the row -1."""
    found: NDArray[Any] = np.append(values, 0)[rows]
    return found


def look_up(keys: NDArray[Any], wanted: NDArray[Any]) -> tuple[Ints, NDArray[np.bool_]]:
    """Return the place of each wanted key in ascending `keys`, and whether it is there; else the place is the last.

    >>> [found.tolist() for found in look_up(np.array([2, 5]), np.array([5, 3, 9]))]
    [[1, -1, -1], [True, False, False]]
    """
    places = np.searchsorted(keys, wanted)
    there = np.append(keys, 0)[places] == wanted
    there &= places < len(keys)
    return np.where(there, places, -1), there


def repeated(owners: Ints, values: Ints) -> Ints:
    """Return the owners that have a value twice.

    >>> repeated(np.array([0, 0, 1, 1]), np.array([7, 8, 9, 9])).tolist()
    [1]
    """
    order = np.lexsort((values, owners))
    owners, values = owners[order], values[order]
    same = (owners[1:] == owners[:-1]) & (values[1:] == values[:-1])
    return np.unique(owners[1:][same])


def apart(one: tuple[Ints, Ints], other: tuple[Ints, Ints]) -> tuple[Ints, Ints]:
    """Return the first rows of the pairs that only `one` has, and of those that only `other` has.

    >>> a, b = (np.array([0, 1]), np.array([5, 6])), (np.array([0, 2]), np.array([5, 6]))
    >>> [rows.tolist() for rows in apart(a, b)]
    [[1], [2]]
    """
    width = max([int(values.max(initial=0)) for _, values in (one, other)]) + 1
    here, there = (np.unique(rows * width + values) for rows, values in (one, other))
    more, less = np.setdiff1d(here, there, assume_unique=True), np.setdiff1d(there, here, assume_unique=True)
    return more // width, less // width
