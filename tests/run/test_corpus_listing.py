"""A corpus of which every file, as the system tells, is as it was is not looked at; whatever changes is seen."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from graphrag_lite.run import corpus_files, file_hashes
from graphrag_lite.run.corpus_files import Scan, scan
from graphrag_lite.run.file_hashes import SeenFiles
from graphrag_lite.run.stamps import digest_of
from graphrag_lite.settings import LoadDocuments

Corpus = Callable[..., Path]
FILES = {
    "a.md": "one",
    "b/c.txt": "two",
    "b/d/e.txt": "three",
    "data": "\0\1\2\3",
    "drafts/f.md": "four",
    "g.png": "five",
    "h.log": "six",
}


@pytest.fixture
def old(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let files that were just written count as old."""
    monkeypatch.setattr(file_hashes, "TICK", -60_000_000_000)


def scanned(folder: Path, output: Path, **values: list[str]) -> Scan:
    """Scan and remember, as a run does."""
    output.mkdir(exist_ok=True)
    seen = SeenFiles(output)
    found = scan(folder, leave_out=output, seen=seen, settings=LoadDocuments(**values))
    seen.write()
    return found


def known(output: Path) -> bool:
    return bool(SeenFiles(output)._known)


def told(found: Scan) -> object:
    return list(found.rows), found.left_out, found.digest


def rewrite(path: Path, text: str) -> None:
    """Write as many characters as a file has, and set its time back."""
    stat = path.stat()
    time.sleep(0.05)  # for a file system whose clock counts by some milliseconds
    path.write_text(text)
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))


def relink(link: Path, target: str) -> None:
    link.unlink()
    link.symlink_to(target)


@pytest.mark.usefixtures("old")
def test_nothing_is_looked_at_where_all_is_as_it_was(
    corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, output = corpus(FILES), tmp_path / "output"
    first = scanned(folder, output)
    with monkeypatch.context() as patch:
        patch.delattr(corpus_files, "_rows")
        again = scanned(folder, output)
    assert (again.digest, len(again.rows), again.left_out) == (digest_of(first.rows), len(first.rows), first.left_out)
    assert list(again.rows) == first.rows, "and its rows are there for who asks for them"


@pytest.mark.usefixtures("old")
def test_whatever_changes_is_seen(corpus: Corpus, tmp_path: Path) -> None:
    folder, output = corpus(FILES), tmp_path / "output"
    (tmp_path / "outside.txt").write_text("outside")
    (folder / "link.txt").symlink_to("a.md")
    changes: list[Callable[[], object]] = [
        lambda: rewrite(folder / "a.md", "eno"),
        lambda: rewrite(folder / "data", "text"),  # which has no ending, so that its beginning tells
        lambda: (folder / "new.txt").write_text("new"),
        lambda: (folder / "b/c.txt").rename(folder / "b/d/c.txt"),
        lambda: (folder / "b/d/e.txt").unlink(),
        lambda: relink(folder / "link.txt", "b/d/c.txt"),
        lambda: rewrite(folder / "b/d/c.txt", "owt"),  # where a link leads
        lambda: relink(folder / "link.txt", "nowhere.txt"),
        lambda: (folder / "nowhere.txt").write_text("there"),
        lambda: relink(folder / "link.txt", "../outside.txt"),
        lambda: relink(folder / "link.txt", "b"),
        lambda: (folder / "pictures").mkdir(),
        lambda: (folder / "g.png").rename(folder / "pictures/g.png"),
        lambda: (folder / "drafts/pyvenv.cfg").write_text(""),
        lambda: (folder / "drafts/pyvenv.cfg").unlink(),
        lambda: (folder / "node_modules").mkdir(),
    ]
    scanned(folder, output)
    for number, change in enumerate(changes):
        assert known(output) or number == 8, "a link that leads nowhere is read again"
        change()
        assert told(scanned(folder, output)) == told(scan(folder, leave_out=tmp_path / "none")), number
    for values in ({"exclude": ["drafts"]}, {"include": ["*.md"]}, {"exclude": ["b/**"]}):
        anew = scan(folder, leave_out=tmp_path / "none", settings=LoadDocuments(**values))
        assert told(scanned(folder, output, **values)) == told(anew)
    assert told(scanned(tmp_path, output)) == told(scan(tmp_path, leave_out=output))
    assert told(scanned(folder, output)) == told(scan(folder, leave_out=tmp_path / "none"))


@pytest.mark.usefixtures("old")
@pytest.mark.parametrize("name", ["a.md", "data"])
def test_a_listing_with_a_file_that_may_have_changed_is_not_remembered(
    corpus: Corpus, tmp_path: Path, name: str
) -> None:
    folder, output = corpus(FILES), tmp_path / "output"
    os.utime(folder / name, (time.time() + 86400, time.time() + 86400))
    scanned(folder, output)
    assert not known(output)
    os.utime(folder / name, (1, 1))
    scanned(folder, output)
    assert known(output)
