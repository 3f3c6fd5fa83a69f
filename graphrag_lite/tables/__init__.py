"""The tables as files of a snapshot: written and read. `declared` has what they hold, `arrow` makes and checks them."""

import hashlib
import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, islice, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphrag_lite.errors import TableError
from graphrag_lite.tables import parts
from graphrag_lite.tables.arrow import (
    PART,
    check,
    check_ids,
    columns,
    foreign_keys,
    has_nulls,
    intern_strings,
    make,
    make_columns,
    rows,
    schema,
    spare_pandas,
)
from graphrag_lite.tables.declared import (
    BLOCKS,
    FINAL,
    MAPPED,
    NUMBER,
    OF_TITLES,
    OPTIONAL,
    PARTED,
    SCHEMA_VERSION,
    STORED_IN,
    TABLES,
    WORKING,
    Key,
)
from graphrag_lite.tables.disk import link, remove, replace_file, size, sync_folder

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["BLOCKS", "FINAL", "MAPPED", "OF_TITLES", "OPTIONAL", "SCHEMA_VERSION", "STORED_IN", "TABLES", "WORKING"]
__all__ += ["Key", "check", "columns", "foreign_keys", "has_nulls", "intern_strings", "make", "make_columns", "rows"]
__all__ += ["PART", "link", "remove", "replace_file", "schema", "size", "spare_pandas", "sync_folder"]

AGAIN = "Run `graphrag-lite index` to build it again."
ENDINGS = (".parquet", ".arrow")
PARQUET: dict[str, Any] = {"compression": "zstd", "write_page_checksum": True}
# Of texts, the least and the most in a part are a tenth of it; and of our types Parquet's own schema says all.
PARQUET |= {"write_statistics": False, "store_schema": False}
COMPRESSED = 16_000_000  # bytes of an Arrow file that is compressed if it has less: to read these takes 12 ms
GROUP_ROWS = 131_072
IN_ONE = 32_000_000  # bytes of parts that become one chunk when they are read: each use of a chunk costs, a copy once
HEAD = "head"  # the label of a card that is no row of a table
OF_TEXTS = ("documents", "text_units")  # their row groups are small, so that few texts are read for one
GROUP_BYTES, LEAST_ROWS = 750_000, 64  # of texts in such a group, and its rows however long they are


def path_in(folder: Path, name: str) -> Path:
    """Return where a snapshot folder keeps the table `name`; of source_units all but the text."""
    name = STORED_IN.get(name, (name,))[0]
    file = name + ENDINGS[name in MAPPED]
    return folder / "work" / file if name in WORKING else folder / file


def has_file(name: str) -> bool:
    """Tell whether a table has a file of its own: source_documents are columns of that of documents."""
    return STORED_IN.get(name, (name,))[0] == name


def files(folder: Path) -> list[Path]:
    """Return the files in a snapshot folder that are tables, or parts of one, by their endings, in order."""
    return sorted(path for path in folder.rglob("*") if path.suffix in ENDINGS and path.is_file())


def write(
    folder: Path, name: str, data: "pa.Table | pa.RecordBatchReader | parts.Ranges", last: Path | None = None
) -> Path:
    """Write a table into a snapshot folder, durable when this returns. Equal tables give equal bytes.

    The rows of a reader, of a table too large to be held, are checked as they are written. Parts, and whole tables,
    that the intact snapshot `last`, made by the same code, has are linked.
    """
    path = path_in(folder, name)
    remove(path)  # it may be a link to an older snapshot's file, which must stay as it is
    there = parts.same_rows(last and path_in(last, name))
    for file, part in _in_files(name, data):
        if file:
            path.mkdir(exist_ok=True)
        elif last and _has_rows(last, name, part):
            there[""] = path_in(last, name)
        same = part if isinstance(part, Path) else there.get(file.partition("-")[2])
        if same is not None:
            link(same, path / file)
            continue
        with (path / file).open("wb") as opened:
            _write(name, part, opened)
            opened.flush()
            os.fsync(opened.fileno())
    if path.is_dir():
        sync_folder(path)
    return path


def _has_rows(folder: Path, name: str, data: "pa.Table | pa.RecordBatchReader") -> bool:
    """Tell whether a table of a snapshot, in one file, has these rows: columns are read until one differs."""
    if not hasattr(data, "num_rows") or not path_in(folder, name).is_file():
        return False
    same_number = stored_shape(folder, name)[1] == data.num_rows
    return same_number and all(
        parts.digest(read(folder, name, [column])) == parts.digest(data.select([column]))
        for column in data.column_names
    )


