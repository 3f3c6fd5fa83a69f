"""Retrieval over what a real model extracted: the entities and triples of an open information extraction.

    python benchmarks/openie.py FOLDER [--method local --method basic]

FOLDER holds corpus.jsonl and questions.jsonl, entities.jsonl ({doc_id, name}) and relations.jsonl ({doc_id, head,
relation, tail}). They take the place of the model's replies in method standard, which is otherwise as it is; the other
replies are a stand-in's. Prints recall of the supporting documents.
"""

import json
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import plausible_model
from plausible_model import PlausibleModel

import graphrag_lite
from graphrag_lite.ops.evaluate import CUTS, measure, read_questions, summarize

END = "\n##\n"


def rows(path: Path) -> Iterator[dict[str, Any]]:
    return map(json.loads, path.read_text(encoding="utf-8").splitlines())


def replies(folder: Path) -> dict[str, str]:
    """Return the reply to the extraction of each text: what was extracted from it, as records."""
    records = defaultdict(list)
    for row in rows(folder / "entities.jsonl"):
        records[row["doc_id"]].append(f'("entity"<|>{row["name"]}<|>concept<|>)')
    for row in rows(folder / "relations.jsonl"):
        head, relation, tail = (row[name] for name in ("head", "relation", "tail"))
        said = f"{head} {relation} {tail}"
        records[row["doc_id"]].append(f'("relationship"<|>{head}<|>{tail}<|>{relation}<|>{said}<|>5<|><|>)')
    return {
        row["text"].strip(): END.join([*records[row["id"]], "<|COMPLETE|>"]) for row in rows(folder / "corpus.jsonl")
    }


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, exists=True))
@click.option("--method", "methods", multiple=True, default=("basic", "local"), show_default=True)
def main(folder: Path, methods: tuple[str, ...]) -> None:
    """Index the corpus with the extraction, and measure recall."""
    known = replies(folder)
    plausible_model.REPLIES |= {
        "extract_graph.md": lambda fields: known.get(fields["text"].strip(), "<|COMPLETE|>"),
        "extract_graph_missed.md": lambda _: "No",
        "resolve_entities.md": lambda _: '{"same": []}',  # whether names are one is left to the names
    }
    asked = [q for q in read_questions((folder / "questions.jsonl").read_text(encoding="utf-8"), folder.name) if q.gold]
    settings = ("method=standard", "llm.model=openie", "extract_graph.entity_types=[concept]")
    print("| method | " + " | ".join(f"R@{cut}" for cut in CUTS) + " |\n| --- | " + "--- | " * len(CUTS))
    with tempfile.TemporaryDirectory() as root:
        index = graphrag_lite.index(folder / "corpus.jsonl", root, overrides=settings, model=PlausibleModel())
        for method in methods:
            answers = [index.query(q.question, method, retrieve_only=True) for q in asked]
            found = summarize([measure(q, answer.documents) for q, answer in zip(asked, answers, strict=True)])
            means = " | ".join(f"{100 * found[f'recall@{cut}']['mean']:.1f}" for cut in CUTS)
            print(f"| {method} | {means} |", flush=True)


if __name__ == "__main__":
    main()
