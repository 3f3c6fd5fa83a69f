"""What `--metrics-file` writes: read back by Prometheus' own parser."""

import datetime
import json
import shutil
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import stub_replies
from click.testing import CliRunner
from prometheus_client.parser import text_string_to_metric_families
from stub_server import Fault, StubServer

from graphrag_lite.cli import main, run_summary
from graphrag_lite.ops import metrics
from graphrag_lite.run import run_log, snapshots

TEXT = {"a.txt": "Ada Lovelace wrote to Charles Babbage."}
NOW = datetime.datetime(2026, 6, 1, 2, tzinfo=datetime.UTC)


def figures(path: Path) -> dict[str, float]:
    """Return the values of a metrics file by name, with every label but the root's."""
    found = {}
    for family in text_string_to_metric_families(path.read_text(encoding="utf-8")):
        assert family.type == "gauge" and family.documentation
        for sample in family.samples:
            labels = {name: value for name, value in sample.labels.items() if name != "root"}
            found[sample.name.removeprefix("graphrag_lite_") + "".join(f"/{value}" for value in labels.values())] = (
                sample.value
            )
    return found


def index(corpus: Path, root: Path, *options: str) -> tuple[int, dict[str, Any] | None, dict[str, float]]:
    file = root / "index.prom"
    command = ["index", str(corpus), "--root", str(root), "--json", "--metrics-file", str(file), *options]
    result = CliRunner().invoke(main, command, catch_exceptions=False)
    assert not [path for path in root.iterdir() if path.name.startswith("index.prom.")]
    return result.exit_code, json.loads(result.stdout) if result.stdout else None, figures(file)


@pytest.fixture(scope="module")
def first(some_notes: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any], dict[str, float]]:
    """A root with an index of the notes and its metrics file; the summary of its run, and its figures."""
    root = tmp_path_factory.mktemp("made")
    code, summary, found = index(some_notes, root)
    assert code == 0 and summary
    return root, summary, found


@pytest.fixture(scope="module")
def made(first: tuple[Path, Any, Any]) -> Path:
    return first[0]


@pytest.fixture
def indexed(made: Path, tmp_path: Path) -> Path:
    """The same, to be changed."""
    return shutil.copytree(made, tmp_path / "root", symlinks=True)


def test_the_figures_are_those_of_the_summary(
    first: tuple[Path, dict[str, Any], dict[str, float]], indexed: Path, some_notes: Path
) -> None:
    _, summary, found = first
    for name in metrics.ROWS:
        assert found[name] == summary[name]
    assert found["last_run_success"] == 1 and found["last_run_exit_code"] == 0
    assert found["last_run_stages"] == len(summary["stages_run"]) == 13
    assert found["last_run_documents/added"] == 25
    assert found["last_run_peak_memory_bytes"] == summary["peak_memory_mb"] * 1e6
    assert found["last_run_end_timestamp_seconds"] == found["last_success_timestamp_seconds"]
    assert 0 < found["last_run_duration_seconds"] < 600
    assert any(name.startswith("snapshot_info") and summary["snapshot"] in name for name in found)
    _, unchanged, again = index(some_notes, indexed)
    assert unchanged and unchanged["status"] == "unchanged"
    assert again["last_run_stages"] == 0 and again["last_run_documents/added"] == 0
    assert again["last_success_timestamp_seconds"] > found["last_success_timestamp_seconds"]
    assert again["documents"] == 25


def test_a_run_that_failed_keeps_the_time_of_the_last_that_did_not(some_notes: Path, indexed: Path) -> None:
    entry = run_log.read(indexed / "output")[-1]
    (indexed / "settings.yaml").write_text("split_text_units: {size: 1}", encoding="utf-8")
    code, _, found = index(some_notes, indexed)
    assert code == found["last_run_exit_code"] == 1
    assert found["last_run_success"] == 0 and found["documents"] == 25
    ended = datetime.datetime.fromisoformat(entry["started_at"]).timestamp() + entry["seconds"]
    assert found["last_success_timestamp_seconds"] == pytest.approx(ended)
    assert "last_run_stages" not in found and "last_run_documents/added" not in found
    assert run_log.read(indexed / "output")[-1]["status"] == "failed"
    (indexed / "settings.yaml").unlink()
    with snapshots.lock_output(indexed / "output"):
        code, _, found = index(some_notes, indexed)
    assert code == found["last_run_exit_code"] == 75 and found["last_run_success"] == 0


def test_a_command_that_is_wrong_is_no_run(some_notes: Path, indexed: Path) -> None:
    file, log = indexed / "index.prom", indexed / "output" / run_log.NAME
    before = file.read_bytes(), log.read_bytes()
    for wrong in ("split_text_units.sice=3", "split_text_units.size=1", "method=standard", "nonsense"):
        code, summary, _ = index(some_notes, indexed, "--set", wrong)
        assert (code, summary) == (1, None)
        assert (file.read_bytes(), log.read_bytes()) == before
    (indexed / "settings.yaml").write_text("search: {top: 1}", encoding="utf-8")
    index(some_notes, indexed, "--set", "nonsense")
    entry = run_log.read(indexed / "output")[-1]
    assert entry["status"] == "failed" and "search.top" in entry["error"], "the file is wrong whatever the command says"


