"""What must not fall: retrieval, names, the cost of a first index, and the bytes that a change says it leaves alone.

    python benchmarks/floors.py ../shared/data
    python benchmarks/floors.py ../shared/data --against HEAD~1
    python benchmarks/floors.py ../shared/data --record

The first compares with benchmarks/floors.json, the second with another commit, too; the last writes the floors anew.

R@5 of `basic` and `local` on every set within .5 points of the floor; F1 of names, and of names with types, within
.005; gold answers that are extracted names within .005, at no more mentions. Against a commit: CPU of a first index of
the podcasts within 5% (median of ratios, runs in turn), and whether the tables have the same bytes. Exit 1 where one
fell.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import names
import retrieval

HERE = Path(__file__).parent
METHODS = ("basic", "local")
RECALL, SHARE, CPU = 0.5, 0.005, 1.05  # how far a figure may fall: points of R@5, of F1 and shares; ratio of CPU


def recalls(folder: Path, sets: tuple[str, ...]) -> dict[str, float]:
    """Return R@5 in % by "set method"."""
    found = {}
    for path in sorted(folder.iterdir()):
        if path.is_dir() and (parts := retrieval.sets_in(path)) and (not sets or path.name in sets):
            results = retrieval.joined([retrieval.evaluate(part, METHODS) for part in parts])
            for method, result in zip(METHODS, results, strict=True):
                found[f"R@5 {path.name} {method}"] = round(100 * result["measures"]["recall@5"]["mean"], 2)
    return found


def fallen(name: str, floor: float, now: float | None) -> bool:
    """Say whether a figure is worse than its floor by more than it may."""
    if now is None:
        return True
    if name.endswith("mentions"):
        return now > floor
    return now < floor - (RECALL if name.startswith("R@5") else SHARE) - 1e-9


def index_cpu(code: Path, corpus: Path) -> tuple[float, dict[str, str]]:
    """Index a corpus from nothing with the package in `code`. Returns CPU seconds and the digest of every table."""
    with tempfile.TemporaryDirectory() as root:
        before = os.times()
        command = [sys.executable, "-m", "graphrag_lite", "index", str(corpus), "--root", root, "--set", "workers=1"]
        subprocess.run(
            command, check=True, cwd=root, env=os.environ | {"PYTHONPATH": str(code)}, stdout=subprocess.DEVNULL
        )
        after = os.times()
        manifest = next((Path(root) / "output" / "snapshots").glob("*/manifest.json"))
        tables = json.loads(manifest.read_text(encoding="utf-8"))["tables"]
    seconds = after.children_user + after.children_system - before.children_user - before.children_system
    return seconds, {name: entry["sha256"] for name, entry in tables.items()}


def paired(revision: str, corpus: Path, runs: int) -> Iterator[tuple[str, bool]]:
    """Index in turn with this code and with that of a commit. Yields lines to print, and whether they may stand."""
    with tempfile.TemporaryDirectory() as folder:
        other = Path(folder) / "code"
        git = ["git", "-C", str(HERE.parent)]
        subprocess.run([*git, "worktree", "add", "--quiet", "--detach", str(other), revision], check=True)
        try:
            rounds = [(index_cpu(HERE.parent, corpus), index_cpu(other, corpus)) for _ in range(runs)]
        finally:
            subprocess.run([*git, "worktree", "remove", "--force", str(other)], check=True)
    ratio = statistics.median(ours[0] / theirs[0] for ours, theirs in rounds)
    seconds = statistics.median(ours[0] for ours, _ in rounds)
    yield f"CPU of a first index: {seconds:.1f} s, {ratio:.3f} of {revision}'s", ratio <= CPU
    ours, theirs = rounds[0][0][1], rounds[0][1][1]
    differ = sorted(name for name in ours.keys() | theirs.keys() if ours.get(name) != theirs.get(name))
    yield f"tables of other bytes than {revision}'s: {', '.join(differ) or 'none'}", True


@click.command()
@click.argument("data", type=click.Path(path_type=Path, exists=True))
@click.option("--sets", multiple=True, help="Only these sets of questions.")
@click.option("--against", metavar="REVISION", help="Compare CPU and bytes with this commit.")
@click.option("--runs", default=3, show_default=True, help="Pairs of runs for CPU.")
@click.option("--record", is_flag=True, help="Write the floors anew.")
def main(data: Path, sets: tuple[str, ...], against: str | None, runs: int, record: bool) -> None:
    """Measure, compare, and print one line a figure."""
    path = HERE / "floors.json"
    now: dict[str, Any] = recalls(data / "qa", sets) | names.figures(data)
    floors = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    kept = [name for name in floors if not sets or not name.startswith("R@5") or name.split()[1] in sets]
    failed = 0
    for name in sorted({*kept, *now}):
        fell = name in floors and fallen(name, floors[name], now.get(name))
        failed += fell
        print(f"{'FELL' if fell else 'ok  '}  {name:45} {now.get(name)}  (floor {floors.get(name)})", flush=True)
    if against:
        for line, stands in paired(against, data / "corpora" / "podcast_graphrag" / "corpus.jsonl", runs):
            failed += not stands
            print(f"{'ok  ' if stands else 'FELL'}  {line}", flush=True)
    if record:
        path.write_text(json.dumps(floors | now, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    sys.exit(1 if failed and not record else 0)


if __name__ == "__main__":
    main()
