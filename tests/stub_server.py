"""An OpenAI-compatible server on loopback for tests and benchmarks; its replies are a function of the request.

    with StubServer(lambda body: "Yes.") as server:
        ...  # server.url, server.requests, server.most_in_flight

As a process of its own, whose last lines a crash test can read:

    python tests/stub_server.py --port 0 --latency 0.2 --reply package.module:function --log arrivals.jsonl

prints its port; `GET /stats` tells what it has counted. Every line of the log is written before the answer is sent.
"""

import argparse
import asyncio
import contextlib
import hashlib
import importlib
import json
import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SCHEMA = {
    "type": "object",
    "properties": {"title": {"type": "string"}},
    "required": ["title"],
    "additionalProperties": False,
}
REASONS = {200: "OK", 400: "Bad Request", 401: "Unauthorized", 404: "Not Found", 429: "Too Many Requests"}


@dataclass(frozen=True)
class Fault:
    """An answer that is not a plain reply. With the defaults it is one."""

    text: str | None = ""  # the reply, where the status is 200
    finish_reason: str | None = "stop"
    status: int = 200
    message: str = "the stub was told to fail"
    code: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    raw: str | bytes | None = None  # the body of the answer, instead of JSON
    message_fields: Mapping[str, Any] = field(default_factory=dict)  # of the reply's message, such as a refusal
    delay: float = 0.0  # seconds
    hang: bool = False
    cut: bool = False  # the connection is cut in the middle of the body
    drip: float = 0.0  # seconds between the words of a stream, between the bytes of another body
    done: bool = True  # a stream says that it is


Say = Callable[[dict[str, Any]], "str | Fault"]


def prompt_of(body: Mapping[str, Any]) -> str:
    """Return the last message of a request."""
    return str(body["messages"][-1]["content"])


def echo(body: dict[str, Any]) -> str:
    return f"You said: {prompt_of(body)[:200]}"


