"""What search reads is made from the tables it searches."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from graphrag_lite.ops.check.problems import Problems
from graphrag_lite.ops.check.reading import Missing, Reading, apart, flat
from graphrag_lite.temporal.said_days import said_days, said_order

_ROUNDED = 1e-3  # of a length that is 1
POSTINGS = (("search_terms", "text_units"), ("search_report_terms", "community_reports"))


def postings(read: Reading, found: Problems) -> None:
    """Check that row numbers are of rows, each with a score, and terms unique."""
    for table, over in POSTINGS:
        with suppress(Missing):
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


def units(read: Reading, found: Problems) -> None:
    """Check that there is a row for every text unit, of its document, and that it has the links turned round."""
    if read.n_rows("search_units") != read.n_rows("text_units"):
        found.add("search_units", "does not have one row for every row of text_units")
        return
    document = read.numbers("search_units", "document")
    other = document != read.refer("text_units", "document_id", "documents")
    found.rows("search_units", "document: not the row of its document", other)
    spans, said = (
        list(_spans(read, *of)) for of in (("text_units",), ("episodes", "reference_time", "kind", "ordinal"))
    )
    days = said_days(spans, (row[:4] for row in said))
    wrong = read.numbers("search_units", "day") != np.array(days, dtype=np.int64)
    found.rows("search_units", "day: not that of the last message, or the document, in it", wrong)
    names = (read.column("documents", name).to_pylist() for name in ("id", "source_id"))
    order = said_order(spans, said, dict(zip(*names, strict=True)))
    wrong = read.numbers("search_units", "order") != np.array(order, dtype=np.int64)
    found.rows("search_units", "order: not that of the last message in it", wrong)
    unit, entity = flat(read.column("search_units", "entities"))
    owner, row = flat(read.column("search_links", "rows"))
    here = _ordered(unit, entity.to_numpy(), flat(read.column("search_units", "counts"))[1].to_numpy())
    there = _ordered(row.to_numpy(), owner, flat(read.column("search_links", "counts"))[1].to_numpy())
    if not np.array_equal(here, there):
        found.add("search_units", "entities, counts: not those of search_links")


def _spans(read: Reading, table: str, *more: str) -> Iterator[Any]:
    names = ("document_id", "char_start", "char_end", *more)
    return zip(*(read.column(table, name).to_pylist() for name in names), strict=True)


def _ordered(units: Any, entities: Any, counts: Any) -> Any:
    """Return columns of the same length as rows in order, (n, 3); none where their lengths differ."""
    if len(counts) != len(units):
        return np.zeros((0, 3))
    order = np.lexsort((entities, units))
    return np.stack([units, entities, counts], axis=1)[order]


def names(read: Reading, found: Problems) -> None:
    """Check that the names are those that mean an entity in the whole corpus."""
    entity = read.numbers("search_names", "entity")
    outside = (entity < 0) | (entity >= read.n_rows("entities"))
    found.rows("search_names", "entity: no row number of entities", outside)
    meant = read.refer("entity_resolutions", "entity_id", "entities")
    anywhere = np.flatnonzero((meant >= 0) & ~read.not_empty("entity_resolutions", "document_id"))
    known, own = read.column("entity_resolutions", "name").take(anywhere), read.column("search_names", "name")
    if (keys := read.texts("search_names", "key")) != sorted(keys):
        found.add("search_names", "key: not in order")
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


def vectors(read: Reading, found: Problems) -> None:
    """Check that there is a vector for every text unit, all as long and of length 1 or 0, and a weight that can be."""
    column = read.column("search_vectors", "vector")
    if len(column) != (n := read.n_rows("text_units")):
        found.add("search_vectors", f"does not have one row for every row of text_units ({n})")
    sizes = np.zeros(0, np.int64)
    lengths = np.zeros(0)
    for chunk in column.chunks:  # all at once they may not fit into memory
        owners, values = flat(pa.chunked_array([chunk]))
        sizes = np.append(sizes, np.bincount(owners, minlength=len(chunk)))
        squares = values.to_numpy().astype(np.float64) ** 2
        lengths = np.append(lengths, np.sqrt(np.bincount(owners, weights=squares, minlength=len(chunk))))
    other = sizes != sizes[:1]
    found.rows("search_vectors", "vector: not as many numbers as in the first row", other)
    wrong = ~((np.abs(lengths - 1) < _ROUNDED) | (lengths == 0))  # what is no number is wrong, too
    found.rows("search_vectors", "vector: neither of length 1 nor zeros", wrong)
    weight = read.numbers("search_vector_weight", "weight")
    if len(weight) != 1 or not 0 <= weight[0] < np.inf:
        found.add("search_vector_weight", "weight: not one number of 0 or more")


def cells(read: Reading, found: Problems) -> None:
    """Check that cells, where there are any, hold every text unit once, and have centres as long as vectors."""
    column = read.column("search_vector_cells", "centre")
    if not len(column):
        return
    rows = np.sort(flat(read.column("search_vector_cells", "rows"))[1].to_numpy())
    if not np.array_equal(rows, np.arange(read.n_rows("text_units"))):
        found.add("search_vector_cells", "rows: not every row of text_units once")
    length = len(read.column("search_vectors", "vector")[0])
    sizes = pc.list_value_length(column).to_numpy()
    found.rows("search_vector_cells", "centre: not as many numbers as a vector", sizes != length)


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


CHECKS = (postings, links, units, names, values, vectors, cells)
