"""An OpenAI-compatible endpoint: one client, its limits and its retries.

    post -> retries -> limits (again at every attempt) -> http_client -> the answer as a dict

Attempts are ours alone: the limits hold for each, and who waits is told why.
"""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from math import ceil
from typing import TYPE_CHECKING, Any, Literal, TypeVar
from urllib.parse import parse_qsl, urlsplit
from weakref import WeakKeyDictionary

from graphrag_lite.errors import CallError, ModelError, SettingsError
from graphrag_lite.llm.diagnosis import Diagnosis, StatusError, http_client
from graphrag_lite.llm.limits import Slot, pause_before_next
from graphrag_lite.llm.openai_fields import DONE, decoded, read_event
from graphrag_lite.llm.own_loop import OfLoop
from graphrag_lite.llm.retries import MAX_DELAY, Retries, Trouble
from graphrag_lite.settings.models import Llm
from graphrag_lite.settings.presets import deployment_url

if TYPE_CHECKING:
    from graphrag_lite.llm.http_client import Client, Response, Streamed

CONNECT = 10.0  # seconds to connect, or to answer the question whether the endpoint is there
LARGE = 512_000_000  # bytes of an answer that may be long: vectors, a batch's replies

T = TypeVar("T")
Send = Callable[["Client"], Awaitable["Response"]]


