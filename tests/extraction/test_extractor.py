"""An extractor of somebody else is checked: what it says wrongly is told, and loses nothing else."""

from collections.abc import Callable
from itertools import repeat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphrag_lite
from graphrag_lite import pipeline, tables
from graphrag_lite.errors import PluginError, SettingsError
from graphrag_lite.extraction.extractor import Entity, GraphReply, Relationship, located, open_extractor
from graphrag_lite.ops import check
from graphrag_lite.run.loop import Run
from graphrag_lite.settings import ExtractGraphFast, Settings

TEXTS = {
    "a.txt": "The drug insulin lowers glucose. Glucose feeds insulin release.\n",
    "b.txt": "Nobody gave insulin to Ann Lee. Ann Lee took aspirin.\n",
    "c.txt": "boom\n",
}
WORDS = ("insulin", "glucose", "aspirin")
Made = Callable[[Any], Run]


@pytest.fixture
def made(corpus: Callable[..., Path], tmp_path: Path) -> Made:
    def make(extractor: Any, **options: Any) -> Run:
        settings = Settings.model_validate({"extract_graph_fast": {"options": options}})
        run = pipeline.index(corpus(TEXTS), tmp_path / "output", settings, extractor=extractor)
        assert check.check(run.snapshot).problems == ()
        return run

    return make


def drugs(text: str, language: str) -> list[Entity]:
    return [Entity(word, "Drug") for word in WORDS if word in text.casefold()]


def rows(run: Run, table: str, *columns: str) -> list[tuple[Any, ...]]:
    found = tables.read(run.snapshot, table)
    return sorted(zip(*(found[column].to_pylist() for column in columns), strict=True))


def test_names_in_lower_case_of_types_of_its_own_stay_and_are_related_by_sentence(made: Made) -> None:
    run = made(drugs)
    assert rows(run, "entities", "title", "type") == [("aspirin", "drug"), ("glucose", "drug"), ("insulin", "drug")]
    assert {frozenset(pair) for pair in rows(run, "relationships", "source", "target")} == {
        frozenset(("insulin", "glucose"))
    }
    texts = dict(rows(run, "documents", "id", "text"))
    for document, name, start in rows(run, "entity_mentions", "document_id", "name", "mention_start"):
        assert texts[document][start : start + len(name)].casefold() == name


def stated(text: str, language: str) -> GraphReply:
    names = drugs(text, language)
    pairs = zip(names, names[1:], strict=False)
    return GraphReply(tuple(names), tuple(Relationship(one.name, other.name, "near") for one, other in pairs))


@pytest.mark.parametrize("extractor", [drugs, stated])
def test_an_index_brought_up_to_date_is_what_it_is_from_nothing(
    extractor: Any, corpus: Callable[..., Path], tmp_path: Path
) -> None:
    settings, texts = Settings.model_validate({"communities": {"mode": "full"}}), corpus(TEXTS)
    pipeline.index(texts, tmp_path / "updated", settings, extractor=extractor)
    (texts / "a.txt").write_text(TEXTS["a.txt"] + "Aspirin is no insulin.\n")
    (texts / "c.txt").unlink()
    (texts / "d.txt").write_text(TEXTS["b.txt"])
    updated = pipeline.index(texts, tmp_path / "updated", settings, extractor=extractor)
    new = pipeline.index(texts, tmp_path / "new", settings, extractor=extractor)
    assert updated.manifest["tables"] == new.manifest["tables"]


def test_what_is_no_name_is_left_out_and_what_is_not_in_the_text_stays(made: Made) -> None:
    def extract(text: str, language: str) -> list[Entity]:
        return [Entity(""), Entity("x" * 201), Entity("\x00 \ud800"), Entity("Sherlock\x07 Holmes")]

    run = made(extract)
    assert [title for (title,) in rows(run, "entities", "title")] == ["Sherlock Holmes"]
    assert set(rows(run, "entity_mentions", "mention_start")) == {(-1,)}


