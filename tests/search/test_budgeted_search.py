"""Global search within a budget: what is tested, in what order, what a failure leaves, and that marks resolve."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from asking_model import SlowByChance, asked, assert_resolved, every_mark, forget
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from stub_model import StubModel

from graphrag_lite.cli import main
from graphrag_lite.errors import CallError, InputError
from graphrag_lite.llm.chat import Request
from graphrag_lite.retrieval.question import Question
from graphrag_lite.run.snapshots import current
from graphrag_lite.search import community_answers
from graphrag_lite.search.answer import NOTHING
from graphrag_lite.search.community_walk import AT_ONCE, EACH, NO_COMMUNITY, CommunitySearch, Tree, community_tree
from graphrag_lite.search.extractive.statements import broad_match
from graphrag_lite.search.index import Index
from graphrag_lite.settings import Settings

QUESTION = "Who was Lyman Spitzer and what did he propose?"
Say = Callable[[Request], "str | Exception"]


@pytest.fixture(scope="module")
def snapshot(sample_root: Callable[[], Path]) -> Path:
    return current(sample_root() / "output")


@pytest.fixture
def ask(snapshot: Path) -> Callable[..., tuple[Index, StubModel]]:
    def opened(test: Say, model: type[StubModel] = StubModel, **search: object) -> tuple[Index, StubModel]:
        forget(snapshot)

        def say(request: Request) -> str | Exception:
            name, fields = asked(request)
            if name == "rate_passage.md":
                assert request.choices == ("Yes", "No")
                return test(request)
            records = fields["records"]
            if name == "map_passages.md":
                points = [{"description": every_mark(records[i : i + 2000]), "score": 1 + i % 99} for i in (0, 2000)]
                return json.dumps({"points": points})
            assert name == "global_reduce.md"
            return every_mark(records)

        stub = model(say)
        return Index(snapshot, Settings.model_validate({"search": search}), stub), stub

    return opened


def passages_rated(stub: StubModel) -> list[str]:
    return [fields["passage"] for name, fields in map(asked, stub.requests) if name == "rate_passage.md"]


@pytest.mark.parametrize("budget", [1, 4, 20, 30, 10_000])
def test_the_budget_is_used_and_never_passed(ask: Callable[..., tuple[Index, StubModel]], budget: int) -> None:
    index, stub = ask(lambda _: "Yes")
    answer = index.query(QUESTION, "global", budget=budget)
    n_units = index.n_rows("text_units")
    assert len(passages_rated(stub)) == len(set(passages_rated(stub)))
    assert len(passages_rated(stub)) == budget if budget < 100 else n_units / 3 < len(passages_rated(stub)) <= n_units
    assert answer.usage is not None and answer.usage["calls"] == len(stub.requests) and not answer.abstained


def test_every_mark_points_to_a_passage_that_was_called_relevant(ask: Callable[..., tuple[Index, StubModel]]) -> None:
    index, stub = ask(
        lambda request: "Yes" if "Spitzer" in asked(request)[1]["passage"] else "No", max_context_tokens=900
    )
    answer = index.query(QUESTION, "global", budget=40)
    assert_resolved(index, answer)
    assert len(answer.citations) > 3 and answer.n_dropped_citations > 0
    texts = {row["id"]: row["text"] for row in index.arrow("text_units").to_pylist()}
    documents = {row["source_id"]: row["title"] for row in index.arrow("documents").to_pylist()}
    for cited in answer.citations:
        assert "Spitzer" in documents[cited.document] + texts[cited.text_unit_id]
    assert sum(asked(request)[0] == "map_passages.md" for request in stub.requests) > 1


def test_what_is_relevant_is_ranked_first(ask: Callable[..., tuple[Index, StubModel]]) -> None:
    index, stub = ask(lambda _: "No")
    before = index.query(QUESTION, "global", budget=20).text_units
    last = passages_rated(stub)[14]
    index, _ = ask(lambda request: "Yes" if asked(request)[1]["passage"] == last else "No")
    answer = index.query(QUESTION, "global", budget=20)
    assert answer.text_units[1:] == [unit for unit in before if unit != answer.text_units[0]][:9]
    assert {cited.text_unit_id for cited in answer.citations} == {answer.text_units[0]} != {before[0]}


def test_where_nothing_is_relevant_two_rounds_end_the_search(ask: Callable[..., tuple[Index, StubModel]]) -> None:
    index, stub = ask(lambda _: "No")
    pieces: list[str] = []
    answer = index.query(QUESTION, "global", budget=1000, show=pieces.append)
    assert answer.answer == NOTHING == "".join(pieces) and answer.abstained and answer.text_units
    assert len(stub.requests) == len(passages_rated(stub)) < 2 * (AT_ONCE + EACH)


def test_failed_tests_are_recorded_and_the_rest_answers(ask: Callable[..., tuple[Index, StubModel]]) -> None:
    def fragile(request: Request) -> str | Exception:
        n = len(asked(request)[1]["passage"]) % 3
        return (CallError("the endpoint said 500"), "Yes", "perhaps")[n]

    index, stub = ask(fragile)
    answer = index.query(QUESTION, "global", budget=30)
    assert len(set(passages_rated(stub))) == 30 and answer.citations
    kinds = {failure.split(": ", 1)[1][:20] for failure in answer.failures}
    assert kinds == {"the endpoint said 50", "'perhaps' is neither"}
    assert all(failure.startswith("test of text unit ") for failure in answer.failures)
    assert_resolved(index, answer)
    index, stub = ask(lambda _: CallError("down"))
    with pytest.raises(CallError, match=r"No text unit could be tested\. test of text unit \w+: down"):
        index.query(QUESTION, "global", budget=30)


def test_neither_the_order_of_replies_nor_a_repetition_changes_the_answer(
    ask: Callable[..., tuple[Index, StubModel]],
) -> None:
    answers = []
    for salt in range(3):
        index, stub = ask(lambda request: "Yes" if len(request.messages[0]["content"]) % 2 else "No", SlowByChance)
        stub.salt = salt  # type: ignore[attr-defined]
        first = index.query(QUESTION, "global", budget=45)
        n_calls = len(stub.requests)
        again = index.query(QUESTION, "global", budget=45)
        assert len(stub.requests) == n_calls and again.usage is not None and again.usage["calls"] == 0
        assert {**again.to_dict(), "usage": 0} == {**first.to_dict(), "usage": 0}
        answers.append(first)
    assert answers[0] == answers[1] == answers[2] and answers[0].citations


def test_sentences_are_chosen_from_the_best_passages_first(snapshot: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    monkeypatch.setattr(community_answers, "choose_statements", lambda *given: read.extend(given[2]) or [])
    index = Index(snapshot)
    index.query(QUESTION, "global", budget=50)
    scores = broad_match(index.bm25, Question(index, "Lyman Spitzer propose").terms)
    assert len(read) > 2 and [float(scores[unit]) for unit in read] == sorted(scores[read].tolist(), reverse=True)


def test_without_a_model_sentences_of_the_relevant_passages_answer(snapshot: Path) -> None:
    index = Index(snapshot)
    answer = index.query(QUESTION, "global", budget=50)
    assert_resolved(index, answer)
    assert "Spitzer" in answer.citations[0].text and answer.usage is None
    assert {cited.text_unit_id for cited in answer.citations} <= set(answer.text_units) and len(answer.documents) == 10
    assert index.query(QUESTION, "global", budget=1).citations
    assert index.query("xyzzy plugh qwertyuiop?", "global", budget=50).answer == NOTHING
    assert index.query("What are the main themes?", "global", budget=9) == index.query(
        "What are the main themes?", "global"
    )
    found = index.query(QUESTION, "global", budget=50, retrieve_only=True)
    assert (found.text_units, found.documents, found.answer) == (answer.text_units, answer.documents, "")


def test_a_budget_is_for_global_search(snapshot: Path) -> None:
    index = Index(snapshot, model=StubModel(lambda _: ""))
    for method, dynamic in (("local", False), ("basic", False), ("drift", False), ("global", True)):
        with pytest.raises(InputError, match=r"budget.* is (not )?for"):
            index.query(QUESTION, method, dynamic=dynamic, budget=5)
    with pytest.raises(InputError, match="1 or more"):
        index.query(QUESTION, "global", budget=0)
    root = str(snapshot.parents[2])
    for more, code in (
        (["--method", "local"], 1),
        (["--method", "global", "--level", "0"], 2),
        (["--method", "global"], 0),
    ):
        said = CliRunner().invoke(main, ["query", QUESTION, "--root", root, "--budget", "5", *more])
        assert said.exit_code == code, said.output
        assert code == 0 or "budget" in said.stderr


def test_every_text_unit_stands_once_in_the_tree_at_each_level(snapshot: Path) -> None:
    index = Index(snapshot)
    scores = np.linspace(1.0, 2.0, index.n_rows("text_units"))
    tree = community_tree(index, scores)
    top = [unit for root in tree.roots for unit in tree.units.get(root, ())]
    assert sorted(top) == list(range(len(scores)))
    for community, units in tree.units.items():
        assert units == sorted(units, key=lambda unit: -scores[unit])
        below = [unit for child in tree.children.get(community, ()) for unit in tree.units.get(child, ())]
        assert community == NO_COMMUNITY or not below or sorted(below) == sorted(units)
    named = {unit for row in index.arrow("entities").to_pylist() for unit in row["text_unit_ids"]}
    assert len(tree.units.get(NO_COMMUNITY, [])) < len(scores) - len(named) / 2


@given(st.data())
def test_a_walk_ends_within_its_budget(data: st.DataObject) -> None:
    n_units = data.draw(st.integers(0, 60))
    root_of = data.draw(st.lists(st.integers(0, 5), min_size=n_units, max_size=n_units))
    child_of = data.draw(st.lists(st.integers(0, 2), min_size=n_units, max_size=n_units))
    units: dict[int, list[int]] = {}
    for unit, (root, child) in enumerate(zip(root_of, child_of, strict=True)):
        units.setdefault(root, []).append(unit)
        units.setdefault(10 + 3 * root + child, []).append(unit)
    tree = Tree({root: [10 + 3 * root + child for child in range(3)] for root in range(6)}, units, range(6))
    relevant = data.draw(st.sets(st.integers(0, 59)))
    budget = data.draw(st.integers(1, 70))
    walk = CommunitySearch(tree, np.arange(60.0, 0.0, -1.0)[: max(n_units, 1)], budget)
    tested: list[int] = []
    while asked_units := walk.next_units():
        tested += asked_units
        walk.learn([unit in relevant for unit in asked_units])
    assert len(tested) == len(set(tested)) <= budget
    assert sorted(walk.relevant) == sorted(relevant & set(tested))
    if relevant >= set(range(n_units)):
        assert len(tested) == min(budget, n_units)


def rounds(relevant: set[int], budget: int) -> list[list[int]]:
    """Walk over a community of even and odd text units, both communities below it, and return what each round tests."""
    below = {1: list(range(0, 60, 2)), 2: list(range(1, 60, 2))}
    walk = CommunitySearch(Tree({0: [1, 2]}, {0: list(range(60)), **below}, [0]), np.linspace(1.0, 0.9, 60), budget)
    tested = []
    while units := walk.next_units():
        tested.append(units)
        walk.learn([unit in relevant for unit in units])
    return tested


def test_what_is_relevant_leads_down_and_brings_its_community_forward() -> None:
    tested = rounds(set(range(0, 60, 2)), 40)
    assert tested[0] == [0, 1, 2, 3, 4] and tested[1] == [5, 7, 9, 11, 13, 6, 8, 10, 12, 14]
    assert tested[2] == [16, 18, 20, 22, 24, 15, 17, 19, 21, 23]


def test_one_round_without_a_relevant_passage_is_no_reason_to_end() -> None:
    assert [len(units) for units in rounds(set(), 60)] == [5, 10]
    assert len(rounds({6}, 60)) == 4
