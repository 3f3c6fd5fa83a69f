"""An index that is asked in batches: the same tables, nothing paid twice, whatever the provider does and when we die."""

import json
import random
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import stub_replies
from click.testing import CliRunner
from stub_batches import AnthropicServer, BatchServer, GeminiServer, KeylessGeminiServer, Lines, anthropic_job
from stub_server import Fault

from graphrag_lite import pipeline, tables
from graphrag_lite.cli import indexing, main
from graphrag_lite.errors import ModelError, SettingsError, WaitingError
from graphrag_lite.run.loop import Run
from graphrag_lite.settings import Settings

NOTES = Path(__file__).parents[1] / "examples" / "corpus" / "notes"
Corpus = Callable[..., Path]


PROVIDERS = {AnthropicServer: "anthropic", GeminiServer: "gemini", KeylessGeminiServer: "gemini"}


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("notes")
    for path in sorted(NOTES.iterdir())[:3]:
        (folder / path.name).write_bytes(path.read_bytes())
    return folder


def settings(server: BatchServer, **llm: Any) -> Settings:
    of = {"model": "stub", "base_url": server.url, "provider": PROVIDERS.get(type(server), "openai"), **llm}
    return Settings.model_validate({"method": "standard", "llm": of})


def tables_of(run: Run) -> dict[str, bytes]:
    return {str(path.relative_to(run.snapshot)): path.read_bytes() for path in tables.files(run.snapshot)}


def index_of(
    corpus: Path, output: Path, server: BatchServer, between: Callable[[], None] = lambda: None, **llm: Any
) -> Run:
    """Index as often as it takes."""
    for _ in range(40):
        try:
            return pipeline.index(corpus, output, settings(server, batch=True, **llm))
        except WaitingError:
            assert not (output / "current").exists(), "half an index is not published"
            between()
    raise AssertionError("it never ends")


@pytest.fixture(scope="module")
def directly(notes: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, bytes], int]:
    """What the index is that is asked directly, and by how many requests."""
    with BatchServer(stub_replies.answer) as server:
        run = pipeline.index(notes, tmp_path_factory.mktemp("directly") / "output", settings(server))
        return tables_of(run), len(server.prompts)


def lying(lines: Lines) -> Lines:
    """Leave lines out, say some twice, add others that nobody asked for, in any order."""
    rng = random.Random("".join(lines))
    told = [line for line in lines if len(lines) == 1 or rng.random() < 0.8]
    foreign = json.dumps({"custom_id": "nobody", "response": {"status_code": 200, "body": {"choices": []}}})
    told += [
        *told[::2],
        foreign,
        "{",
        "null",
        '{"custom_id": 7}',
        '{"custom_id": 7, "response": {"status_code": Infinity}}',
    ]
    rng.shuffle(told)
    return told


def test_batches_make_the_same_index_and_nothing_is_asked_twice(
    notes: Path, tmp_path: Path, directly: tuple[dict[str, bytes], int]
) -> None:
    with BatchServer(stub_replies.answer, n_looks=2) as server:
        run = index_of(notes, tmp_path / "output", server, prices={"stub": {"input": 2.0, "output": 4.0}})
        assert len(set(server.asked)) == len(server.asked) == directly[1] and server.n_requests == 0
        again = pipeline.index(notes, tmp_path / "output", settings(server, batch=True))
    assert tables_of(run) == directly[0] and not again.changed
    assert not list((tmp_path / "output" / "batches").iterdir()), "what is used is forgotten"
    usage = run.usage["report_communities"]
    assert usage["cost"] == pytest.approx((usage["prompt_tokens"] * 1.0 + usage["completion_tokens"] * 2.0) / 1e6)


