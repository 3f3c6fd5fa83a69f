"""A chat model behind any OpenAI-compatible endpoint.

Servers differ in what they take: JSON replies by schema, a bias for single tokens, the name of the token limit. Each
is tried by the first request that needs it, while the others wait for its outcome, and is then decided for the run.
Once one of those has used up its attempts, they no longer wait for each other, which would take them an outage each.
"""

import asyncio
import logging
import random
import re
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from typing import Any

from graphrag_lite.errors import CallError, ModelError, SettingsError, UnansweredError
from graphrag_lite.llm.chat import (
    Message,
    Reply,
    Request,
    Usage,
    first_word,
    prompt_tokens,
    tool_tokens,
    with_tools_described,
)
from graphrag_lite.llm.diagnosis import Refused
from graphrag_lite.llm.endpoint import Endpoint
from graphrag_lite.llm.openai_fields import StreamedReply, is_json, message_text, reply_format, tool_call, usage_of
from graphrag_lite.llm.own_loop import OfLoop
from graphrag_lite.llm.thinking import may_think, without_thinking
from graphrag_lite.settings.models import Llm
from graphrag_lite.settings.presets import PLAIN
from graphrag_lite.text import tokens

PATH = "chat/completions"
UNSURE = frozenset((400, 404, 415, 422, 500, 501))  # what servers answer to a field that they do not know
OURS = ("messages", "model", "stream", "n")  # parameters that the settings may not hold
UNKNOWN = re.compile(
    "stream_options|extra|unknown|unrecogni|unexpected|unsupported|not (support|permitted|allowed|available|accept)"
    "|permitted|deprecated|only the default|cannot (both )?be",
    re.IGNORECASE,
)
WORD = re.compile(r"\w+")
FENCED = re.compile(r"```(?:json)?\n(.*?)\n```", re.DOTALL | re.IGNORECASE)
CUT, LONG = 0.6, 1000  # of our own count of a prompt, of at least so many tokens: what is told less was cut
CUT_OFF = ("max_tokens", "model_length")  # what Anthropic and Mistral call "length"
BIAS = 100  # of a token that may be said; the paper's (appendix A.1)
NEEDED = frozenset((*OURS, "logit_bias", "response_format", "stream_options", "tools"))  # or known by ways of their own
SMALLEST = Request(({"role": "user", "content": "Hi"},), max_tokens=1)

logger = logging.getLogger(__name__)


