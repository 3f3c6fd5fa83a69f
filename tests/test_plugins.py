"""What an installed package brings in is used by its name, and told where it cannot be."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from graphrag_lite import pipeline, plugins
from graphrag_lite.cli import main
from graphrag_lite.errors import InputError, PluginError
from graphrag_lite.read.documents import Fields, Loaded, Reader
from graphrag_lite.run import snapshots
from graphrag_lite.search.index import Index
from graphrag_lite.search.methods import METHODS, Query, SearchMethod, names
from graphrag_lite.settings import LoadDocuments, Settings

MODULE = """
from graphrag_lite.search.answer import answered, compose, ranked
from graphrag_lite.search.methods import SearchMethod


def longest(index, query):
    scores = index.column("text_units", "n_tokens").to_numpy().astype(float)
    return compose(query.read_by(index), "longest", [], ranked(scores, index.document_row, query.top_k))


METHOD = SearchMethod("the longest text units", longest)
NO_METHOD = 7
"""
Install = Callable[[str], None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Install a package with an entry point, as pip would lay it out."""

    def install(entry: str) -> None:
        site = tmp_path / "site"
        (site / "longest-1.2.dist-info").mkdir(parents=True)
        (site / "longest_search.py").write_text(MODULE)
        (site / "longest-1.2.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: longest\nVersion: 1.2\n")
        points = f"[graphrag_lite.search_methods]\n{entry}\n"
        (site / "longest-1.2.dist-info" / "entry_points.txt").write_text(points)
        monkeypatch.syspath_prepend(site)
        plugins._found.cache_clear()

    return install


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    yield
    plugins._found.cache_clear()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, text in (("long", "Ann met Bob in Rome. " * 9), ("short", "Eve met Mallory.")):
        (tmp_path / "corpus").mkdir(exist_ok=True)
        (tmp_path / "corpus" / f"{name}.txt").write_text(text)
    pipeline.index(tmp_path / "corpus", tmp_path / "output", Settings())
    return tmp_path


def test_a_query_method_of_another_package_answers_by_its_name(root: Path, install: Install) -> None:
    install("longest = longest_search:METHOD")
    assert names() == [*METHODS, "longest"]
    said = CliRunner().invoke(main, ["query", "Who?", "--method", "longest", "--root", str(root), "--json"])
    assert not said.exit_code, said.output
    assert json.loads(said.stdout)["documents"][0] == "long.txt"


def test_a_method_says_what_it_cannot_do_and_never_answers_as_another(root: Path, install: Install) -> None:
    install("longest = longest_search:METHOD")
    index = Index.open(root / "output")
    with pytest.raises(InputError, match="not for method longest"):
        index.query("Who?", "longest", level=1)
    with pytest.raises(InputError, match="answers without a model only"):
        Index.open(root / "output", overrides=["llm.model=gpt"]).query("Who?", "longest")
    with pytest.raises(InputError, match=r"'longer' is not one of local, global, basic, drift, agent, longest\."):
        index.query("Who?", "longer")


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ("longest = longest_search:NO_METHOD", "is a int, not a SearchMethod"),
        ("longest = longest_search:GONE", "cannot be imported: AttributeError"),
        ("longest = nowhere:METHOD", "cannot be imported: ModuleNotFoundError"),
    ],
)
def test_what_cannot_be_used_is_told(root: Path, install: Install, entry: str, said: str) -> None:
    install(entry)
    with pytest.raises(PluginError, match=said):
        Index.open(root / "output").query("Who?", "longest")


def test_a_method_that_is_passed_and_gives_no_answer_is_told(root: Path) -> None:
    index = Index.open(root / "output")
    with pytest.raises(PluginError, match="returned a str, not an Answer"):
        index.query("Who?", SearchMethod("words", lambda *_: "Ann."))
    with pytest.raises(InputError, match="not for method words"):
        index.query("Who?", SearchMethod("words", lambda *_: "Ann."), level=1)


def test_a_query_states_what_differs_from_the_defaults() -> None:
    assert Query("Who?", 10).states() == []
    assert Query("Who?", 10, level=1, dynamic=True, budget=5).states() == ["level", "dynamic", "budget"]


def lines(data: bytes, path: str, _fields: Fields) -> Iterator[Loaded]:
    yield Loaded(path, path, data.decode())


@pytest.mark.parametrize("how", ["gone", "excluded", "included", "read by another"])
def test_what_a_reader_that_is_gone_has_read_is_not_withdrawn_without_a_word(root: Path, how: str) -> None:
    """An environment made anew without a package took all of its files out of the index, with exit code 0."""
    (root / "corpus" / "log").mkdir()
    for name in ("a.minutes", "log/b.minutes"):
        (root / "corpus" / name).write_text("Ann met Carol in Oslo.")
    reader = Reader({".minutes": "text/x-minutes"}, lines, version="1")
    made = pipeline.index(root / "corpus", root / "output", Settings(), readers=[reader])
    kept = pipeline.index(root / "corpus", root / "output", Settings(), readers=[reader])
    assert made.manifest["tables"]["documents"]["rows"] == 4 and not kept.changed
    if how == "gone":
        done = CliRunner().invoke(main, ["index", str(root / "corpus"), "--root", str(root), "-q"])
        assert done.exit_code == 1 and "has 2 files" in done.output and "a.minutes" in done.output
        assert '"*.minutes"' in done.output and "lines" in done.output
        planned = CliRunner().invoke(main, ["plan", str(root / "corpus"), "--root", str(root)])
        assert planned.exit_code == 1 and planned.stderr == done.stderr, "a plan tells what the run would end with"
        assert snapshots.current(root / "output") == made.snapshot
        for path in (root / "corpus").rglob("*.minutes"):
            path.unlink()
    settings = {"excluded": LoadDocuments(exclude=["*.minutes"]), "included": LoadDocuments(include=["*.txt"])}
    others = [replace(reader, read=lambda *arguments: lines(*arguments))] if how == "read by another" else []
    loaded = Settings(load_documents=settings.get(how, LoadDocuments()))
    run = pipeline.index(root / "corpus", root / "output", loaded, readers=others)
    assert run.manifest["tables"]["documents"]["rows"] == (4 if others else 2)
