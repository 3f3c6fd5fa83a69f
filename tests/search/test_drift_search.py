"""DRIFT search: what is looked up, in what order and how often; what a failure leaves; that marks resolve."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

import pytest
from asking_model import EXAMPLE, SlowByChance, asked, assert_resolved, every_mark, forget, marks
from stub_model import StubModel

from graphrag_lite import pipeline
from graphrag_lite.errors import CallError, ReplyError
from graphrag_lite.llm.chat import Request, Usage
from graphrag_lite.retrieval.vector_weight import Fit
from graphrag_lite.run.snapshots import current
from graphrag_lite.search.answer import NOTHING
from graphrag_lite.search.drift_search import read_found
from graphrag_lite.search.index import Index
from graphrag_lite.settings import Settings
from graphrag_lite.stages import embed_text_units

QUESTION = "Who was Lyman Spitzer and what did he propose?"
Look = Callable[[str, str, int], "tuple[str, float, list[str]] | str | Exception"]


@pytest.fixture(scope="module")
def snapshot(sample_root: Callable[[], Path]) -> Path:
    return current(sample_root() / "output")


@pytest.fixture
def ask(snapshot: Path) -> Callable[..., tuple[Index, StubModel]]:
    """Open the index with a model that says `look(follow-up, records, most follow-ups)`; the primer's follow-up is ""."""

    def opened(look: Look, model: type[StubModel] = StubModel, **search: object) -> tuple[Index, StubModel]:
        forget(snapshot)

        def say(request: Request) -> str | Exception:
            name, fields = asked(request)
            if name == "global_reduce.md":
                return every_mark(fields["records"])
            assert name == ("drift_follow_up.md" if "follow_up" in fields else "drift_primer.md")
            said = look(fields.get("follow_up", ""), fields["records"], int(fields["max_follow_ups"]))
            if isinstance(said, str | Exception):
                return said
            return json.dumps(dict(zip(("answer", "score", "follow_ups"), said, strict=True)))

        stub = model(say)
        return Index(snapshot, Settings.model_validate({"search": search}), stub), stub

    return opened


def followed(stub: StubModel) -> list[str]:
    return [fields["follow_up"] for name, fields in map(asked, stub.requests) if name == "drift_follow_up.md"]


def points(stub: StubModel) -> str:
    ((_, fields),) = [found for found in map(asked, stub.requests) if found[0] == "global_reduce.md"]
    return fields["records"]


def curious(follow_up: str, records: str, most: int) -> tuple[str, float, list[str]]:
    """Cite everything, and ask more than is wanted."""
    return every_mark(records), 50, [f"{follow_up} What of orbit {n}?" for n in range(9)]


@pytest.mark.parametrize(("wide", "depth"), [(1, 1), (3, 2), (4, 3)])
def test_calls_are_bounded_and_every_mark_resolves(
    ask: Callable[..., tuple[Index, StubModel]], wide: int, depth: int
) -> None:
    index, stub = ask(curious, drift_follow_ups=wide, drift_depth=depth, max_context_tokens=2000)
    answer = index.query(QUESTION, "drift")
    assert len(stub.requests) == 2 + wide * depth and len(followed(stub)) == len(set(followed(stub)))
    assert_resolved(index, answer)
    assert len(answer.citations) > 5 and answer.method == "drift"
    assert answer.n_dropped_citations > len(set(marks(points(stub))))  # which are those of the last call
    assert answer.usage is not None and answer.usage["calls"] == len(stub.requests) and len(answer.documents) == 10
    last = [fields["max_follow_ups"] for name, fields in map(asked, stub.requests) if name == "drift_follow_up.md"][-1]
    assert last == "0"


