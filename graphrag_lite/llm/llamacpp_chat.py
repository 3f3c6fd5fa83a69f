"""A chat model in this process: llama.cpp with a GGUF file that the user has. Nothing is downloaded.

llama.cpp brings its server along, which listens on this machine alone. So it is asked as any endpoint is, and whatever
holds for one (forms of JSON, streams, limits, what errors mean) holds for it.
"""

import asyncio
import hashlib
import os
import threading
from collections.abc import AsyncIterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from graphrag_lite.distribution import install_hint
from graphrag_lite.errors import ModelError, SettingsError
from graphrag_lite.llm.chat import Reply, Request
from graphrag_lite.llm.openai_chat import OpenAIChat
from graphrag_lite.settings.models import Llm

CONTEXT = 16_384  # tokens of a prompt and its reply: a report's prompt has up to 9,000
SAMPLE = 1_000_000  # bytes at either end of a file, by which it is told from others: its vocabulary, and last weights


class LlamacppChat:
    """The chat model of `llm.provider: llamacpp` where `llm.model` is a GGUF file. Requests are answered one by one.

    Raises SettingsError for a file that is not there, or where llama.cpp is not installed, ModelError where it cannot
    read the file.
    """

    def __init__(self, settings: Llm) -> None:
        self.settings = settings
        self.path = Path(settings.model or "").expanduser()
        if not self.path.is_file():
            raise SettingsError(f"llm.model: there is no file {self.path}")
        self._opening = threading.Lock()

    @cached_property
    def identity(self) -> Mapping[str, Any]:
        size = self.path.stat().st_size
        with self.path.open("rb") as file:
            content = hashlib.sha256(file.read(SAMPLE))
            file.seek(max(size - SAMPLE, 0))
            content.update(file.read())
        parameters = {"temperature": self.settings.temperature, "parameters": self.settings.parameters}
        return {"model": self.path.name, "size": size, "sha256_of_ends": content.hexdigest(), **parameters}

    async def check(self) -> None:
        """Raise SettingsError or ModelError where the model cannot be opened."""
        await self._opened()

    async def complete(self, request: Request) -> Reply:
        return await (await self._opened()).complete(request)

    async def stream(self, request: Request) -> AsyncIterator[str | Reply]:
        async for piece in (await self._opened()).stream(request):
            yield piece

    async def _opened(self) -> OpenAIChat:
        return self._chat if "_chat" in self.__dict__ else await asyncio.to_thread(self._open)

    def _open(self) -> OpenAIChat:
        with self._opening:
            return self._chat

    @cached_property
    def _chat(self) -> OpenAIChat:
        try:
            import xllamacpp
        except ImportError:
            raise SettingsError(f"llm.model: a GGUF file needs {install_hint('llamacpp')}") from None
        parameters = xllamacpp.CommonParams()
        parameters.model.path = str(self.path)
        parameters.n_ctx, parameters.n_parallel = CONTEXT, 1
        # Its threads wait for each other without sleep, which takes many times as long where one of them has no core.
        parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = max((os.cpu_count() or 1) - 1, 1)
        parameters.port, parameters.ui, parameters.verbosity = 0, False, -1
        try:
            self._server = xllamacpp.Server(parameters)  # lives as long as this does
        except (RuntimeError, ValueError) as error:
            raise ModelError(f"llama.cpp cannot open {self.path}: {error}") from None
        address = {"base_url": f"{self._server.listening_address}/v1", "concurrency": 1, "headers": {}, "query": {}}
        return OpenAIChat(self.settings.model_copy(update=address))
