"""An OpenAI-compatible endpoint: one client, its limits, its retries, and every way in which it can fail, in words.

    post -> limits (again at every attempt) -> the `openai` package -> the answer as a dict

Attempts are ours, the package's own retries are off: it knows neither the limits nor whom to tell that it waits.
"""

import asyncio
import functools
import json
import logging
import os
import random
import re
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar
from urllib.parse import parse_qsl, urlsplit
from weakref import WeakKeyDictionary

from graphrag_lite.errors import CallError, ModelError, SettingsError
from graphrag_lite.llm.limits import Limits, Slot, asked_pause, pause_before_next

if TYPE_CHECKING:
    from openai import AsyncOpenAI

OPENAI = "https://api.openai.com/v1"
CONNECT = 10.0  # seconds to connect, or to answer the question whether the endpoint is there
FIRST_DELAY, MAX_DELAY = 1.0, 30.0  # seconds before the second attempt; before any
MAX_PAUSE = 600.0  # seconds; who asks for more is asked again another day
MAX_TRIES = 5  # times max_attempts, where other requests are answered between the refusals of this one
HEALS = {408, 409, 425, 429}  # and 5xx, but for 501
DONE: dict[str, Any] = {}  # the last event of a stream that is whole
MESSAGE = 500  # characters of an endpoint's message that are shown

logger = logging.getLogger(__name__)


class Refused(CallError):
    """The endpoint does not take this request. It may take another form of it."""

    def __init__(self, text: str, status: int, message: str) -> None:
        super().__init__(text)
        self.status = status
        self.message = message


class _Trouble(Exception):
    """An attempt failed in a way that can heal. `pause`: seconds that the endpoint asks to wait."""

    def __init__(self, text: str, *, pause: float | None = None, down: bool = False) -> None:
        super().__init__(text)
        self.pause = pause
        self.down = down


@dataclass(frozen=True)
class Access:
    """Where an endpoint is and how it is used. `section` of the settings is what its errors name."""

    section: str
    base_url: str | None
    api_key_env: str
    timeout: float
    max_attempts: int
    concurrency: int
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None


T = TypeVar("T")
Send = Callable[["AsyncOpenAI"], Awaitable[Any]]


