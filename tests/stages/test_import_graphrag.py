"""An index of microsoft/graphrag is taken over whole, answers questions, and every citation of it resolves."""

import datetime
import json
import random
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

from graphrag_lite import pipeline, tables
from graphrag_lite.cli import main
from graphrag_lite.errors import InputError
from graphrag_lite.run import snapshots
from graphrag_lite.search.index import Index
from graphrag_lite.settings import Settings

Tables = dict[str, list[dict[str, Any]]]
TEXT = (
    "Marley was dead. Scrooge signed the register of his burial.\n\nScrooge kept the counting-house. Fezziwig danced."
)


def small() -> Tables:
    """A whole index of one document, in the names of graphrag 3."""
    return {
        "documents": [{"id": "d", "human_readable_id": 0, "title": "carol.txt", "text": TEXT, "raw_data": None}],
        "text_units": [
            {"id": "u0", "human_readable_id": 0, "text": TEXT[:60], "n_tokens": 12, "document_id": "d"},
            {"id": "u1", "human_readable_id": 1, "text": TEXT[17:], "n_tokens": 20, "document_id": "d"},
        ],
        "entities": [
            {"id": "e0", "human_readable_id": 7, "title": "SCROOGE", "type": "PERSON", "frequency": 2, "degree": 1}
            | {"description": "Scrooge signed the register.", "text_unit_ids": ["u0", "u1"]},
            {"id": "e1", "human_readable_id": 8, "title": "MARLEY", "type": "", "frequency": 1, "degree": 1}
            | {"description": "Marley is dead.", "text_unit_ids": ["u0"]},
        ],
        "relationships": [
            {"id": "r0", "human_readable_id": 3, "source": "SCROOGE", "target": "MARLEY", "weight": 2.0}
            | {"description": "Scrooge signed for Marley's burial.", "combined_degree": 2, "text_unit_ids": ["u0"]}
        ],
        "covariates": [
            {"id": "c0", "human_readable_id": 0, "type": "DEATH", "description": "Marley died.", "subject_id": "MARLEY"}
            | {"object_id": "NONE", "status": "TRUE", "start_date": "NONE", "end_date": "NONE"}
            | {"covariate_type": "claim", "source_text": "Marley was dead.", "text_unit_id": "u0"}
        ],
        "communities": [
            {"id": "k0", "community": 0, "level": 0, "parent": -1, "children": [1], "title": "Community 0"}
            | {"entity_ids": ["e0", "e1"], "relationship_ids": ["r0"], "text_unit_ids": ["u0"], "period": "2026-01-01"},
            {"id": "k1", "community": 1, "level": 1, "parent": 0, "children": [], "title": "Community 1"}
            | {"entity_ids": ["e1"], "relationship_ids": [], "text_unit_ids": [], "period": "2026-01-01"},
        ],
        "community_reports": [
            {"id": "p0", "community": 0, "title": "The firm", "rank": 8.0, "rating_explanation": "It matters."}
            | {"summary": "Two partners."}
            | {"full_content": "# The firm\n\nTwo partners [Data: Entities (7); Claims (0)]."}
            | {"findings": [{"summary": "Burial", "explanation": "He signed [Data: Relationships (3, +more)]."}]},
            {"id": "p1", "community": 1, "title": "Marley", "rank": 2.0, "rating_explanation": ""}
            | {"summary": "Marley [Data: Entities (8)].", "full_content": "# Marley\n\nDead.", "findings": []},
        ],
    }


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    def write(index: Tables, *, prefix: str = "", kind: str = "parquet", name: str = "graphrag") -> Path:
        folder = tmp_path / name
        folder.mkdir()
        for table, rows in index.items():
            path = folder / f"{prefix}{table}.{kind}"
            if kind == "parquet":
                pq.write_table(pa.Table.from_pylist(rows), path)
            else:
                path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return folder

    return write


def take_over(folder: Path, output: Path) -> Path:
    return pipeline.take_over(folder, output, Settings()).snapshot


@pytest.fixture
def taken(write: Callable[..., Path], tmp_path: Path, caplog: pytest.LogCaptureFixture) -> Callable[..., Path]:
    """Write an index of graphrag and take it over; return the snapshot. What is told of it is in `caplog`."""
    caplog.set_level("INFO")
    return lambda index, **form: take_over(write(index, **form), tmp_path / "output")


