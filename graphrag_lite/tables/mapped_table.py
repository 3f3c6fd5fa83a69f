"""A large table between stages: a file without a name that is mapped, of which what is looked at takes memory.

Arrow's form, not compressed: to read Parquet again for each stage takes a second of 100 MB of text.
"""

import mmap
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakSet

if TYPE_CHECKING:
    import pyarrow as pa

_held: "WeakSet[MappedTable]" = WeakSet()


class MappedTable:
    """A table in a file that is gone with the process, however that ends."""

    def __init__(self, table: "pa.Table", folder: Path) -> None:
        """Write a table into the file system of a folder. Raises OSError where there is no room."""
        import pyarrow as pa

        with tempfile.TemporaryFile(dir=folder) as file:
            with pa.ipc.new_file(pa.PythonFile(file, "w"), table.schema) as writer:
                writer.write_table(table)
            file.flush()
            self.bytes = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self.table = pa.ipc.open_file(pa.py_buffer(self.bytes)).read_all()
        _held.add(self)


def forget_what_was_looked_at() -> None:
    """Give back the memory of what was looked at of mapped tables; the system has it still, if it has room."""
    for each in list(_held) if hasattr(mmap, "MADV_DONTNEED") else ():
        each.bytes.madvise(mmap.MADV_DONTNEED)
