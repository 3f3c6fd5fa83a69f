"""Tables: graphrag's columns, equal bytes for equal content, and damage that is always noticed."""

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag_lite import tables
from graphrag_lite.errors import TableError
from graphrag_lite.tables.long_texts import LongTexts

GRAPHRAG = {  # columns of microsoft/graphrag 3.x
    "documents": "id human_readable_id title text text_unit_ids creation_date raw_data",
    "text_units": "id human_readable_id text n_tokens document_id entity_ids relationship_ids covariate_ids",
    "entities": "id human_readable_id title type description text_unit_ids frequency degree",
    "relationships": "id human_readable_id source target description weight combined_degree text_unit_ids",
    "covariates": "id human_readable_id covariate_type type description subject_id object_id status start_date end_date "
    "source_text text_unit_id",
    "communities": "id human_readable_id community level parent children title entity_ids relationship_ids "
    "text_unit_ids period size",
    "community_reports": "id human_readable_id community level parent children title summary full_content rank "
    "rating_explanation findings full_content_json period size",
}
FILES = [("corpus_files", [(f"p{n}", n, f"{n:064x}") for n in range(300)])]


@pytest.mark.parametrize("name", GRAPHRAG)
def test_every_column_of_graphrag_is_there(name: str) -> None:
    ours = tables.schema(name).names
    assert set(GRAPHRAG[name].split()) <= set(ours)
    assert name in tables.FINAL


def fits(value: Any, kind: pa.DataType) -> bool:
    if value is None:
        return True
    if pa.types.is_list(kind):
        return isinstance(value, list) and all(fits(item, kind.value_type) for item in value)
    if pa.types.is_struct(kind):
        return isinstance(value, dict) and all(fits(value.get(field.name), field.type) for field in kind)
    if pa.types.is_floating(kind):
        return isinstance(value, int | float)
    return isinstance(value, int if pa.types.is_integer(kind) else str)


@pytest.mark.parametrize("index", ["dulce_index", "msgraphrag_verbs_fixture"])
@pytest.mark.parametrize("name", GRAPHRAG)
def test_types_are_those_of_real_indexes(shared: Path, index: str, name: str) -> None:
    rows = [
        json.loads(line) for line in (shared / f"replay/{index}/{name}.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    assert rows
    schema = tables.schema(name)
    for column in set(rows[0]):
        for row in rows:
            assert fits(row[column], schema.field(column).type), (column, row[column])


def test_every_table_has_a_description_of_every_column() -> None:
    for name in tables.TABLES:
        assert tables.TABLES[name].about
        assert all(text for _, _, text in tables.columns(name))
        assert not any(field.nullable for field in tables.schema(name))


@given(
    st.lists(st.tuples(st.text(alphabet=st.characters(exclude_categories=["Cs"])), st.integers(0, 2**62), st.just("")))
)
@settings(deadline=None)
def test_what_is_written_is_read(tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, int, str]]) -> None:
    folder = tmp_path_factory.mktemp("snapshot")
    (folder / "work").mkdir()
    data = tables.make("corpus_files", rows)
    first = tables.write(folder, "corpus_files", data).read_bytes()
    again = tables.read(folder, "corpus_files")
    assert again.equals(data)
    assert tables.write(folder, "corpus_files", again).read_bytes() == first


def report_row() -> dict[str, Any]:
    """Return a row of `community_reports` with a value in every column."""
    values: dict[Any, Any] = {pa.string(): "x", pa.bool_(): True}
    return {
        field.name: [] if pa.types.is_list(field.type) else values.get(field.type, 1)
        for field in tables.schema("community_reports")
    }


def test_nested_columns_come_back_with_equal_bytes(tmp_path: Path) -> None:
    row = report_row()
    row |= {"children": [3, 1], "findings": [{"explanation": "e", "summary": "s"}], "rank": 0.1}
    row["citations"] = [{"n": 1, "text_unit_id": "u", "document_id": "d", "char_start": 0, "char_end": 5}]
    data = tables.make("community_reports", [row])
    first = tables.write(tmp_path, "community_reports", data).read_bytes()
    again = tables.read(tmp_path, "community_reports")
    assert again.to_pylist() == [row]
    assert tables.write(tmp_path, "community_reports", again).read_bytes() == first


