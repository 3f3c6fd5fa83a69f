"""Embeddings of weights in a folder, whose content and not whose place tells them from others."""

import asyncio
import os
import shutil
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from graphrag_lite.errors import SettingsError
from graphrag_lite.llm.llamacpp_chat import LlamacppChat
from graphrag_lite.llm.local_embedder import LIBRARIES, LocalEmbedder
from graphrag_lite.settings.models import Embeddings, Llm


@pytest.fixture(params=LIBRARIES)
def provider(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def weights(tmp_path: Path, provider: str) -> Path:
    folder = tmp_path / "weights"
    folder.mkdir()
    for name in LIBRARIES[provider].files:
        (folder / name).write_text(name)
    return folder


def embedder(folder: Path, provider: str) -> LocalEmbedder:
    return LocalEmbedder(Embeddings(provider=provider, model=str(folder)))


def test_what_is_missing_is_named(weights: Path, provider: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, provider.replace("-", "_"), None)
    with pytest.raises(SettingsError, match=rf"graphrag-build\[{provider}\]"):
        asyncio.run(embedder(weights, provider).check())
    first = LIBRARIES[provider].files[0]
    (weights / first).unlink()
    with pytest.raises(SettingsError, match=rf"no {first}$"):
        embedder(weights, provider)


class StandIn:
    """What we call of the three libraries, with the parameters that they have (`make test-local-model` asks them).

    `opened` are the folders that were read, `bars` whether a text shows a progress bar, `n_threads` what torch was told.
    """

    def __init__(self) -> None:
        self.opened: list[Path] = []
        self.bars: set[bool] = set()
        self.n_threads: list[int] = []
        self.registered: list[str] = []

    def encode(self, text: str, *, show_progress_bar: bool) -> Any:
        assert isinstance(text, str), "several texts give several vectors"
        self.bars.add(show_progress_bar)
        return SimpleNamespace(tolist=lambda: [float(len(text)), 1.0])

    def static_model(self, path: Path) -> Any:
        """model2vec's: shows no bar unless it is asked to."""
        self.opened.append(path)
        return SimpleNamespace(encode=lambda sentences: self.encode(sentences, show_progress_bar=False))

    def sentence_transformer(self, model_name_or_path: str, *, local_files_only: bool = False) -> Any:
        """sentence-transformers': shows one for each call where anything is logged, and may ask a hub."""
        assert local_files_only
        self.opened.append(Path(model_name_or_path))

        def encode(inputs: str, *, show_progress_bar: bool | None = None) -> Any:
            return self.encode(inputs, show_progress_bar=show_progress_bar is not False)

        return SimpleNamespace(encode=encode)

    def text_embedding(self) -> Any:
        """fastembed's, which knows the models that it was told of, once each."""
        stand_in = self

        class TextEmbedding:
            def __init__(self, model_name: str, *, specific_model_path: str, threads: int) -> None:
                assert model_name in stand_in.registered and threads
                stand_in.opened.append(Path(specific_model_path))

            @staticmethod
            def list_supported_models() -> list[dict[str, Any]]:
                return [{"model": name} for name in stand_in.registered]

            @staticmethod
            def add_custom_model(
                model: str, pooling: int, normalization: bool, sources: Any, dim: int, model_file: str
            ) -> None:
                assert model not in stand_in.registered and pooling == 2 and normalization and sources.url and dim
                assert model_file == "model.onnx"
                stand_in.registered.append(model)

            def embed(self, documents: list[str]) -> Any:
                return (stand_in.encode(text, show_progress_bar=False) for text in documents)

        return TextEmbedding


def test_each_text_is_embedded_by_itself_from_the_folder(
    weights: Path, provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in = StandIn()
    described = ModuleType("fastembed.common.model_description")
    described.__dict__.update(ModelSource=SimpleNamespace, PoolingType=SimpleNamespace(CLS=1, MEAN=2))
    modules = {
        "model2vec": SimpleNamespace(StaticModel=SimpleNamespace(from_pretrained=stand_in.static_model)),
        "sentence_transformers": SimpleNamespace(SentenceTransformer=stand_in.sentence_transformer),
        "transformers.utils.logging": SimpleNamespace(disable_progress_bar=lambda: None),
        "torch": SimpleNamespace(set_num_threads=stand_in.n_threads.append),
        "fastembed": SimpleNamespace(TextEmbedding=stand_in.text_embedding()),
        "fastembed.common": ModuleType("fastembed.common"),
        described.__name__: described,
    }
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    for _ in range(2):  # each question has an embedder of its own; weights are read once
        vectors, _ = asyncio.run(embedder(weights, provider).embed(["a", "bcd"]))
        assert vectors == [[1.0, 1.0], [3.0, 1.0]] and stand_in.opened == [weights] and stand_in.bars == {False}
    cores = max((os.cpu_count() or 1) - 1, 1)  # threads that wait for a core without sleep take many times as long
    assert stand_in.n_threads == [cores] * (provider == "sentence-transformers")


def test_other_weights_are_another_model_and_moved_ones_the_same(weights: Path, provider: str) -> None:
    before = embedder(weights, provider).identity
    moved = Path(shutil.copytree(weights, weights.parent / "other" / weights.name))
    assert embedder(moved, provider).identity == before
    (moved / LIBRARIES[provider].files[1]).write_text("others")
    assert embedder(moved, provider).identity != before


def test_a_file_of_llamacpp_is_told_by_its_ends_and_needs_its_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "tiny.gguf"
    settings = Llm(provider="llamacpp", model=str(path))
    with pytest.raises(SettingsError, match="no file"):
        LlamacppChat(settings)
    told = set()
    for content in (b"GGUF" + bytes(3_000_000), b"GGUF" + bytes(3_000_000) + b"1", b"GGU1" + bytes(3_000_000)):
        path.write_bytes(content)
        told.add(str(LlamacppChat(settings).identity))
    assert len(told) == 3 and settings.is_file and not Llm(provider="llamacpp", model="tiny").is_file
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(SettingsError, match=r"graphrag-build\[llamacpp\]"):
        asyncio.run(LlamacppChat(settings).check())