class Endpoint:
    """Sends requests for a model. `section` of the settings is what its errors name.

    `below` is left out at the end of the address, `key_header` takes the place of the provider's, `headers` are sent,
    too. SettingsError for an address that is missing, or none.
    """

    def __init__(
        self,
        settings: Llm,
        section: str,
        model: str | None,
        *,
        below: str = "",
        key_header: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.settings = settings
        self.section = section
        if settings.address is None:
            raise SettingsError(f"{section}.base_url: is missing; {settings.provider} has an address for each customer")
        self.base_url = settings.address.rstrip("/").removesuffix(below) if below else settings.address
        self._key_header = settings.preset.key_header if key_header is None else key_header
        self._own_headers = headers or {}
        if settings.preset.deployments:
            self.base_url = deployment_url(self.base_url, model or "")
        try:
            parts = urlsplit(self.base_url)
            port = f":{parts.port}" if parts.port else ""
        except ValueError as error:
            raise SettingsError(f"{section}.base_url: {error}") from None
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise SettingsError(
                f"{section}.base_url: write the whole address, such as http://localhost:11434/v1"
                f" (it is {self.base_url!r})"
            )
        self.host = parts.hostname
        self.address = f"{parts.scheme}://{self.host}{port}{parts.path}"  # a password in it is not shown
        self._query = dict(parse_qsl(parts.query))
        secrets = [parts.password] if parts.password else []
        self._diagnosis = Diagnosis(settings, section, self.address, secrets)
        self._retries = Retries(settings, self._diagnosis.give_up)
        self._clients = OfLoop(self._client)  # connections belong to one loop

    async def check(self, probe: Callable[[], Awaitable[Any]]) -> None:
        """Ask for the list of models, which costs nothing. Raises ModelError where no request can succeed.

        A key that may not list models may be a good one: the smallest request that there is, `probe`, decides.
        """
        client = self._clients.here()
        try:
            async with asyncio.timeout(CONNECT):
                status = await client.status("models")
        except http_client().BROKEN as error:
            self._diagnosis.pass_on(error)
            raise ModelError(f"{self._diagnosis.unreachable(error)} {self._diagnosis.next_step()}") from None
        if status in (401, 403):
            with suppress(CallError):
                await probe()

    async def post(
        self, send: Send, read: Callable[[Any], tuple[T, int]], tokens: int = 0, hand_back: frozenset[int] = frozenset()
    ) -> T:
        """Return what `read` makes of the JSON answer, after as many attempts as it takes and the settings allow.

        `tokens` estimates what it will use, `read` returns that too. A status in `hand_back` is raised as Refused at
        the first attempt, whatever it may mean. Raises CallError where this request cannot be answered, ModelError
        where none can.
        """

        async def attempt(slot: Slot) -> T:
            response = await self._sent(send)
            answer = self._diagnosis.read(response)
            try:
                result, used = read(answer)
            except (LookupError, TypeError, ValueError, AttributeError, OverflowError):
                excerpt = self._diagnosis.redacted(json.dumps(answer))[:200]
                why = f"{self.address} answered without what was asked for: {excerpt}."
                raise Trouble(why, paid=bool(answer.get("usage"))) from None
            self._retries.limits.correct(slot, used)
            self._respect(response.headers, used)
            self._diagnosis.answered = True
            return result

        return await self._answer(attempt, tokens, hand_back)

    async def fetch(self, send: Send, hand_back: frozenset[int]) -> str:
        """Return the text of an answer that is no JSON. Raises like `post`."""
        return decoded((await self._answer(lambda _: self._sent(send), 0, hand_back)).content)

    async def _sent(self, send: Send) -> "Response":
        client = self._clients.here()
        await asyncio.sleep(0)  # where another's failure has just ended it all, this is cancelled before it costs
        async with asyncio.timeout(self.settings.timeout):
            response = await send(client)
        if not response.is_success:
            raise StatusError(response)
        return response

    def message(self, text: str) -> str:
        """Return what an error body says."""
        return self._diagnosis.message(text)

    @asynccontextmanager
    async def stream(
        self, send: Callable[["Client"], Any], tokens: int, hand_back: frozenset[int] = frozenset()
    ) -> AsyncIterator[AsyncIterator[Any]]:
        """Give the events of a streamed answer as they come, DONE if there is an end to them.

        Raises like `post`, and CallError where they break off.
        """
        async with AsyncExitStack() as holding:

            async def attempt(_: Slot) -> Any:
                context = send(self._clients.here())
                async with asyncio.timeout(self.settings.timeout):
                    response = await context.__aenter__()
                    if not response.is_success:
                        raise StatusError(await response.read())
                holding.push_async_exit(context)
                self._respect(response.headers, tokens)
                return response

            yield self._events(await self._answer(attempt, tokens, hand_back, holding))

    async def _events(self, response: "Streamed") -> AsyncIterator[Any]:
        broken: tuple[type[Exception], ...] = (ValueError, *http_client().BROKEN)
        begun = False
        rest: list[bytes] = []
        try:
            async for line in self._lines(response):
                if (event := read_event(line.decode("utf-8", "replace"))) is None:
                    rest.append(line)
                    continue
                begun = True
                if event.get("error"):
                    raise CallError(f"{self.address} broke off its answer: {self.message(json.dumps(event))}")
                yield event
                if event is DONE:
                    return
            if not begun:  # it does not stream
                whole = http_client().Response(response.status_code, response.headers, b"\n".join(rest))
                yield self._diagnosis.read(whole)
        except Trouble as trouble:
            raise CallError(f"{trouble} Ask again.") from None
        except broken as error:
            why = self._diagnosis.cause(error)
            raise CallError(f"{self.address} broke off its answer ({why}). Ask again.") from None

    async def _lines(self, response: "Streamed") -> AsyncIterator[bytes]:
        """Yield lines as they come. Raises CallError for an answer that takes longer than a request may."""
        lines, seconds = response.lines(), self.settings.timeout
        ends_at = asyncio.get_running_loop().time() + seconds
        while True:
            try:
                async with asyncio.timeout_at(ends_at):
                    line = await anext(lines, None)
            except TimeoutError:
                raise CallError(
                    f"{self.address} has not ended its answer within {seconds:g} s (llm.timeout). Ask again."
                ) from None
            if line is None:
                return
            yield line

    async def _answer(
        self,
        attempt: Callable[[Slot], Awaitable[T]],
        tokens: int,
        hand_back: frozenset[int],
        holding: AsyncExitStack | None = None,
    ) -> T:
        """Return what an attempt returns; `holding` keeps its place among the requests in flight."""
        self._clients.here()  # whoever lacks a key waits for no turn

        async def translated(slot: Slot) -> T:
            return await self._diagnosis.translated(attempt(slot), hand_back)

        return await self._retries.answer(translated, tokens, holding)

    def _respect(self, headers: Mapping[str, str], tokens: int) -> None:
        if "x-ratelimit-remaining-requests" in headers or "x-ratelimit-remaining-tokens" in headers:
            pause = min(pause_before_next(headers, tokens), MAX_DELAY)
            if pause:
                why = f"{self.address} has no room for more at the moment. Waiting {ceil(pause)} s."
                self._retries.pause(pause, why)

    def _key(self) -> str:
        name, theirs = self.settings.key_env, self.settings.preset.base_url or self.base_url
        key = _secret(name, f"{self.section}.api_key_env")
        if not key and self.base_url.startswith(theirs) and theirs.startswith("https:"):
            raise ModelError(
                f"The environment variable {name} ({self.section}.api_key_env) is not set:"
                f" {self.address} needs a key. For a server without one, name its {self.section}.base_url."
            )
        return key or "none"

    def _headers(self, key: str) -> dict[str, str]:
        """Return the header that carries the key, and those that the settings name."""
        header = self._key_header
        carried = {header: key} if header else {"authorization": f"Bearer {key}"}
        found = {"user-agent": "graphrag-lite", **self._own_headers, **carried}
        return found | {name.lower(): value for name, value in self._held("headers").items()}

    def _held(self, setting: Literal["headers", "query"]) -> dict[str, str]:
        """Return what the variables of a setting hold. Raises ModelError where one is not set."""
        found = {}
        for name, variable in getattr(self.settings, setting).items():
            found[name] = value = _secret(variable, f"{self.section}.{setting}.{name}")
            if not value:
                what = "header" if setting == "headers" else "parameter"
                raise ModelError(
                    f"The environment variable {variable} ({self.section}.{setting}.{name}) is not set. Set it, or"
                    f" leave the {what} out."
                )
            self._diagnosis.secrets.append(value)
        return found

    def _client(self) -> "Client":
        """Make a client for the running event loop, with which it ends."""
        key = self._key()
        from graphrag_lite.llm.http_client import Client

        self._diagnosis.secrets.append(key)
        connect = min(CONNECT, self.settings.timeout)
        try:
            query = self._query | self._held("query")
            client = Client(self.base_url.partition("?")[0], query, self._headers(key), connect=connect)
        except (ValueError, OSError) as error:
            raise ModelError(
                f"{self.address} cannot be asked: {type(error).__name__}. Check {self.section}.base_url and"
                f" {self.section}.headers, and the environment: the proxies (HTTP_PROXY, HTTPS_PROXY, ALL_PROXY;"
                " none of SOCKS) and SSL_CERT_FILE."
            ) from None
        ending = _ending(client)
        _ENDINGS.setdefault(asyncio.get_running_loop(), []).append(ending)  # this endpoint may be gone before its loop
        with suppress(StopIteration):
            anext(ending).__await__().send(None)  # up to its `yield`, which waits for nothing
        return client


_ENDINGS: WeakKeyDictionary[asyncio.AbstractEventLoop, list[AsyncIterator[None]]] = WeakKeyDictionary()


async def _ending(client: "Client") -> AsyncIterator[None]:
    """Close a client when its event loop ends: `asyncio.run` closes the generators that are left, last of all."""
    try:
        yield
    finally:
        await client.aclose()


def _secret(variable: str, setting: str) -> str:
    """Return what an environment variable holds, "" where it is not set. Raises ModelError for what no header takes."""
    value = os.environ.get(variable, "").strip()
    if not (value.isascii() and value.isprintable()):
        raise ModelError(
            f"The environment variable {variable} ({setting}) holds a character that no key has, such as a typographic"
            " quotation mark. Set it again."
        )
    return value
