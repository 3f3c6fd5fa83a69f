"""Which files are the corpus: globs, virtual environments, and what is told of the rest."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from graphrag_lite import index, pipeline
from graphrag_lite.cli import main
from graphrag_lite.errors import InputError
from graphrag_lite.run.corpus_files import on_this_machine, scan
from graphrag_lite.settings import LoadDocuments, Settings

Corpus = Callable[..., Path]
FILES = {
    "a.md": "a",
    "docs/b.md": "b",
    "docs/deep/c.txt": "c",
    "web/node_modules/d.md": "d",
    "env/pyvenv.cfg": "",
    "env/lib/e.md": "e",
    "drafts/f.md": "f",
    "g.png": "g",
}


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, ["a.md", "docs/b.md", "docs/deep/c.txt", "drafts/f.md"]),
        ({"include": ["docs/**"]}, ["docs/b.md", "docs/deep/c.txt"]),
        ({"include": ["*.md"], "exclude": ["drafts"]}, ["a.md", "docs/b.md", "web/node_modules/d.md"]),
        ({"exclude": ["docs/**/*.txt", "node_modules"]}, ["a.md", "docs/b.md", "drafts/f.md"]),
    ],
)
def test_globs(corpus: Corpus, settings: dict[str, list[str]], expected: list[str]) -> None:
    found = scan(corpus(FILES), Path("output"), settings=LoadDocuments(**settings))
    assert [path for path, _, _ in found.rows] == expected


def test_what_is_left_out_is_told_everywhere(corpus: Corpus, tmp_path: Path) -> None:
    folder = corpus({**FILES, "empty.txt": " "})
    told = {
        ".png files": 1,
        "env/ (a virtual environment)": 1,
        "excluded by node_modules": 1,
        "documents without text": 1,
    }
    root = tmp_path / "root"
    root.mkdir()
    assert index(folder, root).left_out == told
    run = CliRunner()
    done = run.invoke(main, ["index", str(folder), "--root", str(root), "--json"])
    assert done.exit_code == 0 and json.loads(done.stdout)["left_out"] == told
    assert "1 excluded by node_modules" in run.invoke(main, ["show", "failures", "--root", str(root)]).stdout


@pytest.mark.parametrize(("path", "told"), [("s3://bucket/corpus", "s3://bucket/corpus"), ("gs:/b", "gs://b")])
def test_addresses_are_refused_with_the_reason(path: str, told: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"{told}: only what a file system"):
        pipeline.index(Path(path), tmp_path / "output", Settings())
    with pytest.raises(InputError, match=rf"{told}/output: an index is kept in a file system"):
        pipeline.index(tmp_path, Path(path) / "output", Settings())
    on_this_machine(Path("c:/texts"), tmp_path)
    assert not list(tmp_path.iterdir())


def test_an_index_is_refused_where_no_table_could_be_read(corpus: Callable[..., Path], tmp_path: Path) -> None:
    texts = corpus({"a.txt": "Ann met Bob in Oslo."}).rename(tmp_path / "texts \udcff")
    with pytest.raises(InputError, match=r"root \\xff/output: the path of an index has to be UTF-8"):
        pipeline.index(texts, tmp_path / "root \udcff" / "output", Settings())
    assert pipeline.index(texts, tmp_path / "root" / "output", Settings()).changed
