"""Speed and memory of a fast index, by stage, and how both grow with the corpus.

    python benchmarks/indexing.py podcast_graphrag/corpus.jsonl [--grow scale_eltec_eng/corpus.jsonl]

Each run is a process of its own (`--workers 1`), so that CPU seconds and peak memory are the operating system's.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import click

from graphrag_lite.run import snapshots


def measure(corpus: Path) -> None:
    """Index a corpus file in a new process and print what it took."""
    megabytes = sum(len(json.loads(line)["text"].encode()) for line in corpus.open(encoding="utf-8")) / 1e6
    with tempfile.TemporaryDirectory() as root:
        command = [sys.executable, "-m", "graphrag_lite", "index", str(corpus), "--root", root, "--set", "workers=1"]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        if status:
            raise SystemExit(f"{' '.join(command)} ended with {os.waitstatus_to_exitcode(status)}")
        manifest = snapshots.read_manifest(snapshots.current(Path(root) / "output"))
    cpu = usage.ru_utime + usage.ru_stime
    rows = {name: entry["rows"] for name, entry in manifest["tables"].items()}
    print(f"\n{corpus.parent.name}, {megabytes:.2f} MB of text")
    print(f"  CPU {cpu:.1f} s ({megabytes / cpu:.2f} MB/s), peak memory {usage.ru_maxrss / 1024:.0f} MB")
    print(f"  {rows['text_units']} text units, {rows['entities']} entities, {rows['relationships']} relationships")
    for name, stage in manifest["stages"].items():
        print(f"  {name:24} {stage['seconds']:7.2f} s {megabytes / max(stage['seconds'], 1e-3):9.1f} MB/s")


def first(corpus: Path, megabytes: float, folder: Path) -> Path:
    """Write the first documents of a corpus, about so many megabytes, to a file."""
    target = folder / f"{megabytes:g}MB" / "corpus.jsonl"
    target.parent.mkdir()
    size = 0
    with target.open("w", encoding="utf-8") as out:
        for line in corpus.open(encoding="utf-8"):
            if size >= megabytes * 1e6:
                break
            out.write(line)
            size += len(json.loads(line)["text"].encode())
    return target


@click.command()
@click.argument("corpora", nargs=-1, type=click.Path(path_type=Path, exists=True))
@click.option("--grow", type=click.Path(path_type=Path, exists=True), help="A large corpus.jsonl to cut in sizes.")
@click.option("--sizes", default="1,4,16", show_default=True, help="MB to cut it in.")
def main(corpora: tuple[Path, ...], grow: Path | None, sizes: str) -> None:
    """Measure each corpus, then growing parts of a large one."""
    for corpus in corpora:
        measure(corpus)
    if grow is not None:
        with tempfile.TemporaryDirectory() as folder:
            for size in sizes.split(","):
                measure(first(grow, float(size), Path(folder)))


if __name__ == "__main__":
    main()
