"""What conditions leave of an index: everything where everything fits, and no trace of what does not."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from stub_model import StubModel

from graphrag_lite import pipeline
from graphrag_lite.agent.requests import Searched
from graphrag_lite.agent.session import Session
from graphrag_lite.agent.tools import TOOLS, call
from graphrag_lite.errors import InputError
from graphrag_lite.llm.chat import Request
from graphrag_lite.memory.store import Memory
from graphrag_lite.retrieval.limited_tables import LIMITS
from graphrag_lite.retrieval.snapshot_view import LimitedView, SnapshotView
from graphrag_lite.search.answer import Answer
from graphrag_lite.search.index import Index
from graphrag_lite.search.methods import METHODS
from graphrag_lite.settings import Settings

EXAMPLE = Path(__file__).parents[2] / "examples" / "corpus"
SECRET = ("Zyxandra", "Quillovar", "Vexborough")
# The same people stand in both folders, so that entities, relationships and communities rest on both.
OPEN = [
    "Kathryn Thornton repaired Hubble with Tom Akers in December 1993. Story Musgrave led the spacewalks.",
    "Story Musgrave met Kathryn Thornton in Houston. Tom Akers was there since 1990.",
    "Tom Akers and Story Musgrave trained in Houston. Kathryn Thornton trained there, too.",
]
CLOSED = [f"{text} Kathryn Thornton told {SECRET[0]} {SECRET[1]} about {SECRET[2]} in May 1994." for text in OPEN]
QUESTIONS = [
    "What are the main themes?",
    "Who is Kathryn Thornton?",
    f"What did Kathryn Thornton tell {SECRET[0]} {SECRET[1]}?",
    "Who repaired Hubble with Tom Akers?",
    "Which are of team Legal?",
    "How long before today did Kathryn Thornton repair Hubble?",
]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    folder = tmp_path_factory.mktemp("limited")
    rows = [{"id": f"open-{i}", "text": text, "team": "Sales", "date": "1993-12-13"} for i, text in enumerate(OPEN)]
    rows += [{"id": f"shut-{i}", "text": text, "team": "Legal", "date": "1994-06-01"} for i, text in enumerate(CLOSED)]
    chat = [
        {"conversation": "c1", "speaker": "Ana", "time": "2024-03-01T09:00:00Z", "text": "I moved to Oslo in 2021."},
        {"conversation": "c1", "speaker": "Ben", "time": "2024-03-02T09:00:00Z", "text": "I moved to Turin in 2020."},
    ]
    (folder / "corpus").mkdir()
    for name, listed in (("rows", rows), ("chat", chat)):
        (folder / "corpus" / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in listed))
    return Index(pipeline.index(folder / "corpus", folder / "output", Settings()).snapshot)


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Index:
    folder = tmp_path_factory.mktemp("sample")
    (folder / "notes").mkdir()
    for path in [*sorted((EXAMPLE / "notes").iterdir())[:10], EXAMPLE / "chat" / "archive-room.jsonl"]:
        (folder / "notes" / path.name).write_bytes(path.read_bytes())
    return Index(pipeline.index(folder / "notes", folder / "output", Settings()).snapshot)


def answered(index: Index, question: str, method: str, **options: Any) -> str:
    return json.dumps(index.query(question, method, **options).to_dict())


@pytest.mark.parametrize("method", METHODS)
def test_what_everything_fits_changes_nothing(sample: Index, method: str) -> None:
    for question in ("What are the main themes?", "Who is Kathryn Thornton?", "How long ago was Hubble repaired?"):
        assert answered(sample, question, method, where=["path=*"]) == answered(sample, question, method), question


def test_a_table_is_whole_where_everything_fits(sample: Index) -> None:
    view = LimitedView(sample, ["path=*"])
    for name in LIMITS:
        whole = sample.arrow(name).to_pylist()
        if name == "entity_resolutions":  # without names that mean nothing
            whole = [row for row in whole if row["entity_id"]]
        assert view.arrow(name).to_pylist() == whole, name


@pytest.mark.parametrize("where", [["team=sales"], ["team!=Legal"], ["date<1994"], ["team=sales", "path=rows*"]])
def test_nothing_is_told_of_what_is_left_out(index: Index, where: list[str]) -> None:
    view = LimitedView(index, where)
    assert set(view.column("documents", "source_id").to_pylist()) - {"chat.jsonl:c1"} == {"open-0", "open-1", "open-2"}
    for name in LIMITS:
        told = json.dumps(view.arrow(name).to_pylist()).casefold()
        assert not [word for word in (*SECRET, "shut-") if word.casefold() in told], name
    for method in METHODS:
        for question in QUESTIONS:
            answer = index.query(question, method, where=where)
            told = json.dumps({**answer.to_dict(), "question": ""}).replace(
                question, ""
            )  # looks say what they look for
            assert not [word for word in (*SECRET, "shut-") if word in told], (method, question)
    assert "Zyxandra" in answered(index, QUESTIONS[2], "local")


def test_counts_are_of_what_is_left(index: Index) -> None:
    view = LimitedView(index, ["team=Sales"])
    for row in view.arrow("entities").to_pylist():
        assert row["n_documents"] == row["frequency"] == len(row["text_unit_ids"]) <= row["n_mentions"]
        assert row["n_mentions"] == sum(text.count(row["title"]) for text in OPEN) or " " not in row["title"]
    assert "3 documents" in index.query("What are the main themes?", where=["team=Sales"]).answer


def test_a_model_is_shown_nothing_of_what_is_left_out(index: Index) -> None:
    seen: list[str] = []

    def say(request: Request) -> str:
        seen.append(request.messages[-1]["content"])
        if "YES or NO" in seen[-1] or "yes or no" in seen[-1].casefold():
            return "yes"
        if "follow_ups" in seen[-1]:
            return json.dumps({"answer": "A [1].", "score": 50, "follow_ups": ["Who is Tom Akers?"]})
        return json.dumps({"points": [{"description": "A [1].", "score": 50}]})

    asking = Index(index.folder, Settings(), StubModel(say))
    for method in set(METHODS) - {"agent"}:  # which calls tools, and sees what they see
        for question in ("What are the main themes?", "Who is Kathryn Thornton?"):
            asking.query(question, method, where=["team=Sales"])
    asking.query("Who is Kathryn Thornton?", "global", budget=20, where=["team=Sales"])
    assert seen and "Story Musgrave" in "".join(seen)
    assert not [word for word in (*SECRET, "shut-") if word in "".join(seen)]


def test_a_report_that_rests_on_what_is_left_out_is_not_used(sample: Index) -> None:
    view = LimitedView(sample, ["path!=archive-room.jsonl"])
    left = set(view.column("text_units", "id").to_pylist())
    members = {row["community"]: row["text_unit_ids"] for row in sample.arrow("communities").to_pylist()}
    kept = {row["id"] for row in view.arrow("community_reports").to_pylist()}
    for row in sample.arrow("community_reports").to_pylist():
        rests_on = {*members[row["community"]], *(cited["text_unit_id"] for cited in row["citations"])}
        assert (row["id"] in kept) == (rests_on <= left)
    assert 0 < len(kept) < sample.n_rows("community_reports")


@pytest.mark.parametrize("where", ["speaker=Ana", "date<2024-03-02"])
def test_a_passage_tells_only_the_messages_that_fit(index: Index, where: str) -> None:
    conditions = [where, "conversation=c1"]
    answer = index.query("Who moved to Turin?", where=conditions)
    assert "Turin" not in json.dumps({**answer.to_dict(), "question": ""})
    answer = index.query("Who moved to Oslo?", where=conditions)
    (cited,) = [one for one in answer.citations if "Oslo" in one.text]
    text = index.document_text(index.column("documents", "source_id").to_pylist().index(cited.document))
    assert text[cited.char_start : cited.char_end] == cited.text


@pytest.mark.parametrize(
    ("where", "says"),
    [
        ("team", "is no condition"),
        ("team=", "is no condition"),
        ("date>=soon", "is not a date"),
        ("teem=Legal", "Did you mean team?"),
        ("team=Nobody", "No text in the index has team=Nobody"),
        ("speaker>Ana", "neither a number nor a date"),
        ("team>Legal", "neither"),
    ],
)
def test_a_condition_that_cannot_hold_says_so(index: Index, where: str, says: str) -> None:
    with pytest.raises(InputError, match=says.replace("?", r"\?")):
        index.query("Who?", where=[where])


def test_questions_have_conditions_of_their_own(index: Index) -> None:
    asked = ["Who is Kathryn Thornton?"] * 3
    outcomes = index.query_all(asked, where=[["team=Sales"], ["team=Nobody"], []])
    assert isinstance(outcomes[1], InputError)
    sales, all_of_it = outcomes[0], outcomes[2]
    assert isinstance(sales, Answer) and isinstance(all_of_it, Answer)
    assert set(sales.documents) == {"open-0", "open-1", "open-2"} < set(all_of_it.documents)
    assert index.query_all(asked[:1], where=["team=Sales"]) == [sales]


def test_paths_are_globs(corpus: Callable[..., Path], tmp_path: Path) -> None:
    folder = corpus({"a/x.md": "Ann Li likes tea.", "a/b/y.md": "Ann Li likes coffee.", "c/z.md": "Ann Li likes ale."})
    index = Index(pipeline.index(folder, tmp_path / "output", Settings()).snapshot)
    answer = index.query("What does Ann Li like?", where=["path=a/*", "path!=a/b/*"])
    assert answer.documents == ["a/x.md"]


@pytest.mark.parametrize(("kept", "hidden"), [("team=Sales", [*SECRET, "1994"]), ("speaker=Ana", ["Turin"])])
def test_no_tool_tells_what_is_left_out(index: Index, kept: str, hidden: list[str], tmp_path: Path) -> None:
    dated = {"start_date": "1990-01-01", "end_date": "2030-01-01"}
    memory = Memory(tmp_path / "memory.sqlite")

    def told(view: SnapshotView, tool: str, *where: str) -> str:
        asked = dated if "date" in tool else {"query": "Kathryn Thornton told Zyxandra", "size": 5}
        return json.dumps(call(Session(lambda: view, lambda: memory), tool, json.dumps({**asked, "where": where})))

    searches = [name for name, tool in TOOLS.items() if issubclass(tool.request, Searched)]
    assert len(searches) == 7 and all(any(one in told(index, tool) for tool in searches) for one in hidden)
    for tool in searches:
        assert not any(one in told(index, tool, kept) for one in hidden), tool
        assert told(index.limited([kept]), tool) == told(index, tool, kept)
        assert told(index.limited([kept]), tool, "date>=1990") == told(index, tool, kept, "date>=1990")
