"""The tables of an index: the rows of one file, each a document with a card of cells, and what their columns hold."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from pathlib import PurePath
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphrag_lite import tables
from graphrag_lite.text.timestamps import column_to_iso

if TYPE_CHECKING:
    from graphrag_lite.retrieval.snapshot_view import SnapshotView

ByField = Mapping[str, Mapping[str, Sequence[int]]]
LEAST_ROWS = 3  # documents of a file that have fields: fewer are no table
MANY_ROWS = 50_000  # of a table whose cells are read for a question
LONGEST_NUMBER = 24  # characters: with more it is an id, and not to be divided exactly
SAMPLE, TRIED = 3, 20  # rows that tell the fields of a table, and values that tell whether a field holds dates
_CELL = re.compile(r"(?m)^([^:\n]+): (.*)$")
_AMOUNT = re.compile(  # as tables write it, with a currency or none
    r"(?:[$€£¥]|[A-Z]{3}(?![-−]))?\s?"
    r"([-−]?(?:(?!0)\d{1,3}(?:,\d{3})+|\d{1,3}(?:\.\d{3})+(?=,)|\d{1,3}(?:[ '’]\d{3})+|\d+))"
    r"(?:[.,](\d+))?\s?(?:[$€£¥%]|[A-Z]{3})?"
)


class Cell(NamedTuple):
    """What the row of a document says of a field, at its characters [start, end). `is_key`: it tells rows apart."""

    field: str
    value: str
    row: int
    start: int
    end: int
    is_key: bool


class TableFile(NamedTuple):
    """A file of which at least `LEAST_ROWS` documents are rows: these, ascending, and the fields of the first ones."""

    path: str
    rows: list[int]
    fields: tuple[str, ...]


@dataclass(frozen=True)
class FileTable:
    """A file's rows in an index. `of_field` are the values that they share: by field, the text units of each."""

    index: "SnapshotView"
    file: TableFile
    of_field: ByField

    @property
    def rows(self) -> list[int]:
        return self.file.rows

    @cached_property
    def _read(self) -> dict[int, list[Cell]]:
        return {}

    def cells(self, row: int) -> list[Cell]:
        """Return the cells of a row, which is read once."""
        if row not in self._read:
            self._read[row] = cells_of(self.index, row)
        return self._read[row]

    @cached_property
    def columns(self) -> dict[str, list[Cell]]:
        """The cells of each field; none of a table with more than `MANY_ROWS` rows."""
        found: dict[str, list[Cell]] = defaultdict(list)
        for row in self.rows if len(self.rows) <= MANY_ROWS else ():
            for one in self.cells(row):
                found[one.field].append(one)
        return found

    @cached_property
    def numbers(self) -> dict[str, list[Decimal]]:
        """The numbers of each field that holds nothing else, in the order of its cells."""
        found = {}
        for field, cells in self.columns.items():
            of_field = [number for one in cells if not one.is_key and (number := amount(one.value)) is not None]
            if len(of_field) == len(cells):
                found[field] = of_field
        return found

    @cached_property
    def days(self) -> dict[str, list[str]]:
        """The dates of each field that holds nothing else, ISO 8601; numbers may be years."""
        found = {}
        for field, cells in self.columns.items():
            if all(iso := _days([one.value for one in cells], self.numbers.get(field))):
                found[field] = iso
        return found

    def named_values(self) -> Iterator[tuple[str, str, int]]:
        """Yield the titles of rows, as the values of no field, and the cells that are no numbers, each with its row."""
        titles = self.index.column("documents", "title").take(self.rows).to_pylist()
        for row, title in zip(self.rows, titles, strict=True):
            yield from (("", name, row) for name in dict.fromkeys((title, *title.partition(": ")[::2])) if name)
        for field, cells in self.columns.items():
            yield from ((field, one.value, one.row) for one in cells if field not in self.numbers)

    @cached_property
    def units_of_row(self) -> dict[int, list[int]]:
        """The text units of each row."""
        found: dict[int, list[int]] = {row: [] for row in self.rows}
        for unit, row in enumerate(self.index.document_row):
            if row in found:
                found[row].append(unit)
        return found

    def units_in(self, rows: Iterable[int]) -> frozenset[int]:
        """Return the text units of some rows."""
        return frozenset(unit for row in rows for unit in self.units_of_row[row])

    def held(self, field: str) -> dict[str, list[int]]:
        """Return the values of a field, each with the text units of the rows that have it."""
        found: dict[str, list[int]] = defaultdict(list)
        for cell in self.columns.get(field, ()):
            found[cell.value] += self.units_of_row[cell.row]
        return found

    def n_having(self, fields: Iterable[str]) -> int:
        """Return how many rows have a value of one of some fields."""
        return len(set[int]().union(*map(self._having, fields)))

    def _having(self, field: str) -> set[int]:
        """Return the rows with a value of a field, by their cells where those that they share are not of all rows."""
        held = self.of_field.get(field, {}).values()
        shared = {self.index.document_row[unit] for units in held for unit in units}
        cells = self.columns.get(field) if len(shared) < len(self.rows) else None
        return {cell.row for cell in cells} if cells else shared or {*self.rows}


