"""Chat and embedding models that are not ours: of an installed package, by its name, or passed in Python.

They get what ours have: limits, a timeout, retries, an estimate of usage where they state none, errors without keys.
What they may raise: CallError, this request cannot be answered; ModelError, none can; `retries.Trouble`, with a `pause`
where one is asked for, and OSError (ConnectionError and TimeoutError are), it may heal and is tried again. Anything
else is a mistake of theirs, by which this request fails.
"""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Any, TypeVar

from graphrag_lite import plugins
from graphrag_lite.attempts import ENDS_RUN, LONGEST, describe_error
from graphrag_lite.errors import CallError, ModelError, PluginError
from graphrag_lite.llm.chat import ChatModel, Reply, Request, Usage, estimated_tokens, prompt_tokens
from graphrag_lite.llm.diagnosis import MESSAGE, Diagnosis
from graphrag_lite.llm.limits import Slot
from graphrag_lite.llm.meter import FIRST_GUESS
from graphrag_lite.llm.openai_chat import OpenAIChat
from graphrag_lite.llm.openai_fields import message_text
from graphrag_lite.llm.retries import Retries, Trouble
from graphrag_lite.plugins import Origin
from graphrag_lite.settings.models import Embeddings, Llm
from graphrag_lite.settings.presets import PRESETS

T = TypeVar("T")


def chat_model(settings: Llm, passed: ChatModel | None = None) -> ChatModel:
    """Return the chat model that the settings name, or the one that is passed in its place. Raises PluginError."""
    if passed is None and settings.provider in PRESETS and not settings.is_file:
        return OpenAIChat(settings)
    if isinstance(passed, OpenAIChat):
        return passed
    named = settings.model_copy(update={"api_key_env": settings.key_env})
    return ProvidedChat(settings, "llm", "chat_models", named, passed)


def models_of_stages(settings: Llm, passed: ChatModel | None = None) -> dict[str, ChatModel]:
    """Return the chat models of stages that ask another one; none where one is passed in the place of all."""
    return {} if passed else {stage: chat_model(settings.of(stage)) for stage in settings.models}


class _Provided:
    """What the two have in common. `group` of entry points holds what makes the model of `section` of the settings."""

    members: tuple[str, ...] = ("identity", "check")

    def __init__(self, llm: Llm, section: str, group: str, settings: Llm | Embeddings, passed: Any) -> None:
        self.settings = llm
        key = os.environ.get(llm.key_env, "").strip()
        name = settings.provider
        self.origin = plugins.origin(group, name) if passed is None else plugins.origin_of(passed)
        self._diagnosis = Diagnosis(llm, section, self.origin.name, [key])
        self._retries = Retries(llm, self._diagnosis.give_up)
        try:
            self._model = plugins.load(group, name)(settings) if passed is None else passed
            missing = [member for member in self.members if not hasattr(self._model, member)]
            identity = {} if missing else {**self._model.identity}
            stated = json.dumps(identity)
        except ENDS_RUN as error:
            raise self._without_key(error) from None
        except Exception as error:
            raise PluginError(f"{self.origin.name} cannot be used: {self._redacted(error)}") from None
        if missing:
            raise PluginError(f"{self.origin.name} is no model: it lacks {', '.join(missing)}.")
        if self._diagnosis.redacted(stated) != stated:
            raise PluginError(f"{self.origin.name}: its identity, which is stored, holds the key.")
        self.identity: Mapping[str, Any] = {"provider": name, **identity} if passed is None else identity

    @property
    def origins(self) -> tuple[Origin, ...]:
        return (self.origin,)

    async def check(self) -> None:
        """Raise ModelError where the model cannot be asked."""
        try:
            await self._translated(self._model.check)
        except (Trouble, CallError) as error:
            raise ModelError(str(error)) from None

    async def _answer(
        self, ask: Callable[[], Awaitable[Any]], read: Callable[[Any], tuple[T, Usage]], n_tokens: int
    ) -> tuple[T, Usage]:
        """Return what `read` makes of an answer, which is expected to use so many tokens."""

        async def attempt(slot: Slot) -> tuple[T, Usage]:
            result, usage = read(await self._translated(ask))
            self._retries.limits.correct(slot, usage.prompt_tokens + usage.completion_tokens)
            return result, usage

        return await self._retries.answer(attempt, n_tokens)

    async def _translated(self, work: Callable[[], Awaitable[T]]) -> T:
        """Await what a model does; what goes wrong is raised as Trouble or an error of ours, and holds no key."""
        try:
            async with asyncio.timeout(self.settings.timeout):
                return await work()
        except (Trouble, *ENDS_RUN) as error:
            raise self._without_key(error) from None
        except TimeoutError:
            seconds = f"{self.settings.timeout:g} s (llm.timeout)"
            raise Trouble(f"{self.origin.name} has not answered within {seconds}.", paid=True) from None
        except OSError as error:
            raise Trouble(f"{self.origin.name}: {self._redacted(error)}.") from None
        except Exception as error:
            raise CallError(f"{self.origin.name}: {self._redacted(error)}") from None

    def _without_key(self, error: Exception) -> Exception:
        error.args = (" ".join(self._diagnosis.redacted(str(error)).split())[:MESSAGE],)
        return error

    def _redacted(self, error: Exception) -> str:
        text = str(error)
        redacted = self._diagnosis.redacted(text)
        return describe_error(error) if redacted == text else f"{type(error).__name__}: {redacted[:LONGEST]}"

    def _wrong(self, given: object, wanted: str) -> PluginError:
        return PluginError(f"{self.origin.name} returned a {type(given).__name__}, not {wanted}.")


