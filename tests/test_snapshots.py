"""Publication is one step, retention keeps N, `current` is not trusted, errors of the disk say what to do."""

import errno
import json
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from graphrag_lite import pipeline, snapshots, tables
from graphrag_lite.errors import GraphragLiteError, IndexNotFound, LockedError, OutputError, TableError
from graphrag_lite.settings import Settings

TEXTS = {
    "a.txt": "Alice Smith met Bob Jones in Paris. Bob Jones works for Acme Corporation.\n",
    "b.txt": "Carol White lives in Rome with Bob Jones. Carol White left Acme Corporation in 1990.\n",
}


def _settings(max_sentences: int = 2, keep: int = 3) -> Settings:
    return Settings.model_validate(
        {"summarize_descriptions": {"max_sentences": max_sentences}, "snapshots": {"keep": keep}}
    )


def _building(output: Path, content: str = "x") -> Path:
    building = snapshots.workplace(output)
    (building / "documents.parquet").write_text(content)
    snapshots.write_json(building / "stamps.json", {})
    return building


MANIFEST: dict[str, Any] = {"tables": {}, "stages": {}, "settings": {}}


def test_current_is_the_published_folder(tmp_path: Path) -> None:
    folder = snapshots.publish(tmp_path, _building(tmp_path), MANIFEST, keep=3)
    assert snapshots.current(tmp_path) == folder
    assert snapshots.read_manifest(folder)["id"] == folder.name
    assert sorted(path.name for path in folder.iterdir()) == ["documents.parquet", "manifest.json", "work"]
    assert not (tmp_path / "building").exists()


@pytest.mark.parametrize(
    "name", ["", " \n", ".", "..", "../..", "../elsewhere", "/etc", "a/b", "gone", "a\0b", "x" * 999]
)
def test_a_current_that_names_no_snapshot_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / "snapshots").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "current").write_text(name)
    with pytest.raises(IndexNotFound, match="graphrag-lite index"):
        snapshots.current(tmp_path)