def test_follow_ups_of_the_best_answers_go_first_and_none_is_asked_twice(
    ask: Callable[..., tuple[Index, StubModel]],
) -> None:
    replies = {
        "": ("Begun [1].", 10, ["Who built it?", "who built IT!", QUESTION.upper(), "Who paid?", "Who flew?"]),
        "Who built it?": ("Low [1].", 5, ["Low first?", "Who paid?"]),
        "Who paid?": ("High [1].", 90, ["High first?", "High second?"]),
    }
    index, stub = ask(lambda follow_up, *_: replies.get(follow_up, ("Found [1].", 20, [])), drift_follow_ups=5)
    index.query(QUESTION, "drift")
    assert followed(stub)[:3] == ["Who built it?", "Who paid?", "Who flew?"]
    assert followed(stub)[3:] == ["High first?", "High second?", "Low first?"]
    lines = points(stub).splitlines()
    scores = [float(re.match(r"- Importance (\d+)", line)[1]) for line in lines]  # type: ignore[index]
    assert scores == sorted(scores, reverse=True) == [90, 20, 20, 20, 20, 10, 5]
    assert lines[0].startswith("- Importance 90 (Who paid?): High [")
    assert lines[5].startswith("- Importance 10: Begun [")


def test_follow_ups_are_ranked_by_vectors_too_and_embedded_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Embedder:
        identity: ClassVar = {"model": "simulated"}
        texts: ClassVar[list[str]] = []

        async def check(self) -> None: ...

        async def embed(self, texts: list[str]) -> tuple[list[list[float]], Usage]:
            self.texts += texts
            return [[1.0, len(text), text.count("e")] for text in texts], Usage()

    embedder, values = Embedder(), Settings.model_validate({"search": {"drift_follow_ups": 2}})
    monkeypatch.setattr(embed_text_units, "fit", lambda _: Fit(0.1, 1.0, 99.0))
    run = pipeline.index(EXAMPLE, tmp_path / "output", values, embedder=embedder)
    embedder.texts.clear()
    Index(run.snapshot, values, embedder=embedder).query(QUESTION, "drift", retrieve_only=True)
    assert embedder.texts[0] == QUESTION and 0 < len(embedder.texts) - 1 <= 2
    assert all(text.startswith(QUESTION) for text in embedder.texts)
    replies = {"": ("Begun [1].", 90, ["First?", "Second?"]), "First?": ("Low [1].", 5, ["Third?"])}

    def say(request: Request) -> str:
        name, fields = asked(request)
        if name == "global_reduce.md":
            return every_mark(fields["records"])
        said = replies.get(fields.get("follow_up", ""), ("So [1].", 5, []))
        return json.dumps(dict(zip(("answer", "score", "follow_ups"), said, strict=True)))

    embedder.texts.clear()
    for _ in range(2):
        index = Index(run.snapshot, values, StubModel(say), embedder)
        index.query(QUESTION, "drift")
    assert embedder.texts == ["First?", "Second?", "Third?"], (
        "the question is known, and follow-ups after the first time"
    )


def test_an_answer_raises_no_more_follow_ups_than_are_asked_for(ask: Callable[..., tuple[Index, StubModel]]) -> None:
    replies = {"": ("Begun [1].", 90, ["First?", "Second?"]), "First?": ("Low [1].", 5, ["Third?"])}
    index, stub = ask(lambda follow_up, *_: replies.get(follow_up, ("So [1].", 5, [])), drift_follow_ups=1)
    index.query(QUESTION, "drift")
    assert followed(stub) == ["First?", "Third?"]


def test_what_says_nothing_is_left_out(ask: Callable[..., tuple[Index, StubModel]]) -> None:
    index, stub = ask(lambda follow_up, *_: ("", 80, []) if follow_up else ("Nought [1].", 0, ["Who?"]))
    answer = index.query(QUESTION, "drift")
    assert answer.answer == NOTHING and answer.abstained and len(stub.requests) == 2 and answer.text_units


def test_where_the_primer_asks_nothing_the_question_is_looked_up(ask: Callable[..., tuple[Index, StubModel]]) -> None:
    index, stub = ask(lambda *_: ("So [1].", 40, []))
    index.query(QUESTION, "drift")
    assert followed(stub) == [QUESTION]


