"""A folder becomes documents: what belongs to it, what fails alone, and ids that depend on content only."""

import asyncio
import errno
import io
import json
import logging
import os
import pickle
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from graphrag_lite import pipeline, tables
from graphrag_lite.attempts import in_turn
from graphrag_lite.cli import run_summary
from graphrag_lite.errors import InputError
from graphrag_lite.ops import init
from graphrag_lite.run.corpus_files import scan
from graphrag_lite.settings import LoadDocuments, Settings
from graphrag_lite.stages.load_documents import load_documents

Corpus = Callable[..., Path]


def load(
    corpus: Path, output: Path | None = None, each: Callable[..., Any] = in_turn, **settings: Any
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the rows of source_documents, and what failed."""
    files = tables.make("corpus_files", scan(corpus, leave_out=output or corpus.parent / "output").rows)
    failures: list[dict[str, Any]] = []

    def fail(document: str, error: str, attempts: int) -> None:
        failures.append({"document": document, "stage": "load_documents", "error": error, "attempts": attempts})

    documents = asyncio.run(load_documents(files, LoadDocuments(**settings), corpus, fail, each=each))
    tables.check("source_documents", documents)
    return documents.to_pylist(), failures


def paths(corpus: Path, output: Path | None = None) -> list[str]:
    return [row[0] for row in scan(corpus, leave_out=output or corpus.parent / "output").rows]


def ids(corpus: Path) -> dict[str, str]:
    return {row["text"]: row["id"] for row in load(corpus)[0]}


def test_a_folder(corpus: Corpus) -> None:
    folder = corpus({
        "b/notes.txt": "Launch\n\nDate: 1990-04-24\nIt flew.",
        "a.jsonl": [{"id": "7", "title": "T", "text": "x", "timestamp": 0, "speaker": "Ann", "deep": {"k": [1]}}],
    })  # fmt: skip
    (row, notes), failures = load(folder)
    assert failures == []
    assert (row["source_id"], row["title"], row["text"], row["path"], row["mime"]) == (
        "7", "T", "x", "a.jsonl", "application/jsonl",
    )  # fmt: skip
    assert row["created_at"] == "1970-01-01T00:00:00+00:00"
    assert row["metadata"] == '{"deep": {"k": [1]}, "speaker": "Ann"}'
    assert (notes["source_id"], notes["title"], notes["created_at"]) == ("b/notes.txt", "Launch", "1990-04-24")
    assert len(notes["content_sha256"]) == 64


def test_one_file_is_a_corpus(corpus: Corpus) -> None:
    folder = corpus({"a.txt": "one", "b.txt": "two"})
    (row,), _ = load(folder / "a.txt")
    assert (row["path"], row["text"], row["title"]) == ("a.txt", "one", "a")


def test_links_out_of_the_corpus_are_not_followed(corpus: Corpus, caplog: pytest.LogCaptureFixture) -> None:
    outside = corpus({"secret.txt": "secret"}, "outside")
    folder = corpus({"a.txt": "a"})
    (folder / "out.txt").symlink_to(outside / "secret.txt")
    (folder / "folder").symlink_to(outside)
    (folder / "up").symlink_to(folder)
    (folder / "again.txt").symlink_to("a.txt")
    with caplog.at_level(logging.INFO):
        assert paths(folder) == ["a.txt", "again.txt"]
    assert "3 links to folders, to nothing, or out of the corpus" in caplog.text


def test_links_that_lead_nowhere_are_failures(corpus: Corpus) -> None:
    folder = corpus({"a.txt": "a"})
    (folder / "gone.txt").symlink_to("nothing.txt")
    (folder / "loop.txt").symlink_to("loop.txt")
    documents, failures = load(folder)
    assert len(documents) == 1
    assert [row["document"] for row in failures] == ["gone.txt", "loop.txt"]


def test_hidden_files_and_other_kinds_are_left_out(corpus: Corpus, caplog: pytest.LogCaptureFixture) -> None:
    folder = corpus({"a.txt": "a", ".hidden.txt": "h", ".git/b.txt": "g", "c.png": "p", "Makefile": "m"})
    with caplog.at_level(logging.INFO):
        assert paths(folder) == ["a.txt"]
    assert "Left out: 1 .png files, 1 programs and other files without an ending." in caplog.text


def test_what_has_no_ending_is_read_as_what_it_holds(corpus: Corpus) -> None:
    mail = "Return-Path: <a@x.org>\nFrom: Ann Lee <a@x.org>\nDate: Mon, 1 Jan 2024 10:00:00 +0000\nSubject: Keel\n\nIt broke.\n"
    folder = corpus({
        "README": "The crane", "Notes of Dr. Lee": "On ropes", "cur/17.M1.host,S=9:2,S": mail, "new/1": mail.replace("broke", "holds"),
        "Inbox": f"From - Mon Jan  1 10:00:00 2024\n{mail}", "tool": "#!/bin/sh\necho", "core": b"\x7fELF\0\1", "Dockerfile": "FROM x",
    })  # fmt: skip
    (folder / "lock").symlink_to("127.0.1.1:+1234")
    documents, failures = load(folder)
    said = {row["path"]: (row["title"], [said["speaker"] for said in row["messages"]]) for row in documents}
    assert said == {
        "README": ("README", []), "Notes of Dr. Lee": ("Notes of Dr. Lee", []), "cur/17.M1.host,S=9:2,S": ("Keel", ["Ann Lee"]),
        "new/1": ("Keel", ["Ann Lee"]), "Inbox": ("Keel", ["Ann Lee"]),
    }  # fmt: skip
    assert not failures


def test_pipes_are_not_waited_for(corpus: Corpus) -> None:
    folder = corpus({"a.txt": "a"})
    os.mkfifo(folder / "pipe.txt")
    assert paths(folder) == ["a.txt"]


def test_the_index_and_its_prompts_are_no_documents(corpus: Corpus) -> None:
    folder = corpus({"a.txt": "a", "output/x.txt": "index", "notes/prompts/mine.md": "mine"})
    init.write_defaults(folder, force=False)
    assert (folder / "prompts" / "README.md").exists()
    assert paths(folder, output=folder / "output") == ["a.txt", "notes/prompts/mine.md"]


def test_a_folder_named_prompts_is_a_folder(corpus: Corpus) -> None:
    assert paths(corpus({"prompts/a.md": "a"})) == ["prompts/a.md"]


def test_files_are_read_in_any_process_but_those_of_many_documents(corpus: Corpus) -> None:
    sent: list[bytes | None] = []

    def elsewhere(function: Callable[..., Any], items: Iterable[Any]) -> Iterator[Any]:
        for item in items:
            sent.append(getattr(item, "data", None))
            work, one = pickle.loads(pickle.dumps((function, item)))  # noqa: S301 - our own
            yield pickle.loads(pickle.dumps(work(one)))  # noqa: S301

    folder = corpus({
        "2024-05-03 Standup.md": "# Notes\n\nAnn said so.\n\n## References\n\nA. B. 1999.",
        "binary.txt": b"\0\1\2", "empty.txt": " ", "rows.jsonl": [{"text": "one"}, {"text": "two"}, {"no": "text"}],
    })  # fmt: skip
    assert load(folder, each=elsewhere) == load(folder)
    assert {bytes(data)[:1] for data in sent if data} == {b"#", b"\0", b" "}


def test_what_cannot_be_read_is_a_failure_and_the_rest_goes_on(corpus: Corpus) -> None:
    folder = corpus(
        {"a.txt": b"\x7fELF\0\0", "b.jsonl": '{"text": "fine"}\n{"text"', "c.txt": "big" * 500, "d.txt": "d"}
    )
    (folder / "e.txt").symlink_to("nothing")
    documents, failures = load(folder, max_file_mb=0.001)
    assert [row["text"] for row in documents] == ["fine", "d"]
    assert [(row["document"], row["stage"], row["attempts"]) for row in failures] == [
        (name, "load_documents", 1) for name in ("a.txt", "b.jsonl:2", "c.txt", "e.txt")
    ]
    assert "max_file_mb" in failures[2]["error"]


def test_a_name_beyond_ascii_is_read_whatever_the_locale(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = corpus({"é.txt": "a"})
    monkeypatch.setattr(os, "fsencode", lambda name: name.encode("latin-1") if isinstance(name, str) else name)
    monkeypatch.setattr(os, "fsdecode", lambda name: name.decode("latin-1") if isinstance(name, bytes) else name)
    (folder / "é.txt").rename(folder / "Ã©.txt")  # as Python sees it where names are Latin-1
    (document,) = load(folder)[0]
    assert document["path"] == "é.txt"


def test_a_name_that_is_not_utf8_is_a_failure(corpus: Corpus) -> None:
    folder = corpus({"a.txt": "a"})
    try:
        (folder / os.fsdecode(b"caf\xe9.txt")).write_text("x")
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    documents, failures = load(folder)
    assert len(documents) == 1
    assert failures[0]["document"] == "caf\\xe9.txt" and "its name is not UTF-8" in failures[0]["error"]


@pytest.mark.skipif(not Path("/dev/null").exists(), reason="there are no devices in folders here")
def test_a_device_is_no_corpus(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="/dev/null: is neither a folder nor a file"):
        scan(Path("/dev/null"), tmp_path / "output")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may list every folder")
def test_a_folder_that_cannot_be_listed_is_a_failure(corpus: Corpus) -> None:
    folder = corpus({"a.txt": "a", "locked/b.txt": "b"})
    (folder / "locked").chmod(0)
    try:
        assert [row["document"] for row in load(folder)[1]] == ["locked"]
    finally:
        (folder / "locked").chmod(0o700)


def test_a_listing_that_fails_is_a_failure(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = corpus({"a.txt": "a", "locked/b.txt": "b"})
    opened = os.open

    def refuse(path: Any, *options: Any) -> Any:
        if Path(path).name == "locked":
            raise PermissionError(13, "Permission denied", str(path))
        return opened(path, *options)

    monkeypatch.setattr(os, "open", refuse)
    documents, failures = load(folder)
    assert [row["path"] for row in documents] == ["a.txt"]
    assert [row["document"] for row in failures] == ["locked"]


def test_empty_files_are_left_out(corpus: Corpus, caplog: pytest.LogCaptureFixture) -> None:
    folder = corpus({"a.txt": " \n", "b.txt": "", "c.txt": "c", "d.jsonl": [{"id": "9", "text": ""}]})
    with caplog.at_level(logging.INFO):
        documents, failures = load(folder)
    assert ([row["path"] for row in documents], failures) == (["c.txt"], [])
    assert "documents without text (3): a.txt, b.txt, 9" in caplog.text


def test_a_corpus_that_cannot_be_used_says_why(corpus: Corpus, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such folder"):
        scan(tmp_path / "nowhere", tmp_path)
    with pytest.raises(InputError, match=r"no documents.*\.csv, \.docm, \.docx"):
        scan(corpus({}), tmp_path / "output")
    with pytest.raises(InputError, match="no documents"):
        scan(corpus({"a.png": "p"}, "pictures"), tmp_path / "output")
    with pytest.raises(InputError, match=r"(?s)no document could be read.*a\.txt: not a text file"):
        load(corpus({"a.txt": b"a\0"}, "binary"))
    with pytest.raises(InputError, match="no document could be read"):
        load(corpus({"a.txt": ""}, "empty"))


def test_ids_depend_on_the_content_alone(corpus: Corpus) -> None:
    files = {"a.txt": "Launch\n\nIt flew.", "b.txt": "no title.", "c.jsonl": [{"text": "row"}]}
    before = ids(corpus(files))
    with_more = ids(corpus(files | {"0.txt": "more", "z.txt": "more still"}, "more"))
    assert before.items() <= with_more.items()
    renamed = ids(corpus({"x/1.txt": files["a.txt"], "2.txt": files["b.txt"], "y.jsonl": files["c.jsonl"]}, "renamed"))
    assert renamed == before


@pytest.mark.parametrize("change", [{"text": "y"}, {"title": "U"}, {"timestamp": 1}, {"speaker": "B"}])
def test_ids_change_with_the_content(corpus: Corpus, change: dict[str, Any]) -> None:
    row = {"id": "1", "title": "T", "text": "x", "timestamp": 0, "speaker": "A"}
    (before,), _ = load(corpus({"a.jsonl": [row]}))
    (after,), _ = load(corpus({"a.jsonl": [row | change]}, "changed"))
    assert before["id"] != after["id"]


def test_equal_documents_have_ids_of_their_own(corpus: Corpus) -> None:
    documents, _ = load(corpus({"a.txt": "same", "b.txt": "same", "c.jsonl": [{"text": "same"}, {"text": "same"}]}))
    assert len({row["id"] for row in documents}) == 4


@given(st.lists(st.lists(st.sampled_from(["a", "a (2)", "a (2) (2)", "b"]), max_size=6), min_size=1, max_size=3))
def test_path_and_id_name_one_document(files: list[list[str]]) -> None:
    """The first of a file that states an id has it, whatever others state; no file changes the ids of another."""
    with tempfile.TemporaryDirectory() as folder:
        for number, stated in enumerate([["a"], *files]):
            rows = (json.dumps({"id": identity, "text": str(row)}) for row, identity in enumerate(stated))
            (Path(folder) / f"{number}.jsonl").write_text("\n".join(rows))
        found = {(row["path"], int(row["text"])): row["source_id"] for row in load(Path(folder))[0]}
    assert len(found) == len({(path, identity) for (path, _), identity in found.items()})
    for number, stated in enumerate([["a"], *files]):
        assert all(found[f"{number}.jsonl", stated.index(identity)] == identity for identity in stated)


def test_a_title_comes_from_the_name_where_none_is_stated(corpus: Corpus) -> None:
    documents, _ = load(corpus({"x/my note.txt": "no title.", "b.jsonl": [{"id": "7", "text": "a"}, {"text": "b"}]}))
    assert [row["title"] for row in documents] == ["7", "b.jsonl:2", "my note"]


def test_deep_metadata_is_kept_or_reported(corpus: Corpus) -> None:
    rows = [f'{{"text": "x{depth}", "m": {"[" * depth}1{"]" * depth}}}' for depth in range(900, 1000, 7)]
    documents, failures = load(corpus({"a.jsonl": "\n".join(rows), "b.txt": "b"}))
    (failure,) = failures
    n_failed = int(failure["error"].split(" rows cannot be read: ")[0])
    assert len(documents) + n_failed == len(rows) + 1


def test_a_file_that_cannot_be_read_for_some_nights_stays_as_it_was_last_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk's bad night withdraws nothing that is paid for; a file that is gone is gone."""
    opened = io.open

    def failing(file: Any, *arguments: Any, **options: Any) -> Any:
        if Path(str(file)).name == "b.txt" and code:
            raise OSError(code, os.strerror(code))
        return opened(file, *arguments, **options)

    code = 0
    monkeypatch.setattr("builtins.open", failing)
    monkeypatch.setattr(io, "open", failing)
    folder, output = tmp_path / "corpus", tmp_path / "output"
    (folder / "in").mkdir(parents=True)
    (folder / "a.txt").write_text("Alice Smith met Bob Jones in Paris.\n")
    (folder / "in" / "b.txt").write_text("Carol White lives in Rome.\n")
    read = tables.read(pipeline.index(folder, output, Settings()).snapshot, "documents")["text"][1]
    for night, error in enumerate((errno.EIO, errno.EACCES, errno.ESTALE, errno.ENOTCONN)):
        code = error
        (folder / "in" / "b.txt").rename(folder / "in" / "c.txt")
        (folder / "in" / "c.txt").write_text(f"Carol White lives in Oslo, {night}.\n")
        (folder / "in" / "c.txt").rename(folder / "in" / "b.txt")
        if night:
            (folder / "a.txt").write_text(f"Alice Smith met Bob Jones in London, {night}.\n")
        run = pipeline.index(folder, output, Settings())
        assert tables.read(run.snapshot, "documents")["path"].to_pylist() == ["a.txt", "in/b.txt"]
        (failure,) = tables.read(run.snapshot, "failures").to_pylist()
        assert failure["document"] == "in/b.txt" and "kept as it was last read" in failure["error"]
        assert tables.read(run.snapshot, "documents")["text"][1] == read
    code = 0
    (folder / "in" / "b.txt").unlink()
    gone = pipeline.index(folder, output, Settings())
    assert tables.read(gone.snapshot, "documents")["path"].to_pylist() == ["a.txt"] and not gone.n_failures


def test_times_that_cannot_be_read_are_told_with_their_file(corpus: Corpus, caplog: pytest.LogCaptureFixture) -> None:
    folder = corpus({
        "chat.jsonl": [{"id": str(n), "text": f"x{n}", "timestamp": f"0{n}/06/2023"} for n in (1, 2, 3)],
        "mail.txt": "Date: Tue, 30 May 2023 23:40:00 +0200\n\nIt flew.",
        "note.md": "Date: sometime in 2023 or so\n\nIt fell.",
    })  # fmt: skip
    rows, failures = load(folder)
    assert failures == [] and sorted(row["created_at"] for row in rows) == ["", "", "", "", "2023-05-30T23:40:00+02:00"]
    assert [record.getMessage() for record in caplog.records] == [
        "chat.jsonl: times that cannot be read date nothing: 3, such as '01/06/2023'. "
        "Nothing tells whether the day or the month comes first.",
        "note.md: times that cannot be read date nothing: 1, such as 'sometime in 2023 or so'.",
    ]


def test_times_that_cannot_be_read_are_in_the_summary(corpus: Corpus, tmp_path: Path) -> None:
    folder = corpus({"chat.jsonl": [{"id": "1", "text": "Ann met Bob.", "at": "spring"}, {"id": "2", "text": "Bob."}]})
    values = Settings(load_documents=LoadDocuments(time_field="at"))
    for _ in range(2):  # also where nothing has changed
        run = pipeline.index(folder, tmp_path / "output", values)
        expected = {"path": "chat.jsonl", "documents": 1, "example": "spring"}
        assert run_summary.summary(run)["unread_times"] == [expected]
        printed = io.StringIO()
        run_summary.print_summary(Console(file=printed, width=200), run, run_summary.summary(run), "output")
        assert "1, such as 'spring' in chat.jsonl" in printed.getvalue()


def linked(tmp_path: Path, target: str) -> tuple[Path, Path]:
    """Index a corpus with a link in it; return the corpus and what the link leads to."""
    folder = tmp_path / "corpus"
    (folder / target).parent.mkdir(parents=True, exist_ok=True)
    (folder / "a.txt").write_text("Alice Smith met Bob Jones in Paris.\n")
    (folder / target).write_text("Carol White lives in Rome.\n")
    (folder / "link.txt").symlink_to(target)
    pipeline.index(folder, tmp_path / "output", Settings())
    return folder, folder / target


@pytest.mark.parametrize(
    ("target", "gone"), [("b.txt", "file"), ("b.txt", "loop"), ("disk/b.txt", "file"), ("disk/b.txt", "folder")]
)
def test_a_document_is_withdrawn_whose_link_leads_nowhere(tmp_path: Path, target: str, gone: str) -> None:
    folder, file = linked(tmp_path, target)
    file.unlink()
    if gone == "folder":
        file.parent.rmdir()
    if gone == "loop":
        (folder / "link.txt").unlink()
        (folder / "link.txt").symlink_to("link.txt")
    for _ in range(2):
        run = pipeline.index(folder, tmp_path / "output", Settings())
        assert tables.read(run.snapshot, "documents")["path"].to_pylist() == ["a.txt"]
        (failure,) = tables.read(run.snapshot, "failures").to_pylist()
        assert failure["document"] == "link.txt" and "kept" not in failure["error"]


def test_a_link_into_a_disk_that_is_not_mounted_keeps_its_document(tmp_path: Path) -> None:
    """A mount point without its disk is an empty folder of before, out of which nobody has deleted anything."""
    folder, file = linked(tmp_path, "disk/b.txt")
    file.unlink()
    os.utime(file.parent, (0, 0))
    for _ in range(2):
        run = pipeline.index(folder, tmp_path / "output", Settings())
        assert "link.txt" in tables.read(run.snapshot, "documents")["path"].to_pylist()
        (failure,) = tables.read(run.snapshot, "failures").to_pylist()
        assert failure["document"] == "link.txt" and "kept as it was last read" in failure["error"]
