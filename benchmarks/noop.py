"""What a run costs that has nothing to do, over a folder of many small files.

    python benchmarks/noop.py podcast_graphrag/corpus.jsonl [--files 100000]

The files are about 300 bytes of the corpus's sentences each, in folders of 100. Every figure is of the whole command
`graphrag-lite index` in a new process, start-up included.
"""

import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import click

from graphrag_lite.run import file_hashes

SIZE = 300  # characters of a file
SENTENCE = re.compile(r"[A-Z][^.?!]{20,200}[.?!]")


def write(corpus: Path, folder: Path, n_files: int) -> None:
    """Write files of sentences drawn at random, the same ones every time."""
    text = " ".join(json.loads(line)["text"] for line in corpus.read_text(encoding="utf-8").splitlines())
    sentences = SENTENCE.findall(text)
    draw = random.Random(1)
    for number in range(n_files):
        target = folder / f"{number // 100:04d}" / f"{number % 100:02d}.txt"
        target.parent.mkdir(parents=True, exist_ok=True)
        said = ""
        while len(said) < SIZE:
            said += draw.choice(sentences) + " "
        target.write_text(said[:SIZE] + "\n", encoding="utf-8")


def index(label: str, folder: Path, root: Path, *options: str) -> None:
    """Run the command, and print what it took and which stages ran."""
    command = [sys.executable, "-m", "graphrag_lite", "index", str(folder), "--root", str(root), "--json", *options]
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdout
    said = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(command)} ended with {os.waitstatus_to_exitcode(status)}")
    seconds, cpu = time.perf_counter() - started, usage.ru_utime + usage.ru_stime
    result = json.loads(said)
    print(
        f"{label:24} {seconds:6.1f} s, CPU {cpu:6.1f} s, peak {usage.ru_maxrss / 1024:5.0f} MB,"
        f" {result['status']}, stages run: {len(result['stages_run'])}",
        flush=True,
    )


@click.command()
@click.argument("corpus", type=click.Path(path_type=Path, exists=True))
@click.option("--files", "n_files", default=100_000, show_default=True)
def main(corpus: Path, n_files: int) -> None:
    """Index a folder of small files, then again unchanged, with --checksum, and with one file edited."""
    with tempfile.TemporaryDirectory() as place:
        folder, root = Path(place) / "corpus", Path(place) / "root"
        root.mkdir()
        write(corpus, folder, n_files)
        print(f"{n_files:,} files")
        time.sleep(2 * file_hashes.TICK / 1e9)  # what is younger is read again in any case
        index("first run", folder, root)
        index("nothing changed", folder, root)
        index("nothing, --checksum", folder, root, "--checksum")
        with (folder / "0000" / "00.txt").open("a", encoding="utf-8") as file:
            file.write("Vera Rubin met Kent Ford in Tucson.\n")
        index("one file edited", folder, root)


if __name__ == "__main__":
    main()
