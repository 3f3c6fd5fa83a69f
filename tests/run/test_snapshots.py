"""Publication is one step, retention keeps N, `current` is not trusted, errors of the disk say what to do."""

import datetime
import errno
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from graphrag_lite import pipeline, tables
from graphrag_lite.errors import GraphragLiteError, IndexNotFound, LockedError, OutputError, TableError
from graphrag_lite.run import snapshots
from graphrag_lite.search.index import Index
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
    building = snapshots.building_folder(output)
    (building / "documents.parquet").write_text(content)
    snapshots.write_json(building / "stamps.json", {})
    return building


MANIFEST: dict[str, Any] = {"tables": {}, "stages": {}, "settings": {}}


def test_current_is_the_published_folder(tmp_path: Path) -> None:
    folder = snapshots.publish(tmp_path, _building(tmp_path), MANIFEST)
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


def _disk(output: Path) -> dict[tuple[int, int], int]:
    """Return the bytes of every file and folder, by inode: links count once."""
    found = [output, *output.rglob("*")]
    return {(stat.st_dev, stat.st_ino): stat.st_size for stat in map(Path.lstat, found)}


def test_ten_nights_without_news_cost_no_disk(corpus: Callable[..., Path], tmp_path: Path) -> None:
    folder, output = corpus(TEXTS), tmp_path / "output"
    pipeline.index(folder, output, _settings())
    pipeline.index(folder, output, _settings())
    snapshot, everything = _disk(output / "snapshots"), _disk(output)
    for _ in range(10):
        assert not pipeline.index(folder, output, _settings()).changed
    assert _disk(output / "snapshots") == snapshot
    after = _disk(output)
    assert len(after) <= len(everything) + 1  # the note of the files that were seen, once their times are settled
    assert sum(after.values()) - sum(everything.values()) < 10 * 400  # lines of the log of runs, and that note


def _aged(folder: Path, days: float) -> None:
    made = datetime.datetime.now(datetime.UTC) - datetime.timedelta(days=days)
    snapshots.write_json(folder / "manifest.json", snapshots.read_manifest(folder) | {"created_at": made.isoformat()})


def _several(output: Path, ages: list[float]) -> list[Path]:
    """Publish snapshots of these ages in days, the last of which is current."""
    made = [snapshots.publish(output, _building(output, str(age)), MANIFEST) for age in ages]
    for folder, age in zip(made, ages, strict=True):
        _aged(folder, age)
    return made


def test_retention_by_age_keeps_what_is_young_and_the_newest_in_any_case(tmp_path: Path) -> None:
    made = _several(tmp_path, [40, 30, 20, 10, 5])
    snapshots.remove_old(tmp_path, keep=1, keep_days=25)
    assert snapshots.published(tmp_path) == made[2:]
    snapshots.remove_old(tmp_path, keep=2, keep_days=0.5)
    assert snapshots.published(tmp_path) == made[3:]
    snapshots.remove_old(tmp_path, keep=9, keep_days=0.5)
    snapshots.remove_old(tmp_path, keep=1, keep_days=1e12)
    assert snapshots.published(tmp_path) == made[3:]
    snapshots.remove_old(tmp_path, keep=1, keep_days=None)
    assert snapshots.published(tmp_path) == made[4:]


@pytest.mark.parametrize("jump", [-30000.0, 30000.0])
def test_a_clock_that_was_set_removes_neither_the_current_one_nor_the_newest(jump: float, tmp_path: Path) -> None:
    made = _several(tmp_path, [3 + jump, 2 + jump, 1 + jump, jump])
    snapshots.roll_back(tmp_path, made[0])
    snapshots.remove_old(tmp_path, keep=2, keep_days=7)
    left = snapshots.published(tmp_path)
    assert set(left) >= {made[0], made[2], made[3]} and snapshots.current(tmp_path) == made[0]
    if jump < 0:
        assert left == made, "made in the future, by the clock of now: not old"


