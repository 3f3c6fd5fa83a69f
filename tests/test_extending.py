"""The package of docs/extending.md, as it stands there: built, installed by pip, and used by its names."""

import json
import pickle
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from last_snapshot import forget_code

from graphrag_lite import pipeline, plugins, tables
from graphrag_lite.cli import main
from graphrag_lite.extraction.extractor import open_extractor
from graphrag_lite.ops import check
from graphrag_lite.search.index import Index
from graphrag_lite.settings import Settings

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
FILES = {name: f"# {name}\n{code}" for name, code in re.findall(r"```\w+\n# (\w+\.\w+)\n(.*?)```", PAGE, re.DOTALL)}
TEXTS = {
    "a.md": "# Login\n\nSUP-1 blocks SUP-2 since May. Elena Petrova looks at SUP-1.\n",
    "b.md": "# Mail\n\nSUP-3 duplicates SUP-1. Nobody has seen SUP-4 and SUP-3 together.\n",
}
REPLY = "import sys; asked = sys.stdin.read(); open({log!r}, 'a').write('x'); print('SUP-1 blocks SUP-2 [1].')"


def install(target: Path, version: str) -> Path:
    """Build the package as a wheel and have pip install it into a folder."""
    project = tomllib.loads(FILES["pyproject.toml"])
    name = project["project"]["name"].replace("-", "_")
    points = {
        group: "".join(f"{key} = {value}\n" for key, value in named.items())
        for group, named in project["project"]["entry-points"].items()
    }
    info = f"{name}-{version}.dist-info"
    parts = {
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {project['project']['name']}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": "\n".join(f"[{group}]\n{lines}" for group, lines in points.items()),
        **{f"{module}.py": FILES[f"{module}.py"] for module in project["tool"]["setuptools"]["py-modules"]},
    }
    parts[f"{info}/RECORD"] = "".join(f"{part},,\n" for part in (*parts, f"{info}/RECORD"))
    target.mkdir(exist_ok=True)
    wheel = target / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for part, text in parts.items():
            archive.writestr(part, text)
    pip = [sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", "--no-compile", "--quiet"]
    subprocess.run([*pip, "--target", str(target / "site"), str(wheel)], check=True)
    return target / "site"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("pip")
    return install(tmp_path_factory.mktemp("package"), "1.0")


@pytest.fixture
def installed(site: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    with use(site, monkeypatch):
        yield site


class use:  # noqa: N801 - reads as a word
    """Have a folder of installed packages, and forget what was found before and after."""

    def __init__(self, site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.site, self.monkeypatch = site, monkeypatch

    def __enter__(self) -> None:
        self.monkeypatch.syspath_prepend(self.site)
        self.forget()

    def __exit__(self, *error: object) -> None:
        self.monkeypatch.undo()
        self.forget()

    def forget(self) -> None:
        plugins._found.cache_clear()
        forget_code()
        for name in FILES:
            sys.modules.pop(name.removesuffix(".py"), None)


def settings(**sections: Any) -> Settings:
    return Settings.model_validate(sections)


def rows(snapshot: Path, table: str, *columns: str) -> list[tuple[Any, ...]]:
    found = tables.read(snapshot, table)
    return list(zip(*(found[column].to_pylist() for column in columns), strict=True))


def test_the_package_is_of_small_files() -> None:
    assert len(FILES) >= 5
    assert all(len(code.splitlines()) <= 40 for code in FILES.values())


@pytest.mark.usefixtures("installed")
def test_a_reader_reads_its_suffix(corpus: Callable[..., Path], tmp_path: Path) -> None:
    folder = corpus({"a.recipe": "Bread Roll\nflour\nwater\n\fApple Pie\napples\nBread Roll\n", "b.recipe": "Air\n"})
    run = pipeline.index(folder, tmp_path / "output", settings())
    ((text,),) = rows(run.snapshot, "documents", "text")
    assert text == "Bread Roll is made of flour, water.\n\nApple Pie is made of apples, Bread Roll.\n\n"
    assert rows(run.snapshot, "failures", "document", "error") == [("b.recipe", "page 1: Air is made of nothing")]
    assert [origin["package"] for origin in run.manifest["plugins"]["readers"]] == ["my-doors"]
    (cited, *_) = Index(run.snapshot).query("What is Apple Pie made of?").citations
    assert cited.place == "page 2" and text[cited.char_start : cited.char_end] == cited.text


@pytest.mark.usefixtures("installed")
def test_a_query_method_answers_with_places_of_the_corpus(corpus: Callable[..., Path], tmp_path: Path) -> None:
    pipeline.index(corpus(TEXTS), tmp_path / "output", Settings())
    asked = ["query", "blocks SUP-2", "--method", "phrase", "--root", str(tmp_path), "--json"]
    answer = json.loads(CliRunner().invoke(main, asked).stdout)
    assert [cited["text"] for cited in answer["citations"]] == [
        "SUP-1 blocks SUP-2 since May. Elena Petrova looks at SUP-1."
    ]
    assert answer["documents"][0] == "a.md"
    from phrase_search import METHOD

    assert Index.open(tmp_path / "output").query("blocks SUP-2", METHOD).answer == answer["answer"]


EXTRACTED = {"extract_graph_fast": {"extractor": "issues", "options": {}}}


@pytest.mark.usefixtures("installed")
def test_an_extractor_is_its_rules_and_nothing_else(corpus: Callable[..., Path], tmp_path: Path) -> None:
    output, texts = tmp_path / "output", corpus(TEXTS)
    run = pipeline.index(texts, output, settings(**EXTRACTED))
    assert run.manifest["plugins"]["extractor"] == [{"name": "issues", "package": "my-doors", "version": "1.0"}]
    found = rows(run.snapshot, "entities", "title", "type", "frequency")
    assert sorted(found) == [
        ("SUP-1", "issue", 2),
        ("SUP-2", "issue", 1),
        ("SUP-3", "issue", 1),
        ("SUP-4", "issue", 1),
    ]
    assert sorted(rows(run.snapshot, "relationships", "source", "description", "target")) == [
        ("SUP-1", "SUP-1 blocks SUP-2", "SUP-2"),
        ("SUP-3", "SUP-3 duplicates SUP-1", "SUP-1"),
    ]
    assert check.check(run.snapshot).problems == ()
    assert not pipeline.index(texts, output, settings(**EXTRACTED)).changed
    other = {"extract_graph_fast": {"extractor": "issues", "options": {"verbs": ["blocks"]}}}
    run = pipeline.index(texts, output, settings(**other))
    assert run.why == ("settings of extract_graph_fast",)
    assert len(rows(run.snapshot, "relationships", "id")) == 1
    ours = pipeline.index(texts, output, Settings())
    assert "Elena Petrova" in {title for (title,) in rows(ours.snapshot, "entities", "title")}
    assert "extractor" not in ours.manifest["plugins"]


@pytest.mark.usefixtures("installed")
def test_another_process_imports_an_extractor_by_its_name() -> None:
    extractor = open_extractor(settings(**EXTRACTED).extract_graph_fast)
    there = pickle.loads(pickle.dumps(extractor))  # noqa: S301
    assert there == extractor and there("SUP-1", "en")[0].entities[0].name == "SUP-1"
    assert b"issue_extractor" not in pickle.dumps(extractor)


def test_another_version_or_an_edit_reads_all_again(
    site: Path, corpus: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output, texts = tmp_path / "output", corpus(TEXTS)
    with use(site, monkeypatch):
        pipeline.index(texts, output, settings(**EXTRACTED))
    edited = shutil.copytree(site, tmp_path / "edited") / "issue_extractor.py"
    edited.write_text(edited.read_text().replace('"issue"', '"ticket"'))
    with use(edited.parent, monkeypatch):
        first = pipeline.index(texts, output, settings(**EXTRACTED))
        assert first.why == ("other code of graphrag-lite or my-doors",)
        assert {kind for (kind,) in rows(first.snapshot, "entities", "type")} == {"ticket"}
    with use(install(tmp_path / "newer", "1.1"), monkeypatch):
        second = pipeline.index(texts, output, settings(**EXTRACTED))
        assert second.why == ("other versions: my-doors",) and "extract_graph_fast" in second.ran
        assert second.manifest["plugins"]["extractor"][0]["version"] == "1.1"
        assert {kind for (kind,) in rows(second.snapshot, "entities", "type")} == {"issue"}


@pytest.mark.usefixtures("installed")
def test_a_chat_model_is_asked_once(corpus: Callable[..., Path], tmp_path: Path) -> None:
    log, script = tmp_path / "log", tmp_path / "reply.py"
    script.write_text(REPLY.format(log=str(log)))
    pipeline.index(corpus(TEXTS), tmp_path / "output", Settings())
    model = ["--set", "llm.provider=command", "--set", f"llm.model={sys.executable} {script}"]
    asked = ["query", "What does SUP-1 block?", "--root", str(tmp_path), "--json", *model]
    first, again = (json.loads(CliRunner().invoke(main, asked).stdout) for _ in range(2))
    assert first["answer"] == again["answer"] == "SUP-1 blocks SUP-2 [1]." and first["citations"]
    assert log.read_text() == "x" and (first["usage"]["calls"], again["usage"]["memo_hits"]) == (1, 1)
    assert first["usage"]["prompt_tokens"] > 100, "estimated, as the command says nothing"
    absent = CliRunner().invoke(main, [*asked[:-1], "llm.model=no-such-command"])
    assert absent.exit_code == 1 and "there is no command no-such-command" in absent.output


@pytest.mark.usefixtures("installed")
def test_an_embedder_is_sent_each_text_once(corpus: Callable[..., Path], tmp_path: Path) -> None:
    output, texts = tmp_path / "output", corpus(TEXTS)
    trigrams = settings(embeddings={"provider": "trigrams", "model": "trigrams-32"})
    run = pipeline.index(texts, output, trigrams)
    assert {len(vector) for (vector,) in rows(run.snapshot, "search_vectors", "vector")} == {32}
    assert run.manifest["plugins"]["embedder"][0]["name"] == "trigrams"
    assert run.manifest["embedder"] == {"provider": "trigrams", "model": "trigrams-32"}
    (texts / "c.md").write_text("# New\n\nSUP-9 is new.\n")
    run = pipeline.index(texts, output, trigrams)
    assert run.usage["embed_text_units"]["memo_hits"] >= len(TEXTS)
    index = Index.open(output, overrides=["embeddings.provider=trigrams", "embeddings.model=trigrams-32"])
    index.__dict__["vector_weight"] = 5.0
    assert index.query("Who looks at SUP-1?").documents[0] == "a.md"
