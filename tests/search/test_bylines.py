"""Who wrote what a question names is told by the document's byline, cited; other questions are none of its business."""

import pytest

from graphrag_lite import pipeline
from graphrag_lite.search.index import Index
from graphrag_lite.settings import Settings

BEES = "The Bees of Kent\n\nBy Harold Finch\n\nBees have declined since 1990. By Maidstone Orchard they thrive."
WALLS = "# How to mend a wall\n\n**Author:** Ruth Calder, 4 March 2021\n\nStart with the largest stones at the foot."
ROLLOUT = "---\ntitle: Rollout report\nauthor: Jane [1] Doe\n---\nThe rollout took nine weeks. Mark Ellis wrote it up."

NOTES = "---\ntitle: Zep v3.4.2\nauthors: [ann, {name: Bo Lee}]\n---\nIt brings pumps."


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    root = tmp_path_factory.mktemp("bylines")
    (root / "corpus").mkdir()
    (root / "corpus" / "bees.txt").write_text(BEES)
    (root / "corpus" / "walls.md").write_text(WALLS)
    (root / "corpus" / "rollout.md").write_text(ROLLOUT)
    (root / "corpus" / "notes.md").write_text(NOTES)
    return Index(pipeline.index(root / "corpus", root / "output", Settings()).snapshot)


@pytest.mark.parametrize(
    "question", ["Who is the author of The Bees of Kent?", "Wer hat den Artikel Bees of Kent geschrieben?"]
)
def test_the_byline_answers(index: Index, question: str) -> None:
    answer = index.query(question)
    assert answer.answer.startswith("The Bees of Kent: By Harold Finch [1]")
    assert [cited.text for cited in answer.citations] == ["By Harold Finch"]


@pytest.mark.parametrize(
    "question", ["Who wrote Hamlet?", "Who wrote about the walls of Kent?", "Where do bees thrive?"]
)
def test_no_byline_answers_what_is_not_asked_of_it(index: Index, question: str) -> None:
    assert not {"By Harold Finch", "Ruth Calder"} & {cited.text for cited in index.query(question).citations}


def test_the_authors_of_a_post_are_told_by_its_version(index: Index) -> None:
    answer = index.query("Who wrote the post about version 3.4.2?")
    assert answer.answer == "Zep v3.4.2: its metadata names the author ann, Bo Lee."
