"""Who and what a corpus names most, by type, for answers about the whole of it."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from graphrag_lite import tables
from graphrag_lite.text.names.words import HONORIFICS
from graphrag_lite.text.numbered_titles import without_part
from graphrag_lite.text.word_lists import sections

if TYPE_CHECKING:
    from graphrag_lite.retrieval.snapshot_view import SnapshotView

NAMES, MORE_NAMES = 5, 10  # in a line, and where the question asks for it
MANY, SELDOM = 6, 0.05  # documents that names are counted by; of the count of the third, what is left out
RARE = 0.25  # of the count of the third of all types, what is left out where no type is asked for
READ_NAMES, READ_ROWS = 3, 200  # times as many names are looked at as are shown; rows that tell the kinds of fields
SHORTEST_NAME = 5  # letters of a person's name in capitals
TITLED_ONLY = 2  # times in a document at most that a name comes up which all titles hold, and texts hardly do
_ADDRESSED = frozenset(sections(__package__, "overview.txt")["addressed"])


def most_named(index: "SnapshotView", kind: str, *, requested: bool) -> list[dict[str, Any]]:
    """Return the entities of a type that are named most, each with its row, by documents where there are many.

    What is named once, or hardly ever beside the third, is left out, and so are a part of a name above it, a value
    that rows of a table share, and what hardly more than titles name. No person is an acronym, or only spoken to. Where
    the type is not `requested`, what is rare beside all types is left out, too.
    """
    import pyarrow.compute as pc

    by = _counted_by(index)
    table = index.columns("entities", ["title", "type", *dict.fromkeys((by, "n_documents", "n_mentions"))])
    counts = table[by].to_numpy()
    rows = np.flatnonzero(pc.equal(table["type"], kind).to_numpy(zero_copy_only=False))
    order = np.lexsort([rows, *(-table[name].to_numpy()[rows] for name in ("n_mentions", by))])
    rows = rows[order[: READ_NAMES * MORE_NAMES]]
    left_out = _no_people(index) if kind == "person" else set()
    in_titles = _words_of_titles(index)
    found: list[dict[str, Any]] = []
    for i, row in zip(rows, table.take(rows).to_pylist(), strict=True):
        words = set(row["title"].split())
        part = any(words < set(other["title"].split()) for other in found)
        no_person = kind == "person" and (_is_acronym(row["title"]) or _is_address(row["title"]))
        titled = words <= in_titles and row["n_mentions"] <= TITLED_ONLY * row["n_documents"]
        if not (part or no_person or titled) and row["title"].casefold() not in left_out:
            found.append(row | {"row": int(i)})
    found = found[: MORE_NAMES if requested else NAMES]
    least = max(2, SELDOM * found[min(2, len(found) - 1)][by]) if found else 0  # one or two may be in all: hosts
    if not requested and len(counts) > 2:
        least = max(least, RARE * float(np.partition(counts, -3)[-3]))
    return [row for row in found if row[by] >= least]


def counted(index: "SnapshotView", row: Mapping[str, Any]) -> str:
    """Return an entity's name and how often it comes up, in documents where there are many, else in the texts."""
    by = _counted_by(index)
    return f"{row['title']} ({row[by]:,} {by.removeprefix('n_')})"


def shared_values(index: "SnapshotView") -> dict[str, list[tuple[int, str]]]:
    """Return the values that documents share by field, each with the number of documents, the commonest first."""
    found: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for field, value, units in tables.rows(index.arrow("search_values"), "field", "value", "rows"):
        n = len({index.document_row[unit] for unit in units})
        if field != tables.OF_TITLES and n > 1:
            found[field].append((n, value))
    return {
        field: sorted(values, key=lambda item: (-item[0], item[1]))
        for field, values in found.items()
        if len(values) > 1
    }


def _no_people(index: "SnapshotView") -> set[str]:
    """Return the values, casefolded, of fields of a table's rows that are not of people: "Open", "Critical"."""
    blocks = index.column("documents", "blocks").slice(0, READ_ROWS).to_pylist()
    fields = {block["label"] for row in blocks for block in row if block["kind"] in ("value", "organization")}
    return {value.casefold() for field, own in shared_values(index).items() if field in fields for _, value in own}


def _counted_by(index: "SnapshotView") -> str:
    return "n_documents" if index.n_rows("documents") >= MANY else "n_mentions"


def _is_acronym(name: str) -> bool:
    return name.isupper() and len(name) < SHORTEST_NAME


def _is_address(name: str) -> bool:
    """Say whether a name is how somebody is spoken to, whoever it is.

    >>> [_is_address(name) for name in ("Mr. Speaker", "God", "Mr. Bell")]
    [True, True, False]
    """
    words = [word.casefold().rstrip(".") for word in name.split()]
    return {*words} - HONORIFICS <= _ADDRESSED


def _words_of_titles(index: "SnapshotView") -> set[str]:
    """Return the words, as they are written, that the titles of half of all documents hold, where these are many."""
    titles = index.column("documents", "title").to_pylist()
    held = Counter(word.strip(":,;()") for title in titles for word in {*without_part(title).split()})
    return {word for word, n in held.items() if 2 * n >= len(titles) >= MANY}
