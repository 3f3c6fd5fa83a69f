"""JSON read by its parts says what it says as a whole, and is never held whole."""

import json
import tracemalloc
from typing import Any
from unittest.mock import patch

import exports
from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag_lite.read import encoding, json_values
from graphrag_lite.read.documents import Fields, Loaded
from graphrag_lite.read.encoding import decode
from graphrag_lite.read.readers import all_readers

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-999, 999) | st.text(max_size=40),
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text(max_size=9), inner, max_size=6),
)


def held(value: Any) -> Any:
    if json_values.is_list(value):
        return [held(each) for each in value]
    return {name: held(each) for name, each in value.items()} if isinstance(value, dict) else value


@settings(max_examples=60)
@given(
    VALUES, st.sampled_from([16, 40]), st.integers(1, 20), st.sampled_from([None, 1]), st.floats(0, 2), st.booleans()
)
def test_it_is_what_the_standard_library_reads(
    value: Any, at_once: int, piece: int, indent: int | None, share: float, ascii_only: bool
) -> None:
    data = json.dumps(value, indent=indent, ensure_ascii=ascii_only).encode("utf-8", "replace")
    data = data[: int(share * len(data))] if share < 1 else data
    try:
        expected = json.loads(decode(data))
    except ValueError:
        expected = ValueError
    with patch.object(json_values, "AT_ONCE", at_once), patch.object(encoding, "PIECE", piece):
        try:
            found = held(json_values.long_value(data))
        except ValueError:
            found = ValueError
    assert found == expected


def test_what_is_deep_is_not_read_again_at_each_depth() -> None:
    """Each piece that is read counts: 60 lists in each other took 11 s for 2 MB."""
    value: Any = ["x" * 90] * 90
    for _ in range(60):
        value = [value]
    n_pieces = 0

    def counted(data: bytes) -> Any:
        nonlocal n_pieces
        for piece in encoding.decoded_pieces(data):
            n_pieces += 1
            yield piece

    data = json.dumps(value).encode()
    with (
        patch.object(json_values, "AT_ONCE", 64),
        patch.object(encoding, "PIECE", 64),
        patch.object(json_values, "decoded_pieces", counted),
    ):
        assert held(json_values.long_value(data)) == value
    assert n_pieces < 15 * len(data) / 64


def test_a_long_list_is_never_held_whole() -> None:
    said = {"type": "message", "from": "Ann Lee", "text": "Is it open in Oslo? " * 20}
    messages = [said | {"id": n, "date": f"2024-02-{n // 36 + 1:02}T10:00:00"} for n in range(990)]
    data = json.dumps(exports.TELEGRAM | {"messages": messages}).encode()
    list(all_readers().read(json.dumps(exports.TELEGRAM).encode(), "a.json", Fields()))  # what it takes to read at all
    with patch.object(json_values, "AT_ONCE", 4096), patch.object(encoding, "PIECE", 4096):
        tracemalloc.start()
        n = sum(isinstance(item, Loaded) for item in all_readers().read(data, "a.json", Fields()))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert n == 28 and peak < 2.5 * len(data), peak / len(data)
