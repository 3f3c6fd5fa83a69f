"""Nights on which something is wrong: the clock, the model, the disk, a file. The next good night ends it."""

import datetime
import functools
import itertools
import json
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import changing_corpus
import pytest
import stub_replies
from click.testing import CliRunner, Result
from stub_model import StubModel

from graphrag_lite import pipeline, tables
from graphrag_lite.cli import main
from graphrag_lite.llm import model as llm_model
from graphrag_lite.llm.chat import Request
from graphrag_lite.llm.memo import Memo
from graphrag_lite.run import file_hashes, loop, run_log, snapshots

METHODS = ("fast", "standard")
SETTINGS = {
    "llm.model": "stub",
    "llm.max_failure_ratio": 0.5,
    "communities.mode": "full",
    "split_text_units.size": 40,
    "split_text_units.overlap": 10,
    "snapshots.keep": 2,
}


@pytest.fixture(autouse=True)
def _files_of_a_moment_ago_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_hashes, "TICK", 0)


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    changing_corpus.begin(tmp_path / "corpus", [5, 17])
    return tmp_path / "corpus"


@pytest.fixture
def stub(monkeypatch: pytest.MonkeyPatch) -> StubModel:
    """The model that the command asks."""
    made = StubModel(reply)
    monkeypatch.setattr(llm_model, "chat_model", lambda *_: made)
    return made


def reply(request: Request) -> str:
    return stub_replies.reply(request.messages)


def index(corpus: Path, root: Path, method: str = "fast", **changes: Any) -> Result:
    values = {"method": method, **SETTINGS, **changes}
    sets = [part for name, value in values.items() for part in ("--set", f"{name}={value}")]
    return CliRunner().invoke(main, ["index", str(corpus), "--root", str(root), *sets])


def bytes_of(root: Path) -> dict[str, bytes]:
    return {path.stem: path.read_bytes() for path in tables.files(snapshots.current(root / "output"))}


def from_nothing(corpus: Path, method: str) -> dict[str, bytes]:
    anew = corpus.with_name(f"anew {method}")
    shutil.rmtree(anew, ignore_errors=True)
    assert index(corpus, anew, method).exit_code == 0
    return bytes_of(anew)


def key(request: Request) -> str:
    return Memo.key({"model": "stub"}, request)


def kept(root: Path) -> set[str]:
    """Return the keys of the answers that are on disk; a copy is looked at, as looking writes."""
    with tempfile.TemporaryDirectory() as folder:
        for path in (root / "output").glob("memo.sqlite*"):
            shutil.copy(path, folder)
        with closing(sqlite3.connect(Path(folder) / "memo.sqlite")) as memo:
            return {found for (found,) in memo.execute("select key from answers")}


# --- the clock


def set_clock(monkeypatch: pytest.MonkeyPatch, year: int) -> None:
    class Clock(datetime.datetime):
        @classmethod
        def now(cls, tz: datetime.tzinfo | None = None) -> "Clock":
            return cls(year, 1, 2, 3, 4, 5, tzinfo=tz)

    for module in (snapshots, run_log, loop):
        fake = SimpleNamespace(datetime=Clock, timedelta=datetime.timedelta, UTC=datetime.UTC)
        monkeypatch.setattr(module, "datetime", fake, raising=False)


