"""Answers by a model, on the sample corpus: what it is shown, how it is cited, what a failure leaves."""

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from stub_model import StubModel

from graphrag_lite.errors import CallError, InputError, ModelError, ReplyError
from graphrag_lite.llm.chat import Reply, Request
from graphrag_lite.run.snapshots import current
from graphrag_lite.search.answer import NOTHING, Answer
from graphrag_lite.search.context_records import TokenEstimate
from graphrag_lite.search.index import Index
from graphrag_lite.settings import Settings

QUESTION = "Who was Lyman Spitzer and what did he propose?"
MAP, REDUCE, RATE = "map step", "reduce step", "choice of reports"
Say = Callable[[Request], "str | Reply | Exception"]


@pytest.fixture(scope="module")
def snapshot(sample_root: Callable[[], Path]) -> Path:
    return current(sample_root() / "output")


@pytest.fixture
def ask(snapshot: Path) -> Callable[..., tuple[Index, StubModel]]:
    """Open the sample index with a model whose replies are a function of the request; its memo is empty."""

    def opened(say: Say, **search: Any) -> tuple[Index, StubModel]:
        for path in snapshot.parent.parent.glob("memo.sqlite*"):
            path.unlink()
        stub = StubModel(say)
        return Index(snapshot, Settings.model_validate({"search": search}), stub), stub

    return opened


def prompt(request: Request) -> str:
    return request.messages[-1]["content"]


def task(request: Request) -> str:
    return prompt(request).split("\n", 1)[0]


def shown(request: Request) -> str:
    """The records of a prompt, without its instructions."""
    return re.split(r"\n(?:RECORDS|PASSAGES|REPORTS|POINTS|REPORT)\n", prompt(request), maxsplit=1)[1].rsplit(
        "\nEND OF", 1
    )[0]


def marks(text: str) -> list[int]:
    return [int(n) for n in re.findall(r"\[(\d+)\]", text)]


def points(*found: tuple[str, float]) -> str:
    return json.dumps({"points": [{"description": said, "score": score} for said, score in found]})


def every_mark(request: Request) -> str:
    """Cite every number that is shown, one a sentence, and some that are not."""
    cited = "".join(f"It is so [{n}, 70{n:02}]. " for n in dict.fromkeys(marks(shown(request))))
    return points((cited, 50)) if MAP in task(request) else cited


@pytest.mark.parametrize("method", ["local", "global", "basic"])
def test_every_mark_points_to_what_was_shown(ask: Callable[..., tuple[Index, StubModel]], method: str) -> None:
    index, stub = ask(every_mark, max_context_tokens=3000)
    answer = index.query(QUESTION, method)
    last = shown(stub.requests[-1])
    documents = {row["source_id"]: row for row in index.arrow("documents").to_pylist()}
    units = {row["id"]: row for row in index.arrow("text_units").to_pylist()}
    assert sorted(set(marks(answer.answer))) == sorted({cited.n for cited in answer.citations})
    assert [cited.n for cited in answer.citations] == sorted(cited.n for cited in answer.citations)
    n_calls = len(stub.requests) if method == "global" else 1
    assert len(set(marks(answer.answer))) == len(set(marks(last))) > 5
    assert answer.n_dropped_citations >= len(set(marks(last))) and answer.n_uncited_sentences == 0
    for cited in answer.citations:
        unit = units[cited.text_unit_id]
        assert documents[cited.document]["text"][cited.char_start : cited.char_end] == cited.text
        assert documents[cited.document]["path"] == cited.path and cited.text.strip()
        assert unit["document_id"] == documents[cited.document]["id"]
        assert unit["char_start"] <= cited.char_start < cited.char_end <= unit["char_end"]
    assert answer.model == "stub" and answer.usage is not None and answer.usage["calls"] == n_calls
    extractive = Index(index.folder).query(QUESTION, method)
    assert (answer.documents, answer.text_units) == (extractive.documents, extractive.text_units)


