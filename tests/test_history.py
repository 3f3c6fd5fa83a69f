"""The commands about snapshots: what they print, in words and as JSON, and how they end."""

import json
import re
import shutil
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from invoking import invoke, objects

from graphrag_lite import pipeline, tables
from graphrag_lite.cli import history, terminal
from graphrag_lite.run import run_log, snapshots
from graphrag_lite.run.comparison import Comparison, DocumentChanges, FactChanges, RecordChange, RecordChanges
from graphrag_lite.settings import Settings

DOCS = Path(__file__).parents[1] / "docs" / "json.md"
TEXTS = {
    "a.txt": "Alice Smith met Bob Jones in Paris. Bob Jones works for Acme Corporation.\n",
    "b.txt": "Carol White lives in Rome with Bob Jones. Carol White left Acme Corporation in 1990.\n",
}


def index(root: Path, corpus: Path) -> Path:
    return pipeline.index(corpus, root / "output", Settings()).snapshot


def documented(heading: str) -> list[str]:
    """Return the keys in the first table below a heading of docs/json.md."""
    (page,) = [part for part in DOCS.read_text(encoding="utf-8").split("\n## ") if part.startswith(heading)]
    table = page.split("\n\n| key |")[1].split("\n\n")[0]
    return [key.strip() for row in re.findall(r"^\| ([a-z_, ]+) \|", table, re.M) for key in row.split(",")]


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    """The corpus: as `two` has left it, else as it was first."""
    if not (tmp_path / "corpus").exists():
        (tmp_path / "corpus").mkdir()
        for name, text in TEXTS.items():
            (tmp_path / "corpus" / name).write_text(text)
    return tmp_path / "corpus"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A root and its corpus, a document of which was edited and another added after the first run."""
    root = tmp_path_factory.mktemp("made")
    (root / "corpus").mkdir()
    for name, text in TEXTS.items():
        (root / "corpus" / name).write_text(text)
    index(root, root / "corpus")
    (root / "corpus" / "a.txt").write_text("Alice Smith met Bob Jones in Oslo.\n")
    (root / "corpus" / "c.txt").write_text("Dora Green met Carol White.\n")
    index(root, root / "corpus")
    return root


@pytest.fixture
def two(made: Path, tmp_path: Path) -> tuple[Path, Path]:
    """Both snapshots, in a root of their own beside `texts`."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True, symlinks=True)
    first, second = snapshots.published(tmp_path / "output")
    return first, second


# --- runs


def test_runs_lists_the_newest_first(two: tuple[Path, Path], texts: Path, tmp_path: Path) -> None:
    index(tmp_path, texts)
    said = invoke("runs", "--root", tmp_path)
    assert said.exit_code == 0
    lines = said.stdout.splitlines()
    assert [line.split()[2] for line in lines if line[0] != " "] == ["unchanged", "published", "published"]
    assert f"    snapshot {two[1].name} (current)" in lines and f"    snapshot {two[0].name} (kept)" in lines
    assert "    documents: 1 added, 1 edited" in lines and "    why: documents" in lines
    assert "    why: first run" in lines and "    documents: 2 added" in lines
    assert max(map(len, lines)) <= 80
    shutil.rmtree(two[0])
    assert f"snapshot {two[0].name} (removed)" in invoke("runs", "--root", tmp_path).stdout
    assert invoke("runs", "--root", tmp_path, "--limit", 1).stdout.splitlines()[-1].startswith("1 of 3 runs")


def test_runs_as_json_has_the_documented_keys(two: tuple[Path, Path], tmp_path: Path) -> None:
    log = tmp_path / "output" / run_log.NAME
    spent = "calls memo_hits prompt_tokens cached_tokens completion_tokens cost".split()
    failed = {"started_at": "2999-01-01", "seconds": 1.0, "status": "failed", "error": "e"}
    with log.open("a") as file:
        file.write(json.dumps(failed | {"usage": run_log.total_usage({"a": dict.fromkeys(spent, 1)})}) + "\n")
    invoke("rollback", two[0].name, "--root", tmp_path)
    printed = objects(invoke("runs", "--root", tmp_path, "--json").stdout)
    assert [entry["status"] for entry in printed] == ["rolled back", "failed", "published", "published"]
    assert {key for entry in printed for key in entry} == set(documented("`graphrag-lite runs"))
    assert objects(invoke("runs", "--root", tmp_path, "--json", "--limit", 2).stdout) == printed[:2]


