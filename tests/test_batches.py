"""An index that is asked in batches: the same tables, nothing paid twice, whatever the provider does and when we die."""

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import stub_replies
from click.testing import CliRunner
from stub_batches import BatchServer, Lines
from stub_server import Fault

from graphrag_lite import pipeline, tables
from graphrag_lite.cli import indexing, main
from graphrag_lite.errors import ModelError, SettingsError, WaitingError
from graphrag_lite.run.loop import Run
from graphrag_lite.settings import Settings

NOTES = Path(__file__).parents[1] / "examples" / "corpus" / "notes"
Corpus = Callable[..., Path]


@pytest.fixture
def notes(corpus: Corpus) -> Path:
    return corpus({path.name: path.read_bytes() for path in sorted(NOTES.iterdir())[:5]})


def settings(server: BatchServer, **llm: Any) -> Settings:
    return Settings.model_validate({"method": "standard", "llm": {"model": "stub", "base_url": server.url, **llm}})


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


@pytest.fixture
def directly(notes: Path, tmp_path: Path) -> tuple[dict[str, bytes], int]:
    """What the index is that is asked directly, and by how many requests."""
    with BatchServer(stub_replies.answer) as server:
        run = pipeline.index(notes, tmp_path / "directly" / "output", settings(server))
        return tables_of(run), len(server.prompts)


def lying(lines: Lines) -> Lines:
    """Leave lines out, say some twice, add others that nobody asked for, in any order."""
    rng = random.Random("".join(lines))
    told = [line for line in lines if len(lines) == 1 or rng.random() < 0.8]
    foreign = json.dumps({"custom_id": "nobody", "response": {"status_code": 200, "body": {"choices": []}}})
    told += [*told[::2], foreign, "{", "null", '{"custom_id": 7}']
    rng.shuffle(told)
    return told


def asked_of(server: BatchServer) -> list[str]:
    """Return the conversations that were asked in all jobs that the provider holds."""
    files = [server.files[job["input_file_id"]] for job in server.jobs.values()]
    return [json.dumps(json.loads(line)["body"]["messages"]) for file in files for line in file.splitlines()]


@pytest.mark.parametrize("n_looks", [1, 3], ids=["at once", "slow"])
def test_batches_make_the_same_index_and_nothing_is_asked_twice(
    notes: Path, tmp_path: Path, directly: tuple[dict[str, bytes], int], n_looks: int
) -> None:
    with BatchServer(stub_replies.answer, n_looks=n_looks) as server:
        run = index_of(notes, tmp_path / "output", server, prices={"stub": {"input": 2.0, "output": 4.0}})
        asked = asked_of(server)
        assert len(set(asked)) == len(asked) == directly[1] and server.n_requests == 0
        again = pipeline.index(notes, tmp_path / "output", settings(server, batch=True))
    assert tables_of(run) == directly[0] and not again.changed
    assert not list((tmp_path / "output" / "batches").iterdir()), "what is used is forgotten"
    usage = run.usage["report_communities"]
    assert usage["cost"] == pytest.approx((usage["prompt_tokens"] * 1.0 + usage["completion_tokens"] * 2.0) / 1e6)


@pytest.mark.parametrize("status", ["completed", "expired", "cancelled"])
def test_what_a_provider_leaves_out_or_says_twice_is_made_up_for(
    notes: Path, tmp_path: Path, directly: tuple[dict[str, bytes], int], status: str
) -> None:
    with BatchServer(stub_replies.answer, lie=lying, status=lambda n: status if n % 2 else "completed") as server:
        run = index_of(notes, tmp_path / "output", server)
        answered = {line["custom_id"] for name, text in server.files.items() for line in _told(server, name, text)}
        asked = [
            json.loads(line)["custom_id"]
            for job in server.jobs.values()
            for line in server.files[job["input_file_id"]].splitlines()
        ]
    assert tables_of(run) == directly[0]
    assert len(asked) > directly[1] == len(answered), "what was left out is asked again"


def _told(server: BatchServer, name: str, text: str) -> list[Any]:
    if name in {job["input_file_id"] for job in server.jobs.values()}:
        return []
    rows = [json.loads(line) for line in text.splitlines() if line.startswith('{"id"')]
    return [row for row in rows if row["response"]["status_code"] == 200]


def test_a_job_whose_record_is_lost_is_found_again(
    notes: Path, tmp_path: Path, directly: tuple[dict[str, bytes], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By its tag: the answer to the request that made it was lost, or we were killed before it was recorded."""
    monkeypatch.setattr("graphrag_lite.llm.retries.FIRST_DELAY", 0.01)

    def killed() -> None:
        for path in (tmp_path / "output" / "batches").glob("*.job"):
            path.unlink()

    with BatchServer(stub_replies.answer, lose=frozenset((1, 2)), n_looks=2) as server:
        run = index_of(notes, tmp_path / "output", server, between=killed)
        asked = asked_of(server)
        assert len(set(asked)) == len(asked) == directly[1]
    assert tables_of(run) == directly[0]


def test_what_was_written_and_never_sent_is_sent_by_the_next_run(notes: Path, tmp_path: Path) -> None:
    with BatchServer(stub_replies.answer) as server:
        with pytest.raises(WaitingError):
            pipeline.index(notes, tmp_path / "output", settings(server, batch=True))
        jobs = list((tmp_path / "output" / "batches").glob("*.job"))
        assert len(jobs) == len(server.jobs) == 1
        jobs[0].unlink()
        server.jobs.clear()  # we were killed between the two
        index_of(notes, tmp_path / "output", server)
        asked = asked_of(server)
        assert len(set(asked)) == len(asked)


def test_a_job_is_used_again_while_the_provider_keeps_its_answers(notes: Path, tmp_path: Path) -> None:
    with BatchServer(stub_replies.answer) as server:
        index_of(notes, tmp_path / "output", server)
        n_jobs = len(server.jobs)
        index_of(notes, tmp_path / "other" / "output", server)  # which knows nothing of them
        assert len(server.jobs) == n_jobs, "nothing is paid twice"
        for job in server.jobs.values():
            server.files.pop(job["output_file_id"])
        index_of(notes, tmp_path / "third" / "output", server)
        assert len(server.jobs) == 2 * n_jobs


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
    with (
        BatchServer(lambda _: Fault(status=400, message="too long")) as server,
        pytest.raises(ModelError, match="refused it in a batch: too long"),
    ):
        index_of(notes, tmp_path / "other" / "output", server)
    assert len(server.jobs) == 1


def test_a_budget_bounds_what_is_sent(notes: Path, tmp_path: Path) -> None:
    with BatchServer(stub_replies.answer) as server:
        with pytest.raises(WaitingError):
            pipeline.index(notes, tmp_path / "output", settings(server, batch=True, max_calls=2))
        assert len(asked_of(server)) == 2
        with pytest.raises(ModelError, match=r"llm\.max_calls"):
            pipeline.index(notes, tmp_path / "other" / "output", settings(server, batch=True, max_calls=0))
        assert len(asked_of(server)) == 2


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
        for llm, says in (({"provider": "ollama"}, "no batch endpoint"), ({"provider": "azure"}, "/openai/v1")):
            with pytest.raises(SettingsError, match=says):
                pipeline.index(notes, tmp_path / "output", settings(server, batch=True, **llm))
