"""What the edit of one file costs beside a first run, in CPU seconds by stage.

    python benchmarks/edit_cost.py podcast_graphrag/corpus.jsonl [--files 1000] [--size 4000] [--edited 10]

A document of the corpus is a file; with --files, files of --size characters are cut from all texts, one after the
other, again from the beginning where they do not suffice. One sentence is put into the middle of a file in the middle,
or of --edited files, evenly apart.
Each run is a process of its own, in which the stages' CPU is that of all threads; start-up is in the sum, without
compiling modules, as pip has done that where the package is installed.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from itertools import cycle
from pathlib import Path

import click

SENTENCE = "\nVera Rubin met Kent Ford in Tucson in 1965.\n"
OUTSIDE = "imports, scan, publishing"


class Cpu:
    """A watch that keeps the CPU seconds of each stage."""

    def __init__(self) -> None:
        self.stages: dict[str, float] = {}
        self._started = 0.0

    def start(self, _stage: str) -> None:
        self._started = time.process_time()

    def finish(self, stage: str, _seconds: float, _rows: Mapping[str, int], _reused: bool) -> None:
        self.stages[stage] = time.process_time() - self._started

    def advance(self, _done: int, _total: int) -> None: ...
    def spend(self, _usage: Mapping[str, object]) -> None: ...


def texts(corpus: Path, n_files: int, size: int) -> Iterator[str]:
    """Yield the texts of the files."""
    found = [json.loads(line)["text"] for line in corpus.read_text(encoding="utf-8").splitlines()]
    if not n_files:
        yield from found
        return
    cuts = (text[start : start + size] for text in cycle(found) for start in range(0, len(text), size))
    yield from (next(cuts) for _ in range(n_files))


def measured(folder: Path, root: Path) -> dict[str, float]:
    """Index a folder in a new process, and return what that took by stage."""
    command = [sys.executable, __file__, "--run", str(folder), "--root", str(root)]
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(folder.parent / "bytecode")}
    said = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True, env=environment
    ).stdout
    return dict(json.loads(said))


def run(folder: Path, root: Path) -> None:
    """Index a folder in this process, as the command line does, and print what that took."""
    from graphrag_lite import pipeline
    from graphrag_lite.cli.indexing import spare_memory
    from graphrag_lite.settings import Settings

    spare_memory()
    watch = Cpu()
    pipeline.index(folder, root / "output", Settings(), watch=watch)
    print(json.dumps(watch.stages | {OUTSIDE: time.process_time() - sum(watch.stages.values())}))


def written_again(snapshots: Path) -> str:
    """Say how many bytes of the second snapshot's tables are no links to files of the first."""
    there: set[int] = set()
    n_bytes = n_new = 0
    for snapshot in sorted(snapshots.iterdir()):
        told = [
            path.stat() for path in snapshot.rglob("*.*") if path.suffix in (".parquet", ".arrow") and path.is_file()
        ]
        n_bytes, n_new = (
            sum(each.st_size for each in told),
            sum(each.st_size for each in told if each.st_ino not in there),
        )
        there = {each.st_ino for each in told}
    return f"{n_new:,} of {n_bytes:,} bytes of tables are written again ({n_new / n_bytes:.0%})\n"


@click.command()
@click.argument("corpus", type=click.Path(path_type=Path), required=False)
@click.option("--files", "n_files", default=0, help="So many files of --size characters.")
@click.option("--size", default=4000, show_default=True)
@click.option("--edited", "n_edited", default=1, show_default=True, help="So many files are edited.")
@click.option("--run", "folder", type=click.Path(path_type=Path), hidden=True)
@click.option("--root", type=click.Path(path_type=Path), hidden=True)
def main(corpus: Path, n_files: int, size: int, n_edited: int, folder: Path | None, root: Path | None) -> None:
    """Print a table: CPU seconds of a first run and of one with one file edited."""
    if folder and root:
        run(folder, root)
        return
    with tempfile.TemporaryDirectory() as place:
        files = []
        for number, text in enumerate(texts(corpus, n_files, size)):
            files.append(Path(place) / "corpus" / f"{number // 100:04}" / f"{number % 100:02}.txt")
            files[-1].parent.mkdir(parents=True, exist_ok=True)
            files[-1].write_text(text, encoding="utf-8")
        (Path(place) / "few").mkdir()
        (Path(place) / "few" / "one.txt").write_text(SENTENCE * 9, encoding="utf-8")
        measured(Path(place) / "few", Path(place) / "compiles")
        first = measured(Path(place) / "corpus", Path(place))
        for number in range(n_edited):
            edited = files[(2 * number + 1) * len(files) // (2 * n_edited)]
            text = edited.read_text(encoding="utf-8")
            edited.write_text(text[: len(text) // 2] + SENTENCE + text[len(text) // 2 :], encoding="utf-8")
        again = measured(Path(place) / "corpus", Path(place))
        print(written_again(Path(place) / "output" / "snapshots"))
    print(f"{len(files):,} files\n\n| CPU s | first | {n_edited} edited | share |\n| --- | --- | --- | --- |")
    for name, before, after in [
        *((name, first[name], again[name]) for name in first),
        ("all", sum(first.values()), sum(again.values())),
    ]:
        print(f"| {name} | {before:.2f} | {after:.2f} | {after / before:.0%} |")


if __name__ == "__main__":
    main()
