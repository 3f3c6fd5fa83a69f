"""Names typed by an installed pipeline: whose code it is does not matter, what it finds does."""

import sys
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from graphrag_lite.errors import PluginError
from graphrag_lite.extraction import ner

TEXT = "Mara Velm flew to Tarnow. Orbix bought the yard."


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    ner._pipeline.cache_clear()
    yield
    ner._pipeline.cache_clear()


def spacy_with(monkeypatch: pytest.MonkeyPatch, **labels: str) -> list[str]:
    """Install a spaCy whose one English pipeline finds words by their labels. Returns what has been loaded."""
    loaded: list[str] = []

    def load(name: str, exclude: list[str]) -> Any:
        if name != "en_tiny":
            raise OSError(name)
        loaded.append(name)
        spans = [
            SimpleNamespace(start_char=TEXT.index(w), end_char=TEXT.index(w) + len(w), label_=labels[w]) for w in labels
        ]
        return lambda _text: SimpleNamespace(ents=spans)

    util = SimpleNamespace(get_installed_models=lambda: ["fr_tiny", "en_tiny"])
    monkeypatch.setitem(sys.modules, "spacy", SimpleNamespace(load=load, util=util))
    return loaded


def test_the_pipeline_of_the_language_types_names_and_adds_some(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = spacy_with(monkeypatch, Orbix="ORG", Tarnow="GPE", yard="ORG", flew="DATE")
    found = {entity.name: entity.type for entity in ner.extract(TEXT, "en")}
    assert found["Orbix"] == "organization" and found["Tarnow"] == "location" and not {"yard", "flew"} & found.keys()
    ner.extract(TEXT, "en")
    assert loaded == ["en_tiny"]


def test_a_language_without_a_pipeline_has_what_the_rules_find(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not spacy_with(monkeypatch, Orbix="ORG")
    assert {entity.name for entity in ner.extract(TEXT, "sv")} == {"Tarnow"}


def test_what_is_not_installed_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    spacy_with(monkeypatch)
    with pytest.raises(PluginError, match="en_big is no pipeline that is installed"):
        ner.extract(TEXT, "en", {"en": "en_big"})
    monkeypatch.setitem(sys.modules, "natasha", None)
    with pytest.raises(PluginError, match="natasha is not installed"):
        ner.extract(TEXT, "ru", {"ru": "natasha"})
    ner._pipeline.cache_clear()
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(PluginError, match=r"graphrag-build\[ner\]"):
        ner.extract(TEXT, "en")


def test_a_real_pipeline() -> None:
    spacy = pytest.importorskip("spacy", reason="spaCy is not installed")
    if not any(name.startswith("en_") for name in spacy.util.get_installed_models()):
        pytest.skip("no English pipeline of spaCy is installed")
    found = {entity.name: entity.type for entity in ner.extract("Ann Li works at Microsoft in Oslo.", "en")}
    assert found == {"Ann Li": "person", "Microsoft": "organization", "Oslo": "location"}
