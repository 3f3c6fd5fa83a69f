"""How well names are found and typed: the floors that a change of the extractor must not fall below.

    python benchmarks/names.py DATA_FOLDER

indexes the development documents of Re-DocRED and LitBank by the default method and prints precision, recall and F1 of
their entities, by name and by name with type. An entity of a document is found if one of its gold names is one of the
names that the index has for an entity there; dates and numbers are not entities, LitBank's common nouns neither.
For Chinese and Japanese it prints the share of gold answers that are names of a passage supporting them, and how
many mentions of names all passages have, so that naming everything does not pay. Answers longer than ten characters
or with numerals are phrases and figures, and are not counted.
"""

import argparse
import json
import re
import tempfile
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from graphrag_lite import pipeline
from graphrag_lite.settings import Settings
from graphrag_lite.text.names.find import find_names

TYPES = {
    "PER": ("person",),
    "ORG": ("organization",),
    **dict.fromkeys(("LOC", "GPE", "FAC"), ("location",)),
    **dict.fromkeys(("MISC", "VEH"), ("event", "work", "concept", "product", "law", "language")),
}
SETS = ("redocred", "litbank")
CASELESS = {"cmrc2018_zh": "zh", "drcd_zhtw": "zh", "jsquad_ja": "ja"}
MAX_ANSWER = 10  # characters
_NUMERAL = re.compile("[0-9０-９一二三四五六七八九十]")

Entity = tuple[frozenset[str], str]  # its names, its type
Entities = dict[str, list[Entity]]  # by document


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    print("| entities of | precision | recall | F1 | with type | F1 |\n" + "| --- " * 6 + "|")
    for name in SETS:
        plain, typed = entity_scores(folder, name)
        print("| {} | {:.4f} | {:.4f} | {:.4f} | {:.4f}, {:.4f} | {:.4f} |".format(name, *plain, *typed), flush=True)
    print("\n| passages | short answers | are names | mentions |\n" + "| --- " * 4 + "|")
    for name, language in CASELESS.items():
        n, named, mentions = _answers(folder / "qa" / name, language)
        print(f"| {name} | {n} | {named / n:.3f} | {mentions} |", flush=True)


def figures(folder: Path) -> dict[str, float]:
    """Return the floors by name: F1 of names, F1 with types, shares of answers that are names, and mentions."""
    found: dict[str, float] = {}
    for name in SETS:
        plain, typed = entity_scores(folder, name)
        found |= {f"F1 {name} names": round(plain[2], 4), f"F1 {name} names and types": round(typed[2], 4)}
    for name, language in CASELESS.items():
        n, named, mentions = _answers(folder / "qa" / name, language)
        found |= {f"answers {name} that are names": round(named / n, 4), f"names {name} mentions": mentions}
    return found


def entity_scores(folder: Path, name: str) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
    """Return (precision, recall, F1) of the entities of a set by name, and by name with type."""
    gold, found = _gold(folder / "extraction" / name), _found(folder / "extraction" / name / "corpus.jsonl")
    return _score(gold, found, typed=False), _score(gold, found, typed=True)


def _gold(folder: Path) -> Entities:
    gold: Entities = {}
    for row in _lines(folder / "entities.jsonl"):
        if row["type"] in TYPES and row.get("proper", True):
            names = frozenset(map(_folded, [row["name"], *row["aliases"]]))
            gold.setdefault(row["doc_id"], []).append((names, row["type"]))
    return gold


def _found(corpus: Path) -> Entities:
    """Index `corpus` and return what its text has of each entity; names of titles alone are not in the gold."""
    with tempfile.TemporaryDirectory() as output:
        snapshot = pipeline.index(corpus, Path(output), Settings()).snapshot
        tables = [_rows(snapshot, name) for name in ("documents", "entity_resolutions", "entity_mentions")]
    ids = {row["id"]: row["source_id"] for row in tables[0]}
    resolved = {(row["document_id"], row["name"]): row for row in tables[1]}
    names: dict[tuple[str, str], set[str]] = {}
    types = {}
    for mention in tables[2]:
        # a decision without a document is for all that have none of their own
        keys = [(document, mention["name"]) for document in (mention["document_id"], "")]
        entity = next(resolved[key] for key in keys if key in resolved)
        if entity["entity_id"] and mention["mention_start"] >= 0:
            key = (ids[mention["document_id"]], entity["entity_id"])
            names.setdefault(key, set()).add(_folded(mention["name"]))
            types[key] = entity["type"]
    found: Entities = {}
    for key in names:
        found.setdefault(key[0], []).append((frozenset(names[key]), types[key]))
    return found


def _score(gold: Entities, found: Entities, *, typed: bool) -> tuple[float, float, float]:
    def same(wanted: Entity, given: Entity) -> bool:
        return not wanted[0].isdisjoint(given[0]) and (not typed or given[1] in TYPES[wanted[1]])

    right = sum(any(same(g, f) for g in gold.get(document, [])) for document in found for f in found[document])
    recalled = sum(any(same(g, f) for f in found.get(document, [])) for document in gold for g in gold[document])
    precision = right / sum(map(len, found.values()))
    recall = recalled / sum(map(len, gold.values()))
    return precision, recall, 2 * precision * recall / (precision + recall)


def _answers(folder: Path, language: str) -> tuple[int, int, int]:
    passages = {
        row["id"]: [n.name for n in find_names(row["text"], language)] for row in _lines(folder / "corpus.jsonl")
    }
    n = named = 0
    for question in _lines(folder / "questions.jsonl"):
        answers = {a for a in question["answers"] if len(a) <= MAX_ANSWER and not _NUMERAL.search(a)}
        n += bool(answers)
        named += not answers.isdisjoint(chain.from_iterable(passages[i] for i in question["supporting_ids"]))
    return n, named, sum(map(len, passages.values()))


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    return map(json.loads, path.read_text(encoding="utf-8").splitlines())


def _rows(snapshot: Path, name: str) -> list[dict[str, Any]]:
    path = snapshot / f"{name}.parquet"
    rows: list[dict[str, Any]] = pq.read_table(path if path.exists() else snapshot / "work" / path.name).to_pylist()
    return rows


def _folded(name: str) -> str:
    """Fold case, the spaces that tokenisation left, and a leading article."""
    return re.sub(r"^the |\s", "", name.casefold())


if __name__ == "__main__":
    main()