@pytest.mark.parametrize("method", ["local", "basic"])
def test_as_of_a_day_a_model_is_shown_nothing_of_later_documents(
    ask: Callable[..., tuple[Index, StubModel]], method: str
) -> None:
    index, stub = ask(every_mark, max_context_tokens=3000)
    days = {row["source_id"]: row["created_at"][:10] for row in index.arrow("documents").to_pylist()}
    answer = index.query("What did the telescope cost and who repaired it?", method, as_of="1990-04-24")
    assert answer.citations and any(days.values())
    rows = index.arrow("documents").to_pylist()
    later, then = (
        {
            line
            for row in rows
            if (row["created_at"][:10] > "1990-04-24") == is_later
            for line in row["text"].split(". ")
        }
        for is_later in (True, False)
    )
    told = "\n".join(shown(request) for request in stub.requests)
    assert told and not [line for line in later - then if len(line) > 40 and line in told]
    for document in [*answer.documents, *(cited.document for cited in answer.citations)]:
        assert days[document] <= "1990-04-24"


def test_the_context_of_local_search(ask: Callable[..., tuple[Index, StubModel]]) -> None:
    index, stub = ask(lambda _: "Yes [1].", max_entities=4, max_context_tokens=4000)
    index.query(QUESTION)
    text = shown(stub.requests[0])
    sections = {part.split("\n", 1)[0]: part for part in text.split("## ")[1:]}
    assert list(sections) == ["Entities", "Relationships", "Facts", "Reports", "Passages of the documents"]
    assert len(marks(sections["Entities"])) == 4 and "[1] Lyman Spitzer (person): " in text
    assert list(dict.fromkeys(marks(text))) == list(range(1, max(marks(text)) + 1))
    count = TokenEstimate.of(index)
    total = sum(count.line(line) for line in text.splitlines())
    assert 0.8 * 4000 < total < 1.1 * 4000
    assert count.line(sections["Passages of the documents"]) > 0.45 * total


@pytest.mark.parametrize("wanted", [1, 3, 10])
def test_as_many_entities_are_shown_as_are_asked_for(ask: Callable[..., tuple[Index, StubModel]], wanted: int) -> None:
    """The reference showed twice as many."""
    index, stub = ask(lambda _: "Yes [1].", max_entities=wanted)
    index.query(QUESTION)
    entities = shown(stub.requests[0]).split("## Relationships")[0]
    assert len(re.findall(r"^\[\d+\]", entities, re.MULTILINE)) == wanted


def test_a_claim_is_shown_and_cited_by_its_own_words(ask: Callable[..., tuple[Index, StubModel]]) -> None:
    from graphrag_lite import tables

    index, stub = ask(every_mark)
    unit = next(row for row in index.arrow("text_units").to_pylist() if "Spitzer" in row["text"])
    source = unit["text"][20:90]
    claim = dict.fromkeys(tables.schema("covariates").names, "") | {
        "id": "c",
        "human_readable_id": 0,
        "type": "PROPOSAL",
        "description": "Spitzer proposed a telescope.",
        "subject_id": "Lyman Spitzer",
        "object_id": "NONE",
        "status": "TRUE",
        "start_date": "1946-09-01T00:00:00",
        "source_text": source,
        "text_unit_id": unit["id"],
    }
    known = {name: claim[name] for name in tables.schema("covariates").names if name in claim}
    index._read["covariates"] = tables.make("covariates", [known])
    answer = index.query(QUESTION)
    line = next(line for line in shown(stub.requests[0]).splitlines() if "Spitzer proposed a telescope." in line)
    assert "Lyman Spitzer (PROPOSAL, TRUE, 1946-09-01): " in line
    assert source in [cited.text for cited in answer.citations]


def test_a_repeated_question_is_free_and_the_same(ask: Callable[..., tuple[Index, StubModel]]) -> None:
    for method in ("local", "global", "basic"):
        index, stub = ask(every_mark)
        pieces: list[str] = []
        first = index.query(QUESTION, method, show=pieces.append)
        n_calls = len(stub.requests)
        second = index.query(QUESTION, method)
        assert len(stub.requests) == n_calls and first.answer == second.answer == "".join(pieces).rstrip()
        assert second.usage is not None and second.usage["calls"] == 0 and second.usage["memo_hits"] == n_calls


