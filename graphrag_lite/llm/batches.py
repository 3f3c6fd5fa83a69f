"""Requests that are answered within a day at half the price: a provider's batch endpoint, of OpenAI's form.

    reply(request) -> a result that has come; else the request is open: WaitingError
    submit()       -> the open requests as jobs: file on disk -> upload -> job, found again by its tag -> record

A job is three files in `output/batches/`, by its tag, the hash of its requests: `.jsonl` what is asked, durable before
anything is sent; `.job` what the provider calls it; `.done` what has come of it. A crash between two of them is made up
for by the next run: a job without a record is looked for among the provider's by its tag before it is made. Lines may
be missing, stand twice or in any order; what has no result is open again. No request is in two jobs that are under way.
"""

import asyncio
import hashlib
import json
import logging
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from graphrag_lite import tables
from graphrag_lite.errors import CallError, SettingsError, WaitingError
from graphrag_lite.llm.chat import ChatModel, Reply, Request
from graphrag_lite.llm.diagnosis import Refused
from graphrag_lite.llm.endpoint import LARGE
from graphrag_lite.llm.openai_chat import OpenAIChat
from graphrag_lite.llm.openai_fields import parsed

if TYPE_CHECKING:
    from httpx2 import AsyncClient, Response

ENDED = ("completed", "failed", "expired", "cancelled")
MAX_REQUESTS, MAX_BYTES = 20_000, 90_000_000  # of a job; OpenAI takes 50,000 and 200 MB
MAX_TRIES = 5  # jobs that may leave a request without a result
TAG = "graphrag-lite"  # under which the provider keeps it
URL: Final = "/v1/chat/completions"

logger = logging.getLogger(__name__)