def table_files(index: "SnapshotView") -> list[TableFile]:
    """Return the files of an index that are tables, by path."""
    paths = index.column("documents", "path").combine_chunks().dictionary_encode()
    file_of = np.asarray(paths.indices, np.int64)
    large = np.flatnonzero(np.bincount(file_of, minlength=len(paths.dictionary)) >= LEAST_ROWS)
    found = []
    for code in large.tolist():
        rows = np.flatnonzero(file_of == code).tolist()
        fields = dict.fromkeys(one.field for row in rows[:SAMPLE] for one in cells_of(index, row))
        found += [TableFile(paths.dictionary[code].as_py(), rows, tuple(fields))] if fields else []
    return sorted(found)


def name_of(file: TableFile) -> str:
    """Return what a file is called: a table is named for what its rows are."""
    return re.sub(r"_|(?<=[^\W\d])(?=\d)", " ", PurePath(file.path).stem)


def shared_values(index: "SnapshotView", files: Sequence[TableFile]) -> list[ByField]:
    """Return the values that the rows of each file share: by field, the text units of each."""
    table_of = np.full(index.n_rows("documents"), -1, np.int64)
    for position, file in enumerate(files):
        table_of[file.rows] = position
    table_of_unit = table_of[np.asarray(index.document_row, np.int64)]
    found: list[dict[str, dict[str, Sequence[int]]]] = [{} for _ in files]
    for field, value, units in tables.rows(index.arrow("search_values"), "field", "value", "rows"):
        if field != tables.OF_TITLES:
            of = table_of_unit[units]
            for position in np.unique(of[of >= 0]).tolist():
                found[position].setdefault(field, {})[value] = np.asarray(units)[of == position].tolist()
    return [*found]


def tables_of(index: "SnapshotView") -> list[FileTable]:
    """Return the tables of an index, by path."""
    return [FileTable(index, *of) for of in zip(index.table_files, index.table_values, strict=True)]


def _days(values: Sequence[str], numbers: Sequence[Decimal] | None) -> list[str]:
    """Return the dates that the values of a field are, ISO 8601, or some of them empty; of numbers, years."""
    if numbers is not None:
        return [f"{number}" if 1000 <= number < 2200 and number == int(number) else "" for number in numbers]
    distinct = [*dict.fromkeys(values)]
    iso = column_to_iso(distinct) if all(column_to_iso(distinct[:TRIED])) else [""]
    meant = dict(zip(distinct, iso, strict=False))
    return [meant.get(value, "") for value in values]


def cells_of(index: "SnapshotView", row: int) -> list[Cell]:
    """Return the cells of a row; none of a document that is no row of a table."""
    blocks = index.cell("documents", "blocks", row) or ()
    card = next((block for block in blocks if block["kind"] == "card"), None)
    if card is None:
        return []
    keys = {block["label"] for block in blocks if block["kind"] == "key"}
    found = _CELL.finditer(index.document_text(row), card["char_start"], card["char_end"])
    return [Cell(one[1], one[2], row, *one.span(), one[1] in keys) for one in found]


def amount(value: str) -> Decimal | None:
    """Return the number that a cell is, None where it is more or less than one.

    >>> [amount(value) for value in ("1,250.00", "1.250,5", "€ 12", "0,125", "INV-7", "2026-01-02")]
    [Decimal('1250.00'), Decimal('1250.5'), Decimal('12'), Decimal('0.125'), None, None]
    """
    found = _AMOUNT.fullmatch(value.strip())
    if found is None or len(found[1]) > LONGEST_NUMBER:
        return None
    whole = re.sub(r"[^\d-]", "", found[1].replace("−", "-"))
    return Decimal(f"{whole}.{found[2] or ''}")
