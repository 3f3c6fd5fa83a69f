"""What is quoted is found where it stands, however a model writes it."""

from hypothesis import given
from hypothesis import strategies as st

from graphrag_lite.evidence.quotations import Quotable

TEXTS = st.text(alphabet="abÄß “”,.\n中", min_size=1, max_size=60)


@given(TEXTS, st.data())
def test_words_of_a_text_are_found_as_they_are(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    quotation = text[start : data.draw(st.integers(start + 1, len(text)))]
    spans = Quotable(text).find(quotation)
    assert [text[slice(*span)] for span in spans] == ([quotation.strip()] if quotation.strip() else [])


@given(TEXTS, st.text(alphabet="abc…;. ", max_size=30))
def test_spans_are_in_the_text_and_in_order(text: str, quotation: str) -> None:
    spans = Quotable(text).find(quotation)
    ends = [place for span in spans for place in span]
    assert ends == sorted(ends) and all(0 <= start < end <= len(text) for start, end in spans)


def test_case_marks_line_breaks_and_gaps_are_no_difference() -> None:
    text = Quotable("He said: “The deal was\n  signed in Oslo”. Nobody knew. The price was never told.")
    assert text.find('the deal was signed in oslo"') == text.find("The deal was\n  signed in Oslo")
    assert [text.text[slice(*s)] for s in text.find("The deal … the price was")] == ["The deal", "The price was"]
    assert [text.text[slice(*s)] for s in text.find("signed in Oslo; by the King")] == ["signed in Oslo"]
    assert text.find("the price … the deal") == [] and text.find("King") == []
