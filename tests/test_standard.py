"""An index made by a model, from the corpus to the published snapshot: paid once, resumable, and checkable."""

import asyncio
import json
import random
import shutil
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import stub_replies
from last_snapshot import bytes_of
from stub_model import StubModel

from graphrag_lite import pipeline, tables
from graphrag_lite.errors import ModelError
from graphrag_lite.extraction import model_rounds
from graphrag_lite.llm.chat import Reply, Request
from graphrag_lite.read.file_documents import ReadFile
from graphrag_lite.read.file_documents import read as read_file
from graphrag_lite.run import snapshots
from graphrag_lite.run.loop import Run
from graphrag_lite.search.index import Index
from graphrag_lite.settings import Settings

TESTS = Path(__file__).parent
CONCURRENCY = 2


def reply(request: Request) -> str:
    return stub_replies.reply(request.messages)


def settings(**changes: Any) -> Settings:
    values: dict[str, Any] = {"method": "standard", "llm": {"model": "stub"}, "extract_claims": {"enabled": True}}
    for name, value in changes.items():
        values[name] = {**values.get(name, {}), **value} if isinstance(value, dict) else value
    return Settings.model_validate(values)


def index(corpus: Path, output: Path, stub: StubModel, **changes: Any) -> Run:
    return pipeline.index(corpus, output, settings(**changes), model=stub)


@pytest.fixture
def output(tmp_path: Path) -> Path:
    return tmp_path / "root" / "output"


@pytest.fixture(scope="module")
def made(some_notes: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, StubModel]:
    """An index of the notes that nothing disturbed, to be read, and the model with what it was asked."""
    stub = StubModel(reply)
    return index(some_notes, tmp_path_factory.mktemp("root") / "output", stub), stub


@pytest.fixture
def first(made: tuple[Run, StubModel], output: Path) -> tuple[Run, StubModel]:
    """The same in `output`, to be changed."""
    run, asked = made
    shutil.copytree(run.snapshot.parents[1], output)
    stub = StubModel(reply)
    stub.requests = list(asked.requests)
    return run, stub


def test_every_id_of_the_index_leads_somewhere(made: tuple[Run, StubModel]) -> None:
    snapshot = made[0].snapshot
    rows = {name: tables.read(snapshot, name).to_pylist() for name in tables.FINAL}
    ids = {name: {row["id"] for row in found} for name, found in rows.items() if "id" in tables.schema(name).names}
    assert not rows["failures"] and len(rows["covariates"]) > 10 and len(rows["community_reports"]) > 5
    for unit in rows["text_units"]:
        assert unit["document_id"] in ids["documents"]
        for kind in ("entity", "relationship", "covariate"):
            assert set(unit[f"{kind}_ids"]) <= ids[f"{kind}s" if kind != "entity" else "entities"]
    titles = {row["title"] for row in rows["entities"]}
    assert {end for row in rows["relationships"] for end in (row["source"], row["target"])} <= titles
    assert {row["text_unit_id"] for row in rows["covariates"]} <= ids["text_units"]
    texts = {row["id"]: row["text"] for row in rows["documents"]}
    spans = {row["id"]: (row["document_id"], row["char_start"], row["char_end"]) for row in rows["text_units"]}
    for row in rows["community_reports"]:
        assert row["citations"]
        for cited in row["citations"]:
            document, start, end = spans[cited["text_unit_id"]]
            assert document == cited["document_id"] and start <= cited["char_start"] < cited["char_end"] <= end
            assert texts[document][cited["char_start"] : cited["char_end"]].strip()


def test_without_a_model_the_reports_of_a_model_answer_in_their_own_marked_sentences(
    made: tuple[Run, StubModel],
) -> None:
    run = made[0]
    answer = Index(run.snapshot).query("What are the main themes?", "global")
    reports = " ".join(tables.read(run.snapshot, "community_reports")["full_content"].to_pylist())
    sentences = [said for line in answer.answer.split("\n\n") for said in line.split(": ", 1)[1].split(". ")]
    assert len(sentences) >= 5 and answer.model is None
    assert all(stub_replies.MARK.search(said) for said in sentences)
    assert all(stub_replies.MARK.split(said.split(": ")[-1])[0] in reports for said in sentences)
    assert {int(n) for n in stub_replies.MARK.findall(answer.answer)} == {cited.n for cited in answer.citations}
    texts = {row["path"]: row["text"] for row in tables.read(run.snapshot, "documents").to_pylist()}
    assert all(texts[c.path][c.char_start : c.char_end] == c.text for c in answer.citations)


def test_a_second_run_asks_nothing_and_a_changed_model_asks_everything_again(
    notes: Path, output: Path, first: tuple[Run, StubModel]
) -> None:
    run, stub = first
    n_calls = len(stub.requests)
    assert n_calls > 100 and set(stub.asked.values()) == {1}
    assert sum(stage["calls"] for stage in run.usage.values()) == n_calls
    assert not index(notes, output, stub).changed and len(stub.requests) == n_calls
    other = StubModel(reply, name="other")
    assert index(notes, output, other).changed and len(other.requests) == n_calls


