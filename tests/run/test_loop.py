"""A run does only what the change needs, survives a kill at any moment, and heals what is damaged."""

import contextlib
import dataclasses
import errno
import functools
import json
import multiprocessing
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from last_snapshot import bytes_of, forget_code
from lessons import lessons

from graphrag_lite import attempts, pipeline, tables
from graphrag_lite.errors import GraphragLiteError, WorkerError
from graphrag_lite.run import loop, progress, results, snapshots, stamps, workers
from graphrag_lite.run.loop import Run, Stage
from graphrag_lite.settings import Settings
from graphrag_lite.tables import mapped_table
from graphrag_lite.tables.mapped_table import MappedTable, forget_what_was_looked_at

EXAMPLE = Path(__file__).parents[2] / "examples" / "corpus"
NAMES = [stage.name for stage in pipeline.stages()]
TEXTS = {
    "a.txt": "Alice Smith met Bob Jones in Paris. Bob Jones works for Acme Corporation.\n",
    "b.txt": "Carol White lives in Rome with Bob Jones. Carol White left Acme Corporation in 1990.\n",
    "c.txt": "Bob Jones, Carol White and Alice Smith wrote to Acme Corporation from Paris. "
    "Later Jones and White met Smith in Rome again. Then Jones went to Paris, and White to London.\n",
}
COMMAND = [sys.executable, "-W", "error", "-m", "graphrag_lite"]


class Stop(Exception):
    """What a stage raises in these tests."""


@pytest.fixture
def texts(corpus: Callable[..., Path]) -> Path:
    return corpus(TEXTS | {"lessons.txt": lessons()})


@pytest.fixture
def output(tmp_path: Path) -> Path:
    return tmp_path / "output"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """An index of `texts` that nothing disturbed, to be read."""
    folder = tmp_path_factory.mktemp("made")
    for name, text in (TEXTS | {"lessons.txt": lessons()}).items():
        (folder / name).write_text(text)
    return index(folder, tmp_path_factory.mktemp("root") / "output")


@pytest.fixture
def first(made: Run, output: Path) -> Run:
    """The same in `output`, to be changed."""
    shutil.copytree(made.snapshot.parents[1], output)
    return dataclasses.replace(made, snapshot=output / "snapshots" / made.snapshot.name)


def index(folder: Path, output: Path, settings: dict[str, Any] | None = None) -> Run:
    return pipeline.index(folder, output, Settings.model_validate(settings or {}))


def fail_at(monkeypatch: pytest.MonkeyPatch, name: str, error: type[BaseException], *, after: bool = False) -> None:
    """Make one stage raise, before or after its own work."""
    stages = pipeline.stages()

    def failing(stage: Stage) -> Stage:
        @functools.wraps(stage.run)
        async def run(**tables: Any) -> Any:
            if after:
                await stage.run(**tables)
            raise error

        return Stage(run, stage.reads, stage.writes)

    monkeypatch.setattr(pipeline, "stages", lambda *_, **__: [failing(s) if s.name == name else s for s in stages])


def test_nothing_to_do_runs_no_stage_and_publishes_nothing(texts: Path, output: Path) -> None:
    first = index(texts, output)
    assert first.changed and first.ran == tuple(NAMES)
    again = index(texts, output)
    assert not again.changed and again.ran == ()
    assert again.snapshot == first.snapshot and list((output / "snapshots").iterdir()) == [first.snapshot]
    assert not (output / "building").exists()
    assert again.manifest == first.manifest


