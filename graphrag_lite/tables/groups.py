"""Tables of two runs side by side, by the document or text unit that their rows are of."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import count, groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from graphrag_lite import tables

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

LEAST_RUN = 32  # rows that follow each other, in the mean, so that slices of them are cheaper than a copy
FEW_RUNS = 64  # that are copied by themselves: to take rows of a column in pieces, Arrow first copies all of it


def changed_keys(now: "pa.Table", before: "pa.Table", by: str, columns: Sequence[str]) -> set[str]:
    """Return the values of column `by` whose rows are not the same in both tables, in number, order or `columns`.

    >>> import pyarrow as pa
    >>> now = pa.table({"id": ["a", "b", "c", "c"], "n": [1, 2, 3, 4]})
    >>> before = pa.table({"id": ["c", "c", "d", "a"], "n": [3, 4, 5, 0]})
    >>> sorted(changed_keys(now, before, "id", ["n"]))
    ['a', 'b', 'd']
    """
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    if not now.num_rows or not before.num_rows:
        return {value for table in (now, before) for value in table[by].to_pylist()}
    there = [is_in(one, by, other[by].unique()) for one, other in ((now, before), (before, now))]

    def held(column: str, rows: "Sequence[NDArray[np.bool_]]") -> "list[pa.ChunkedArray]":
        parts = (pa.table([one[column]], [column]) for one in (now, before))
        return [held_rows(part, each)[column] for part, each in zip(parts, rows, strict=True)]

    keys, others = held(by, there)
    if keys.equals(others):  # few came or went: no row has to be moved
        same = np.ones(len(keys), bool)
        for column in columns:
            same &= np.asarray(pc.equal(*held(column, there)))
        differ = (keys.filter(pa.array(~same)), *held(by, [~rows for rows in there]))
        return {value for part in differ for value in part.unique().to_pylist()}
    encoded = pa.chunked_array([*now[by].chunks, *before[by].chunks]).combine_chunks().dictionary_encode()
    codes = np.split(encoded.indices.to_numpy(), [now.num_rows])
    n_of = [np.bincount(each, minlength=len(encoded.dictionary)) for each in codes]
    differs = n_of[0] != n_of[1]
    orders = [np.argsort(each, kind="stable") for each in codes]
    orders = [order[~differs[each[order]]] for order, each in zip(orders, codes, strict=True)]
    for column in columns:
        one, other = (table[column].take(pa.array(order)) for table, order in zip((now, before), orders, strict=True))
        differs[codes[0][orders[0]][np.asarray(pc.not_equal(one, other))]] = True
    return set(encoded.dictionary.filter(pa.array(differs)).to_pylist())


def rows_of(table: "pa.Table", by: str, values: "Collection[str] | pa.ChunkedArray") -> "pa.Table":
    """Return the rows with one of these values in column `by`."""
    return held_rows(table, is_in(table, by, values))


def rows_with(
    table: "pa.Table", by: str, values: "Collection[str] | pa.ChunkedArray", *columns: str
) -> Iterator[tuple[Any, ...]]:
    """Yield what some columns hold in the rows with one of these values in column `by`, without a copy of them all."""
    held, read = is_in(table, by, values), table.select(columns)
    for start in range(0, table.num_rows, tables.GROUP_ROWS):
        part = slice(start, start + tables.GROUP_ROWS)
        yield from tables.rows(held_rows(read.slice(start, tables.GROUP_ROWS), held[part]), *columns)


def split_rows(table: "pa.Table", by: str, values: "Collection[str] | pa.ChunkedArray") -> "tuple[pa.Table, pa.Table]":
    """Return the rows with one of these values in column `by`, and the others."""
    held = is_in(table, by, values)
    return held_rows(table, held), held_rows(table, ~held)


def stack(*several: "pa.Table") -> "pa.Table":
    """Return tables one below the other; those without rows are left out, as to join chunks copies them."""
    import pyarrow as pa

    return pa.concat_tables([table for table in several if table.num_rows] or several[:1])


def is_in(table: "pa.Table", by: str, values: "Collection[str] | pa.ChunkedArray") -> "NDArray[np.bool_]":
    """Tell of each row whether column `by` has one of these values."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    among = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else pa.array(values, pa.string())
    return np.asarray(pc.is_in(table[by], value_set=among))


def held_rows(table: "pa.Table", held: "NDArray[np.bool_]") -> "pa.Table":
    """Return the rows that are held, in their order."""
    import numpy as np

    return in_rows(table, np.flatnonzero(held))


def in_rows(table: "pa.Table", rows: "NDArray[np.int64]") -> "pa.Table":
    """Return some rows in their order. Where few rows are left out or moved, those between are not copied.

    Few rows are copied, and nothing else with them.

    >>> import numpy as np
    >>> import pyarrow as pa
    >>> table = pa.table({"n": range(100)})
    >>> in_rows(table, np.append(np.arange(98), 99))["n"].num_chunks, in_rows(table, np.array([5, 3]))["n"].to_pylist()
    (2, [5, 3])
    """
    import numpy as np
    import pyarrow as pa

    if not len(rows):
        return table.slice(0, 0)
    starts = np.flatnonzero(np.diff(rows, prepend=-2) != 1)
    in_pieces = len(starts) * LEAST_RUN <= len(rows)
    if not in_pieces and len(starts) > FEW_RUNS:
        return table.take(pa.array(rows))
    ends = [*starts[1:].tolist(), len(rows)]
    runs = zip(rows[starts].tolist(), starts.tolist(), ends, strict=True)
    found = pa.concat_tables([table.slice(row, end - start) for row, start, end in runs])
    return found if in_pieces else found.combine_chunks()


