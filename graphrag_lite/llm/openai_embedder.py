"""An embedding model behind any OpenAI-compatible endpoint, and the memo of its vectors."""

import array
import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphrag_lite.llm.chat import Embedder, Usage, estimated_tokens
from graphrag_lite.llm.endpoint import Endpoint
from graphrag_lite.llm.memo import Memo
from graphrag_lite.llm.meter import cost_of
from graphrag_lite.settings import Embeddings, Llm, Prices

if TYPE_CHECKING:
    from openai import AsyncOpenAI


class OpenAIEmbedder:
    """The embedding model that the settings name; where they leave it open, at the endpoint of the chat model."""

    def __init__(self, settings: Embeddings, llm: Llm) -> None:
        self.settings = settings
        base_url, api_key_env = settings.base_url or llm.base_url, settings.api_key_env or llm.api_key_env
        there = llm.model_copy(update={"base_url": base_url, "api_key_env": api_key_env})
        self.endpoint = Endpoint(there, "embeddings" if settings.base_url else "llm")

    @property
    def identity(self) -> Mapping[str, Any]:
        return {"model": self.settings.model, "host": self.endpoint.host}

    async def check(self) -> None:
        await self.endpoint.check()

    async def embed(self, texts: Sequence[str]) -> tuple[list[list[float]], Usage]:
        size = self.settings.batch_size
        try:
            async with asyncio.TaskGroup() as group:
                batches = [group.create_task(self._batch(texts[i : i + size])) for i in range(0, len(texts), size)]
        except ExceptionGroup as errors:
            raise errors.exceptions[0] from None
        vectors = [vector for batch in batches for vector in batch.result()[0]]
        return vectors, sum((batch.result()[1] for batch in batches), Usage())

    async def _batch(self, texts: Sequence[str]) -> tuple[list[list[float]], Usage]:
        estimated = sum(map(estimated_tokens, texts))

        async def send(client: "AsyncOpenAI") -> Any:
            return await client.embeddings.with_raw_response.create(
                model=str(self.settings.model), input=list(texts), encoding_format="float"
            )

        def read(answer: Any) -> tuple[tuple[list[list[float]], Usage], int]:
            rows = sorted(answer["data"], key=lambda row: row["index"])
            if [row["index"] for row in rows] != list(range(len(texts))):
                raise ValueError("not a vector for every text")
            # At the precision of the memo, so that a vector is the same whether it was kept or not.
            vectors = [array.array("f", row["embedding"]).tolist() for row in rows]
            used = (answer.get("usage") or {}).get("prompt_tokens") or estimated
            return (vectors, Usage(prompt_tokens=used)), used

        return await self.endpoint.post(send, estimated, read)


class MemoisedEmbedder:
    """An embedder that asks for every text once: not for one that the memo holds, nor twice for the same."""

    def __init__(self, embedder: Embedder, memo: Memo, batch_size: int = 64, prices: Prices | None = None) -> None:
        self.embedder = embedder
        self.memo = memo
        self.batch_size = batch_size  # texts that its users embed at once
        self.prices = prices
        self.n_calls = self.n_known = 0  # embed() that asked; texts that the memo had
        self.usage = Usage()
        self._check: asyncio.Task[None] | None = None

    @property
    def identity(self) -> Mapping[str, Any]:
        return self.embedder.identity

    def to_dict(self) -> dict[str, Any]:
        """Return what was spent so far, as `Meter.to_dict` does for a chat model."""
        cost = None if self.prices is None else cost_of(self.usage, self.prices)
        return {"calls": self.n_calls, "memo_hits": self.n_known, **asdict(self.usage), "cost": cost}

    async def embed(self, texts: Sequence[str]) -> tuple[list[list[float]], Usage]:
        """Return a vector for every text, in their order, and what the new ones cost."""
        keys = {text: self.memo.vector_key(self.identity, text) for text in texts}
        known = {text: self.memo.vector(key) for text, key in keys.items()}
        missing = [text for text, vector in known.items() if vector is None]
        usage = Usage()
        self.n_known += len(keys) - len(missing)
        if missing:
            self._check = self._check or asyncio.create_task(self.embedder.check())
            await asyncio.shield(self._check)  # before the first request, not where the memo has everything
            vectors, usage = await self.embedder.embed(missing)
            self.n_calls += 1
            self.usage += usage
            await self.memo.put_vectors([keys[text] for text in missing], vectors)
            known |= dict(zip(missing, vectors, strict=True))
        return [known[text] or [] for text in texts], usage


@contextmanager
def open_embedder(
    settings: Embeddings, llm: Llm, output: Path, embedder: Embedder | None = None
) -> Iterator[MemoisedEmbedder]:
    """Open the embedding model that the settings name (or `embedder`) with the memo of an output folder."""
    asked = embedder or OpenAIEmbedder(settings, llm)
    memo = Memo(output / "memo.sqlite")
    try:
        yield MemoisedEmbedder(asked, memo, settings.batch_size, llm.prices.get(settings.model or ""))
    finally:
        memo.close()