@pytest.mark.parametrize("kind", [BatchServer, AnthropicServer, GeminiServer])
def test_what_a_provider_leaves_out_or_says_twice_is_made_up_for(
    notes: Path, tmp_path: Path, directly: tuple[dict[str, bytes], int], kind: type[BatchServer]
) -> None:
    ends = ("completed", "expired", "cancelled")
    with kind(stub_replies.answer, lie=lying, status=lambda n: ends[n % 3]) as server:
        if kind is AnthropicServer:  # which has no tags: jobs of others, of as many requests
            server.jobs = {f"others{n}": anthropic_job(f"others{n}", n) for n in range(1, 9)}
        run = index_of(notes, tmp_path / "output", server)
        keys = [key for key, _ in server.asked]
        n_told = len({line["custom_id"] for name, text in server.files.items() for line in _told(server, name, text)})
    assert tables_of(run) == directly[0]
    assert len(keys) > directly[1] == len(set(keys)), "what was left out is asked again"
    assert not any("others" in name for name in server.looks)
    assert kind is not BatchServer or n_told == directly[1]


def _told(server: BatchServer, name: str, text: str) -> list[Any]:
    if name in {job.get("input_file_id", name) for job in server.jobs.values()}:
        return []
    rows = [json.loads(line) for line in text.splitlines() if line.startswith('{"id"')]
    return [row for row in rows if row["response"]["status_code"] == 200]


@pytest.mark.parametrize("kind", [BatchServer, AnthropicServer, KeylessGeminiServer])
def test_a_job_whose_record_is_lost_is_found_again(
    notes: Path,
    tmp_path: Path,
    directly: tuple[dict[str, bytes], int],
    monkeypatch: pytest.MonkeyPatch,
    kind: type[BatchServer],
) -> None:
    """By its tag: the answer to the request that made it was lost, or we were killed before it was recorded."""
    monkeypatch.setattr("graphrag_lite.llm.retries.FIRST_DELAY", 0.01)

    def killed() -> None:
        for path in (tmp_path / "output" / "batches").glob("*.job"):
            path.unlink()

    with kind(stub_replies.answer, lose=frozenset((1, 2)), n_looks=2) as server:
        run = index_of(notes, tmp_path / "output", server, between=killed)
        assert len(set(server.asked)) == len(server.asked) == directly[1] and server.n_requests == 0
    assert tables_of(run) == directly[0]


@pytest.mark.parametrize("kind", [BatchServer, AnthropicServer, GeminiServer])
def test_a_process_that_is_killed_before_it_knows_its_job_finds_it_again(
    notes: Path, tmp_path: Path, directly: tuple[dict[str, bytes], int], kind: type[BatchServer]
) -> None:
    with kind(stub_replies.answer) as server:
        server.holds = True
        chosen = settings(server, batch=True)
        (tmp_path / "settings.yaml").write_text(json.dumps({"method": "standard", "llm": chosen.llm.model_dump()}))
        command = [sys.executable, "-m", "graphrag_lite", "index", str(notes), "--root", str(tmp_path)]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not server.jobs and process.poll() is None:
            time.sleep(0.01)
        process.kill()
        assert process.wait() < 0
        assert len(server.jobs) == 1 and not list((tmp_path / "output" / "batches").glob("*.job"))
        server.holds = False
        run = index_of(notes, tmp_path / "output", server)
        assert len(set(server.asked)) == len(server.asked) == directly[1]
    assert tables_of(run) == directly[0]