def test_of_large_tables_stages_hold_their_columns_alone_with_the_same_bytes(
    texts: Path, output: Path, made: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (loop, progress):
        monkeypatch.setattr(module, "LARGE", 0)
    monkeypatch.setattr(progress, "MOST_HELD", 0)
    assert bytes_of(index(texts, output).snapshot) == bytes_of(made.snapshot)


def test_a_large_table_is_held_in_a_file_while_others_read_it_if_all_of_it_is_there(
    made: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "MOST_HELD", 0)
    flow = pipeline.stages()
    last = max(place for place, stage in enumerate(flow) if "entity_mentions" in stage.reads)
    so_far = progress.Progress(flow, tmp_path, tmp_path, Settings(), {}, {}, None, [], {}, {})
    whole = tables.read(made.snapshot, "entity_mentions")
    so_far.hold({"entity_mentions": whole.select(["id"] if "id" in whole.column_names else ["name"])}, flow[0])
    assert so_far.held("entity_mentions", []) is None
    so_far.hold({"entity_mentions": whole}, flow[0])
    held = so_far.held("entity_mentions", whole.column_names)
    assert held.equals(whole) and not so_far.memory and not list(tmp_path.iterdir())
    so_far.records |= {stage.name: {} for stage in flow[:last]}
    so_far.hold({}, flow[0])
    assert held.equals(whole) and so_far.held("entity_mentions", ["name"]) is not None
    so_far.hold({}, flow[last])
    assert so_far.held("entity_mentions", ["name"]) is None and held.equals(whole)


def test_a_large_table_is_held_in_memory_where_no_file_can_be_mapped(
    made: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise OSError(errno.ENODEV, "No such device")

    monkeypatch.setattr(progress, "MOST_HELD", 0)
    monkeypatch.setattr(mapped_table.mmap, "mmap", refused)
    flow = pipeline.stages()
    so_far = progress.Progress(flow, tmp_path, tmp_path, Settings(), {}, {}, None, [], {}, {})
    whole = tables.read(made.snapshot, "entity_mentions")
    so_far.hold({"entity_mentions": whole}, flow[0])
    assert so_far.held("entity_mentions", whole.column_names) is whole and not list(tmp_path.iterdir())


def test_what_was_looked_at_of_a_large_table_is_given_back(tmp_path: Path) -> None:
    def resident() -> int:
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * resource.getpagesize()

    held = MappedTable(pa.table({"number": np.arange(12_500_000)}), tmp_path)
    before = resident()
    assert held.table["number"].to_numpy().max() == 12_499_999
    assert resident() - before > 80_000_000
    forget_what_was_looked_at()
    assert resident() - before < 20_000_000 and held.table["number"][9].as_py() == 9


def test_texts_of_units_are_read_for_stages_that_ask_for_them(made: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where they are not held, as the run that made them had broken off."""
    read, asked = tables.read, list[object]()

    def noted(folder: Path, name: str, only: list[str] | None = None) -> Any:
        asked.append(only)
        return read(folder, name, only)

    monkeypatch.setattr(tables, "read", noted)
    for stage in pipeline.stages():
        so_far = progress.Progress([stage], made.snapshot, made.snapshot, Settings(), {}, {}, None, [], {}, {})
        if "source_units" in stage.reads:
            asked.clear()
            found = loop._read(dataclasses.replace(stage, reads=("source_units",)), so_far)["source_units"]
            columns = progress.columns_of(stage, "source_units")
            assert found.column_names == columns and asked[0] == (None if "text" in columns else columns)


def test_the_command_says_so_and_loads_nothing_heavy(sample: Path, tmp_path: Path) -> None:
    """So it takes well under two seconds; `benchmarks/noop.py` has the times."""
    shutil.copytree(sample.parents[1], tmp_path / "output")
    arguments = [*COMMAND, "index", str(EXAMPLE), "--root", str(tmp_path)]
    profile = [sys.executable, "-X", "importtime", *arguments[1:]]
    done = subprocess.run(profile, check=True, capture_output=True, text=True)
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if line.startswith("import time:")}
    assert "pydantic" in loaded and not loaded & {"numpy", "pyarrow", "pandas", "scipy", "duckdb", "aiohttp"}
    assert "Nothing has changed" in done.stdout
    told = [line.split(" (")[0] for line in done.stderr.splitlines() if not line.startswith("import time:")]
    assert told == [f"{name}: unchanged" for name in NAMES]


def test_the_manifest_tells_what_was_made_from_what(texts: Path, output: Path) -> None:
    run = index(texts, output, {"workers": 1})
    assert run.manifest["id"] == run.snapshot.name
    assert run.manifest["settings"] == Settings(workers=1).model_dump()
    assert set(run.manifest["tables"]) == set(tables.TABLES) - {"corpus_files", "source_documents", *tables.OPTIONAL}
    assert list(run.manifest["stages"]) == NAMES
    for name, entry in run.manifest["tables"].items():
        path = tables.path_in(run.snapshot, name)
        assert entry == {
            "rows": tables.read(run.snapshot, name).num_rows,
            "bytes": path.stat().st_size,
            "sha256": snapshots.table_digest(path),
        }
    assert {"duckdb", "pyarrow", "sentencex"} <= set(run.manifest["libraries"])


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("load_documents", {"max_file_mb": 100.0}),
        ("split_text_units", {"size": 21, "overlap": 3}),
        ("extract_graph_fast", {"max_neighbours": 1}),
        ("resolve_entities", {"alias": False}),
        ("summarize_descriptions", {"max_sentences": 1}),
        ("detect_communities", {"resolution": 0.01}),
        ("report_communities_fast", {"max_summary_sentences": 1}),
        ("index_search", {"b": 0.5}),
    ],
)
def test_a_setting_runs_its_stage_and_what_its_result_reaches(
    name: str, change: dict[str, Any], texts: Path, output: Path, first: Run
) -> None:
    """Early cut-off: a later stage runs only where a table that it reads has changed."""
    after = index(texts, output, {name: change})
    changed = {
        table for table in tables.TABLES if first.manifest["tables"].get(table) != after.manifest["tables"].get(table)
    }
    expected = {s.name for s in pipeline.stages() if s.name == name or changed & set(s.reads)}
    assert set(after.ran) == expected
    if name == "load_documents":
        assert not changed and after.changed  # another stamp, the same tables
    else:
        assert changed


def test_tables_of_an_unchanged_stage_and_equal_ones_are_links(texts: Path, output: Path, first: Run) -> None:
    after = index(texts, output, {"report_communities_fast": {"max_summary_sentences": 1}})
    for stage in pipeline.stages():
        for name in stage.writes:
            old, new = tables.path_in(first.snapshot, name), tables.path_in(after.snapshot, name)
            same = snapshots.table_digest(old) == snapshots.table_digest(new)
            assert old.samefile(new) == same and (same or stage.name in after.ran), name
    assert bytes_of(first.snapshot) != bytes_of(after.snapshot)


def test_a_later_run_does_not_write_into_an_older_snapshot(texts: Path, output: Path, first: Run) -> None:
    kept = bytes_of(first.snapshot)
    (texts / "d.txt").write_text("Dora Green wrote to Alice Smith in London.\n")
    after = index(texts, output)
    assert after.manifest["tables"]["documents"]["rows"] == 5
    assert bytes_of(first.snapshot) == kept


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("position", range(len(NAMES)))
def test_a_run_resumes_where_it_broke_off(
    position: int, after: bool, texts: Path, output: Path, made: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail_at(monkeypatch, NAMES[position], Stop, after=after)
    with pytest.raises(Stop):
        index(texts, output)
    assert not (output / "current").exists()
    monkeypatch.undo()
    run = index(texts, output)
    again = ("load_documents", "split_text_units") if position <= NAMES.index("publish_documents") else ()
    assert run.ran == tuple(name for place, name in enumerate(NAMES) if place >= position or name in again)
    assert bytes_of(run.snapshot) == bytes_of(made.snapshot)


def test_a_broken_update_leaves_the_index_as_it_was(
    texts: Path, output: Path, first: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    (texts / "d.txt").write_text("Dora Green wrote to Alice Smith in London.\n")
    fail_at(monkeypatch, "detect_communities", KeyboardInterrupt)
    with pytest.raises(KeyboardInterrupt):
        index(texts, output)
    monkeypatch.undo()
    assert snapshots.current(output) == first.snapshot
    (texts / "d.txt").unlink()
    back = index(texts, output)  # the change is taken back before the run went on
    assert not back.changed and back.snapshot == first.snapshot and not (output / "building").exists()


@pytest.mark.parametrize("name", ["documents", "relationships", "search_terms", "source_units"])
@pytest.mark.parametrize("damage", ["cut", "flipped", "gone"])
def test_a_damaged_table_is_healed(name: str, damage: str, texts: Path, output: Path, first: Run) -> None:
    intact = bytes_of(first.snapshot)
    path = tables.path_in(first.snapshot, name)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0xFF
    path.unlink()
    if damage != "gone":
        path.write_bytes(bytes(content) if damage == "flipped" else bytes(content[:20]))
    healed = index(texts, output)
    assert healed.changed and healed.ran == tuple(s.name for s in pipeline.stages() if name in results.stored_by(s))
    assert healed.snapshot != first.snapshot and snapshots.current(output) == healed.snapshot
    assert bytes_of(healed.snapshot) == intact
    assert not index(texts, output).changed


def test_damage_to_the_run_in_progress_is_healed(
    texts: Path, output: Path, made: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail_at(monkeypatch, "detect_communities", Stop)
    with pytest.raises(Stop):
        index(texts, output)
    monkeypatch.undo()
    (output / "building" / "entities.parquet").write_bytes(b"half")
    run = index(texts, output)
    assert run.ran == tuple(NAMES[NAMES.index("summarize_descriptions") :])
    assert bytes_of(run.snapshot) == bytes_of(made.snapshot)


@pytest.mark.parametrize("content", ["", "[]", "{", "null"])
def test_damaged_stamps_only_cost_time(
    content: str, texts: Path, output: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail_at(monkeypatch, "list_episodes", Stop)
    with pytest.raises(Stop):
        index(texts, output)
    monkeypatch.undo()
    assert json.loads((output / "building" / "stamps.json").read_text())
    (output / "building" / "stamps.json").write_text(content)
    assert index(texts, output).ran == tuple(NAMES)


@pytest.mark.usefixtures("first")
def test_another_version_of_the_code_or_of_a_library_runs_again(
    texts: Path, output: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    forget_code()
    version = stamps.importlib.metadata.version
    monkeypatch.setattr(
        stamps.importlib.metadata, "version", lambda name: "99" if name == "resiliparse" else version(name)
    )
    try:
        again = index(texts, output)
    finally:
        forget_code()
    assert again.ran[0] == "load_documents" and again.manifest["libraries"]["resiliparse"] == "99"


def test_a_table_of_another_shape_is_never_written(texts: Path, output: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stages = pipeline.stages()

    async def detect_communities() -> Any:
        return tables.make("failures", [])

    wrong = Stage(detect_communities, (), ("communities",))
    monkeypatch.setattr(pipeline, "stages", lambda *_, **__: [wrong if s.name == wrong.name else s for s in stages])
    with pytest.raises(GraphragLiteError, match="communities: columns differ"):
        index(texts, output)
    assert not (output / "building" / "communities.parquet").exists()


def test_the_watch_is_told_of_every_stage(texts: Path, output: Path) -> None:
    told: list[tuple[Any, ...]] = []

    class Watch(loop.Silence):
        def start(self, stage: str) -> None:
            told.append(("start", stage))

        def finish(self, stage: str, seconds: float, rows: Any, reused: bool) -> None:  # noqa: ARG002
            told.append(("finish", stage, reused, set(rows)))

    for reused in (False, True):
        told.clear()
        pipeline.index(texts, output, Settings(), watch=Watch())
        expected = [(("start", s.name), ("finish", s.name, reused, set(s.writes))) for s in pipeline.stages()]
        assert told == [told for pair in expected for told in pair]


def test_a_killed_process_loses_no_finished_stage(sample: Path, tmp_path: Path) -> None:
    """SIGKILL at random moments; the run after the last one gives what an undisturbed run gives."""
    chance, output = random.Random(2), tmp_path / "output"
    arguments = [*COMMAND, "index", str(EXAMPLE), "--root", str(tmp_path)]
    kills = 0
    while kills < 2:
        stamps = output / "building" / "stamps.json"
        finished = set(json.loads(stamps.read_text())) if stamps.exists() else set()
        if "publish_documents" not in finished:  # which writes the texts that were loaded
            finished.discard("load_documents")
        with (tmp_path / "progress").open("w") as progress:
            process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=progress)
            try:
                process.wait(chance.uniform(0.5, 1.5))
            except subprocess.TimeoutExpired:
                process.kill()
                kills += 1
            finally:
                process.wait()
        lines = (tmp_path / "progress").read_text().splitlines()
        assert "Traceback" not in "".join(lines)
        ran_again = {line.split(":")[0] for line in lines if ": unchanged" not in line and "(" in line} & finished
        assert not ran_again
        if process.returncode == 0:  # it was faster than the kill: begin anew
            shutil.rmtree(output)
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert bytes_of(snapshots.current(output)) == bytes_of(sample)


# A command line whose stages use worker processes, whatever the size of the corpus.
SLOW = """
from graphrag_lite.run import workers
from graphrag_lite.cli import main

workers.STARTS = workers.GOES_OVER = 1
if __name__ == "__main__":
    main()
"""


@pytest.fixture(scope="module")
def long_corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some seconds of work: many short documents."""
    folder = tmp_path_factory.mktemp("long")
    chance = random.Random(1)
    people = [f"{first} {last}" for first in ("Alice", "Bob", "Carol", "Dora") for last in ("Smith", "Jones", "White")]
    with (folder / "rows.jsonl").open("w") as file:
        for number in range(4000):
            text = " ".join(f"{chance.choice(people)} wrote to {chance.choice(people)} in Paris." for _ in range(12))
            file.write(json.dumps({"id": str(number), "text": text}) + "\n")
    return folder


def start(tmp_path: Path, corpus: Path) -> "subprocess.Popen[str]":
    """Start an index in a process group of its own, and wait until its workers start."""
    script = tmp_path / "slow.py"
    script.write_text(SLOW)
    arguments = [sys.executable, str(script), "index", str(corpus), "--root", str(tmp_path), "--set", "workers=2"]
    process = subprocess.Popen(
        arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    assert process.stderr
    for line in process.stderr:
        if line.startswith("load_documents"):
            return process
    raise AssertionError("it ended before it was slow")


def wait_for_session(session: int) -> bool:
    """Say whether every process of the session ends within ten seconds."""
    for _ in range(100):
        if not (left := processes_of(session)):
            return True
        time.sleep(0.1)
    for number in left:
        os.kill(number, signal.SIGKILL)
    return False


def processes_of(session: int) -> list[int]:
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if os.getsid(int(folder.name)) == session and "\nState:\tZ" not in (folder / "status").read_text():
                found.append(int(folder.name))
    return found


@pytest.mark.parametrize(
    ("number", "whole_group", "delay"),
    [
        (signal.SIGINT, True, 0.02),
        (signal.SIGTERM, False, 0.4),
        (signal.SIGTERM, True, 1.0),
    ],
)
def test_an_interrupted_run_with_workers_ends_with_one_message(
    number: signal.Signals, whole_group: bool, delay: float, long_corpus: Path, tmp_path: Path
) -> None:
    """A terminal sends Ctrl-C to the workers too; a scheduler's SIGTERM may reach the parent alone."""
    process = start(tmp_path, long_corpus)
    time.sleep(delay)
    (os.killpg if whole_group else os.kill)(process.pid, number)
    _, said = process.communicate(timeout=20)
    assert wait_for_session(process.pid), "a worker outlived the run"
    assert process.returncode == 130, said
    stages = tuple(f"{stage.name}: " for stage in pipeline.METHODS["fast"].stages)
    lines = [line for line in said.splitlines() if not line.startswith(stages)]
    assert lines == ["Interrupted. Nothing was published; finished stages are kept, run again to go on."]
    assert not (tmp_path / "output" / "current").exists()
    assert set(json.loads((tmp_path / "output" / "building" / "stamps.json").read_text())) >= {"load_documents"}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_waits_while_workers_start(number: signal.Signals) -> None:
    told: list[int] = []
    before = signal.signal(number, lambda number, _: told.append(number))
    try:
        with workers._interrupts_held():
            for _ in range(3):
                os.kill(os.getpid(), number)
            time.sleep(0.05)
            assert told == []
        assert told == [number]
        os.kill(os.getpid(), number)
        assert told == [number] * 2
    finally:
        signal.signal(number, before)


IDLE = """
import time
from graphrag_lite import attempts
from graphrag_lite.run import loop as runner, workers
workers.STARTS = workers.GOES_OVER = 1

if __name__ == "__main__":
    with workers.Pool(2) as pool:
        each = workers.Workers(pool, runner.Silence(), attempts.ignore)
        print(sum(each(abs, range(300))), flush=True)
        time.sleep(60)
"""


def test_idle_workers_do_not_outlive_a_killed_parent(tmp_path: Path) -> None:
    (tmp_path / "idle.py").write_text(IDLE)
    process = subprocess.Popen(
        [sys.executable, str(tmp_path / "idle.py")], stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    assert process.stdout and process.stdout.readline() == f"{sum(range(300))}\n"
    process.kill()
    process.communicate(timeout=20)
    assert wait_for_session(process.pid), "a worker outlived the run"


def test_a_corpus_that_is_mostly_gone_is_told(
    texts: Path, output: Path, first: Run, caplog: pytest.LogCaptureFixture
) -> None:
    (texts / "a.txt").write_text("Emil Brown wrote to Dora Green.\n")
    index(texts, output)
    assert "are gone" not in caplog.text
    for path in sorted(texts.iterdir())[1:]:
        path.unlink()
    index(texts, output)
    assert "documents are gone" in caplog.text and "rollback" in caplog.text
    assert first.snapshot.exists()


def _killed(item: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return item


def test_a_killed_worker_is_an_error_that_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "STARTS", 1)
    with workers.Pool(2) as pool, pytest.raises(WorkerError, match="workers=1"):
        list(workers.Workers(pool, loop.Silence(), attempts.ignore)(_killed, range(10)))


def test_workers_end_with_their_run_also_where_it_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else Python would finish all that is queued before it ends, a minute after Ctrl-C."""
    monkeypatch.setattr(workers, "STARTS", 1)
    with workers.Pool(2) as pool:
        found = workers.Workers(pool, loop.Silence(), attempts.ignore)(abs, range(100_000))
        assert next(found) == 0  # the stage fails while it still holds the rest
        assert multiprocessing.active_children()
    assert not multiprocessing.active_children()


# One stage of the flow waits.
WAITING = """
import functools, sys, time
from pathlib import Path
from graphrag_lite import pipeline
from graphrag_lite.run.loop import Stage
from graphrag_lite.cli import main

stages = pipeline.stages()

def waiting(stage):
    @functools.wraps(stage.run)
    async def run(**tables):
        print("here", flush=True)
        time.sleep(60)
    return Stage(run, stage.reads, stage.writes)

pipeline.stages = lambda *_, **__: [waiting(s) if s.name == "detect_communities" else s for s in stages]
main()
"""


def start_waiting(tmp_path: Path, corpus: Path) -> "subprocess.Popen[str]":
    arguments = [sys.executable, "-c", WAITING, "index", str(corpus), "--root", str(tmp_path)]
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout and process.stdout.readline() == "here\n"
    return process


def test_an_interrupted_update_keeps_the_index(texts: Path, tmp_path: Path, first: Run) -> None:
    (texts / "d.txt").write_text("Dora Green wrote to Alice Smith in London.\n")
    process = start_waiting(tmp_path, texts)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=20)
    assert process.returncode == 130
    assert said.splitlines()[-1].startswith("Interrupted.") and "Traceback" not in said
    assert snapshots.current(tmp_path / "output") == first.snapshot
    resumed = index(texts, tmp_path / "output")
    assert resumed.ran[0] == "detect_communities" and resumed.manifest["tables"]["documents"]["rows"] == 5


def test_a_second_run_is_told_who_holds_the_lock_and_a_dead_one_gives_it_back(texts: Path, tmp_path: Path) -> None:
    first = start_waiting(tmp_path, texts)
    since = json.loads((tmp_path / "output" / "lock.json").read_text())["since"]
    arguments = [*COMMAND, "index", str(texts), "--root", str(tmp_path)]
    second = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert second.returncode == 75
    assert second.stderr.startswith("Error: ") and len(second.stderr.splitlines()) == 1
    assert f"process {first.pid} " in second.stderr and since in second.stderr
    first.kill()
    first.communicate()
    assert (tmp_path / "output" / "lock.json").exists()  # it had no time to tidy up
    third = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert third.returncode == 0, third.stderr
    assert "summarize_descriptions: unchanged" in third.stderr
