"""Tables in parts: read as one, and of what is written again only the parts whose rows differ are new files."""

import asyncio
import io
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphrag_lite
from graphrag_lite import pipeline, tables
from graphrag_lite.errors import TableError
from graphrag_lite.ops import check
from graphrag_lite.retrieval.bm25 import read_postings, read_segments
from graphrag_lite.run import snapshots
from graphrag_lite.run.loop import Run
from graphrag_lite.settings import Settings
from graphrag_lite.stages.publish_documents import publish_documents
from graphrag_lite.tables import groups, parts, segments
from graphrag_lite.tables.row_groups import RowGroups
from graphrag_lite.tables.side_by_side import SideBySide
from graphrag_lite.views.exports import exported

EXAMPLE = Path(__file__).parents[1] / "examples" / "corpus"
PEOPLE = "Alma Reed met Jonas Falk in Bergen. Jonas Falk wrote to Alma Reed about the harbour of Bergen.\n"


@pytest.fixture(autouse=True, scope="module")
def _small() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(parts, "LEAST", 2000)
        yield


def documents(n: int, *, changed: int = -1, start: int = 0) -> pa.Table:
    """Return documents of 6 to 600 bytes; what is `changed` has another id, and another text."""
    words = [f"{'other ' * (k == changed)}text {k} " * (k % 60 + 1) for k in range(start, n)]
    rest = ("x", "", "text/plain", "en", "", "{}", [], [])
    ids = [tables.content_id(text) for text in words]
    loaded = [
        (identity, f"s{k}", f"title {k}", text, *rest)
        for k, (identity, text) in enumerate(zip(ids, words, strict=True), start)
    ]
    units = tables.make("source_units", [(f"u{key}", key, 0, 0, 1, "t", 1) for key in ids])
    return asyncio.run(publish_documents(tables.make("source_documents", loaded), units))


@pytest.fixture
def folders(tmp_path: Path) -> list[Path]:
    made = [tmp_path / name for name in ("before", "after", "anew")]
    for folder in made:
        (folder / "work").mkdir(parents=True)
    return made


def test_a_table_in_parts_is_read_as_one(folders: list[Path]) -> None:
    whole = documents(400)
    path = tables.write(folders[0], "documents", whole)
    files = [file for _, file in parts.part_files(path)]
    assert len(files) > 9 and tables.files(folders[0]) == files
    assert tables.size(path) == sum(file.stat().st_size for file in files)
    assert tables.read(folders[0], "documents").equals(whole)
    assert tables.read(folders[0], "documents", ["id", "human_readable_id"]).equals(
        whole.select(["id", "human_readable_id"])
    )
    assert tables.stored_shape(folders[0], "documents") == (tables.schema("documents"), 400)
    read = [each["id"].to_pylist() for each in tables.batches(folders[0], "documents", ["id"])]
    assert [*chain(*read)] == whole["id"].to_pylist()
    assert tables.sha256(whole, "documents") == snapshots.table_digest(path)
    one = tables.write(folders[1], "documents", documents(3))
    assert one.is_file() and tables.read(folders[1], "documents").equals(documents(3))