@pytest.mark.parametrize("changes", [{}, {"snapshots.keep_days": 1.5}], ids=["by count", "by age"])
def test_a_clock_that_jumps_loses_no_snapshot_and_no_order(
    changes: dict[str, Any], texts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    for night, year in enumerate((2030, 2026, 2050, 2027)):
        set_clock(monkeypatch, year)
        changing_corpus.apply(texts, changing_corpus.Change("insert", night, night, 60 + night))
        assert index(texts, tmp_path, **changes).exit_code == 0
        made.append(snapshots.current(tmp_path / "output").name)
        there = [folder.name for folder in snapshots.published(tmp_path / "output")]
        assert made == sorted(set(made)) and there[-2:] == made[-2:] and len(there) < 4
    assert bytes_of(tmp_path) == from_nothing(texts, "fast")
    told = [entry["snapshot"] for entry in run_log.read(tmp_path / "output") if entry["status"] == "published"]
    assert told == made
    shown = CliRunner().invoke(main, ["runs", "--root", str(tmp_path), "--json"])
    assert shown.exit_code == 0, shown.output
    places = [shown.stdout.index(name) for name in made[-2:]]
    assert len(set(places)) == 2


# --- the model


def test_a_text_that_the_model_fails_on_for_three_nights_is_asked_for_each_night_and_heals(
    texts: Path, tmp_path: Path, stub: StubModel
) -> None:
    assert index(texts, tmp_path, "standard").exit_code == 0
    marked = "Okonkwo Bell refused to say a word to Dora Quill about the matter in Paris.\n"
    (texts / "marked.txt").write_text(marked)

    def faulty(request: Request) -> str:
        text = request.messages[0]["content"]
        extraction = stub_replies.recognise(text)[0] == "extract_graph.md"
        return "I cannot help with that." if extraction and "Okonkwo" in text else reply(request)

    stub.reply = faulty
    asked = {key(request) for request in stub.requests}
    for night in range(3):
        (texts / f"night {night}.txt").write_text(f"Hugo Brandt met Ida Brandt in Rome on night {night}.\n")
        stub.requests.clear()
        result = index(texts, tmp_path, "standard")
        assert result.exit_code == 3 and "Traceback" not in result.output, result.output
        assert "1 failure was recorded" in result.stderr and "marked.txt" in result.stderr
        (row,) = tables.read(snapshots.current(tmp_path / "output"), "failures").to_pylist()
        assert row["stage"] == "extract_graph" and row["attempts"] == 2
        again = [request for request in stub.requests if "Okonkwo" in request.messages[0]["content"]]
        others = {key(request) for request in stub.requests if request not in again}
        assert len(again) == 2 and not others & asked
        assert Counter(map(key, stub.requests)).most_common(1)[0][1] == 1
        asked |= others
    assert run_log.read(tmp_path / "output")[-1]["failures"] == 1
    stub.reply = reply
    stub.requests.clear()
    assert index(texts, tmp_path, "standard").exit_code == 0
    assert not {key(request) for request in stub.requests} & asked
    assert any("Okonkwo" in request.messages[0]["content"] for request in stub.requests)
    assert not tables.read(snapshots.current(tmp_path / "output"), "failures").num_rows
    assert bytes_of(tmp_path) == from_nothing(texts, "standard")


# --- the disk


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Callable[[int], Path]]:
    """Mount a disk of some KB, and give it another size; skipped where this user may not."""
    folder = tmp_path / "disk"
    folder.mkdir()

    def mount(size: int) -> Path:
        options = f"{'remount,' if folder.is_mount() else ''}size={size}k"
        command = ["mount", "-t", "tmpfs", "-o", options, "none", str(folder)]
        if not shutil.which("mount") or subprocess.run(command, capture_output=True, check=False).returncode:
            pytest.skip("mounting is not possible here")
        return folder

    yield mount
    if folder.is_mount():
        subprocess.run(["umount", str(folder)], check=True)


def test_a_disk_that_is_full_while_answers_are_kept_costs_none_of_them(
    texts: Path, small_disk: Callable[[int], Path], stub: StubModel
) -> None:
    root = small_disk(1000)
    assert index(texts, root, "standard").exit_code == 0
    before, known = bytes_of(root), kept(root)
    changing_corpus.apply(texts, changing_corpus.Change("add", 3, 9, 70))
    changing_corpus.apply(texts, changing_corpus.Change("add", 4, 9, 90))
    used = shutil.disk_usage(root).used // 1024
    n_refused = 0
    for size in (*range(used + 4, used + 400, 48), 8000):
        small_disk(size)
        stub.requests.clear()
        result = index(texts, root, "standard")
        assert not {key(request) for request in stub.requests} & known
        if result.exit_code == 0:
            break
        assert result.exit_code == 1 and result.stderr.count("Error: ") == 1, result.output
        assert "Traceback" not in result.output and result.exception.__class__ is SystemExit
        assert bytes_of(root) == before
        n_refused += 1
        known = kept(root)
    assert n_refused >= 2 and bytes_of(root) == from_nothing(texts, "standard")


