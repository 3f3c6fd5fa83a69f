"""What search reads is made from the tables it searches."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from graphrag_lite.checking.problems import Problems
from graphrag_lite.checking.reading import Reading, apart, flat

POSTINGS = (("search_terms", "text_units"), ("search_report_terms", "community_reports"))


def postings(read: Reading, found: Problems) -> None:
    """Check that row numbers are of rows, each with a score, and terms unique."""

    for table, over in POSTINGS:
        with read.skipping():
            n = read.n_rows(over)
            owners, rows = flat(read.column(table, "rows"))
            _lists(read, found, table, "scores", owners, rows.to_numpy(), n, over)
            terms = read.column(table, "term")
            if pc.count_distinct(terms).as_py() != len(terms):
                found.add(table, "term: not unique")


def links(read: Reading, found: Problems) -> None:
    """Check that there is a row for every entity, with the text units that name it."""
    n_entities, n = read.n_rows("entities"), read.n_rows("text_units")
    if read.n_rows("search_links") != n_entities:
        found.add("search_links", "does not have one row for every row of entities")
        return
    owners, rows = flat(read.column("search_links", "rows"))
    places = rows.to_numpy()
    _lists(read, found, "search_links", "counts", owners, places, n, "text_units")
    defining, defines = flat(read.column("search_links", "defines"))
    outside = (defines.to_numpy() < 0) | (defines.to_numpy() >= n)
    found.rows("search_links", "defines: not row numbers of text_units", defining[outside])
    more, less = apart((owners, places.astype(np.int64)), read.pairs("entities", "text_unit_ids", "text_units"))
    found.rows("search_links", "rows: a text unit that entities.text_unit_ids does not have", more)
    found.rows("search_links", "rows: lacks a text unit that entities.text_unit_ids has", less)


def names(read: Reading, found: Problems) -> None:
    """Check that the names are those that mean an entity in the whole corpus."""
    entity = read.numbers("search_names", "entity")
    outside = (entity < 0) | (entity >= read.n_rows("entities"))
    found.rows("search_names", "entity: no row number of entities", np.flatnonzero(outside))
    meant = read.refer("entity_resolutions", "entity_id", "entities")
    anywhere = np.flatnonzero((meant >= 0) & ~read.not_empty("entity_resolutions", "document_id"))
    known, own = read.column("entity_resolutions", "name").take(anywhere), read.column("search_names", "name")
    values = pc.unique(pa.chunked_array([*known.chunks, *own.chunks], pa.string()))
    number, place = (np.asarray(pc.index_in(part, value_set=values), dtype=np.int64) for part in (own, known))
    more, less = apart((number, entity), (place, meant[anywhere]))
    for rows, said in ((more, "name: does not mean that entity"), (less, "name: lacks one that means an entity")):
        found.add("search_names", said, (values[int(row)].as_py() for row in rows), len(set(rows.tolist())))


def values(read: Reading, found: Problems) -> None:
    """Check that row numbers are of rows, ascending, and values told once."""
    owners, rows = flat(read.column("search_values", "rows"))
    places = rows.to_numpy().astype(np.int64)
    outside = (places < 0) | (places >= read.n_rows("text_units"))
    found.rows("search_values", "rows: not row numbers of text_units", owners[outside])
    later = (owners[1:] == owners[:-1]) & (places[1:] <= places[:-1])
    found.rows("search_values", "rows: not ascending", owners[1:][later])
    pairs = list(zip(read.texts("search_values", "field"), read.texts("search_values", "value"), strict=True))
    if pairs != sorted(set(pairs)):
        found.add("search_values", "field, value: not unique and in order")


def _lists(read: Reading, found: Problems, table: str, other: str, owners: Any, rows: Any, n: int, over: str) -> None:
    """Check a column `rows` of row numbers of `over`, and the values that go with them."""
    found.rows(table, f"rows: not row numbers of {over}", owners[(rows < 0) | (rows >= n)])
    beside, values = flat(read.column(table, other))
    if not np.array_equal(owners, beside):
        found.add(table, f"{other}: not one for every row number")
    found.rows(table, f"{other}: not positive", beside[~(values.to_numpy() > 0)])


def failures(read: Reading, found: Problems, manifest: Mapping[str, Any]) -> None:
    """Check that failures are of a stage of this index, and as many as the stages recorded."""
    stages = read.texts("failures", "stage")
    said = read.texts("failures", "document"), read.texts("failures", "error")
    found.rows(
        "failures", "stage: not one of this index", [i for i, s in enumerate(stages) if s not in manifest["stages"]]
    )
    empty = [i for i, texts in enumerate(zip(*said, strict=True)) if not all(texts)]
    found.rows("failures", "document, error: empty", empty)
    if len(stages) != sum(len(stage["failures"]) for stage in manifest["stages"].values()):
        found.add("failures", "not as many as the manifest's stages recorded")


CHECKS = (postings, links, names, values)
