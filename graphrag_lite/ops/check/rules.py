"""Asks the queries of `rules.toml` about the tables of a snapshot."""

import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from string import Template
from typing import Any

import numpy as np
import pyarrow as pa
from duckdb import CatalogException, DuckDBPyConnection

from graphrag_lite import tables
from graphrag_lite.ops.check.problems import MAX_NAMED, Problems
from graphrag_lite.tables import parts
from graphrag_lite.tables.database import execute, select
from graphrag_lite.tables.declared import NUMBER
from graphrag_lite.temporal.instants import UNITS, UNKNOWN, first_second
from graphrag_lite.text.word_lists import toml_file

RULES: dict[str, Any] = toml_file(__package__, "rules.toml")
TIMES = ("valid_at", "invalid_at", "created_at", "expired_at")


def check_rules(
    database: DuckDBPyConnection, folder: Path, intact: Collection[str], true: Collection[str], found: Problems
) -> None:
    """Find the rows of the intact tables that break a rule; of rules with a `when`, one of those in `true`."""
    for table in intact:
        _open(database, folder, table)
    found.name = lambda table, row: _name(database, table, row)
    if "facts" in intact:
        database.register("time", _times(database))
    execute(database, "set parquet_metadata_cache = true")
    execute(database, f"create macro unknown() as {UNKNOWN}::bigint")
    execute(database, f"create macro complete() as {'complete' in true}")
    keys = _keys()
    named = {"keys": keys, "keys said twice": [key for key in keys if key["back"]]}
    named["keys of lists"] = [key for key in keys if key["ids"].startswith("unnest")]
    for rule in RULES["rule"]:
        if rule.get("when", "") not in {"", *true}:
            continue
        each = rule.get("for", [{}])
        for words in named[each] if isinstance(each, str) else each:
            query = Template(rule["query"]).substitute(words)
            try:
                if "of" in rule:
                    _add(found, database, Template(rule["of"]).substitute(words), query)
                else:
                    execute(database, query)
            except CatalogException:  # a table that it reads is not intact; that has been said already
                database.rollback()


def mentions_within(database: DuckDBPyConnection) -> tuple[int | None, tuple[str, ...]]:
    """Return how many mentions relate two names of one entity, and the first pairs of names; None where unknown."""
    query = "select source_name, target_name from relation where source = target and source_name <> target_name"
    try:
        found = [tuple(sorted(row.values())) for row in select(database, query).to_pylist()]
    except CatalogException:
        database.rollback()
        return None, ()
    return len(found), tuple(f"{one} – {other}" for one, other in sorted(set(found))[:MAX_NAMED])


def _open(database: DuckDBPyConnection, folder: Path, table: str) -> None:
    """Make a view of a table, with the number of each row."""
    import glob

    if table in tables.MAPPED:
        data = tables.read(folder, table)
        database.register(table, data.append_column("row", pa.array(np.arange(data.num_rows))))
    else:
        files = parts.part_files(tables.path_in(folder, table))
        columns = "* exclude file_row_number, file_row_number + {} as row"
        if len(files) > 1 and NUMBER in tables.schema(table).names:
            columns += f", file_row_number + {{}} as {NUMBER}"
        read = "select {} from read_parquet('{}', file_row_number = true)"
        each = (
            read.format(columns.format(first, first), glob.escape(str(file)).replace("'", "''"))
            for first, file in files
        )
        execute(database, f"create view {table} as {' union all '.join(each)}")


def _times(database: DuckDBPyConnection) -> pa.Table:
    """Return what rules about facts read in the place of texts: times in seconds, ends without their case."""
    facts = select(database, "select * from facts order by row")
    values: dict[str, Any] = {name: pa.array(map(first_second, facts[name].to_pylist()), pa.int64()) for name in TIMES}
    values["off"] = pa.array([UNITS.get(name, 1) for name in facts["precision"].to_pylist()], pa.int64())
    for end in ("subject", "object"):
        both = tables.rows(facts, f"{end}_id", end)
        values[f"{end}_end"] = pa.array([identity or name.casefold() for identity, name in both], pa.string())
    return pa.table({"row": facts["row"], **values})


def _keys() -> Sequence[Mapping[str, str]]:
    """Return the words of every foreign key; `ids` is what yields them, `given` where there are any."""
    found = []
    for table, column, key in tables.foreign_keys():
        words = {"table": table, "column": column, "target": key.table, "back": key.back, "key": f"{table}_{column}"}
        listed = str(tables.schema(table).field(column).type).startswith("list")
        words["ids"] = f"unnest({column})" if listed else column
        found.append(words | {"given": f"{column} <> ''" if key.optional else "true"})
    return found


def _add(found: Problems, database: DuckDBPyConnection, table: str, query: str) -> None:
    """Add what a query finds: of rows, of names, or of the table as a whole."""
    kinds = re.findall(r'as\s+"(.+?)"', query)
    any_kind = " or ".join(f'"{kind}"' for kind in kinds)
    wrong = execute(database, f"select * from ({query}) where {any_kind}")
    for column, kind in enumerate(kinds, -len(kinds)):
        first = [row[0] for row in wrong if row[column]]
        if first == [True]:
            found.add(table, kind)
        elif first and isinstance(first[0], str):
            found.add(table, kind, names := list(dict.fromkeys(first)), len(names))
        else:
            found.rows(table, kind, first)


def _name(database: DuckDBPyConnection, table: str, row: int) -> str:
    """Say what a row of a table is, in words: its title, path or number."""
    columns = RULES["names"].get(table)
    if not columns:
        return f"row {row}"
    values = database.execute(f"select {', '.join(columns)} from {table} where row = {row}").fetchone()
    return f"{' – '.join(map(str, values))} (row {row})"
