"""Recall of retrieval on folders of corpus.jsonl and questions.jsonl, through the command line.

    python benchmarks/retrieval.py FOLDER_OF_SETS [--method local --method basic] [--sets 2wiki --sets musique]

Prints recall@2, @5 and @10 of `supporting_ids` (in %, over the questions that have any) for each set and method.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import click

CUTS = (2, 5, 10)


def recall(ranked: list[str], gold: list[str], cut: int) -> float:
    """Return the share of `gold` in the first `cut` of `ranked`."""
    return len(set(ranked[:cut]) & set(gold)) / len(set(gold))


def run(*arguments: str) -> str:
    """Run the command line and return what it prints."""
    command = [sys.executable, "-m", "graphrag_lite", *arguments]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, exists=True))
@click.option("--method", "methods", multiple=True, default=("basic", "local"), show_default=True)
@click.option("--sets", multiple=True, help="Only these folders.")
def main(folder: Path, methods: tuple[str, ...], sets: tuple[str, ...]) -> None:
    """Index every set, answer its questions, print recall."""
    print(f"{'set':22} {'method':7} {'n':>4} " + " ".join(f"R@{cut:<4}" for cut in CUTS) + "  index s  ms/question")
    for path in sorted(folder.iterdir()):
        if not (path / "questions.jsonl").exists() or (sets and path.name not in sets):
            continue
        gold = {
            str(row["id"]): row["supporting_ids"]
            for row in map(json.loads, (path / "questions.jsonl").read_text(encoding="utf-8").splitlines())
        }
        with tempfile.TemporaryDirectory() as root:
            started = time.perf_counter()
            run("index", str(path / "corpus.jsonl"), "--root", root, "--json")
            index_seconds = time.perf_counter() - started
            for method in methods:
                started = time.perf_counter()
                asked = ("--questions", str(path / "questions.jsonl"), "--context-only", "--json")
                answers = run("query", "--root", root, "--method", method, *asked)
                milliseconds = 1000 * (time.perf_counter() - started) / len(gold)
                rows = {str(row["id"]): row["documents"] for row in map(json.loads, answers.splitlines())}
                judged = [(rows[key], ids) for key, ids in gold.items() if ids]
                means = [100 * sum(recall(*pair, cut) for pair in judged) / len(judged) for cut in CUTS]
                figures = " ".join(f"{mean:6.1f}" for mean in means)
                print(
                    f"{path.name:22} {method:7} {len(judged):4} {figures} {index_seconds:8.1f} {milliseconds:11.1f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