def test_a_query_under_a_running_event_loop(ask: Callable[..., tuple[Index, StubModel]]) -> None:
    index, _ = ask(every_mark)

    async def cell() -> Answer:
        return index.query(QUESTION)

    assert asyncio.run(cell()).answer == index.query(QUESTION).answer


def test_points_are_reduced_by_score_and_zeros_go(ask: Callable[..., tuple[Index, StubModel]]) -> None:
    def say(request: Request) -> str:
        if MAP not in task(request):
            return "So it is [1]."
        first = marks(shown(request))[0]
        return points((f"Nought [{first}].", 0), (f"Low {first} [{first}].", 5), (f"High {first} [{first}, 9999].", 70))

    index, stub = ask(say, max_context_tokens=1500)
    answer = index.query("What are the main themes?", "global")
    maps, reduces = stub.requests[:-1], stub.requests[-1:]
    assert len(maps) > 1 and all(MAP in task(request) for request in maps) and REDUCE in task(reduces[0])
    lines = [line.split()[2] for line in shown(reduces[0]).strip().splitlines()]
    assert lines == ["70:"] * len(maps) + ["5:"] * len(maps)
    assert answer.n_dropped_citations == len(maps) and answer.answer == "So it is [1]."
    count = TokenEstimate.of(index)
    for request in maps:
        assert sum(count.line(line) for line in shown(request).splitlines()) < 1.1 * 1500


@pytest.mark.parametrize("level", [0, 1])
def test_map_calls_read_one_partition_once(ask: Callable[..., tuple[Index, StubModel]], level: int) -> None:
    """A community that is not split as deep stands for itself, and none is read beside its own children."""
    index, stub = ask(lambda _: '{"points": []}', max_context_tokens=1500)
    answer = index.query("What are the main themes?", "global", level=level)
    assert answer.answer == NOTHING and answer.abstained and all(MAP in task(r) for r in stub.requests)
    reports = index.arrow("community_reports").to_pylist()
    read = [title for r in stub.requests for title in re.findall(r"^Report: (.*)$", shown(r), re.MULTILINE)]
    assert len(set(read)) == len(read) and read != [r["title"] for r in reports if r["title"] in read]
    assert {r["title"] for r in reports if r["level"] == level} <= set(read)
    above = {c["community"]: c["parent"] for c in index.arrow("communities").to_pylist()}
    title = {r["community"]: r["title"] for r in reports}
    for community in title.keys() - above.values():
        chain = [community]
        while above[chain[-1]] >= 0:
            chain.append(above[chain[-1]])
        assert sum(title.get(one) in read for one in chain) == 1
    with pytest.raises(InputError, match="levels 0 to"):
        index.query("What?", "global", level=99)


def test_the_model_chooses_the_deepest_relevant_reports(ask: Callable[..., tuple[Index, StubModel]]) -> None:
    index, _ = ask(lambda _: "")
    reports = {row["community"]: row for row in index.arrow("community_reports").to_pylist()}
    tops = [r for r in reports.values() if r["level"] == 0]
    deep = next(r for r in tops if sum(c in reports for c in r["children"]) > 1)
    shallow = next(r for r in tops if r is not deep)
    child = reports[next(c for c in deep["children"] if c in reports)]
    relevant = {deep["title"], shallow["title"], child["title"]}

    def say(request: Request) -> str:
        if RATE in task(request):
            assert not marks(shown(request))
            title = re.search(r"^Report: (.*)$", shown(request), re.MULTILINE)
            return "Yes." if title and title[1] in relevant else "No."
        return points(("A [1].", 9)) if MAP in task(request) else "B [1]."

    index, stub = ask(say)
    index.query("What are the main themes?", "global", dynamic=True)
    (mapped,) = [request for request in stub.requests if MAP in task(request)]
    assert set(re.findall(r"^Report: (.*)$", shown(mapped), re.MULTILINE)) == {shallow["title"], child["title"]}
    rated = [request for request in stub.requests if RATE in task(request)]
    looked_at = tops + [
        r for r in index.report_rows if r["parent"] in {one["community"] for one in (deep, shallow, child)}
    ]
    assert len(rated) == len(looked_at)
    index, stub = ask(lambda _: "No")
    assert index.query("What?", "global", dynamic=True).answer == NOTHING
    assert all(RATE in task(request) for request in stub.requests)