def _in_files(name: str, data: Any) -> "Iterator[tuple[str, Any]]":
    """Yield the files that a table is written into: their names, empty where it is one, and what they hold."""
    if isinstance(data, parts.Ranges):
        yield from data.files
        return
    data = data.drop_columns(["text"]) if name in STORED_IN else data
    first = parts.first_rows(data, PARTED[name]) if name in PARTED else [0]
    if len(first) == 1:
        yield "", data
        return
    data = parts.without_numbers(data)
    for start, end in pairwise([*first, data.num_rows]):
        part = data.slice(start, end - start)
        yield parts.file_name(start, part), part


def _write(name: str, data: "pa.Table", sink: Any) -> None:
    if name in MAPPED:
        import pyarrow as pa

        size = BLOCKS.get(name, max(data.num_rows, 1))
        opened = pa.ipc.new_file(sink, data.schema, options=_arrow_options(name, data))
    else:
        import pyarrow.parquet as pq

        options = PARQUET | {"use_dictionary": _listed(data.schema)}
        size, opened = _group_rows(name, data), pq.ParquetWriter(sink, data.schema, **options)
        opened.add_key_value_metadata(data.schema.metadata or {})
    with opened as file:
        for part in _parts(name, data, size):
            file.write_table(part.combine_chunks(), size)  # chunks would show in the bytes


def _arrow_options(name: str, data: "pa.Table") -> "pa.ipc.IpcWriteOptions":
    """Return how an Arrow file is written: compressed where it is not large, and is read whole, not as it is used."""
    import pyarrow as pa

    in_use = name in BLOCKS or parts.POSTINGS in data.column_names
    whole = 0 if in_use else sum(map(pa.ipc.get_record_batch_size, data.combine_chunks().to_batches()))
    return pa.ipc.IpcWriteOptions(compression="zstd" if 0 < whole < COMPRESSED else None, use_threads=False)


def _listed(schema: "pa.Schema") -> list[str]:
    """Return the columns, as Parquet calls them, of values in lists: for others zstd does better than dictionaries."""
    import pyarrow as pa

    found: list[str] = []
    for field in schema:
        if pa.types.is_list(field.type):
            path, kind = f"{field.name}.list.element", field.type.value_type
            found += [f"{path}.{each.name}" for each in kind] if pa.types.is_struct(kind) else [path]
    return found


def _parts(name: str, data: "pa.Table | pa.RecordBatchReader", size: int) -> "Iterator[pa.Table]":
    """Yield the rows of a table `size` at a time, an empty part where there are none."""
    import pyarrow as pa

    if isinstance(data, pa.Table):
        yield from (data.slice(start, size) for start in range(0, max(data.num_rows, 1), size))
        return
    ids: list[pa.Array] = []
    held = data.schema.empty_table()
    for batch in chain(data, (None,)):
        if batch is not None:
            held = pa.concat_tables([held, pa.Table.from_batches([batch])])
        while held.num_rows >= size or (batch is None and (held.num_rows or not ids)):
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
    """Return the digest of what `write` would make: of no table in particular, in groups of `GROUP_ROWS`."""
    files = _in_files(name, data)
    return parts.joined((file, hashlib.sha256(in_one_file(part, name)).hexdigest()) for file, part in files)


def in_one_file(data: "pa.Table", name: str = "") -> memoryview:
    """Return a table, or a part of one, as the bytes of a file."""
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    _write(name, data, sink)
    return memoryview(sink.getvalue())


def read(folder: Path, name: str, only: list[str] | None = None) -> "pa.Table":
    """Read a table, or `only` some columns of it, from a snapshot folder.

    A mapped table is read as it is used. The text of source_units is read of documents. No page has
    a checksum: `snapshots.table_digest` tells whether it is intact.
    Raises TableError where it is missing, damaged or of another shape.
    """
    import pyarrow as pa

    path = path_in(folder, name)
    if name in STORED_IN:
        only = schema(name).names if only is None else only
        if has_file(name) and "text" in only:  # of source_units
            return _with_texts(folder, only)
    with telling_damage(path):
        if name in MAPPED:
            data = _mapped(path, name) if only is None else _mapped(path, name).select(only)
        else:
            stored = only and [column for column in only if column != NUMBER or path.is_file()]
            data = pa.concat_tables(_read_files(path, stored))
            if path.is_dir() and data.nbytes < IN_ONE:
                data = data.combine_chunks()
            data = data if path.is_file() else parts.numbered(data, _expected(name, only))
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


