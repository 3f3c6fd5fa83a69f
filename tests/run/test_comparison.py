"""What changed between two snapshots: counted and named; what only moved is no change."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from graphrag_lite import pipeline, tables
from graphrag_lite.errors import TableError
from graphrag_lite.run import comparison, snapshots
from graphrag_lite.run.comparison import Comparison, RecordChange, RecordChanges, changed_documents, compare
from graphrag_lite.settings import Settings

TEXTS = {
    "a.txt": "Alice Smith met Bob Jones in Paris. Bob Jones works for Acme Corporation.\n",
    "b.txt": "Carol White lives in Rome with Bob Jones. Carol White left Acme Corporation in 1990.\n",
    "rows.jsonl": '{"id": "one", "text": "Dora Green met Carol White."}\n{"id": "two", "text": "Dora Green left Rome."}\n',
}


@pytest.fixture
def output(tmp_path: Path) -> Path:
    return tmp_path / "output"


def index(folder: Path, output: Path) -> Path:
    return pipeline.index(folder, output, Settings()).snapshot


def names(records: tuple[RecordChange, ...]) -> list[str]:
    return [record.name for record in records]


@pytest.mark.parametrize("few", [0, 8])
def test_every_kind_of_change_to_documents(
    few: int, corpus: Callable[..., Path], output: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comparison, "FEW", few)
    folder = corpus(TEXTS)
    a = index(folder, output)
    (folder / "a.txt").rename(folder / "moved.txt")
    (folder / "new.txt").write_text("Emil Brown wrote to Alice Smith.\n")
    (folder / "rows.jsonl").write_text('{"id": "one", "text": "Dora Green met Carol White in Oslo."}\n')
    b = index(folder, output)
    found = compare(a, b).documents
    moved = found.renamed == (("a.txt", "moved.txt"),)
    assert moved and found.added == ("new.txt",)
    assert found.edited == ("rows.jsonl · one",) and found.deleted == ("rows.jsonl · two",)
    assert changed_documents(a, b) == {"added": 1, "edited": 1, "renamed": 1, "deleted": 1}
    assert changed_documents(None, a) == {"added": 4, "edited": 0, "renamed": 0, "deleted": 0}
    assert snapshots.read_manifest(b)["changes"] == changed_documents(a, b)


def test_equal_contents_under_several_names_are_paired_in_order() -> None:
    was = {("a", "a", 0): "x", ("b", "b", 0): "x", ("c", "c", 0): "y"}
    now = {("d", "d", 0): "x", ("e", "e", 0): "x", ("f", "f", 0): "x"}
    found = comparison._paired(was, now, [])
    assert found.renamed == (("a", "d"), ("b", "e")) and found.added == ("f",) and found.deleted == ("c",)
    back = comparison._paired(now, was, [])
    assert back.renamed == (("d", "a"), ("e", "b")) and back.added == ("c",) and back.deleted == ("f",)


@pytest.mark.parametrize("few", [0, 8])
def test_a_copy_of_a_document_that_goes_is_not_edited(
    few: int, corpus: Callable[..., Path], output: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comparison, "FEW", few)
    folder = corpus({"a.txt": TEXTS["a.txt"], "b.txt": TEXTS["a.txt"], "c.txt": TEXTS["b.txt"]})
    a = index(folder, output)
    (folder / "a.txt").unlink()
    found = compare(a, index(folder, output)).documents
    assert (found.added, found.edited, found.renamed, found.deleted) == ((), (), (), ("a.txt",))


def test_documents_of_one_id_are_counted_each(corpus: Callable[..., Path], output: Path) -> None:
    folder = corpus({"d.csv": "id,text\n1,Alice Smith met Bob Jones.\n1,Carol White lives in Rome.\n"})
    a = index(folder, output)
    assert changed_documents(None, a)["added"] == 2
    (folder / "d.csv").write_text("id,text\n1,Carol White lives in Rome.\n")
    found = changed_documents(a, index(folder, output))
    assert found["deleted"] == 1 and found["added"] == 0


def test_records_that_came_went_and_changed(corpus: Callable[..., Path], output: Path) -> None:
    folder = corpus(TEXTS)
    a = index(folder, output)
    (folder / "a.txt").write_text(
        "Alice Smith met Emil Brown in Paris. Alice Smith is a physician of Acme Corporation.\n"
    )
    b = index(folder, output)
    found = compare(a, b)
    assert names(found.entities.added) == ["Emil Brown"]
    changed = {record.name: record.what for record in found.entities.changed}
    assert changed["Bob Jones"] == ("description", "frequency") and "Dora Green" not in changed
    assert "Alice Smith – Emil Brown" in names(found.relationships.added)
    assert "Alice Smith – Bob Jones" in names(found.relationships.removed)
    assert found.communities != RecordChanges() and found.reports != RecordChanges()
    back = compare(b, a)
    assert names(back.entities.removed) == ["Emil Brown"]
    for kind in ("entities", "relationships", "communities", "reports"):
        forth, against = getattr(found, kind), getattr(back, kind)
        assert (forth.added, forth.removed) == (against.removed, against.added)
        assert {(r.id, r.what) for r in forth.changed} == {(r.id, r.what) for r in against.changed}


def _changed(folder: Path, name: str, change: Callable[[list[dict[str, Any]]], Any]) -> None:
    """Change a table of a snapshot, and what its manifest says of it."""
    rows = tables.read(folder, name).to_pylist()
    change(rows)
    path = tables.write(folder, name, tables.make(name, rows))
    manifest = snapshots.read_manifest(folder)
    manifest["tables"][name]["sha256"] = snapshots.table_digest(path)
    snapshots.write_json(folder / snapshots.MANIFEST, manifest)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus")
    for name, text in TEXTS.items():
        (folder / name).write_text(text)
    return index(folder, tmp_path_factory.mktemp("root") / "output")


@pytest.fixture
def two(made: Path, tmp_path: Path) -> tuple[Path, Path]:
    """Two copies of a snapshot, to be changed."""
    return shutil.copytree(made, tmp_path / "a"), shutil.copytree(made, tmp_path / "b")


def renumber(rows: list[dict[str, Any]]) -> None:
    rows.reverse()
    for number, row in enumerate(rows):
        row["human_readable_id"] = number


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("entities", renumber),
        ("relationships", renumber),
        ("relationships", lambda rows: [row.update(weight=row["weight"] / 2, combined_degree=99) for row in rows]),
        ("communities", lambda rows: [row["entity_ids"].reverse() for row in rows]),
        ("community_reports", lambda rows: [row.update(rank=1.0, rating_explanation="x") for row in rows]),
    ],
)
def test_what_is_no_change_of_a_record(name: str, change: Callable[..., Any], two: tuple[Path, Path]) -> None:
    a, b = two
    _changed(b, name, change)
    found = compare(a, b)
    assert (found.entities, found.relationships, found.communities, found.reports) == (RecordChanges(),) * 4
    assert sum(changed_documents(a, b).values()) == 0


def test_a_community_whose_number_changed_keeps_its_report(two: tuple[Path, Path]) -> None:
    """A report is known by its community's id; numbers only hold within a snapshot."""
    a, b = two
    _changed(b, "communities", lambda rows: [row.update(community=row["community"] + 100) for row in rows])
    _changed(b, "community_reports", lambda rows: [row.update(community=row["community"] + 100) for row in rows])
    assert compare(a, b).reports == RecordChanges()