def rows_of(snapshot: Path, name: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = tables.read(snapshot, name).to_pylist()
    return rows


def cited_texts(snapshot: Path) -> dict[int, dict[int, list[str]]]:
    """Return, by community and mark, what its citations point to."""
    text = {row["id"]: row["text"] for row in rows_of(snapshot, "documents")}
    found: dict[int, dict[int, list[str]]] = {}
    for report in rows_of(snapshot, "community_reports"):
        marks = found.setdefault(report["community"], {})
        for c in report["citations"]:
            marks.setdefault(c["n"], []).append(text[c["document_id"]][c["char_start"] : c["char_end"]])
    return found


def test_records_stay_what_they_are_and_gain_their_places(taken: Callable[..., Path]) -> None:
    snapshot = taken(small())
    scrooge, marley = rows_of(snapshot, "entities")
    told = [scrooge[name] for name in ("id", "title", "type", "human_readable_id")]
    assert told == ["e0", "SCROOGE", "person", 7]
    assert (marley["type"], marley["n_documents"]) == ("unknown", 1)
    (relationship,) = rows_of(snapshot, "relationships")
    assert (relationship["source_id"], relationship["target_id"]) == ("e0", "e1")
    units = rows_of(snapshot, "text_units")
    places = [(u["id"], u["char_start"], u["char_end"], u["ordinal"]) for u in units]
    assert places == [("u0", 0, 60, 0), ("u1", 17, len(TEXT), 1)]
    assert [u["entity_ids"] for u in units] == [["e0", "e1"], ["e0"]]
    assert units[0]["covariate_ids"] == ["c0"] and units[0]["relationship_ids"] == ["r0"]
    (document,) = rows_of(snapshot, "documents")
    assert document["source_id"] == document["path"] == "carol.txt" and document["text_unit_ids"] == ["u0", "u1"]
    (claim,) = rows_of(snapshot, "covariates")
    assert (claim["start_date"], claim["object_id"]) == ("", "NONE")
    assert [c["children"] for c in rows_of(snapshot, "communities")] == [[1], []]
    assert snapshots.read_manifest(snapshot)["settings"]["method"] == "imported"


def test_marks_point_to_the_sentences_behind_their_records(taken: Callable[..., Path]) -> None:
    snapshot = taken(small())
    firm, marley = rows_of(snapshot, "community_reports")
    assert firm["findings"][0]["explanation"] == "He signed [1]."
    assert firm["full_content"] == "# The firm\n\nTwo partners [2][3]."
    signed = "Scrooge signed the register of his burial."
    assert cited_texts(snapshot)[0] == {1: [signed], 2: [signed], 3: ["Marley was dead."]}
    assert marley["summary"] == "Marley [1]." and cited_texts(snapshot)[1] == {1: ["Marley was dead."]}


def test_reports_of_an_index_of_ours_keep_their_marks(sample: Path, tmp_path: Path) -> None:
    after = take_over(sample, tmp_path / "output")
    assert cited_texts(after) == cited_texts(sample)
    own, taken = (tables.read(each, "community_reports") for each in (sample, after))
    assert all(own[name].equals(taken[name]) for name in ("summary", "findings", "full_content"))
    assert Index(after).query("What are the main themes?", "global").citations


def test_a_place_outside_of_its_text_unit_is_no_citation(taken: Callable[..., Path]) -> None:
    index = small()
    for unit, start in zip(index["text_units"], (5, 22), strict=True):
        unit["char_start"] = start
    places = [("u0", 5, 11), ("u0", 0, 4), ("u0", 5, 9999), ("gone", 5, 9), ("u0", 9, 9)]
    cited = [
        {"n": n, "text_unit_id": unit, "document_id": "d", "char_start": start, "char_end": end}
        for n, (unit, start, end) in enumerate(places, start=1)
    ]
    firm = index["community_reports"][0]
    firm |= {"summary": "One [1], two [2], three [3], four [4], five [5].", "citations": [*cited, {"n": 6}]}
    report = rows_of(taken(index, kind="jsonl"), "community_reports")[0]
    assert report["summary"] == "One [1], two, three, four, five."
    (kept,) = report["citations"]
    assert (kept["n"], kept["text_unit_id"], kept["char_start"], kept["char_end"]) == (1, "u0", 0, 6)


@pytest.mark.parametrize(("prefix", "kind"), [("create_final_", "parquet"), ("", "jsonl")])
def test_other_names_and_forms_of_the_files_give_the_same_tables(
    write: Callable[..., Path], tmp_path: Path, prefix: str, kind: str
) -> None:
    one = take_over(write(small()), tmp_path / "one")
    other = take_over(write(small(), prefix=prefix, kind=kind, name="other"), tmp_path / "other-output")
    assert {p.name: p.read_bytes() for p in tables.files(one)} == {p.name: p.read_bytes() for p in tables.files(other)}


def test_version_2_lists_the_documents_of_a_unit_and_has_no_hierarchy(taken: Callable[..., Path]) -> None:
    index = small()
    for unit in index["text_units"]:
        unit["document_ids"] = [unit.pop("document_id")]
    for community in index["communities"]:
        del community["parent"], community["children"]
    snapshot = taken(index)
    assert [u["document_id"] for u in rows_of(snapshot, "text_units")] == ["d", "d"]
    assert [(c["parent"], c["children"]) for c in rows_of(snapshot, "communities")] == [(-1, [1]), (0, [])]


def test_only_text_units_entities_and_relationships_are_needed(taken: Callable[..., Path], tmp_path: Path) -> None:
    index = {name: rows for name, rows in small().items() if name in ("text_units", "entities", "relationships")}
    taken(index)
    opened = Index.open(tmp_path / "output")
    (document,) = rows_of(opened.folder, "documents")
    assert document["text"] == TEXT and document["id"] == "d"
    assert opened.query("Who is Marley?").citations
    assert opened.query("Who is Marley?", "global").answer == "The corpus does not say."


def test_what_refers_to_nothing_is_left_out_and_counted(
    taken: Callable[..., Path], caplog: pytest.LogCaptureFixture
) -> None:
    index = small()
    index["entities"][0]["text_unit_ids"] = ["u0", "nowhere", "u1", "nowhere"]
    index["communities"][0]["entity_ids"].append("nobody")
    index["communities"][0]["relationship_ids"] = ["nothing", "r0"]
    index["relationships"].append(index["relationships"][0] | {"id": "r0", "target": "THE CLERK", "weight": None})
    index["covariates"].append(index["covariates"][0] | {"text_unit_id": "nowhere"})
    index["covariates"].append(index["covariates"][0] | {"description": None})
    index["community_reports"].append(index["community_reports"][0] | {"community": 99})
    index["community_reports"][0]["summary"] += " More [Data: Entities (7, 77); Sources (1)]."
    snapshot = taken(index)
    said = caplog.messages
    assert "entities: 2 references to no text unit left out" in said
    assert "entities: 1 added: only relationships name them" in said
    assert "communities: 1 references to no entity left out" in said
    assert "communities: 1 references to no relationship left out" in said
    assert "covariates: 1 references to no text unit left out" in said
    assert "covariates: 1 rows left out: no description or no text_unit_id" in said
    assert "community_reports: 1 left out: empty, or without a community of its own" in said
    assert "community_reports: 1 marks left out: no such record" in said
    assert [row["title"] for row in rows_of(snapshot, "entities")] == ["SCROOGE", "MARLEY", "THE CLERK"]
    ids = [row["id"] for row in rows_of(snapshot, "relationships")]
    assert len(set(ids)) == 2 and ids[0] == "r0"
    assert rows_of(snapshot, "community_reports")[0]["summary"] == "Two partners. More [1][2]."


def test_every_problem_with_what_is_essential_is_named_at_once(write: Callable[..., Path], tmp_path: Path) -> None:
    index = small()
    del index["entities"][0]["title"], index["entities"][1]["title"]
    index["communities"][0]["level"], index["communities"][1]["level"] = "top", "below"  # type: ignore[call-overload]
    folder = write(index)
    (folder / "relationships.parquet").write_bytes(b"PAR1 is not all")
    with pytest.raises(InputError) as raised:
        take_over(folder, tmp_path / "output")
    said = str(raised.value)
    assert "3 problems" in said
    assert "entities.parquet: title: there is no such column" in said
    assert "communities.parquet: level: row 1 is no number (2 such rows)" in said
    assert "relationships.parquet: cannot be read as Parquet" in said
    assert not (tmp_path / "output" / "current").exists()


def test_a_folder_that_holds_no_index_or_half_of_one_is_refused(taken: Callable[..., Path], tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="no index of microsoft/graphrag"):
        take_over(tmp_path / "empty", tmp_path / "output")
    with pytest.raises(InputError, match="no such folder"):
        take_over(tmp_path / "nowhere", tmp_path / "output")
    index = small()
    del index["entities"]
    with pytest.raises(InputError, match=r"missing: entities\.parquet"):
        taken(index)
    assert not (tmp_path / "output").exists()


def test_the_folder_of_a_graphrag_project_is_found_from_its_root(write: Callable[..., Path], tmp_path: Path) -> None:
    write(small()).rename(tmp_path / "project-output")
    (tmp_path / "project").mkdir()
    (tmp_path / "project-output").rename(tmp_path / "project" / "output")
    assert len(rows_of(take_over(tmp_path / "project", tmp_path / "ours"), "entities")) == 2


def test_a_second_import_changes_nothing_and_a_changed_file_does(write: Callable[..., Path], tmp_path: Path) -> None:
    folder, output = write(small()), tmp_path / "output"
    first = pipeline.take_over(folder, output, Settings())
    again = pipeline.take_over(folder, output, Settings())
    assert first.changed and not again.changed and again.snapshot == first.snapshot and again.ran == ()
    nothing = pa.table({"description": [], "text_unit_id": []})
    pq.write_table(nothing, folder / "covariates.parquet")
    assert "import_graphrag" in pipeline.take_over(folder, output, Settings()).ran
    assert not rows_of(snapshots.current(output), "covariates")


@pytest.mark.parametrize("name", ["dulce_index", "msgraphrag_verbs_fixture"])
def test_every_span_of_a_real_index_resolves_inside_its_text_unit(shared: Path, tmp_path: Path, name: str) -> None:
    snapshot = take_over(shared / "replay" / name, tmp_path / "output")
    text = {row["id"]: row["text"] for row in rows_of(snapshot, "documents")}
    units = {row["id"]: row for row in rows_of(snapshot, "text_units")}
    for unit in units.values():
        assert text[unit["document_id"]][unit["char_start"] : unit["char_end"]] == unit["text"]
    reports = rows_of(snapshot, "community_reports")
    spans = [span for report in reports for span in report["citations"]]
    for table in ("entities", "relationships"):
        spans += [span for row in rows_of(snapshot, table) for span in row["sources"]]
    for span in spans:
        unit = units[span["text_unit_id"]]
        assert unit["document_id"] == span["document_id"]
        assert unit["char_start"] <= span["char_start"] < span["char_end"] <= unit["char_end"]
        assert span["char_end"] - span["char_start"] <= 800, "a sentence, not a text unit"
    for report in reports:
        written = [report["summary"], report["full_content"], *(f["explanation"] for f in report["findings"])]
        marks = {int(n) for part in written for n in re.findall(r"\[(\d+)\]", part)}
        assert marks == {citation["n"] for citation in report["citations"]}
        assert not any("[Data" in part for part in written)
        assert json.loads(report["full_content_json"])["findings"] == report["findings"]


def test_an_imported_index_answers_questions_at_every_level(shared: Path, tmp_path: Path) -> None:
    take_over(shared / "replay" / "msgraphrag_verbs_fixture", tmp_path / "output")
    opened = Index.open(tmp_path / "output")
    answer = opened.query("How does Fezziwig treat his apprentices?", "local")
    assert "Fezziwig" in answer.answer and answer.documents == ["a-christmas-carol.txt"]
    themes = opened.query("What are the main themes?", "global")
    assert len(themes.answer.split("\n\n")) == 5
    for level in range(4):
        found = opened.query("What did Marley's ghost warn of?", "global", level=level)
        assert "Marley" in found.answer and found.citations
    with pytest.raises(InputError, match="levels 0 to 3"):
        opened.query("What are the main themes?", "global", level=4)
    for cited in answer.citations + themes.citations:
        unit = opened.arrow("text_units").slice(opened.unit_row[cited.text_unit_id], 1).to_pylist()[0]
        assert unit["char_start"] <= cited.char_start < cited.char_end <= unit["char_end"]


def test_the_command_imports_and_show_and_query_go_on_from_there(write: Callable[..., Path], tmp_path: Path) -> None:
    def run(*arguments: str) -> str:
        result = CliRunner().invoke(main, [*arguments, "--root", str(tmp_path / "root")])
        assert result.exit_code == 0, result.output
        return result.stdout

    made = json.loads(run("import", str(write(small())), "--json"))
    assert (made["method"], made["entities"], made["community_reports"]) == ("imported", 2, 2)
    assert sum(made["communities_by_level"].values()) == made["communities"] > 0 == made["stale_reports"]
    assert json.loads(run("show", "--json"))["method"] == "imported"
    assert "Two partners [2][3]" in run("show", "report", "0")
    assert "Marley was dead" in run("query", "Who is Marley?")
    result = CliRunner().invoke(main, ["import", str(tmp_path), "--root", str(tmp_path / "root")])
    assert result.exit_code == 1 and "no index of microsoft/graphrag" in result.stderr


def test_an_index_of_the_other_kind_is_not_replaced(
    write: Callable[..., Path], corpus: Callable[..., Path], tmp_path: Path
) -> None:
    texts = corpus({"a.txt": "Alice Smith met Bob Jones in Paris."})
    imported = write(small())

    def run(command: str, folder: Path, root: str) -> Result:
        return CliRunner().invoke(main, [command, str(folder), "--root", str(tmp_path / root)])

    for root, ours, other, theirs in (("a", "import", "index", texts), ("b", "index", "import", imported)):
        assert run(ours, imported if ours == "import" else texts, root).exit_code == 0
        before = snapshots.current(tmp_path / root / "output")
        refused = run(other, theirs, root)
        assert refused.exit_code == 1 and not refused.stdout
        assert f"`graphrag-lite {ours}` made, and `{other}` would replace it. Choose another place" in refused.stderr
        assert snapshots.current(tmp_path / root / "output") == before
        assert run(ours, imported if ours == "import" else texts, root).exit_code == 0


def test_units_without_a_place_in_their_document_make_one_of_their_own(
    taken: Callable[..., Path], caplog: pytest.LogCaptureFixture
) -> None:
    index = small()
    index["text_units"][0]["text"] = "title: carol.txt.\nauthor: D.\n" + TEXT[:60]  # as prepend_metadata writes it
    index["text_units"][1]["text"] = "Something that the document does not say."
    snapshot = taken(index)
    whole, own = rows_of(snapshot, "documents")
    assert (whole["id"], whole["text"], own["text"]) == ("d", TEXT, "Something that the document does not say.")
    units = rows_of(snapshot, "text_units")
    places = [(u["document_id"], u["text"], u["char_start"]) for u in units]
    assert places == [("d", TEXT[:60], 0), (own["id"], own["text"], 0)]
    assert "text_units: 1 not found in their document: put into one of their own" in caplog.messages


def test_equal_chunks_of_two_documents_share_an_id_there_and_not_here(taken: Callable[..., Path]) -> None:
    index = small()
    index["documents"].append(index["documents"][0] | {"id": "d2", "title": "copy.txt"})
    index["text_units"].append(index["text_units"][0] | {"document_id": "d2", "human_readable_id": 2})
    snapshot = taken(index)
    units = rows_of(snapshot, "text_units")
    assert [u["document_id"] for u in units] == ["d", "d", "d2"]
    assert len({u["id"] for u in units}) == 3 and [u["text"] for u in units][::2] == [TEXT[:60]] * 2
    marley = next(row for row in rows_of(snapshot, "entities") if row["title"] == "MARLEY")
    assert marley["text_unit_ids"] == [units[0]["id"], units[2]["id"]] and marley["n_documents"] == 2


def test_entities_of_one_title_are_one_entity(taken: Callable[..., Path]) -> None:
    index = small()
    other = {"id": "e2", "human_readable_id": 9, "type": "ORGANIZATION", "description": "A firm.", "frequency": 1}
    index["entities"].append(index["entities"][0] | other | {"text_unit_ids": ["u1"]})
    index["communities"][0]["entity_ids"] = ["e2", "e1", "e0"]
    index["community_reports"][0]["summary"] = "The firm [Data: Entities (9)]."
    snapshot = taken(index)
    entities = rows_of(snapshot, "entities")
    assert [row["title"] for row in entities] == ["SCROOGE", "MARLEY"]
    assert entities[0]["description"] == "Scrooge signed the register.\nA firm." and entities[0]["type"] == "person"
    assert rows_of(snapshot, "communities")[0]["entity_ids"] == ["e0", "e1"]
    assert rows_of(snapshot, "community_reports")[0]["summary"] == "The firm [1]."


WRONG: list[Any] = [None, float("nan"), "", "x", 7, -1, 2**70, 0.5, True]
WRONG += [[], ["x"], [None], [[1]], {"a": 1}, "\ud800", "[1]"]


def test_whatever_a_value_is_the_import_ends_with_an_index_or_a_reason(
    write: Callable[..., Path], tmp_path: Path
) -> None:
    chance = random.Random(11)
    n_made = 0
    for number in range(50):
        index = small()
        for _ in range(chance.randint(1, 4)):
            rows = index[chance.choice(sorted(index))]
            row = chance.choice(rows)
            row[chance.choice(sorted(row))] = chance.choice(WRONG)
        if number % 10 == 0:
            rows += rows
        folder = write(index, kind="jsonl", name=f"graphrag{number}")
        try:
            snapshot = take_over(folder, tmp_path / f"output{number}")
        except InputError:
            continue
        n_made += 1
        units = {row["id"]: row for row in rows_of(snapshot, "text_units")}
        for report in rows_of(snapshot, "community_reports"):
            for span in report["citations"]:
                unit = units[span["text_unit_id"]]
                assert unit["char_start"] <= span["char_start"] <= span["char_end"] <= unit["char_end"]
        opened = Index.open(tmp_path / f"output{number}")
        for method in ("local", "global", "basic"):
            opened.query("Who is Scrooge?", method)
    assert n_made > 30


def test_relationships_go_by_weight_and_ranks_stay_in_their_range(taken: Callable[..., Path]) -> None:
    index = small()
    for number, weight in enumerate((9.0, 4.0, 16.0)):
        index["relationships"].append(index["relationships"][0] | {"id": f"w{number}", "weight": weight})
    index["community_reports"][0]["rank"], index["community_reports"][1]["rank"] = 80.0, -1.0
    index["community_reports"][1]["id"] = "p0"
    snapshot = taken(index)
    assert [row["weight"] for row in rows_of(snapshot, "relationships")] == [16.0, 9.0, 4.0, 2.0]
    assert [row["rank"] for row in rows_of(snapshot, "community_reports")] == [10.0, 0.0]


def test_a_claim_rests_on_the_words_that_it_quotes(taken: Callable[..., Path]) -> None:
    index = small()
    quote = "was dead. Scrooge signed"
    index["covariates"][0]["source_text"] = quote
    snapshot = taken(index)
    assert cited_texts(snapshot)[0][3] == [quote]


def test_a_row_without_what_is_essential_is_left_out(
    taken: Callable[..., Path], caplog: pytest.LogCaptureFixture
) -> None:
    index = small()
    index["entities"].append(index["entities"][0] | {"id": "e9", "title": float("nan")})
    snapshot = taken(index, kind="jsonl")
    assert len(rows_of(snapshot, "entities")) == 2
    assert "entities: 1 rows left out: no id or no title" in caplog.messages


def test_a_chunk_that_a_document_holds_twice_is_found_twice(taken: Callable[..., Path]) -> None:
    index = small()
    index["documents"][0]["text"] = "Humbug! Scrooge left. Humbug!"
    texts = ("Humbug!", "Scrooge left.", "Humbug!")
    index["text_units"] = [{"id": text, "text": text, "document_id": "d"} for text in texts]
    snapshot = taken(index)
    assert [row["char_start"] for row in rows_of(snapshot, "text_units")] == [0, 8, 22]


def test_arrow_types_that_other_writers_use_are_read(write: Callable[..., Path], tmp_path: Path) -> None:
    folder, index = write(small()), small()
    entities, reports = pa.Table.from_pylist(index["entities"]), pa.Table.from_pylist(index["community_reports"])
    entities = entities.set_column(2, "title", entities["title"].cast(pa.large_string()))
    entities = entities.set_column(3, "type", entities["type"].dictionary_encode())
    reports = reports.set_column(1, "community", pa.array([0.0, 1.0]))
    created = pa.array([datetime.datetime(2025, 3, 4, tzinfo=datetime.UTC)], pa.timestamp("ns", "UTC"))
    documents = pa.Table.from_pylist(index["documents"]).append_column("creation_date", created)
    for name, table in {"entities": entities, "community_reports": reports, "documents": documents}.items():
        pq.write_table(table, folder / f"{name}.parquet")
    snapshot = take_over(folder, tmp_path / "output")
    assert [row["title"] for row in rows_of(snapshot, "entities")] == ["SCROOGE", "MARLEY"]
    assert len(rows_of(snapshot, "community_reports")) == 2
    assert "2025-03-04" in json.loads(rows_of(snapshot, "documents")[0]["metadata"])["creation_date"]


def test_a_megabyte_of_one_character_is_soon_read(write: Callable[..., Path], tmp_path: Path) -> None:
    for number, char in enumerate("a[\n"):
        index = small()
        index["community_reports"][0]["summary"] = "Two " + char * 1_000_000
        index["entities"][0]["description"] = char * 1_000_000
        index["text_units"][0]["text"] = char * 1_000_000 + "x"
        started = time.process_time()
        take_over(write(index, name=f"graphrag{number}"), tmp_path / f"output{number}")
        assert time.process_time() - started < 20, char