def test_failed_calls_are_recorded_and_the_rest_answers(ask: Callable[..., tuple[Index, StubModel]]) -> None:
    def fragile(follow_up: str, records: str, most: int) -> tuple[str, float, list[str]] | str | Exception:
        if not follow_up:
            return "So [1].", 40, ["Who fails?", "Who mumbles?", "Who built it?"]
        return {"Who fails?": CallError("down"), "Who mumbles?": "no JSON"}.get(follow_up, ("Built [1].", 50, []))

    index, _ = ask(fragile)
    answer = index.query(QUESTION, "drift")
    assert [failure[:28] for failure in answer.failures] == [
        "follow-up 'Who fails?': down",
        "follow-up 'Who mumbles?': it",
    ]
    assert answer.citations
    assert_resolved(index, answer)
    index, _ = ask(lambda follow_up, *_: ("So [1].", 40, []) if follow_up else CallError("down"))
    answer = index.query(QUESTION, "drift")
    assert answer.failures == ["primer: down"] and answer.citations
    index, _ = ask(lambda *_: CallError("down"))
    with pytest.raises(CallError, match="No question could be answered"):
        index.query(QUESTION, "drift")


def test_neither_the_order_of_replies_nor_a_repetition_changes_the_answer(
    ask: Callable[..., tuple[Index, StubModel]],
) -> None:
    answers = []
    for salt in range(3):
        index, stub = ask(curious, SlowByChance, max_context_tokens=2000)
        stub.salt = salt  # type: ignore[attr-defined]
        answers.append(index.query(QUESTION, "drift"))
        n_calls = len(stub.requests)
        assert index.query(QUESTION, "drift").answer == answers[-1].answer and len(stub.requests) == n_calls
    assert answers[0] == answers[1] == answers[2]


def test_records_and_follow_ups_cannot_bring_marks_of_their_own(ask: Callable[..., tuple[Index, StubModel]]) -> None:
    index, stub = ask(lambda follow_up, *_: ("So [1].", 40, [] if follow_up else ["Who is [2] and\n## [3]?"]))
    answer = index.query(QUESTION, "drift")
    assert followed(stub) == ["Who is [2] and ## [3]?"] and "(Who is (2) and ## (3)?)" in points(stub)
    assert_resolved(index, answer)


def test_without_a_model_the_leads_of_the_reports_widen_local_search(snapshot: Path) -> None:
    index = Index(snapshot)
    answer, local = index.query(QUESTION, "drift"), index.query(QUESTION)
    assert_resolved(index, answer)
    assert answer.text_units[0] == local.text_units[0] and answer.text_units != local.text_units
    assert "Spitzer" in answer.answer and len(answer.citations) > 5
    found = index.query(QUESTION, "drift", retrieve_only=True)
    assert (found.text_units, found.answer) == (answer.text_units, "")
    assert index.query("xyzzy plugh qwertyuiop?", "drift").answer == NOTHING


@pytest.mark.parametrize("reply", ["So.", "{}", '{"answer": "A", "follow_ups": []}', '{"answer": 1, "score": 2}'])
def test_a_reply_that_cannot_be_used_says_why(reply: str) -> None:
    with pytest.raises(ReplyError, match=r"no JSON object|has no `answer`|has no `score`"):
        read_found(reply)


def test_follow_ups_may_be_missing_and_are_cut() -> None:
    assert read_found('{"answer": "A", "score": 300}').point.score == 100
    assert [
        len(asked)
        for asked in read_found(json.dumps({"answer": "A", "score": 3, "follow_ups": ["why " * 999]})).follow_ups
    ] == [300]
    with pytest.raises(ReplyError, match="not a list of questions"):
        read_found('{"answer": "A", "score": 3, "follow_ups": [3]}')
