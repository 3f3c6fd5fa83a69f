"""`graphrag-lite index` with a model behind it: what is printed where, the exit code, and what the next run does."""

import json
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import stub_replies
from click.testing import CliRunner, Result
from stub_server import Fault, StubServer, refused_port

from graphrag_lite import tables
from graphrag_lite.cli import main
from graphrag_lite.run import snapshots

NOTES = Path(__file__).parents[1] / "examples" / "corpus" / "notes"
Corpus = Callable[..., Path]
USAGE = {"calls", "memo_hits", "prompt_tokens", "cached_tokens", "completion_tokens", "cost"}


@pytest.fixture
def server() -> Iterator[StubServer]:
    with StubServer(stub_replies.answer) as server:
        yield server


@pytest.fixture
def index(corpus: Corpus, tmp_path: Path, server: StubServer) -> Callable[..., Result]:
    notes = corpus({path.name: path.read_bytes() for path in sorted(NOTES.iterdir())[:12]})

    def run(*arguments: str, **llm: Any) -> Result:
        values = {"model": "stub", "base_url": server.url, **llm}
        lines = [f"  {name}: {json.dumps(value)}" for name, value in values.items()]
        (tmp_path / "settings.yaml").write_text("\n".join(["method: standard", "llm:", *lines]))
        command = ["index", str(notes), "--root", str(tmp_path), *arguments]
        return CliRunner().invoke(main, command, catch_exceptions=False)

    return run


def test_a_failed_unit_is_named_the_exit_code_is_3_and_the_next_run_asks_for_it_alone(
    index: Callable[..., Result], server: StubServer, tmp_path: Path
) -> None:
    """The reference dropped it without a word and ended with 0."""
    healthy = server.reply

    def faulty(body: dict[str, Any]) -> str | Fault:
        lost = "Riccardo Giacconi" in body["messages"][0]["content"]
        return "I cannot help with that." if lost and is_extraction(body) else healthy(body)

    server.reply = faulty
    result = index(max_failure_ratio=0.5)
    assert result.exit_code == 3, result.stderr
    failures = tables.read(snapshots.current(tmp_path / "output"), "failures").to_pylist()
    assert failures and {row["stage"] for row in failures} == {"extract_graph"}
    for row in failures:
        assert f"(text unit {row['document']}): {row['error']}" in result.stderr
    assert re.search(r"^  \S+\.(md|txt), characters \d+-\d+ \(text unit", result.stderr, re.M)
    n_requests = server.n_requests
    server.reply = healthy
    healed = index(max_failure_ratio=0.5)
    assert healed.exit_code == 0 and "failure" not in healed.stderr
    again = [body for body in server.requests[n_requests:] if is_extraction(body) and len(body["messages"]) == 1]
    assert len(again) == len(failures)
    assert not tables.read(snapshots.current(tmp_path / "output"), "failures").num_rows


def is_extraction(body: dict[str, Any]) -> bool:
    return stub_replies.recognise(body["messages"][0]["content"])[0] == "extract_graph.md"


def test_an_endpoint_that_is_down_ends_it_in_seconds_before_any_work(
    index: Callable[..., Result], tmp_path: Path
) -> None:
    """The reference was silent for 278 seconds."""
    with refused_port() as port:
        started = time.monotonic()
        result = index(base_url=f"http://127.0.0.1:{port}/v1")
    assert time.monotonic() - started < 30
    assert result.exit_code == 1 and not result.stdout
    assert result.stderr.startswith(f"Error: http://127.0.0.1:{port}/v1 cannot be reached")
    assert not (tmp_path / "output" / "current").exists()


def test_a_wrong_key_ends_it_before_any_work(
    index: Callable[..., Result], server: StubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.key = "right"
    monkeypatch.setenv("MY_KEY", "wrong-and-secret")
    result = index(api_key_env="MY_KEY")
    assert result.exit_code == 1
    assert server.n_requests == 1 and not server.n_answered, "the smallest request, since it may not list models"
    assert result.stderr.startswith("Error: ") and "MY_KEY" in result.stderr and "secret" not in result.stderr


def test_what_was_spent_is_told_live_at_the_end_and_in_the_manifest(
    index: Callable[..., Result], server: StubServer, tmp_path: Path
) -> None:
    result = index("--json", prices={"stub": {"input": 1.0, "output": 10.0}})
    page = (Path(__file__).parents[1] / "docs" / "json.md").read_text(encoding="utf-8").split("\n## ")[1]
    documented = [key.strip() for row in re.findall(r"^\| ([a-z_, ]+) \|", page, re.M)[1:] for key in row.split(",")]
    assert list(json.loads(result.stdout)) == documented
    told = json.loads(result.stdout)["usage"]
    assert result.exit_code == 0 and told.keys() == USAGE
    assert told["calls"] == server.n_answered > 50
    assert (told["prompt_tokens"], told["completion_tokens"]) == (server.prompt_tokens, server.completion_tokens)
    assert told["cost"] == pytest.approx((told["prompt_tokens"] + 10 * told["completion_tokens"]) / 1e6, abs=1e-5)
    assert re.search(r"^extract_graph: .*; [\d,]+ calls, 0 kept, [\d,]+ \+ [\d,]+ tokens, \$", result.stderr, re.M)
    stored = snapshots.read_manifest(snapshots.current(tmp_path / "output"))
    assert sum(stage["calls"] for stage in stored["usage"].values()) == told["calls"]
    assert set(stored["usage"]) >= {"extract_graph", "report_communities"} and stored["model"]["model"] == "stub"
    assert "base_url" in json.dumps(stored["settings"]) and "temperature" in stored["model"]
    assert json.loads(index("--json").stdout)["usage"]["calls"] == 0


def test_a_model_without_prices_counts_tokens_and_says_that_its_prices_are_not_known(
    index: Callable[..., Result],
) -> None:
    result = index()
    assert result.exit_code == 0
    assert re.search(r"tokens +[\d,]+ prompt, [\d,]+ completion", result.stdout)
    assert "not known: set llm.prices.stub" in " ".join(result.stdout.split()) and "$" not in result.stdout


def test_a_dry_run_says_what_plan_says_and_asks_nothing(
    index: Callable[..., Result], server: StubServer, tmp_path: Path
) -> None:
    result = index("--dry-run", "--json")
    assert result.exit_code == 0 and not server.n_requests and not (tmp_path / "output").exists()
    planned = CliRunner().invoke(main, ["plan", str(tmp_path / "corpus"), "--root", str(tmp_path), "--json"])
    assert json.loads(result.stdout) == json.loads(planned.stdout)
