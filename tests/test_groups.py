"""Which groups of rows differ between two tables."""

from collections import defaultdict

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from graphrag_lite.tables import groups

ROWS = st.lists(st.tuples(st.sampled_from("abcd"), st.integers(0, 2), st.sampled_from("xy")), max_size=12)


def table(rows: list[tuple[str, int, str]]) -> pa.Table:
    columns = zip(*rows, strict=True) if rows else ((), (), ())
    arrays = (pa.array(c, kind) for c, kind in zip(columns, (pa.string(), pa.int64(), pa.string()), strict=True))
    return pa.table(dict(zip(("id", "n", "t"), arrays, strict=True)))


@given(ROWS, ROWS)
def test_a_group_is_changed_where_its_rows_are_others_or_in_another_order(
    now: list[tuple[str, int, str]], before: list[tuple[str, int, str]]
) -> None:
    held: list[dict[str, list[tuple[int, str]]]] = [defaultdict(list), defaultdict(list)]
    for group, rows in zip(held, (now, before), strict=True):
        for identity, *rest in rows:
            group[identity].append((rest[0], rest[1]))
    expected = {identity for identity in {*held[0], *held[1]} if held[0][identity] != held[1][identity]}
    assert groups.changed_keys(table(now), table(before), "id", ("n", "t")) == expected


@given(st.lists(st.integers(0, 299), max_size=4), st.lists(st.integers(0, 299), max_size=2))
def test_rows_are_taken_in_their_order_by_slices_as_by_copying(without: list[int], moved: list[int]) -> None:
    numbers = pa.table({"n": range(300)})
    rows = np.array([row for row in range(300) if row not in without] + moved)
    assert groups.in_rows(numbers, rows)["n"].to_pylist() == rows.tolist()
