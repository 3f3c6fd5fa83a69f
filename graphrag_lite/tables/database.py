"""Tables asked in DuckDB, within a bound of memory."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

SOON_FOLDED = 2_000_000  # rows
MEMORY, ROW_MEMORY = 64_000_000, 100  # bytes: without a bound, folding takes about 700 a row
Found = TypeVar("Found")
Row = dict[str, Any]


@contextmanager
def open_database(n_rows: int) -> Iterator["duckdb.DuckDBPyConnection"]:
    """Open a database in memory, of `MEMORY` and `ROW_MEMORY` for each row; beyond that it goes to a temporary folder.

    What cannot go there, such as the list of one entity's mentions, is left to `execute` and `select`. A Ctrl-C
    during a query is a Ctrl-C: DuckDB makes a RuntimeError of it. Few rows are soon folded by one thread; to start and
    end more would take longer.
    """
    import duckdb

    limit = f"{(MEMORY + ROW_MEMORY * n_rows) // 1_000_000}MB"
    threads = {"threads": "1"} if n_rows < SOON_FOLDED else {}
    with (
        _temporary_folder() as spilled,
        duckdb.connect(config={"memory_limit": limit, "temp_directory": spilled} | threads) as database,
    ):
        try:
            yield database
        except RuntimeError as error:
            if str(error) == "Query interrupted":
                raise KeyboardInterrupt from None
            raise


def _temporary_folder() -> AbstractContextManager[str]:
    """Make a folder to go to; on a machine that has no place for one, all is left to `execute` and `select`."""
    try:
        return tempfile.TemporaryDirectory(prefix="graphrag-lite-")
    except OSError:
        return nullcontext("")


def execute(database: "duckdb.DuckDBPyConnection", query: str) -> list[tuple[Any, ...]]:
    """Make what `query` says, or return the few rows that it finds."""
    return _with_room(database, lambda: database.execute(query).fetchall())


def select(database: "duckdb.DuckDBPyConnection", query: str, **values: Any) -> "pa.Table":
    """Return what a query finds."""
    return _with_room(database, lambda: database.sql(query, params=values or None).to_arrow_table())


def rows(database: "duckdb.DuckDBPyConnection", query: str, **values: Any) -> Iterator[Row]:
    for batch in select(database, query, **values).to_batches(max_chunksize=20_000):
        yield from batch.to_pylist()


def _with_room(database: "duckdb.DuckDBPyConnection", query: Callable[[], Found]) -> Found:
    """Ask a query. Where what cannot leave memory needs more than the bound, undo it, and ask without one."""
    import duckdb

    database.begin()
    try:
        found = query()
    except (duckdb.OutOfMemoryException, duckdb.IOException):  # the latter of a disk that others filled
        database.rollback()
        database.execute("reset memory_limit")
        return query()
    database.commit()
    return found
