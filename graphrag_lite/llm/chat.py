"""Two protocols, and the values that cross them. Whoever can complete a `Request` is a chat model."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

Message = Mapping[str, str]
"""`{"role": "system" | "user" | "assistant", "content": ...}`"""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens, as the endpoint counts them. `cached_tokens` are part of `prompt_tokens`."""

    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.cached_tokens + other.cached_tokens,
            self.completion_tokens + other.completion_tokens,
        )


@dataclass(frozen=True, slots=True)
class Request:
    """One question to a model.

    `schema` is the JSON schema that the reply must follow; `choices` are the words of which it must be one, each a
    single token. A server may know neither: the messages say it too, and the reply is checked by whoever asked.
    """

    messages: Sequence[Message]
    schema: Mapping[str, Any] | None = None
    choices: tuple[str, ...] = ()
    max_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model said. `finish_reason` is "stop", or "length" where the reply was cut off."""

    text: str
    finish_reason: str = "stop"
    usage: Usage = Usage()


class ChatModel(Protocol):
    """A chat model. Raises ModelError where no request can succeed, CallError where this one cannot.

    Its limits and retries are its own: many requests may come at once. It is used by one event loop after another.
    """

    @property
    def identity(self) -> Mapping[str, Any]:
        """What can change an answer beside the request: model, host, temperature, parameters. JSON, and no key."""
        ...

    async def check(self) -> None:
        """Raise ModelError where the endpoint is down or refuses the key; cost nothing."""
        ...

    async def complete(self, request: Request) -> Reply: ...

    def stream(self, request: Request) -> AsyncIterator[str | Reply]:
        """Yield the reply in pieces as they come, and at the end the whole Reply with its usage."""
        ...


class Embedder(Protocol):
    """An embedding model."""

    @property
    def identity(self) -> Mapping[str, Any]: ...

    async def embed(self, texts: Sequence[str]) -> tuple[list[list[float]], Usage]:
        """Return a vector for every text, in their order, and what it cost."""
        ...
