"""Tables are asked within a bound of memory."""

import duckdb
import pytest

from graphrag_lite.tables import database as bounded
from graphrag_lite.tables.database import execute, open_database, select

MADE = "create table told as select range % 2 as key, repeat(md5(range::varchar), 8) as words from range(60_000)"
LISTED = "select key, len(list(distinct words order by words)) as n from told group by key order by key"


def test_what_does_not_fit_the_bound_is_folded_without_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded, "MEMORY", 24_000_000)
    with open_database(0) as database:
        execute(database, MADE)
        with pytest.raises(duckdb.OutOfMemoryException):
            database.sql(LISTED).to_arrow_table()
        assert select(database, LISTED).to_pylist() == [{"key": 0, "n": 30_000}, {"key": 1, "n": 30_000}]
        execute(database, f"create table listed as {LISTED}")
        assert select(database, "from listed").num_rows == 2


def test_a_query_that_failed_half_way_is_made_again_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded, "MEMORY", 24_000_000)
    with open_database(0) as database:
        execute(database, f"{MADE}; create table listed as {LISTED}")
        assert select(database, "from listed").num_rows == 2


def test_a_machine_without_a_temporary_folder_folds_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(prefix: str) -> None:
        raise FileNotFoundError(prefix)

    monkeypatch.setattr(bounded, "MEMORY", 24_000_000)
    monkeypatch.setattr(bounded.tempfile, "TemporaryDirectory", none)
    with open_database(0) as database:
        execute(database, f"{MADE}; create table listed as {LISTED}")
        assert select(database, "from listed").num_rows == 2
