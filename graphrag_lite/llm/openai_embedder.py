"""An embedding model behind any OpenAI-compatible endpoint, and the memo of its vectors."""

import array
import asyncio
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from graphrag_lite.attempts import ENDS_RUN, describe_error
from graphrag_lite.errors import CallError, ReplyError
from graphrag_lite.llm.chat import Embedder, Usage, estimated_tokens
from graphrag_lite.llm.endpoint import LARGE, Endpoint
from graphrag_lite.llm.memo import Memo
from graphrag_lite.llm.meter import Meter, Spent
from graphrag_lite.llm.openai_fields import token_count
from graphrag_lite.llm.providers import ProvidedEmbedder
from graphrag_lite.plugins import Origin
from graphrag_lite.settings.models import OPENAI, Embeddings, Llm, Takes
from graphrag_lite.settings.presets import PRESETS
from graphrag_lite.watch import Watch

OWN = " embeddings"  # after the run's name in the memo: what is spent on them has other prices than its chat


class OpenAIEmbedder:
    """The embedding model that the settings name; where they leave it open, at the endpoint of the chat model."""

    def __init__(self, settings: Embeddings, llm: Llm) -> None:
        self.settings = settings
        self.endpoint = Endpoint(*_where(settings, llm), settings.model)

    @property
    def identity(self) -> Mapping[str, Any]:
        return {"model": self.settings.model, "host": self.endpoint.host}

    async def check(self) -> None:
        await self.endpoint.check(lambda: self.embed(["Hi"]))

    async def embed(self, texts: Sequence[str]) -> tuple[list[list[float]], Usage]:
        estimated = sum(map(estimated_tokens, texts))
        body = {"model": self.settings.model, "input": list(texts), "encoding_format": "float"}

        def read(answer: Any) -> tuple[tuple[list[list[float]], Usage], int]:
            rows = sorted(answer["data"], key=lambda row: row["index"])
            if [row["index"] for row in rows] != list(range(len(texts))):
                raise ValueError("not a vector for every text")
            # At the precision of the memo, so that a vector is the same whether it was kept or not.
            vectors = [array.array("f", row["embedding"]).tolist() for row in rows]
            used = token_count((answer.get("usage") or {}).get("prompt_tokens")) or estimated
            return (vectors, Usage(prompt_tokens=used)), used

        return await self.endpoint.post(lambda client: client.post("embeddings", body, most=LARGE), read, estimated)


@dataclass
class MemoisedEmbedder:
    """An embedder that asks for every text once: not for one that the memo holds, nor twice for the same.

    What it asks is counted under `stage`, within the budget of the meter.
    """

    embedder: Embedder
    memo: Memo
    meter: Meter
    model: str  # under which the meter finds its prices
    batch_size: int = 64  # texts that its users embed at once
    stage: str = "query"
    watch: Watch | None = None
    text_prefix: str = ""  # that stands before each text
    question_prefix: str = ""
    n_numbers: int = 0  # of a vector; 0 until there is one
    _check: asyncio.Task[None] | None = None

    @property
    def identity(self) -> Mapping[str, Any]:
        return {**self.embedder.identity, **prefixes(self)}

    @property
    def origins(self) -> tuple[Origin, ...]:
        """Where it comes from, if it is not ours."""
        return getattr(self.embedder, "origins", ())

    def spent(self, run: str) -> Spent:
        """Return at least what a run asked that was killed."""
        calls, usage = self.memo.spent(f"{run}{OWN}")
        return Spent(calls, 0, usage, prices=self.meter.prices_of(self.model))

    def of(self, stage: str, watch: Watch) -> "MemoisedEmbedder":
        """Return the embedder as a stage sees it."""
        self.meter.priced(stage, self.model)
        return replace(self, stage=stage, watch=watch)

    def key(self, text: str) -> str:
        """Return what the memo calls a text's vector."""
        return self.memo.vector_key(self.embedder.identity, f"{self.text_prefix}{text}")

    def of_questions(self) -> "MemoisedEmbedder":
        """Return the same for questions, which some models want to begin otherwise than texts."""
        return replace(self, text_prefix=self.question_prefix)

    def known(self, key: str) -> Sequence[float] | None:
        """Return the vector that the memo has, None where it has none."""
        vector = self.memo.vector(key)
        if vector is None or len(vector) != (self.n_numbers or len(vector)):
            return None
        self.meter.hit(self.stage)
        self.n_numbers = len(vector)
        return vector

    def advance(self, done: int, total: int) -> None:
        if self.watch:
            self.watch.advance(done, total)

    async def ask(self, texts: Mapping[str, str]) -> list[Sequence[float]]:
        """Return the vectors of texts, by their keys, that the memo does not have, once it has them.

        Raises Stopped before a call that the budget does not allow, ReplyError for what are no vectors.
        """
        self._check = self._check or asyncio.create_task(self.embedder.check())
        await asyncio.shield(self._check)  # before the first request, not where the memo has everything
        sent = [f"{self.text_prefix}{text}" for text in texts.values()]
        async with self.meter.call(self.stage, Usage(sum(map(estimated_tokens, sent)))) as count:
            try:
                vectors, usage = await self.embedder.embed(sent)
            except ENDS_RUN:
                raise
            except Exception as error:  # of a model that is not ours
                raise CallError(describe_error(error)) from error
            count(usage)
        if self.watch:
            self.watch.spend(self.meter.to_dict(self.stage))
        if len(vectors) != len(texts) or not all(map(_is_vector, vectors)):
            raise ReplyError("the embedding model did not give a vector of numbers for every text")
        for n in map(len, vectors):  # what is kept is never asked for again
            self.n_numbers = self.n_numbers or n
            if n != self.n_numbers:
                raise ReplyError(f"the embedding model gave {n} numbers, and {self.n_numbers} before")
        await self.memo.put_vectors(list(texts), vectors, usage)
        return list(vectors)

    async def embed(self, texts: Sequence[str]) -> list[Sequence[float]]:
        """Return a vector for every text, in their order."""
        by_key = {self.key(text): text for text in texts}
        found = {key: vector for key in by_key if (vector := self.known(key)) is not None}
        missing = [key for key in by_key if key not in found]
        for start in range(0, len(missing), self.batch_size):
            batch = missing[start : start + self.batch_size]
            found |= zip(batch, await self.ask({key: by_key[key] for key in batch}), strict=True)
        return [found[self.key(text)] for text in texts]


