"""Postings of text units from run to run: ranges whose units are as they were are linked, others put together."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from graphrag_lite import tables
from graphrag_lite.retrieval.bm25 import lengths_of
from graphrag_lite.retrieval.postings import Postings, count_postings, join_postings
from graphrag_lite.tables import parts, segments

if TYPE_CHECKING:
    import pyarrow as pa

NOTHING = count_postings([], np.zeros(0, np.int64))


@dataclass(frozen=True)
class UnitsBefore:
    """What the last run knew of the text units of now."""

    rows: npt.NDArray[np.int64]  # the row that each had, -1 where its text was another, or was not there
    lengths: npt.NDArray[np.float64]  # terms of each unit then
    whole: Postings = NOTHING  # of a table in one file
    ranges: segments.Stored | None = None  # of one in parts

    def postings(self, rows: npt.NDArray[np.int64]) -> list[Postings]:
        """Return the postings then, as far as they are of ranges with some of these rows."""
        of_ranges = self.ranges.with_rows(rows[rows >= 0]) if self.ranges else []
        return [self.whole, *(Postings(*self.ranges.postings(each)) for each in of_ranges if self.ranges)]


def put_together(
    ids: "pa.ChunkedArray", before: UnitsBefore, made: Iterable[Postings]
) -> "tuple[pa.Table | parts.Ranges, npt.NDArray[np.float64]]":
    """Return the table `search_terms` of units with these ids, of which others than before are `made`, and lengths."""
    n_units = len(ids)
    firsts = segments.first_rows(ids.to_pylist())
    same = before.ranges.same(firsts, before.rows, len(before.lengths)) if before.ranges else {}
    ends = [*firsts[1:], n_units]
    stays = np.zeros(n_units, bool)
    for index in same:
        stays[firsts[index] : ends[index]] = True
    moved = np.where(stays, -1, before.rows)
    postings = join_postings(before.postings(moved), moved, made)
    lengths = lengths_of(postings, n_units)
    lengths[stays] = before.lengths[before.rows[stays]]
    table = as_table("search_terms", postings)
    return segments.split(table, firsts, n_units, before.ranges, same) if firsts[1:] else table, lengths


def as_table(name: str, postings: Postings) -> "pa.Table":
    """Return postings as the table of this name."""
    rows, counts = (segments.as_lists(postings.offsets, values) for values in (postings.units, postings.counts))
    return tables.make_columns(
        name, term=postings.vocabulary, document_frequency=np.diff(postings.offsets), rows=rows, counts=counts
    )
