"""What a log of changes says in passing goes behind what a manual says, unless the question may be about a change."""

from collections.abc import Callable
from pathlib import Path

import pytest

from graphrag_lite import pipeline
from graphrag_lite.search.index import Index
from graphrag_lite.settings import Settings

LOG = "# What's new in 2.0\n\nThe drain worker of Quill now drains the drain queue.\n\nA drain worker drains faster.\n"
MANUAL = (
    "# Workers\n\nYou begin here. A drain worker empties the queue of Quill, and a mail worker sends what is in it.\n"
)


@pytest.mark.parametrize(
    ("question", "first"),
    [("What does a drain worker do?", "Workers"), ("Which drain worker is faster since 2.0?", "What's new in 2.0")],
)
def test_a_log_goes_first_where_a_change_may_be_meant(
    question: str, first: str, corpus: Callable[..., Path], tmp_path: Path
) -> None:
    other = {f"{n}.md": f"# Chapter {n}\n\nThe mail of Quill has {n} parts.\n" for n in range(3)}
    run = pipeline.index(corpus({"log.md": LOG, "manual.md": MANUAL} | other), tmp_path / "output", Settings())
    passages = Index(run.snapshot, Settings()).search(question)
    assert passages[0].title == first
