"""Doors: a reader of another package, or one passed in Python, reads files of its suffix, and its version is stamped."""

import json
import subprocess
import sys
from pathlib import Path

from graphrag_lite import pipeline, tables
from graphrag_lite.read.documents import Fields, Loaded, Reader
from graphrag_lite.read.readers import all_readers
from graphrag_lite.settings import Settings

PACKAGE = '''
"""Recipes: a title, then an ingredient a line."""

from graphrag_lite.read.documents import Loaded, Reader


def read(data, path, fields):
    title, *ingredients = data.decode().splitlines()
    if not ingredients:
        raise ValueError("a recipe of nothing")
    yield Loaded(path, title, f"{title} is made of {', '.join(ingredients)}.")


READER = Reader({".recipe": "text/x-recipe"}, read)
'''
PRINT = """
import json, sys
import graphrag_lite
index = graphrag_lite.index(sys.argv[1], sys.argv[2])
print(json.dumps([index.documents.text.tolist(), index.failures.error.tolist()]))
"""


def test_an_installed_package_brings_in_a_reader(tmp_path: Path) -> None:
    site, corpus = tmp_path / "site", tmp_path / "corpus"
    info = site / "my_recipes-1.0.dist-info"
    info.mkdir(parents=True)
    corpus.mkdir()
    (site / "recipes.py").write_text(PACKAGE)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-recipes\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[graphrag_lite.readers]\nrecipes = recipes:READER\n")
    (corpus / "a.recipe").write_text("Bread\nflour\nwater\n")
    (corpus / "b.recipe").write_text("Nothing\n")
    code = f"import sys; sys.path.insert(0, {str(site)!r})\n{PRINT}"
    done = subprocess.run([sys.executable, "-c", code, corpus, tmp_path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == [["Bread is made of flour, water."], ["a recipe of nothing"]]


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