def test_runs_shows_what_was_spent_and_what_failed(tmp_path: Path) -> None:
    (tmp_path / "output").mkdir()
    spent = "calls memo_hits prompt_tokens cached_tokens completion_tokens cost".split()
    usage = dict(zip(spent, (12, 3, 4000, 0, 500, 0.25), strict=True))
    entries = [
        {"started_at": "2026-01-01T02:00:00+00:00", "seconds": 61.5, "status": "failed", "usage": usage}
        | {"error": "https://api: the key is\x1b[31m wrong"},
        {"started_at": "2026-01-02T02:00:00+00:00", "seconds": 5, "status": "interrupted"},
        {"started_at": "2026-01-03T02:00:00+00:00", "seconds": 5, "status": "published", "snapshot": "x", "why": ["documents"]}
        | {"changes": {"added": 1000, "edited": 0}, "failures": 2, "resumed": True, "usage": usage},
        {"started_at": "2026-01-04"},
    ]  # fmt: skip
    (tmp_path / "output" / run_log.NAME).write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    said = invoke("runs", "--root", tmp_path).stdout
    for expected in (
        "2026-01-01 02:00:00  failed           61.5 s",
        "    error: https://api: the key is [31m wrong",
        "    model: 12 calls, 3 kept, 4,000 + 500 tokens, $0.2500",
        "    failures: 2 (`graphrag-lite show failures`)",
        "    documents: 1,000 added",
        "    went on from a run that had broken off",
    ):
        assert expected in said.splitlines()
    assert "\x1b" not in said


def test_runs_without_an_index(tmp_path: Path) -> None:
    said = invoke("runs", "--root", tmp_path)
    assert said.exit_code == 1 and said.stderr.startswith("Error: There is no index in ")
    (tmp_path / "output").mkdir()
    assert invoke("runs", "--root", tmp_path).stdout == "No run has ended yet.\n"


# --- diff


def test_diff_counts_and_names(two: tuple[Path, Path], tmp_path: Path) -> None:
    said = invoke("diff", "--root", tmp_path)
    assert said.exit_code == 0
    lines = said.stdout.splitlines()
    assert lines[:2] == [f"From {two[0].name}", f"to   {two[1].name}"]
    assert ["documents", "1", "0", "1", "0"] in [line.split() for line in lines]
    added = lines.index("entities added")
    assert {"  Dora Green", "  Oslo"} <= set(lines[added : added + 5])
    assert "  Paris" in lines[lines.index("entities removed") :]
    changed = lines[lines.index("entities changed") :]
    assert any(re.fullmatch(r"  Alice Smith \(.*description.*\)", line) for line in changed)
    assert "  and 1 more; --limit shows more, --json all" in invoke("diff", "--root", tmp_path, "--limit", 1).stdout
    assert max(map(len, lines)) <= 80


def test_diff_tells_reports_that_were_rewritten_from_those_that_became_stale() -> None:
    stale = ("became stale",)
    whats = {"one": ("text",), "two": stale, "three": ("text", "no longer stale"), "four": stale}
    reports = RecordChanges(changed=tuple(RecordChange(f"id-{name}", name, what) for name, what in whats.items()))
    none = RecordChanges()
    found = Comparison("a", "b", DocumentChanges((), (), (), ()), none, none, none, reports, FactChanges())
    console = terminal.Output(width=80)
    with console.capture() as said:
        history.print_comparison(console, found, 10)
    lines = said.get().splitlines()
    counts = [line.split() for line in lines]
    assert ["reports", "0", "0", "4"] in counts and ["rewritten", "2"] in counts and ["became", "stale", "2"] in counts
    assert lines[lines.index("reports: rewritten") :] == [
        *("reports: rewritten", "  one", "  three", ""),
        *("reports: became stale", "  two", "  four"),
    ]


