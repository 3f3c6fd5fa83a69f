"""What the model path makes of gold facts: TimeQA's annotations through `method: standard`, by an oracle behind HTTP.

    python benchmarks/oracle.py ../shared/data/qa/timeqa

The oracle extracts from each paragraph the facts that TimeQA annotates there, and judges pairs by their gold times.
With ends told and with ends hidden: how often is what held at the beginning of a fact exactly what gold says? Then it
lies: everything is over, pairs that nobody asked about, too, and ends before it began. Does anything unrelated end?
"""

import json
import os
import re
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

import click

import graphrag_lite
from graphrag_lite.errors import InputError

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from gold_oracle import Fact, oracle, wrong  # type: ignore[import-not-found]
from stub_server import StubServer  # type: ignore[import-not-found]

PERIOD = re.compile(r"((?:[A-Za-z]{3,9} )?\d{4}) (?:to|and) ((?:[A-Za-z]{3,9} )?\d{4})")
MONTHS = {name: n for n, name in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), start=1)}
SETTINGS = ("method=standard", "llm.model=stub", "split_text_units.size=4000", "extract_graph.max_gleanings=0")
LATER = "2030"


def iso(said: str) -> str:
    """Return "Jun 1881" in ISO 8601."""
    month = MONTHS.get(said[:3].casefold())
    return f"{said[-4:]}-{month:02}" if month else said[-4:]


def gold(folder: Path) -> tuple[list[dict[str, Any]], dict[str, list[Fact]]]:
    """Return the documents that answer questions with a period, and the facts of each text."""
    corpus = {row["id"]: row for row in _rows(folder / "corpus.jsonl")}
    facts: dict[str, list[Fact]] = defaultdict(list)
    used: dict[str, None] = {}
    for row in _rows(folder / "questions.jsonl"):
        if not (found := PERIOD.search(row["question"])):
            continue
        relation = "PROPERTY_" + "".join(chr(ord("A") + int(digit)) for digit in row["property"][1:])
        start, end = map(iso, found.groups())
        for identity in row["supporting_ids"]:
            used[identity] = None
            facts[corpus[identity]["text"].strip()] += [
                Fact(row["page"].replace("_", " "), relation, answer, start, end) for answer in row["answers"]
            ]
    return [corpus[identity] for identity in used], facts


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def indexed(
    root: Path, documents: list[dict[str, Any]], facts: dict[str, list[Fact]], **how: bool
) -> tuple[list[dict[str, Any]], dict[str, int]]:
    """Index documents by the oracle, and return the facts of the index and what the endpoint was asked."""
    (root / "corpus").mkdir(exist_ok=True)
    (root / "corpus" / "c.jsonl").write_text("".join(json.dumps(row) + "\n" for row in documents), encoding="utf-8")
    with StubServer(oracle(facts, **how), keep=False) as server:
        overrides = [*SETTINGS, f"llm.base_url={server.url}"]
        index = graphrag_lite.index(root / "corpus", root, overrides=overrides)
        return index.arrow("facts").to_pylist(), server.stats


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, exists=True))
def main(folder: Path) -> None:
    """Measure the oracle that says the truth, then the one that lies."""
    os.environ.setdefault("OPENAI_API_KEY", "none")
    documents, facts = gold(folder)
    every = [fact for listed in facts.values() for fact in listed]
    print(f"{len(documents)} paragraphs, {len(every)} gold facts\n\n| ends | exact | calls |\n" + "| --- " * 3 + "|")
    for ends in (True, False):
        with tempfile.TemporaryDirectory() as name:
            found, stats = indexed(Path(name), documents, facts, ends=ends)
        missed, n_facts = wrong(found, every, ends=ends), len(set(every))
        said = "told" if ends else "hidden"
        print(f"| {said} | {n_facts - len(missed)} of {n_facts} | {stats['requests']} |", flush=True)
        for fact, held, right in missed:
            print(f"  {fact}: told {sorted(held)}, gold {sorted(right)}")
    with tempfile.TemporaryDirectory() as name:
        lie(Path(name), documents, facts, every)


def lie(root: Path, documents: list[dict[str, Any]], facts: dict[str, list[Fact]], every: list[Fact]) -> None:
    """Index what is true, then new documents that contradict 60% of it, then ten of these, and print what ends."""
    indexed(root, documents, facts)
    new = {
        f"Much later it was otherwise with {n}.": [fact._replace(object=f"Nobody {n}", start=LATER, end="")]
        for n, fact in enumerate(every[: 6 * len(every) // 10])
    }
    more = [{"id": f"later {n}", "title": "", "text": text} for n, text in enumerate(new)]
    before = (root / "output" / "current").read_text()
    try:
        indexed(root, documents + more, facts | new, lies=True)
        print("\nA lying oracle was published.")
    except InputError as error:
        same = (root / "output" / "current").read_text() == before
        print(f"\nA lying oracle; the index is as it was: {same}. {error}")
    ten = list(new.items())[:10]
    found, _ = indexed(root, documents + more[:10], facts | dict(ten), lies=True)
    groups = {(fact.subject, fact.relation) for _, listed in ten for fact in listed}
    over = {
        (row["subject"], row["relation"])
        for row in found
        if row["ended_by"] == "succeeded" and row["invalid_at"] >= "2029"
    }
    print(f"Ten lies end facts of {len(over)} subjects and relations, {len(over - groups)} of which are not theirs.")


if __name__ == "__main__":
    main()
