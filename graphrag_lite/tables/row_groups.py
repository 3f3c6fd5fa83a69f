"""Single values of a table's file: of a long column, only the rows stored together with one are read for it."""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphrag_lite import tables

if TYPE_CHECKING:
    import pyarrow as pa

LONG = 4_000_000  # bytes of a column, not compressed, from which it is not read whole for one value


class RowGroups:
    """The long columns of a table that is no mapped one, and the groups of their rows that were read so far.

    Raises TableError where the file is missing, damaged or of another shape.
    """

    def __init__(self, folder: Path, name: str) -> None:
        import pyarrow.parquet as pq

        self._path = tables.path_in(folder, name)
        with tables.telling_damage(self._path), pq.ParquetFile(self._path) as file:
            tables.check_schema(self._path, name, file.schema_arrow)
            self._stored = file.metadata
        n_groups = self._stored.num_row_groups
        first = self._stored.row_group(0) if n_groups > 1 else None  # all have as many rows, but for the last
        self._rows = first.num_rows if first else 0
        sizes: Counter[str] = Counter()
        for part in map(first.column, range(first.num_columns)) if first else ():
            sizes[part.path_in_schema.partition(".")[0]] += part.total_uncompressed_size
        self.long = {column for column, size in sizes.items() if size * n_groups >= LONG}
        self._read: dict[tuple[str, int], pa.ChunkedArray] = {}

    def value(self, column: str, row: int) -> Any:
        """Return the value of a long column in a row."""
        import pyarrow.parquet as pq

        group, place = divmod(row, self._rows)
        if (column, group) not in self._read:
            # Opened for each: what is held open cannot be read by several threads, nor removed on every system.
            options = {"metadata": self._stored, "page_checksum_verification": True, "pre_buffer": False}
            with tables.telling_damage(self._path), pq.ParquetFile(self._path, **options) as file:
                self._read[column, group] = file.read_row_group(group, columns=[column], use_threads=False)[column]
        return self._read[column, group][place].as_py()