def prefixes(held: "Embeddings | MemoisedEmbedder") -> dict[str, str]:
    """Return what is put before texts and before questions, as far as there is any: part of what a vector is."""
    found = {"text_prefix": held.text_prefix, "question_prefix": held.question_prefix}
    return {name: prefix for name, prefix in found.items() if prefix}


def _is_vector(numbers: Sequence[float]) -> bool:
    try:
        return len(numbers) > 0 and math.isfinite(sum(array.array("f", numbers)))  # at the precision of the memo
    except (TypeError, OverflowError):
        return False


@contextmanager
def open_embedder(
    settings: Embeddings,
    llm: Llm,
    output: Path,
    embedder: Embedder | None = None,
    *,
    meter: Meter | None = None,
    run: str = "",
    must_keep: bool = True,
) -> Iterator[MemoisedEmbedder]:
    """Open the embedding model that the settings name (or `embedder`) with the memo of an output folder.

    `meter` is that of the chat model which shares its budget, where there is one.
    """
    memo = Memo(output / "memo.sqlite", run=run and f"{run}{OWN}", must_keep=must_keep)
    try:
        yield memoised_embedder(settings, llm, memo, embedder, meter)
    finally:
        memo.close()


def memoised_embedder(
    settings: Embeddings, llm: Llm, memo: Memo, embedder: Embedder | None = None, meter: Meter | None = None
) -> MemoisedEmbedder:
    """Return the embedding model over a memo. Raises SettingsError where a budget needs prices that are not known."""
    client = _embedder(settings, llm, embedder)
    model = settings.model or str(client.identity.get("model"))
    meter = meter or Meter(llm.model_copy(update={"model": model}))
    meter.prices_of(model)
    made = MemoisedEmbedder(client, memo, meter, model, settings.batch_size)
    return replace(made, text_prefix=settings.text_prefix, question_prefix=settings.question_prefix)


def _embedder(settings: Embeddings, llm: Llm, passed: Embedder | None) -> Embedder:
    """Return the embedding model that the settings name, or the one that is passed. Raises PluginError."""
    if passed is None and settings.provider in PRESETS:
        return OpenAIEmbedder(settings, llm)
    if isinstance(passed, OpenAIEmbedder):
        return passed
    own = _with_key(llm, settings)
    section = settings.model_copy(update={"api_key_env": own.key_env})
    return ProvidedEmbedder(own, "embeddings", "embedders", section, passed)


def _with_key(llm: Llm, settings: Embeddings) -> Llm:
    """Return the settings of the endpoint with the variable that holds the key for embeddings."""
    return llm.model_copy(update={"api_key_env": settings.api_key_env or llm.api_key_env})


def _where(settings: Embeddings, llm: Llm) -> tuple[Llm, str]:
    """Return the settings of the endpoint for embeddings, and the section that its errors name."""
    if settings.base_url is None and settings.provider == OPENAI:
        return _with_key(llm, settings), "llm"
    key = settings.api_key_env or (llm.api_key_env if settings.provider == OPENAI else None)
    own: dict[str, object] = {"provider": settings.provider, "base_url": settings.base_url, "api_key_env": key}
    return llm.model_copy(update={**own, "headers": {}, "query": {}, "takes": Takes()}), "embeddings"
