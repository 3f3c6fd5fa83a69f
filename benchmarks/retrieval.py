"""The table of docs/retrieval.md: `graphrag-lite eval` on every set of a folder, each in a process of its own.

    python benchmarks/retrieval.py FOLDER_OF_SETS [--sets 2wiki --sets musique] [--results FILE]

Recall in %, with 95% intervals at 5; p of the last method against the first (R@5); query times and index time. A folder
whose folders are sets, each with an index of its own, is one row, over the questions of all of them; the last row has
the means over the sets.
"""

import datetime
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import click
import numpy as np

from graphrag_lite.ops.evaluate import compare, summarize

CUTS = ("recall@2", "recall@5", "recall@10")


def evaluate(folder: Path, methods: tuple[str, ...]) -> list[dict[str, Any]]:
    """Return the results of a set, one a method, with an index built from nothing."""
    with tempfile.TemporaryDirectory() as root:
        command = [sys.executable, "-m", "graphrag_lite", "eval", str(folder), "--root", root, "--json"]
        chosen = [part for method in methods for part in ("--method", method)]
        done = subprocess.run([*command, *chosen], check=True, stdout=subprocess.PIPE, text=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def sets_in(folder: Path) -> list[Path]:
    """Return the folder where it is a set, else the folders in it that are."""
    return [path for path in (folder, *sorted(folder.iterdir())) if (path / "questions.jsonl").exists()]


def joined(results: list[list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """Return the results of several sets as those of one, a method each: measured over the questions of all."""
    whole: list[dict[str, Any]] = []
    for parts in zip(*results, strict=True):
        rows = {(place, row["id"]): row["measures"] for place, part in enumerate(parts) for row in part["questions"]}
        whole.append(
            {
                "n_questions": len(rows),
                "measures": summarize(list(rows.values())),
                "rows": rows,
                "ms": {key: float(np.mean([part["ms"][key] for part in parts])) for key in ("p50", "p95")},
                "index": {key: sum(part["index"][key] for part in parts) for key in ("seconds", "cpu_seconds")},
            }
        )
    return whole


def figures(result: dict[str, Any]) -> str:
    """Render recall at every cut, with the interval at 5."""
    main = result["measures"]["recall@5"]
    return f"{means([result])} ({100 * main['low']:.0f}-{100 * main['high']:.0f})"


def means(results: list[dict[str, Any]]) -> str:
    """Render recall at every cut, the mean over sets."""
    return " / ".join(f"{100 * np.mean([one['measures'][cut]['mean'] for one in results]):.1f}" for cut in CUTS)


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
    rows: list[list[dict[str, Any]]] = []
    for path in sorted(folder.iterdir()):
        if not path.is_dir() or not (parts := sets_in(path)) or (sets and path.name not in sets):
            continue
        of_parts = [evaluate(part, methods) for part in parts]
        if results:
            results.writelines(json.dumps(result) + "\n" for found in of_parts for result in found)
        found = joined(of_parts)
        rows.append(found)
        last = found[-1]
        cells = [path.name, str(last["n_questions"]), *map(figures, found)]
        cells.append(f"{compare(last['rows'], found[0]['rows'])['recall@5']['p']:.4f}" if len(found) > 1 else "")
        cells.append(f"{last['ms']['p50']:.1f} / {last['ms']['p95']:.1f}")
        cells.append(f"{last['index']['seconds']:.1f} ({last['index']['cpu_seconds']:.1f})")
        print(f"| {' | '.join(cells)} |", flush=True)
    if rows:
        print(
            f"| mean of {len(rows)} sets | | "
            + " | ".join(means(list(one)) for one in zip(*rows, strict=True))
            + " | | | |"
        )


if __name__ == "__main__":
    main()
