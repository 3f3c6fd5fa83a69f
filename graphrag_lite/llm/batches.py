"""Requests that are answered within a day at half the price: a provider's batch endpoint, of any of `batch_forms`.

    reply(request) -> a result that has come; else the request is open: WaitingError
    submit()       -> the open requests as jobs: file on disk -> job, found again by its tag -> record

A job is three files in `output/batches/`, by its tag, the hash of its requests: `.jsonl` what is asked, durable before
anything is sent; `.job` what the provider calls it; `.done` what has come of it. A crash between two of them is made up
for by the next run: a job without a record is looked for among the provider's by its tag before it is made. Lines may
be missing, stand twice or in any order; what has no result is open again. No request is in two jobs that are under way.
"""

import asyncio
import datetime
import hashlib
import itertools
import json
import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphrag_lite import tables
from graphrag_lite.errors import CallError, SettingsError, WaitingError
from graphrag_lite.llm.batch_forms import CHAT, FORMS, NONE, TAG, WantedJob, read_results
from graphrag_lite.llm.chat import ChatModel, Reply, Request
from graphrag_lite.llm.diagnosis import Refused
from graphrag_lite.llm.endpoint import LARGE, Endpoint
from graphrag_lite.llm.openai_chat import OpenAIChat
from graphrag_lite.llm.openai_fields import parse_json

if TYPE_CHECKING:
    from graphrag_lite.llm.http_client import Client, Response

ENDED = ("completed", "failed", "expired", "cancelled")
MAX_REQUESTS = 20_000  # of a job; OpenAI takes 50,000
MAX_TRIES = 5  # jobs that may leave a request without a result

logger = logging.getLogger(__name__)


