"""The table of docs/retrieval.md: `graphrag-lite eval` on every set of a folder, each in a process of its own.

    python benchmarks/retrieval.py FOLDER_OF_SETS [--sets 2wiki --sets musique] [--results FILE]

Recall in %, with 95% intervals at 5; p of the last method against the first (R@5); query times and index time.
"""

import datetime
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import click

CUTS = ("recall@2", "recall@5", "recall@10")


def evaluate(folder: Path, methods: tuple[str, ...]) -> list[dict[str, Any]]:
    """Return the results of a set, one a method, with an index built from nothing."""
    with tempfile.TemporaryDirectory() as root:
        command = [sys.executable, "-m", "graphrag_lite", "eval", str(folder), "--root", root, "--json"]
        chosen = [part for method in methods for part in ("--method", method)]
        done = subprocess.run([*command, *chosen], check=True, stdout=subprocess.PIPE, text=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def figures(result: dict[str, Any]) -> str:
    """Render recall at every cut, with the interval at 5."""
    means = [f"{100 * result['measures'][cut]['mean']:.1f}" for cut in CUTS]
    main = result["measures"]["recall@5"]
    return f"{' / '.join(means)} ({100 * main['low']:.0f}-{100 * main['high']:.0f})"


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, exists=True))
@click.option("--method", "methods", multiple=True, default=("basic", "local"), show_default=True)
@click.option("--sets", multiple=True, help="Only these folders.")
@click.option("--results", type=click.File("w"), help="Keep the results here, for `graphrag-lite eval --against`.")
def main(folder: Path, methods: tuple[str, ...], sets: tuple[str, ...], results: Any) -> None:
    """Evaluate every set and print a table."""
    git = ["git", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty"]
    commit = subprocess.run(git, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    print(f"Run of {datetime.datetime.now(datetime.UTC):%Y-%m-%d}, commit {commit.stdout.strip() or 'not known'}.\n")
    heads = [*(f"{method} R@2 / 5 / 10" for method in methods), "p", "ms p50 / p95", "index s (CPU)"]
    print("| set | questions | " + " | ".join(heads) + " |\n" + "| --- " * (2 + len(heads)) + "|")
    for path in sorted(folder.iterdir()):
        if not (path / "questions.jsonl").exists() or (sets and path.name not in sets):
            continue
        found = evaluate(path, methods)
        last = found[-1]
        if results:
            results.writelines(json.dumps(result) + "\n" for result in found)
        cells = [path.name, str(last["n_questions"]), *map(figures, found)]
        cells.append(f"{last['against_basic']['recall@5']['p']:.4f}" if last["against_basic"] else "")
        cells.append(f"{last['ms']['p50']:.1f} / {last['ms']['p95']:.1f}")
        cells.append(f"{last['index']['seconds']:.1f} ({last['index']['cpu_seconds']:.1f})")
        print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
