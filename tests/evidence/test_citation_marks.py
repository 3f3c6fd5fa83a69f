"""Marks of every kind that models write are read; none that was not shown stays."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from linear import assert_linear

from graphrag_lite.evidence.citation_marks import Marks, complete_length, escape_marks, rewrite


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("A [3].", "A [1]."),
        ("A [3, 5].", "A [1][2]."),
        ("A [3][5][3].", "A [1][2][1]."),
        ("A [3;5] [ 3 ].", "A [1][2] [1]."),
        ("A [3, 3].", "A [1]."),
        ("A [3-5].", "A [1][2][3]."),
        ("A [^3].", "A [1]."),
        ("A [#3, #5].", "A [1][2]."),
        ("A [3 and 5].", "A [1][2]."),
        ("A [Data: Entities (3, 5); Relationships (8, +more)].", "A [1][2][3]."),
        ("A [Data: Reports (3)] [record 5].", "A [1] [2]."),
        ("甲【3】，乙［5、8］。", "甲[1]，乙[2][3]。"),
        ("甲【3†source】。", "甲[1]。"),
        ("أ [٣، ٥].", "أ [1][2]."),
        ("A [99].", "A."),
        ("A [3, 99] b [99][98] c.", "A [1] b c."),
        ("Line [99]\n\nNext [3].", "Line\n\nNext [1]."),
        (
            "He [sic] was [1.5] in [chapter 3], a[i], [], [Data].",
            "He [sic] was [1.5] in [chapter 3], a[i], [], [Data].",
        ),
    ],
)
def test_marks_are_read_in_every_form(written: str, kept: str) -> None:
    assert Marks(shown={3, 4, 5, 8}).renumber(written) == kept


def test_every_mark_of_real_reports_is_read(shared: Path) -> None:
    n_marks = 0
    for index in ("dulce_index", "msgraphrag_verbs_fixture"):
        for line in (shared / "replay" / index / "community_reports.jsonl").read_text().splitlines():
            text = json.loads(line)["full_content"]
            n_marks += text.count("[Data:")
            marks = Marks(shown=range(10_000))
            assert "[Data:" not in marks.renumber(text)
            assert sorted(marks.numbers.values()) == list(range(1, len(marks.numbers) + 1))
            listed = re.findall(r"\[Data:[^\]]*\]", text)
            assert set(marks.numbers) == {int(n) for mark in listed for n in re.findall(r"\d+", mark)}
    assert n_marks > 500


@pytest.mark.parametrize("piece", ["[", "]", " ", "1", "[1", "[1]", "[1,", "【1", "[Data: ", "a", "[1-", "\n"])
def test_a_megabyte_of_anything_is_read_at_once(piece: str) -> None:
    def read(text: str) -> None:
        Marks(shown={1}).renumber(text)
        escape_marks(text)
        complete_length(text)

    assert_linear(read, piece)


def test_a_text_of_the_corpus_holds_no_marks_of_ours() -> None:
    text = "Founded in 1990.[12] See [3, 4] and [a], [5"
    assert escape_marks(text) == "Founded in 1990.(12) See (3, 4) and [a], [5"
    assert rewrite(escape_marks(text), lambda _: 1) == escape_marks(text)


@given(st.text("a 1,[]\n", max_size=60), st.integers(1, 5))
def test_a_streamed_answer_is_renumbered_as_a_whole_one(text: str, step: int) -> None:
    whole, streamed = Marks(shown={1}), Marks(shown={1})
    held, said = "", ""
    for i in range(0, len(text), step):
        held += text[i : i + step]
        n = complete_length(held)
        said += streamed.renumber(held[:n])
        held = held[n:]
    assert said + streamed.renumber(held) == whole.renumber(text)
    assert streamed == whole
