"""entities.yaml: a source like any other. What it says holds in both methods, and taking it away takes it back."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import stub_replies
from click.testing import CliRunner
from stub_model import StubModel

from graphrag_lite import pipeline, tables
from graphrag_lite.cli import main
from graphrag_lite.errors import SettingsError
from graphrag_lite.ops import check
from graphrag_lite.run.comparison import compare
from graphrag_lite.run.loop import Run
from graphrag_lite.settings import Settings
from graphrag_lite.settings import file as settings_file

TEXTS = {
    "a.md": "Ann Li runs the rotor test in Oslo. Acme made the rotor shaft for Ann Li.",
    "b.md": "Li met Bob Ray in Oslo. Bob Ray broke a rotor shaft, says Acme. Annie was there with Bob Ray.",
    "c.md": "Annie and Bob Ray left Oslo in 1999. Acme Corp paid Annie. The rotor shaft stayed in Oslo.",
}
KNOWN = """
same: [[Ann Li, Annie]]
different: [[Acme, Acme Corp]]
title: {Bob Ray: Robert Ray}
type: {rotor shaft: part}
drop: [Oslo]
names: [rotor shaft]
"""


def run(corpus: Path, root: Path, known: str | None, method: str = "fast") -> Run:
    root.mkdir(exist_ok=True)
    (root / "entities.yaml").unlink(missing_ok=True)
    if known is not None:
        (root / "entities.yaml").write_text(known)
    settings = settings_file.load(root, overrides=[f"method={method}", "communities.mode=full"], for_indexing=False)
    model = StubModel(lambda request: stub_replies.reply(request.messages)) if method == "standard" else None
    return pipeline.index(corpus, root / "output", settings, model=model)


def table(made: Run, name: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = tables.read(made.snapshot, name).to_pylist()
    return rows


def test_what_is_known_holds_and_is_taken_back(corpus: Callable[..., Path], tmp_path: Path) -> None:
    folder = corpus(TEXTS)
    plain = run(folder, tmp_path / "one", None)
    told = run(folder, tmp_path / "one", KNOWN)
    entities = {row["title"]: row for row in table(told, "entities")}
    assert {"Robert Ray", "Acme", "Acme Corp", "rotor shaft"} <= set(entities)
    assert not {"Annie", "Oslo", "Bob Ray"} & set(entities)
    assert entities["rotor shaft"]["type"] == "part" and entities["rotor shaft"]["frequency"] == 3
    before = {row["title"]: row["id"] for row in table(plain, "entities")}
    assert entities["Ann Li"]["id"] == before["Ann Li"] and entities["Robert Ray"]["id"] == before["Bob Ray"]
    assert not check.check(told.snapshot).problems
    changes = compare(plain.snapshot, told.snapshot).entities
    assert ("Annie", ("is part of Ann Li",)) in [(record.name, record.what) for record in changes.removed]
    assert ("Acme Corp", ("was part of Acme",)) in [(record.name, record.what) for record in changes.added]

    def files(made: Run) -> dict[str, bytes]:
        return {p.relative_to(made.snapshot).as_posix(): p.read_bytes() for p in made.snapshot.rglob("*.parquet")}

    assert files(told) == files(run(folder, tmp_path / "two", KNOWN))
    assert files(run(folder, tmp_path / "one", None)) == files(plain)


def test_names_that_a_model_misses_are_looked_for(corpus: Callable[..., Path], tmp_path: Path) -> None:
    made = run(corpus(TEXTS), tmp_path / "root", KNOWN, "standard")
    entities = {row["title"]: row for row in table(made, "entities")}
    assert entities["rotor shaft"]["type"] == "part" and "Oslo" not in entities


TYPES = 'types: {vessel: "a ship, fishing boat or trawler"}'
BOATS = {"a.md": "The trawler Ann Marie met Oslo Star, an old boat. Bob Ray, the owner of a boat, left Oslo."}


def test_types_of_ones_own_are_told_by_the_texts(corpus: Callable[..., Path], tmp_path: Path) -> None:
    types = {row["title"]: row["type"] for row in table(run(corpus(BOATS), tmp_path / "root", TYPES), "entities")}
    assert {name for name, kind in types.items() if kind == "vessel"} == {"Ann Marie", "Oslo Star"}
    assert types["Bob Ray"] == "person"


def test_types_of_ones_own_are_asked_for(corpus: Callable[..., Path], tmp_path: Path) -> None:
    (tmp_path / "entities.yaml").write_text(TYPES)
    settings = settings_file.load(tmp_path, overrides=["method=standard"], for_indexing=False)
    asked: list[str] = []

    def reply(request: Any) -> str:
        asked.append(request.messages[0]["content"])
        return stub_replies.reply(request.messages)

    pipeline.index(corpus(BOATS), tmp_path / "output", settings, model=StubModel(reply))
    assert "Entity types: vessel (a ship, fishing boat or trawler), person, organization" in asked[0]


@pytest.mark.parametrize(
    ("known", "says"),
    [
        ("same: [[Ann Li]]", "same.0: names two or more"),
        ("sane: []", "sane: not a setting. Did you mean same?"),
        ("same: [[A, B]]\ndifferent: [[B, A]]", "A and B cannot be the same and different"),
        ("- A", "must hold settings"),
    ],
)
def test_a_file_that_is_wrong_says_where(tmp_path: Path, known: str, says: str) -> None:
    (tmp_path / "entities.yaml").write_text(known)
    with pytest.raises(SettingsError, match=r"entities\.yaml") as error:
        settings_file.load(tmp_path)
    assert says in str(error.value)


def test_it_does_not_stand_in_the_settings(tmp_path: Path) -> None:
    (tmp_path / "settings.yaml").write_text("extract_graph_fast: {names: [Ann Li]}\n")
    with pytest.raises(SettingsError, match="stands here, not in settings"):
        settings_file.load(tmp_path)
    assert "known:" not in settings_file.render_defaults()
    assert Settings() == settings_file.load(tmp_path / "none")


def test_suggestions_are_lines_of_the_file(corpus: Callable[..., Path], tmp_path: Path) -> None:
    folder = corpus(
        {"a.md": "John Smith met Ann Li. John Smith left.", "b.md": "Jon Smith saw Ann Li. Jon Smith left."}
    )
    run(folder, tmp_path, None)
    show = ["show", "entities", "--suggest", "--root", str(tmp_path)]
    told = CliRunner().invoke(main, show).stdout
    pairs = [line.split("#")[0].removeprefix("  - ") for line in told.splitlines()[1:]]
    assert pairs and all(len(json.loads(pair)) == 2 for pair in pairs)
    run(folder, tmp_path, "different:\n" + told)
    assert CliRunner().invoke(main, show).stdout == ""
