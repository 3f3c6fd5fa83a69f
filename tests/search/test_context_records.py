"""What a model is shown: numbers, budgets, passages."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from linear import assert_linear

from graphrag_lite import pipeline
from graphrag_lite.evidence.records import Record, Shown, record_line
from graphrag_lite.search.answer import Statement
from graphrag_lite.search.context_records import (
    RecordSection,
    TokenEstimate,
    cut_record,
    pack,
    render,
    text_unit_records,
)
from graphrag_lite.search.index import Index
from graphrag_lite.settings import Settings

COUNT = TokenEstimate(0.25)


def record(*lines: str, place: int = 0) -> Record:
    return Record(lines, {1: (Statement(0, place, place + 1),)})


LINES = st.lists(st.text("ab", min_size=1, max_size=200), min_size=1, max_size=4)
SECTIONS = st.lists(st.tuples(st.floats(0, 1), st.lists(LINES, max_size=8)), min_size=1, max_size=5)


@given(SECTIONS, st.integers(1, 400))
def test_a_budget_is_kept_whatever_is_packed(made: list[tuple[float, list[list[str]]]], budget: int) -> None:
    total = sum(share for share, _ in made) or 1.0
    sections = [RecordSection("S", share / total, [record(*lines) for lines in records]) for share, records in made]
    chosen = pack(sections, budget, COUNT)
    assert sum(COUNT(item) for items in chosen for item in items) <= budget
    for section, items in zip(sections, chosen, strict=True):
        whole = [item for item in items if item in section.records]
        assert whole == list(section.records[: len(whole)]) and len(items) - len(whole) <= 1


def test_what_a_section_leaves_goes_to_the_others() -> None:
    long = [record("x" * 36, place=i) for i in range(10)]  # 10 tokens each
    assert [len(s) for s in pack([RecordSection("A", 0.5, long), RecordSection("B", 0.5, [])], 100, COUNT)] == [10, 0]
    assert [len(s) for s in pack([RecordSection("A", 0.5, long), RecordSection("B", 0.5, long)], 100, COUNT)] == [5, 5]
    assert [len(s) for s in pack([RecordSection("A", 0.2, long), RecordSection("B", 0.8, long[:4])], 100, COUNT)] == [
        6,
        4,
    ]


def test_the_record_that_ends_a_section_is_cut_to_its_first_lines() -> None:
    long = record("heading", "x" * 36, "y" * 36)
    assert cut_record(long, 100, COUNT) is long
    assert cut_record(long, 14, COUNT) == Record(("heading", "x" * 36), long.citations)
    assert cut_record(long, 9, COUNT) is None


def test_numbers_stand_in_the_order_of_the_context_and_equal_places_share_one() -> None:
    here, there = (Statement(0, 0, 5),), (Statement(1, 0, 5), Statement(2, 0, 5))
    sections = [
        RecordSection("Last", 0.5, [Record(("[2] b and [1]", "[3] unknown"), {1: here, 2: there})]),
        RecordSection("First", 0.5, [Record(("[1] a",), {1: here})]),
    ]
    shown = Shown()
    assert render(sections, 1000, COUNT, shown) == "## First\n\n[1] a\n\n## Last\n\n[2] b and [1]\n unknown"
    assert shown.citations == [here, there] and shown.marks == range(1, 3)


@pytest.mark.parametrize("char", ["[", "a", " ", "1", "\n", "。"])
def test_a_megabyte_of_one_character(char: str) -> None:
    assert_linear(record_line, char)


@pytest.fixture
def index(corpus: Callable[..., Path], tmp_path: Path) -> Index:
    said = "".join(f"Sentence number {i} of Ann Miller says a little about the river Thames.\n" for i in range(120))
    folder = corpus(
        {
            "long.txt": f"# River\n\n{said}",
            "rows.jsonl": [
                {"id": "r1", "title": "Bob [3]", "text": "He cites [12] it.\n\n\n  So.", "timestamp": "2020-05-01"}
            ],
            "zho.txt": "青铜器来自商代。它们很古老。",
        }
    )
    values = Settings.model_validate({"split_text_units": {"size": 300, "overlap": 100}})
    return Index(pipeline.index(folder, tmp_path / "output", values).snapshot)


def test_passages_are_numbered_resolved_and_never_shown_twice(index: Index) -> None:
    sources = index.arrow("documents")["text"].to_pylist()
    units = list(range(index.n_rows("text_units")))
    records = text_unit_records(index, units)
    seen: dict[int, list[tuple[int, int]]] = {}
    for item in records:
        assert [line.split("]")[0] for line in item.lines[1:]] == [f"[{i}" for i in item.citations]
        for (place,), line in zip(item.citations.values(), item.lines[1:], strict=True):
            row = index.document_row[place.unit]
            said = " ".join(sources[row][place.start : place.end].split())
            assert " ".join(line.split()).endswith(said.replace("[12]", "(12)"))
            unit = index.arrow("text_units").slice(place.unit, 1).to_pylist()[0]
            assert unit["char_start"] <= place.start < place.end <= unit["char_end"]
            assert all(place.end <= a or b <= place.start for a, b in seen.setdefault(row, []))
            seen[row].append((place.start, place.end))
    assert len(records) >= 7
    headings = {item.lines[0] for item in records}
    assert "From Bob (3), 2020-05-01:" in headings


def test_tokens_are_estimated_at_the_corpus_own_rate(index: Index) -> None:
    table = index.arrow("text_units")
    count = TokenEstimate.of(index)
    estimate = sum(count.line(content) for content in table["text"].to_pylist())
    assert abs(estimate - sum(table["n_tokens"].to_pylist())) < 2 * len(table) + 2
