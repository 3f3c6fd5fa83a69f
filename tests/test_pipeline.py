"""The stage list is honest, and the index is a pure function of the corpus and the settings."""

import inspect
import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from last_snapshot import bytes_of

from graphrag_lite import attempts, pipeline, tables
from graphrag_lite.errors import GraphragLiteError
from graphrag_lite.run import loop, snapshots, workers
from graphrag_lite.settings import ASKING, Settings
from graphrag_lite.settings.values import SettingsSection

EXAMPLE = Path(__file__).parents[1] / "examples" / "corpus"
INPUTS = {"corpus_files"}
SERVICES = frozenset(
    "corpus cut embedder extractor count each fail attempt last mode model named prompts readers refresh told".split()
)
NOT_STAGES = {"communities", "embeddings", "llm", "search", "snapshots"}  # sections of settings that belong to no stage

INDEX = """
import sys
from pathlib import Path
from graphrag_lite import pipeline, settings
from graphrag_lite.run import loop as runner, workers
workers.STARTS = workers.GOES_OVER = 1
if __name__ == "__main__":
    run = pipeline.index(Path(sys.argv[1]), Path(sys.argv[2]), settings.Settings(), workers=int(sys.argv[3]))
    print(run.snapshot)
"""


def index(corpus: Path, output: Path, workers: int = 1, **settings: Any) -> dict[str, bytes]:
    return bytes_of(pipeline.index(corpus, output, Settings(**settings), workers=workers).snapshot)


@pytest.fixture(scope="module")
def undisturbed(sample: Path) -> dict[str, bytes]:
    """The tables of the sample corpus, indexed in this process."""
    return bytes_of(sample)


def index_elsewhere(folder: Path, corpus: Path, *, workers: int = 1, hash_seed: str = "0") -> dict[str, bytes]:
    """Index in a process of its own, whose stages use worker processes whatever the size of the corpus."""
    script = folder / "index.py"
    script.write_text(INDEX)
    done = subprocess.run(
        [sys.executable, "-W", "error", str(script), str(corpus), str(folder / "output"), str(workers)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
    )
    assert done.returncode == 0, done.stderr
    return bytes_of(Path(done.stdout.strip()))


METHODS = ("fast", "standard")


@pytest.mark.parametrize("method", METHODS)
def test_every_read_follows_its_write_and_each_table_has_one_writer(method: str) -> None:
    written = set(INPUTS)
    for stage in pipeline.stages(method, embeds=True):
        assert set(stage.reads) <= written, stage.name
        assert not set(stage.writes) & written, stage.name
        assert len(set(stage.reads)) == len(stage.reads) and len(set(stage.writes)) == len(stage.writes)
        written |= set(stage.writes)
    fast = {"document_signs", "report_sentences", "report_leads", "report_pages"} if method != "fast" else set()
    assert written | {"failures"} | fast == set(tables.TABLES)  # the runner's own


@pytest.mark.parametrize("method", METHODS)
def test_parameters_of_a_stage_are_its_reads_its_settings_and_services(method: str) -> None:
    for stage in pipeline.stages(method, embeds=True):
        parameters = inspect.signature(stage.run).parameters
        section = {"settings"} if stage.name in Settings.model_fields else set()
        assert set(stage.reads) | section <= set(parameters) <= set(stage.reads) | section | SERVICES, stage.name
        if section:
            assert parameters["settings"].annotation is type(Settings.model_fields[stage.name].default), stage.name
        assert inspect.iscoroutinefunction(stage.run)


def test_methods_that_ask_a_model_are_those_whose_reports_are_written_here() -> None:
    made = {"from": "corpus", "reports": "written"}
    assert {name for name, method in pipeline.METHODS.items() if method.made == made} == set(ASKING)


def test_stage_and_section_and_file_have_one_name() -> None:
    for method in METHODS:
        names = [stage.name for stage in pipeline.stages(method, embeds=True)]
        assert len(set(names)) == len(names)
    own = (stage for method in METHODS for stage in pipeline.stages(method, embeds=True))
    stages = [*own, *pipeline.stages("imported")]
    names = [stage.name for stage in stages]
    sections = {name for name, field in Settings.model_fields.items() if isinstance(field.default, SettingsSection)}
    assert sections - NOT_STAGES <= set(names)
    files = {path.stem for path in (Path(pipeline.__file__).parent / "stages").glob("*.py")} - {"__init__"}
    assert files == set(names)
    assert all(stage.run.__module__ == f"graphrag_lite.stages.{stage.name}" for stage in stages)


@pytest.mark.parametrize("method", METHODS)
def test_every_written_table_is_read_later_or_final(method: str) -> None:
    stages = pipeline.stages(method, embeds=True)
    read = {name for stage in stages for name in stage.reads}
    for stage in stages:
        for name in stage.writes:
            kept = ("report_bases", "fact_mentions", "word_counts", "name_contexts", "document_signs", "mention_forms")
            by_next_run = name in (*kept, "report_sentences", "report_leads", "report_pages")
            later = by_next_run or name.startswith("search_")  # by a query
            assert name in read or name in tables.FINAL or later, name


def test_neither_hash_seed_nor_number_of_workers_changes_a_byte(tmp_path: Path, undisturbed: dict[str, bytes]) -> None:
    assert index_elsewhere(tmp_path, EXAMPLE, hash_seed="4711", workers=2) == undisturbed


def test_two_workers_really_share_the_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "STARTS", 1)
    ballast = bytearray(b"x") * 200_000_000  # which a worker has not
    with workers.Pool(2) as pool:
        found = list(workers.Workers(pool, loop.Silence(), attempts.ignore)(_process_of, range(300)))
    assert [item for item, _ in found] == list(range(300))
    assert os.getpid() not in {pid for _, pid in found}
    assert {pid for _, pid in found} == {pid for _, pid in pool.peaks}
    assert all(0 < peak < len(ballast) < workers.peak_memory() for peak in pool.peaks.values())