def test_a_model_that_cannot_be_asked_ends_the_reading_of_the_corpus(
    some_notes: Path, output: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The endpoint is checked beside the reading: none of the two waits for the other."""
    read: list[str] = []
    begun, refused = threading.Event(), threading.Event()

    class Refusing(StubModel):
        async def check(self) -> None:
            begun.wait(20)
            asyncio.get_running_loop().call_later(0.05, refused.set)
            raise ModelError("refused")

    def slow(file: ReadFile) -> None:
        read.append(file.id)
        begun.set()
        refused.wait(20)

    monkeypatch.setattr("graphrag_lite.stages.load_documents.read", slow)
    with pytest.raises(ModelError, match="refused"):
        index(some_notes, output, stub := Refusing(reply))
    assert len(read) == 1 and not stub.requests


def test_a_changed_document_costs_what_it_changes(notes: Path, output: Path, first: tuple[Run, StubModel]) -> None:
    stub = first[1]
    n_calls = len(stub.requests)
    (notes / "zzz.txt").write_text("Zora Quill met Yann Ober in Xanten.\n")
    run = index(notes, output, stub)
    new = stub.requests[n_calls:]
    assert run.usage["extract_graph"]["calls"] <= 3
    assert len(new) < 0.3 * n_calls and set(stub.asked.values()) == {1}


def test_the_order_in_which_replies_come_changes_no_byte(
    notes: Path, tmp_path: Path, made: tuple[Run, StubModel]
) -> None:
    class Slow(StubModel):
        """Answers out of order."""

        async def complete(self, request: Request) -> Reply:
            found = await super().complete(request)
            await asyncio.sleep(random.random() / 100)
            return found

    told = [
        bytes_of(index(notes, tmp_path / name / "output", Slow(reply), llm={"concurrency": n}).snapshot)
        for name, n in (("a", 25), ("b", 3))
    ]
    assert told[0] == told[1] == bytes_of(made[0].snapshot)


def test_names_and_claims_are_asked_for_beside_the_stages_before_them_with_the_same_result(
    notes: Path, output: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def faulty(request: Request) -> str:
        text = request.messages[0]["content"]
        fails = "Kodak" in text and stub_replies.recognise(text)[0] in ("extract_claims.md", "extract_graph_more.md")
        return "I cannot help with that." if fails else reply(request)

    def told(stub: StubModel, output: Path) -> tuple[Any, list[str]]:
        run = index(notes, output, stub, llm={"max_failure_ratio": 0.5, "concurrency": 1})
        asked = [stub_replies.recognise(request.messages[0]["content"])[0] for request in stub.requests]
        return (bytes_of(run.snapshot), run.usage, stub.asked), asked

    for path in sorted(notes.iterdir())[12:]:
        if "Kodak" not in path.read_text():
            path.unlink()
    beside, asked = told(StubModel(faulty), output)
    assert asked.index("extract_claims.md") < asked.index("resolve_entities.md")
    monkeypatch.setattr(model_rounds, "texts_begun", lambda *_: None)
    monkeypatch.setattr(model_rounds, "names_begun", lambda *_: None)
    monkeypatch.setattr(model_rounds, "claims_begun", lambda *_: None)
    in_turn, asked = told(StubModel(faulty), tmp_path / "other" / "output")
    assert asked.index("extract_claims.md") >= len(asked) - asked[::-1].index("resolve_entities.md")
    assert beside == in_turn


def test_the_first_texts_are_asked_about_while_files_are_read_once_the_endpoint_is_checked(
    some_notes: Path, output: Path, monkeypatch: pytest.MonkeyPatch, made: tuple[Run, StubModel]
) -> None:
    asked, checked, read = threading.Event(), threading.Event(), []

    class Checked(StubModel):
        async def check(self) -> None:
            await asyncio.sleep(0.05)
            checked.set()

        async def complete(self, request: Request) -> Reply:
            assert checked.is_set()
            asked.set()
            return await super().complete(request)

    def reading(file: ReadFile) -> Any:
        assert not read or asked.wait(20)  # the second file waits for the first one's request
        read.append(file.id)
        return read_file(file)

    monkeypatch.setattr("graphrag_lite.stages.load_documents.read", reading)
    run = index(some_notes, output, stub := Checked(reply))
    assert bytes_of(run.snapshot) == bytes_of(made[0].snapshot) and stub.asked == made[1].asked
    assert len(read) > 2


def test_what_failed_is_recorded_and_the_next_run_asks_for_it_alone(notes: Path, output: Path) -> None:
    broken = "Kodak"  # in few documents
    held = sum(broken in path.read_text() for path in notes.iterdir())

    def faulty(request: Request) -> str:
        text = request.messages[0]["content"]
        is_extraction = stub_replies.recognise(text)[0] == "extract_graph.md"
        return "I cannot help with that." if is_extraction and broken in text else reply(request)

    stub, full = StubModel(faulty), {"mode": "full"}
    run = index(notes, output, stub, llm={"max_failure_ratio": 0.5}, communities=full)
    failures = tables.read(run.snapshot, "failures").to_pylist()
    units = {row["id"]: row["text"] for row in tables.read(run.snapshot, "text_units").to_pylist()}
    assert len(failures) >= held > 0
    assert {row["stage"] for row in failures} == {"extract_graph"} and all(row["attempts"] == 2 for row in failures)
    assert all(any(unit in row["document"] for unit in units) for row in failures)

    again = index(notes, output, stub, llm={"max_failure_ratio": 0.5}, communities=full)
    assert again.ran == ("extract_graph",) and not again.changed and again.n_failures == len(failures)
    assert again.usage["extract_graph"]["calls"] == 2 * len(failures)

    healed_stub = StubModel(reply)
    healed = index(notes, output, healed_stub, communities=full)
    assert healed.n_failures == 0 and healed.changed
    asked = {request.messages[0]["content"] for request in healed_stub.requests}
    extractions = {text for text in asked if stub_replies.recognise(text)[0] == "extract_graph.md"}
    assert len(extractions) == len(failures)
    undisturbed = index(notes, output.parent.parent / "other" / "output", StubModel(reply), communities=full)
    assert bytes_of(healed.snapshot) == bytes_of(undisturbed.snapshot)


def test_a_run_that_goes_wrong_stops_and_publishes_nothing(notes: Path, output: Path) -> None:
    stub = StubModel(lambda _: "I cannot help with that.")
    with pytest.raises(ModelError, match=r"extract_graph: \d+ of \d+ could not be done"):
        index(notes, output, stub)
    assert not (output / "current").exists()
    assert len(stub.requests) < 150


@pytest.fixture
def server(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """A stub in a process of its own, which outlives the runs that are killed; its log of arrivals."""
    log = tmp_path / "arrivals.jsonl"
    arguments = ["--reply", "stub_replies:answer", "--latency", "0.06", "--log", str(log)]
    process = subprocess.Popen(
        [sys.executable, str(TESTS / "stub_server.py"), *arguments], stdout=subprocess.PIPE, text=True, cwd=TESTS
    )
    assert process.stdout
    yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1", log
    process.terminate()
    process.communicate(timeout=20)


def start(corpus: Path, root: Path, url: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", "from graphrag_lite.cli import main; main()"]
    sets = ["method=standard", "llm.model=stub", f"llm.base_url={url}", f"llm.concurrency={CONCURRENCY}"]
    command += ["index", str(corpus), "--root", str(root), *(part for value in sets for part in ("--set", value))]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def test_a_killed_run_pays_for_nothing_twice(notes: Path, tmp_path: Path, server: tuple[str, Path]) -> None:
    """SIGKILL at two random moments: what was in flight is asked again, nothing else, and no byte differs."""
    url, log = server
    chance = random.Random(3)
    in_flight: Counter[str] = Counter()
    n_kills = 0
    while n_kills < 2:
        before = len(arrivals(log))
        process = start(notes, tmp_path / "root", url)
        while process.poll() is None and len(arrivals(log)) == before:
            time.sleep(0.01)  # past start-up, where there is nothing to lose
        time.sleep(chance.uniform(0.1, 0.5))
        process.kill()
        _, said = process.communicate(timeout=20)
        assert "Traceback" not in said
        if process.returncode == 0:
            break
        n_kills += 1
        in_flight.update(unsettled(log))
    process = start(notes, tmp_path / "root", url)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 0, said
    assert n_kills == 2, "the run was too short to be killed so often"
    answered = Counter(row["prompt"] for row in events(log) if row["event"] == "answered")
    assert all(n <= 1 + in_flight[prompt] for prompt, n in answered.items())
    assert sum(in_flight.values()) < len(answered)
    undisturbed = pipeline.index(
        notes, tmp_path / "undisturbed" / "output", settings(extract_claims={"enabled": False}), model=StubModel(reply)
    )
    assert bytes_of(snapshots.current(tmp_path / "root" / "output")) == bytes_of(undisturbed.snapshot)


def events(log: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


def unsettled(log: Path) -> set[str]:
    """Return what was in flight: asked and not answered, or answered so lately that it may not have been stored."""
    told = events(log)
    asked = Counter(row["prompt"] for row in told if row["event"] == "arrived")
    answered = [row["prompt"] for row in told if row["event"] == "answered"]
    return set(asked - Counter(answered)) | set(answered[-2 * CONCURRENCY :])


def arrivals(log: Path) -> list[str]:
    return [row["prompt"] for row in events(log) if row["event"] == "arrived"]