def test_single_values_are_read_of_the_part_that_has_them(folders: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphrag_lite.tables.row_groups.LONG", 40_000)
    whole = documents(400)
    tables.write(folders[0], "documents", whole)
    groups = RowGroups(folders[0], "documents")
    assert "text" in groups.long and "id" not in groups.long
    assert [groups.value("text", row) for row in range(399, -1, -1)] == whole["text"].to_pylist()[::-1]


@pytest.mark.parametrize(
    ("now", "n_new"), [({}, 0), ({"changed": 150}, 2), ({"n": 410}, 4), ({"n": 390}, 1), ({"start": 1}, 2)]
)
def test_parts_that_stay_are_links_and_the_bytes_those_of_a_first_run(
    now: dict[str, int], n_new: int, folders: list[Path]
) -> None:
    before = tables.write(folders[0], "documents", documents(400))
    after = tables.write(folders[1], "documents", documents(**{"n": 400} | now), folders[0])
    anew = tables.write(folders[2], "documents", documents(**{"n": 400} | now))
    assert snapshots.table_digest(after) == snapshots.table_digest(anew)
    there = {file.stat().st_ino for _, file in parts.part_files(before)}
    files = [file for _, file in parts.part_files(after)]
    assert len([file for file in files if file.stat().st_ino not in there]) <= n_new < len(files)


def _word_counts(*rows: tuple[str, int]) -> pa.Table:
    return tables.make("word_counts", rows)


@pytest.mark.parametrize(
    ("name", "before", "now"),
    [
        ("word_counts", _word_counts(("ash", 1), ("elm", 2)), _word_counts(("ash", 1), ("elm", 3))),
        ("word_counts", _word_counts(("ash", 1)), _word_counts(("ash", 1), ("elm", 3))),
        ("search_lengths", *(tables.make("search_lengths", [(1.5, 0.75, 7.0, n, 1)]) for n in (3, 4))),
    ],
)
def test_a_table_in_one_file_is_a_link_where_all_rows_are_the_same(
    name: str, before: pa.Table, now: pa.Table, folders: list[Path]
) -> None:
    there = tables.write(folders[0], name, before)
    pieces = pa.concat_tables([before.slice(0, 1), before.slice(1)])
    assert tables.write(folders[1], name, pieces, folders[0]).samefile(there)
    after, anew = tables.write(folders[1], name, now, folders[0]), tables.write(folders[2], name, now)
    assert not after.samefile(there) and after.read_bytes() == anew.read_bytes()
    assert tables.read(folders[0], name).equals(before)


@pytest.mark.parametrize("now", [{}, {"changed": 150}, {"n": 410}, {"n": 7}, {"start": 1}, {"start": 1, "changed": 9}])
def test_two_runs_are_compared_by_the_parts_that_only_one_has(now: dict[str, int], folders: list[Path]) -> None:
    then, here = documents(400), documents(**{"n": 400} | now)
    tables.write(folders[0], "documents", then)
    tables.write(folders[1], "documents", here, folders[0])
    columns = ["id", "title", "text"]
    others = groups.changed_keys(here, then, "id", columns)
    titles = then.set_column(then.schema.get_field_index("title"), "title", [[f"new {k}" for k in range(400)]])
    for building in (folders[1], None):
        both = SideBySide("documents", here.select(columns), folders[0], building)
        assert both.then.combine_chunks().equals(then.select(columns).combine_chunks())
        assert both.changed("id", columns) == others
        assert not building or here.num_rows < 40 or max(each.num_rows for each in both.apart) < 60
        rows = groups.row_indices(here["id"], then["id"])
        assert both.rows_then(columns).tolist() == np.where(groups.is_in(here, "id", others), -1, rows).tolist()
    tables.write(folders[2], "documents", titles, folders[0])
    both = SideBySide("documents", titles.select(columns), folders[0], folders[2])
    assert both.changed("id", ["title"]) == {*then["id"].to_pylist()} and set(both.rows_then(columns)) == {-1}
    assert both.changed("id", ["text"]) == set()


def test_a_part_that_is_compared_is_told_where_it_is_missing_and_one_that_both_have_is_not_read(
    folders: list[Path],
) -> None:
    then, here = documents(400), documents(400, changed=150)
    path = tables.write(folders[0], "documents", then)
    tables.write(folders[1], "documents", here, folders[0])
    shared = {file.name.partition("-")[2] for file in tables.path_in(folders[1], "documents").iterdir()}
    for _, file in parts.part_files(path):
        file.write_bytes(b"damaged" if file.name.partition("-")[2] not in shared else b"not read")
    with pytest.raises(TableError, match="damaged"):
        SideBySide("documents", here.select(["id"]), folders[0], folders[1])
    assert SideBySide("documents", then.select(["id"]), folders[0], folders[0]).then.equals(then.select(["id"]))


def test_where_parts_end_hangs_on_values_not_on_chunks() -> None:
    whole = documents(400)
    pieces = pa.concat_tables([whole.slice(0, 7), whole.slice(7, 200), whole.slice(207)])
    assert parts.first_rows(pieces, "id") == parts.first_rows(whole, "id")
    assert parts.digest(pieces) == parts.digest(whole) != parts.digest(documents(400, changed=3))
    shown = [each for name in ("facts", "entity_mentions", "document_signs") for each in tables.schema(name).types]
    assert {pa.bool_(), pa.float64(), pa.list_(pa.field("element", pa.uint32()))} <= set(shown)
    for kind, values in (
        (pa.bool_(), [True, False]),
        (pa.float64(), [0.5, 1.5]),
        (pa.list_(pa.uint32()), [[1], [2, 3]]),
    ):
        one, other = (pa.table({"a": pa.array([values[k], *values], kind)}) for k in (0, 1))
        assert parts.digest(one.slice(1)) == parts.digest(other.slice(1)) != parts.digest(one.slice(0, 2))


def test_what_is_missing_is_told(folders: list[Path]) -> None:
    path = tables.write(folders[0], "documents", documents(400))
    files = [file for _, file in parts.part_files(path)]
    files[3].unlink()
    with pytest.raises(TableError, match="damaged"):
        tables.read(folders[0], "documents")
    for file in path.iterdir():
        file.unlink()
    with pytest.raises(TableError, match="missing"):
        tables.read(folders[0], "documents")


def test_a_search_table_that_is_read_whole_is_compressed(folders: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segments, "LEAST", 32)
    times = tables.make_columns("search_times", told=[[]] * 20_000)
    paths = [
        tables.write(folders[0], name, data)
        for name, data in (("search_times", times), ("search_terms", in_ranges(900)))
    ]
    assert tables.read(folders[0], "search_times").equals(times) and tables.size(paths[0]) < 5_000
    monkeypatch.setattr(tables, "COMPRESSED", 0)
    again = [
        tables.write(folders[1], name, data)
        for name, data in (("search_times", times), ("search_terms", in_ranges(900)))
    ]
    assert tables.size(again[0]) > 80_000
    of_ranges = [[each.read_bytes() for _, each in parts.part_files(path)] for path in (paths[1], again[1])]
    assert of_ranges[0] == of_ranges[1]  # of which a question reads little


def index(folder: Path, output: Path) -> Run:
    return pipeline.index(folder, output, Settings.model_validate({"communities": {"mode": "full"}}))


def test_an_edited_file_writes_few_parts_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segments, "LEAST", 4)
    folder = tmp_path / "corpus"
    folder.mkdir()
    for file in sorted(EXAMPLE.rglob("*.*")):
        (folder / file.name).write_bytes(file.read_bytes())
    first = index(folder, tmp_path / "output")
    edited = sorted(folder.iterdir())[2]
    edited.write_text(edited.read_text(encoding="utf-8") + PEOPLE, encoding="utf-8")
    after, anew = index(folder, tmp_path / "output"), index(folder, tmp_path / "anew")
    assert {name: each["sha256"] for name, each in after.manifest["tables"].items()} == {
        name: each["sha256"] for name, each in anew.manifest["tables"].items()
    }
    there = {path.stat().st_ino for path in tables.files(first.snapshot)}
    for name in ("documents", "text_units", "entity_mentions", "search_terms"):
        files = [file for _, file in parts.part_files(tables.path_in(after.snapshot, name))]
        new = [file for file in files if file.stat().st_ino not in there]
        assert len(new) <= 4 < len(files), name
    assert not check.check(after.snapshot).problems
    opened = graphrag_lite.open(tmp_path / "output")
    files = dict(exported(opened, "parquet"))
    assert sorted(files) == sorted(f"{name}.parquet" for name in tables.FINAL)
    whole = pq.ParquetFile(io.BytesIO(files["text_units.parquet"])).read()
    assert whole.equals(tables.read(after.snapshot, "text_units")) and "human_readable_id" in whole.column_names
    assert opened.query("Where did Alma Reed meet Jonas Falk?").citations
    del opened  # which held the files that are damaged now
    parts.part_files(tables.path_in(after.snapshot, "search_terms"))[-1][1].write_bytes(b"")
    edited.write_text(edited.read_text(encoding="utf-8") + PEOPLE, encoding="utf-8")
    assert not check.check(index(folder, tmp_path / "output").snapshot).problems


