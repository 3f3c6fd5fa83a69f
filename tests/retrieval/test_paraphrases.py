"""What texts say in the place of a question's words."""

import re
from importlib import resources

import pytest

import graphrag_lite
from graphrag_lite.retrieval.paraphrases import paraphrase_terms

NOTES = {
    "mail.md": "# Mail\n\n## Deleting a message\n\nPress d, and the message is marked for deletion.\n\n"
    "## Forwarding\n\nPress f to forward a message to somebody else.\n",
    "weights.md": "# Weights\n\nThe throw of the lever is nine centimetres. Keep away from the mill when it turns.\n",
    "people.md": "# People\n\nThe new miller lives above the mill. Her brother paints the sails.\n",
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> graphrag_lite.Index:
    folder = tmp_path_factory.mktemp("paraphrase_terms")
    for name, text in NOTES.items():
        (folder / "corpus" / name).parent.mkdir(exist_ok=True)
        (folder / "corpus" / name).write_text(text, encoding="utf-8")
    return graphrag_lite.index(folder / "corpus", folder / "output")


def test_a_task_is_found_by_the_words_of_its_heading(index: graphrag_lite.Index) -> None:
    answer = index.query("How do I throw a message away?")
    assert answer.documents[0] == "mail.md"
    assert "marked for deletion" in answer.answer.partition("[1]")[0]


def test_what_is_told_in_other_words_is_not_refused_and_what_no_words_tell_is(index: graphrag_lite.Index) -> None:
    assert not index.query("How do I wipe a message?").abstained
    assert index.query("How do I juggle and polish pianos?").abstained


def test_names_are_not_said_otherwise(index: graphrag_lite.Index) -> None:
    from graphrag_lite.retrieval.question import Question

    assert "delet" not in Question(index, "Who is Mr. Wipe?").other_words.get("wipe", set())


def test_an_expression_may_stand_apart_but_not_far_and_in_order() -> None:
    assert "delet" in paraphrase_terms("How do I throw all my mails away?", "en")["away"]
    assert "away" not in paraphrase_terms("How far away do I throw the ball?", "en")
    assert "away" not in paraphrase_terms("Who can throw the ball of my neighbour as far away?", "en")


@pytest.mark.parametrize("language", ["de", "en", "es", "fr"])
def test_every_line_has_words_that_ask_and_others_that_tell(language: str) -> None:
    text = (resources.files("graphrag_lite.retrieval") / "paraphrases.txt").read_text(encoding="utf-8")
    lines = text.split(f"[{language}]\n")[1].split("\n\n")[0].splitlines()
    assert lines
    for line in lines:
        assert re.fullmatch(r"[\w -]+: [\w -]+", line), line
        assert paraphrase_terms(line.partition(":")[0].replace("_", " "), language), line
