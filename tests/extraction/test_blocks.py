"""What cells and code of a document become: entities and labelled relationships, and nothing."""

from pathlib import Path

from linear import assert_linear

from graphrag_lite import pipeline, tables
from graphrag_lite.extraction.blocks import UnitBlock, mask_non_prose, rows_of
from graphrag_lite.extraction.mentions import TextUnit
from graphrag_lite.settings import Settings

ROWS = "".join(
    f"T-{n},{('Ann Lee', 'Bo Diaz')[n % 2]},{('Blocked', 'Waiting')[n % 2]},"
    f"The printer {n} of the office takes several minutes for each of its pages.\n"
    for n in range(1, 9)
)


def index(tmp_path: Path, files: dict[str, str]) -> Path:
    corpus = tmp_path / "corpus"
    corpus.mkdir(exist_ok=True)
    for name, text in files.items():
        (corpus / name).write_text(text)
    return pipeline.index(corpus, tmp_path / "output", Settings()).snapshot


def test_a_row_is_related_to_its_people_and_values_by_the_names_of_columns(tmp_path: Path) -> None:
    snapshot = index(tmp_path, {"a.csv": f"id,owner,state,notes\n{ROWS}"})
    documents = {row["id"]: row["text"] for row in tables.read(snapshot, "documents").to_pylist()}
    stated = set()
    for row in tables.read(snapshot, "relationships").to_pylist():
        (span,) = row["sources"]
        text = documents[span["document_id"]][span["char_start"] : span["char_end"]]
        stated.add((*sorted((row["source"], row["target"])), row["relation"], text))
    assert ("Bo Diaz", "T-1", "owner", "owner: Bo Diaz") in stated
    assert ("T-2", "Blocked", "state", "state: Blocked") in {(b, a, *rest) for a, b, *rest in stated}
    types = {row["title"]: row["type"] for row in tables.read(snapshot, "entities").to_pylist()}
    assert types["Ann Lee"] == "person"


def test_a_cell_that_changes_is_read_again(tmp_path: Path) -> None:
    index(tmp_path, {"a.csv": f"id,owner,state,notes\n{ROWS}"})
    changed = f"id,owner,state,notes\n{ROWS}".replace("T-3,Bo Diaz", "T-3,Ann Lee")
    incremental = index(tmp_path, {"a.csv": changed})
    scratch = pipeline.index(tmp_path / "corpus", tmp_path / "anew", Settings()).snapshot
    for name in ("entity_mentions", "relationship_mentions", "entities"):
        assert tables.path_in(incremental, name).read_bytes() == tables.path_in(scratch, name).read_bytes()


def test_code_and_references_name_nothing_and_wikilinks_do(tmp_path: Path) -> None:
    note = (
        "# Notes\n\nAda Lovelace wrote to [[Charles Babbage]] about the Analytical Engine.\n\n"
        "- Leads [[Jacquard Loom]] since May\n\n"
        "```\nMargaret Hamilton = Grace Hopper(Apollo Guidance)\n```\n\nRun `Katherine Johnson` first.\n\n"
        "## References\n\nDijkstra Edsger. Turing Lecture. 1972.\n"
    )
    snapshot = index(tmp_path, {"a.md": note})
    names = set(tables.read(snapshot, "entities")["title"].to_pylist())
    assert {"Ada Lovelace", "Charles Babbage", "Analytical Engine", "Jacquard Loom"} <= names
    assert "Leads Jacquard Loom" not in names
    assert not {word for name in names for word in name.split()} & {
        "Margaret",
        "Grace",
        "Katherine",
        "Dijkstra",
        "Turing",
    }


def test_a_licence_names_nobody_where_it_is_not_what_the_document_is(tmp_path: Path) -> None:
    story = "Marley knew Scrooge. Scrooge knew Cratchit well.\n\n" * 9
    licence = "Copyright Ann Pike. All rights reserved. Licensed by Bo Lund without warranty; you may redistribute it."
    snapshot = index(tmp_path, {"a.txt": story + licence, "b.txt": licence.replace("Ann Pike", "Cy Dahl")})
    names = set(tables.read(snapshot, "entities")["title"].to_pylist())
    assert {"Scrooge", "Cratchit", "Cy Dahl"} <= names and "Ann Pike" not in names


def test_the_values_of_a_status_are_attributes_those_of_another_column_may_be_names() -> None:
    text = "Status: Open\nReporter: Hooli"
    cells = (UnitBlock("value", "Status", 8, 12), UnitBlock("value", "Reporter", 23, 28))
    entities, _ = rows_of(TextUnit("u", "d", text, 0, "en", "SUP-1", True, cells))
    assert {row[2]: row[3] for row in entities} == {"Open": "concept", "Hooli": "unknown", "SUP-1": "unknown"}


def test_many_references_are_left_out_in_linear_time() -> None:
    assert_linear(lambda text: mask_non_prose(text, []), "He agreed. [p. 46] ", small=128_000)
    assert (
        mask_non_prose("a b c [p. 1] d", [UnitBlock("code", "", 4, 9), UnitBlock("code", "", 5, 6)])
        == "a b" + " " * 10 + "d"
    )