def test_diff_takes_ids_and_their_beginnings(two: tuple[Path, Path], tmp_path: Path) -> None:
    a, b = (folder.name for folder in two)
    ways = [(), (a,), (a, b), ("previous", "current"), (a[:-1], b[:-1])]
    printed = [invoke("diff", *way, "--root", tmp_path, "--json").stdout for way in ways]
    assert len(set(printed)) == 1
    (found,) = objects(printed[0])
    assert list(found) == documented("`graphrag-lite diff")
    assert (found["a"], found["b"]) == (a, b)
    assert found["documents"] == {"added": ["c.txt"], "edited": ["a.txt"], "renamed": [], "deleted": []}
    (back,) = objects(invoke("diff", b, a, "--root", tmp_path, "--json").stdout)
    assert back["documents"]["deleted"] == ["c.txt"] and back["entities"]["added"] == found["entities"]["removed"]


def test_diff_of_nothing(two: tuple[Path, Path], tmp_path: Path) -> None:
    said = invoke("diff", "current", "--root", tmp_path)
    assert said.exit_code == 0 and said.stdout.count(" 0 ") >= 5 and "added\n  " not in said.stdout
    shutil.rmtree(two[0])
    said = invoke("diff", "--root", tmp_path)
    assert said.exit_code == 1 and "no snapshot before the current one" in said.stderr


def test_a_name_from_the_corpus_does_not_steer_the_terminal(texts: Path, tmp_path: Path) -> None:
    index(tmp_path, texts)
    (texts / "x\x1b[31m\u202ey.txt").write_text("Dora Green met Carol White.\n")
    index(tmp_path, texts)
    said = invoke("diff", "--root", tmp_path).stdout
    assert "  x [31m y.txt" in said.splitlines()
    assert all(char == "\n" or unicodedata.category(char) not in ("Cc", "Cf") for char in said)


# --- check


def test_check_says_what_was_looked_at(two: tuple[Path, Path], tmp_path: Path) -> None:
    said = invoke("check", "--root", tmp_path)
    assert said.exit_code == 0 and f"Snapshot {two[1].name}: nothing is wrong." in said.stdout
    for part in ("files", "ids", "texts", "citations", "counts", "partition", "reports", "search"):
        assert f"\n  {part} " in said.stdout
    assert len(said.stdout.splitlines()) < 24 and max(map(len, said.stdout.splitlines())) <= 80
    (found,) = objects(invoke("check", "previous", "--root", tmp_path, "--json").stdout)
    assert list(found) == documented("`graphrag-lite check")
    assert found["ok"] is True and found["snapshot"] == two[0].name and found["problems"] == []


def test_check_of_an_index_that_was_taken_over(shared: Path, tmp_path: Path) -> None:
    pipeline.take_over(shared / "replay" / "dulce_index", tmp_path / "output", Settings())
    said = invoke("check", "--root", tmp_path)
    told = said.stdout.replace("partition,", "")
    assert said.exit_code == 0 and "left out" in told and "partition " not in told


def test_check_names_what_is_wrong_and_exits_with_1(two: tuple[Path, Path], tmp_path: Path) -> None:
    (two[1] / "communities.parquet").unlink()
    (two[1] / "covariates.parquet").write_bytes(b"")
    said = invoke("check", "--root", tmp_path)
    assert said.exit_code == 1 and "2 things are wrong" in said.stdout
    assert "communities: is missing" in said.stdout and "covariates: is damaged" in said.stdout
    said = invoke("check", "--root", tmp_path, "--json")
    (found,) = objects(said.stdout)
    assert said.exit_code == 1 and found["ok"] is False
    assert {problem["table"] for problem in found["problems"]} == {"communities", "covariates"}


# --- rollback


def test_rollback_makes_a_snapshot_current_again_and_index_goes_on_from_it(
    two: tuple[Path, Path], texts: Path, tmp_path: Path
) -> None:
    a, b = two
    said = invoke("rollback", "previous", "--root", tmp_path)
    assert said.exit_code == 0 and f"Current is snapshot {a.name} again" in said.stdout
    assert snapshots.current(tmp_path / "output") == a and b.is_dir()
    entry = run_log.read(tmp_path / "output")[-1]
    assert (entry["status"], entry["snapshot"], entry["before"]) == ("rolled back", a.name, b.name)
    assert f"    snapshot {a.name} (current)" in invoke("runs", "--root", tmp_path).stdout.splitlines()
    again = pipeline.index(texts, tmp_path / "output", Settings())
    assert again.changed and again.snapshot.name > b.name and again.why == ("documents",)
    assert again.manifest["tables"]["documents"] == snapshots.read_manifest(b)["tables"]["documents"]
    assert invoke("check", "--root", tmp_path).exit_code == 0
    assert "is current already" in invoke("rollback", "current", "--root", tmp_path).stdout


