"""What the pipeline itself costs around a model's answers: CPU, memory, waiting, and how full it keeps the model.

    python benchmarks/model_overhead.py scale_eltec_eng/corpus.jsonl [--before CHECKOUT]

The model is the stub of the tests, one HTTP server in a process of its own that answers after a fixed latency, and
fails where it is asked for the models `down` and `silent`. Every figure is of a process of ours, start-up included;
with `--before` those of another checkout stand beside it, the two measured in turn.
"""

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import click

from graphrag_lite.run import snapshots

TESTS = Path(__file__).parents[1] / "tests"
N_DOCUMENTS, CHARACTERS = 54, 8_889  # of each: 480 KB in all
CONCURRENCY = 25
SETTINGS = [
    "method=standard",
    f"llm.concurrency={CONCURRENCY}",
    "split_text_units.size=1200",
    "split_text_units.overlap=100",
    "extract_claims.enabled=true",
]
QUESTIONS = {  # by model: the stub's, one whose endpoint answers 503, one that never answers
    "stub": (("--method", "local"), ("--method", "global")),
    "down": (("--method", "local"), ("--method", "global", "--dynamic"), ("--method", "drift")),
    "silent": (("--method", "global", "--dynamic", "--set", "search.timeout=5"),),
}


class Took(NamedTuple):
    wall: float
    cpu: float
    peak_mb: float


class Stub(NamedTuple):
    url: str
    log: Path
    latency: float  # seconds

    def first_request(self, started: float) -> float:
        """Return the seconds from a time to the first request for an answer after it."""
        arrivals = (float(json.loads(line)["at"]) for line in self.log.read_text().splitlines())
        return min(at for at in arrivals if at >= started) - started


def answer(body: Mapping[str, Any]) -> Any:
    """Return the stub's reply, which runs in its process."""
    import stub_replies  # type: ignore[import-not-found]
    from stub_server import Fault  # type: ignore[import-not-found]

    faults = {"down": Fault(status=503), "silent": Fault(hang=True)}
    return faults[body["model"]] if body["model"] in faults else stub_replies.answer(body)


def cut(corpus: Path, target: Path, n_documents: int) -> Path:
    """Write the beginnings of the corpus's first documents, equally long.

    A line at a time: the peak of memory of a process that this one starts is at least what this one takes.
    """
    with corpus.open(encoding="utf-8") as lines, target.open("w", encoding="utf-8") as cut_lines:
        long = (row for row in map(json.loads, lines) if len(row["text"]) >= CHARACTERS)
        for row in islice(long, n_documents):
            cut_lines.write(json.dumps({**row, "text": row["text"][:CHARACTERS]}) + "\n")
    return target


def run(package: Path, *arguments: str, code: int = 0) -> Took:
    """Run a command of a checkout to its end; raises SystemExit where it does not end with this code."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPATH"] = str(package)
    command = [sys.executable, "-P", "-m", "graphrag_lite", *arguments]
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment)
    assert process.stderr
    said = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    if (ended := os.waitstatus_to_exitcode(status)) != code:
        raise SystemExit(f"{' '.join(arguments)} ended with {ended}:\n{said.decode()}")
    return Took(time.perf_counter() - started, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


@contextlib.contextmanager
def serve(latency: float, folder: Path) -> Iterator[Stub]:
    """Serve the stub while the block runs; its log is in the folder."""
    log = folder / "arrivals.jsonl"
    server = subprocess.Popen(
        [
            *(sys.executable, str(TESTS / "stub_server.py"), "--log", str(log)),
            *("--latency", str(latency), "--reply", "model_overhead:answer"),
        ],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), str(TESTS.parent)])},
    )
    try:
        assert server.stdout
        yield Stub(f"http://127.0.0.1:{int(server.stdout.readline())}/v1", log, latency)
    finally:
        server.terminate()
        server.wait()


def measure(corpus: Path, stub: Stub, package: Path) -> dict[str, str]:
    """Index, index again, ask: each in a new process. Return the figures by name."""
    with tempfile.TemporaryDirectory() as root:

        def settings(model: str) -> list[str]:
            stated = [*SETTINGS, f"llm.base_url={stub.url}", f"llm.model={model}"]
            return ["--root", root, *(part for value in stated for part in ("--set", value))]

        index = ["index", str(corpus), *settings("stub")]
        started = time.time()
        first = run(package, *index)
        usage = snapshots.read_manifest(snapshots.current(Path(root) / "output"))["usage"]
        calls = sum(stage["calls"] for stage in usage.values())
        by_stage = ", ".join(f"{name} {stage['calls']:,}" for name, stage in usage.items())
        found = {
            "calls": f"{calls:,}: {by_stage}",
            "wall clock": f"{first.wall:.1f} s",
            "model's time fills": f"{calls * stub.latency / CONCURRENCY / first.wall:.0%}",
            "CPU": f"{first.cpu:.1f} s",
            "peak memory": f"{first.peak_mb:.0f} MB",
            "first request after": f"{stub.first_request(started):.2f} s",
            "nothing to do": _told(run(package, *index)),
        }
        for model, questions in QUESTIONS.items():
            for options in questions:
                asked = ["query", *options, "Who travels, and why?", *settings(model)]
                took = run(package, *asked, code=0 if model == "stub" else 1)
                found[f"query {' '.join(options)}, {model}"] = _told(took)
    return found


def _told(took: Took) -> str:
    return f"{took.wall:.2f} s, CPU {took.cpu:.2f} s, {took.peak_mb:.0f} MB"


@click.command()
@click.argument("corpus", type=click.Path(path_type=Path, exists=True))
@click.option("--latency", default=0.2, show_default=True, help="Seconds that the model takes to answer.")
@click.option("--documents", default="62,496", show_default=True, help="How many: 703 and some 5,800 calls.")
@click.option("--before", type=click.Path(path_type=Path, exists=True), help="Another checkout to measure in turn.")
@click.option("--rounds", default=1, show_default=True, help="How often each is measured.")
def main(corpus: Path, latency: float, documents: str, before: Path | None, rounds: int) -> None:
    """Measure the first documents of a corpus."""
    packages = {"before": before.resolve()} if before else {}
    packages["now"] = TESTS.parent
    with tempfile.TemporaryDirectory() as folder, serve(latency, Path(folder)) as stub:
        started, total = time.process_time(), 0
        for n in range(30_000_000):
            total += n
        print(f"30 million additions in a loop: {time.process_time() - started:.1f} s; a call {latency * 1000:.0f} ms")
        for n_documents in map(int, documents.split(",")):
            part = cut(corpus, Path(folder) / f"corpus{n_documents}.jsonl", n_documents)
            print(f"\n{n_documents} documents", flush=True)
            runs = [(name, measure(part, stub, each)) for _ in range(rounds) for name, each in packages.items()]
            for figure in runs[0][1]:
                for name, found in runs:
                    print(f"  {figure}{f' ({name})' if len(runs) > 1 else ''}: {found[figure]}")


if __name__ == "__main__":
    main()