def test_some_columns_can_be_read_alone(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    tables.write(tmp_path, "corpus_files", tables.make(*FILES[0]))
    assert tables.read(tmp_path, "corpus_files", only=["size"]).column_names == ["size"]


def test_writing_leaves_an_older_snapshots_linked_file_alone(tmp_path: Path) -> None:
    for name in ("old", "new"):
        (tmp_path / name / "work").mkdir(parents=True)
    old = tables.write(tmp_path / "old", "corpus_files", tables.make(*FILES[0]))
    before = old.read_bytes()
    tables.path_in(tmp_path / "new", "corpus_files").hardlink_to(old)
    tables.write(tmp_path / "new", "corpus_files", tables.make("corpus_files", []))
    assert old.read_bytes() == before


@pytest.fixture
def written(tmp_path: Path) -> Path:
    (tmp_path / "work").mkdir()
    return tables.write(tmp_path, "corpus_files", tables.make(*FILES[0]))


def refused(path: Path) -> str:
    with pytest.raises(TableError, match=re.escape(str(path))) as caught:
        tables.read(path.parent.parent, "corpus_files")
    assert "Run `graphrag-lite index`" in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("size", [0, 1, 4, 8, 100, 1000, -1, -8])
def test_a_truncated_file_is_damaged(written: Path, size: int) -> None:
    written.write_bytes(written.read_bytes()[:size])
    assert "damaged" in refused(written)
    with pytest.raises(TableError, match="damaged"):
        tables.stored_shape(written.parent.parent, "corpus_files")


def test_no_flipped_byte_gives_other_content(written: Path) -> None:
    """Every byte, one at a time: an error that names the file, or the very same table."""
    data, table = written.read_bytes(), tables.read(written.parent.parent, "corpus_files")
    n_noticed = 0
    for position in range(len(data)):
        flipped = bytearray(data)
        flipped[position] ^= 0xFF
        written.write_bytes(flipped)
        try:
            again = tables.read(written.parent.parent, "corpus_files")
        except TableError as error:
            n_noticed += str(written) in str(error)
        else:
            assert again.equals(table), position
    assert n_noticed > 0.8 * len(data)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    assert "missing" in refused(tmp_path / "work" / "corpus_files.parquet")


@pytest.mark.parametrize("metadata", [None, {"graphrag_lite.schema": "0"}, {"graphrag_lite.schema": "99"}])
def test_another_schema_version_is_refused(written: Path, metadata: dict[str, str] | None) -> None:
    pq.write_table(tables.make(*FILES[0]).replace_schema_metadata(metadata), written)
    assert "schema version" in refused(written)


def test_other_columns_are_refused(written: Path) -> None:
    schema = pa.schema([("x", pa.int64())], metadata=tables.schema("corpus_files").metadata)
    pq.write_table(pa.table({"x": [1]}, schema=schema), written)
    assert "columns differ" in refused(written)


def test_check_finds_what_is_wrong() -> None:
    good = tables.make(*FILES[0])
    tables.check("corpus_files", good)
    with pytest.raises(TableError, match="corpus_files: columns differ"):
        tables.check("corpus_files", good.drop_columns(["size"]))
    with pytest.raises(TableError, match="columns differ"):
        tables.check("corpus_files", good.rename_columns(["path", "sizes", "sha256"]))
    with pytest.raises(TableError, match="empty values in size"):
        tables.check("corpus_files", tables.make("corpus_files", [("a", None, "b")]))
    with pytest.raises(TableError, match="empty values in rows"):
        tables.check("search_terms", tables.make("search_terms", [("a", 1, [1, None], [1])]))
    unit = dict(zip(tables.schema("source_units").names, ("i", "d", 0, 0, 1, "t", 1), strict=True))
    with pytest.raises(TableError, match="ids are not unique"):
        tables.check("source_units", tables.make("source_units", [unit, unit]))


def test_check_looks_into_structures() -> None:
    row = report_row()
    tables.check("community_reports", tables.make("community_reports", [row]))
    with pytest.raises(TableError, match="empty values in findings"):
        tables.check("community_reports", tables.make("community_reports", [row | {"findings": [{"summary": "s"}]}]))


def test_ids_tell_parts_apart() -> None:
    assert tables.content_id("a", "bc") != tables.content_id("ab", "c")
    assert tables.content_id("\ud800") == tables.content_id("\ud800")
    assert re.fullmatch("[0-9a-f]{32}", tables.content_id("x"))


def test_equal_tables_give_equal_bytes_however_they_were_put_together(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    rows = [(f"u{n}", "d", 0, 0, 1, f"word {n} " * (n % 90), 3) for n in range(6000)]
    whole = tables.make("source_units", rows)
    parts = pa.concat_tables([whole.slice(0, 777), whole.slice(777)])
    assert tables.sha256(parts) == tables.sha256(whole)
    assert tables.write(tmp_path, "source_units", parts).read_bytes() == (
        tables.write(tmp_path, "source_units", whole).read_bytes()
    )


def test_a_text_is_read_from_its_document_and_rows_only_beside_what_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    texts = [f"“Ça va?” {n} " * 999 for n in range(300)]
    spans = [(n, start, start + 500) for n in range(0, 300, 2) for start in (0, 700)]
    units = [(f"u{n}-{start}", f"d{n}", 0, start, end, texts[n][start:end], 9) for n, start, end in spans]
    about = ("d", "text/plain", "en", "", "{}", [], [], 0, [], "", "")
    names = ["id", "text", "source_id", "title", "path", "content_sha256", "mime", "language", "created_at", "metadata"]
    names += ["blocks", "messages", "human_readable_id", "text_unit_ids", "creation_date", "raw_data"]
    rows = [dict(zip(names, (f"d{n}", text, "", "", "", *about), strict=True)) for n, text in enumerate(texts)]
    tables.write(tmp_path, "documents", tables.make("documents", rows))
    path = tables.write(tmp_path, "source_units", tables.make("source_units", units))
    assert "text" not in pq.read_schema(path).names
    assert tables.read(tmp_path, "source_units").equals(tables.make("source_units", units))
    assert tables.read(tmp_path, "source_documents", only=["text"])["text"].to_pylist() == texts
    found = [each.to_pylist() for each in tables.batches(tmp_path, "documents", ["id"], "id", ["d7", "d250", "no"])]
    ids = {row["id"] for part in found for row in part}
    assert {"d7", "d250"} <= ids and len(ids) < 300
    assert not [*tables.batches(tmp_path, "documents", ["id"], "id", ["no"])]


def links(n: int) -> pa.Table:
    return tables.make("search_values", [("source", f"paper {i}", list(range(i % 7))) for i in range(n)])


def test_a_mapped_table_is_read_as_it_was_written(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    path = tables.write(tmp_path, "search_values", links(50))
    assert path.suffix == ".arrow" and tables.files(tmp_path) == [path]
    assert tables.read(tmp_path, "search_values").equals(links(50))
    assert tables.read(tmp_path, "search_values", only=["rows"]).equals(links(50).select(["rows"]))
    assert tables.stored_shape(tmp_path, "search_values") == (tables.schema("search_values"), 50)
    parts = pa.concat_tables([links(50).slice(0, 9), links(50).slice(9)])
    assert tables.sha256(parts, "search_values") == hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("length", [0, 7, 300, -9])
def test_a_mapped_table_that_was_cut_is_refused(length: int, tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    path = tables.write(tmp_path, "search_values", links(50))
    path.write_bytes(path.read_bytes()[:length])
    with pytest.raises(TableError, match="damaged"):
        tables.read(tmp_path, "search_values")
    path.unlink()
    with pytest.raises(TableError, match="missing"):
        tables.read(tmp_path, "search_values")


def test_a_mapped_table_stays_what_it_was_while_another_is_written(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    tables.write(tmp_path, "search_values", links(50))
    data = tables.read(tmp_path, "search_values")
    tables.write(tmp_path, "search_values", links(3))
    assert data.equals(links(50))


NO_KEYS = {  # end like one: own ids, a copy of documents before it, titles under graphrag's names, what may be gone
    ("source_documents", "source_id"),
    ("facts", "fact_group_id"),
    ("source_units", "document_id"),
    ("documents", "source_id"),
    ("covariates", "subject_id"),
    ("covariates", "object_id"),
    ("report_bases", "entity_ids"),
    ("report_bases", "relationship_ids"),
}


def test_every_column_of_ids_declares_the_table_that_it_names() -> None:
    declared = {(table, column) for table, column, _ in tables.foreign_keys()}
    named = {
        (table, column)
        for table in tables.TABLES
        for column in tables.schema(table).names
        if column.endswith(("_id", "_ids", "reply_to", "invalidated_by")) and column != "human_readable_id"
    }
    assert named - NO_KEYS == declared
    for table, column, key in tables.foreign_keys():
        assert "id" in tables.schema(key.table).names, (table, column)
        assert not key.back or (key.table, key.back) in declared, (table, column)


@given(st.integers(0, 9000), st.integers(0, 9000), st.sampled_from(["whale ", "é", "“Ça 中🐋", "\n🐋"]))
def test_a_stretch_of_a_long_text_is_that_of_the_string(start: int, stop: int, piece: str) -> None:
    text = (piece * 9000)[:9000]
    held = LongTexts(pa.table({"id": ["a"], "text": [text]}))["a"]
    assert held[start:stop] == text[start:stop] and held[:] == text
