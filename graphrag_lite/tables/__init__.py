"""The tables as Arrow data and as files of a snapshot: schemas, writing, reading. `declared` has what they hold."""

import hashlib
import os
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.abc import MetaPathFinder
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphrag_lite.errors import TableError
from graphrag_lite.tables.declared import (
    BLOCKS,
    FINAL,
    MAPPED,
    OF_TITLES,
    OPTIONAL,
    SCHEMA_VERSION,
    STORED_IN,
    STRUCTURES,
    TABLES,
    WORKING,
    Key,
)

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["BLOCKS", "FINAL", "MAPPED", "OF_TITLES", "OPTIONAL", "SCHEMA_VERSION", "STORED_IN", "TABLES", "WORKING"]
__all__ += ["Key"]

PART = 4096  # rows that become Arrow data at once
AT_ONCE = 128  # rows that are read as Python's objects at once
AGAIN = "Run `graphrag-lite index` to build it again."
ENDINGS = (".parquet", ".arrow")
PARQUET: dict[str, Any] = {"compression": "zstd", "write_page_checksum": True}
GROUP_ROWS = 131_072
OF_TEXTS = ("documents", "text_units")  # their row groups are small, so that few texts are read for one
GROUP_BYTES, LEAST_ROWS = 750_000, 64  # of texts in such a group, and its rows however long they are


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
    return [held[place] for place in encoded.indices.to_pylist()]


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


def path_in(folder: Path, name: str) -> Path:
    """Return where a snapshot folder keeps the table `name`; of source_units all but the text."""
    name = STORED_IN.get(name, (name,))[0]
    file = name + ENDINGS[name in MAPPED]
    return folder / "work" / file if name in WORKING else folder / file


def files(folder: Path) -> list[Path]:
    """Return the files in a snapshot folder that are tables by their endings, in order."""
    return sorted(path for path in folder.rglob("*") if path.suffix in ENDINGS)


def write(folder: Path, name: str, data: "pa.Table | pa.RecordBatchReader") -> Path:
    """Write a table into a snapshot folder, durable when this returns. Equal tables give equal bytes.

    The rows of a reader, of a table too large to be held, are checked as they are written.
    """
    path = path_in(folder, name)
    path.unlink(missing_ok=True)  # it may be a link to an older snapshot's file, which must stay as it is
    with path.open("wb") as file:
        _write(name, data, file)
        file.flush()
        os.fsync(file.fileno())
    return path


def replace_file(path: Path, content: bytes, *, durable: bool = True) -> None:
    """Replace a file that is no table in one step; if `durable`, it is on the disk when this returns."""
    temporary = path.with_name(path.name + ".tmp")
    with temporary.open("wb") as file:
        file.write(content)
        file.flush()
        if durable:
            os.fsync(file.fileno())
    temporary.replace(path)
    if durable:
        sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable."""
    if not hasattr(os, "O_DIRECTORY"):  # Windows cannot sync a folder
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _write(name: str, data: "pa.Table", sink: Any) -> None:
    data = data.drop_columns(["text"]) if name in STORED_IN else data
    if name in MAPPED:
        import pyarrow as pa

        size, opened = BLOCKS.get(name, max(data.num_rows, 1)), pa.ipc.new_file(sink, data.schema)
    else:
        import pyarrow.parquet as pq

        size, opened = _group_rows(name, data), pq.ParquetWriter(sink, data.schema, **PARQUET)
    with opened as file:
        for part in _parts(name, data, size):
            file.write_table(part.combine_chunks(), size)  # chunks would show in the bytes


def _parts(name: str, data: "pa.Table | pa.RecordBatchReader", size: int) -> "Iterator[pa.Table]":
    """Yield the rows of a table `size` at a time, an empty part where there are none."""
    import pyarrow as pa

    if isinstance(data, pa.Table):
        yield from (data.slice(start, size) for start in range(0, max(data.num_rows, 1), size))
        return
    ids: list[pa.Array] = []
    held = data.schema.empty_table()
    for batch in chain(data, (None,)):
        held = pa.concat_tables([held, *([pa.Table.from_batches([batch])] if batch else [])])
        while held.num_rows >= size or (not batch and (held.num_rows or not ids)):
            part, held = held.slice(0, size), held.slice(size)
            check(name, part)
            ids += part["id"].chunks
            yield part
    check_ids(name, pa.chunked_array(ids, pa.string()))


def _group_rows(name: str, data: "pa.Table") -> int:
    """Return how many rows of a table stand together, fewer where their texts are long."""
    if name not in OF_TEXTS:
        return GROUP_ROWS
    import pyarrow.compute as pc

    held = pc.sum(pc.binary_length(data["text"])).as_py() or 1  # `nbytes` would depend on how it came to be
    fitting: int = max(data.num_rows * GROUP_BYTES // held, LEAST_ROWS)
    return min(fitting, GROUP_ROWS)


def sha256(data: "pa.Table", name: str = "") -> str:
    """Return the sha256 of the file that `write` would make: of no table in particular, in groups of `GROUP_ROWS`."""
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    _write(name, data, sink)
    return hashlib.sha256(memoryview(sink.getvalue())).hexdigest()


def read(folder: Path, name: str, only: list[str] | None = None) -> "pa.Table":
    """Read a table, or `only` some columns of it, from a snapshot folder.

    A mapped table is read as it is used. The text of source_units is read of documents. No page has
    a checksum: `snapshots.file_digest` tells whether it is intact.
    Raises TableError where it is missing, damaged or of another shape.
    """
    import pyarrow.parquet as pq

    path = path_in(folder, name)
    if name in STORED_IN:
        only = schema(name).names if only is None else only
        if name == "source_units" and "text" in only:
            return _with_texts(folder, only)
    with telling_damage(path):
        if name in MAPPED:
            data = _map(path) if only is None else _map(path).select(only)
        else:
            # Not pq.read_table: it imports pyarrow.dataset and with it pandas, which takes a second.
            # A buffer is for remote files: of a local one, it makes a small read half as dear again. Threads, each with
            # memory of its own that is new to the system, take five times the CPU of one.
            with pq.ParquetFile(path, page_checksum_verification=True, pre_buffer=False) as file:
                data = file.read(columns=only, use_threads=False)
    check_schema(path, name, data.schema, only)
    return data


def _with_texts(folder: Path, only: list[str]) -> "pa.Table":
    """Read these columns of source_units, with the text."""
    wanted = {*only, "document_id", "char_start", "char_end"} - {"text"}
    units = read(folder, "source_units", [name for name in schema("source_units").names if name in wanted])
    with telling_damage(path_in(folder, "documents")):
        texts = stretches(units, batches(folder, "documents", ["id", "text"]))
    return units.append_column(schema("source_units").field("text"), texts).select(only)


def stretches(units: "pa.Table", documents: "Iterable[pa.Table | pa.RecordBatch]") -> "pa.ChunkedArray":
    """Return the text of each unit: its stretch of its document, in whose order they stand."""
    import pyarrow as pa

    held = (each for part in documents for each in zip(part["id"].to_pylist(), part["text"], strict=True))

    def texts() -> Iterator[str]:
        opened, text = None, ""
        for document, start, end in rows(units, "document_id", "char_start", "char_end"):
            if document != opened:
                found = next((value for identity, value in held if identity == document), None)
                if found is None:
                    raise KeyError(document)
                opened, text = document, found.as_py()
            yield text[start:end]

    each, made = texts(), [pa.array([], pa.string())]
    while part := list(islice(each, PART)):
        made.append(pa.array(part, pa.string()))
    return pa.chunked_array(made)


@contextmanager
def telling_damage(path: Path) -> Iterator[None]:
    """Raise TableError, with the next step, where a table's file is missing or cannot be read within."""
    import pyarrow as pa

    try:
        yield
    except FileNotFoundError:
        raise TableError(f"{path}: this table is missing. {AGAIN}") from None
    except (pa.ArrowException, OSError, KeyError) as error:
        raise TableError(f"{path}: this table is damaged ({str(error).splitlines()[0]}). {AGAIN}") from None


