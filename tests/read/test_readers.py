"""Readers that are passed in Python, and which of several reads a file; those of packages: tests/test_extending.py."""

from pathlib import Path

from graphrag_lite import pipeline, tables
from graphrag_lite.read.documents import Fields, Loaded, Reader
from graphrag_lite.read.readers import all_readers
from graphrag_lite.settings import Settings


def upper(data: bytes, path: str, fields: Fields) -> list[Loaded]:
    return [Loaded(path, "", data.decode().upper())]


def test_a_reader_that_is_passed_goes_first_and_another_version_reads_again(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    (corpus / "a.txt").write_text("ann met bob.")

    def index(version: str) -> pipeline.Run:
        reader = Reader({".txt": "text/plain"}, upper, version=version)
        return pipeline.index(corpus, tmp_path / "output", Settings(), readers=[reader])

    first = index("1")
    assert tables.read(first.snapshot, "documents")["text"].to_pylist() == ["ANN MET BOB."]
    assert not index("1").changed
    assert "load_documents" in index("2").ran
    assert pipeline.index(corpus, tmp_path / "output", Settings()).changed


def test_of_several_readers_the_first_that_recognises_the_bytes_reads() -> None:
    log = Reader({".txt": "text/x-log"}, upper, recognises=lambda data: data.startswith(b"LOG"))
    readers = all_readers([log])
    texts = [
        item.text
        for data in (b"LOG a", b"a")
        for item in readers.read(data, "a.txt", Fields())
        if isinstance(item, Loaded)
    ]
    assert texts == ["LOG A", "a"]


def test_an_empty_file_is_called_so_whatever_its_kind() -> None:
    readers = all_readers()
    for suffix in readers.suffixes():
        found = list(readers.read(b"", f"a{suffix}", Fields()))
        assert all(isinstance(item, Loaded) or item.error == "an empty file" for item in found), (suffix, found)


def test_a_row_that_ends_before_its_text_has_none_in_a_field_that_is_there() -> None:
    found = list(all_readers().read(b"id,text\n1,It is open all day and all night.\n2\n", "a.csv", Fields()))
    assert [item.error for item in found if not isinstance(item, Loaded)] == [
        "no text in field `text` (fields: id, text)"
    ]
