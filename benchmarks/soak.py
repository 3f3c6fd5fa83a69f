"""Many nights of changes on a sample corpus: what each costs, and whether the index stays whole, small and right.

    python benchmarks/soak.py [--nights 60] [--corpus FOLDER] [--method standard --method fast]

Every night some documents are added, edited, renamed and deleted; then the index is brought up to date and checked. The
model is the stub of the tests, so a call costs nothing. On some nights the run is killed in a process of its own first.
Ends with 1 where a check fails, or where the snapshots on disk or the memory of this process grow.
"""

import contextlib
import gc
import importlib
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from graphrag_lite import pipeline, tables
from graphrag_lite.llm.chat import ChatModel, Request
from graphrag_lite.ops import check
from graphrag_lite.settings import Settings

TESTS = Path(__file__).parents[1] / "tests"
EXAMPLE = Path(__file__).parents[1] / "examples" / "corpus"
KEEP = 3
EVERY = 5  # nights after which a run from nothing is measured again
LINES = (".md", ".txt", ".html")
SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
GROWTH = 1.15  # of the last third of the nights against the second, at most


@dataclass(frozen=True)
class Night:
    """What a night did. `calls` of the model include those of runs that were killed.

    `anew`, the calls of a run from nothing, and `gap` are of the last night on which they were measured.
    """

    changes: str
    n_changes: int
    units: int  # text units that were not there the night before
    calls: int
    anew: int
    reports: int
    rewritten: int
    stale: int
    gap: float  # modularity of a run from nothing, minus this index's
    seconds: float
    snapshots_mb: float
    memo_mb: float
    memory_mb: float
    n_problems: int


def settings(method: str, mode: str = "stable") -> Settings:
    return Settings.model_validate(
        {
            "method": method,
            "llm": {"model": "stub"},
            "communities": {"mode": mode},
            "split_text_units": {"size": 120, "overlap": 20},
            "snapshots": {"keep": KEEP},
        }
    )


def logged_model(log: Path) -> ChatModel:
    """Return the stub; it counts its calls in a file, which outlives a killed process."""
    sys.path[:0] = [str(TESTS)] if str(TESTS) not in sys.path else []
    stub_model, stub_replies = (importlib.import_module(name) for name in ("stub_model", "stub_replies"))

    def reply(request: Request) -> str:
        with log.open("a") as file:
            file.write(".")
        return str(stub_replies.reply(request.messages))

    made: ChatModel = stub_model.StubModel(reply)
    return made


def change(corpus: Path, pool: Sequence[str], chance: random.Random, night: int) -> dict[str, int]:
    """Let a night's changes happen; return how many of each kind. The corpus keeps its size, about."""
    files = sorted(path for path in corpus.rglob("*") if path.suffix in LINES)
    done = dict.fromkeys(("added", "edited", "renamed", "deleted"), 0)
    for number in range(chance.randint(0, 2)):
        text = "\n\n".join(" ".join(chance.sample(pool, 4)) for _ in range(chance.randint(1, 6)))
        (corpus / f"night-{night}-{number}.txt").write_text(text + "\n", encoding="utf-8")
        done["added"] += 1
    for path in chance.sample(files, chance.randint(0, 3)):
        sentences = SENTENCE.split(path.read_text(encoding="utf-8"))
        place = chance.randrange(len(sentences))
        sentences[place : place + chance.randint(0, 1)] = chance.sample(pool, chance.randint(1, 2))
        path.write_text(" ".join(sentences), encoding="utf-8")
        done["edited"] += 1
    for path in chance.sample(files, chance.randint(0, 1)):
        path.rename(path.with_name(f"renamed-{night}{path.suffix}"))
        done["renamed"] += 1
    there = sorted(path for path in corpus.rglob("*") if path.suffix in LINES)
    for path in chance.sample(there, max(0, len(there) - len(files) + chance.randint(-1, 1))):
        path.unlink()
        done["deleted"] += 1
    return done


