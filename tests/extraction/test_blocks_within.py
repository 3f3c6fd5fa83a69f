"""Blocks in a stretch of a document, and sentences outside of them, however blocks nest."""

from itertools import accumulate

from hypothesis import given
from hypothesis import strategies as st

from graphrag_lite.extraction.blocks import clip_blocks
from graphrag_lite.temporal.statements import Document, TypedName, statements

SPANS = st.lists(st.tuples(st.integers(0, 60), st.integers(1, 60)).map(lambda one: (one[0], one[0] + one[1]))).map(
    sorted
)
SENTENCE = "Ann met Bo in May 2006. "


@given(spans=SPANS, start=st.integers(0, 60), size=st.integers(1, 30))
def test_blocks_of_a_stretch_are_all_that_reach_into_it(spans: list[tuple[int, int]], start: int, size: int) -> None:
    blocks = [{"kind": "code", "label": "", "char_start": first, "char_end": last} for first, last in spans]
    found = clip_blocks(blocks, list(accumulate((last for _, last in spans), max)), start, start + size)
    inside = [(first, last) for first, last in spans if first < start + size and last > start]
    assert [(block.start, block.end) for block in found] == [
        (max(first - start, 0), min(last, start + size) - start) for first, last in inside
    ]


@given(spans=SPANS)
def test_no_sentence_that_begins_in_a_block_states_anything(spans: list[tuple[int, int]]) -> None:
    text = SENTENCE * 4
    names = [
        TypedName(at + place, name)
        for at in range(0, len(text), len(SENTENCE))
        for place, name in ((0, "Ann"), (8, "Bo"))
    ]
    document = Document("d", text, "", "en", "", [("u", 0, len(text))], names, unread=spans)
    begins = range(0, len(text), len(SENTENCE))
    read = [at for at in begins if not any(first <= at < last for first, last in spans)]
    assert [one.char_start for one in statements(document)] == read
