"""Killed, refused and powered off at every moment: the index stays readable, the next run ends it, nothing is paid twice.

`fault_driver.py` runs the command in processes of its own and counts the steps that change the disk. Some steps are
tried; FAULTS=all tries all of them.
"""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import changing_corpus
import pytest
from changing_corpus import Change

from graphrag_lite import tables
from graphrag_lite.errors import IndexNotFound
from graphrag_lite.run import snapshots

DRIVER = Path(__file__).with_name("fault_driver.py")
ALL = os.environ.get("FAULTS") == "all"
CASES = [(method, kind) for method in ("fast", "standard") for kind in ("first run", "update")]
SETTINGS = {
    "llm.model": "stub",
    "communities.mode": "full",
    "split_text_units.size": 40,
    "split_text_units.overlap": 10,
    "snapshots.keep": 1,  # what a run replaces, it removes as well
}
Bytes = dict[str, bytes]


class Driver:
    """Does jobs, one after the other, each in a process of its own."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(DRIVER)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def index(self, corpus: Path, root: Path, method: str, fault: str = "count", **job: Any) -> dict[str, Any]:
        """Run `index`; return its exit code, steps, and what it printed, and what the model was asked in `asked`."""
        sets = [f"{name}={value}" for name, value in {"method": method, **SETTINGS}.items()]
        arguments = ["index", str(corpus), "--root", str(root), *(part for value in sets for part in ("--set", value))]
        log = root.with_name(f"{root.name}.asked")
        log.write_text("")
        job = {"arguments": arguments, "watched": str(root), "log": str(log), "fault": fault, **job}
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(json.dumps(job) + "\n")
        self.process.stdin.flush()
        result = dict(json.loads(self.process.stdout.readline()))
        return result | {"asked": log.read_text().split()}


@pytest.fixture(scope="module")
def driver() -> Iterator[Driver]:
    made = Driver()
    yield made
    made.process.communicate(timeout=60)


@dataclass(frozen=True)
class Case:
    """A run to disturb: where it starts from, and how it goes when nobody disturbs it."""

    method: str
    place: Path  # of all folders
    start: Path  # a root to copy
    was: Bytes  # the tables before it, empty before a first run
    corpora: dict[str, Path]  # "as it is", "changed meanwhile", "as it was"
    results: dict[str, Bytes]
    steps: list[list[str]]
    memo: list[str]
    asked: Counter[str]
    files: set[str]
    number: Iterator[int]

    def root(self) -> Path:
        return shutil.copytree(self.start, self.place / f"root {next(self.number)}")


def tables_of(root: Path) -> Bytes:
    """Return the tables of the index, each as the manifest says it is; none where there is no index."""
    try:
        snapshot = snapshots.current(root / "output")
    except IndexNotFound:
        assert not (root / "output" / "current").exists()
        return {}
    for name, entry in snapshots.read_manifest(snapshot)["tables"].items():
        path = tables.path_in(snapshot, name)
        assert snapshots.table_digest(path) == entry["sha256"] and tables.read(snapshot, name).num_rows == entry["rows"]
    return {path.stem: path.read_bytes() for path in tables.files(snapshot)}


def kept_in(root: Path) -> set[str]:
    """Return what the memo holds an answer to."""
    path = root / "output" / "memo.sqlite"
    if not path.exists():
        return set()
    with closing(sqlite3.connect(path)) as memo:
        return {key for (key,) in memo.execute("select key from answers")}


def listed(root: Path) -> set[str]:
    """Return the names of all files of an output folder; the id of a snapshot is left out."""
    return {
        "/".join("id" if part[:2] == "20" else part for part in path.relative_to(root).parts)
        for path in root.rglob("*")
    }


@pytest.fixture(scope="module", params=CASES, ids=lambda case: " ".join(case))
def case(request: pytest.FixtureRequest, driver: Driver, tmp_path_factory: pytest.TempPathFactory) -> Case:
    method, kind = request.param
    place = tmp_path_factory.mktemp("case")
    corpora = {"as it is": place / "corpus"}
    changing_corpus.begin(corpora["as it is"], [5, 17])
    (place / "start").mkdir()
    if kind == "update":
        corpora["as it was"] = shutil.copytree(corpora["as it is"], place / "as it was")
        assert driver.index(corpora["as it was"], place / "start", method)["code"] == 0
        change(corpora["as it is"], 50)
    corpora["changed meanwhile"] = shutil.copytree(corpora["as it is"], place / "changed")
    change(corpora["changed meanwhile"], 90)
    roots = {name: shutil.copytree(place / "start", place / f"root {name}") for name in corpora}
    runs = {name: driver.index(corpora[name], roots[name], method) for name in reversed(corpora)}
    assert all(run["code"] == 0 for run in runs.values()), runs
    undisturbed = runs["as it is"]
    return Case(
        *(method, place, place / "start", tables_of(place / "start"), corpora),
        results={name: tables_of(root) for name, root in roots.items()},
        steps=undisturbed["steps"],
        memo=undisturbed["memo"],
        asked=Counter(undisturbed["asked"]),
        files=listed(roots["as it is"]),
        number=count(),
    )


def change(corpus: Path, what: int) -> None:
    changing_corpus.apply(corpus, Change("insert", which=0, where=3, what=what))
    changing_corpus.apply(corpus, Change("add", which=3, where=2, what=what))
    changing_corpus.apply(corpus, Change("rename", which=1, where=0, what=what))


def tried(steps: Sequence[Any], n: int, seed: int = 0) -> list[int]:
    """Choose n steps from the beginning to the end; others for another seed. All, where all are to be tried."""
    if ALL or not steps:
        return list(range(len(steps)))
    return sorted({min(len(steps) - 1, int((i + seed % 7 / 7) * len(steps) / n)) for i in range(n)})


def publication(steps: Sequence[Sequence[str]]) -> int:
    """Return at which step publication begins; removal of what is replaced comes after it."""
    return next(i for i, step in enumerate(steps) if step[1].endswith("building/manifest.json.tmp"))


def kill_points(case: Case) -> list[int]:
    begin = publication(case.steps)
    end = begin + 16
    seed = CASES.index((case.method, "update" if case.was else "first run"))
    early = tried(case.steps[:begin], 2, seed * 3 + 1)
    late = [begin + i for i in tried(case.steps[begin:end], 2, seed * 2)]
    return [*early, *late, *(end + i for i in tried(case.steps[end:], 1, 5))]


def ended_by_the_next_run(case: Case, driver: Driver, root: Path, at: int) -> tuple[str, list[str]]:
    """Check that the index is the old or the new one, and that the next run ends it; say of which corpus that was."""
    found = tables_of(root)
    assert found in (case.was, case.results["as it is"])
    corpus = list(case.corpora)[at % len(case.corpora)]
    again = driver.index(case.corpora[corpus], root, case.method)
    assert again["code"] == 0 and "Traceback" not in again["stderr"], again["stderr"]
    assert tables_of(root) == case.results[corpus], corpus
    if corpus == "as it is":
        assert listed(root) == case.files
    return corpus, again["asked"]


def test_killed_at_a_step_that_changes_the_disk(case: Case, driver: Driver) -> None:
    for at in kill_points(case):
        root = case.root()
        killed = driver.index(case.corpora["as it is"], root, case.method, "kill", at=at)
        assert killed["code"] == -9, (at, case.steps[at])
        in_flight = set(killed["asked"]) - kept_in(root)  # asked, and killed before an answer could be kept
        corpus, asked = ended_by_the_next_run(case, driver, root, at)
        if corpus == "as it is":
            assert Counter(killed["asked"] + asked) - Counter(in_flight) == case.asked, case.steps[at]
        assert set(killed["asked"]) & set(asked) <= in_flight, case.steps[at]
        shutil.rmtree(root)


def test_killed_while_an_answer_is_kept(case: Case, driver: Driver) -> None:
    """What is in the memo is not asked again; what is not, is. Method fast has none."""
    assert bool(case.memo) == (case.method == "standard")
    for at in tried(case.memo, 2, 4):
        root = case.root()
        killed = driver.index(case.corpora["as it is"], root, case.method, "memo", at=at)
        assert killed["code"] in (-9, 0)  # how many statements there are depends on time
        kept = kept_in(root)
        assert tables_of(root) in (case.was, case.results["as it is"])
        again = driver.index(case.corpora["as it is"], root, case.method)
        assert again["code"] == 0 and tables_of(root) == case.results["as it is"]
        assert Counter(again["asked"]) == Counter(set(case.asked) - kept)
        assert listed(root) == case.files
        shutil.rmtree(root)


@pytest.mark.parametrize("error", ["ENOSPC", "EIO", "EROFS"])
def test_refused_at_a_step_that_changes_the_disk(error: str, case: Case, driver: Driver) -> None:
    """From this step on, or at this step alone."""
    says = {"ENOSPC": "no space left", "EIO": "input/output error", "EROFS": "read-only"}
    seed = CASES.index((case.method, "update" if case.was else "first run")) * len(says) + list(says).index(error)
    for at in tried(case.steps, 1, seed):
        root = case.root()
        job = {"at": at, "once": bool((at + seed) % 2)}
        refused = driver.index(case.corpora["as it is"], root, case.method, error, **job)
        assert "Traceback" not in refused["stderr"], (case.steps[at], job, refused["stderr"])
        if refused["code"]:
            assert refused["code"] == 1, (case.steps[at], job, refused)
            assert says[error] in refused["stderr"].casefold(), (case.steps[at], job, refused["stderr"])
        else:
            assert tables_of(root) == case.results["as it is"], (case.steps[at], job)
        in_flight = set(refused["asked"]) - kept_in(root)  # asked, and ended before an answer could be kept
        _, asked = ended_by_the_next_run(case, driver, root, at)
        assert set(refused["asked"]) & set(asked) <= in_flight, (case.steps[at], job)
        shutil.rmtree(root)


def test_what_is_published_is_on_disk_before_the_pointer_is_swapped(case: Case) -> None:
    """A power cut keeps only what was synced: the bytes of a file by its own fsync, its name by that of its folder."""
    swap = case.steps.index(["rename", "output/current.tmp", "output/current"])
    moved = next(i for i, step in enumerate(case.steps) if step[:2] == ["rename", "output/building"])
    written = sorted(name for name in case.files if name.startswith("output/snapshots/id/") and "." in name)
    assert len(written) > 15
    for name in written:
        path = name.replace("output/snapshots/id/", "output/building/")
        if (opened := last(case.steps[:moved], "open", temporary(path))) >= 0:
            assert opened < last(case.steps[:moved], "sync", temporary(path)), path
        named = max(last(case.steps[:moved], kind, path) for kind in ("open", "link", "rename"))
        assert 0 <= named < last(case.steps[:moved], "sync folder", str(Path(path).parent)), path
    folders = [i for i, step in enumerate(case.steps) if step[0] == "mkdir" and step[1] == "output/snapshots"]
    assert all(i < last(case.steps[:swap], "sync folder", "output") for i in folders)
    assert moved < last(case.steps[:swap], "sync folder", "output/snapshots")
    assert last(case.steps[:swap], "open", "output/current.tmp") < last(case.steps[:swap], "sync", "output/current.tmp")
    assert ["sync folder", "output"] in case.steps[swap:]
    gone = [i for i, step in enumerate(case.steps) if step[0] == "rename" and step[-1].startswith("output/snapshots/.")]
    assert all(i > swap + case.steps[swap:].index(["sync folder", "output"]) for i in gone)


def temporary(path: str) -> str:
    return f"{path}.tmp" if path.endswith(".json") else path


def last(steps: Sequence[Sequence[str]], kind: str, path: str) -> int:
    """Return the last step of a kind that leaves something at a path, -1 where there is none."""
    return max((i for i, step in enumerate(steps) if step[0] == kind and step[-1] == path), default=-1)