class StubServer:
    """Answers `POST */chat/completions` and `*/embeddings`, `GET */models` and `*/stats`, whatever comes before them.

    `requests` holds the bodies of the requests in the order of their arrival, refused ones too; `headers` theirs.
    """

    def __init__(
        self,
        reply: Say = echo,
        *,
        latency: float = 0.0,
        key: str | None = None,
        refuses_logit_bias: bool = False,
        refuses_formats: Mapping[str, int] | None = None,  # {"json_schema": 500, "json_object": 400}
        refuses_stream_options: bool = False,
        wants_max_completion_tokens: bool = False,
        refuses: Mapping[str, str] | None = None,  # parameter: what is said of it, with status 400
        key_header: str = "",  # that carries the key, where it is not Authorization
        context: int | None = None,  # tokens of a prompt that are read; what is more is cut, and nothing is said
        n_thought: int = 0,  # tokens of every reply that only `total_tokens` counts
        tells_usage: bool = True,
        models: Fault | None = None,
        log: Path | None = None,
        keep: bool = True,
    ) -> None:
        self.reply = reply
        self.latency = latency
        self.key = key
        self.refuses_logit_bias = refuses_logit_bias
        self.refuses_formats = refuses_formats or {}
        self.refuses_stream_options = refuses_stream_options
        self.wants_max_completion_tokens = wants_max_completion_tokens
        self.refuses = refuses or {}
        self.key_header = key_header
        self.context = context
        self.n_thought = n_thought
        self.paths: list[str] = []
        self.tells_usage = tells_usage
        self.models = models or Fault()
        self.keep = keep
        self.log = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644) if log else None
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.prompts: Counter[str] = Counter()
        self.n_requests = self.n_answered = self.n_connections = 0
        self.prompt_tokens = self.completion_tokens = 0
        self.in_flight = self.most_in_flight = 0
        self.port = 0
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def stats(self) -> dict[str, int]:
        return {
            "requests": self.n_requests,
            "answered": self.n_answered,
            "distinct_prompts": len(self.prompts),
            "connections": self.n_connections,
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "most_in_flight": self.most_in_flight,
        }

    def __enter__(self) -> "StubServer":
        """Begin to answer; for the second time, at the address of the first."""
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self.start(self.port), self._loop).result()
        return self

    def __exit__(self, *_: object) -> None:
        asyncio.run_coroutine_threadsafe(self.stop(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def start(self, port: int) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", port, limit=1 << 24)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        self._server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self.log is not None:
            os.close(self.log)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self.n_connections += 1
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
                headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:])}
                content = await reader.readexactly(int(headers.get("content-length", 0)))
                method, path, _ = head[0].split(" ")
                self.paths.append(path)
                await self._answer(writer, method, path.partition("?")[0], headers, content)
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            self._tasks.discard(task)
            writer.transport.abort() if writer.transport.is_closing() else writer.close()

    async def _answer(
        self, writer: asyncio.StreamWriter, method: str, path: str, headers: dict[str, str], content: bytes
    ) -> None:
        if method == "CONNECT":
            await _send(writer, Fault(status=407), "")
            return
        if method == "GET":
            fault = self.models if path.endswith("/models") else Fault(status=404)
            if path.endswith("/stats"):
                fault = Fault(raw=json.dumps(self.stats))
            elif fault.status == 200 and fault.raw is None:
                fault = Fault(raw=json.dumps({"object": "list", "data": []}), hang=fault.hang)
            if fault.hang:
                await asyncio.sleep(3600)
            if self._refuses_key(headers):
                fault = self._unauthorised(headers)
            await _send(writer, fault, fault.raw if fault.raw is not None else _error(fault))
            return
        body = json.loads(content)
        self.n_requests += 1
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        if self.keep:
            self.requests.append(body)
            self.headers.append(headers)
        try:
            prompt = hashlib.sha256(json.dumps(body.get("messages", body.get("input"))).encode()).hexdigest()
            self.prompts[prompt] += 1
            self._write("arrived", prompt)
            if fault := self._refusal(body, headers):
                await _send(writer, fault, _error(fault))
            elif path.endswith("/chat/completions"):
                await self._complete(writer, body, prompt)
            elif path.endswith("/embeddings"):
                await self._embed(writer, body, prompt)
            else:
                await _send(writer, Fault(status=404), "<html>no such page</html>")
        finally:
            self.in_flight -= 1

    def _refuses_key(self, headers: Mapping[str, str]) -> bool:
        name, said = (self.key_header, "") if self.key_header else ("authorization", "Bearer ")
        return self.key is not None and headers.get(name) != f"{said}{self.key}"

    def _unauthorised(self, headers: Mapping[str, str]) -> Fault:
        return Fault(status=401, message=f"Incorrect API key: {headers.get('authorization')}", code="invalid_api_key")

    def _refusal(self, body: Mapping[str, Any], headers: Mapping[str, str]) -> Fault | None:
        if self._refuses_key(headers):
            return self._unauthorised(headers)
        if self.refuses_logit_bias and "logit_bias" in body:
            return Fault(status=400, message="Unsupported parameter: 'logit_bias'")
        form = body.get("response_format", {}).get("type")
        if form in self.refuses_formats:
            return Fault(status=self.refuses_formats[form], message=f"response_format {form} is not supported")
        if self.refuses_stream_options and "stream_options" in body:
            return Fault(status=400, message="Unknown field: stream_options")
        if refused := [said for name, said in self.refuses.items() if name in body]:
            return Fault(status=400, message=refused[0])
        if self.wants_max_completion_tokens and "max_tokens" in body:
            return Fault(
                status=400,
                message="Unsupported parameter: 'max_tokens' is not supported with this model. Use"
                " 'max_completion_tokens' instead.",
            )
        return None

    async def _complete(self, writer: asyncio.StreamWriter, body: dict[str, Any], prompt: str) -> None:
        came = time.monotonic()
        said = self.reply(body)
        fault = Fault(said) if isinstance(said, str) else said
        if self.latency or fault.delay:  # what the stub takes to think is part of it
            await asyncio.sleep(self.latency + fault.delay - (time.monotonic() - came))
        if fault.hang:
            await asyncio.sleep(3600)
        if fault.status != 200 or fault.raw is not None:
            await _send(writer, fault, fault.raw if fault.raw is not None else _error(fault))
            return
        usage = {
            "prompt_tokens": sum(len(str(message["content"])) for message in body["messages"]) // 4,
            "completion_tokens": len(fault.text or "") // 4,
        }
        if self.context:
            usage["prompt_tokens"] = min(usage["prompt_tokens"], self.context)
        self.n_answered += 1
        self.prompt_tokens += usage["prompt_tokens"]
        self.completion_tokens += usage["completion_tokens"]
        self._write("answered", prompt)
        if body.get("stream"):
            with_usage = body.get("stream_options", {}).get("include_usage") and self.tells_usage
            await _stream(writer, fault, usage if with_usage else None)
            return
        message = {"role": "assistant", "content": fault.text, **fault.message_fields}
        answer = {
            "id": "chatcmpl-stub",
            "object": "chat.completion",
            "created": 0,
            "model": body["model"],
            "choices": [{"index": 0, "message": message, "finish_reason": fault.finish_reason}],
        }
        if self.tells_usage:
            answer["usage"] = usage | {"total_tokens": sum(usage.values()) + self.n_thought}
        await _send(writer, fault, json.dumps(answer))

    async def _embed(self, writer: asyncio.StreamWriter, body: dict[str, Any], prompt: str) -> None:
        said = self.reply(body) if self.reply is not echo else ""
        if isinstance(said, Fault):
            await _send(writer, said, said.raw if said.raw is not None else _error(said))
            return
        data = [{"object": "embedding", "index": i, "embedding": vector(text)} for i, text in enumerate(body["input"])]
        n_tokens = sum(map(len, body["input"])) // 4
        self.n_answered += 1
        self.prompt_tokens += n_tokens
        self._write("answered", prompt)
        usage = {"prompt_tokens": n_tokens, "total_tokens": n_tokens}
        # Not in their order, which the client has to restore.
        answer = {"object": "list", "model": body.get("model"), "data": data[::-1], "usage": usage}
        await _send(writer, Fault(), json.dumps(answer))

    def _write(self, event: str, prompt: str) -> None:
        if self.log is not None:
            os.write(self.log, (json.dumps({"event": event, "prompt": prompt, "at": time.time()}) + "\n").encode())


