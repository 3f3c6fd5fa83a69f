"""Tables of Parquet, by pyarrow."""

import datetime
import io
from collections.abc import Iterator
from typing import Any

from graphrag_lite.read.documents import Fields, Item, Reader


def read(data: bytes, path: str, fields: Fields) -> Iterator[Item]:
    """Yield a document for each row. Raises ValueError where the file is none."""
    import pyarrow
    from pyarrow.parquet import ParquetFile

    from graphrag_lite.read.rows import Row, row_documents

    try:
        found = ParquetFile(io.BytesIO(data)).read().to_pylist()
    except (pyarrow.ArrowException, OSError) as error:
        raise ValueError(f"is no Parquet file that can be read: {error}") from None
    rows = [Row(n, {name: _plain(value) for name, value in row.items()}) for n, row in enumerate(found, start=1)]
    yield from row_documents(rows, path, fields)


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime.date | datetime.time) else value


READER = Reader({".parquet": "application/vnd.apache.parquet"}, read, rows=True)