def _read_files(path: Path, only: list[str] | None) -> "Iterator[pa.Table]":
    """Yield the parts of a table, or all of it. Raises OSError where one is missing."""
    n_rows = 0
    for first, part in parts.part_files(path):
        if first != n_rows:
            raise OSError(f"rows from {n_rows} to {first} are missing")
        held = read_part(part, only)
        n_rows += held.num_rows
        yield held


def read_part(path: Path, only: list[str] | None) -> "pa.Table":
    """Read a part of a table, or one that is a file, or `only` some columns of it."""
    import pyarrow.parquet as pq

    # Not pq.read_table: it imports pyarrow.dataset and with it pandas, which takes a second.
    # A buffer is for remote files: of a local one, it makes a small read half as dear again. Threads, each with
    # memory of its own that is new to the system, take five times the CPU of one.
    with pq.ParquetFile(path, page_checksum_verification=True, pre_buffer=False) as file:
        return file.read(columns=only, use_threads=False)


@contextmanager
def telling_damage(path: Path) -> Iterator[None]:
    """Raise TableError, with the next step, where a table's file is missing or cannot be read within."""
    import pyarrow as pa

    try:
        yield
    except FileNotFoundError:
        raise TableError(f"{path}: this table is missing. {AGAIN}") from None
    except (pa.ArrowException, OSError, KeyError, UnicodeDecodeError) as error:
        raise TableError(f"{path}: this table is damaged ({str(error).splitlines()[0]}). {AGAIN}") from None


def check_schema(path: Path, name: str, found: "pa.Schema", only: list[str] | None = None) -> None:
    """Raise TableError unless a file has the columns of a table, or `only` some of them, of this schema version."""
    version = (found.metadata or {}).get(b"graphrag_lite.schema", b"?").decode(errors="replace")
    if version != str(SCHEMA_VERSION):
        raise TableError(f"{path}: written with schema version {version}, this is version {SCHEMA_VERSION}. {AGAIN}")
    if found != (expected := _expected(name, only)):
        raise TableError(f"{path}: columns differ from the schema: {found} is not {expected}. {AGAIN}")


def _expected(name: str, only: list[str] | None) -> "pa.Schema":
    import pyarrow as pa

    return schema(name) if only is None else pa.schema([schema(name).field(column) for column in only])


def stored_schema(name: str) -> "pa.Schema":
    """Return the Arrow schema of a table's file."""
    whole = schema(name)
    return whole.remove(whole.get_field_index("text")) if name in STORED_IN else whole


def stored_shape(folder: Path, name: str) -> tuple["pa.Schema", int]:
    """Return the schema and the number of rows that a table's file states. Raises TableError."""
    import pyarrow.parquet as pq

    path = path_in(folder, name)
    with telling_damage(path):
        if name in MAPPED:
            data = map_file(path / parts.TERMS if path.is_dir() else path)
            return schema(name) if path.is_dir() else data.schema, data.num_rows
        first, last = parts.part_files(path)[-1]
        with pq.ParquetFile(last) as file:
            stored, n_rows = file.schema_arrow, first + file.metadata.num_rows
        whole = parts.numbered(stored.empty_table(), schema(name)).schema if path.is_dir() else stored
        return whole, n_rows


def _mapped(path: Path, name: str) -> "pa.Table":
    if not path.is_dir():
        return map_file(path)
    from graphrag_lite.tables.segments import mapped

    return mapped(path).whole().cast(schema(name))


def map_file(path: Path) -> "pa.Table":
    """Return the table in an Arrow file, which is read as it is used."""
    import pyarrow as pa

    spare_pandas()
    with pa.memory_map(str(path)) as source:
        data = pa.ipc.open_file(source, options=pa.ipc.IpcReadOptions(use_threads=False)).read_all()
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
    with telling_damage(path):
        for _, each in parts.part_files(path):
            with pq.ParquetFile(each, **options) as file:
                held: Sequence[int] = range(file.num_row_groups)
                if by:
                    among = pa.array(values, pa.string())
                    keys = (file.read_row_group(group, columns=[by], use_threads=False)[by] for group in held)
                    held = [number for number, one in enumerate(keys) if pc.any(pc.is_in(one, value_set=among)).as_py()]
                yield from file.iter_batches(batch_size=rows, row_groups=[*held], columns=only, use_threads=False)


def content_id(*parts: str) -> str:
    """Return the id of a row: 32 hex characters of the sha256 of what it is made from.

    >>> content_id("entity", "scrooge") == content_id("entity", "scrooge") != content_id("entity", "marley")
    True
    """
    return hashlib.sha256("\x1f".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]
