"""What is read of a question is read once and handed down: its way through local search rarely goes back to a module."""

import sys
from pathlib import Path

import pytest

import graphrag_lite

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import question_way

MOST = 8


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("way")
    graphrag_lite.index(question_way.ROOT / "examples" / "corpus", place)
    return place


@pytest.mark.parametrize("question", question_way.QUESTIONS)
def test_the_way_of_a_question_rarely_goes_back(root: Path, question: str) -> None:
    steps = question_way.way(root, question)
    assert len(steps) > MOST
    assert len(question_way.returns(steps)) <= MOST