def test_a_run_after_a_rollback_keeps_what_it_went_on_from(texts: Path, tmp_path: Path) -> None:
    def night(text: str, keep: int = 3) -> str:
        (texts / "news.txt").write_text(f"Dora Quill was in {text}.\n")
        run = pipeline.index(texts, tmp_path / "output", Settings.model_validate({"snapshots": {"keep": keep}}))
        return run.snapshot.name

    good, *_ = [night(city) for city in ("Paris", "Rome", "Oslo")]
    for city in ("Bern", "Lima"):
        assert invoke("rollback", good, "--root", tmp_path).exit_code == 0
        new = night(city, keep=2)
        assert [folder.name for folder in snapshots.published(tmp_path / "output")][::2] == [good, new]
        (found,) = objects(invoke("diff", "--root", tmp_path, "--json").stdout)
        assert (found["a"], found["b"]) == (good, new)


def test_a_stamp_of_another_form_is_one_of_other_code(two: tuple[Path, Path], texts: Path, tmp_path: Path) -> None:
    manifest = snapshots.read_manifest(two[1])
    manifest["stages"]["load_documents"]["stamp"] = {"code": "of a build before this one"}
    snapshots.write_json(two[1] / "manifest.json", manifest)
    again = pipeline.index(texts, tmp_path / "output", Settings())
    assert "load_documents" in again.ran


def test_rollback_refuses_what_is_not_there_or_damaged(two: tuple[Path, Path], tmp_path: Path) -> None:
    a, b = two
    lines = (tmp_path / "output" / run_log.NAME).read_text()
    said = invoke("rollback", "2001", "--root", tmp_path)
    assert said.exit_code == 1 and a.name in said.stderr and f"{b.name}  (current)" in said.stderr
    path = a / "entities.parquet"
    content = path.read_bytes()
    path.unlink()
    path.write_bytes(content[:-1] + b"x")
    said = invoke("rollback", a.name, "--root", tmp_path)
    assert said.exit_code == 1 and "is damaged, and was not made current" in said.stderr and "entities: " in said.stderr
    assert snapshots.current(tmp_path / "output") == b
    assert (tmp_path / "output" / run_log.NAME).read_text() == lines, "no run was made of it"


# --- other versions, other processes


@pytest.mark.parametrize(("version", "says"), [(1, "Run `graphrag-lite index`"), (99, "Upgrade graphrag-lite.")])
def test_an_index_of_another_version_is_refused_with_one_message(
    version: int, says: str, two: tuple[Path, Path], tmp_path: Path
) -> None:
    for folder in two:
        snapshots.write_json(folder / "manifest.json", snapshots.read_manifest(folder) | {"schema_version": version})
    for command in (["query", "Who?"], ["show"], ["check"], ["diff"], ["rollback", "previous"]):
        said = invoke(*command, "--root", tmp_path)
        assert said.exit_code == 1 and not said.stdout, command
        assert len(said.stderr.splitlines()) == 1 and says in said.stderr
        assert f"schema version {version}; this one reads {tables.SCHEMA_VERSION}" in said.stderr
    assert invoke("runs", "--root", tmp_path).exit_code == 0


@pytest.mark.parametrize("command", ["diff", "check", "rollback"])
def test_without_an_index(command: str, tmp_path: Path) -> None:
    said = invoke(command, *(["x"] if command == "rollback" else []), "--root", tmp_path)
    assert said.exit_code == 1 and "There is no index in " in said.stderr


def test_a_rollback_during_a_run_is_told_who_runs(two: tuple[Path, Path], tmp_path: Path) -> None:
    with snapshots.lock_output(tmp_path / "output"):
        command = [sys.executable, "-m", "graphrag_lite", "rollback", "previous", "--root", str(tmp_path)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 75
    assert re.fullmatch(r"Error: .*: process \d+ on \S+ \(since \S+\) is writing this index\. .*\n", done.stderr)
    assert snapshots.current(tmp_path / "output") == two[1]
