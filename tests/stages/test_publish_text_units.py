"""Published tables point to each other, both ways."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from graphrag_lite import pipeline, tables
from graphrag_lite.settings import Settings

EXAMPLE = Path(__file__).parents[2] / "examples" / "corpus"
Tables = dict[str, list[dict[str, Any]]]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    run = pipeline.index(EXAMPLE, tmp_path_factory.mktemp("root") / "output", Settings.model_validate(SMALL_UNITS))
    return {name: tables.read(run.snapshot, name).to_pylist() for name in {*run.manifest["tables"], "source_documents"}}


SMALL_UNITS = {"split_text_units": {"size": 120, "overlap": 30}}


def test_documents_hold_their_units_in_order_of_place(index: Tables) -> None:
    units = {row["id"]: row for row in index["text_units"]}
    assert [row["human_readable_id"] for row in index["documents"]] == list(range(len(index["documents"])))
    assert sum(len(row["text_unit_ids"]) for row in index["documents"]) == len(units) > len(index["documents"])
    for document in index["documents"]:
        own = [units[identity] for identity in document["text_unit_ids"]]
        assert own and [unit["ordinal"] for unit in own] == list(range(len(own)))
        assert all(unit["document_id"] == document["id"] for unit in own)
        assert all(unit["text"] == document["text"][unit["char_start"] : unit["char_end"]] for unit in own)


def test_units_name_the_entities_and_relationships_that_name_them(index: Tables) -> None:
    assert [row["human_readable_id"] for row in index["text_units"]] == list(range(len(index["text_units"])))
    for table, column in (("entities", "entity_ids"), ("relationships", "relationship_ids")):
        forward = {(row["id"], unit) for row in index[table] for unit in row["text_unit_ids"]}
        back = {(identity, row["id"]) for row in index["text_units"] for identity in row[column]}
        assert forward == back and forward
        place = {row["id"]: i for i, row in enumerate(index[table])}
        for row in index["text_units"]:
            assert row[column] == sorted(set(row[column]), key=place.__getitem__)
    assert all(row["covariate_ids"] == [] for row in index["text_units"])


def test_other_columns_are_those_of_the_working_tables(index: Tables) -> None:
    for published, working in (("documents", "source_documents"), ("text_units", "source_units")):
        shared = set(index[published][0]) & set(index[working][0])
        assert shared == set(index[working][0])
        for row, source in zip(index[published], index[working], strict=True):
            assert {name: row[name] for name in shared} == {name: source[name] for name in shared}
    for row in index["documents"]:
        assert row["creation_date"] == row["created_at"] and row["raw_data"] == row["metadata"]


def test_failures_are_those_of_loading(corpus: Callable[..., Path], tmp_path: Path) -> None:
    run = pipeline.index(corpus({"a.txt": "Alice met Bob.", "b.json": b"{"}), tmp_path / "output", Settings())
    assert run.n_failures == 1
    (failure,) = tables.read(run.snapshot, "failures").to_pylist()
    assert failure["document"] == "b.json" and failure["stage"] == "load_documents" and failure["attempts"] == 1
