"""A file is read again where it may have changed, and only there."""

import hashlib
import json
import os
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from graphrag_lite import pipeline
from graphrag_lite.errors import InputError
from graphrag_lite.run import corpus_listing, file_hashes
from graphrag_lite.run.corpus_files import scan
from graphrag_lite.run.file_hashes import NAME, SeenFiles
from graphrag_lite.settings import Settings

Corpus = Callable[..., Path]


@pytest.fixture
def old(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let files that were just written count as old."""
    monkeypatch.setattr(file_hashes, "TICK", -60_000_000_000)


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """List the files that are read from now on."""
    names: list[str] = []
    digest = hashlib.file_digest

    def counted(file: Any, name: str) -> Any:
        names.append(Path(file.name).name)
        return digest(file, name)

    monkeypatch.setattr(hashlib, "file_digest", counted)
    return names


def scanned(folder: Path, output: Path, *, trust: bool = True) -> dict[str, str]:
    """Scan and remember, as a run does; return the hashes by name."""
    output.mkdir(exist_ok=True)
    seen = SeenFiles(output, trust=trust)
    rows = scan(folder, leave_out=output, seen=seen).rows
    seen.write()
    return {name: sha256 for name, _, sha256 in rows}


def signed(line: str) -> str:
    return f"{file_hashes._sha256(line.encode())}\n{line}\n"


def truth(folder: Path) -> dict[str, str]:
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}


@pytest.mark.usefixtures("old")
def test_what_changed_is_read_again_and_nothing_else(corpus: Corpus, tmp_path: Path, read: list[str]) -> None:
    folder, output = corpus({"a.txt": "one", "b/c.txt": "two", "d.txt": "three"}), tmp_path / "output"
    scanned(folder, output)
    assert sorted(read) == ["a.txt", "c.txt", "d.txt"]
    read.clear()
    before = (output / NAME).stat().st_ino
    assert scanned(folder, output) == truth(folder) and read == []
    assert (output / NAME).stat().st_ino == before, "what is the same is not written again"
    (folder / "a.txt").write_text("changed")
    (folder / "b/c.txt").rename(folder / "e.txt")
    (folder / "d.txt").unlink()
    assert scanned(folder, output) == truth(folder)
    assert sorted(read) == ["a.txt", "e.txt"]
    assert "d.txt" not in (output / NAME).read_text()


@pytest.mark.usefixtures("old")
def test_an_edit_that_keeps_size_and_mtime_is_seen(corpus: Corpus, tmp_path: Path) -> None:
    folder, output = corpus({"a.txt": "one", "b.txt": "two"}), tmp_path / "output"
    scanned(folder, output)
    stat = (folder / "a.txt").stat()
    time.sleep(0.05)  # for a file system whose clock counts by some milliseconds
    (folder / "a.txt").write_text("ONE")
    os.utime(folder / "a.txt", ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert scanned(folder, output) == truth(folder)


def test_a_file_as_young_as_the_scan_is_not_trusted(corpus: Corpus, tmp_path: Path, read: list[str]) -> None:
    folder, output = corpus({"a.txt": "one"}), tmp_path / "output"
    for _ in range(2):
        assert scanned(folder, output) == truth(folder)
    assert read == ["a.txt", "a.txt"]


@pytest.mark.usefixtures("old")
def test_a_file_of_the_future_is_not_trusted(corpus: Corpus, tmp_path: Path, read: list[str]) -> None:
    folder, output = corpus({"a.txt": "one"}), tmp_path / "output"
    os.utime(folder / "a.txt", (time.time() + 86400, time.time() + 86400))
    for _ in range(2):
        assert scanned(folder, output) == truth(folder)
    assert read == ["a.txt", "a.txt"]


@pytest.mark.usefixtures("old")
@pytest.mark.parametrize(
    "damage",
    [
        lambda _: "",
        lambda text: text[: len(text) // 2],
        lambda text: re.sub(r'[0-9a-f]{8}"', '00000000"', text),
        lambda text: text.split("\n")[0],
        lambda text: "é\n" + text,
        lambda _: signed("[]"),
        lambda _: signed("[1, 7]"),
        lambda _: signed('[0, {"a": "b"}]'),
        lambda text: signed(f'[{file_hashes.VERSION}, "", {{"a": 7}}]') + text.partition("\n")[2],
    ],
)
def test_a_damaged_memory_counts_for_nothing(
    corpus: Corpus, tmp_path: Path, read: list[str], damage: Callable[[str], str]
) -> None:
    folder, output = corpus({"a.txt": "one", "b.txt": "two"}), tmp_path / "output"
    scanned(folder, output)
    text = (output / NAME).read_text()
    assert damage(text) != text
    (output / NAME).write_text(damage(text), encoding="utf-8")
    (folder / "c.txt").write_text("three")
    read.clear()
    assert scanned(folder, output) == truth(folder)
    assert len(read) == 3
    assert scanned(folder, output) == truth(folder)
    assert len(read) == 3, "it is written anew"


@pytest.mark.usefixtures("old")
def test_checksum_reads_every_file(corpus: Corpus, tmp_path: Path, read: list[str]) -> None:
    folder, output = corpus({"a.txt": "one", "b.txt": "two"}), tmp_path / "output"
    right = scanned(folder, output)
    lie = (output / NAME).read_text().split("\n")[2].replace(right["a.txt"], "0" * 64)
    header = [file_hashes.VERSION, file_hashes._sha256(lie.encode()), {}]
    (output / NAME).write_text(f"{signed(json.dumps(header))}{lie}\n")
    assert scanned(folder, output)["a.txt"] == "0" * 64
    read.clear()
    assert scanned(folder, output, trust=False) == right == truth(folder)
    assert len(read) == 2
    assert scanned(folder, output) == right and len(read) == 2, "and remembers what it found"


@pytest.mark.usefixtures("old")
def test_another_folder_is_read(corpus: Corpus, tmp_path: Path, read: list[str]) -> None:
    one, other = corpus({"a.txt": "one"}), corpus({"a.txt": "two"}, "other")
    stat = (one / "a.txt").stat()
    os.utime(other / "a.txt", ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert scanned(one, tmp_path / "output") == truth(one)
    assert scanned(other, tmp_path / "output") == truth(other)
    assert len(read) == 2


@pytest.mark.usefixtures("old")
@pytest.mark.parametrize("from_outside", [False, True])
def test_files_of_equal_times_are_read_where_their_folders_change_places(
    corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, from_outside: bool
) -> None:
    folder, output = corpus({"a/x.txt": "one", "b/x.txt": "two"}), tmp_path / "output"
    take_down = corpus_listing._no_files

    def one_tick(entries: Any, into: corpus_listing.Folder) -> Any:
        """Say the times of a file system with a coarse clock: both files were written in one tick of it."""
        others = take_down(entries, into)
        into.files[:] = [(name, size, 10**9, 10**9, inode) for name, size, _, _, inode in into.files]
        return others

    monkeypatch.setattr(corpus_listing, "_no_files", one_tick)
    other = tmp_path / "other" if from_outside else folder / "b"
    if from_outside:
        (folder / "b").rename(other)
    assert scanned(folder, output) == truth(folder)
    for old, new in ((folder / "a", tmp_path / "c"), (other, folder / "a"), (tmp_path / "c", other)):
        old.rename(new)
    assert scanned(folder, output) == truth(folder)


@pytest.mark.usefixtures("old")
def test_a_link_is_what_it_leads_to(corpus: Corpus, tmp_path: Path, read: list[str]) -> None:
    folder, output = corpus({"a.txt": "one", "b.txt": "two"}), tmp_path / "output"
    stat = (folder / "a.txt").stat()
    os.utime(folder / "b.txt", ns=(stat.st_atime_ns, stat.st_mtime_ns))
    (folder / "link.txt").symlink_to("a.txt")
    assert scanned(folder, output) == truth(folder)
    (folder / "link.txt").unlink()
    (folder / "link.txt").symlink_to("b.txt")
    read.clear()
    assert scanned(folder, output) == truth(folder) and read == []


@pytest.mark.usefixtures("old")
def test_a_file_that_cannot_be_read_is_not_remembered(
    corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, output = corpus({"a.txt": "one", "b.txt": "two"}), tmp_path / "output"
    digest = hashlib.file_digest

    def refuse(file: Any, name: str) -> Any:
        if file.name.endswith("a.txt"):
            raise PermissionError(13, "Permission denied")
        return digest(file, name)

    with monkeypatch.context() as patch:
        patch.setattr(hashlib, "file_digest", refuse)
        assert scanned(folder, output)["a.txt"] == ""
    assert scanned(folder, output) == truth(folder)


def test_a_scan_writes_nothing(corpus: Corpus, tmp_path: Path) -> None:
    folder = corpus({"a.txt": "one"})
    scan(folder, leave_out=tmp_path / "output")
    with pytest.raises(InputError):
        pipeline.index(tmp_path / "nowhere", tmp_path / "output", Settings())
    assert not (tmp_path / "output").exists()


@pytest.mark.usefixtures("old")
def test_an_index_remembers_its_files(notes: Path, tmp_path: Path, read: list[str]) -> None:
    output = tmp_path / "output"
    pipeline.index(notes, output, Settings())
    names = sorted(path.name for path in notes.iterdir())
    assert sorted(name for name in read if name in names) == names
    read.clear()
    assert not pipeline.index(notes, output, Settings()).changed
    assert not [name for name in read if name in names]
    assert not pipeline.index(notes, output, Settings(), checksum=True).changed
    assert sorted(name for name in read if name in names) == names
