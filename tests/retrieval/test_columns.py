"""Columns of mapped tables: the same values as Arrow's own, of whole tables, of slices and of empty ones."""

from bisect import bisect_left
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag_lite import tables
from graphrag_lite.retrieval.columns import Strings, lists, numbers


@settings(deadline=None)
@given(st.lists(st.text()), st.data())
def test_strings_are_those_of_the_column_and_sorted_ones_are_found(words: list[str], data: st.DataObject) -> None:
    words = sorted(words)
    first = data.draw(st.integers(0, len(words)))
    column = Strings(pa.chunked_array([pa.array(words, pa.string())]).slice(first))
    assert list(column) == words[first:] and len(column) == len(words) - first
    assert all(column[bisect_left(column, word)] == word for word in words[first:])
    assert column[1:3] == words[first:][1:3]


@pytest.mark.parametrize("i", [-1, 1])
def test_there_is_no_string_outside_of_the_column(i: int) -> None:
    with pytest.raises(IndexError):
        Strings(pa.chunked_array([["one"]]))[i]


@pytest.mark.parametrize("rows", [[], [[]], [[], [3], [], [1, 2]]])
def test_mapped_lists_and_numbers_are_those_that_were_written(rows: list[list[int]], tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    columns = {
        "document": list(range(len(rows))),
        "day": [7] * len(rows),
        "order": [0] * len(rows),
        "length": [9] * len(rows),
        "entities": rows,
        "counts": rows,
    }
    tables.write(tmp_path, "search_units", tables.make_columns("search_units", **columns))
    data = tables.read(tmp_path, "search_units")
    for name, kind in (("entities", "int32"), ("counts", "uint16")):
        offsets, values = lists(data[name], kind)
        found = [values[start:end].tolist() for start, end in zip(offsets[:-1], offsets[1:], strict=True)]
        assert found == rows and len(values) == sum(map(len, rows))
    assert numbers(data["document"], "int32").tolist() == columns["document"]


@settings(deadline=None)
@given(st.lists(st.text("abéд\U0001f600", max_size=6)), st.data())
def test_strings_by_size_and_ending_and_their_code_points(words: list[str], data: st.DataObject) -> None:
    first = data.draw(st.integers(0, len(words)))
    column = Strings(pa.chunked_array([pa.array(words, pa.string())]).slice(first))
    words = words[first:]
    start, least = data.draw(st.integers(0, len(words))), data.draw(st.integers(0, 9))
    places = column.of_size(least, least + 4, start, len(words))
    assert places.tolist() == [i for i in range(start, len(words)) if least <= len(words[i].encode()) <= least + 4]
    assert column.of_size(0, 99).tolist() == list(range(len(words)))
    tail = data.draw(st.text("abéд", max_size=1)).encode()
    long = column.of_size(len(tail), 99)
    assert column.ending(long, tail).tolist() == [i for i in long.tolist() if words[i].encode().endswith(tail)]
    points, lengths = column.code_points(places)
    rows = [[ord(character) for character in words[i]] for i in places.tolist()]
    assert [row[:n].tolist() for row, n in zip(points, lengths.tolist(), strict=True)] == rows
    assert not any(row[n:].any() for row, n in zip(points, lengths.tolist(), strict=True))