class Batches:
    """The jobs of an output folder. Raises SettingsError for a model whose provider has no such endpoint."""

    def __init__(self, chat: ChatModel, folder: Path) -> None:
        if not isinstance(chat, OpenAIChat) or not chat.settings.preset.batches:
            raise SettingsError("llm.batch: the model's provider has no batch endpoint of OpenAI's form; see model.md")
        if chat.settings.preset.deployments and "/deployments/" in chat.endpoint.base_url:
            raise SettingsError("llm.batch: Azure takes batches where llm.base_url ends in /openai/v1")
        self.chat = chat
        self.folder = folder
        self.open: dict[str, Request] = {}
        self._collecting: asyncio.Task[None] | None = None
        self._results: dict[str, Mapping[str, Any]] = {}
        self._under_way: set[str] = set()
        self._refused: dict[str, str] = {}
        self._tries: Counter[str] = Counter()  # jobs that ended without a result
        self._states: dict[str, str] = {}  # of the jobs under way, by tag

    async def reply(self, key: str, request: Request) -> Reply:
        """Return the reply that has come. Raises WaitingError while none has, CallError where none will."""
        self._collecting = self._collecting or asyncio.create_task(self._collect())
        await asyncio.shield(self._collecting)
        if (result := self._results.get(key)) is not None:
            return self.chat.read(result, request.messages)
        again = f"Remove {self.folder} to ask again."
        if said := self._refused.get(key):
            raise CallError(f"{self.chat.endpoint.address} refused it in a batch: {said} {again}")
        if self._tries[key] >= MAX_TRIES:
            raise CallError(f"{MAX_TRIES} batches have left it without an answer. {again}")
        if key not in self._under_way:
            self.open[key] = request
        raise WaitingError("It is asked in a batch.")

    async def submit(self, most: int) -> None:
        """Send the first `most` open requests off. Raises WaitingError, which says what is waited for."""
        lines: list[str] = []
        size = 0
        keys = list(self.open)[:most]
        for key in keys:
            lines.append(self._line(key, self.open.pop(key)))
            if len(lines) >= MAX_REQUESTS or (size := size + len(lines[-1])) > MAX_BYTES:
                await self._send(lines)
                lines, size = [], 0
        if lines:
            await self._send(lines)
        n = len(self._under_way)
        states = ", ".join(f"{state} {n}" for state, n in sorted(Counter(self._states.values()).items()))
        raise WaitingError(
            f"{n} request{'s are' if n != 1 else ' is'} with {self.chat.endpoint.address}, in"
            f" {len(self._states)} batch{'es' if len(self._states) != 1 else ''} ({states}), to be answered within 24"
            " hours. Run again then, and the run goes on from there."
        )

    def forget(self) -> None:
        """Remove the jobs that have ended, once their answers are used."""
        for done in self.folder.glob("*.done"):
            for path in (done.with_suffix(".jsonl"), done.with_suffix(".job"), done):
                path.unlink(missing_ok=True)

    def _line(self, key: str, request: Request) -> str:
        return json.dumps({"custom_id": key, "method": "POST", "url": URL, "body": self.chat.batch_body(request)})

    async def _send(self, lines: Sequence[str]) -> None:
        content = "\n".join(lines).encode()
        tag = hashlib.sha256(content).hexdigest()[:32]
        self.folder.mkdir(parents=True, exist_ok=True)
        for n in range(MAX_TRIES + 1):  # the same requests as in a job that has ended make another
            if not (self.folder / f"{tag}.done").exists():
                break
            tag = hashlib.sha256(f"{tag} {n}".encode()).hexdigest()[:32]
        tables.replace_file(self.folder / f"{tag}.jsonl", content)
        await self._begin(tag)

    async def _begin(self, tag: str) -> None:
        """Make the job of a file, or find it where it was made before a crash, and record it."""
        content = (self.folder / f"{tag}.jsonl").read_bytes()
        if (job := await self._found(tag)) is None:
            name = f"{TAG}-{tag}.jsonl"

            async def upload(client: "AsyncClient") -> "Response":
                return await client.post("files", data={"purpose": "batch"}, files={"file": (name, content)})

            uploaded = await self.chat.endpoint.post(upload, 0, lambda answer: (str(answer["id"]), 0))

            async def create(client: "AsyncClient") -> "Response":  # at a second attempt, the first may have made it
                asked = {"input_file_id": uploaded, "endpoint": URL, "completion_window": "24h", "metadata": {TAG: tag}}
                return await self._listed(client, tag) or await client.post("batches", json=asked)

            job = await self.chat.endpoint.post(create, 0, lambda answer: (_job(answer, tag), 0))
        job = job or {"id": "", "status": "lost"}  # a provider that lists what it does not hold
        tables.replace_file(self.folder / f"{tag}.job", json.dumps(job).encode())
        self._states[tag] = job["status"]
        self._under_way.update(_keys(content))

    async def _found(self, tag: str) -> dict[str, str] | None:
        async def look(client: "AsyncClient") -> "Response":
            return await self._listed(client, tag) or await client.get("batches", params={"limit": 1})

        return await self.chat.endpoint.post(look, 0, lambda answer: (_job(answer, tag), 0))

    async def _listed(self, client: "AsyncClient", tag: str) -> "Response | None":
        """Return the page of the provider's list that holds a job, or an error; None where no page does."""
        after: dict[str, str] = {}
        while True:
            page = await client.get("batches", params={"limit": "100", **after})
            try:
                listed = parsed(page.content)
                rows = listed.get("data") or []
            except (ValueError, AttributeError):
                return page
            if not page.is_success:
                return page
            if any(_tag(row) == tag for row in rows):
                return page
            if not listed.get("has_more") or not rows:
                return None
            after = {"after": str(rows[-1]["id"])}

    async def _collect(self) -> None:
        """Learn what has come of every job."""
        for asked in sorted(self.folder.glob("*.jsonl")):
            tag, done = asked.stem, asked.with_suffix(".done")
            if not done.exists():
                if not asked.with_suffix(".job").exists():
                    await self._begin(tag)
                await self._ask(tag)
            if done.exists():
                self._take(tag)

    async def _ask(self, tag: str) -> None:
        """Ask how a job stands; where it has ended, keep what has come of it."""
        job_id = json.loads((self.folder / f"{tag}.job").read_bytes())["id"]

        async def retrieve(client: "AsyncClient") -> "Response":
            return await client.get(f"batches/{job_id}")

        try:
            job = await self.chat.endpoint.post(retrieve, 0, lambda a: ({**a, "id": a["id"]}, 0), frozenset((404,)))
        except Refused:
            logger.warning("Batch %s is gone: what it asked is asked again.", job_id)
            job = {"status": "cancelled"}
        self._states[tag] = str(job.get("status"))
        self._under_way.update(_keys((self.folder / f"{tag}.jsonl").read_bytes()))
        if self._states[tag] not in ENDED:
            return
        if self._states[tag] != "completed":
            why = str(((job.get("errors") or {}).get("data") or [{}])[0].get("message") or "")
            logger.warning("Batch %s: %s %s. What has no answer is asked again.", job_id, self._states[tag], why)
        lines = [line for name in ("output_file_id", "error_file_id") for line in await self._content(job.get(name))]
        tables.replace_file(self.folder / f"{tag}.done", "\n".join(lines).encode())

    async def _content(self, file_id: str | None) -> list[str]:
        if not file_id:
            return []

        async def download(client: "AsyncClient") -> "Response":
            return await client.get(f"files/{file_id}/content", extensions=LARGE)

        try:
            return (await self.chat.endpoint.fetch(download, frozenset((404,)))).split("\n")
        except Refused:  # providers do not keep it for ever, and a job that was made long ago is found again
            return []

    def _take(self, tag: str) -> None:
        """Take the results of a job that has ended, the first of each request; its others are open again."""
        own = set(_keys((self.folder / f"{tag}.jsonl").read_bytes()))
        self._states.pop(tag, None)
        self._under_way -= own
        for key, status, body in _results((self.folder / f"{tag}.done").read_text(encoding="utf-8")):
            if key in own and status == 200 and key not in self._results:
                self._results[key] = body
            elif key in own and status in (400, 422) and (said := self.chat.unlearned(status, json.dumps(body))):
                self._refused[key] = said
        for key in own - self._results.keys():
            self._tries[key] += 1


def _results(text: str) -> Iterator[tuple[str, int, Any]]:
    """Yield key, status and body of every line that can be read; status 0 where the provider did not ask the model."""
    for line in text.split("\n"):
        try:
            row = parsed(line)
            response = row.get("response") or {"status_code": 0, "body": row.get("error")}
            key, status, body = str(row["custom_id"]), int(response["status_code"]), response["body"]
            if status == 200:
                body["choices"][0]["message"]
        except (ValueError, KeyError, TypeError, AttributeError, IndexError):
            continue
        yield key, status, body


def _keys(content: bytes) -> list[str]:
    return [json.loads(line)["custom_id"] for line in content.decode().split("\n")]


def _job(answer: Mapping[str, Any], tag: str) -> dict[str, str] | None:
    """Return a job from the answer that made it, or from a page of the list; None where that does not hold it."""
    rows = [row for row in answer["data"] or [] if _tag(row) == tag] if "data" in answer else [answer]
    return {"id": str(rows[0]["id"]), "status": str(rows[0].get("status"))} if rows else None


def _tag(row: Mapping[str, Any]) -> str | None:
    return (row.get("metadata") or {}).get(TAG)
