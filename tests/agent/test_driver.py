"""The agent without a model: what it looks at, when it stops, and that it says the same every time."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag_lite.agent.driver import own_passages
from graphrag_lite.agent.pages import LEAST
from graphrag_lite.agent.session import MEMORY
from graphrag_lite.agent.tools import SHARE
from graphrag_lite.cli import main
from graphrag_lite.errors import InputError
from graphrag_lite.memory.store import MESSAGE, Memory
from graphrag_lite.pipeline import index as build
from graphrag_lite.retrieval.question import Question
from graphrag_lite.retrieval.ranking import text_unit_scores
from graphrag_lite.search.index import Index
from graphrag_lite.settings import Settings

EXAMPLE = Path(__file__).parents[2] / "examples" / "corpus"
QUESTIONS = [
    "Who proposed a large telescope in space?",
    "Which came first, the launch of Hubble or the failure of 27 September 2008?",
    "What is the corpus about?",
    "Zzyzx?",
    "the?",
    "哈勃望远镜",
]


@pytest.fixture(scope="module")
def opened(sample: Path) -> Index:
    return Index(sample)


@settings(deadline=None, max_examples=10)
@given(st.sampled_from(QUESTIONS), st.integers(1, 12), st.integers(SHARE * LEAST, 9000))
def test_looks_stay_within_steps_and_budget_and_are_the_same_every_time(
    opened: Index, question: str, steps: int, tokens: int
) -> None:
    one, again = (opened.query(question, "agent", steps=steps, tokens=tokens) for _ in range(2))
    assert one == again and 1 <= len(one.steps) <= steps
    assert [step["in_use"] for step in one.steps][-1] == sum(step["tokens"] for step in one.steps) <= tokens
    assert max(step["tokens"] for step in one.steps) <= tokens // SHARE
    texts = opened.documents.set_index("source_id").text
    assert all(texts[cited.document][cited.char_start : cited.char_end] == cited.text for cited in one.citations)


def test_each_event_of_a_question_about_two_is_looked_for(opened: Index) -> None:
    asked = [step["arguments"].get("query") for step in opened.query(QUESTIONS[1], "agent").steps]
    assert asked[:3] == [QUESTIONS[1], "the launch of Hubble", "the failure of 27 September 2008"]


def test_a_question_longer_than_a_query_may_be_is_asked(opened: Index) -> None:
    steps = opened.query("Who proposed a large telescope in space? " * 200, "agent").steps
    assert steps and all(len(step["arguments"].get("query", "")) <= 2000 for step in steps)


def test_a_name_that_is_found_and_not_asked_for_is_followed(index_of: Callable[..., Index]) -> None:
    texts = {
        "a.txt": "Ada Holt planted the Velm Orchard in 1912. Cy Ray bought the Velm Orchard later.",
        "b.txt": "Cy Ray was born in Tarn. Cy Ray was a miller and had four sons.",
        "c.txt": "Moss Mill stands empty. Nobody goes there.",
    }
    index = index_of(texts)
    answer = index.query("Where was the man born who bought the Velm Orchard?", "agent")
    assert any(step["arguments"]["query"].startswith("Cy Ray ") for step in answer.steps[1:])
    assert answer.documents[:2] == ["a.txt", "b.txt"]


def test_a_day_that_is_found_leads_to_what_else_is_told_of_it(index_of: Callable[..., Index]) -> None:
    texts = {
        "a.txt": "The Velm bridge was opened on 4 May 1912. It is made of stone.",
        "b.txt": "On 4 May 1912 a storm broke all windows of Tarn.",
        "c.txt": "Moss Mill stood empty on 9 June 1920.",
    }
    index = index_of(texts)
    asked = {"query": "When was the Velm bridge opened?", "from": "1912-05-04", "to": "1912-05-04"}
    assert [step["arguments"] for step in index.query(asked["query"], "agent").steps if step["tool"] == "timeline"] == [
        asked
    ]
    other = index.query("Who opened the Velm bridge?", "agent").steps
    assert "timeline" not in [step["tool"] for step in other], "no time is asked for"


def test_who_asks_is_one_person(index_of: Callable[..., Index]) -> None:
    said = {
        "ana": ["My trip to Oslo was in May.", "I took a trip to Bergen in June.", "I like jam."],
        "bo": ["My trip to Rome was in July.", "I bought a drum.", "I saw a goat."],
        **{f"x{n}": [f"I went on a long walk to {place}."] * 2 for n, place in enumerate("ABCDEFGHIJKLMNOP")},
    }
    rows = [
        {"id": f"{who}{n}", "title": "chat", "text": text, "whose": who}
        for who, texts in said.items()
        for n, text in enumerate(texts)
    ]
    index = index_of({"corpus.jsonl": rows})
    own: dict[str, set[Any]] = {}
    for text in ("Which trip to Oslo and Bergen did I take in May?", "Which trip to Oslo and Bergen was in May?"):
        question = Question(index, text)
        likely = own_passages(question, text_unit_scores(question))
        assert all(likely <= 1) and not any((likely > 0.5) & (likely < 1))
        own[text] = {index.documents.source_id[index.document_row[unit]] for unit in (likely == 1).nonzero()[0]}
    assert list(own.values()) == [{"ana0", "ana1", "ana2"}, set()]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"tokens": SHARE * LEAST - 1}, f"it must be {SHARE * LEAST} or more"),
        ({"steps": 0}, "1 or more"),
        ({"level": 1}, "is not for method agent but for global"),
    ],
)
def test_what_cannot_be_meant_is_refused(opened: Index, options: dict[str, int], said: str) -> None:
    with pytest.raises(InputError) as error:
        opened.query("Hubble?", "agent", **options)  # type: ignore[arg-type]
    assert said in str(error.value)
    with pytest.raises(InputError, match=r"A session .* is not for method local but for agent"):
        opened.query("Hubble?", "local", session="a")


def test_only_a_named_session_remembers(corpus: Callable[..., Path], tmp_path: Path) -> None:
    build(corpus({"a.txt": "Ada Holt planted the Velm Orchard in 1912."}), tmp_path / "output", Settings())
    asked = ["query", "--method", "agent", "Who planted the Velm Orchard?", "--root", str(tmp_path)]
    run = CliRunner().invoke(main, [*asked, "--trace"])
    assert run.exit_code == 0 and "1. search_passages" in run.stderr and "in use" in run.stderr
    assert not (tmp_path / "output" / MEMORY).exists()
    named = CliRunner().invoke(main, [*asked, "--session", "garden"])
    assert named.stdout == run.stdout
    memory = Memory(tmp_path / "output" / MEMORY)
    entries = [memory.entry(place) for place in memory.listed(MESSAGE, "garden")]
    assert [(entry.role, entry.content.split(" [")[0]) for entry in entries] == [
        ("user", "Who planted the Velm Orchard?"),
        ("assistant", "Ada Holt planted the Velm Orchard in 1912."),
    ]
    assert entries[1].citations[0]["document"] == "a.txt"


def test_eval_tells_steps_and_tokens(corpus: Callable[..., Path], tmp_path: Path) -> None:
    folder = tmp_path / "qa"
    folder.mkdir()
    (folder / "corpus.jsonl").write_text(
        json.dumps({"id": "a", "title": "Velm", "text": "Ada Holt planted Velm Orchard."})
    )
    (folder / "questions.jsonl").write_text(
        json.dumps({"id": 1, "question": "Who planted Velm Orchard?", "supporting_ids": ["a"]})
    )
    command = ["eval", str(folder), "--method", "basic", "--method", "agent", "--root", str(tmp_path)]
    shown = CliRunner().invoke(main, command)
    assert shown.exit_code == 0 and "steps and tokens of a query, mean: agent 1.0 / " in shown.stdout
    basic, agent = map(json.loads, CliRunner().invoke(main, [*command, "--json"]).stdout.splitlines())
    assert basic["steps"] == basic["tokens"] == 0 < agent["tokens"] == agent["questions"][0]["tokens"]
