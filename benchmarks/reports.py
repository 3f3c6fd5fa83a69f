"""Community reports to read: some of each index at random, the same ones each time, on one Markdown page.

    python benchmarks/reports.py ROOT... [--n 20] [--seed 1] [--relationships]

ROOT holds an index. `--relationships` writes relationships in the place of reports: the label, and the sentence.
"""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

import graphrag_lite


def reports(rows: list[dict[str, Any]]) -> Iterator[str]:
    """Yield reports as Markdown."""
    for row in rows:
        head = f"level {row['level']}, {row['size']} entities, rank {row['rank']}, period {row['period'] or 'none'}"
        yield f"\n### {row['community']}: {head}\n\n{row['full_content']}"


def relationships(rows: list[dict[str, Any]]) -> Iterator[str]:
    """Yield relationships, each with its label and its sentence."""
    for row in rows:
        yield f"- **{row['source']}** {row['relation'] or '–'} **{row['target']}**: {row['description']}"


@click.command()
@click.argument("roots", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True))
@click.option("--n", default=20, show_default=True)
@click.option("--seed", default=1, show_default=True)
@click.option("--relationships", "related", is_flag=True)
def main(roots: tuple[Path, ...], n: int, seed: int, related: bool) -> None:
    """Write the page to standard output."""
    for root in roots:
        index = graphrag_lite.open(root / "output")
        rows = index.arrow("relationships" if related else "community_reports").to_pylist()
        chosen = sorted(random.Random(seed).sample(range(len(rows)), min(n, len(rows))))
        print(f"\n## {root.name}: {len(chosen)} of {len(rows)}\n")
        print("\n".join((relationships if related else reports)([rows[i] for i in chosen])))


if __name__ == "__main__":
    main()
