"""A question is read once, whatever asks for it, and nothing of it is left in the index."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from graphrag_lite import pipeline
from graphrag_lite.retrieval import question, readings
from graphrag_lite.retrieval.question import Question
from graphrag_lite.search.index import Index
from graphrag_lite.settings import Settings

ASKED = "When did Lyman Spitser propose the telescope, since 1946?"


@pytest.fixture
def index(tmp_path: Path) -> Index:
    (tmp_path / "corpus").mkdir()
    first = "Lyman Spitzer proposed a telescope in 1946, which was to be above the air, and he was not heard."
    second = "Ann Li saw the telescope when it was built, and said that she had never seen one that was as large."
    for name, text in (("one", first), ("two", second)):
        (tmp_path / "corpus" / f"{name}.txt").write_text(f"Date: 2020-03-04\n\n{text}")
    return Index(pipeline.index(tmp_path / "corpus", tmp_path / "output", Settings()).snapshot)


@pytest.mark.parametrize("method", ["local", "basic", "global"])
def test_what_the_index_makes_of_a_question_is_told_once(
    index: Index, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: Counter[str] = Counter()

    def count(module: Any, name: str) -> None:
        own = getattr(module, name)

        def counting(text: Any, *rest: Any, **more: Any) -> Any:
            counted[name] += text in (ASKED, ASKED.replace("Spitser", "Spitzer"))
            return own(text, *rest, **more)

        monkeypatch.setattr(module, name, counting)

    count(question, "question_languages")
    count(question, "respell")
    count(question, "without_asking")
    count(question, "names_within")
    count(readings, "readings")
    count(question, "find_parts")
    count(question, "question_times")
    count(question, "read_wording")
    count(question, "requested_attributes")
    count(question, "definition_question")
    count(question, "content_words")
    answer = index.query(ASKED, method)
    assert answer.readings == {"Spitser": "Spitzer"}
    assert counted["question_languages"] == counted["readings"] == counted["respell"] == 1
    counted["question_times"] -= 1  # as it is written, too: what says when is no typing error
    assert max(counted.values()) == 1, counted
    if method == "local":
        assert set(counted.values()) == {1} and len(counted) == 11, counted


def test_the_index_keeps_nothing_of_a_question(index: Index) -> None:
    index.query("Who was Lyman Spitser?")
    before = {name: value for name, value in vars(index).items() if not name.startswith("_")}
    index.query("Who was Ann Lii, and when?")
    assert {name: value for name, value in vars(index).items() if name in before} == before


def test_two_questions_do_not_disturb_each_other(index: Index) -> None:
    one, other = Question(index, "Who was Spitser?"), Question(index, "Who was Ann Lii?")
    assert (one.readings, other.readings) == ({"Spitser": "Spitzer"}, {})
    assert one.terms == ["who", "spitzer"] and other.text == other.as_read


def test_a_word_that_asks_for_an_attribute_is_no_typing_error(tmp_path: Path) -> None:
    (tmp_path / "corpus").mkdir()
    ordered = "Sam Li gave Ann Cruz the order to land. Then it rained on the hills, and nobody came for the whole week."
    (tmp_path / "corpus" / "one.txt").write_text(ordered)
    (tmp_path / "corpus" / "two.txt").write_text("The mill turned slowly in the wind of the north.")
    orders = Index(pipeline.index(tmp_path / "corpus", tmp_path / "output", Settings()).snapshot)
    assert Question(orders, "Is Sam Li older than Ann Cruz?").readings == {}


def test_a_month_that_no_text_names_is_no_typing_error(index_of: Callable[..., Index]) -> None:
    chat = index_of({"a.jsonl": '{"speaker": "Jude", "timestamp": "2026-06-03T10:00:00", "text": "Jude is here."}\n'})
    asked = Question(chat, "What did Jude write in June 2026?")
    assert asked.readings == {} and [str(one.first) for one in asked.periods] == ["2026-06-01"]
    assert Question(chat, "What did Judde write?").readings == {"Judde": "Jude"}