# --- files that are damaged

DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "half": lambda data: data[: len(data) // 2],
    "other": lambda data: b"\xff\x00{]" + data[4:],
    "of another form": lambda _: b'{"version": [], "files": 3, "tables": {}}\n',
}


def small_files(root: Path) -> list[Path]:
    """Return every file of an output folder that is no table: pointers, notes, what is remembered."""
    left_out = {".parquet", ".sqlite"}
    return sorted(path for path in (root / "output").rglob("*") if path.is_file() and path.suffix not in left_out)


@pytest.mark.parametrize(("method", "damage"), list(zip(METHODS * 2, DAMAGE, strict=True)))
def test_a_small_file_that_is_damaged_is_healed_or_named(
    damage: str, method: str, texts: Path, tmp_path: Path, stub: StubModel
) -> None:
    """Whichever it is; what the model has answered is not asked again, and the run that was broken off goes on."""
    root = tmp_path / "root"
    assert index(texts, root, method).exit_code == 0
    changing_corpus.apply(texts, changing_corpus.Change("insert", 0, 3, 70))
    broken_off(texts, root, method)
    names = {path.name for path in small_files(root)}
    assert {"current", "manifest.json", "runs.jsonl", "stamps.json", "lock", "seen_files.json"} <= names
    wanted = from_nothing(texts, method)
    for path in small_files(root):
        damaged = shutil.copytree(root, tmp_path / "damaged")
        target = damaged / path.relative_to(root)
        target.write_bytes(DAMAGE[damage](target.read_bytes()))
        stub.requests.clear()
        known = kept(damaged) if method == "standard" else set()
        result = index(texts, damaged, method)
        assert result.exit_code == 0, (path.name, result.output, result.exception)
        assert bytes_of(damaged) == wanted, path.name
        assert not {key(request) for request in stub.requests} & known, path.name
        assert CliRunner().invoke(main, ["runs", "--root", str(damaged)]).exit_code == 0, path.name
        assert not publishes(texts, damaged, method), path.name
        shutil.rmtree(damaged)


def publishes(corpus: Path, root: Path, method: str) -> bool:
    before = snapshots.current(root / "output")
    assert index(corpus, root, method).exit_code == 0
    return snapshots.current(root / "output") != before


def broken_off(corpus: Path, root: Path, method: str) -> None:
    """Begin a run, and break it off when half of its stages are done."""
    stages = pipeline.stages(method)
    position = len(stages) - 3

    @functools.wraps(stages[position].run)
    async def stop(**_: Any) -> None:
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        stages[position] = loop.Stage(stop, stages[position].reads, stages[position].writes)
        patch.setattr(pipeline, "stages", lambda *_, **__: stages)
        assert index(corpus, root, method).exit_code == 130


