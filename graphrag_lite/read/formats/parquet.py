"""Tables of Parquet, by pyarrow."""

import io
from collections.abc import Iterator
from typing import Any

from graphrag_lite.read.documents import Fields, Item, Reader, in_json


def read(data: bytes, path: str, fields: Fields) -> Iterator[Item]:
    """Yield a document for each row. Raises ValueError where the file is none."""
    import pyarrow
    from pyarrow.parquet import ParquetFile

    from graphrag_lite.read.rows import Row, row_documents

    try:
        table = ParquetFile(io.BytesIO(data)).read()
    except (pyarrow.ArrowException, OSError) as error:
        raise ValueError(f"is no Parquet file that can be read: {error}") from None
    columns = [_values(column) for column in table.columns]
    found = (dict(zip(table.column_names, values, strict=True)) for values in zip(*columns, strict=True))
    yield from row_documents([Row(n, row) for n, row in enumerate(found, start=1)], path, fields)


def _values(column: Any) -> list[Any]:
    """Return the values of a column; a time that Python cannot hold is its number."""
    try:
        found = column.to_pylist()
    except (ValueError, OverflowError):  # of one of them
        found = [_value(scalar) for scalar in column]
    return [in_json(value) for value in found]


def _value(scalar: Any) -> Any:
    try:
        return scalar.as_py()
    except (ValueError, OverflowError):
        return str(getattr(scalar, "value", ""))


READER = Reader({".parquet": "application/vnd.apache.parquet"}, read, rows=True)