def killed(corpus: Path, output: Path, method: str, log: Path, seconds: float) -> None:
    """Begin the night's run in a process of its own, and kill it once it has worked for some seconds."""
    arguments = [sys.executable, __file__, "--begin", method, str(corpus), str(output), str(log)]
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE)
    assert process.stdout
    process.stdout.readline()  # its imports are done
    time.sleep(seconds)
    process.kill()
    process.communicate()


def begin(method: str, corpus: str, output: str, log: str) -> None:
    print("begins", flush=True)
    pipeline.index(Path(corpus), Path(output), settings(method), model=logged_model(Path(log)))


def modularity(snapshot: Path) -> float:
    """Return the modularity of the top level of a snapshot's communities."""
    import numpy as np

    from graphrag_lite.graph import leiden
    from graphrag_lite.graph.sparse import from_edges

    ids = tables.read(snapshot, "entities", only=["id", "title"]).to_pylist()
    place = {row["title"]: i for i, row in enumerate(ids)}
    row_of = {row["id"]: i for i, row in enumerate(ids)}
    labels = np.arange(len(ids)) + len(ids)
    for row in tables.read(snapshot, "communities", only=["community", "level", "entity_ids"]).to_pylist():
        if row["level"] == 0:
            labels[[row_of[identity] for identity in row["entity_ids"]]] = row["community"]
    edges = tables.read(snapshot, "relationships", only=["source", "target", "weight"]).to_pylist()
    u, v = (np.array([place[row[end]] for row in edges], np.int64) for end in ("source", "target"))
    graph = from_edges(u, v, np.array([row["weight"] for row in edges], np.float64), len(ids))
    return leiden.modularity(graph, np.asarray(labels, dtype=np.int64))


def megabytes(*paths: Path) -> float:
    """Return what files take on disk; a file with several names counts once."""
    found = {}
    for path in paths:
        for file in [path, *path.rglob("*")] if path.exists() else []:
            stat = file.lstat()
            found[stat.st_ino] = stat.st_blocks * 512
    return sum(found.values()) / 1e6


def memory_mb() -> float:
    """Return the resident memory of this process, after what is no longer used was given back."""
    import ctypes

    import pyarrow as pa

    gc.collect()
    pa.default_memory_pool().release_unused()
    with contextlib.suppress(OSError):
        ctypes.CDLL("libc.so.6").malloc_trim(0)
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def column(snapshot: Path | None, table: str, name: str) -> set[Any]:
    return set(tables.read(snapshot, table, only=[name])[name].to_pylist()) if snapshot else set()


def soak(method: str, source: Path, folder: Path, n_nights: int, seed: int, tell: Callable[[int, Night], None]) -> None:
    """Live through the nights, in this process; tell of each."""
    chance = random.Random(seed)
    corpus, output, log = folder / "corpus", folder / "root" / "output", folder / "calls"
    shutil.copytree(source, corpus)
    texts = [path.read_text(encoding="utf-8") for path in sorted(corpus.rglob("*")) if path.suffix in (".md", ".txt")]
    pool = sorted({said for text in texts for said in SENTENCE.split(text) if 40 < len(said) < 300 and "#" not in said})
    before: Path | None = None
    n_anew, gap = 0, 0.0
    for night in range(n_nights + 1):
        done = change(corpus, pool, chance, night) if night else {"first": 1}
        units, reports = (column(before, table, "id") for table in ("text_units", "community_reports"))
        log.write_text("")
        started = time.perf_counter()
        if night % 10 == 7:
            killed(corpus, output, method, log, chance.uniform(0.1, 0.6))
        run = pipeline.index(corpus, output, settings(method), model=logged_model(log))
        seconds = time.perf_counter() - started
        n_calls = log.stat().st_size
        problems = check.check(run.snapshot).problems
        for problem in problems:
            print(f"night {night}: {problem}", file=sys.stderr)
        if night % EVERY == 0:
            log.write_text("")
            shutil.rmtree(folder / "anew", ignore_errors=True)
            anew = pipeline.index(corpus, folder / "anew" / "output", settings(method), model=logged_model(log))
            n_anew, gap = log.stat().st_size, modularity(anew.snapshot) - modularity(run.snapshot)
        rows = tables.read(run.snapshot, "community_reports", only=["id", "stale"]).to_pylist()
        found = Night(
            changes=" ".join(f"{n} {kind}" for kind, n in done.items() if n) or "nothing",
            n_changes=sum(done.values()),
            units=len(column(run.snapshot, "text_units", "id") - units),
            calls=n_calls,
            anew=n_anew,
            reports=len(rows),
            rewritten=sum(row["id"] not in reports for row in rows),
            stale=sum(row["stale"] for row in rows),
            gap=gap,
            seconds=seconds,
            snapshots_mb=megabytes(output / "snapshots", output / "building"),
            memo_mb=megabytes(*output.glob("memo.sqlite*")),
            memory_mb=memory_mb(),
            n_problems=len(problems),
        )
        tell(night, found)
        before = run.snapshot


