"""Corpora that nobody here wrote are indexed without a failure, and checked."""

from collections.abc import Callable
from pathlib import Path

import pytest

from graphrag_lite import checking, pipeline
from graphrag_lite.settings import Settings


@pytest.mark.parametrize("place", ["reading/crash", "qa/covidqa/corpus.jsonl"])
def test_overlapping_text_units_that_cut_a_sentence_are_no_trouble(place: str, shared: Path, tmp_path: Path) -> None:
    run = pipeline.index(shared / place, tmp_path / "output", Settings())
    assert not run.n_failures and not checking.check(run.snapshot).problems


def test_a_thai_name_that_begins_like_a_title_is_no_trouble(corpus: Callable[..., Path], tmp_path: Path) -> None:
    text = "เมื่อวานนี้อเล็กซานดราเดินทางไปกรุงเทพ และ ดร.สมชายเดินทางมาด้วย\n"
    run = pipeline.index(corpus({"a.txt": text}), tmp_path / "output", Settings())
    assert not run.n_failures and not checking.check(run.snapshot).problems
