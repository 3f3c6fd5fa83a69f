"""What the pipeline itself costs around a model's answers: CPU, memory, and how full it keeps the model.

    python benchmarks/model_overhead.py scale_eltec_eng/corpus.jsonl

The model is the stub of the tests, an HTTP server in a process of its own that answers after a fixed latency. Every
figure is of a process of ours, start-up included.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import click

from graphrag_lite.run import snapshots

TESTS = Path(__file__).parents[1] / "tests"
N_DOCUMENTS, CHARACTERS = 54, 8_889  # of each: 480 KB in all
CONCURRENCY = 25
SETTINGS = [
    "method=standard",
    "llm.model=stub",
    f"llm.concurrency={CONCURRENCY}",
    "split_text_units.size=1200",
    "split_text_units.overlap=100",
    "extract_claims.enabled=true",
]


class Took(NamedTuple):
    wall: float
    cpu: float
    peak_mb: float


def cut(corpus: Path, target: Path, n_documents: int) -> Path:
    """Write the beginnings of the corpus's first documents, equally long.

    A line at a time: the peak of memory of a process that this one starts is at least what this one takes.
    """
    with corpus.open(encoding="utf-8") as lines, target.open("w", encoding="utf-8") as cut_lines:
        long = (row for row in map(json.loads, lines) if len(row["text"]) >= CHARACTERS)
        for row in islice(long, n_documents):
            cut_lines.write(json.dumps({**row, "text": row["text"][:CHARACTERS]}) + "\n")
    return target


def run(*arguments: str) -> Took:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-m", "graphrag_lite", *arguments]
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment)
    assert process.stderr
    said = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(arguments)} ended with {os.waitstatus_to_exitcode(status)}:\n{said.decode()}")
    return Took(time.perf_counter() - started, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def measure(corpus: Path, latency: float) -> None:
    """Index, index again, ask: each in a new process, against a stub of this latency (seconds)."""
    server = subprocess.Popen(
        [sys.executable, str(TESTS / "stub_server.py"), "--latency", str(latency), "--reply", "stub_replies:answer"],
        cwd=TESTS,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert server.stdout
        base_url = f"llm.base_url=http://127.0.0.1:{int(server.stdout.readline())}/v1"
        with tempfile.TemporaryDirectory() as root:
            settings = [part for value in [*SETTINGS, base_url] for part in ("--set", value)]
            index = ["index", str(corpus), "--root", root, *settings]
            first = run(*index)
            usage = snapshots.read_manifest(snapshots.current(Path(root) / "output"))["usage"]
            calls = sum(stage["calls"] for stage in usage.values())
            filled = calls * latency / CONCURRENCY / first.wall
            print(f"\nlatency {latency * 1000:.0f} ms: {calls} calls in {first.wall:.1f} s")
            print("  " + ", ".join(f"{name} {stage['calls']}" for name, stage in usage.items()))
            print(f"  CPU {first.cpu:.1f} s, peak memory {first.peak_mb:.0f} MB, model time fills {filled:.0%}")
            again = run(*index)
            print(f"  run with nothing to do: {again.wall:.2f} s")
            for method in ("global", "local"):
                took = run("query", "--method", method, "Who travels, and why?", "--root", root, *settings)
                print(f"  {method} query: {took.wall:.2f} s, CPU {took.cpu:.2f} s, peak memory {took.peak_mb:.0f} MB")
    finally:
        server.terminate()
        server.wait()


@click.command()
@click.argument("corpus", type=click.Path(path_type=Path, exists=True))
@click.option("--latencies", default="0,0.2", show_default=True, help="Seconds that the model takes to answer.")
@click.option("--times", default=1, show_default=True, help=f"Times {N_DOCUMENTS} documents.")
def main(corpus: Path, latencies: str, times: int) -> None:
    """Measure the first documents of a corpus against a stub of each latency."""
    with tempfile.TemporaryDirectory() as folder:
        part = cut(corpus, Path(folder) / "corpus.jsonl", times * N_DOCUMENTS)
        started, total = time.process_time(), 0
        for n in range(30_000_000):
            total += n
        print(f"30 million additions in a loop: {time.process_time() - started:.1f} s")
        for latency in latencies.split(","):
            measure(part, float(latency))


if __name__ == "__main__":
    main()