@pytest.mark.parametrize(
    ("name", "change", "kind", "what"),
    [
        ("entities", {"type": "work"}, "entities", ("type",)),
        ("entities", {"description": "x", "frequency": 9}, "entities", ("description", "frequency")),
        ("relationships", {"n_mentions": 9}, "relationships", ("mentions",)),
        ("relationships", {"relation": "x"}, "relationships", ("relation",)),
        ("communities", {"entity_ids": ["x"]}, "communities", ("members",)),
        ("community_reports", {"full_content": "x"}, "reports", ("text",)),
        ("community_reports", {"stale": True, "age": 1}, "reports", ("became stale",)),
        ("community_reports", {"stale": True, "full_content": "x"}, "reports", ("text", "became stale")),
    ],
)
def test_what_changed_of_a_record_is_said(
    name: str, change: dict[str, Any], kind: str, what: tuple[str, ...], two: tuple[Path, Path]
) -> None:
    a, b = two
    _changed(b, name, lambda rows: rows[0].update(change))
    records = getattr(compare(a, b), kind)
    assert [record.what for record in records.changed] == [what] and not records.added and not records.removed
    if what == ("became stale",):
        assert [record.what for record in compare(b, a).reports.changed] == [("no longer stale",)]


def test_a_snapshot_is_like_itself_and_tables_that_are_linked_are_not_read(two: tuple[Path, Path]) -> None:
    a, b = two
    for name in ("entities", "relationships", "community_reports"):
        tables.path_in(b, name).unlink()
    found = compare(a, b)
    none = comparison.DocumentChanges((), (), (), ()), *[RecordChanges()] * 4, comparison.FactChanges()
    assert found == Comparison(a.name, found.b, *none)


def fact(thing: str, **values: Any) -> dict[str, Any]:
    row = dict.fromkeys(tables.schema("facts").names, "") | {"n_mentions": 1, "n_documents": 1, "sources": []}
    row |= {"subject": "Ana", "relation": "lives in", "object": thing, "fact_group_id": thing, "kind": "state"}
    row |= {"conflict": False, "precision": "year", "valid_at": "2010-01-01"} | values
    return row | {"id": str(sorted(values.items())) + thing}


def test_facts_are_added_ended_restored_and_withdrawn(two: tuple[Path, Path]) -> None:
    a, b = two
    over = {"invalid_at": "2015-01-01", "ended_by": "succeeded"}
    before = fact("Rome", expired_at="2015-01-01")
    _changed(a, "facts", lambda rows: rows.extend([fact("Rome"), fact("Oslo", **over), fact("Bonn"), fact("Kiel")]))
    _changed(
        b, "facts", lambda rows: rows.extend([before, fact("Rome", **over), fact("Oslo"), fact("Bonn"), fact("Linz")])
    )
    found = compare(a, b).facts
    assert names(found.added) == ["Ana lives in Linz (2010 – present)"]
    assert names(found.ended) == ["Ana lives in Rome (2010 – 2015)"]
    assert names(found.restored) == ["Ana lives in Oslo (2010 – present)"]
    assert names(found.withdrawn) == ["Ana lives in Kiel (2010 – present)"]


def test_another_schema_version_is_refused(two: tuple[Path, Path]) -> None:
    a, b = two
    manifest = snapshots.read_manifest(b) | {"schema_version": 1}
    snapshots.write_json(b / snapshots.MANIFEST, manifest)
    with pytest.raises(TableError, match="older graphrag-lite"):
        compare(a, b)


def test_stable_keys(two: tuple[Path, Path]) -> None:
    a, b = two
    _changed(b, "entities", lambda rows: rows[0].update(type="work"))
    said = compare(a, b).to_dict()
    assert list(said) == ["a", "b", "documents", "entities", "relationships", "communities", "reports", "facts"]
    assert list(said["facts"]) == ["added", "ended", "restored", "withdrawn"]
    assert list(said["documents"]) == ["added", "edited", "renamed", "deleted"]
    assert list(said["entities"]) == ["added", "removed", "changed"]
    assert list(said["entities"]["changed"][0]) == ["id", "name", "what"]
