"""The commands explore and demo, as a user types them."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote, urlparse

import pytest
from click.testing import CliRunner

from graphrag_lite.cli import main, starting
from graphrag_lite.distribution import shipped_folder
from graphrag_lite.ops.exported import write_output
from graphrag_lite.search.index import Index


def test_demo_ends_with_the_page_to_open(
    corpus: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = sorted((shipped_folder("corpus", "examples", "corpus") / "notes").iterdir())[:6]  # of what ships
    some = corpus({path.name: path.read_bytes() for path in notes})
    monkeypatch.setattr(starting, "shipped_folder", lambda *_: some)
    result = CliRunner().invoke(main, ["demo", "--root", str(tmp_path / "my demo")])
    assert result.exit_code == 0, result.output
    assert re.findall(r"^\$ graphrag-lite (\w+)", result.output, re.M) == ["index", *["query"] * 3, "explore"]
    assert "Lyman Spitzer" in result.output
    assert "Sources" in result.output
    page = Path(unquote(urlparse(result.output.split()[-1]).path))
    assert page == tmp_path / "my demo" / "explore.html"
    assert b"Hubble Space Telescope" in page.read_bytes()


def test_demo_ends_with_the_first_command_that_fails(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    result = CliRunner().invoke(main, ["demo", "--root", str(tmp_path / "file")])
    assert result.exit_code == 1
    assert "query" not in result.output


def test_explore_writes_beside_the_index_and_opens_what_it_wrote(
    sample: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    root = sample.folder.parents[2]
    result = CliRunner().invoke(main, ["explore", "--root", str(root), "--open"])
    assert result.exit_code == 0, result.output
    assert opened == [(root / "explore.html").as_uri()]
    target = tmp_path / "new folder" / "a.html"
    named = ["--output", str(target), "--title", root.name]
    result = CliRunner().invoke(main, ["explore", "-q", "--root", str(root), *named])
    assert (result.exit_code, result.output) == (0, "")
    assert target.read_bytes() == (root / "explore.html").read_bytes()
    assert sorted(path.name for path in target.parent.iterdir()) == ["a.html"]


def test_explore_says_where_it_cannot_write(sample: Index, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    command = ["explore", "--root", str(sample.folder.parents[2]), "--output", str(tmp_path / "file" / "a.html")]
    result = CliRunner().invoke(main, command)
    assert result.exit_code == 1
    assert result.output.startswith("Error: ")
    assert "Traceback" not in result.output


def test_a_file_that_cannot_be_written_leaves_no_half(tmp_path: Path) -> None:
    code = (
        "import resource, signal, sys, pathlib; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000));"
        "from graphrag_lite.ops.exported import write_output; write_output(pathlib.Path(sys.argv[1]), bytes(9000))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "a.html"], capture_output=True, text=True, check=False
    )
    assert f"{tmp_path / 'a.html'} cannot be written" in done.stderr and not list(tmp_path.iterdir())


@pytest.mark.skipif(os.name == "nt", reason="there are no pipes in folders here")
def test_a_pipe_and_a_link_stay_what_they_are(tmp_path: Path) -> None:
    """As root, `--output /dev/null` would else leave a machine without one."""
    os.mkfifo(tmp_path / "pipe")
    descriptor = os.open(tmp_path / "pipe", os.O_RDWR)
    write_output(tmp_path / "pipe", b"page")
    assert os.read(descriptor, 9) == b"page" and (tmp_path / "pipe").is_fifo()
    os.close(descriptor)
    (tmp_path / "link").symlink_to(tmp_path / "folder" / "page")
    for content in (b"one", b"two"):
        write_output(tmp_path / "link", content)
        assert (tmp_path / "link").is_symlink() and (tmp_path / "folder" / "page").read_bytes() == content