def test_a_failed_map_call_is_recorded_and_the_rest_goes_on(ask: Callable[..., tuple[Index, StubModel]]) -> None:
    def say(request: Request) -> str | Exception:
        if MAP not in task(request):
            return "So it is [1]."
        return CallError("the endpoint said 500") if "Lyman Spitzer" in shown(request) else points(("A [1].", 9))

    index, _ = ask(say, max_context_tokens=1500)
    answer = index.query("What are the main themes?", "global")
    assert answer.answer == "So it is [1]." and len(answer.failures) >= 1
    assert all(re.fullmatch(r"reports \d of \d: the endpoint said 500", failure) for failure in answer.failures)
    index, stub = ask(lambda _: CallError("down"), max_context_tokens=1500)
    with pytest.raises(CallError, match=r"No report could be read\. reports \d of \d: down"):
        index.query("What are the main themes?", "global")
    index, stub = ask(lambda _: "no JSON", max_context_tokens=1500)
    with pytest.raises(CallError, match="no JSON object"):
        index.query("What are the main themes?", "global")
    assert max(stub.asked.values()) == 1 and "no JSON" in [
        r.messages[1]["content"] for r in stub.requests if len(r.messages) > 1
    ]


def test_questions_are_answered_at_once_and_told_in_order(ask: Callable[..., tuple[Index, StubModel]]) -> None:
    def say(request: Request) -> str | Exception:
        return CallError("no") if "who is 3?" in prompt(request) else "So [1]."

    index, stub = ask(say)
    questions = [f"Lyman Spitzer, who is {i}?" for i in range(8)]
    told: list[tuple[int, Any]] = []
    outcomes = index.query_all(questions, done=lambda place, outcome: told.append((place, outcome)))
    assert told == list(enumerate(outcomes)) and stub.most_in_flight > 1
    assert isinstance(outcomes[3], CallError)
    answers = [outcome for outcome in outcomes if isinstance(outcome, Answer)]
    assert [answer.question for answer in answers] == [q for q in questions if "3" not in q]
    assert all(answer.usage is not None and answer.usage["calls"] == 1 for answer in answers)
    assert Index(index.folder).query_all(questions[:2]) == [Index(index.folder).query(q) for q in questions[:2]]


def test_where_no_request_can_succeed_the_questions_end(ask: Callable[..., tuple[Index, StubModel]]) -> None:
    index, _ = ask(lambda _: ModelError("the key is wrong"))
    with pytest.raises(ModelError, match="the key is wrong"):
        index.query_all(["Who?", "What?"])


def test_what_is_under_way_when_the_budget_ends_comes_to_its_end(snapshot: Path) -> None:
    class Slow(StubModel):
        async def complete(self, request: Request) -> Reply:
            await asyncio.sleep(0.1)
            return await super().complete(request)

    stub = Slow(lambda _: "So [1].")
    index = Index(snapshot, Settings.model_validate({"llm": {"max_calls": 1}}), stub)
    told: list[Any] = []
    with pytest.raises(ModelError, match="max_calls"):
        index.query_all(["Who is slow?", "Who is late?"], done=lambda *outcome: told.append(outcome))
    ((place, answer),) = told
    assert len(stub.requests) == 1 and place == 0 and answer.answer == "So [1]."


def test_the_endpoint_is_checked_once_before_the_first_request_only(snapshot: Path) -> None:
    class Closed(StubModel):
        n_checks = 0

        async def check(self) -> None:
            self.n_checks += 1
            raise ModelError("nobody is there")

    stub = Closed(lambda _: "So [1].")
    index = Index(snapshot, model=stub)
    with pytest.raises(ModelError, match="nobody is there"):
        index.query_all(["Who is checked?", "What is checked?"])
    assert stub.n_checks == 1 and not stub.requests
    with pytest.raises(ModelError, match="nobody is there"):
        index.query("Who is checked?", show=[].append)
    Index(snapshot, model=StubModel(lambda _: "So [1].")).query("Who is remembered?")
    assert index.query("Who is remembered?").answer == "So [1]." and stub.n_checks == 2