class OpenAIChat:
    """The chat model that the settings name. Raises SettingsError where they cannot be meant."""

    def __init__(self, settings: Llm) -> None:
        self.settings = settings
        if problems := [
            f"llm.parameters.{name}: is set by each request" for name in OURS if name in settings.parameters
        ]:
            raise SettingsError("\n".join(problems))
        self.endpoint = Endpoint(settings, "llm", settings.model)
        self._locks = OfLoop(lambda: defaultdict[str, asyncio.Lock](asyncio.Lock))
        self._in_vain: set[str] = set()  # what was tried, and not answered
        self._decided: dict[str, int] = {}  # which of the ways to ask for something it takes
        self._limit = settings.preset.max_tokens
        self._left_out: set[str] = set()  # parameters that this server does not take
        self._was_cut = False
        self._stream_options = True
        self._completion_tokens = 500  # of a reply, as they come; at first a guess

    @property
    def identity(self) -> Mapping[str, Any]:
        """Model, host (not its port, nor the path: the same server moves), temperature, parameters."""
        settings = self.settings
        return {
            "model": settings.model,
            "host": self.endpoint.host,
            "temperature": settings.temperature,
            "parameters": settings.parameters,
        }

    async def check(self) -> None:
        await self.endpoint.check(lambda: self._send(self._body(SMALLEST)))

    async def complete(self, request: Request) -> Reply:
        if request.choices:
            return await self._choose(request)
        if request.tools:
            return await self._calling(request)
        if request.schema is not None:
            return await self._structured(request, request.schema)
        return await self._send(self._body(request))

    def batch_body(self, request: Request) -> dict[str, Any]:
        """Return the body of a request that nobody can ask otherwise if it is not taken: in the surest form."""
        form = reply_format(self.settings.preset.form, request.schema) if request.schema is not None else {}
        return self._body(request) | form

    def read(self, answer: Mapping[str, Any], messages: Sequence[Message]) -> Reply:
        """Read the answer to such a request. Raises CallError for a refusal."""
        return self._replied(answer, messages, prompt_tokens(messages))

    def unlearned(self, status: int, text: str) -> str:
        """Return what is wrong with such a request; "" where it is a parameter, which is now left out."""
        message = self.endpoint.message(text)
        sent = self._body(SMALLEST) | dict.fromkeys(self._left_out)  # by then: others may have told already
        adapted = self._adapted(sent, Refused(message, status, message))
        return "" if adapted else message

    async def stream(self, request: Request) -> AsyncIterator[str | Reply]:
        body = self._body(request)
        while True:
            if self._stream_options:
                body["stream_options"] = {"include_usage": True}
            try:
                async for piece in self._streamed(body):
                    yield piece
                return
            except Refused as refused:
                if self._adapted(body, refused):
                    continue
                if "stream" not in refused.message.lower():
                    raise
                reply = await self._send(self._body(request))
                yield reply.text
                yield reply
                return

    async def _calling(self, request: Request) -> Reply:
        """Ask for a call of a tool, natively as far as the server takes that, else told in the messages."""
        functions = [{"type": "function", "function": dict(tool)} for tool in request.tools]
        described = replace(request, messages=with_tools_described(request.messages, request.tools))
        return await self._best(
            "tools", [self._body(request) | {"tools": functions}, self._body(described)], lambda _: True
        )

    async def _choose(self, request: Request) -> Reply:
        """Ask for one of `choices`: as a single token by logit bias, else as a plain question.

        A plain reply has no cap: a reasoning model thinks first.
        """
        ways = [self._body(request)]
        if self.settings.preset.biased and (bias := self._bias(request.choices)):
            ways.insert(0, self._body(replace(request, max_tokens=1)) | {"logit_bias": bias})
        words = [word.casefold() for word in request.choices]
        reply = await self._best("choices", ways, lambda answer: first_word(answer.text) in words)
        whole = first_word(reply.text) in words  # though it may be cut off after that token
        return replace(reply, finish_reason="stop") if whole else reply

    def _bias(self, choices: tuple[str, ...]) -> dict[str, int]:
        """Return the bias for the tokens of the choices; empty where one of them is more than a token."""
        encoding = tokens.encoding_of(self.settings.model or "")
        ids = [tokens.token_id(encoding, word) for word in choices]
        return {} if None in ids else {str(number): BIAS for number in ids}

    async def _structured(self, request: Request, schema: Mapping[str, Any]) -> Reply:
        """Ask for JSON in the best form that the server takes; it may take the field and not know it."""
        body = self._body(request)
        ways = [body | reply_format(form, schema) for form in range(self.settings.preset.form, PLAIN + 1)]
        try:
            return await self._best(
                "form",
                ways,
                lambda answer: None if answer.finish_reason == "length" else is_json(_unfenced(answer.text)),
            )
        except Refused as refused:  # of a schema that is harder than the first one
            if not any(word in refused.message.lower() for word in ("response_format", "schema", "grammar")):
                raise
        return await self._send(body)

    async def _best(self, what: str, ways: Sequence[dict[str, Any]], fits: Callable[[Reply], bool | None]) -> Reply:
        """Send the first of some bodies, best first, whose kind the server takes; the first to ask finds out."""
        if len(ways) > 1 and what not in self._decided:
            async with self._turn(what):
                if what not in self._decided:
                    return await self._first(what, ways, fits)
        return await self._send(ways[self._decided.get(what, 0)])

    async def _first(self, what: str, ways: Sequence[dict[str, Any]], fits: Callable[[Reply], bool | None]) -> Reply:
        """Find out which way the server takes, by a request; a reply of which `fits` is None tells nothing."""
        spent = Usage()
        for index, body in enumerate(ways[:-1]):
            try:
                reply = await self._tried(body)
            except Refused:
                continue
            spent += reply.usage
            if (fit := fits(reply)) is not False:
                if fit:
                    self._decided[what] = index
                return replace(reply, usage=spent)
        reply = await self._send(ways[-1])
        self._decided[what] = len(ways) - 1
        return replace(reply, usage=spent + reply.usage)

    @asynccontextmanager
    async def _turn(self, name: str) -> AsyncIterator[None]:
        async with AsyncExitStack() as held:
            await held.enter_async_context(self._locks.here()[name])
            if name in self._in_vain:
                await held.aclose()
            try:
                yield
            except UnansweredError:
                self._in_vain.add(name)
                raise

    def _body(self, request: Request) -> dict[str, Any]:
        settings = self.settings
        body: dict[str, Any] = {**settings.parameters, "model": settings.model, "messages": list(request.messages)}
        if settings.temperature is not None:
            body["temperature"] = settings.temperature
        if request.max_tokens is not None:
            for name in ("max_tokens", "max_completion_tokens"):
                body.pop(name, None)
            body[self._limit] = request.max_tokens
        return {name: value for name, value in body.items() if name not in self._left_out}

    def _adapted(self, body: dict[str, Any], refused: Refused) -> bool:
        """Leave out of a refused request what this server does not know; False where that is not why."""
        if "max_tokens" in body and "max_completion_tokens" in refused.message:
            self._limit = "max_completion_tokens"
            body[self._limit] = body.pop("max_tokens")
            return True
        if "stream_options" in body and UNKNOWN.search(refused.message):
            self._stream_options = False
            del body["stream_options"]
            return True
        if refused.status not in (400, 422) or not UNKNOWN.search(refused.message):
            return False
        named = [name for name in WORD.findall(refused.message) if name in body and name not in NEEDED]
        if not named:
            return False
        if named[0] not in self._left_out:
            logger.warning("%s: %s is left out of every request from now on.", str(refused).rstrip("."), named[0])
        self._left_out.add(named[0])
        del body[named[0]]
        return True

    async def _tried(self, body: dict[str, Any]) -> Reply:
        """Send a request of a form that the server may not know: Refused where it says no, or fails twice."""
        try:
            return await self._send(body, UNSURE)
        except Refused as refused:
            if refused.status != 500:
                raise
        await asyncio.sleep(random.uniform(0.3, 0.6))  # noqa: S311
        return await self._send(body, UNSURE)

    async def _send(self, body: dict[str, Any], hand_back: frozenset[int] = frozenset()) -> Reply:
        estimated = prompt_tokens(body["messages"]) + tool_tokens(body.get("tools", ()))

        def read(answer: Any) -> tuple[Reply, int]:
            reply = self._replied(answer, body["messages"], estimated, calls="tools" in body)
            return reply, reply.usage.prompt_tokens + reply.usage.completion_tokens

        while True:
            try:
                return await self.endpoint.post(
                    lambda client: client.post(PATH, body), read, estimated + self._expected(body), hand_back
                )
            except Refused as refused:
                if self._adapted(body, refused):
                    continue
                if refused.status == 400 and "temperature" in WORD.findall(refused.message):
                    hint = "Set llm.temperature to null, or to what the model takes."
                    raise ModelError(f"{refused}\n{hint}") from None
                raise

    async def _streamed(self, body: dict[str, Any]) -> AsyncIterator[str | Reply]:
        estimated = prompt_tokens(body["messages"])
        hand_back = frozenset((400, 422)) if self._stream_options else frozenset()
        streamed, thinking = StreamedReply(), True
        async with self.endpoint.stream(
            lambda client: client.stream(PATH, {**body, "stream": True}), estimated + self._expected(body), hand_back
        ) as events:
            async for event in events:
                try:
                    piece = streamed.add(event)
                except (LookupError, TypeError, AttributeError):
                    raise CallError(f"{self.endpoint.address} streamed an event that is none. Ask again.") from None
                if thinking and not may_think(streamed.text):
                    piece = without_thinking(streamed.text)
                    thinking = not piece
                if piece and not thinking:
                    yield piece
        if streamed.finish is None:
            raise CallError(f"{self.endpoint.address} broke off its answer. Ask again.")
        reply = self._replied(streamed.answer, body["messages"], estimated)
        if thinking and reply.text:
            yield reply.text
        yield reply

    def _expected(self, body: Mapping[str, Any]) -> int:
        """Return how many tokens a reply may have."""
        limit = body.get("max_tokens") or body.get("max_completion_tokens")
        return min(self._completion_tokens, limit) if isinstance(limit, int) else self._completion_tokens

    def _replied(
        self, answer: Mapping[str, Any], messages: Sequence[Message], estimated: int, *, calls: bool = False
    ) -> Reply:
        """Read a reply. Raises CallError for a refusal, ModelError where only a part of the prompt was read."""
        choice = answer["choices"][0]
        message = choice.get("message") or {}
        finish = str(choice.get("finish_reason") or "stop").lower()
        text = message_text(message.get("content"))
        if finish == "error":
            raise CallError(f"{self.endpoint.address} broke off its answer. Ask again.")
        if finish.startswith("content_filter"):  # Gemini adds which one
            raise CallError(f"{self.endpoint.address} withheld its reply: its content filter.")
        if not text and message.get("refusal"):
            raise CallError(f"The model refused: {str(message['refusal'])[:300]}")
        if calls or not text:  # of no tool that was named: a gateway's way to have JSON
            text = tool_call(message.get("tool_calls"), text, whole=calls) or text
        usage = usage_of(answer, estimated)
        if estimated >= LONG and usage.prompt_tokens < CUT * estimated:
            self._may_be_cut(messages, usage.prompt_tokens)
        self._completion_tokens += (usage.completion_tokens - self._completion_tokens) // 10
        return Reply(without_thinking(text), "length" if finish in CUT_OFF else finish, usage)

    def _may_be_cut(self, messages: Sequence[Message], n_read: int) -> None:
        """Raise ModelError where the endpoint is known to cut prompts, and has; warn where another says so."""
        count = tokens.token_counter("cl100k_base")
        n_sent = sum(count(message["content"]) for message in messages)
        if n_read >= CUT * n_sent or n_read == 0:
            return
        where = self.endpoint.address
        warning = f"{where} has read {n_read} of the {n_sent} tokens of a prompt: its context is too small."
        if remedy := self.settings.preset.remedy:
            raise ModelError(f"{warning} {remedy} What was answered is kept.")
        if not self._was_cut:
            logger.warning("%s Or it does not count what it has in its cache.", warning)
        self._was_cut = True


def _unfenced(text: str) -> str:
    """Return what stands between fences, which whoever asked reads as well; to find another form costs two requests."""
    return found[1] if (found := FENCED.search(text)) else text
