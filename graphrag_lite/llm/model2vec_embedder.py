"""Static embeddings by model2vec in this process, of weights that the user has: no network, nothing downloaded."""

import hashlib
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from graphrag_lite.distribution import extra
from graphrag_lite.errors import SettingsError
from graphrag_lite.llm.chat import Usage
from graphrag_lite.settings.models import Embeddings

FILES = ("config.json", "model.safetensors", "tokenizer.json")


class Model2VecEmbedder:
    """The embedder of `embeddings.provider: model2vec`; `embeddings.model` is the folder that holds FILES.

    Each text is embedded by itself, so its vector does not depend on what else is sent. Raises SettingsError for a
    folder that lacks one of the files.
    """

    def __init__(self, settings: Embeddings) -> None:
        self.folder = Path(settings.model or "").expanduser()
        if missing := [name for name in FILES if not (self.folder / name).is_file()]:
            raise SettingsError(f"embeddings.model: {self.folder} is no folder of model2vec: no {', '.join(missing)}")

    @cached_property
    def identity(self) -> Mapping[str, Any]:
        content = hashlib.sha256()
        for name in FILES:
            content.update((self.folder / name).read_bytes())
        return {"model": self.folder.name, "sha256": content.hexdigest()}

    async def check(self) -> None:
        """Raise SettingsError where model2vec is not installed."""
        _ = self._model

    async def embed(self, texts: Sequence[str]) -> tuple[list[list[float]], Usage]:
        return [self._model.encode(text).tolist() for text in texts], Usage()

    @cached_property
    def _model(self) -> Any:
        try:
            from model2vec import StaticModel
        except ImportError:
            raise SettingsError(f"embeddings.provider: model2vec needs {extra('model2vec')}") from None
        return StaticModel.from_pretrained(self.folder)