def test_a_current_that_is_no_text_or_no_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "current").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(IndexNotFound):
        snapshots.current(tmp_path)
    (tmp_path / "current").unlink()
    (tmp_path / "current").mkdir()
    with pytest.raises(IndexNotFound):
        snapshots.current(tmp_path)
    with pytest.raises(IndexNotFound):
        snapshots.current(tmp_path / "nowhere")


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"{}", b'"x"', b'{"tables": {}}', b"\xff"])
def test_a_damaged_manifest_is_a_table_error(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_bytes(content)
    with pytest.raises(TableError, match="build it again"):
        snapshots.read_manifest(tmp_path)


def test_a_damaged_manifest_is_healed_by_the_next_run(corpus: Callable[..., Path], tmp_path: Path) -> None:
    folder, output = corpus(TEXTS), tmp_path / "output"
    first = pipeline.index(folder, output, _settings())
    (first.snapshot / "manifest.json").write_text("{}")
    again = pipeline.index(folder, output, _settings())
    assert again.changed and again.snapshot != first.snapshot
    assert snapshots.read_manifest(snapshots.current(output))["tables"]["documents"]["rows"] == 2


def test_retention_keeps_the_newest(corpus: Callable[..., Path], tmp_path: Path) -> None:
    folder, output = corpus(TEXTS), tmp_path / "output"
    made = [pipeline.index(folder, output, _settings(n, keep=2)).snapshot for n in (1, 2, 1, 2)]
    assert len(set(made)) == 4
    assert sorted((output / "snapshots").iterdir()) == made[2:]
    assert snapshots.current(output) == made[3]


def test_the_published_snapshot_stays_even_where_the_clock_ran_backwards(tmp_path: Path) -> None:
    for year in (2990, 2991, 2992):
        (tmp_path / "snapshots" / f"{year}0101T000000000000Z-0").mkdir(parents=True)
    folder = snapshots.publish(tmp_path, _building(tmp_path), MANIFEST, keep=1)
    assert snapshots.current(tmp_path) == folder


def test_a_run_killed_before_the_pointer_moved_is_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = snapshots.publish(tmp_path, _building(tmp_path, "old"), MANIFEST, keep=3)
    write = snapshots.write_text

    def killed(path: Path, text: str) -> None:
        if path.name == "current":
            raise KeyboardInterrupt
        write(path, text)

    monkeypatch.setattr(snapshots, "write_text", killed)
    with pytest.raises(KeyboardInterrupt):
        snapshots.publish(tmp_path, _building(tmp_path, "new"), MANIFEST, keep=3)
    monkeypatch.undo()
    assert snapshots.current(tmp_path) == first
    assert (snapshots.workplace(tmp_path) / "documents.parquet").read_text() == "new"
    assert list((tmp_path / "snapshots").iterdir()) == [first]


def test_a_run_killed_just_after_the_pointer_moved_is_not_taken_back(tmp_path: Path) -> None:
    folder = snapshots.publish(tmp_path, _building(tmp_path), MANIFEST, keep=3)
    snapshots.write_json(folder / "stamps.json", {})
    assert list(snapshots.workplace(tmp_path).iterdir()) == [tmp_path / "building" / "work"]
    assert snapshots.current(tmp_path) == folder and not (folder / "stamps.json").exists()


def test_a_reader_never_sees_half_an_index(corpus: Callable[..., Path], tmp_path: Path) -> None:
    """A thread reads `current` and every table of it again and again while runs are published."""
    folder, output = corpus(TEXTS), tmp_path / "output"
    pipeline.index(folder, output, _settings(1))
    seen: set[str] = set()
    problems: list[object] = []
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            try:
                snapshot = snapshots.current(output)
                manifest = snapshots.read_manifest(snapshot)
                for name, entry in manifest["tables"].items():
                    if tables.read(snapshot, name).num_rows != entry["rows"]:
                        problems.append((snapshot, name, "rows"))
                    if snapshots.digest(tables.path_in(snapshot, name)) != entry["sha256"]:
                        problems.append((snapshot, name, "digest"))
                seen.add(snapshot.name)
            except GraphragLiteError as error:
                problems.append(error)

    reader = threading.Thread(target=read)
    reader.start()
    try:
        made = {pipeline.index(folder, output, _settings(n)).snapshot.name for n in (2, 3, 1, 2, 3, 1)}
    finally:
        done.set()
        reader.join()
    assert problems == []
    assert len(seen & made) >= 3


def test_text_is_replaced_in_one_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "current"
    snapshots.write_text(path, "old")

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        snapshots.write_text(path, "new")
    assert path.read_text() == "old"


@pytest.mark.parametrize(
    ("number", "says"),
    [
        (errno.ENOSPC, "no space left"),
        (errno.EDQUOT, "quota"),
        (errno.EFBIG, "largest file size"),
        (errno.EROFS, "read-only"),
        (errno.EACCES, "no permission"),
        (errno.EPERM, "no permission"),
        (errno.ENOTDIR, "not a folder"),
        (errno.EEXIST, "not a folder"),
    ],
)
def test_refused_writing_is_an_output_error_that_says_what_to_do(number: int, says: str, tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=says) as caught, snapshots.writing(tmp_path):
        raise OSError(number, "refused", str(tmp_path / "x"))
    assert str(tmp_path / "x") in str(caught.value) and "Nothing was published" in str(caught.value)


def test_another_error_of_the_system_keeps_its_traceback(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="bad"), snapshots.writing(tmp_path):
        raise OSError(errno.EBADF, "bad")


def test_two_holders_of_the_lock_are_refused(tmp_path: Path) -> None:
    with snapshots.locked(tmp_path):
        holder = json.loads((tmp_path / "lock.json").read_text())
        with pytest.raises(LockedError) as caught, snapshots.locked(tmp_path):
            pytest.fail("held twice")
        assert f"process {os.getpid()}" in str(caught.value) and holder["since"] in str(caught.value)
    with snapshots.locked(tmp_path):
        pass
    assert not (tmp_path / "lock.json").exists()


def test_a_damaged_note_of_the_holder_does_not_matter(tmp_path: Path) -> None:
    with snapshots.locked(tmp_path):
        (tmp_path / "lock.json").write_text("{")
        with pytest.raises(LockedError, match="another process"), snapshots.locked(tmp_path):
            pytest.fail("held twice")


def test_link_shares_the_file_and_copies_where_it_cannot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, target = tmp_path / "a", tmp_path / "b"
    source.write_text("content")
    target.write_text("older")
    snapshots.link(source, target)
    assert target.samefile(source)

    def refuse(self: Path, other: Path) -> None:
        raise OSError(errno.EPERM, "no links on this file system")

    monkeypatch.setattr(Path, "hardlink_to", refuse)
    snapshots.link(source, target)
    assert target.read_text() == "content" and not target.samefile(source)
