"""Embeddings by model2vec: weights of a folder, whose content and not whose place tells them from others."""

import asyncio
import shutil
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from graphrag_lite.errors import SettingsError
from graphrag_lite.llm.model2vec_embedder import FILES, Model2VecEmbedder
from graphrag_lite.settings.models import Embeddings


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    folder = tmp_path / "weights"
    folder.mkdir()
    for name in FILES:
        (folder / name).write_text(name)
    return folder


def embedder(folder: Path) -> Model2VecEmbedder:
    return Model2VecEmbedder(Embeddings(provider="model2vec", model=str(folder)))


def test_what_is_missing_is_named(weights: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "model2vec", None)
    with pytest.raises(SettingsError, match=r"graphrag-build\[model2vec\]"):
        asyncio.run(embedder(weights).check())
    (weights / FILES[0]).unlink()
    with pytest.raises(SettingsError, match=rf"no {FILES[0]}$"):
        embedder(weights)


def test_each_text_is_embedded_by_itself_from_the_folder(weights: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class StaticModel:
        @staticmethod
        def from_pretrained(path: Path) -> Any:
            assert path == weights
            return SimpleNamespace(encode=lambda text: SimpleNamespace(tolist=lambda: [float(len(text)), 1.0]))

    monkeypatch.setitem(sys.modules, "model2vec", SimpleNamespace(StaticModel=StaticModel))
    vectors, _ = asyncio.run(embedder(weights).embed(["a", "bcd"]))
    assert vectors == [[1.0, 1.0], [3.0, 1.0]]


def test_other_weights_are_another_model_and_moved_ones_the_same(weights: Path) -> None:
    before = embedder(weights).identity
    moved = Path(shutil.copytree(weights, weights.parent / "other" / weights.name))
    assert embedder(moved).identity == before
    (moved / FILES[1]).write_text("others")
    assert embedder(moved).identity != before