def test_an_answer_that_is_cut_off_is_an_error(ask: Callable[..., tuple[Index, StubModel]]) -> None:
    index, _ = ask(lambda _: Reply("So it", "length"))
    for show in (None, [].append):
        with pytest.raises(ReplyError, match="cut off"):
            index.query(QUESTION, show=show)


@pytest.mark.parametrize("method", ["local", "basic"])
def test_the_model_may_say_that_it_does_not_know(ask: Callable[..., tuple[Index, StubModel]], method: str) -> None:
    index, stub = ask(lambda _: "NOT IN THE RECORDS.")
    answer = index.query(QUESTION, method)
    assert (answer.answer, answer.abstained, answer.citations) == (NOTHING, True, []) and answer.text_units
    index, stub = ask(lambda _: "So [1].")
    pieces: list[str] = []
    assert index.query("xyzzy plugh?", "basic", show=pieces.append).answer == NOTHING and not stub.requests
    assert pieces == [NOTHING]


def test_the_form_and_the_language_of_an_answer_are_asked_for(ask: Callable[..., tuple[Index, StubModel]]) -> None:
    index, stub = ask(lambda _: "Oui [1].")
    question = "Qui a construit la chambre ? $question"
    index.query(question, response_type="trois points")
    assert "Form of the answer: trois points" in prompt(stub.requests[0])
    assert prompt(stub.requests[0]).rstrip().endswith(question)
    assert "language of the question" in prompt(stub.requests[0])
    index.query(question)
    assert "Form of the answer: multiple paragraphs" in prompt(stub.requests[1])


def test_what_needs_a_model_says_so(snapshot: Path, ask: Callable[..., tuple[Index, StubModel]]) -> None:
    index = Index(snapshot)
    assert not index.asks and index.query(QUESTION).usage is None
    with pytest.raises(InputError, match=r"llm\.model"):
        index.query(QUESTION, "global", dynamic=True)
    with pytest.raises(InputError, match=r"llm\.model"):
        index.query(QUESTION, response_type="a list")
    index, stub = ask(lambda _: "")
    with pytest.raises(InputError, match="global"):
        index.query(QUESTION, dynamic=True)
    with pytest.raises(InputError, match="not one of"):
        index.query(QUESTION, "hybrid")
    for method in ("local", "global", "basic"):
        found = index.query(QUESTION, method, retrieve_only=True)
        assert found.text_units and (found.answer, found.abstained, found.citations) == ("", False, [])
    assert not stub.requests


LIGHT = """
import sys
from pathlib import Path
from graphrag_lite.search.index import Index
HEAVY = {"aiohttp", "pandas", "duckdb", "sqlite3", "scipy", "tiktoken", "rich"}
for method in ("basic", "global", "local"):
    Index(Path(sys.argv[1])).query("Who was Lyman Spitzer?", method)
    print(method, *sorted(HEAVY & set(sys.modules)))
sys.path.insert(0, sys.argv[2])
from stub_model import StubModel
stub = StubModel(lambda request: '{"points": [{"description": "A [1].", "score": 5}]}' if request.schema else "So [1].")
for method in ("basic", "global", "local"):
    Index(Path(sys.argv[1]), model=stub).query("Who was Lyman Spitzer?", method)
print(len(stub.requests), *sorted(HEAVY & set(sys.modules)))
"""


def test_queries_import_no_more_than_they_need(snapshot: Path, ask: Callable[..., tuple[Index, StubModel]]) -> None:
    ask(lambda _: "")  # empties the memo
    arguments = [sys.executable, "-c", LIGHT, str(snapshot), str(Path(__file__).parents[1])]
    said = subprocess.run(arguments, capture_output=True, text=True, check=True).stdout
    assert said.splitlines() == ["basic", "global", "local", "4 sqlite3"]