def grown(values: Sequence[float]) -> bool:
    """Say whether the last third of the values is larger than the second, on average."""
    third = len(values) // 3
    second, last = values[third : 2 * third], values[2 * third :]
    return bool(third) and sum(last) / len(last) > GROWTH * sum(second) / len(second)


def sum_up(nights: Sequence[Night]) -> bool:
    """Print what the nights cost in all; say whether all is well."""
    rest = nights[1:]
    calls, anew, units, rewritten, there, changes = (
        sum(getattr(night, name) for night in rest)
        for name in ("calls", "anew", "units", "rewritten", "reports", "n_changes")
    )
    print(f"\n  {changes} changes, {units} new text units in {len(rest)} nights")
    if anew:
        print(f"  calls {calls:,} against {anew:,} of runs from nothing ({calls / anew:.1%})")
        each = nights[0].calls / nights[0].units
        print(f"  calls for each new text unit {calls / max(units, 1):.1f}; in the first run {each:.1f}")
    print(f"  reports rewritten {rewritten:,} of {there:,} ({rewritten / max(there, 1):.1%})")
    gaps = [night.gap for night in rest]
    print(f"  modularity below a full run's: mean {sum(gaps) / max(len(gaps), 1):.3f}, most {max(gaps, default=0):.3f}")
    failed = [
        *(["a check failed"] if any(night.n_problems for night in nights) else []),
        *(["the snapshots on disk grow"] if grown([night.snapshots_mb for night in nights]) else []),
        *(["the memory of the process grows"] if grown([night.memory_mb for night in nights]) else []),
    ]
    print(f"  {'; '.join(failed) or 'every check passed; disk and memory are flat'}")
    return not failed


@click.command()
@click.option("--nights", default=60, show_default=True)
@click.option("--method", "methods", multiple=True, default=["standard", "fast"], show_default=True)
@click.option("--corpus", type=click.Path(path_type=Path, exists=True), default=EXAMPLE)
@click.option("--seed", default=7, show_default=True)
@click.option("--begin", "begins", nargs=4, hidden=True)
def main(nights: int, methods: Sequence[str], corpus: Path, seed: int, begins: Sequence[str]) -> None:
    """Print a line for every night, and what they come to."""
    if begins:
        begin(*begins)
        return
    well = True
    for method in methods:
        head = ("night", "units", "calls", "anew", "reports", "rewr.", "stale", "gap", "s", "disk", "memo", "RSS")
        print(f"\nmethod {method}\n  " + " ".join(f"{name:>7}" for name in head) + "  changes")
        found: list[Night] = []

        def tell(number: int, night: Night, found: list[Night] = found) -> None:
            found.append(night)
            counts = (number, night.units, night.calls, night.anew, night.reports, night.rewritten, night.stale)
            sizes = (night.seconds, night.snapshots_mb, night.memo_mb, night.memory_mb)
            parts = [*(f"{n:7}" for n in counts), f"{night.gap:7.3f}", *(f"{n:7.2f}" for n in sizes), "", night.changes]
            print("  " + " ".join(parts), flush=True)

        with tempfile.TemporaryDirectory() as folder:
            soak(method, corpus, Path(folder), nights, seed, tell)
        well = sum_up(found) and well
    sys.exit(not well)


if __name__ == "__main__":
    main()
