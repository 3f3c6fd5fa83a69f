"""The tables as Arrow data: their schemas, tables made from rows and columns, and what each must hold."""

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.abc import MetaPathFinder
from itertools import islice
from typing import TYPE_CHECKING, Any

from graphrag_lite.errors import TableError
from graphrag_lite.tables.declared import SCHEMA_VERSION, STRUCTURES, TABLES, Key

if TYPE_CHECKING:
    import pyarrow as pa

PART = 4096  # rows that become Arrow data at once
AT_ONCE = 128  # rows that are read as Python's objects at once


@cache
def schema(name: str) -> "pa.Schema":
    """Return the Arrow schema of the table `name`; no column is nullable."""
    import pyarrow as pa

    columns = [pa.field(each.name, _arrow_type(each.type), nullable=False) for each in TABLES[name].columns]
    return pa.schema(columns, metadata={"graphrag_lite.schema": str(SCHEMA_VERSION)})


def _arrow_type(kind: str) -> "pa.DataType":
    import pyarrow as pa

    if kind.startswith("list<"):
        return pa.list_(pa.field("element", _arrow_type(kind[5:-1])))  # as Parquet calls it
    if kind in STRUCTURES:
        return pa.struct([(each.name, _arrow_type(each.type)) for each in STRUCTURES[kind].columns])
    return pa.type_for_alias(kind)


def columns(name: str) -> list[tuple[str, str, str]]:
    """Return (column, Arrow type, what it holds) for every column of a table: the data dictionary."""
    return [(each.name, str(schema(name).field(each.name).type), each.holds) for each in TABLES[name].columns]


def foreign_keys() -> "Iterator[tuple[str, str, Key]]":
    """Yield (table, column, its foreign key) for every column that has one."""
    for name, table in TABLES.items():
        yield from ((name, each.name, each.key) for each in table.columns if each.key)


@cache
def spare_pandas() -> None:
    """Let Arrow ask for pandas, and be told that there is none: it asks once, at the first list that becomes an array.

    To load it takes longer than a small index, and its own `to_pandas` asks again.
    """
    import pyarrow as pa

    class Absent(MetaPathFinder):
        def find_spec(self, name: str, *_: Any) -> None:
            if name == "pandas":
                raise ImportError(name)

    if "pandas" not in sys.modules:
        sys.meta_path.insert(0, absent := Absent())
        try:
            pa.array([0])
        finally:
            sys.meta_path.remove(absent)


def make(name: str, rows: Iterable[Mapping[str, Any] | Sequence[Any]]) -> "pa.Table":
    """Make a table from rows, in their order: mappings, or sequences in column order."""
    spare_pandas()
    each = iter(rows)
    made = [_made(name, list(islice(each, PART)))]
    while part := list(islice(each, PART)):  # as objects all would take ten times as much
        made.append(_made(name, part))
    return _joined(made) if made[1:] else made[0]


def _joined(parts: "list[pa.Table]") -> "pa.Table":
    """Return tables one below the other, in one piece, and empty the list: one column at a time is held twice."""
    import pyarrow as pa

    schema = parts[0].schema
    columns = [pa.chunked_array([chunk for part in parts for chunk in part[name].chunks]) for name in schema.names]
    parts.clear()
    whole = [pa.table({name: columns.pop(0)}).combine_chunks()[name] for name in schema.names]
    return pa.Table.from_arrays(whole, schema=schema)


def _made(name: str, rows: Sequence[Any]) -> "pa.Table":
    import pyarrow as pa

    if not rows or isinstance(rows[0], Mapping):
        return pa.Table.from_pylist(rows, schema=schema(name))
    return make_columns(name, **dict(zip(schema(name).names, zip(*rows, strict=True), strict=True)))


def make_columns(name: str, /, **values: Any) -> "pa.Table":
    """Make a table from one sequence (or Arrow array) per column."""
    import pyarrow as pa

    spare_pandas()
    return pa.Table.from_pydict({n: values[n] for n in schema(name).names}, schema=schema(name))


def rows(data: "pa.Table", *columns: str) -> Iterator[tuple[Any, ...]]:
    """Yield the values of some columns, row by row.

    >>> list(rows(make("failures", [("a.txt", "load_documents", "no text", 1)]), "attempts", "document"))
    [(1, 'a.txt')]
    """
    for start in range(0, data.num_rows, AT_ONCE):
        part = data.slice(start, AT_ONCE)
        yield from zip(*(part[name].to_pylist() for name in columns), strict=True)


def intern_strings(column: "pa.ChunkedArray") -> list[str]:
    """Return the strings of a column, equal ones as one object: of a million names, few are different."""
    if not len(column):
        return []
    encoded = column.combine_chunks().dictionary_encode()
    held = encoded.dictionary.to_pylist()
    return [held[index] for index in encoded.indices.to_pylist()]


def check(name: str, data: "pa.Table") -> None:
    """Raise TableError unless `data` has the table's columns, no nulls, and ids that are unique."""
    if data.schema != schema(name):
        raise TableError(f"{name}: columns differ from the schema: {data.schema} is not {schema(name)}")
    if holes := [column for column in data.column_names if has_nulls(data[column])]:
        raise TableError(f"{name}: empty values in {', '.join(holes)}")
    if "id" in data.column_names:
        check_ids(name, data["id"])


def check_ids(name: str, ids: "pa.ChunkedArray") -> None:
    """Raise TableError unless ids are unique."""
    import pyarrow.compute as pc

    if pc.count_distinct(ids).as_py() != len(ids):
        raise TableError(f"{name}: ids are not unique")


def has_nulls(values: "pa.ChunkedArray") -> bool:
    """Say whether a column, or a list or structure in it, lacks a value."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if values.null_count:
        return True
    if pa.types.is_list(values.type):
        return has_nulls(pc.list_flatten(values))
    if pa.types.is_struct(values.type):
        return any(has_nulls(pc.struct_field(values, field.name)) for field in values.type)
    return False