class Endpoint:
    """Sends requests. Raises SettingsError for an address that is none."""

    def __init__(self, access: Access) -> None:
        self.access = access
        self.base_url = access.base_url or OPENAI
        try:
            parts = urlsplit(self.base_url)
            port = f":{parts.port}" if parts.port else ""
        except ValueError as error:
            raise SettingsError(f"{access.section}.base_url: {error}") from None
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise SettingsError(
                f"{access.section}.base_url: write the whole address, such as http://localhost:11434/v1"
                f" (it is {self.base_url!r})"
            )
        self.host = parts.hostname
        self.address = f"{parts.scheme}://{self.host}{port}{parts.path}"  # a password in it is not shown
        self._query = dict(parse_qsl(parts.query))
        self._secrets = [parts.password] if parts.password else []
        self._loop: asyncio.AbstractEventLoop | None = None
        self._n_answered = 0
        self._told_until = 0.0

    async def check(self) -> None:
        """Ask for the list of models, which costs nothing. Raises ModelError where no request can succeed."""
        import openai

        try:
            client = await self._client()
            async with asyncio.timeout(CONNECT):
                await client.models.with_raw_response.list(timeout=CONNECT)
        except openai.APIStatusError as error:
            if error.status_code in (401, 403):
                raise ModelError(self._unauthorised(error.status_code, self._message(error.response.text))) from None
        except _transport_errors() as error:
            raise ModelError(f"{self._unreachable(error)} {self._next_step()}") from None

    async def post(
        self, send: Send, tokens: int, read: Callable[[Any], tuple[T, int]], hand_back: frozenset[int] = frozenset()
    ) -> T:
        """Return what `read` makes of the JSON answer, after as many attempts as it takes and the settings allow.

        `tokens` estimates what it will use, `read` returns that too. A status in `hand_back` is raised as Refused at
        the first attempt, whatever it may mean. Raises CallError where this request cannot be answered, ModelError
        where none can.
        """

        async def attempt(slot: Slot) -> T:
            client = await self._client()
            async with asyncio.timeout(self.access.timeout):
                response = (await send(client)).http_response
            answer = self._json(response)
            try:
                result, used = read(answer)
            except (LookupError, TypeError, ValueError, AttributeError):
                said = self._redacted(json.dumps(answer))[:200]
                raise _Trouble(f"{self.address} answered without what was asked for: {said}.") from None
            self._limits.correct(slot, used)
            self._respect(response.headers, used)
            return result

        return await self._attempts(attempt, tokens, hand_back)

    @asynccontextmanager
    async def stream(
        self, send: Callable[["AsyncOpenAI"], Any], tokens: int, hand_back: frozenset[int] = frozenset()
    ) -> AsyncIterator[AsyncIterator[Any]]:
        """Give the events of a streamed answer as they come, DONE if there is an end to them.

        Raises like `post`, and CallError where they break off.
        """
        async with AsyncExitStack() as holding:

            async def attempt(_: Slot) -> Any:
                context = send(await self._client())
                async with asyncio.timeout(self.access.timeout):
                    response = await context.__aenter__()
                holding.push_async_exit(context)
                self._respect(response.headers, tokens)
                return response

            yield self._events(await self._attempts(attempt, tokens, hand_back, holding))

    async def _events(self, response: Any) -> AsyncIterator[Any]:
        broken: tuple[type[Exception], ...] = (ValueError, *_transport_errors())
        try:
            async for line in response.iter_lines():
                if not line.startswith("data:"):
                    continue
                data = line[5:].strip()
                if data == "[DONE]":
                    yield DONE
                    return
                event = json.loads(data)
                if not isinstance(event, dict):
                    continue
                if event.get("error"):
                    raise CallError(f"{self.address} broke off its answer: {self._message(data)}")
                yield event
        except broken as error:
            raise CallError(f"{self.address} broke off its answer ({_cause(error)}). Ask again.") from None

    async def _attempts(
        self,
        attempt: Callable[[Slot], Awaitable[T]],
        tokens: int,
        hand_back: frozenset[int],
        holding: AsyncExitStack | None = None,
    ) -> T:
        """Return what an attempt returns; `holding` keeps its place among the requests in flight."""
        await self._client()  # before the limits, which are of the same event loop
        counted = tries = 0
        answered = self._n_answered
        while True:
            try:
                async with AsyncExitStack() as held:
                    slot = await held.enter_async_context(self._limits.slot(tokens))
                    try:
                        answer = await self._translated(attempt(slot), hand_back)
                    except BaseException:
                        self._limits.correct(slot, 0)
                        raise
                    if holding is not None:
                        holding.push_async_exit(held.pop_all())
                self._n_answered += 1
                return answer
            except _Trouble as trouble:
                tries += 1
                # Where others are answered meanwhile, a request that is told to wait has only been unlucky.
                counted += trouble.pause is None or self._n_answered == answered
                answered = self._n_answered
                if counted >= self.access.max_attempts or tries >= MAX_TRIES * self.access.max_attempts:
                    self._give_up(trouble, tries)
                await self._wait(trouble, counted)

    def _give_up(self, trouble: _Trouble, tries: int) -> NoReturn:
        times = "once" if tries == 1 else f"{tries} times"
        if trouble.down:
            raise ModelError(
                f"{trouble} Tried {times}. {self._next_step()} What was answered is kept, and the next run goes on"
                " from there."
            ) from None
        raise CallError(f"{trouble} Tried {times}.") from None

    async def _wait(self, trouble: _Trouble, counted: int) -> None:
        """Sleep before the next attempt; a pause that the endpoint asks for is everybody's."""
        delay = min(FIRST_DELAY * 2 ** max(counted - 1, 0), MAX_DELAY) * random.uniform(0.5, 1.0)  # noqa: S311
        if not trouble.pause:
            which = f"attempt {counted + 1} of {self.access.max_attempts}"
            self._tell(f"{trouble} Trying again in {ceil(delay)} s ({which}).", delay)
        elif trouble.pause > MAX_PAUSE:
            raise ModelError(
                f"{trouble} It asks to wait for {trouble.pause / 60:.0f} minutes. What was answered is kept: run"
                " again then, and the run goes on from there."
            ) from None
        else:
            if self._limits.pause(trouble.pause) > 0.5:
                self._tell(f"{trouble} Waiting {ceil(trouble.pause)} s, as it asks.", trouble.pause)
            delay = min(delay, 1.0)  # so that they do not all come back in one moment
        await asyncio.sleep(delay)

    def _tell(self, text: str, silence: float) -> None:
        """Say why it takes so long, once for all the requests that wait for the same reason."""
        now = asyncio.get_running_loop().time()
        if now >= self._told_until:
            self._told_until = now + silence
            logger.info("%s", text)

    def _respect(self, headers: Mapping[str, str], tokens: int) -> None:
        if "x-ratelimit-remaining-requests" in headers or "x-ratelimit-remaining-tokens" in headers:
            pause = min(pause_before_next(headers, tokens), MAX_DELAY)
            if pause and self._limits.pause(pause) > 0.5:
                self._tell(f"{self.address} has no room for more at the moment. Waiting {ceil(pause)} s.", pause)

    async def _translated(self, attempt: Awaitable[T], hand_back: frozenset[int]) -> T:
        """Await an attempt; what goes wrong is raised as Refused, ModelError or _Trouble, and holds no key."""
        import openai

        try:
            return await attempt
        except openai.APIStatusError as error:
            try:
                text = error.response.text
            except Exception:  # a stream whose body was not read
                text = str(error)
            self._refuse(error.status_code, text, error.response.headers, hand_back)
        except TimeoutError:
            raise _Trouble(f"{self.address} has not answered within {self.access.timeout:g} s (llm.timeout).") from None
        except _transport_errors() as error:
            raise _Trouble(self._unreachable(error), down=_is_down(error)) from None

    def _json(self, response: Any) -> Any:
        """Return the JSON object of an answer. Raises _Trouble for another, ModelError for a page of HTML."""
        try:
            answer = json.loads(response.content)
        except ValueError:
            start = self._redacted(response.text)[:80]
            if "html" in response.headers.get("content-type", ""):
                raise ModelError(
                    f"{self.address} answered with a web page. Check {self.access.section}.base_url: it is the"
                    " address of an API, and most end in /v1."
                ) from None
            raise _Trouble(f"{self.address} answered with something that is not JSON: {start!r}.") from None
        if not isinstance(answer, dict):
            raise _Trouble(f"{self.address} answered with a JSON {type(answer).__name__} instead of an object.")
        if isinstance(answer.get("error"), dict) and not answer.get("choices"):  # as OpenRouter does, with status 200
            code = str(answer["error"].get("code"))
            status = int(code) if re.fullmatch("[45][0-9][0-9]", code) else 500
            self._refuse(status, response.text, response.headers, frozenset())
        return answer

    def _refuse(self, status: int, text: str, headers: Mapping[str, str], hand_back: frozenset[int]) -> NoReturn:
        """Raise what an error of the endpoint means."""
        message = self._message(text)
        said = f"{self.address} answered {status}: {message}"
        if status in hand_back:
            raise Refused(said, status, message) from None
        flagged = re.search(r"moderation|flagged", message, re.IGNORECASE)
        if status == 401 or (status == 403 and not flagged) or (status == 400 and re.search("api.?key", message, re.I)):
            raise ModelError(self._unauthorised(status, message)) from None
        if status == 402 or (status == 429 and "insufficient_quota" in text):
            raise ModelError(
                f"{said}\nThe account has no credit left. Top it up and run again: what was answered is kept."
            ) from None
        if status in (404, 405):
            raise ModelError(
                f"{said}\nCheck {self.access.section}.model, and {self.access.section}.base_url (most end in /v1)."
            ) from None
        if status == 400 and re.search("[\"'`]temperature[\"'`]", message):
            raise ModelError(
                f"{said}\nSet {self.access.section}.temperature to null, or to what the model takes."
            ) from None
        if status in HEALS or (status >= 500 and status != 501):
            raise _Trouble(f"{said.rstrip('.')}.", pause=asked_pause(headers)) from None
        if re.search("context|too long|too many tokens|too large", message, re.IGNORECASE):
            said += "\nA model with a larger context can take it; or make what is sent smaller in the settings."
        raise Refused(said, status, message) from None

    def _message(self, text: str) -> str:
        """Return what an error body says: `error.message`, `error`, `message`, `detail`, or its text."""
        try:
            found = json.loads(text)
        except ValueError:
            found = re.sub(r"<[^<>]{0,200}>", " ", text[:5000])
        for name in ("error", "message", "detail", "msg"):
            if isinstance(found, list) and found:
                found = found[0]
            if isinstance(found, dict) and name in found:
                found = found[name]
        words = " ".join((found if isinstance(found, str) else json.dumps(found)).split())
        words = self._redacted(words)
        return words if len(words) <= MESSAGE else f"{words[:MESSAGE]} ..."

    def _redacted(self, text: str) -> str:
        for secret in self._secrets:
            if len(secret) > 3:
                text = text.replace(secret, "***")
        return text

    def _unauthorised(self, status: int, message: str) -> str:
        name = self.access.api_key_env
        have = "is set, but not to a key that it takes" if os.environ.get(name) else "is not set"
        return (
            f"{self.address} refuses the key ({status}): {message}\nThe environment variable {name}"
            f" ({self.access.section}.api_key_env) {have}. Set it to a key of this endpoint."
        )

    def _unreachable(self, error: BaseException) -> str:
        if isinstance(error, TimeoutError) or "Timeout" in type(error.__cause__ or error).__name__:
            return f"{self.address} does not answer."
        if _is_down(error):
            return f"{self.address} cannot be reached: {self._redacted(_cause(error))}."
        return f"{self.address} cut the connection ({self._redacted(_cause(error))})."

    def _next_step(self) -> str:
        if self.access.base_url is None:
            return "Check the network of this machine."
        return f"Is the server running? Check {self.access.section}.base_url."

    def _key(self) -> str:
        key = os.environ.get(self.access.api_key_env, "").strip()
        if not key and self.host == "api.openai.com":
            raise ModelError(
                f"The environment variable {self.access.api_key_env} ({self.access.section}.api_key_env) is not set:"
                f" {self.address} needs a key. For a server without one, name its {self.access.section}.base_url."
            )
        if not (key.isascii() and key.isprintable()):
            raise ModelError(
                f"The environment variable {self.access.api_key_env} ({self.access.section}.api_key_env) holds a"
                " character that no key has, such as a typographic quotation mark. Set it again."
            )
        return key or "none"

    async def _client(self) -> "AsyncOpenAI":
        """Return the client of the running event loop: connections, locks and waiters belong to one loop."""
        loop = asyncio.get_running_loop()
        if loop is not self._loop:
            key = self._key()
            import openai

            for name in ("httpx", "httpx2"):  # they log every request at INFO, which is where a run tells how it goes
                if logging.getLogger(name).level == logging.NOTSET:
                    logging.getLogger(name).setLevel(logging.WARNING)
            access = self.access
            timeout = openai.Timeout(access.timeout, connect=min(CONNECT, access.timeout))
            self._secrets.append(key)
            self._openai = openai.AsyncOpenAI(
                api_key=key,
                base_url=self.base_url.partition("?")[0],
                default_query=self._query,
                timeout=timeout,
                max_retries=0,
                # A proxy of the environment is for the world outside, not for a server on this machine.
                http_client=openai.DefaultAsyncHttpxClient(timeout=timeout, trust_env=not _is_loopback(self.host)),
            )
            self._limits = Limits(access.concurrency, access.requests_per_minute, access.tokens_per_minute)
            self._loop = loop
            ending = _ending(self._openai)
            _ENDINGS.setdefault(loop, []).append(ending)  # this endpoint may be gone before its loop
            await anext(ending)  # does not wait: no other task can come between
        return self._openai


_ENDINGS: WeakKeyDictionary[asyncio.AbstractEventLoop, list[AsyncIterator[None]]] = WeakKeyDictionary()


async def _ending(client: "AsyncOpenAI") -> AsyncIterator[None]:
    """Close a client when its event loop ends: `asyncio.run` closes the generators that are left, last of all."""
    try:
        yield
    finally:
        await client.close()


def _is_loopback(host: str) -> bool:
    return host == "localhost" or host.startswith("127.") or host == "::1"


def _is_down(error: BaseException) -> bool:
    return any(type(e).__name__ in ("ConnectError", "ConnectTimeout") for e in (error, error.__cause__))


def _cause(error: BaseException) -> str:
    inner = error.__cause__ or error
    return str(inner).rstrip(".") or type(inner).__name__


@functools.cache
def _transport_errors() -> tuple[type[Exception], ...]:
    """Return what a connection fails with: the package's error, or its transport's (httpx2; httpx before 3.0)."""
    import openai

    modules: list[Any] = [sys.modules[name] for name in ("httpx2", "httpx") if name in sys.modules]
    theirs = [error for module in modules for error in (module.HTTPError, module.StreamError)]
    return (openai.APIConnectionError, OSError, *theirs)  # TimeoutError is an OSError