def vector(text: str) -> list[float]:
    """Return 8 numbers that depend on the text alone."""
    return [byte / 256 for byte in hashlib.sha256(text.encode()).digest()[:8]]


def _error(fault: Fault) -> str:
    return json.dumps({"error": {"message": fault.message, "type": "stub", "param": None, "code": fault.code}})


async def _send(writer: asyncio.StreamWriter, fault: Fault, text: str | bytes) -> None:
    content = text.encode() if isinstance(text, str) else text
    head = [
        f"HTTP/1.1 {fault.status} {REASONS.get(fault.status, 'Stub')}",
        f"content-length: {len(content)}",
        *(f"{name}: {value}" for name, value in ({"content-type": "application/json"} | dict(fault.headers)).items()),
    ]
    if fault.cut:
        content = content[: len(content) // 2]
    writer.write("\r\n".join([*head, "", ""]).encode())
    for byte in content if fault.drip else ():
        writer.write(bytes([byte]))
        await asyncio.sleep(fault.drip)
    writer.write(b"" if fault.drip else content)
    await writer.drain()
    if fault.cut:
        writer.close()
        raise ConnectionError


async def _stream(writer: asyncio.StreamWriter, fault: Fault, usage: dict[str, int] | None) -> None:
    words = (fault.text or "").split(" ")
    pieces = [word if i == len(words) - 1 else word + " " for i, word in enumerate(words)]
    deltas: list[Any] = [{"role": "assistant", "content": ""}, *({"content": piece} for piece in pieces)]
    if fault.cut:
        deltas = deltas[: len(deltas) // 2 + 1]
    events = [{"choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    events.append({"choices": [{"index": 0, "delta": {}, "finish_reason": fault.finish_reason}]})
    if usage:
        events.append({"choices": [], "usage": usage})
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
    if fault.cut:
        events = events[: len(deltas)]
    for event in [*map(json.dumps, events), *([] if fault.cut or not fault.done else ["[DONE]"])]:
        line = f"data: {event}\n\n".encode()
        writer.write(f"{len(line):x}\r\n".encode() + line + b"\r\n")
        await writer.drain()
        if fault.drip and event != "[DONE]":
            await asyncio.sleep(fault.drip)
    if fault.cut:
        writer.close()
        raise ConnectionError
    writer.write(b"0\r\n\r\n")
    await writer.drain()


@contextlib.contextmanager
def refused_port() -> Iterator[int]:
    """Give a port of this machine at which nobody listens."""
    import socket

    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield bound.getsockname()[1]


async def _main(server: StubServer, port: int) -> None:
    await server.start(port)
    print(server.port, flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="An OpenAI-compatible server whose replies are a function.")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--latency", type=float, default=0.0, help="seconds")
    parser.add_argument("--log", type=Path, help="JSON lines of what arrived and was answered")
    parser.add_argument("--reply", default="", help="package.module:function(body) -> str | Fault")
    asked = parser.parse_args()
    module, _, function = asked.reply.partition(":")
    say = getattr(importlib.import_module(module), function) if module else echo
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_main(StubServer(say, latency=asked.latency, log=asked.log, keep=False), asked.port))
