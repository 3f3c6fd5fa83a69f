"""The table of docs/agent.md: the embedded agent beside local search and BM25, on every set of a folder.

    python benchmarks/agent.py FOLDER_OF_SETS [--sets 2wiki --sets musique]

Evidence: the share of the supporting documents that have a passage among the best ones, as many as fit 1,600 and 7,000
tokens whole. Recall of documents at 5 and 10, how often all are among the first 5, steps and tokens read, milliseconds
of CPU. A folder of folders is one set; questions of the types --without are left out of its evidence.
"""

import json
import tempfile
import time
from collections import defaultdict
from pathlib import Path

import click
import numpy as np
import reading
import retrieval

from graphrag_lite.search.index import Index

METHODS = ("basic", "local", "agent")
BUDGETS = (1600, 7000)
DEPTH = 200  # documents, and text units, that are ranked


def evidence(index: Index, text_units: list[str], gold: set[str], budget: int) -> float:
    """Return the share of `gold` that has a text unit among the first ones that fit a budget of tokens."""
    documents, tokens = index.column("documents", "source_id"), index.column("text_units", "n_tokens")
    found: set[str] = set()
    for name in text_units:
        unit = index.unit_row[name]
        budget -= tokens[unit].as_py()
        if budget < 0:
            break
        found.add(documents[index.document_row[unit]].as_py())
    return len(gold & found) / len(gold)


def measured(folder: Path, without: tuple[str, ...]) -> dict[tuple[str, str], list[list[float]]]:
    """Return the figures of each question with supporting documents, by method and type."""
    found: dict[tuple[str, str], list[list[float]]] = defaultdict(list)
    rows = [json.loads(line) for line in (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
    with tempfile.TemporaryDirectory() as root:
        index = reading.opened(folder / "corpus.jsonl", root)
        for row in (row for row in rows if row["supporting_ids"]):
            gold = set(row["supporting_ids"])
            for method in METHODS:
                asked = {"method": method, "retrieve_only": True, "as_of": row.get("question_date")}
                started = time.process_time()
                answer = index.query(row["question"], **asked)
                spent = 1000 * (time.process_time() - started)
                deep = index.query(row["question"], top_k=DEPTH, **asked)
                within = [evidence(index, deep.text_units, gold, budget) for budget in BUDGETS]
                within = [np.nan] * len(BUDGETS) if row.get("type") in without else within
                recalls = [len(gold & set(answer.documents[:cut])) / len(gold) for cut in (5, 10)]
                looks = [len(answer.steps), answer.steps[-1]["in_use"] if answer.steps else 0]
                found[method, row.get("type") or ""].append([*within, *recalls, recalls[0] == 1, *looks, spent])
    return found


def line(name: str, method: str, rows: list[list[float]]) -> str:
    """Render the figures of a method."""
    known = [[value for value in column if not np.isnan(value)] for column in zip(*rows, strict=True)]
    *shares, steps, tokens, _ = (float(np.mean(column)) if column else np.nan for column in known)
    p50, p95 = np.percentile([row[-1] for row in rows], (50, 95))
    cells = [name, method, str(len(rows)), *(f"{100 * share:.1f}" for share in shares)]
    return f"| {' | '.join([*cells, f'{steps:.1f} / {tokens:,.0f}', f'{p50:.0f} / {p95:.0f}'])} |"


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, exists=True))
@click.option("--sets", multiple=True, help="Only these folders.")
@click.option("--without", multiple=True, help="Types of questions that are left out of evidence.")
@click.option("--types", is_flag=True, help="A row for each type of questions, too.")
def main(folder: Path, sets: tuple[str, ...], without: tuple[str, ...], *, types: bool) -> None:
    """Print a line a set and method."""
    heads = ["set", "method", "questions", *(f"evidence {budget:,}" for budget in BUDGETS), "R@5", "R@10", "all@5"]
    print(f"| {' | '.join([*heads, 'steps / tokens', 'ms p50 / p95'])} |\n{'| --- ' * (len(heads) + 2)}|")
    for path in sorted(folder.iterdir()):
        if not path.is_dir() or not (parts := retrieval.sets_in(path)) or (sets and path.name not in sets):
            continue
        found: dict[tuple[str, str], list[list[float]]] = defaultdict(list)
        for part in parts:
            for key, rows in measured(part, without).items():
                found[key] += rows
        for method in METHODS:
            print(line(path.name, method, [row for key, rows in found.items() if key[0] == method for row in rows]))
            for kind in sorted({kind for _, kind in found if kind}) if types else ():
                print(line(f"  {kind}", method, found[method, kind]), flush=True)


if __name__ == "__main__":
    main()
