"""Tables in parts: a large one is a folder of files, of rows that follow each other, and parts that stay are linked.

Where a part ends is told by the rows that stand there: what comes, goes or changes elsewhere moves no other end. A file
is called by the number of its first row and by a hash of its rows.
"""

import hashlib
import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphrag_lite.tables.declared import NUMBER

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

LEAST, MOST = 100_000, 6  # bytes of a part's values, not compressed, and how many times that: in the mean twice
SMALL = 5  # times that: a smaller table is one file
POSTINGS = "postings"  # the column of a range of a table of postings in parts
TERMS = "terms.arrow"  # the file of a table of postings in parts that has the terms
AT_ONCE = 256  # values whose checksums are computed
MANY = 96  # parts, above which they are twice as large


@dataclass(frozen=True)
class Ranges:
    """A table of postings that is to be written in parts: its files in order, those to link by their paths."""

    files: "Sequence[tuple[str, pa.Table | Path]]"


def first_rows(data: "pa.Table", by: str) -> list[int]:
    """Return the row that each part begins with. Rows of one value in column `by` that follow each other are in one.

    A part of enough bytes ends before a value whose checksum says so: the likelier, the more bytes stand before it.
    """
    import numpy as np
    import pyarrow.compute as pc

    if data.num_rows < 2:
        return [0]
    keys = data[by].combine_chunks()
    rows = np.append(0, np.flatnonzero(np.asarray(pc.not_equal(keys[1:], keys[:-1]))) + 1)
    ends = np.cumsum(sum(_sizes(column.combine_chunks()) for column in data.columns))
    before = np.append(0, ends[rows[1:] - 1])  # bytes before each value
    least, found = LEAST, [0]
    if ends[-1] < SMALL * LEAST:
        return found
    while ends[-1] > 2 * MANY * least:
        least *= 2
    while True:
        first, last = np.searchsorted(before, before[found[-1]] + np.array([least, MOST * least])).tolist()
        chance = np.diff(before[first - 1 : last]) * (2**32 / least)
        values = (
            each
            for low in range(first, last, AT_ONCE)
            for each in enumerate(keys.take(rows[low : min(low + AT_ONCE, last)]).to_pylist(), low)
        )
        ending = (row for row, value in values if zlib.crc32(value.encode()) < chance[row - first])
        if (row := next(ending, last)) == len(rows):
            return [int(rows[each]) for each in found]
        found.append(row)


def _sizes(values: "pa.Array") -> "NDArray[np.int64]":
    """Return how many bytes each value takes."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_struct(values.type):
        return sum(map(_sizes, values.flatten()), start=np.zeros(len(values), np.int64))
    if pa.types.is_string(values.type):
        return np.asarray(pc.fill_null(pc.binary_length(values), 0)).astype(np.int64)
    if pa.types.is_list(values.type):
        lengths = np.asarray(pc.fill_null(pc.list_value_length(values), 0))
        ends = np.cumsum(np.append(0, lengths.astype(np.int64)))
        held: NDArray[np.int64] = np.append(0, np.cumsum(_sizes(values.flatten())))
        found: NDArray[np.int64] = np.diff(held[ends])
        return found
    return np.full(len(values), max(values.type.bit_width // 8, 1), np.int64)


def digest(data: "pa.Table") -> str:
    """Return a sha256 of the values of a table, however they are held."""
    hashed = hashlib.sha256(str(data.schema.names).encode())
    for column in data.columns:
        for piece in _bytes(column.combine_chunks()):
            hashed.update(piece)
    return hashed.hexdigest()


def _bytes(values: "pa.Array") -> Iterator[Any]:
    """Yield what tells the values: which are null, if any, their lengths, then their bytes."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    if values.null_count:
        yield np.asarray(values.is_null())
    if pa.types.is_struct(values.type):
        for each in values.flatten():
            yield from _bytes(each)
    elif pa.types.is_list(values.type):
        yield np.asarray(pc.fill_null(pc.list_value_length(values), 0)) if values.null_count else np.diff(_ends(values))
        yield from _bytes(values.flatten())
    elif pa.types.is_string(values.type):
        ends = _ends(values)
        yield np.asarray(pc.fill_null(pc.binary_length(values), 0)) if values.null_count else np.diff(ends)
        if len(values) and (held := values.buffers()[2]):
            yield memoryview(held)[ends[0] : ends[-1]]
    else:
        yield np.ascontiguousarray(values.to_numpy(zero_copy_only=False))


def _ends(values: "pa.Array") -> "NDArray[np.int32]":
    """Return where lists, or strings, begin and end, (n_rows + 1,)."""
    import numpy as np

    if not len(values):
        return np.zeros(1, np.int32)
    return np.frombuffer(values.buffers()[1], np.int32)[values.offset : values.offset + len(values) + 1]


def file_name(first_row: int, data: "pa.Table") -> str:
    return f"{first_row:010}-{digest(data)[:32]}.parquet"


def joined(digests: Iterable[tuple[str, str]]) -> str:
    """Return what tells the digests of a table's files and their names: of one without a name, its digest itself."""
    stored = list(digests)
    return stored[0][1] if stored and not stored[0][0] else hashlib.sha256(json.dumps(stored).encode()).hexdigest()


def part_files(path: Path) -> list[tuple[int, Path]]:
    """Return the files of a table and the row that each begins with; a table in one file is one part."""
    if not path.is_dir():
        return [(0, path)]
    if not (found := sorted(path.glob("[0-9]*-*.*"))):
        raise FileNotFoundError(path)
    return [(int(file.name.partition("-")[0]), file) for file in found]


def all_files(path: Path) -> list[Path]:
    """Return the files of a table."""
    return sorted(path.iterdir()) if path.is_dir() else [path]


def same_rows(folder: Path | None) -> dict[str, Path]:
    """Return the parts of a table in a folder by the hash of their rows."""
    found = part_files(folder) if folder and folder.is_dir() else []
    return {file.name.partition("-")[2]: file for _, file in found}


def without_numbers(data: "pa.Table") -> "pa.Table":
    """Leave out the numbers of rows, which change with every row that comes or goes before them."""
    return data.drop_columns([NUMBER]) if NUMBER in data.column_names else data


def numbered(data: "pa.Table", schema: "pa.Schema", first_row: int = 0) -> "pa.Table":
    """Put the numbers of rows back where a schema has them."""
    import numpy as np

    position = schema.get_field_index(NUMBER)
    if position < 0:
        return data
    numbers = np.arange(first_row, first_row + data.num_rows)
    return data.add_column(position, schema.field(position), [numbers])
