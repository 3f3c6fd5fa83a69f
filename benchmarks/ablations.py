"""What each part of the ranking is worth: recall@5 of local search without it, on every set of a folder.

    python benchmarks/ablations.py FOLDER_OF_SETS [--sets 2wiki --sets musique] [--vary "hop=1.5"]

A part is left out by setting its weight in `retrieval.ranking.Policy` to 0; `--vary` sets one to another value, to see
how flat it is. "date" leaves out the day that a question is asked as of, "alias" the joining of short names to long
ones. In brackets: of how many questions the newest document is above all that it supersedes.
"""

import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import click
import numpy as np

from graphrag_lite import pipeline
from graphrag_lite.ops import evaluate
from graphrag_lite.retrieval.ranking import Policy
from graphrag_lite.search.index import Index
from graphrag_lite.settings import ResolveEntities, Settings

POLICY = "graphrag_lite.retrieval.ranking.Policy"
PARTS = (
    *("naming", "hop", "joining", "dating", "spreading", "discount", "stating", "fading"),
    "newest_depth",  # what is newer before what it supersedes
)


def recalls(index: Index, questions: list[evaluate.JudgedQuestion], *, dated: bool = True) -> str:
    """Return the mean recall@5 in %, and how often the newest is first."""
    measured = []
    for asked in questions:
        as_of = asked.as_of if dated else None
        found = index.query(asked.question, "local", top_k=evaluate.DEPTH, retrieve_only=True, as_of=as_of)
        measured.append(evaluate.measure(asked, found.documents))
    newest = [row[evaluate.NEWEST] for row in measured if evaluate.NEWEST in row]
    mean = f"{100 * np.mean([row['recall@5'] for row in measured]):.1f}"
    return f"{mean} ({sum(newest):.0f})" if newest else mean


def ablate(folder: Path, variants: list[dict[str, Any]]) -> Iterator[str]:
    """Yield recall with everything, without each part, then with each variant of the policy."""
    text = (folder / "questions.jsonl").read_text(encoding="utf-8")
    questions = [question for question in evaluate.read_questions(text, folder.name) if question.gold]
    with tempfile.TemporaryDirectory() as root:

        def index(name: str, settings: Settings) -> Index:
            return Index(
                pipeline.index(folder / "corpus.jsonl", Path(root, name), settings, workers=2).snapshot, settings
            )

        whole = index("output", Settings())
        yield recalls(whole, questions)
        for changes in variants:
            with mock.patch(POLICY, partial(Policy, **changes)):
                yield recalls(whole, questions)
        yield recalls(whole, questions, dated=False)
        yield recalls(index("apart", Settings(resolve_entities=ResolveEntities(alias=False))), questions)


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, exists=True))
@click.option("--sets", multiple=True, help="Only these folders.")
@click.option("--vary", multiple=True, metavar="PART=VALUE", help="Another value of a weight.")
def main(folder: Path, sets: tuple[str, ...], vary: tuple[str, ...]) -> None:
    """Print a table, a column a set."""
    chosen = [path for path in sorted(folder.iterdir()) if (path / "questions.jsonl").exists()]
    chosen = [path for path in chosen if not sets or path.name in sets]
    types = {name: type(getattr(Policy(), name)) for name in Policy.__dataclass_fields__}
    pairs = [value.partition("=") for value in vary]
    variants = [{part: types[part](0)} for part in PARTS] + [{name: types[name](value)} for name, _, value in pairs]
    heads = ["everything", *(f"without {part}" for part in PARTS), *vary, "without date", "without alias"]
    columns = [list(ablate(path, variants)) for path in chosen]
    print("| | " + " | ".join(path.name for path in chosen) + " |\n" + "| --- " * (1 + len(chosen)) + "|")
    for row in zip(heads, *columns, strict=True):
        print(f"| {' | '.join(row)} |")


if __name__ == "__main__":
    main()