def test_a_server_that_is_killed_is_asked_for_the_same_jobs_once_it_is_back(
    notes: Path, tmp_path: Path, directly: tuple[dict[str, bytes], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("graphrag_lite.llm.retries.FIRST_DELAY", 0.01)
    server = BatchServer(stub_replies.answer)
    for _ in range(20):
        with server, suppress(WaitingError):
            run = pipeline.index(notes, tmp_path / "output", settings(server, batch=True))
            break
        with pytest.raises(ModelError, match="cannot be reached"):
            pipeline.index(notes, tmp_path / "output", settings(server, batch=True))
    assert len(set(server.asked)) == len(server.asked) == directly[1]
    assert tables_of(run) == directly[0]


def test_a_reply_that_cannot_be_used_is_shown_to_the_model_in_a_later_batch(notes: Path, tmp_path: Path) -> None:
    def reply(body: dict[str, Any]) -> str:
        said = stub_replies.answer(body)
        return said if len(body["messages"]) > 1 or not said.startswith("{") else f"{said[:-3]} ... and so on"

    with BatchServer(reply) as server:
        run = pipeline.index(notes, tmp_path / "directly" / "output", settings(server))
        batched = index_of(notes, tmp_path / "output", server)
    shown = [conversation for _, conversation in server.asked if "... and so on" in conversation]
    assert shown and len(set(server.asked)) == len(server.asked)
    assert tables_of(batched) == tables_of(run) and not tables.read(run.snapshot, "failures").num_rows


def test_what_was_written_and_never_sent_is_sent_by_the_next_run(notes: Path, tmp_path: Path) -> None:
    with BatchServer(stub_replies.answer) as server:
        with pytest.raises(WaitingError):
            pipeline.index(notes, tmp_path / "output", settings(server, batch=True))
        jobs = list((tmp_path / "output" / "batches").glob("*.job"))
        assert len(jobs) == len(server.jobs) == 1
        jobs[0].unlink()
        server.jobs.clear()  # we were killed between the two
        server.asked.clear()
        index_of(notes, tmp_path / "output", server)
        assert len(set(server.asked)) == len(server.asked)


def test_a_job_is_used_again_while_the_provider_keeps_its_answers(notes: Path, tmp_path: Path) -> None:
    with BatchServer(stub_replies.answer) as server:
        index_of(notes, tmp_path / "output", server)
        *others, last = server.jobs.values()
        server.files.pop(last["output_file_id"])
        index_of(notes, tmp_path / "other" / "output", server)  # which knows nothing of them
        assert len(server.jobs) == 2 + len(others), "nothing is paid twice but what is no longer kept"


def test_a_refused_parameter_is_left_out_of_the_next_batch_and_other_refusals_are_failures(
    notes: Path, tmp_path: Path
) -> None:
    refused = {"temperature": "Unsupported value: 'temperature' does not support 0.0 with this model."}
    with BatchServer(stub_replies.answer, refuses=refused) as server:
        index_of(notes, tmp_path / "output", server)
        bodies = [
            json.loads(line)["body"]
            for job in server.jobs.values()
            for line in server.files[job["input_file_id"]].splitlines()
        ]
    assert "temperature" in bodies[0] and not any("temperature" in body for body in bodies[len(bodies) // 2 :])
    for kind in (BatchServer, AnthropicServer, GeminiServer):
        with (
            kind(lambda _: Fault(status=400, message="too long")) as server,
            pytest.raises(ModelError, match="refused it in a batch: too long"),
        ):
            index_of(notes, tmp_path / kind.__name__ / "output", server)
        assert len(server.jobs) == 1


def test_a_budget_bounds_what_is_sent(notes: Path, tmp_path: Path) -> None:
    with BatchServer(stub_replies.answer) as server:
        with pytest.raises(WaitingError):
            pipeline.index(notes, tmp_path / "output", settings(server, batch=True, max_calls=2))
        assert len(server.asked) == 2
        with pytest.raises(ModelError, match=r"llm\.max_calls"):
            pipeline.index(notes, tmp_path / "other" / "output", settings(server, batch=True, max_calls=0))
        assert len(server.asked) == 2


def test_the_command_says_what_it_waits_for_and_can_wait(
    notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexing, "POLL", 0.0)
    with BatchServer(stub_replies.answer) as server:
        base = ["--set", "method=standard", "--set", "llm.model=stub", "--set", f"llm.base_url={server.url}"]
        arguments = ["index", str(notes), "--root", str(tmp_path), *base, "--batch"]
        first = CliRunner().invoke(main, arguments, catch_exceptions=False)
        assert first.exit_code == 75 and "in 1 batch (validating 1)" in first.stderr and not first.stdout
        whole = CliRunner().invoke(main, [*arguments, "--wait"], catch_exceptions=False)
        assert whole.exit_code == 0 and (tmp_path / "output" / "current").exists()


def test_a_provider_without_such_an_endpoint_is_an_error_of_the_settings(notes: Path, tmp_path: Path) -> None:
    with BatchServer(stub_replies.answer) as server:
        for llm, says in (
            ({"provider": "ollama"}, "no batch endpoint"),
            ({"provider": "azure"}, "/openai/v1"),
            ({"provider": "gemini", "parameters": {"top_k": 3}}, r"llm\.parameters\.top_k"),
        ):
            with pytest.raises(SettingsError, match=says):
                pipeline.index(notes, tmp_path / "output", settings(server, batch=True, **llm))
