"""Titles that many documents share, as rows of a table of tickets do: what recurs in it."""

from collections import defaultdict
from typing import TYPE_CHECKING

from graphrag_lite import tables

if TYPE_CHECKING:
    from graphrag_lite.retrieval.snapshot_view import SnapshotView

LEAST, SHARE = 3, 0.5  # documents of the commonest title; of all documents, those that share theirs with another


def recurring_titles(index: "SnapshotView") -> list[tuple[str, list[int]]]:
    """Return titles, without the documents' own ids, with the documents that have them (rows), the commonest first.

    None where most documents have a title of their own. Ties go by the first document.
    """
    shared: dict[str, list[int]] = defaultdict(list)
    documents = index.columns("documents", ("title", "source_id"))
    for row, (title, own) in enumerate(tables.rows(documents, "title", "source_id")):
        shared[title.removeprefix(f"{own}: ")].append(row)
    found = sorted(((title, rows) for title, rows in shared.items() if len(rows) > 1), key=lambda item: -len(item[1]))
    n_shared = sum(len(rows) for _, rows in found)
    if not found or len(found[0][1]) < LEAST or n_shared < SHARE * index.n_rows("documents"):
        return []
    return found