def by_value(
    table: "pa.Table", by: str, values: "pa.Array | pa.ChunkedArray", *columns: str
) -> Iterator[list[tuple[Any, ...]]]:
    """Yield what some columns hold in the rows of each of `values`, which are all that column `by` has.

    >>> import pyarrow as pa
    >>> table = pa.table({"id": ["b", "a", "b"], "n": [1, 2, 3]})
    >>> list(by_value(table, "id", pa.chunked_array([["a", "c", "b"]]), "n"))
    [[(2,)], [], [(1,), (3,)]]
    """
    pieces = groupby(tables.rows(in_order(table, by, values), by, *columns), key=itemgetter(0))
    piece = next(pieces, None)
    for value in values.to_pylist():
        if piece and piece[0] == value:
            yield [row[1:] for row in piece[1]]
            piece = next(pieces, None)
        else:
            yield []


def row_indices(ids: "pa.Array | pa.ChunkedArray", among: "pa.Array | pa.ChunkedArray") -> "NDArray[np.int64]":
    """Return the row of each id in a column of them, all different, -1 where it is none.

    Where ids are all of the column in its order, as often as they come, none is looked up.

    >>> import pyarrow as pa
    >>> [row_indices(pa.array([*ids], pa.string()), pa.array(["a", "b"])).tolist() for ids in ("aab", "acb", "bca", "")]
    [[0, 0, 1], [0, -1, 1], [1, -1, 0], []]
    """
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    values = among.combine_chunks() if isinstance(among, pa.ChunkedArray) else among
    if len(ids) >= len(values) > 0 and ids[0] == values[0] and ids[-1] == values[-1]:
        ids = ids.combine_chunks() if isinstance(ids, pa.ChunkedArray) else ids
        begins = np.append(0, np.flatnonzero(np.asarray(pc.not_equal(ids[1:], ids[:-1]))) + 1)
        if len(begins) == len(values) and ids.take(pa.array(begins)).equals(values):
            return np.repeat(np.arange(len(values)), np.diff(begins, append=len(ids)))
    return np.asarray(pc.fill_null(pc.index_in(ids, value_set=values), -1)).astype(np.int64)


def in_order(table: "pa.Table", by: str, values: "pa.Array | pa.ChunkedArray") -> "pa.Table":
    """Return the rows in the order that `values` gives the values of column `by`, else as they stand."""
    import numpy as np

    found = row_indices(table[by], values)
    return table if (np.diff(found) >= 0).all() else in_rows(table, np.argsort(found, kind="stable"))


def id_lists(
    owners: "NDArray[np.int64]", positions: "NDArray[np.int64]", ids: "pa.ChunkedArray | pa.Array", n: int
) -> "pa.ListArray":
    """Return the ids at some places as a list for each of `n` owners, which ascend."""
    import numpy as np
    import pyarrow as pa

    values = ids.take(pa.array(positions))
    offsets = pa.array(np.searchsorted(owners, np.arange(n + 1)), pa.int32())
    return pa.ListArray.from_arrays(offsets, values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values)


def ids_beside(table: "pa.Table", named: "pa.ChunkedArray | pa.Array", ids: "pa.ChunkedArray") -> "pa.ListArray":
    """Return, for every row of a table, those `ids` that stand beside its own among the `named`, in their order."""
    import numpy as np

    rows = row_indices(named, table["id"])
    order = np.argsort(rows, kind="stable")[np.count_nonzero(rows < 0) :]
    return id_lists(rows[order], order, ids, table.num_rows)


def numbered_ids(table: "pa.Table", n_stable: int, gone: Sequence[str]) -> list[str]:
    """Return the ids of rows of documents: `n_kept` have one, those behind them a key, a hash of what they say.

    Equal keys are numbered by document and place: what is `gone`, or came, gives those of its key other numbers.
    """
    ids: list[str] = table["id"].to_pylist()
    row_of = {identity: row for row, identity in enumerate(ids[:n_stable])}
    equal: dict[str, list[int]] = {key: [] for key in gone}
    for row, key in enumerate(ids[n_stable:], n_stable):
        equal.setdefault(key, []).append(row)
    missing = Counter(gone)
    for key, rows in equal.items() if row_of else ():
        for n in count():
            if (identity := tables.content_id(key, str(n))) in row_of:
                rows.append(row_of[identity])
            elif missing[key]:
                missing[key] -= 1
            else:
                break
    documents, ordinals = table["document_id"], table["ordinal"]
    for key, rows in equal.items():
        if len(rows) > 1:
            rows.sort(key=lambda row: (documents[row].as_py(), ordinals[row].as_py()))
        for n, row in enumerate(rows):
            ids[row] = tables.content_id(key, str(n))
    return ids