def postings(n_units: int, *, start: int = 0) -> pa.Table:
    """Return postings of units that hold one of seven words each, every one of them others, and a word of their own."""
    held: dict[str, list[tuple[int, int]]] = {}
    for unit in range(start, n_units):
        for word, n in ((f"w{unit % 7}", unit % 3 + 1), (f"own{unit}", 1), ("all", unit % 9 + 1)):
            held.setdefault(word, []).append((unit - start, n))
    rows = [(term, len(each), [unit for unit, _ in each], [n for _, n in each]) for term, each in sorted(held.items())]
    return tables.make("search_terms", rows)


def in_ranges(n_units: int, *, start: int = 0) -> parts.Ranges:
    """Return them in parts, of units that are called by their numbers."""
    firsts = segments.first_rows([str(unit) for unit in range(start, n_units)])
    return segments.split(postings(n_units, start=start), firsts, n_units - start)


def test_postings_in_ranges_of_rows_are_read_as_one_and_term_by_term(
    folders: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(segments, "LEAST", 32)
    whole, norms = postings(900), np.linspace(1, 2, 900)
    path = tables.write(folders[0], "search_terms", in_ranges(900))
    assert path.is_dir() and tables.read(folders[0], "search_terms").equals(whole)
    assert tables.stored_shape(folders[0], "search_terms") == (tables.schema("search_terms"), whole.num_rows)
    held = segments.open_segments(folders[0], "search_terms")
    assert held is not None
    one, other = read_segments(held, norms, 950), read_postings(whole, norms, 950)
    assert len(one.units) == len(other.units) and one.novelty == other.novelty
    for term in ("all", "w3", "own0", "own899", "none"):
        assert one.units_of(term).tolist() == other.units_of(term).tolist()
        assert (one.scores([term, "all"]) == other.scores([term, "all"])).all()
    assert sorted(one.forms("own12").tolist()) == sorted(other.forms("own12").tolist())
    after = tables.write(folders[1], "search_terms", in_ranges(900, start=1), folders[0])
    anew = tables.write(folders[2], "search_terms", in_ranges(900, start=1))
    assert snapshots.table_digest(after) == snapshots.table_digest(anew)
    there = {file.stat().st_ino for file in tables.files(folders[0])}
    new = [file for file in tables.files(folders[1]) if file.stat().st_ino not in there]
    assert len(new) <= 2 and len(tables.files(folders[1])) > 5  # what is said of terms, and the first range


_LISTS = st.lists(st.none() | st.lists(st.none() | st.sampled_from(["", "a", "aa"]), max_size=2), max_size=3)


@given(*2 * [_LISTS], st.integers(0, 3))
def test_a_hash_tells_rows_apart_that_differ_however_they_are_held(
    one: list[Any], other: list[Any], start: int
) -> None:
    kind = pa.list_(pa.string())
    first = pa.table({"x": pa.array([*one[:start], *one], kind)}).slice(len(one[:start]))
    second = pa.table({"x": pa.array(other, kind)})
    assert (parts.digest(first) == parts.digest(second)) == (one == other)