def test_age_lets_go_of_a_snapshot_in_a_run_that_changes_nothing(corpus: Callable[..., Path], tmp_path: Path) -> None:
    folder, output = corpus(TEXTS), tmp_path / "output"
    values = {"snapshots": {"keep": 1, "keep_days": 7}}
    first = pipeline.index(folder, output, Settings.model_validate(values))
    (folder / "c.txt").write_text("Dora Green met Carol White.\n")
    second = pipeline.index(folder, output, Settings.model_validate(values))
    assert snapshots.published(output) == [first.snapshot, second.snapshot]
    _aged(first.snapshot, 8)
    assert not pipeline.index(folder, output, Settings.model_validate(values)).changed
    assert snapshots.published(output) == [second.snapshot]


def test_a_snapshot_that_is_read_is_removed_by_a_later_run(tmp_path: Path) -> None:
    made = _several(tmp_path, [3, 2, 1])
    with snapshots.hold_while_reading(made[0]), snapshots.hold_while_reading(made[0]):
        snapshots.remove_old(tmp_path, keep=1, keep_days=None)
        assert snapshots.published(tmp_path) == [made[0], made[2]]
    snapshots.remove_old(tmp_path, keep=1, keep_days=None)
    assert snapshots.published(tmp_path) == [made[2]]
    with pytest.raises(TableError, match="removed"), snapshots.hold_while_reading(made[0]):
        pytest.fail("it is gone")


HOLDING = """
import sys
from graphrag_lite.search.index import Index
index = Index.open(sys.argv[1])
print(index.folder.name, flush=True)
sys.stdin.readline()
print(index.query("Who works for Acme Corporation?").answer)
print(index.n_rows("documents"), index.arrow("documents").num_rows)
"""