def test_a_run_that_was_stopped_after_it_had_published_succeeded(
    corpus: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_: object) -> dict[str, Any]:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.raise_signal(number)
        return summary(*_)

    summary = run_summary.summary
    monkeypatch.setattr(run_summary, "summary", stopped)
    code, printed, found = index(corpus(TEXT), tmp_path)
    assert code == 0 and printed and printed["status"] == "published"
    assert found["last_run_success"] == 1 and found["last_run_exit_code"] == 0
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL


def test_a_run_that_was_killed_after_it_had_published_succeeded(indexed: Path) -> None:
    """Whatever process looks after the run: it learns of it by the log."""
    entry = run_log.read(indexed / "output")[-1]
    started = datetime.datetime.fromisoformat(entry["started_at"])
    ended = metrics.EndedRun(started, started + datetime.timedelta(hours=1), 137)
    metrics.write(indexed / "index.prom", indexed / "output", ended)
    found = figures(indexed / "index.prom")
    assert found["last_run_success"] == 1 and found["last_run_exit_code"] == 137
    assert found["last_run_documents/added"] == 25
    assert found["last_success_timestamp_seconds"] <= found["last_run_end_timestamp_seconds"]


def test_failures_that_are_recorded_are_no_failed_run(corpus: Callable[..., Path], tmp_path: Path) -> None:
    code, _, found = index(corpus(TEXT | {"b.json": "{"}), tmp_path)
    assert code == found["last_run_exit_code"] == 3
    assert found["last_run_success"] == 1 and found["failures"] == 1


def test_what_the_model_was_asked_is_told_also_when_the_run_fails(notes: Path, tmp_path: Path) -> None:
    def reply(body: dict[str, Any]) -> str | Fault:
        refused = stub_replies.recognise(body["messages"][0]["content"])[0] == "report_communities.md"
        return Fault(status=401, message="no") if refused else stub_replies.answer(body)

    with StubServer(reply) as server:
        prices = "{stub: {input: 1, output: 2}}"
        llm = f"{{model: stub, base_url: '{server.url}', prices: {prices}}}"
        code, _, found = index(notes, tmp_path, "--set", "method=standard", "--set", f"llm={llm}")
    assert code == 1 and found["last_run_success"] == 0
    assert found["last_run_model_calls"] >= 25
    cost = found["last_run_model_prompt_tokens"] + 2 * found["last_run_model_completion_tokens"]
    assert found["last_run_model_cost_dollars"] == pytest.approx(cost / 1e6)
    assert "last_success_timestamp_seconds" not in found and "documents" not in found


def test_roots_have_series_of_their_own_whatever_their_names(tmp_path: Path) -> None:
    files = []
    for number, root in enumerate([tmp_path / 'a "b"\n\\', tmp_path / "ü"]):
        files.append(tmp_path / f"{number}.prom")
        metrics.write(files[-1], root / "output", metrics.EndedRun(NOW, NOW, 1))
    families = [list(text_string_to_metric_families(file.read_text(encoding="utf-8"))) for file in files]
    roots = [{sample.labels["root"] for family in each for sample in family.samples} for each in families]
    assert roots == [{str(tmp_path / 'a "b"\n\\')}, {str(tmp_path / "ü")}]
    assert [[f.documentation for f in each] for each in families[:1]] == [
        [f.documentation for f in each] for each in families[1:]
    ]


def test_a_file_that_nobody_would_read_is_refused_before_the_run(notes: Path, tmp_path: Path) -> None:
    for name, message in (("m.txt", r"end in \.prom"), ("no/m.prom", "there is no folder")):
        result = CliRunner().invoke(
            main, ["index", str(notes), "--root", str(tmp_path), "--metrics-file", str(tmp_path / name)]
        )
        assert result.exit_code == 1
        assert not (tmp_path / "output").exists()
        with pytest.raises(metrics.OutputError, match=message):
            metrics.check(tmp_path / name)


def test_a_file_that_cannot_be_written_does_not_fail_the_run(
    corpus: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(metrics, "write", full)
    command = ["index", str(corpus(TEXT)), "--root", str(tmp_path), "--metrics-file", str(tmp_path / "m.prom")]
    assert CliRunner().invoke(main, command).exit_code == 0
    assert "m.prom was not written" in caplog.text


@pytest.mark.skipif(not shutil.which("promtool"), reason="promtool is not on this machine")
def test_promtool_finds_no_fault(made: Path) -> None:
    given = (made / "index.prom").read_bytes()
    done = subprocess.run(["promtool", "check", "metrics"], input=given, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
