"""Two protocols, and the values that cross them. Whoever can complete a `Request` is a chat model."""

import json
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from operator import add
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
        return Usage(*map(add, astuple(self), astuple(other)))


@dataclass(frozen=True, slots=True)
class Request:
    """One question to a model.

    `schema` is the JSON schema that the reply must follow; `choices` are the words of which it must be one, each a
    single token. A server may know neither: the messages say it too, and the reply is checked by whoever asked.

    `tools` are what the reply may call, each with `name`, `description` and `parameters`, a JSON schema. A call comes
    as text, one JSON object: {"thought": "...", "tool": NAME, "arguments": {...}}, natively made or not.
    """

    messages: Sequence[Message]
    schema: Mapping[str, Any] | None = None
    choices: tuple[str, ...] = ()
    max_tokens: int | None = None
    tools: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model said. `finish_reason` is "stop", or "length" where the reply was cut off."""

    text: str
    finish_reason: str = "stop"
    usage: Usage = Usage()


class ChatModel(Protocol):
    """A chat model. Raises ModelError where no request can succeed, CallError where this one cannot.

    Many requests may come at once, and one event loop after another uses it. Of one that is not ours, `providers` keeps
    the limits and tries again.
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

    async def check(self) -> None:
        """Raise ModelError where the endpoint is down or refuses the key; cost nothing."""
        ...

    async def embed(self, texts: Sequence[str]) -> tuple[list[list[float]], Usage]:
        """Return a vector for every text, in their order, and what it cost."""
        ...


def estimated_tokens(text: str) -> int:
    """Estimate the tokens of a text: one per 4 bytes, which fits English and is near for scripts of 3 bytes."""
    return len(text.encode("utf-8", "replace")) // 4


def prompt_tokens(messages: Iterable[Message]) -> int:
    """Estimate the tokens of messages, each with some for its role.

    >>> prompt_tokens([{"role": "user", "content": "Marley was dead: to begin with."}])
    11
    """
    return sum(estimated_tokens(message["content"]) + 4 for message in messages)


def tool_tokens(tools: Iterable[Mapping[str, Any]]) -> int:
    """Estimate the tokens that tools take."""
    return estimated_tokens(json.dumps(list(tools), ensure_ascii=False))


def with_tools_described(messages: Sequence[Message], tools: Iterable[Mapping[str, Any]]) -> list[Message]:
    """Return messages whose first one tells the tools and how they are called, for a server that has no calls.

    >>> found = with_tools_described([{"role": "system", "content": "Look it up."}], [{"name": "a", "parameters": {}}])
    >>> found[0]["content"].splitlines()[2]
    '{"name": "a", "parameters": {}}'
    """
    listed = "\n".join(json.dumps(tool, ensure_ascii=False) for tool in tools)
    form = '{"thought": "...", "tool": "...", "arguments": {...}}'
    description = f"\nTools, with the JSON schemas of their arguments:\n{listed}\nCall one by one JSON object: {form}"
    return [{**messages[0], "content": messages[0]["content"] + description}, *messages[1:]]


def first_word(text: str) -> str:
    """Return the first word of a reply, however it is dressed.

    >>> first_word(" YES."), first_word("**No**, none."), first_word("")
    ('yes', 'no', '')
    """
    words = text.split(maxsplit=1)
    return "".join(char for char in words[0] if char.isalpha()).casefold() if words else ""
