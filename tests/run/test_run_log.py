"""The log of runs: a line for every run that ended, whatever came of it."""

import datetime
import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import stub_replies
from stub_model import StubModel

from graphrag_lite import pipeline, tables
from graphrag_lite.errors import LockedError, ModelError
from graphrag_lite.ops.rollback import roll_back
from graphrag_lite.run import loop, run_log, snapshots
from graphrag_lite.settings import Settings

TEXTS = {
    "a.txt": "Alice Smith met Bob Jones in Paris. Bob Jones works for Acme Corporation.\n",
    "b.txt": "Carol White lives in Rome with Bob Jones. Carol White left Acme Corporation in 1990.\n",
}


@pytest.fixture
def texts(corpus: Callable[..., Path]) -> Path:
    return corpus(TEXTS)


@pytest.fixture
def output(tmp_path: Path) -> Path:
    return tmp_path / "output"


def index(folder: Path, output: Path, **sections: Any) -> loop.Run:
    return pipeline.index(folder, output, Settings.model_validate(sections))


def test_what_came_of_each_run(texts: Path, output: Path) -> None:
    first = index(texts, output)
    index(texts, output)
    (texts / "a.txt").unlink()
    third = index(texts, output)
    entries = run_log.read(output)
    assert [entry["status"] for entry in entries] == ["published", "unchanged", "published"]
    assert [entry["snapshot"] for entry in entries] == [first.snapshot.name, first.snapshot.name, third.snapshot.name]
    assert [entry["why"] for entry in entries] == [["first run"], [], ["documents"]]
    assert (
        entries[2]["changes"] == {"added": 0, "edited": 0, "renamed": 0, "deleted": 1} and entries[1]["changes"] == {}
    )
    assert all(entry["seconds"] > 0 and entry["failures"] == 0 and entry["resumed"] is False for entry in entries)
    assert list(entries[0]) == ["started_at", "seconds", "status", "snapshot", "why", "changes", "failures", "resumed"]


def test_runs_that_failed_or_were_interrupted(texts: Path, output: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for error in (KeyboardInterrupt(), ModelError("the key is wrong"), ZeroDivisionError("secret of a bug")):

        def fail(*_: object, error: BaseException = error, **__: object) -> Any:
            raise error

        monkeypatch.setattr(loop.snapshots, "building_folder", fail)
        with pytest.raises(type(error)):
            index(texts, output)
    entries = run_log.read(output)
    assert [(entry["status"], entry.get("error")) for entry in entries] == [
        ("interrupted", None),
        ("failed", "the key is wrong"),
        ("failed", "ZeroDivisionError"),
    ]


def test_a_run_that_was_kept_out_is_not_logged(texts: Path, output: Path) -> None:
    index(texts, output)
    before = (output / run_log.NAME).read_bytes()
    with snapshots.lock_output(output):
        with pytest.raises(LockedError):
            index(texts, output)
        with pytest.raises(LockedError):
            roll_back(output, "current")
    assert (output / run_log.NAME).read_bytes() == before


def test_the_run_after_one_that_broke_off_says_so(texts: Path, output: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def killed(*_: object) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(snapshots, "publish", killed)
    with pytest.raises(KeyboardInterrupt):
        index(texts, output)
    monkeypatch.undo()
    (output / run_log.NAME).unlink()
    run = index(texts, output)
    assert run.resumed and run.ran == ()
    assert [entry["resumed"] for entry in run_log.read(output)] == [True]
    assert not index(texts, output).resumed


def test_what_was_asked_of_a_model_is_added_up(texts: Path, output: Path) -> None:
    stub = StubModel(lambda request: stub_replies.reply(request.messages))
    settings = Settings.model_validate({"method": "standard", "llm": {"model": "stub"}})
    pipeline.index(texts, output, settings, model=stub)
    (entry,) = run_log.read(output)
    assert entry["usage"]["calls"] == len(stub.requests) > 2
    assert entry["usage"]["cost"] is None, "the prices of this model are not known"


def test_a_damaged_line_costs_no_other(texts: Path, output: Path) -> None:
    index(texts, output)
    with (output / run_log.NAME).open("ab") as file:
        file.write(b'\xff\n[]\n{"status": "published"}\n{"started_at": "2026-')  # a crash cut off the last
    index(texts, output)
    assert [entry["status"] for entry in run_log.read(output)] == ["published", "unchanged"]
    assert run_log.read(output / "nowhere") == [] == run_log.entries(output / "nowhere")


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("2026-06-01T04:00:00+02:00", datetime.datetime(2026, 6, 1, 2, tzinfo=datetime.UTC)),
        ("2026-06-01T02:00:00", datetime.datetime(2026, 6, 1, 2, tzinfo=datetime.UTC)),
        ("2026-13-01", None),
        (5, None),
    ],
)
def test_when_a_run_started(said: Any, meant: datetime.datetime | None) -> None:
    assert run_log.started_at({"started_at": said}) == meant


