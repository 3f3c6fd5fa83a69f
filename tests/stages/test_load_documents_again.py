"""Documents of files that are as they were are not read again, and the table is the one of an index from nothing."""

import asyncio
import tempfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from last_snapshot import last

from graphrag_lite import tables
from graphrag_lite.read.readers import Readers
from graphrag_lite.run.corpus_files import scan
from graphrag_lite.run.services import Last
from graphrag_lite.settings import LoadDocuments
from graphrag_lite.stages.load_documents import load_documents
from graphrag_lite.text import language
from graphrag_lite.text.language import detect

NAMES = ["a.txt", "b.txt", "note.md", "sub/note.md", "rows.jsonl", "more.jsonl", "t.csv", "one.json", "page.html"]
TEXTS = ["a", "one", "note", "rows.jsonl:1", "Rain.\n\nIt rained.", "# Note\n\nIt was the best of times.", " ", "été"]
ROWS = [
    '{"text": "row"}',
    '{"text": "row", "title": "rows.jsonl:1"}',
    '{"text": "row", "id": "rows.jsonl:1"}',
    '{"id": "7", "title": "7", "text": "seven", "timestamp": 0, "rest": [1.0, null, {"b": 1e400, "a": "\\ud800"}]}',
    '{"text": ""}',
    '{"text"',
    "[]",
]
STATES = st.dictionaries(
    st.sampled_from(NAMES), st.lists(st.sampled_from(ROWS), min_size=1, max_size=3).map("\n".join)
    | st.sampled_from(TEXTS), max_size=6
)  # fmt: skip


def load(folder: Path, before: Last | None, **section: Any) -> tuple[pa.Table, list[str]]:
    """Return source_documents, and the names of what failed."""
    files = tables.make("corpus_files", scan(folder, leave_out=folder.parent / "output").rows)
    failed: list[str] = []
    table = asyncio.run(
        load_documents(files, LoadDocuments(**section), folder, lambda name, *_: failed.append(name), before)
    )
    return table, failed


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """List the files that are parsed from now on."""
    names: list[str] = []
    read = Readers.read

    def counted(self: Readers, data: bytes, path: str, fields: Any) -> Any:
        names.append(path)
        return read(self, data, path, fields)

    monkeypatch.setattr(Readers, "read", counted)
    return names


@settings(deadline=None, max_examples=25)
@example([{"a.txt": "one"}, {"a.txt": "one", "b.txt": "one"}, {"b.txt": "one"}])  # equal documents come and go
@given(st.lists(STATES, min_size=2, max_size=4))
def test_the_table_is_the_one_from_nothing(states: list[dict[str, str]]) -> None:
    with tempfile.TemporaryDirectory() as place:
        before = None
        for number, state in enumerate(states):
            folder = Path(place) / str(number)
            for name, content in {"always.txt": "always", **state}.items():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_text(content)
            again, failed = load(folder, before)
            assert (tables.sha256(again), failed) == (tables.sha256((fresh := load(folder, None))[0]), fresh[1]), (
                again.to_pylist()
            )
            before = last(folder / ".snapshot", failed=failed, source_documents=again)


def written(folder: Path, files: dict[str, str]) -> Path:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
    return folder


def test_only_what_changed_is_parsed(tmp_path: Path, parsed: list[str]) -> None:
    folder = written(
        tmp_path / "corpus", {"a.txt": "a", "b.md": "b", "c.jsonl": ROWS[0], "d.txt": "d", "twin.txt": "d"}
    )
    before = last(tmp_path / "snapshot", source_documents=load(folder, None)[0])
    parsed.clear()
    (folder / "a.txt").rename(folder / "renamed.txt")
    (folder / "b.md").write_text("edited")
    (folder / "d.txt").unlink()
    written(folder, {"new.txt": "new"})
    again, _ = load(folder, before)
    assert sorted(parsed) == ["b.md", "new.txt"]
    assert sorted(zip(again["path"].to_pylist(), again["title"].to_pylist(), strict=True)) == [
        ("b.md", "b"), ("c.jsonl", "c.jsonl:1"), ("new.txt", "new"), ("renamed.txt", "renamed"), ("twin.txt", "twin"),
    ]  # fmt: skip


def test_a_renamed_file_is_not_converted_again(tmp_path: Path, parsed: list[str]) -> None:
    folder = written(tmp_path / "corpus", {"a.txt": "same", "b.txt": "same", "sub/c.txt": "same"})
    before = last(tmp_path / "snapshot", source_documents=load(folder, None)[0])
    parsed.clear()
    (folder / "a.txt").rename(folder / "z.txt")
    (folder / "sub/c.txt").rename(folder / "c.txt")
    again, _ = load(folder, before)
    assert parsed == []
    assert tables.sha256(again) == tables.sha256(load(folder, None)[0])