def check_schema(path: Path, name: str, found: "pa.Schema", only: list[str] | None = None) -> None:
    """Raise TableError unless a file has the columns of a table, or `only` some of them, of this schema version."""
    import pyarrow as pa

    version = (found.metadata or {}).get(b"graphrag_lite.schema", b"?").decode()
    if version != str(SCHEMA_VERSION):
        raise TableError(f"{path}: written with schema version {version}, this is version {SCHEMA_VERSION}. {AGAIN}")
    if found != (expected := schema(name) if only is None else pa.schema([schema(name).field(c) for c in only])):
        raise TableError(f"{path}: columns differ from the schema: {found} is not {expected}. {AGAIN}")


def stored_schema(name: str) -> "pa.Schema":
    """Return the Arrow schema of a table's file."""
    whole = schema(name)
    return whole.remove(whole.get_field_index("text")) if name in STORED_IN else whole


def stored_shape(folder: Path, name: str) -> tuple["pa.Schema", int]:
    """Return the schema and the number of rows that a table's file states. Raises ArrowException or OSError."""
    import pyarrow.parquet as pq

    path = path_in(folder, name)
    if name in MAPPED:
        data = _map(path)
        return data.schema, data.num_rows
    with pq.ParquetFile(path) as file:
        return file.schema_arrow, file.metadata.num_rows


def _map(path: Path) -> "pa.Table":
    import pyarrow as pa

    with pa.memory_map(str(path)) as source:
        data = pa.ipc.open_file(source).read_all()
    data.validate()
    return data


def batches(
    folder: Path, name: str, only: list[str], by: str = "", values: Collection[str] = (), *, rows: int = 512
) -> "Iterator[pa.RecordBatch]":
    """Yield some columns of a table, some rows at a time, for a column that is not to be held whole.

    With `by`, of rows stored together none where no row has one of these values in that column. Raises TableError where
    the table is missing or damaged.
    """
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    path = path_in(folder, name)
    options = {"page_checksum_verification": True, "pre_buffer": False, "buffer_size": 1 << 20}
    with telling_damage(path), pq.ParquetFile(path, **options) as file:
        held: Sequence[int] = range(file.num_row_groups)
        if by:
            among = pa.array(values, pa.string())
            told = (file.read_row_group(group, columns=[by], use_threads=False)[by] for group in held)
            held = [group for group, column in enumerate(told) if pc.any(pc.is_in(column, value_set=among)).as_py()]
        yield from file.iter_batches(batch_size=rows, row_groups=[*held], columns=only, use_threads=False)


def content_id(*parts: str) -> str:
    """Return the id of a row: 32 hex characters of the sha256 of what it is made from.

    >>> content_id("entity", "scrooge") == content_id("entity", "scrooge") != content_id("entity", "marley")
    True
    """
    return hashlib.sha256("\x1f".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]
