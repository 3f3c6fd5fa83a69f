"""What `declared.txt` declares: the columns of every table, what they hold, and which are keys of other tables."""

import re
from importlib import resources
from typing import NamedTuple

SCHEMA_VERSION = 12
OPTIONAL = ("search_vectors", "search_vector_cells", "search_vector_weight")
STORED_IN = {"source_documents": ("documents",), "source_units": ("source_units", "documents")}  # each text once
NUMBER = "human_readable_id"  # the number of a row, which no part of a table holds
OF_TITLES = ""  # the field of search_values that titles have
_COLUMN = re.compile(r"- (\w+) \(([\w<>]+)(?: -> (\w+)(?:\.(\w+))?(\?)?)?\)(?:: (.+))?")


class Key(NamedTuple):
    """A foreign key: what a column holds, or lists, are ids of `table`; `check` derives its rules from it.

    `back` is the column of that table which says the same from the other side. An `optional` key may be empty.
    """

    table: str
    back: str = ""
    optional: bool = False


class Column(NamedTuple):
    """A column: its name, its type as Arrow or a section of `declared.txt` calls it, what it holds, its key."""

    name: str
    type: str
    holds: str
    key: Key | None


class Table(NamedTuple):
    """A table, or a structure that a column lists: its marks, what a row is, its columns."""

    marks: str
    about: str
    columns: list[Column]


def _declared() -> dict[str, Table]:
    """Read every table and structure, by name, in their order."""
    text = (resources.files(__package__) / "declared.txt").read_text(encoding="utf-8")
    found = {}
    for name, marks, about, listed in re.findall(r"^\[(\w+)\](.*)\n((?:(?!- ).*\n)+)((?:- .+\n)+)", text, re.M):
        columns = [
            Column(column, kind, holds, Key(table, back, bool(optional)) if table else None)
            for column, kind, table, back, optional, holds in _COLUMN.findall(listed)
        ]
        found[name] = Table(marks, about.strip(), columns)
    return found


_ALL = _declared()
STRUCTURES = {name: each for name, each in _ALL.items() if name[0].isupper()}
TABLES = {name: each for name, each in _ALL.items() if name not in STRUCTURES}
WORKING = {name for name, each in TABLES.items() if "working" in each.marks}
MAPPED = {name for name, each in TABLES.items() if "mapped" in each.marks}
BLOCKS = {name: int(each.marks.split()[-1]) for name, each in TABLES.items() if "blocks of" in each.marks}
PARTED = {name: each.marks.split()[-1] for name, each in TABLES.items() if "in parts by" in each.marks}
FINAL = [name for name in TABLES if name not in WORKING]
