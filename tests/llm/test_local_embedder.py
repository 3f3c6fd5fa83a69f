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


def test_each_text_is_embedded_by_itself_from_the_folder(
    weights: Path, provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[Path] = []
    bars: set[bool] = set()
    n_threads: list[int] = []

    def model(folder: str | Path, **_: Any) -> Any:
        opened.append(Path(folder))

        def encode(text: str, *, show_progress_bar: bool = provider == "sentence-transformers") -> Any:
            bars.add(show_progress_bar)
            return SimpleNamespace(tolist=lambda: [float(len(text)), 1.0])

        return SimpleNamespace(encode=encode)

    class TextEmbedding:
        list_supported_models = staticmethod(list)
        add_custom_model = staticmethod(lambda *_: None)

        def __init__(self, _: str, *, specific_model_path: str, threads: int) -> None:  # noqa: ARG002
            self.model = model(specific_model_path)

        def embed(self, texts: list[str]) -> Any:
            return map(self.model.encode, texts)

    described = ModuleType("fastembed.common.model_description")
    described.__dict__.update(ModelSource=SimpleNamespace, PoolingType=SimpleNamespace(CLS=1, MEAN=2))
    stand_ins = {
        "model2vec": SimpleNamespace(StaticModel=SimpleNamespace(from_pretrained=model)),
        "sentence_transformers": SimpleNamespace(SentenceTransformer=model),
        "torch": SimpleNamespace(set_num_threads=n_threads.append),
        "fastembed": SimpleNamespace(TextEmbedding=TextEmbedding),
        "fastembed.common": ModuleType("fastembed.common"),
        described.__name__: described,
    }
    for name, module in stand_ins.items():
        monkeypatch.setitem(sys.modules, name, module)
    for _ in range(2):  # each question has an embedder of its own; weights are read once
        vectors, _ = asyncio.run(embedder(weights, provider).embed(["a", "bcd"]))
        assert vectors == [[1.0, 1.0], [3.0, 1.0]] and opened == [weights] and bars == {False}
    cores = max((os.cpu_count() or 1) - 1, 1)  # threads that wait for a core without sleep take many times as long
    assert n_threads == [cores] * (provider == "sentence-transformers")


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