def _process_of(item: int) -> tuple[int, int]:
    return item, os.getpid()


def test_neither_the_places_of_corpus_and_root_nor_the_order_of_listing_change_a_byte(
    tmp_path: Path, undisturbed: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    moved = tmp_path / "moved" / "texts"
    # Files made in another order: folders list them in the order of their making on many file systems.
    for source in sorted(EXAMPLE.rglob("*"), reverse=True):
        if source.is_file():
            target = moved / source.relative_to(EXAMPLE)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
    scandir, chance = os.scandir, random.Random(5)

    def shuffled(folder: Any) -> Any:
        with scandir(folder) as found:
            entries = list(found)
        return nullcontext(chance.sample(entries, len(entries)))

    monkeypatch.setattr(os, "scandir", shuffled)
    assert index(moved, tmp_path / "other root" / "output") == undisturbed


def test_the_order_of_jsonl_rows_with_ids_changes_only_the_hash_of_the_file(tmp_path: Path) -> None:
    rows = (EXAMPLE / "chat" / "archive-room.jsonl").read_text(encoding="utf-8").splitlines()
    assert all(json.loads(row)["id"] for row in rows)
    found = []
    for name, ordered in (("a", rows), ("b", random.Random(3).sample(rows, len(rows)))):
        (tmp_path / name).mkdir()
        (tmp_path / name / "chat.jsonl").write_text("\n".join(ordered) + "\n", encoding="utf-8")
        snapshot = pipeline.index(tmp_path / name, tmp_path / name / "output", Settings()).snapshot
        read = {table: tables.read(snapshot, table) for stage in pipeline.stages() for table in stage.writes}
        for table in ("documents", "source_documents"):
            read[table] = read[table].drop_columns(["content_sha256"])
        found.append(read)
    assert all(found[0][table].equals(found[1][table]) for table in found[0])


def test_an_edit_runs_only_the_stages_that_it_reaches(corpus: Callable[..., Path], tmp_path: Path) -> None:
    folder = corpus({"a.txt": "Alice Smith met Bob Jones in Paris.\n", "b.txt": "Carol White lives in Rome.\n"})
    output = tmp_path / "output"
    settings = Settings()
    everything = tuple(stage.name for stage in pipeline.stages())
    assert pipeline.index(folder, output, settings).ran == everything
    assert pipeline.index(folder, output, settings).ran == ()
    # The same bytes under a new name: the paths differ, so documents do, and no text is analysed again.
    (folder / "a.txt").rename(folder / "a2.txt")
    ran = pipeline.index(folder, output, settings).ran
    assert "load_documents" in ran and "publish_documents" in ran
    # More sentences in a description change what follows it, nothing before it.
    changed = Settings.model_validate({"report_communities_fast": {"max_findings": 3}})
    ran = pipeline.index(folder, output, changed).ran
    assert ran[0] == "report_communities_fast" and set(ran) <= {"report_communities_fast", "index_search"}
    # A setting without effect on the result: its stage runs, and nothing after it does.
    same = Settings.model_validate({"report_communities_fast": {"max_findings": 4}})
    assert pipeline.index(folder, output, same).ran == ("report_communities_fast",)


def test_a_missing_corpus_leaves_no_output_behind(tmp_path: Path) -> None:
    with pytest.raises(GraphragLiteError, match="no such folder"):
        pipeline.index(tmp_path / "nowhere", tmp_path / "output", Settings())
    assert not (tmp_path / "output").exists()


def test_the_index_beside_the_corpus_is_not_part_of_it(corpus: Callable[..., Path]) -> None:
    folder = corpus({"a.txt": "Alice Smith met Bob Jones in Paris.\n"})
    first = pipeline.index(folder, folder / "output", Settings())
    again = pipeline.index(folder, folder / "output", Settings())
    assert not again.changed and again.snapshot == first.snapshot == snapshots.current(folder / "output")