def test_a_log_of_answers_that_a_crash_cut_off_costs_only_what_it_lost(
    texts: Path, tmp_path: Path, stub: StubModel
) -> None:
    """The disk as it was in the middle of a run, with the end of SQLite's log lost, as after a power cut."""
    found = tmp_path / "after the crash"
    answers = itertools.count(1)

    def crash(request: Request) -> str:
        if next(answers) == 40:
            shutil.copytree(tmp_path / "root", found)
        return reply(request)

    stub.reply = crash
    assert index(texts, tmp_path / "root", "standard", **{"llm.concurrency": 2}).exit_code == 0
    wal = found / "output" / "memo.sqlite-wal"
    wal.write_bytes(wal.read_bytes()[: wal.stat().st_size * 7 // 8])
    (found / "output" / "memo.sqlite-shm").unlink()
    asked = {key(request) for request in stub.requests}
    held = kept(found)
    assert 5 < len(held) < 40
    stub.requests.clear()
    assert index(texts, found, "standard").exit_code == 0
    assert Counter(map(key, stub.requests)) == Counter(asked - held)
    assert bytes_of(found) == bytes_of(tmp_path / "root")


@pytest.mark.parametrize("back", [False, True], ids=["stays", "is taken back"])
def test_a_file_that_changes_while_the_run_reads_it_is_read_again(
    back: bool, texts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was listed with one content and read with another."""
    path = changing_corpus.files(texts)[0]
    first = path.read_text()
    scan = pipeline.scan

    def overtaken(*arguments: Any, **options: Any) -> Any:
        files = scan(*arguments, **options)
        path.write_text(f"Okonkwo Bell met Dora Quill in Paris.\n{first}")
        return files

    monkeypatch.setattr(pipeline, "scan", overtaken)
    assert index(texts, tmp_path).exit_code in (0, 3)
    monkeypatch.setattr(pipeline, "scan", scan)
    if back:
        path.write_text(first)
    assert index(texts, tmp_path).exit_code == 0
    assert bytes_of(tmp_path) == from_nothing(texts, "fast")


def test_a_file_that_goes_while_the_run_reads_is_a_failure_of_that_night(
    texts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = changing_corpus.files(texts)[0]
    content = path.read_bytes()
    scan = pipeline.scan

    def overtaken(*arguments: Any, **options: Any) -> Any:
        files = scan(*arguments, **options)
        path.unlink()
        return files

    monkeypatch.setattr(pipeline, "scan", overtaken)
    result = index(texts, tmp_path)
    assert result.exit_code == 3 and path.name in result.stderr
    monkeypatch.setattr(pipeline, "scan", scan)
    assert index(texts, tmp_path).exit_code == 0
    assert bytes_of(tmp_path) == from_nothing(texts, "fast")
    path.write_bytes(content)
    assert index(texts, tmp_path).exit_code == 0
    assert bytes_of(tmp_path) == from_nothing(texts, "fast")


# --- readers

QUERIES = """
import json, sys
from pathlib import Path
from click.testing import CliRunner
from graphrag_lite.cli import main
root, stop, told = sys.argv[1:]
with open(told, "a") as file:
    while not Path(stop).exists():
        for method in ("basic", "local", "global"):
            arguments = ["query", "Which night does Dora Quill tell of?", "--root", root, "--method", method, "--json"]
            done = CliRunner().invoke(main, arguments)
            print(json.dumps([done.exit_code, done.stdout, done.stderr]), file=file, flush=True)
"""


def test_queries_of_another_process_always_see_one_whole_snapshot(texts: Path, tmp_path: Path) -> None:
    """Every night replaces the only snapshot that is kept. Two documents name the night: no answer names two."""

    def night(number: int) -> None:
        for name in ("one", "two"):
            said = f"Dora Quill tells of night number{number} in Paris, and Hugo Quill of night number{number} too.\n"
            (texts / f"{name}.txt").write_text(f"This is document {name}.\n\n{said}")
        assert index(texts, tmp_path, **{"snapshots.keep": 1}).exit_code == 0

    night(0)
    told = tmp_path / "told.jsonl"
    process = subprocess.Popen([sys.executable, "-c", QUERIES, *map(str, (tmp_path, tmp_path / "stop", told))])
    while not (told.exists() and told.stat().st_size):
        assert process.poll() is None
        time.sleep(0.05)
    for number in range(1, 6):
        night(number)
    (tmp_path / "stop").write_text("")
    assert process.wait(60) == 0
    answers = [json.loads(line) for line in told.read_text().splitlines()]
    seen: Counter[str] = Counter()
    for code, answer, said in answers:
        assert code == 0, said
        named = {word.strip(".,") for word in answer.split() if word.startswith("number")}
        assert len(named) <= 1, named
        seen.update(named)
    assert len(seen) > 2, seen