def test_entries_say_what_is_still_there_and_what_is_current(texts: Path, output: Path) -> None:
    made = [index(texts, output, summarize_descriptions={"max_sentences": n}).snapshot for n in (1, 2)]
    shutil.rmtree(made[0])
    newest, oldest = run_log.entries(output)
    assert (newest["snapshot"], newest["kept"], newest["current"]) == (made[1].name, True, True)
    assert (oldest["snapshot"], oldest["kept"], oldest["current"]) == (made[0].name, False, False)


def test_after_a_clock_was_set_back_the_newest_run_still_comes_first(texts: Path, output: Path) -> None:
    made = [index(texts, output, summarize_descriptions={"max_sentences": n}).snapshot.name for n in (1, 2)]
    log = output / "runs.jsonl"
    first, second = map(json.loads, log.read_text(encoding="utf-8").splitlines())
    first["started_at"] = "2999-01-01T00:00:00+00:00"
    log.write_text(f"{json.dumps(first)}\n{json.dumps(second)}\n", encoding="utf-8")
    assert [entry["snapshot"] for entry in run_log.entries(output)] == made[::-1]


def test_a_snapshot_whose_run_was_killed_before_its_line_is_listed(texts: Path, output: Path) -> None:
    run = index(texts, output)
    line = run_log.entries(output)[0]
    (output / run_log.NAME).unlink()
    (entry,) = run_log.entries(output)
    assert entry["snapshot"] == run.snapshot.name and entry["status"] == "published" and entry["current"]
    same = ("why", "changes", "failures")
    assert {key: entry[key] for key in same} == {key: line[key] for key in same}
    (texts / "a.txt").unlink()
    index(texts, output)
    assert [entry["snapshot"] for entry in run_log.entries(output)][1:] == [run.snapshot.name], (
        "beside a log that goes on"
    )


@pytest.mark.parametrize("version", [1, None, "x"])
def test_an_index_of_an_older_version_is_built_again_and_why_is_said(version: Any, texts: Path, output: Path) -> None:
    first = index(texts, output)
    manifest = snapshots.read_manifest(first.snapshot) | {"schema_version": version}
    for stage in manifest["stages"].values():
        stage["stamp"] = "0" * 64  # what a stamp was in version 1
    snapshots.write_json(first.snapshot / snapshots.MANIFEST, manifest)
    again = index(texts, output)
    assert again.changed and again.why == ("the index was made by an older version of graphrag-lite",)
    assert again.manifest["schema_version"] == tables.SCHEMA_VERSION
    assert run_log.entries(output)[0]["why"] == list(again.why)
    assert not index(texts, output).changed


def test_an_index_of_a_newer_version_is_left_alone(texts: Path, output: Path) -> None:
    first = index(texts, output)
    manifest = snapshots.read_manifest(first.snapshot) | {"schema_version": tables.SCHEMA_VERSION + 1}
    snapshots.write_json(first.snapshot / snapshots.MANIFEST, manifest)
    with pytest.raises(snapshots.TableError, match="Upgrade graphrag-lite"):
        index(texts, output)
    assert snapshots.current(output) == first.snapshot
    assert json.loads((output / run_log.NAME).read_text().splitlines()[-1])["status"] == "failed"


def test_a_last_index_that_cannot_be_read_is_a_reason(texts: Path, output: Path) -> None:
    first = index(texts, output)
    (first.snapshot / snapshots.MANIFEST).write_text("{")
    assert index(texts, output).why == ("the last index cannot be read",)


KILLED = """
import os, signal, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import stub_replies
from stub_model import StubModel
from graphrag_lite import pipeline
from graphrag_lite.settings import Settings

def reply(request):
    if stub_replies.recognise(request.messages[0]["content"])[0] == "report_communities.md":
        os.kill(os.getpid(), signal.SIGKILL)
    return stub_replies.reply(request.messages)

settings = Settings.model_validate({"method": "standard", "llm": {"model": "stub", "prices": PRICES}})
pipeline.index(Path(sys.argv[2]), Path(sys.argv[3]), settings, model=StubModel(reply))
"""
PRICES = {"stub": {"input": 1.0, "output": 2.0}}


def test_the_bill_of_a_killed_run_is_not_lost(texts: Path, output: Path) -> None:
    """The run after it writes its entry: what both asked together is what one would have asked undisturbed."""
    script = KILLED.replace("PRICES", repr(PRICES))
    command = [sys.executable, "-c", script, str(Path(__file__).parents[1]), str(texts), str(output)]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    settings = Settings.model_validate({"method": "standard", "llm": {"model": "stub", "prices": PRICES}})
    stub = StubModel(lambda request: stub_replies.reply(request.messages))
    pipeline.index(texts, output, settings, model=stub)
    killed, ended = run_log.read(output)
    assert killed["status"] == "killed" and ended["status"] == "published" and ended["resumed"]
    pipeline.index(texts, output.parent / "other" / "output", settings, model=stub)
    (undisturbed,) = run_log.read(output.parent / "other" / "output")
    for name in ("calls", "prompt_tokens", "completion_tokens", "cost"):
        assert killed["usage"][name] > 0
        assert killed["usage"][name] + ended["usage"][name] == pytest.approx(undisturbed["usage"][name])
    assert not (output / "lock.json").exists()
