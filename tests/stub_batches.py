"""Providers' batch endpoints on loopback, of three forms. They can be slow, lie, and lose answers."""

import asyncio
import datetime
import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from stub_server import Fault, Say, StubServer, _error, _send

Lines = list[str]


class BatchServer(StubServer):
    """OpenAI's form: `/files`, `/batches`. `n_looks` are the looks at a job until it has ended, as `status`; `lie` changes the lines of its answers.

    `lose` are the numbers of the requests to make a job, from 1, that are done, and whose answer is lost; while `holds`,
    the answers to all of them are held back.
    """

    def __init__(
        self,
        reply: Say,
        *,
        n_looks: int = 1,
        status: Callable[[int], str] = lambda _: "completed",
        lie: Callable[[Lines], Lines] = lambda lines: lines,
        lose: frozenset[int] = frozenset(),
        **options: Any,
    ) -> None:
        super().__init__(reply, **options)
        self.n_looks, self.status, self.lie, self.lose = n_looks, status, lie, lose
        self.files: dict[str, str] = {}
        self.jobs: dict[str, dict[str, Any]] = {}
        self.looks: Counter[str] = Counter()
        self.n_made = 0
        self.holds = False
        self.asked: list[tuple[str, str]] = []  # key and conversation of each request in a job

    async def _answer(
        self, writer: asyncio.StreamWriter, method: str, path: str, headers: dict[str, str], content: bytes
    ) -> None:
        found = re.search(r"/(files|batches)(?:/([^/]+))?(/content)?$", path)
        if not found or self._refuses_key(headers):
            await super()._answer(writer, method, path, headers, content)
            return
        kind, name, _ = found.groups()
        made = method == "POST" and kind == "batches"
        answer = self._file(method, name, content) if kind == "files" else self._batch(method, name, content)
        self.n_made += made
        hold = made and self.holds
        fault = Fault(cut=made and self.n_made in self.lose, status=404 if answer is None else 200)
        await asyncio.sleep(3600 if hold else 0)
        await _send(writer, fault, _error(fault) if answer is None else answer)

    def _file(self, method: str, name: str | None, content: bytes) -> str | None:
        if method == "GET":
            return self.files.get(name or "")
        name = f"file-{len(self.files)}"
        parts = re.findall(rb"\r\n\r\n(.*?)\r\n--", content, re.DOTALL)
        self.files[name] = max(parts, key=len).decode()
        return json.dumps({"id": name, "object": "file"})

    def _batch(self, method: str, name: str | None, content: bytes) -> str | None:
        if method == "POST":
            asked = json.loads(content)
            name = f"batch-{len(self.jobs)}"
            self.jobs[name] = {"id": name, "object": "batch", "status": "validating", **asked}
            rows = [json.loads(line) for line in self.files[asked["input_file_id"]].splitlines()]
            self.asked += [(row["custom_id"], json.dumps(row["body"]["messages"])) for row in rows]
            return json.dumps(self.jobs[name])
        if name is None:
            return json.dumps({"object": "list", "data": list(self.jobs.values())[::-1], "has_more": False})
        if job := self.jobs.get(name):
            self.looks[name] += 1
            if self.looks[name] >= self.n_looks and "output_file_id" not in job:
                self._end(job)
            return json.dumps(job)
        return None

    def _end(self, job: dict[str, Any]) -> None:
        lines = [self._line(json.loads(line)) for line in self.files[job["input_file_id"]].splitlines()]
        told = self.lie([json.dumps(line) for line in lines])
        name = job["output_file_id"] = f"file-{len(self.files)}"
        self.files[name] = "\n".join(told)
        job["status"] = self.status(len(self.jobs))

    def _line(self, row: Mapping[str, Any]) -> dict[str, Any]:
        body = row["body"]
        if refused := self._refusal(body, {"authorization": f"Bearer {self.key}"}):
            return _response(row["custom_id"], refused.status, json.loads(_error(refused)))
        said = self.reply(body)
        fault = Fault(said) if isinstance(said, str) else said
        if fault.status != 200:
            return _response(row["custom_id"], fault.status, json.loads(_error(fault)))
        choice = {"index": 0, "message": {"role": "assistant", "content": fault.text}, "finish_reason": "stop"}
        n = sum(len(str(message["content"])) for message in body["messages"]) // 4
        usage = {"prompt_tokens": n, "completion_tokens": len(fault.text or "") // 4}
        return _response(row["custom_id"], 200, {"choices": [choice], "usage": usage})


def _response(key: str, status: int, body: Any) -> dict[str, Any]:
    return {"id": "x", "custom_id": key, "response": {"status_code": status, "body": body}, "error": None}


class NativeServer(BatchServer):
    """A form of jobs that hold their requests. Its own header carries the key, and no other does."""

    place = re.compile("")  # of a job, as first group; `native` reads and writes it
    carries = ""

    async def _answer(
        self, writer: asyncio.StreamWriter, method: str, path: str, headers: dict[str, str], content: bytes
    ) -> None:
        if not (found := self.place.search(path)):
            await super()._answer(writer, method, path, headers, content)
            return
        assert self.carries in headers and "authorization" not in headers, "a key in another header is refused"
        made = method == "POST"
        self.n_made += made
        hold = made and self.holds
        answer = self._made(json.loads(content)) if made else self._shown(found)
        fault = Fault(cut=made and self.n_made in self.lose, status=404 if answer is None else 200)
        await asyncio.sleep(3600 if hold else 0)
        await _send(writer, fault, _error(fault) if answer is None else answer)

    def _made(self, asked: dict[str, Any]) -> str:
        raise NotImplementedError

    def _shown(self, found: "re.Match[str]") -> str | None:
        raise NotImplementedError

    def _said(self, body: dict[str, Any]) -> Fault:
        said = self.reply(body)
        return Fault(said) if isinstance(said, str) else said

    def _has_ended(self, name: str) -> bool:
        self.looks[name] += 1
        return self.looks[name] >= self.n_looks


def anthropic_job(name: str, n_requests: int) -> dict[str, Any]:
    """Return a job that has just been made."""
    now = datetime.datetime.now(datetime.UTC).isoformat().replace("+00:00", "Z")
    counts = {"processing": n_requests, "succeeded": 0, "errored": 0, "canceled": 0, "expired": 0}
    return {"id": name, "created_at": now, "processing_status": "in_progress", "request_counts": counts}


class AnthropicServer(NativeServer):
    """`/messages/batches`: answers in any order, of which some expire where a job has another status."""

    place = re.compile(r"/v1/messages/batches(?:/([^/]+))?(/results)?$")
    carries = "x-api-key"

    def _made(self, asked: dict[str, Any]) -> str:
        name = f"msgbatch_{len(self.jobs)}"
        self.jobs[name] = anthropic_job(name, len(asked["requests"]))
        lines = []
        for row in asked["requests"]:
            params = row["params"]
            assert params["max_tokens"] and not {"response_format", "logit_bias"} & params.keys()
            self.asked.append((row["custom_id"], json.dumps(params["messages"])))
            lines.append(json.dumps({"custom_id": row["custom_id"], "result": self._result(params)}))
        self.files[name] = "\n".join(self.lie(lines)[::-1])
        return json.dumps(self.jobs[name])

    def _result(self, params: dict[str, Any]) -> dict[str, Any]:
        fault = self._said(params)
        if fault.status != 200:
            return {"type": "errored", "error": {"error": {"type": "invalid_request_error", "message": fault.message}}}
        if self.status(len(self.jobs)) != "completed" and len(self.asked) % 2:
            return {"type": "expired"}
        content = [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": fault.text}]
        usage = {"input_tokens": 5, "cache_read_input_tokens": 3, "output_tokens": 2}
        return {"type": "succeeded", "message": {"content": content, "stop_reason": "end_turn", "usage": usage}}

    def _shown(self, found: "re.Match[str]") -> str | None:
        name, results = found.groups()
        if name is None:
            rows = list(self.jobs.values())[::-1]
            return json.dumps({"data": rows, "has_more": False, "last_id": rows[-1]["id"] if rows else None})
        if results:
            return self.files.get(name)
        if self._has_ended(name):
            self.jobs[name]["processing_status"] = "ended"
        return json.dumps(self.jobs[name])


class GeminiServer(NativeServer):
    """`:batchGenerateContent`; with `tells_keys` False, answers have none, and stand in the order of the requests."""

    place = re.compile(r"/v1/(models/stub:batchGenerateContent|batches)(?:/([^/]+))?$")
    carries = "x-goog-api-key"
    tells_keys = True

    @property
    def url(self) -> str:
        return f"{super().url}/openai"

    def _made(self, asked: dict[str, Any]) -> str:
        batch = asked["batch"]
        name = f"batches/{len(self.jobs)}"
        told = {"state": "BATCH_STATE_PENDING", "displayName": batch["display_name"]}
        self.jobs[name] = {"name": name, "metadata": told}
        rows = []
        for row in batch["input_config"]["requests"]["requests"]:
            messages = [
                {"role": {"model": "assistant"}.get(turn["role"], "user"), "content": turn["parts"][0]["text"]}
                for turn in row["request"]["contents"]
            ]
            self.asked.append((row["metadata"]["key"], json.dumps(messages)))
            answer = self._response(self._said({"messages": messages}))
            rows.append(json.dumps((row if self.tells_keys else {}) | answer))
        self.files[name] = "\n".join(self.lie(rows) if self.tells_keys else rows)
        return json.dumps(self.jobs[name])

    def _response(self, fault: Fault) -> dict[str, Any]:
        if fault.status != 200:
            return {"error": {"code": 3, "message": fault.message}}
        parts = [{"text": "Hm.", "thought": True}, {"text": fault.text}]
        usage = {
            "promptTokenCount": 8,
            "cachedContentTokenCount": 3,
            "candidatesTokenCount": 1,
            "thoughtsTokenCount": 1,
        }
        return {
            "response": {"candidates": [{"content": {"parts": parts}, "finishReason": "STOP"}], "usageMetadata": usage}
        }

    def _shown(self, found: "re.Match[str]") -> str | None:
        if found[2] is None:
            return json.dumps({"operations": list(self.jobs.values())} if self.jobs else {})
        job = self.jobs[name := f"batches/{found[2]}"]
        if self._has_ended(name):
            rows = [json.loads(line) for line in self.files[name].splitlines() if line.endswith("}")]
            job["metadata"]["state"] = (
                f"BATCH_STATE_{self.status(len(self.jobs)).replace('completed', 'succeeded').upper()}"
            )
            job |= {"done": True, "response": {"inlinedResponses": {"inlinedResponses": rows}}}
        return json.dumps(job)


class KeylessGeminiServer(GeminiServer):
    tells_keys = False
