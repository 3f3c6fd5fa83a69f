"""Every id names a row that is there, and what is said twice is said alike."""

from contextlib import suppress

import numpy as np
import pyarrow.compute as pc

from graphrag_lite import tables
from graphrag_lite.ops.check.problems import Problems
from graphrag_lite.ops.check.reading import Ints, Missing, Reading, apart, at, repeated

NUMBERED = ("documents", "text_units", "entities", "relationships", "covariates")
NAMED = (
    *(("documents", "path"), ("documents", "source_id"), ("entities", "title"), ("covariates", "subject_id")),
    *(("entity_mentions", "name"), ("communities", "title"), ("community_reports", "title")),
)
COPIES = (("source_documents", "documents"), ("source_units", "text_units"))


def references(read: Reading, found: Problems) -> None:
    """Check that every id names a row that is there, and a list none twice."""
    for table, column, key in tables.foreign_keys():
        with suppress(Missing):
            owners, rows = read.pairs(table, column, key.table)
            bad = rows < 0
            if key.optional:
                bad &= read.not_empty(table, column)
            found.rows(table, f"{column}: names no row of {key.table}", owners[bad])
            # A row that names one id has no second to repeat.
            found.rows(table, f"{column}: names a row twice", repeated(owners[~bad], rows[~bad]))


def both_ways(read: Reading, found: Problems) -> None:
    """Check that what one table says of another, the other says of it."""
    for table, column, key in tables.foreign_keys():
        if not key.back:
            continue
        with suppress(Missing):
            own, others = _known(read.pairs(table, column, key.table))
            back_others, back_own = _known(read.pairs(key.table, key.back, table))
            here, there = apart((own, others), (back_own, back_others))
            found.rows(table, f"{column}: {key.table}.{key.back} does not say so", here)
            found.rows(table, f"{column}: lacks what {key.table}.{key.back} says", there)


def _known(pairs: tuple[Ints, Ints]) -> tuple[Ints, Ints]:
    """Return the pairs whose second half is there."""
    return pairs[0][pairs[1] >= 0], pairs[1][pairs[1] >= 0]


def titles(read: Reading, found: Problems) -> None:
    """Check names that stand beside an id."""
    for table, column, key in (
        ("relationships", "source", "source_id"),
        ("relationships", "target", "target_id"),
        ("entity_resolutions", "title", "entity_id"),
        ("facts", "subject", "subject_id"),
        ("facts", "object", "object_id"),
    ):
        with suppress(Missing):
            rows = read.refer(table, key, "entities")
            known = np.flatnonzero(rows >= 0)
            own = read.column(table, column).take(known)
            same = pc.equal(own, read.column("entities", "title").take(rows[known])).to_numpy()
            found.rows(table, f"{column}: is not the title of {key}", known[~same])


def numbers(read: Reading, found: Problems) -> None:
    """Check human_readable_id: row numbers, and the community's number."""
    for table in NUMBERED if read.complete else NUMBERED[:2]:
        with suppress(Missing):
            own = read.numbers(table, "human_readable_id")
            found.rows(table, "human_readable_id: is not the row number", own != np.arange(len(own)))
    for table in ("communities", "community_reports"):
        with suppress(Missing):
            same = read.numbers(table, "human_readable_id") == read.numbers(table, "community")
            found.rows(table, "human_readable_id: is not the community's number", ~same)


def copies(read: Reading, found: Problems) -> None:
    """Check that the published documents and text units are those that stages worked with, in their order."""
    for source, table in COPIES:
        with suppress(Missing):
            columns = [name for name in tables.schema(source).names if name in tables.schema(table).names]
            if read.n_rows(source) != read.n_rows(table):
                found.add(table, f"not as many rows as {source}")
                continue
            worked, published = (tables.batches(read.folder, name, columns) for name in (source, table))
            other = {c for a, b in zip(worked, published, strict=True) for c in columns if not a[c].equals(b[c])}
            found.add(table, f"not the same as {source}", (listed := sorted(other)), len(listed))


def named(read: Reading, found: Problems) -> None:
    """Check that what must have a name has one."""
    for table, column in NAMED:
        with suppress(Missing):
            found.rows(table, f"{column}: empty", ~read.not_empty(table, column))


def of_their_document(read: Reading, found: Problems) -> None:
    """Check that a mention's document is its text unit's, and that a document's units are numbered in their order."""
    with suppress(Missing):
        document = read.refer("text_units", "document_id", "documents")
        for table in ("entity_mentions", "relationship_mentions"):
            with suppress(Missing):
                units = read.refer(table, "text_unit_id", "text_units")
                own = read.refer(table, "document_id", "documents")
                bad = (units >= 0) & (own >= 0) & (at(document, units) != own)
                found.rows(table, "document_id: is not its text unit's", bad)
        owners, units = read.pairs("documents", "text_unit_ids", "text_units")
        starts = np.searchsorted(owners, owners)
        bad = (units >= 0) & (at(read.numbers("text_units", "ordinal"), units) != np.arange(len(owners)) - starts)
        found.rows("text_units", "ordinal: is not its place in documents.text_unit_ids", units[bad])


CHECKS = (references, both_ways, titles, numbers, copies, named, of_their_document)