class ProvidedChat(_Provided):
    """A chat model of somebody else, as a ChatModel of ours."""

    members = ("identity", "check", "complete", "stream")

    async def complete(self, request: Request) -> Reply:
        def read(reply: Any) -> tuple[Reply, Usage]:
            read = self._read(reply, request)
            return read, read.usage

        return (await self._answer(lambda: self._model.complete(request), read, _expected(request)))[0]

    async def stream(self, request: Request) -> AsyncIterator[str | Reply]:
        async def begin() -> tuple[AsyncIterator[Any], Any]:
            pieces = aiter(self._model.stream(request))
            return pieces, await anext(pieces, None)

        async with AsyncExitStack() as holding:
            pieces, piece = await self._retries.answer(lambda _: self._translated(begin), _expected(request), holding)
            while isinstance(piece, str):
                yield message_text(piece)
                try:
                    piece = await self._translated(lambda: anext(pieces, None))
                except Trouble as trouble:
                    raise CallError(f"{trouble} It broke off its answer. Ask again.") from None
            yield self._read(piece, request)

    def _read(self, reply: Any, request: Request) -> Reply:
        if not isinstance(reply, Reply):
            raise self._wrong(reply, "a Reply")
        text = message_text(reply.text)
        estimated = Usage(prompt_tokens(request.messages), 0, estimated_tokens(text))
        return replace(reply, text=text, usage=estimated if reply.usage == Usage() else reply.usage)


class ProvidedEmbedder(_Provided):
    """An embedding model of somebody else, as an Embedder of ours."""

    members = ("identity", "check", "embed")

    async def embed(self, texts: Sequence[str]) -> tuple[list[list[float]], Usage]:
        estimated = Usage(sum(map(estimated_tokens, texts)))

        def read(found: Any) -> tuple[list[list[float]], Usage]:
            if not (isinstance(found, tuple) and len(found) == 2 and isinstance(found[1], Usage)):
                raise self._wrong(found, "vectors and a Usage")
            return found[0], estimated if found[1] == Usage() else found[1]

        return await self._answer(lambda: self._model.embed(texts), read, estimated.prompt_tokens)


def _expected(request: Request) -> int:
    """Return about how many tokens a request and its reply have."""
    return prompt_tokens(request.messages) + min(request.max_tokens or FIRST_GUESS, FIRST_GUESS)
