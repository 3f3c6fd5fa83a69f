"""Embeddings in this process, of weights in a folder that the user has: no network, nothing downloaded."""

import hashlib
import json
import logging
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from graphrag_lite.distribution import install_hint
from graphrag_lite.errors import SettingsError
from graphrag_lite.llm.chat import Usage
from graphrag_lite.settings.models import Embeddings

POOLING = "1_Pooling/config.json"  # of sentence-transformers, beside its weights

Encode = Callable[[str], Any]


@dataclass(frozen=True)
class Library:
    """What reads weights: the files that it needs, and how it opens a folder of them. ImportError without its extra."""

    files: tuple[str, ...]
    opened: Callable[[Path], Encode]


def _model2vec(folder: Path) -> Encode:
    from model2vec import StaticModel

    return StaticModel.from_pretrained(folder).encode  # type: ignore[no-any-return]


def _sentence_transformers(folder: Path) -> Encode:
    import torch
    from sentence_transformers import SentenceTransformer
    from transformers.utils.logging import disable_progress_bar

    disable_progress_bar()
    logging.getLogger("sentence_transformers").setLevel(logging.WARNING)  # it tells the folder and the device
    torch.set_num_threads(max((os.cpu_count() or 1) - 1, 1))  # they wait for each other without sleep
    model = SentenceTransformer(str(folder), local_files_only=True)
    return partial(model.encode, show_progress_bar=False)  # else one for each text, where a run tells how it goes


def _fastembed(folder: Path) -> Encode:
    from fastembed import TextEmbedding
    from fastembed.common.model_description import ModelSource, PoolingType

    try:
        first_token = json.loads((folder / POOLING).read_text(encoding="utf-8"))["pooling_mode_cls_token"]
    except (OSError, ValueError, LookupError, TypeError):
        first_token = False
    name, nowhere = str(folder.resolve()), ModelSource(url="file:none")
    if name not in {model["model"] for model in TextEmbedding.list_supported_models()}:
        TextEmbedding.add_custom_model(
            name, PoolingType.CLS if first_token else PoolingType.MEAN, True, nowhere, 1, "model.onnx"
        )
    model = TextEmbedding(name, specific_model_path=str(folder), threads=1)
    return lambda text: next(iter(model.embed([text])))


LIBRARIES = {
    "model2vec": Library(("config.json", "model.safetensors", "tokenizer.json"), _model2vec),
    "sentence-transformers": Library(("config.json", "model.safetensors", "modules.json"), _sentence_transformers),
    "fastembed": Library(("model.onnx", "tokenizer.json", "tokenizer_config.json"), _fastembed),
}


class LocalEmbedder:
    """The embedder of an `embeddings.provider` of LIBRARIES; `embeddings.model` is the folder of the weights.

    Each text is embedded by itself, so its vector does not depend on what else is sent. Raises SettingsError for a
    folder that lacks one of the files.
    """

    def __init__(self, settings: Embeddings) -> None:
        self.provider = settings.provider
        self.library = LIBRARIES[settings.provider]
        self.folder = Path(settings.model or "").expanduser()
        if missing := [name for name in self.library.files if not (self.folder / name).is_file()]:
            raise SettingsError(
                f"embeddings.model: {self.folder} is no folder of {self.provider}: no {', '.join(missing)}"
            )
        stats = (path.stat() for path in _files(self.provider, self.folder))
        self._read = (self.provider, self.folder, tuple((each.st_mtime_ns, each.st_size) for each in stats))

    @property
    def identity(self) -> Mapping[str, Any]:
        return {"model": self.folder.name, "sha256": _sha256(*self._read)}

    async def check(self) -> None:
        """Raise SettingsError where the library is not installed."""
        _encoder(*self._read)

    async def embed(self, texts: Sequence[str]) -> tuple[list[list[float]], Usage]:
        encode = _encoder(*self._read)
        return [encode(text).tolist() for text in texts], Usage()


@lru_cache(maxsize=2)  # each question has an embedder of its own
def _sha256(provider: str, folder: Path, _: object) -> str:
    content = hashlib.sha256()
    for path in _files(provider, folder):
        content.update(path.read_bytes())
    return content.hexdigest()


def _files(provider: str, folder: Path) -> list[Path]:
    return [path for name in (*LIBRARIES[provider].files, POOLING) if (path := folder / name).is_file()]


@lru_cache(maxsize=2)
def _encoder(provider: str, folder: Path, _: object) -> Encode:
    try:
        return LIBRARIES[provider].opened(folder)
    except ImportError:
        raise SettingsError(f"embeddings.provider: {provider} needs {install_hint(provider)}") from None
