"""Places in a text are found again in what a page holds of it."""

from hypothesis import given
from hypothesis import strategies as st

from graphrag_lite.text.plain_text import printable, utf16_offsets

TEXTS = st.text(st.sampled_from("aé \n\t\x07\x9d\x00\u202e\u2066\u200f😀𠀋ن"), max_size=30)


@given(TEXTS, st.data())
def test_a_span_is_the_same_words_in_utf16(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    moved = utf16_offsets(text)
    units = printable(text).encode("utf-16-le")
    assert units[2 * moved(start) : 2 * moved(end)].decode("utf-16-le") == printable(text[start:end])