def test_another_process_that_reads_a_snapshot_is_not_broken(corpus: Callable[..., Path], tmp_path: Path) -> None:
    """It opens the index before two runs publish and retention keeps one, and reads its tables only after them."""
    folder, output = corpus(TEXTS), tmp_path / "output"
    first = pipeline.index(folder, output, _settings(keep=1))
    command = [sys.executable, "-c", HOLDING, str(output)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as reader:
        assert reader.stdout and reader.stdout.readline().strip() == first.snapshot.name
        (folder / "c.txt").write_text("Dora Green met Carol White.\n")
        second = pipeline.index(folder, output, _settings(keep=1))
        (folder / "d.txt").write_text("Emil Brown met Carol White.\n")
        third = pipeline.index(folder, output, _settings(keep=1))
        assert snapshots.published(output) == [first.snapshot, third.snapshot] and not second.snapshot.exists()
        said, _ = reader.communicate("\n", timeout=60)
    assert reader.returncode == 0
    assert "Acme Corporation" in said and said.splitlines()[-1] == "2 2"
    pipeline.index(folder, output, _settings(keep=1))
    assert snapshots.published(output) == [third.snapshot]


def test_an_index_that_is_let_go_of_no_longer_holds_its_snapshot(corpus: Callable[..., Path], tmp_path: Path) -> None:
    made = [pipeline.index(corpus(TEXTS), tmp_path / "output", _settings(n)).snapshot for n in (1, 2)]
    index = Index(made[0])
    snapshots.remove_old(tmp_path / "output", keep=1, keep_days=None)
    assert made[0].exists()
    del index
    snapshots.remove_old(tmp_path / "output", keep=1, keep_days=None)
    assert not made[0].exists()


def test_a_reader_goes_on_with_the_new_snapshot_where_the_old_one_vanished(
    corpus: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run publishes, and retention removes the old snapshot, just after the reader has read the pointer."""
    folder, output = corpus(TEXTS), tmp_path / "output"
    first = pipeline.index(folder, output, _settings(1, keep=1)).snapshot
    current = snapshots.current
    seen: list[Path] = []

    def raced(place: Path) -> Path:
        found = current(place)
        if not seen:
            seen.append(found)
            monkeypatch.setattr(snapshots, "current", current)
            pipeline.index(folder, output, _settings(2, keep=1))
        return found

    monkeypatch.setattr(snapshots, "current", raced)
    opened = Index.open(output)
    assert seen == [first] and not first.exists() and opened.folder == current(output) != first
    (opened.folder / "manifest.json").write_text("{")
    with pytest.raises(TableError, match="damaged"):  # for good: it is not tried for ever
        Index.open(output)


def test_current_is_read_again_where_it_moved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = snapshots.publish(tmp_path, _building(tmp_path), MANIFEST)
    pointer = snapshots._pointer
    said = iter(["20200101T000000000000Z-gone"])
    monkeypatch.setattr(snapshots, "_pointer", lambda output: next(said, None) or pointer(output))
    assert snapshots.current(tmp_path) == folder


def test_what_a_crash_left_of_a_removed_snapshot_goes_with_the_next_retention(tmp_path: Path) -> None:
    made = _several(tmp_path, [2, 1])
    left = made[0].rename(made[0].with_name(f".{made[0].name}"))
    assert snapshots.published(tmp_path) == [made[1]]
    snapshots.remove_old(tmp_path, keep=3, keep_days=None)
    assert not left.exists() and list((tmp_path / "snapshots").iterdir()) == [made[1]]


def test_a_snapshot_without_a_manifest_is_removed_too(tmp_path: Path) -> None:
    made = _several(tmp_path, [2, 1])
    (made[0] / "manifest.json").unlink()
    snapshots.remove_old(tmp_path, keep=1, keep_days=30)
    assert snapshots.published(tmp_path) == [made[1]]


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.ENOTSUP])
def test_a_file_system_without_locks_is_read_without_one(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(number, "no locks here")

    made = _several(tmp_path, [2, 1])
    monkeypatch.setattr("fcntl.flock", refuse)
    with snapshots.hold_while_reading(made[1]):
        snapshots.remove_old(tmp_path, keep=1, keep_days=None)
    assert snapshots.published(tmp_path) == [made[1]]


def test_a_snapshot_is_found_by_its_beginning(tmp_path: Path) -> None:
    for name in ("20200101T000000000000Z-aa", "20200102T000000000000Z-bb", "20210101T000000000000Z-cc"):
        (tmp_path / "snapshots" / name).mkdir(parents=True)
    a, b, c = snapshots.published(tmp_path)
    tables.replace_file(tmp_path / "current", b.name.encode())
    for given, folder in {"current": b, "previous": a, "2021": c, a.name: a, b.name[:8]: b}.items():
        assert snapshots.find(tmp_path, given) == folder
    for given, says in {
        "2020": "Several snapshots begin with '2020'",
        "1999": "no snapshot '1999'",
        "": "no snapshot",
    }.items():
        with pytest.raises(IndexNotFound, match=says) as caught:
            snapshots.find(tmp_path, given)
        listed = str(caught.value).splitlines()[1:]
        assert listed == [f"  {c.name}", f"  {b.name}  (current)", f"  {a.name}"]
    for given in ("..", "../..", ".", "/", "*"):
        with pytest.raises(IndexNotFound):
            snapshots.find(tmp_path, given)
    tables.replace_file(tmp_path / "current", a.name.encode())
    with pytest.raises(IndexNotFound, match="no snapshot before"):
        snapshots.find(tmp_path, "previous")


def test_rolling_back_moves_the_pointer_and_drops_what_was_under_way(tmp_path: Path) -> None:
    made = _several(tmp_path, [3, 2, 1])
    _building(tmp_path, "under way")
    snapshots.write_json(made[2] / "stamps.json", {})  # a crash came just after it was published
    snapshots.roll_back(tmp_path, made[0])
    assert snapshots.current(tmp_path) == made[0] and not (tmp_path / "building").exists()
    assert snapshots.published(tmp_path) == made
    assert list(snapshots.building_folder(tmp_path).iterdir()) == [tmp_path / "building" / "work"], (
        "nothing is taken back"
    )
    assert snapshots.published(tmp_path) == made
    newest = snapshots.publish(tmp_path, _building(tmp_path), MANIFEST)
    assert newest.name > made[2].name, "ids go on after the newest, not after the current one"


def test_the_published_snapshot_stays_even_where_the_clock_ran_backwards(tmp_path: Path) -> None:
    for year in (2990, 2991, 2992):
        (tmp_path / "snapshots" / f"{year}0101T000000000000Z-0").mkdir(parents=True)
    folder = snapshots.publish(tmp_path, _building(tmp_path), MANIFEST)
    assert snapshots.current(tmp_path) == folder


def test_a_run_killed_before_the_pointer_moved_is_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = snapshots.publish(tmp_path, _building(tmp_path, "old"), MANIFEST)
    write = tables.replace_file

    def killed(path: Path, content: bytes) -> None:
        if path.name == "current":
            raise KeyboardInterrupt
        write(path, content)

    monkeypatch.setattr(tables, "replace_file", killed)
    with pytest.raises(KeyboardInterrupt):
        snapshots.publish(tmp_path, _building(tmp_path, "new"), MANIFEST)
    monkeypatch.undo()
    assert snapshots.current(tmp_path) == first
    assert (snapshots.building_folder(tmp_path) / "documents.parquet").read_text() == "new"
    assert list((tmp_path / "snapshots").iterdir()) == [first]


def test_a_run_killed_just_after_the_pointer_moved_is_not_taken_back(tmp_path: Path) -> None:
    folder = snapshots.publish(tmp_path, _building(tmp_path), MANIFEST)
    snapshots.write_json(folder / "stamps.json", {})
    assert list(snapshots.building_folder(tmp_path).iterdir()) == [tmp_path / "building" / "work"]
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
                    if snapshots.table_digest(tables.path_in(snapshot, name)) != entry["sha256"]:
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
    tables.replace_file(path, b"old")

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        tables.replace_file(path, b"new")
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
    with pytest.raises(OutputError, match=says) as caught, snapshots.explain_write_errors(tmp_path):
        raise OSError(number, "refused", str(tmp_path / "x"))
    assert str(tmp_path / "x") in str(caught.value) and "Nothing was published" in str(caught.value)


def test_another_error_of_the_system_keeps_its_traceback(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="bad"), snapshots.explain_write_errors(tmp_path):
        raise OSError(errno.EBADF, "bad")


def test_two_holders_of_the_lock_are_refused(tmp_path: Path) -> None:
    with snapshots.lock_output(tmp_path):
        holder = json.loads((tmp_path / "lock.json").read_text())
        with pytest.raises(LockedError) as caught, snapshots.lock_output(tmp_path):
            pytest.fail("held twice")
        assert f"process {os.getpid()}" in str(caught.value) and holder["since"] in str(caught.value)
    with snapshots.lock_output(tmp_path):
        pass
    assert not (tmp_path / "lock.json").exists()


def test_a_damaged_note_of_the_holder_does_not_matter(tmp_path: Path) -> None:
    with snapshots.lock_output(tmp_path):
        (tmp_path / "lock.json").write_text("{")
        with pytest.raises(LockedError, match="another process"), snapshots.lock_output(tmp_path):
            pytest.fail("held twice")


def test_link_shares_the_file_and_copies_where_it_cannot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, target = tmp_path / "a", tmp_path / "b"
    source.write_text("content")
    target.write_text("older")
    tables.link(source, target)
    assert target.samefile(source)

    def refuse(self: Path, other: Path) -> None:
        raise OSError(errno.EPERM, "no links on this file system")

    monkeypatch.setattr(Path, "hardlink_to", refuse)
    tables.link(source, target)
    assert target.read_text() == "content" and not target.samefile(source)