def test_a_file_renamed_to_another_day_is_of_that_day(tmp_path: Path) -> None:
    folder = written(tmp_path / "corpus", {"2024-05-03 a.md": "a", "b.md": "b"})
    before = last(tmp_path / "snapshot", source_documents=load(folder, None)[0])
    (folder / "2024-05-03 a.md").rename(folder / "2025-06-07 a.md")
    (folder / "b.md").rename(folder / "2023-01-02 b.md")
    assert load(folder, before)[0]["created_at"].to_pylist() == ["2023-01-02", "2025-06-07"]


def test_rows_of_a_renamed_file_have_its_name(tmp_path: Path) -> None:
    folder = written(tmp_path / "corpus", {"a.jsonl": f"{ROWS[0]}\n{ROWS[1]}"})
    before = last(tmp_path / "snapshot", source_documents=load(folder, None)[0])
    (folder / "a.jsonl").rename(folder / "b.jsonl")
    assert load(folder, before)[0]["source_id"].to_pylist() == ["b.jsonl:1", "b.jsonl:2"]


@pytest.mark.parametrize("changed", ["settings", "code"])
def test_all_is_parsed_where_the_stage_is_another(tmp_path: Path, parsed: list[str], changed: str) -> None:
    folder = written(tmp_path / "corpus", {"a.txt": "a"})
    before = last(tmp_path / "snapshot", changed=[changed], source_documents=load(folder, None)[0])
    load(folder, before)
    assert parsed == ["a.txt", "a.txt"]


def test_a_damaged_snapshot_counts_for_nothing(tmp_path: Path, parsed: list[str]) -> None:
    folder = written(tmp_path / "corpus", {"a.txt": "a"})
    before = last(tmp_path / "snapshot", source_documents=load(folder, None)[0])
    tables.path_in(before.folder, "source_documents").write_bytes(b"PAR1")
    load(folder, before)
    assert parsed == ["a.txt", "a.txt"]


def test_files_that_failed_are_parsed_again(tmp_path: Path, parsed: list[str]) -> None:
    folder = written(tmp_path / "corpus", {"a.jsonl": f"{ROWS[0]}\n{ROWS[5]}", "b.txt": "\0", "c.txt": "c"})
    first, failed = load(folder, None)
    assert failed == ["a.jsonl:2", "b.txt"]
    parsed.clear()
    _, again = load(folder, last(tmp_path / "snapshot", failed=failed, source_documents=first))
    assert parsed == ["a.jsonl", "b.txt"] and again == failed


def test_a_file_that_changes_after_the_scan_is_stored_as_what_was_read(tmp_path: Path) -> None:
    folder = written(tmp_path / "corpus", {"a.txt": "one"})
    files = tables.make("corpus_files", scan(folder, leave_out=tmp_path / "output").rows)
    written(folder, {"a.txt": "two"})
    between = asyncio.run(load_documents(files, LoadDocuments(), folder, lambda *_: None))
    written(folder, {"a.txt": "one"})
    again, _ = load(folder, last(tmp_path / "snapshot", source_documents=between))
    assert again["text"].to_pylist() == ["one"]


LANGUAGES = {
    "en": "It was the best of times, it was the worst of times, and it was the age of wisdom for all of us there.",
    "fr": "Dans la ville il y avait un homme qui ne savait pas que la maison de son père était à vendre pour les autres.",
    "de": "Es war die beste der Zeiten, und es war die schlechteste der Zeiten, und wir hatten alles vor uns an dem Tag.",
}
TOLD = st.lists(st.sampled_from([*LANGUAGES.values(), "OK!", "Na ja."]), min_size=1, max_size=7)


@settings(deadline=None, max_examples=25)
@given(st.lists(TOLD, min_size=2, max_size=4))
def test_languages_are_those_from_nothing(states: list[list[str]]) -> None:
    with tempfile.TemporaryDirectory() as place:
        before = None
        for number, texts in enumerate(states):
            folder = written(Path(place) / str(number), {f"{name}.txt": text for name, text in enumerate(texts)})
            again, _ = load(folder, before)
            assert again["language"].to_pylist() == load(folder, None)[0]["language"].to_pylist()
            before = last(Path(place) / f"snapshot {number}", source_documents=again)


def test_only_so_many_languages_are_told_again_as_it_takes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [*[LANGUAGES["en"]] * 6, *[LANGUAGES["fr"]] * 2, "OK!"]
    folder = written(tmp_path / "corpus", {f"{name}.txt": f"{text} {name}" for name, text in enumerate(texts)})
    before = last(tmp_path / "snapshot", source_documents=load(folder, None)[0])
    told: list[str] = []

    def counted(text: str) -> str:
        told.append(text)
        return detect(text)

    monkeypatch.setattr(language, "detect", counted)
    written(folder, {"new.txt": LANGUAGES["de"]})
    again, _ = load(folder, before)
    assert len(told) == 1 + 2 and again["language"].to_pylist().count("en") == 7
