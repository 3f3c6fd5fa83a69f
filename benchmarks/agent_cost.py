"""What an agent's looks and its memory cost, CPU in one table: docs/performance.md.

    python benchmarks/agent_cost.py FOLDER

FOLDER holds corpus.jsonl and questions.jsonl. Notes of 30 of its words are imported into one memory; then
one more at a time is kept, and three words of one are searched. `tool` is a process of its own; an MCP server is asked
again and again over its standard input. Questions are asked by the driver without a model, and by a stub that reads
page after page until it has to answer, the most that an agent can cost.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import click
import numpy as np
import question_cost
from stub_model import StubModel  # type: ignore[import-not-found] # question_cost puts the tests on the path

from graphrag_lite import pipeline
from graphrag_lite.memory import transfer
from graphrag_lite.memory.store import Entry, Memory
from graphrag_lite.search.index import Index
from graphrag_lite.settings import Settings

HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "benchmark", "version": "1"}}
COMMAND = [sys.executable, "-m", "graphrag_lite"]


def cpu(work: Callable[..., Any], *arguments: Any) -> float:
    """Return the milliseconds of CPU that work takes in this process."""
    began = time.process_time()
    work(*arguments)
    return 1000 * (time.process_time() - began)


def row(name: str, times: list[float], bar: str) -> None:
    p50, p95 = np.percentile(times, (50, 95))
    print(f"| {name} | {p50:,.1f} | {p95:,.1f} | {bar} |", flush=True)


def notes(folder: Path, n: int, text: str) -> None:
    """Measure a memory of `n` notes of words of a text."""
    chance = np.random.default_rng(0)
    drawn = chance.choice(np.array(text.split()), (n + 200, 30))
    entries = [Entry(" ".join(line), created_at="2024-05-01T00:00:00+00:00").identified() for line in drawn.tolist()]
    source = Memory(folder / "few.sqlite")
    source.add(entries[:1])
    form = json.loads(next(iter(transfer.export_memory(source))))
    path = folder / "notes.jsonl"
    told = ({**form, "id": one.id, "content": one.content, "created_at": one.created_at} for one in entries[:n])
    path.write_text("\n".join(map(json.dumps, told)))
    memory = Memory(folder / "many.sqlite")
    row(f"import of {n:,} notes", [cpu(transfer.import_memory, memory, path)], "30,000")
    row("a note more", [cpu(memory.add, [one]) for one in entries[n:]], "5")
    asked = [" ".join(line[:3]) for line in drawn[chance.integers(0, n, 200)].tolist()]
    row("search of three words", [cpu(memory.search, text) for text in asked], "20")


def commands(root: Path, query: str) -> None:
    """Measure `tool` as a process of its own, and calls of a server."""
    arguments = json.dumps({"query": query})
    spent = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        called = [*COMMAND, "tool", "search_passages", arguments, "--root", str(root)]
        subprocess.run(called, check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent.append(1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime))
    row("`tool search_passages`, a process", spent, "800")
    with subprocess.Popen([*COMMAND, "mcp", "--root", root], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdin
        assert server.stdout

        def ask(number: int, method: str, params: dict[str, Any]) -> None:
            assert server.stdin
            assert server.stdout
            message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            server.stdin.write(f"{json.dumps(message)}\n".encode())
            server.stdin.flush()
            assert b'"result"' in server.stdout.readline()

        ask(0, "initialize", HELLO)
        server.stdin.write(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
        used = []
        for number in range(1, 51):
            before_call = _of_process(server.pid)
            said = {"name": "search_passages", "arguments": {"query": f"{query} {number}"}}
            ask(number, "tools/call", said)
            used.append(_of_process(server.pid) - before_call)
        server.stdin.close()
    row("`tools/call` of a server, the mean of 49 after the first", [float(np.mean(used[1:]))], "30")


def _of_process(pid: int) -> float:
    """Return the milliseconds of CPU that a process has used (Linux)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return 1000 * (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def questions(snapshot: Path, asked: list[str]) -> None:
    """Measure the driver, and count what a model is asked."""
    index = Index(snapshot)
    index.query(asked[0], "agent", retrieve_only=True)  # reads the tables
    for method, bar in (("local", ""), ("agent", "40 / 120")):
        ask = partial(index.query, method=method, retrieve_only=True)
        row(f"a question by {method}, without a model", [cpu(ask, text) for text in asked], bar)
    by_model = Index(snapshot, model=StubModel(question_cost.said))
    usages = [by_model.query(text, "agent").usage or {} for text in asked[:20]]
    calls = [float(usage["calls"] + usage["memo_hits"]) for usage in usages]
    row("calls of a model, a question", calls, "12")
    row("tokens of their prompts", [float(usage["prompt_tokens"]) for usage in usages], "")


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, exists=True))
@click.option("--notes", "n_notes", default=100_000, show_default=True)
@click.option("--limit", default=200, show_default=True, help="Questions.")
def main(folder: Path, n_notes: int, limit: int) -> None:
    """Print the table: milliseconds of CPU, unless the row says what it counts."""
    lines = (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()[:limit]
    asked = [json.loads(line)["question"] for line in lines]
    print("| CPU, ms | p50 | p95 | at most |\n| --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        rows = map(json.loads, (folder / "corpus.jsonl").read_text(encoding="utf-8").splitlines())
        notes(root, n_notes, " ".join(one["text"] for one in rows))
        snapshot = pipeline.index(folder / "corpus.jsonl", root / "output", Settings()).snapshot
        commands(root, asked[0])
        questions(snapshot, asked)


if __name__ == "__main__":
    main()
