"""A provider's batch endpoint of OpenAI's form on loopback: `/files`, `/batches`. It can be slow, lie, and lose answers."""

import asyncio
import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from stub_server import Fault, Say, StubServer, _error, _send

Lines = list[str]


class BatchServer(StubServer):
    """`n_looks` are the looks at a job until it has ended, as `status`; `lie` changes the lines of its answers.

    `lose` are the numbers of the requests to make a job, from 1, that are done, and whose answer is lost.
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
        fault = Fault(cut=made and self.n_made in self.lose, status=404 if answer is None else 200)
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
