"""Names of gold annotations through a model that extracts exactly them: no relation is lost, and no types are joined.

The model lists each entity of a text unit once, by the longest name of it there, and the gold relations of the entities.
"""

import asyncio
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from stub_model import StubModel, stage_model

from graphrag_lite import prompts, tables
from graphrag_lite.settings import ExtractGraph, ResolveEntities, SplitTextUnits
from graphrag_lite.stages.extract_graph import extract_graph
from graphrag_lite.stages.resolve_entities import resolve_entities
from graphrag_lite.stages.split_text_units import split_text_units

LONGEST = 60  # characters of a name; longer ones are sentences about somebody
TYPES = {"PER": "person", "ORG": "organization", "LOC": "location", "GPE": "location", "FAC": "location"}


class Gold(NamedTuple):
    """An entity of a document: its first name is what relations call it."""

    names: tuple[str, ...]
    type: str


class Scores(NamedTuple):
    """What came of it: relations whose ends are one, and pairs of names without a common type that are.

    `joined` of `several`: entities that units name in several ways, and that are one.
    """

    lost: list[tuple[str, ...]]
    crossed: list[tuple[str, ...]]
    joined: int
    several: int


def rows(path: Path) -> Iterator[dict[str, Any]]:
    return map(json.loads, path.read_text(encoding="utf-8").splitlines())


def scores(folder: Path, size: int) -> Scores:
    gold: dict[str, list[Gold]] = defaultdict(list)
    for row in rows(folder / "entities.jsonl"):
        if row["type"] not in ("TIME", "NUM") and row.get("proper", True):
            names = tuple(
                name for name in (row["name"], *row["aliases"]) if name != name.lower() and len(name) <= LONGEST
            )
            if names:
                gold[row["doc_id"]].append(Gold(names, TYPES.get(row["type"], "work")))
    stated = defaultdict(list)
    for row in rows(folder / "relations.jsonl"):
        stated[row["doc_id"]].append((row["head"], row["relation"], row["tail"]))
    texts = {row["id"]: row["text"] for row in rows(folder / "corpus.jsonl")}
    columns = tables.schema("source_documents").names
    documents = tables.make(
        "source_documents",
        [{**dict.fromkeys(columns, ""), "id": i, "text": text, "language": "en"} for i, text in texts.items()],
    )
    units = asyncio.run(split_text_units(documents, SplitTextUnits(size=size, overlap=0), each=map))
    said = {}
    named: dict[tuple[str, Gold], set[str]] = defaultdict(set)  # by which names units call an entity of a document
    for document, text in zip(*(units[name].to_pylist() for name in ("document_id", "text")), strict=True):
        here = {}
        for one in gold[document]:
            found = [name for name in one.names if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text)]
            if found:
                here[one.names[0]] = name = max(found, key=lambda name: (len(name), name))
                named[document, one].add(name)
        kinds = {here[one.names[0]]: one.type for one in gold[document] if one.names[0] in here}
        records = [f'("entity"<|>{name}<|>{kind}<|>)' for name, kind in kinds.items()]
        records += [
            f'("relationship"<|>{here[head]}<|>{here[tail]}<|>{relation}<|><|>5<|><|>)'
            for head, relation, tail in stated[document]
            if head in here and tail in here and here[head] != here[tail]
        ]
        said[text.strip()] = "\n##\n".join([*records, "<|COMPLETE|>"])

    model, failures = stage_model(StubModel(lambda request: said[text_of(request)]), "extract_graph")
    chosen = ExtractGraph(max_gleanings=0, entity_types=sorted({*TYPES.values(), "work"}))
    episodes = tables.make("episodes", [])
    found = asyncio.run(extract_graph(documents, units, episodes, settings=chosen, model=model, prompts=prompts.load()))
    assert not failures, failures[:3]
    resolved, *_ = asyncio.run(
        resolve_entities(
            documents,
            units,
            *found,
            settings=ResolveEntities(model=False),
            each=map,
            model=model,
            prompts=prompts.load(),
        )
    )
    meant = {(row["document_id"], row["name"]): row["entity_id"] for row in resolved.to_pylist()}

    def of(document: str, name: str) -> str:
        return meant.get((document, name)) or meant["", name]

    lost = {
        (row["document_id"], row["source"], row["relation"], row["target"])
        for row in found[1].to_pylist()
        if of(row["document_id"], row["source"]) == of(row["document_id"], row["target"])
    }
    kinds_of = defaultdict(set)
    for (document, one), names in named.items():
        for name in names:
            kinds_of[document, of(document, name)].add((one.type, name))
    crossed = [
        (document, name, other)
        for (document, _), kinds in kinds_of.items()
        for name, other in combinations(sorted({name for _, name in kinds}), 2)
        if not {kind for kind, n in kinds if n == name} & {kind for kind, n in kinds if n == other}
    ]
    several = [(document, names) for (document, _), names in named.items() if len(names) > 1]
    joined = sum(len({of(document, name) for name in names}) == 1 for document, names in several)
    return Scores(sorted(lost), crossed, joined, len(several))


def text_of(request: Any) -> str:
    return (
        str(request.messages[0]["content"])
        .partition("\nEND OF EXAMPLES\n")[2]
        .partition("\nText:\n")[2]
        .rpartition("\nEND OF TEXT")[0]
        .strip()
    )


@pytest.mark.parametrize(("name", "size", "least"), [("redocred", 30, 195), ("litbank", 300, 23)])
def test_no_relation_is_lost_and_no_types_are_joined(shared: Path, name: str, size: int, least: int) -> None:
    found = scores(shared / "extraction" / name, size)
    assert (found.lost, found.crossed) == ([], [])
    assert found.joined >= least, f"of {found.several} entities with several names"