class Batches:
    """The jobs of an output folder. Raises SettingsError for a model whose provider has no such endpoint."""

    def __init__(self, chat: ChatModel, folder: Path) -> None:
        if not isinstance(chat, OpenAIChat) or not chat.settings.preset.batches:
            raise SettingsError("llm.batch: the model's provider has no batch endpoint that is known; see model.md")
        if chat.settings.preset.deployments and "/deployments/" in chat.endpoint.base_url:
            raise SettingsError("llm.batch: Azure takes batches where llm.base_url ends in /openai/v1")
        self.chat, self.folder, self.endpoint = chat, folder, chat.endpoint
        self.form = form = FORMS[chat.settings.preset.batches]
        if form.parameters is not None and (unknown := sorted(chat.settings.parameters.keys() - form.parameters)):
            raise SettingsError(f"llm.parameters.{unknown[0]}: no batch of this provider takes it")
        if form.key_header is not None:  # its own API, beside that of OpenAI's form
            options = {"below": form.below, "key_header": form.key_header}
            self.endpoint = Endpoint(chat.settings, "llm", chat.settings.model, **options, headers=form.headers)
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
        if refusal := self._refused.get(key):
            raise CallError(f"{self.endpoint.address} refused it in a batch: {refusal} {again}")
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
            if len(lines) >= MAX_REQUESTS or (size := size + len(lines[-1])) > self.form.max_bytes:
                await self._send(lines)
                lines, size = [], 0
        if lines:
            await self._send(lines)
        n = len(self._under_way)
        states = ", ".join(f"{state} {n}" for state, n in sorted(Counter(self._states.values()).items()))
        raise WaitingError(
            f"{n} request{'s are' if n != 1 else ' is'} with {self.endpoint.address}, in"
            f" {len(self._states)} batch{'es' if len(self._states) != 1 else ''} ({states}), to be answered within 24"
            " hours. Run again then, and the run goes on from there."
        )

    def forget(self) -> None:
        """Remove the jobs that have ended, once their answers are used."""
        for done in self.folder.glob("*.done"):
            for path in (done.with_suffix(".jsonl"), done.with_suffix(".job"), done):
                path.unlink(missing_ok=True)

    def _line(self, key: str, request: Request) -> str:
        return json.dumps({"custom_id": key, "method": "POST", "url": CHAT, "body": self.chat.batch_body(request)})

    async def _send(self, lines: Sequence[str]) -> None:
        content = "\n".join(lines).encode()
        tag = hashlib.sha256(content).hexdigest()[:32]
        self.folder.mkdir(parents=True, exist_ok=True)
        for n in range(MAX_TRIES + 1):  # the same requests as in a job that has ended make another
            if not (self.folder / f"{tag}.done").exists():
                break
            tag = hashlib.sha256(f"{tag} {n}".encode()).hexdigest()[:32]
        tables.replace_file(self.folder / f"{tag}.jsonl", content)
        await self._begin(tag, may_be_made=self.form.tags)

    async def _begin(self, tag: str, *, may_be_made: bool = True) -> None:
        """Make the job of a file, or find it where it was made before, and record it."""
        path, form = self.folder / f"{tag}.jsonl", self.form
        content = path.read_bytes()
        lines = content.decode().split("\n")
        written_at = datetime.datetime.fromtimestamp(path.stat().st_mtime, datetime.UTC)
        wanted = WantedJob(tag, len(lines), written_at)

        async def look(client: "Client") -> "Response":
            return await self._listed(client, wanted) or await client.get(form.jobs, params=form.first_page)

        def read(answer: Any) -> tuple[dict[str, str] | None, int]:
            return self._job(answer, wanted), 0

        job = await self.endpoint.post(look, read) if may_be_made else None
        if job is None:
            payload: Any = await self._uploaded(tag, content) if form.uploads else [json.loads(line) for line in lines]
            where, body = form.create(self.chat.settings.model or "", payload, tag)

            attempts = itertools.count()

            async def create(client: "Client") -> "Response":  # at a second attempt, the first may have made it
                made = await self._listed(client, wanted) if next(attempts) else None
                return made or await client.post(where, body)

            job = await self.endpoint.post(create, read)
        job = job or {"id": "", "status": "lost"}  # a provider that lists what it does not hold
        tables.replace_file(self.folder / f"{tag}.job", json.dumps(job).encode())
        self._states[tag] = job["status"]
        self._under_way.update(_keys(content))

    async def _uploaded(self, tag: str, content: bytes) -> str:
        name = f"{TAG}-{tag}.jsonl"
        return await self.endpoint.post(
            lambda client: client.upload("files", {"purpose": "batch"}, name, content),
            lambda answer: (str(answer["id"]), 0),
        )

    async def _listed(self, client: "Client", wanted: WantedJob) -> "Response | None":
        """Return the page of the provider's list that holds a job, or an error; None where no page does."""
        more: dict[str, str] | None = {}
        while more is not None:
            params = {**self.form.first_page, **more}
            page = await client.get(self.form.jobs, params=params, most=LARGE)
            try:
                rows, more = self.form.page(parse_json(page.content))
            except NONE:
                return page
            if not page.is_success or any(self._is_wanted(row, wanted) for row in rows):
                return page
        return None

    def _is_wanted(self, row: Any, wanted: WantedJob) -> bool:
        try:
            return self.form.is_wanted(row, wanted) and self.form.state(row)[0] not in (
                json.loads(path.read_bytes())["id"] for path in self.folder.glob("*.job")
            )
        except NONE:
            return False

    def _job(self, answer: Mapping[str, Any], wanted: WantedJob) -> dict[str, str] | None:
        """Return a job from the answer that made it, or from a page of the list; None where that does not hold it."""
        is_one = "id" in answer or "name" in answer
        rows = [answer] if is_one else [row for row in self.form.page(answer)[0] if self._is_wanted(row, wanted)]
        return dict(zip(("id", "status"), self.form.state(rows[0]), strict=True)) if rows else None

    async def _collect(self) -> None:
        """Learn what has come of every job."""
        for path in sorted(self.folder.glob("*.jsonl")):
            tag, done = path.stem, path.with_suffix(".done")
            if not done.exists():
                if not path.with_suffix(".job").exists():
                    await self._begin(tag)
                await self._ask(tag)
            if done.exists():
                self._take(tag)

    async def _ask(self, tag: str) -> None:
        """Ask how a job stands; where it has ended, keep what has come of it."""
        job_id = json.loads((self.folder / f"{tag}.job").read_bytes())["id"]
        try:
            job = await self.endpoint.post(
                lambda client: client.get(f"{self.form.jobs}/{job_id}", most=LARGE),
                lambda answer: ((answer, self.form.state(answer)[1]), 0),
                hand_back=frozenset((404,)),
            )
        except Refused:
            logger.warning("Batch %s is gone: what it asked is asked again.", job_id)
            job = None, "cancelled"
        ended, self._states[tag] = job
        self._under_way.update(_keys((self.folder / f"{tag}.jsonl").read_bytes()))
        if self._states[tag] not in ENDED:
            return
        if ended and self._states[tag] != "completed":
            message = ""
            with suppress(*NONE):
                message = str(((ended.get("errors") or {}).get("data") or [ended["error"]])[0]["message"])
            logger.warning("Batch %s: %s %s. What has no answer is asked again.", job_id, self._states[tag], message)
        paths = self.form.result_paths(ended) if ended else []
        answers = [await self._content(path) for path in paths] if paths else [json.dumps(ended)]
        tables.replace_file(self.folder / f"{tag}.done", "\n".join(answers).encode())

    async def _content(self, path: str) -> str:
        try:
            return await self.endpoint.fetch(lambda client: client.get(path, most=LARGE), frozenset((404,)))
        except Refused:  # providers do not keep it for ever, and a job that was made long ago is found again
            return ""

    def _take(self, tag: str) -> None:
        """Take the results of a job that has ended, the first of each request; its others are open again."""
        keys = _keys((self.folder / f"{tag}.jsonl").read_bytes())
        own = set(keys)
        self._states.pop(tag, None)
        self._under_way -= own
        found = list(read_results(self.form, (self.folder / f"{tag}.done").read_text(encoding="utf-8")))
        by_index = dict(zip(map(str, range(len(keys))), keys, strict=True)) if len(found) == len(keys) else {}
        for name, status, body in found:
            key = by_index.get(name, name)
            if key in own and status == 200 and key not in self._results:
                self._results[key] = body
            elif key in own and status in (400, 422) and (refusal := self.chat.unlearned(status, json.dumps(body))):
                self._refused[key] = refusal
        for key in own - self._results.keys():
            self._tries[key] += 1


def _keys(content: bytes) -> list[str]:
    return [json.loads(line)["custom_id"] for line in content.decode().split("\n")]
