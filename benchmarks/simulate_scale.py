"""What a text of any size would take on so many machines, from what smaller ones take here.

    python benchmarks/simulate_scale.py scale_eltec_eng/corpus.jsonl [--sizes 1,4,16]

Each size is indexed by two worker processes, in a process of its own. CPU is told by stage, of this process and of its
workers: what workers do is divided by the cores of all machines, what this process does by nothing. Both, and this
process's memory, are taken to grow on as they do between the two largest sizes.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
from indexing import first

from graphrag_lite import pipeline
from graphrag_lite.run import snapshots
from graphrag_lite.run.workers import peak_memory
from graphrag_lite.settings import Settings
from graphrag_lite.watch import Silence

TICKS = os.sysconf("SC_CLK_TCK")
NODES, SIZES = (1, 10, 100), {"1 TB": 1e6, "10 TB": 1e7}  # MB
TABLES = {
    "text_units": "text units",
    "entity_mentions": "mentions",
    "entities": "entities",
    "communities": "communities",
}


@dataclass
class Clock(Silence):
    """Notes the CPU seconds of each stage: of this process, and of its workers."""

    spent: dict[str, tuple[float, float]] = field(default_factory=dict)

    def start(self, stage: str) -> None:
        self.spent[stage] = time.process_time(), of_workers()

    def finish(self, stage: str, *_: object) -> None:
        own, workers = self.spent[stage]
        self.spent[stage] = time.process_time() - own, of_workers() - workers


def of_workers() -> float:
    """Return the CPU seconds of this process's children that run."""
    found = 0.0
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            told = path.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        if int(told[1]) == os.getpid():
            found += (int(told[11]) + int(told[12])) / TICKS
    return found


def run(corpus: Path) -> None:
    """Index a corpus and print what it took, as JSON."""
    clock = Clock()
    with tempfile.TemporaryDirectory() as root:
        made = pipeline.index(corpus, Path(root) / "output", Settings(), workers=2, watch=clock)
        rows = {name: entry["rows"] for name, entry in snapshots.read_manifest(made.snapshot)["tables"].items()}
        size = sum(path.stat().st_size for path in made.snapshot.rglob("*.parquet")) / 1e6
    print(json.dumps({"spent": clock.spent, "rows": rows, "memory": peak_memory() / 1e9, "disk": size}))


@dataclass
class Line:
    """What grows from `low` to `high` between two sizes (MB), at any other size."""

    sizes: tuple[float, float]
    low: float
    high: float

    @property
    def slope(self) -> float:
        return max(self.high - self.low, 0) / (self.sizes[1] - self.sizes[0])

    def at(self, size: float) -> float:
        return self.high + self.slope * (size - self.sizes[1])


@click.command()
@click.argument("corpus", type=click.Path(path_type=Path, exists=True))
@click.option("--sizes", default="1,4,16", show_default=True, help="MB to cut it in.")
@click.option("--cores", default=16, show_default=True, help="Of each machine.")
@click.option("--memory", default=64, show_default=True, help="Of each machine, GB.")
@click.option("--of-one", is_flag=True, hidden=True)
def main(corpus: Path, sizes: str, cores: int, memory: int, of_one: bool) -> None:
    """Print what each size takes by stage, and what larger ones would."""
    if of_one:
        run(corpus)
        return
    asked = [float(size) for size in sizes.split(",")]
    measured = []
    with tempfile.TemporaryDirectory() as folder:
        for size in asked:
            command = [sys.executable, __file__, str(first(corpus, size, Path(folder))), "--of-one"]
            told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            measured.append(json.loads(told.splitlines()[-1]))
    print(f"| CPU s per MB (in workers) | {' | '.join(f'{size:g} MB' for size in asked)} | per million mentions |")
    print(f"| --- |{' --- |' * (len(asked) + 1)}")
    for stage in measured[-1]["spent"]:
        cells = [_cell(told["spent"][stage], size) for told, size in zip(measured, asked, strict=True)]
        millions = measured[-1]["rows"]["entity_mentions"] / 1e6
        print(f"| {stage} | {' | '.join(cells)} | {sum(measured[-1]['spent'][stage]) / millions:,.0f} |")
    for name, shown in TABLES.items():
        print(f"| {shown} | {_row(told['rows'][name] for told in measured)} | |")
    print(f"| memory of this process, MB | {_row(told['memory'] * 1e3 for told in measured)} | |")
    print(f"| tables on disk, MB | {_row(told['disk'] for told in measured)} | |")
    _simulate(measured[-2:], (asked[-2], asked[-1]), cores, memory)


def _row(values: Iterable[float]) -> str:
    return " | ".join(f"{value:,.0f}" for value in values)


def _cell(spent: tuple[float, float], size: float) -> str:
    own, workers = spent
    return f"{(own + workers) / size:.2f} ({workers / size:.2f})"


def _simulate(measured: list[Any], sizes: tuple[float, float], cores: int, memory: int) -> None:
    ends = [told["spent"].values() for told in measured]
    alone, shared = (Line(sizes, *(sum(spent[place] for spent in end) for end in ends)) for place in (0, 1))
    stages = {stage: Line(sizes, *(told["spent"][stage][0] for told in measured)) for stage in measured[-1]["spent"]}
    held = Line(sizes, *(told["memory"] for told in measured))
    machines = " | ".join(f"{n} machine{'s' if n > 1 else ''}" for n in NODES)
    print(f"\n| {cores} cores and {memory} GB each | {machines} | memory of the first | longest on one core |")
    print(f"| --- |{' --- |' * (len(NODES) + 2)}")
    for name, size in SIZES.items():
        hours = [(alone.at(size) + shared.at(size) / (n * cores)) / 3600 for n in NODES]
        longest = sorted(stages, key=lambda stage: -stages[stage].at(size))[:3]
        told = ", ".join(f"{stage} {stages[stage].at(size) / 3600:,.1f} h" for stage in longest)
        print(f"| {name} | {' | '.join(f'{each:,.1f} h' for each in hours)} | {held.at(size):,.0f} GB | {told} |")
    full = sizes[1] + (memory - held.high) / held.slope
    print(
        f"\nThe first machine's memory is full at {full / 1e3:,.1f} GB of text. {shared.slope / alone.slope:.1f} cores"
    )
    print("do what workers do in the time that one takes for the rest: more hardly help.")


if __name__ == "__main__":
    main()
