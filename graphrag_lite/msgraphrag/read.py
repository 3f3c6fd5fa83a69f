"""Read the tables of microsoft/graphrag: Parquet of its versions 1 to 3, or the same tables as JSON lines.

They are another program's output, so nothing is taken for granted: a value that is missing or of another type becomes
the column's empty value, and is counted. Only where nothing can be made of a table without a column is it an error.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graphrag_lite.errors import InputError
from graphrag_lite.read.documents import replace_surrogates
from graphrag_lite.read.json_values import objects
from graphrag_lite.text.word_lists import toml_file

Row = dict[str, Any]
Convert = Callable[[Any], Any]
ENDINGS = (".parquet", ".jsonl")
PREFIXES = ("", "create_final_")  # the second in version 1


def text(value: Any) -> str:
    """Return a text that every encoding can write."""
    if isinstance(value, str):
        return value if value.isascii() else replace_surrogates(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise ValueError("is no text")


def number(value: Any) -> float:
    """Return a finite number."""
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        return float(value)
    raise ValueError("is no number")


def integer(value: Any) -> int:
    """Return a whole number that an int64 holds."""
    if number(value) == int(value) and -(2**63) <= int(value) < 2**63:
        return int(value)
    raise ValueError("is no whole number")


def list_of(convert: Convert) -> Convert:
    """Return the conversion of a list of such values; its empty ones are left out."""

    def convert_all(value: Any) -> list[Any]:
        if not isinstance(value, list):
            raise ValueError("is no list")
        return [convert(item) for item in value if not _is_empty(item)]

    return convert_all


def anything(value: Any) -> Any:
    return value


@dataclass(frozen=True)
class TableSource:
    """What is read of one table: its columns, those without which nothing can be made of it, and their conversions."""

    columns: dict[str, Convert]
    essential: tuple[str, ...]
    required: bool = False


EMPTY: dict[Convert, Any] = {text: "", number: 0.0, integer: None, anything: None}
KINDS = {"text": text, "texts": list_of(text), "number": number, "whole": integer, "anything": anything}
SOURCES = {
    table: TableSource(
        {column: convert for kind, convert in KINDS.items() for column in stated.get(kind, "").split()},
        tuple(stated["essential"].split()),
        stated.get("required", False),
    )
    for table, stated in toml_file(__package__, "columns.toml").items()
}


Notes = Counter[tuple[str, str]]
"""What a user should know of an import: to how many rows or values of a table something happened, by (table, what)."""


def find_tables(folder: Path) -> dict[str, Path]:
    """Return the files of an index, by table, from a folder or the `output` in it. Raises InputError where none is.

    Of several files for one table the newest name and Parquet come first.
    """
    if not folder.is_dir():
        raise InputError(f"{folder}: there is no such folder.")
    missing: list[str] = []
    for candidate in (folder, folder / "output"):
        found = {
            table: path
            for table in reversed(SOURCES)
            for ending in reversed(ENDINGS)
            for prefix in reversed(PREFIXES)
            if (path := candidate / f"{prefix}{table}{ending}").is_file()
        }
        missing = [table for table, source in SOURCES.items() if source.required and table not in found]
        if found and not missing:
            return {table: found[table] for table in SOURCES if table in found}
        if found:
            names = ", ".join(f"{table}.parquet" for table in missing)
            raise InputError(
                f"{candidate}: a part of an index of microsoft/graphrag is missing: {names} (or the same as .jsonl)."
            )
    names = ", ".join(f"{table}.parquet" for table in missing)
    raise InputError(
        f"{folder}: no index of microsoft/graphrag. Name the folder that holds its tables: {names} and others."
    )


def table_of(name: str) -> str:
    """Return which table a file holds, by its name.

    >>> table_of("create_final_entities.parquet"), table_of("text_units.jsonl")
    ('entities', 'text_units')
    """
    return name.rsplit(".", 1)[0].removeprefix(PREFIXES[1])


def read_tables(paths: Iterable[tuple[str, Path]], notes: Notes) -> dict[str, list[Row]]:
    """Return the rows of every table, those of an absent one none. Raises InputError that lists every problem."""
    problems: list[str] = []
    tables: dict[str, list[Row]] = {table: [] for table in SOURCES}
    for table, path in paths:
        source = SOURCES[table]
        try:
            names, rows = _parquet(path, source) if path.suffix == ".parquet" else _json_lines(path)
        except ValueError as error:
            problems.append(f"{path.name}: {error}")
            continue
        if missing := [name for name in source.essential if name not in names]:
            problems += [f"{path.name}: {name}: there is no such column" for name in missing]
            continue
        tables[table] = _converted(table, path.name, rows, notes, problems)
        if source.required and not tables[table]:
            problems.append(f"{path.name}: holds no row that can be used")
    if problems:
        noun = "a problem" if len(problems) == 1 else f"{len(problems)} problems"
        raise InputError("\n".join([f"This index cannot be imported, it has {noun}:", *(f"  {p}" for p in problems)]))
    return tables


def _converted(table: str, name: str, rows: Sequence[Row], notes: Notes, problems: list[str]) -> list[Row]:
    """Return rows with every column of the table's source; what is essential and wrong is added to `problems`."""
    source = SOURCES[table]
    usable = []
    wrong: dict[str, list[tuple[int, str]]] = {}
    for number, row in enumerate(rows, start=1):
        converted: Row = {}
        for column, convert in source.columns.items():
            converted[column] = EMPTY.get(convert, [])
            value = row.get(column)
            if not _is_empty(value):
                try:
                    converted[column] = convert(value)
                except ValueError as error:
                    wrong.setdefault(column, []).append((number, str(error)))
        if all(converted[column] not in ("", None) for column in source.essential):
            usable.append(converted)
        else:
            notes[table, f"rows left out: no {' or no '.join(source.essential)}"] += 1
    for column, numbers in wrong.items():
        if column in source.essential:
            number, reason = numbers[0]
            others = f" ({len(numbers)} such rows)" if len(numbers) > 1 else ""
            problems.append(f"{name}: {column}: row {number} {reason}{others}")
        else:
            notes[table, f"values of {column} left out: not of its type"] += len(numbers)
    return usable


def _parquet(path: Path, source: TableSource) -> tuple[list[str], list[Row]]:
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    try:
        # Not pq.read_table: it imports pyarrow.dataset and with it pandas, which takes a second.
        with pq.ParquetFile(path) as file:
            names = file.schema_arrow.names
            data = file.read(columns=[name for name in source.columns if name in names])
        columns = {}
        for name in data.column_names:
            # A nanosecond would become a Timestamp of pandas.
            values = pc.cast(data[name], pa.string()) if pa.types.is_temporal(data[name].type) else data[name]
            columns[name] = values.to_pylist()
    except (pa.ArrowException, OSError, ValueError, LookupError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise ValueError(f"cannot be read as Parquet ({reason})") from None
    return names, [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _json_lines(path: Path) -> tuple[list[str], list[Row]]:
    try:
        content = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"cannot be read ({error})") from None
    rows: list[Row] = []
    for number, row in objects(content):
        if row is None:
            raise ValueError(f"line {number} is not a JSON object")
        rows.append(row)
    return list({name for row in rows for name in row}), rows


def _is_empty(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))
