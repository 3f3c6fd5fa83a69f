"""Communities of the stage: numbers, parents, what is inside, whatever the order of rows."""

import asyncio
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from graphrag_lite import pipeline, tables
from graphrag_lite.settings import DetectCommunities, Settings
from graphrag_lite.stages.detect_communities import detect_communities

EXAMPLE = Path(__file__).parents[2] / "examples" / "corpus"
READS = ("source_documents", "source_units", "entities", "relationships")


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> dict[str, pa.Table]:
    """What the stage reads for the sample corpus."""
    run = pipeline.index(EXAMPLE, tmp_path_factory.mktemp("root") / "output", Settings())
    return {name: tables.read(run.snapshot, name) for name in READS}


def detect(read: dict[str, pa.Table], **settings: Any) -> list[dict[str, Any]]:
    made = asyncio.run(detect_communities(**read, settings=DetectCommunities(**settings)))
    tables.check("communities", made)
    return made.to_pylist()


def test_a_hierarchy_of_partitions(read: dict[str, pa.Table]) -> None:
    rows = detect(read)
    entity_ids = read["entities"]["id"].to_pylist()
    assert [row["community"] for row in rows] == [row["human_readable_id"] for row in rows] == list(range(len(rows)))
    assert [(row["level"], -row["size"]) for row in rows] == sorted((row["level"], -row["size"]) for row in rows)
    top = [identity for row in rows if row["level"] == 0 for identity in row["entity_ids"]]
    assert sorted(top) == sorted(entity_ids)
    assert max(row["level"] for row in rows) >= 1
    for row in rows:
        assert row["size"] == len(row["entity_ids"]) == len(set(row["entity_ids"]))
        children = [other for other in rows if other["parent"] == row["community"]]
        assert row["children"] == [child["community"] for child in children]
        assert all(child["level"] == row["level"] + 1 for child in children)
        if children:
            assert sorted(i for child in children for i in child["entity_ids"]) == sorted(row["entity_ids"])
        assert (row["parent"] == -1) == (row["level"] == 0)


def test_a_title_is_of_one_community(read: dict[str, pa.Table]) -> None:
    titles = [row["title"] for row in detect(read, max_cluster_size=5)]
    assert len(set(titles)) == len(titles) and any(title.endswith(" (2)") for title in titles)


def test_what_is_inside(read: dict[str, pa.Table]) -> None:
    relationships = {row["id"]: row for row in read["relationships"].to_pylist()}
    entities = {row["id"]: row for row in read["entities"].to_pylist()}
    unit_ids = read["source_units"]["id"].to_pylist()
    document_of = dict(zip(unit_ids, read["source_units"]["document_id"].to_pylist(), strict=True))
    created = dict(zip(*(read["source_documents"][name].to_pylist() for name in ("id", "created_at")), strict=True))
    for row in detect(read):
        members = set(row["entity_ids"])
        inside = {r["id"] for r in relationships.values() if {r["source_id"], r["target_id"]} <= members}
        assert set(row["relationship_ids"]) == inside and len(row["relationship_ids"]) == len(inside)
        stating = {unit for identity in inside for unit in relationships[identity]["text_unit_ids"]}
        assert set(row["text_unit_ids"]) == stating
        assert row["text_unit_ids"] == sorted(row["text_unit_ids"], key=unit_ids.index)
        assert row["period"] == max((created[document_of[unit]][:10] for unit in stating), default="")
        degrees = [entities[identity]["degree"] for identity in row["entity_ids"]]
        assert degrees == sorted(degrees, reverse=True)
        assert row["title"].startswith(", ".join(entities[identity]["title"] for identity in row["entity_ids"][:3]))


def test_an_entity_without_relationships_stays_alone(read: dict[str, pa.Table]) -> None:
    related = {*read["relationships"]["source_id"].to_pylist(), *read["relationships"]["target_id"].to_pylist()}
    lonely = set(read["entities"]["id"].to_pylist()) - related
    alone = {row["entity_ids"][0] for row in detect(read) if row["size"] == 1 and row["level"] == 0}
    assert lonely and lonely <= alone


def test_the_order_of_rows_does_not_matter(read: dict[str, pa.Table]) -> None:
    expected = detect(read)
    chance = random.Random(4)
    for _ in range(3):
        shuffled = {
            name: table.take(chance.sample(range(table.num_rows), table.num_rows))
            if name in ("entities", "relationships", "source_documents")
            else table
            for name, table in read.items()
        }
        found = detect(shuffled)
        for row in (*expected, *found):
            row["relationship_ids"] = sorted(row["relationship_ids"])  # they stand in the order of the table
        assert found == expected


def test_settings_are_heard(read: dict[str, pa.Table]) -> None:
    default = detect(read)
    assert detect(read, seed=1) == detect(read, seed=1)
    assert len(detect(read, max_cluster_size=4)) > len(default) > len(detect(read, max_cluster_size=100))
    finer = detect(read, resolution=3.0, max_cluster_size=500)
    assert len(finer) > len(detect(read, resolution=0.5, max_cluster_size=500))


def test_a_corpus_without_relationships(corpus: Callable[..., Path], tmp_path: Path) -> None:
    run = pipeline.index(corpus({"a.txt": "hello there"}), tmp_path / "output", Settings())
    read = {name: tables.read(run.snapshot, name) for name in READS}
    assert detect(read) == []