def test_relationships_are_taken_as_they_are(made: Made) -> None:
    def extract(text: str, language: str) -> GraphReply:
        stated = Relationship("insulin", "glucose", "lowers", "It lowers it.", float("nan"), "May 2020", "no date")
        return GraphReply((Entity("insulin", "drug", "A hormone."),), (stated,) if "lowers" in text else ())

    run = made(extract)
    assert rows(run, "relationships", "source", "target", "description") == [("insulin", "glucose", "It lowers it.")]
    assert rows(run, "relationship_mentions", "strength", "valid_at", "invalid_at") == [(1.0, "2020-05", "")]
    assert dict(rows(run, "entities", "title", "type")) == {"insulin": "drug", "glucose": "unknown"}
    assert dict(rows(run, "entities", "title", "description"))["insulin"] == "A hormone."


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (KeyError("x"), "KeyError"),
        (None, "TypeError"),
        ([{"name": "x"}], "gave a dict in the place of Entity"),
        ("insulin", "gave a str in the place of Entity"),
        (GraphReply((Entity("insulin"),), (Entity("x"),)), "gave a Entity in the place of Relationship"),
        ([Entity(3)], "TypeError"),
        (repeat(Entity("x")), "gave more than 2000"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_it_says_wrongly_of_one_text_is_a_failure_of_that_one(given: Any, said: str, made: Made) -> None:
    def extract(text: str, language: str) -> Any:
        if text.startswith("boom"):
            if isinstance(given, Exception):
                raise given
            return given
        return drugs(text, language)

    run = made(extract)
    ((_, stage, error),) = rows(run, "failures", "document", "stage", "error")
    assert stage == "extract_graph_fast" and said in error
    assert len(rows(run, "entities", "title")) == 3 and run.n_failures == 1
    given = []  # it is mended, in the same place: the text that failed is read again
    assert made(extract).n_failures == 0


def test_nothing_is_published_where_it_can_read_nothing(made: Made, tmp_path: Path) -> None:
    def extract(text: str, language: str) -> list[Entity]:
        raise OSError("Can't find model 'en_core_web_sm'")

    before = made(drugs).snapshot
    with pytest.raises(PluginError, match=r"can read no text unit.*en_core_web_sm"):
        made(extract)
    assert graphrag_lite.open(tmp_path / "output").folder == before


def test_options_are_checked_before_anything_is_read(made: Made) -> None:
    seen = []

    def extract(text: str, language: str, least: int = 1) -> list[Entity]:
        seen.append(least)
        return []

    made(extract, least=3)
    assert set(seen) == {3}
    seen.clear()
    with pytest.raises(PluginError, match=r"extract_graph_fast\.options.*unexpected keyword argument 'leest'"):
        made(extract, leest=3)
    assert not seen


def test_a_method_that_asks_a_model_takes_none(corpus: Callable[..., Path], tmp_path: Path) -> None:
    settings = Settings.model_validate({"method": "standard", "llm": {"model": "m"}})
    with pytest.raises(SettingsError, match="takes no extractor"):
        pipeline.index(corpus(TEXTS), tmp_path / "output", settings, extractor=drugs)


def test_what_is_passed_is_known_by_its_name_and_version(made: Made) -> None:
    run = made(drugs)
    name = f"{drugs.__module__}.drugs"
    assert run.manifest["plugins"] == {"extractor": [{"name": name, "package": "", "version": ""}]}
    assert not made(drugs).changed

    class Newer:
        version = 2

        def __call__(self, text: str, language: str) -> list[Entity]:
            return drugs(text, language)

    run = made(Newer())
    assert run.manifest["plugins"]["extractor"][0]["version"] == "2" and "extract_graph_fast" in run.ran


def test_one_that_nobody_brings_is_an_error() -> None:
    with pytest.raises(PluginError, match="No installed package brings 'nope'"):
        open_extractor(ExtractGraphFast(extractor="nope"))


@given(st.text("ab. ", max_size=40), st.lists(st.text("ab", min_size=1, max_size=4), max_size=5))
def test_mentions_stand_in_order_do_not_overlap_and_leave_out_no_name(text: str, names: list[str]) -> None:
    there, absent = located(text, "en", map(Entity, names))
    assert {name.name for name in (*there, *absent)} == set(names)
    assert all(one.end <= other.start for one, other in zip(there, there[1:], strict=False))
    assert all(text[name.start : name.end] == name.name for name in there)
