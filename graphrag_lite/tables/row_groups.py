"""Single values of a table's file: of a long column, only the rows stored together with one are read for it."""

from bisect import bisect_right
from collections import Counter
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphrag_lite import tables
from graphrag_lite.tables import parts

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

LONG = 4_000_000  # bytes of a column, not compressed, from which it is not read whole for one value


class RowGroups:
    """The long columns of a table that is no mapped one, and the groups of their rows that were read so far.

    Raises TableError where the file is missing, damaged or of another shape.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self._path = tables.path_in(folder, name)
        with tables.telling_damage(self._path):
            self._files = parts.part_files(self._path)
        self._firsts = [first for first, _ in self._files]
        self._metadata = cache(self._footer)
        stored = self._metadata(0)
        tables.check_schema(self._path, name, tables.stored_shape(folder, name)[0])
        n_groups = stored.num_row_groups * len(self._files)
        sizes: Counter[str] = Counter()
        first = stored.row_group(0) if n_groups > 1 else None
        for part in map(first.column, range(first.num_columns)) if first else ():
            sizes[part.path_in_schema.partition(".")[0]] += part.total_uncompressed_size
        self.long = {column for column, size in sizes.items() if size * n_groups >= LONG}
        self._read: dict[tuple[str, int, int], pa.ChunkedArray] = {}

    def _footer(self, file: int) -> "pq.FileMetaData":
        import pyarrow.parquet as pq

        with tables.telling_damage(self._path), pq.ParquetFile(self._files[file][1]) as opened:
            return opened.metadata

    def value(self, column: str, row: int) -> Any:
        """Return the value of a long column in a row."""
        import pyarrow.parquet as pq

        file = bisect_right(self._firsts, row) - 1
        stored = self._metadata(file)
        # All groups of a file have as many rows, but for the last.
        group, position = divmod(row - self._firsts[file], stored.row_group(0).num_rows)
        if (column, file, group) not in self._read:
            # Opened for each: what is held open cannot be read by several threads, nor removed on every system.
            options = {"metadata": stored, "page_checksum_verification": True, "pre_buffer": False}
            path = self._files[file][1]
            with tables.telling_damage(self._path), pq.ParquetFile(path, **options) as opened:
                read = opened.read_row_group(group, columns=[column], use_threads=False)
                self._read[column, file, group] = read[column]
        return self._read[column, file, group][position].as_py()
