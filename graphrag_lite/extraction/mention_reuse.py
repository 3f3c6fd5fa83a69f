"""Mentions in text units that are as they were: their rows in the last snapshot, put where the units stand now."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import pyarrow as pa

PLACES = ("char_start", "char_end", "mention_start")  # in the document; -1 for none


class Anchor(NamedTuple):
    """A text unit, and where it stands: `offset` is its first character in the document."""

    id: str
    document_id: str
    offset: int


def join_rows(new: "pa.Table", before: "pa.Table", units: Sequence[Anchor], kept: Mapping[str, Anchor]) -> "pa.Table":
    """Return the rows of all `units`, in their order: of those in `kept` (id -> the unit then) from `before`.

    Both tables are mentions, in one piece for each text unit; `new` has the rows of the units that are not kept.

    >>> from graphrag_lite import tables
    >>> def row(unit, document, name, start):
    ...     return (unit, document, name, "", "", start, start + 9, start, True, 0)
    >>> before = tables.make("entity_mentions", [row("u", "d", "Fred", 100), row("v", "d", "Scrooge", 200)])
    >>> new = tables.make("entity_mentions", [row("w", "e", "Marley", 0)])
    >>> units = [Anchor("w", "e", 0), Anchor("v", "e", 50)]
    >>> both = join_rows(new, before, units, {"v": Anchor("v", "d", 180)})
    >>> list(zip(*(both[name].to_pylist() for name in ("document_id", "name", "char_start", "char_end"))))
    [('e', 'Marley', 0, 9), ('e', 'Scrooge', 70, 79)]
    """
    import numpy as np
    import pyarrow as pa

    if not kept:
        return new
    pieces = [_pieces(before), _pieces(new)]
    found = [pieces[0].get(kept[unit.id].id) if unit.id in kept else pieces[1].get(unit.id) for unit in units]
    starts = np.array([0 if place is None else place[0] for place in found], dtype=np.int64)
    starts += [0 if unit.id in kept else before.num_rows for unit in units]
    counts = np.array([0 if place is None else place[1] for place in found], dtype=np.int64)
    moved = np.array([unit.offset - kept[unit.id].offset if unit.id in kept else 0 for unit in units], dtype=np.int64)

    unit_of = np.repeat(np.arange(len(units)), counts)  # of each row
    within = np.arange(len(unit_of)) - np.repeat(np.cumsum(counts) - counts, counts)
    rows = pa.concat_tables([before, new]).take(pa.array(starts[unit_of] + within))
    values = {
        "text_unit_id": pa.array([unit.id for unit in units]).take(pa.array(unit_of)),
        "document_id": pa.array([unit.document_id for unit in units]).take(pa.array(unit_of)),
    }
    for name in (name for name in PLACES if name in rows.column_names):
        place = rows[name].to_numpy()
        values[name] = pa.array(np.where(place < 0, place, place + moved[unit_of]))
    return pa.Table.from_pydict({n: values.get(n, rows[n]) for n in rows.column_names}, schema=new.schema)


def _pieces(mentions: "pa.Table") -> dict[str, tuple[int, int]]:
    """Return (first row, number of rows) of each text unit."""
    import numpy as np
    import pyarrow as pa

    ids = mentions["text_unit_id"].combine_chunks().dictionary_encode()
    if isinstance(ids, pa.ChunkedArray):  # as it is where there are no rows
        return {}
    numbers = ids.indices.to_numpy()
    firsts = np.flatnonzero(np.diff(numbers, prepend=-1))
    lengths = np.diff(firsts, append=len(numbers))
    names = ids.dictionary.to_pylist()
    return {
        names[numbers[first]]: (first, length) for first, length in zip(firsts.tolist(), lengths.tolist(), strict=True)
    }
