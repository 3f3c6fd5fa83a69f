"""The memo: every paid answer, durable before it is used, keyed by everything that can change it and nothing else.

One SQLite file in WAL mode under `output/`, which an index run and queries may use at once. Answers that come while
one is being written are written together with the next: one commit, one wait for the disk.
"""

import array
import asyncio
import hashlib
import json
import logging
import os
import sqlite3
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import astuple
from pathlib import Path
from typing import Any

from graphrag_lite.errors import GraphragLiteError, OutputError, TableError
from graphrag_lite.llm.chat import Reply, Request, Usage

BUSY = 60.0  # seconds to wait for another process that writes
SCHEMA = """
pragma journal_mode = wal;
pragma synchronous = full;
create table if not exists answers (key text primary key, reply text not null) without rowid;
create table if not exists vectors (key text primary key, vector blob not null) without rowid;
create table if not exists spent (
    run text primary key, calls int, prompt_tokens int, cached_tokens int, completion_tokens int
) without rowid;
"""
PUT_ANSWER = "insert or replace into answers values (?, ?)"
PUT_VECTOR = "insert or replace into vectors values (?, ?)"
PUT_SPENT = """
insert into spent values (?, 1, ?, ?, ?) on conflict (run) do update set
    calls = calls + 1, prompt_tokens = prompt_tokens + excluded.prompt_tokens,
    cached_tokens = cached_tokens + excluded.cached_tokens,
    completion_tokens = completion_tokens + excluded.completion_tokens
"""

logger = logging.getLogger(__name__)
Statement = tuple[str, tuple[Any, ...]]
Put = tuple[Sequence[Statement], "asyncio.Future[None]"]


class Memo:
    """Answers by key. `path` None keeps them in memory. With an answer is kept what the `run` has used so far.

    With `read_only`, and in a folder that cannot be written, new ones are not kept; the latter is said in a warning.
    Where keeping one fails, as on a full disk, OutputError is raised; without `must_keep` a warning says it once.
    Raises TableError for a file that is damaged: it may hold answers that cost money, so it is left as it is.
    """

    def __init__(self, path: Path | None, *, read_only: bool = False, must_keep: bool = True, run: str = "") -> None:
        if path is not None and path.parent.is_dir() and not os.access(path.parent, os.W_OK):
            logger.warning("%s cannot be written: new answers of the model are not kept.", path.parent)
            path, read_only = (path, True) if path.is_file() else (None, False)
        self.path, self.run, self.must_keep = path, run, must_keep
        self._read_only = read_only
        self._waiting: list[Put] = []
        self._writing: asyncio.Task[None] | None = None
        self._thread = ThreadPoolExecutor(1, "memo") if path else None
        try:
            self._database, self._writer = _opened_for_reading(path) if path and read_only else _opened(path)
        except sqlite3.Error as error:
            self._refused(error)
            try:
                self._database, self._writer = _opened_for_reading(path or Path())
            except sqlite3.OperationalError:  # not even a new file could be made
                self._database, self._writer = _opened(None)

    @staticmethod
    def key(identity: Mapping[str, Any], request: Request) -> str:
        """Return the key of a request to the model with this identity."""
        content = {
            "model": dict(identity),
            "messages": [dict(message) for message in request.messages],
            "schema": request.schema,
            "choices": request.choices,
            "max_tokens": request.max_tokens,
        }
        if request.tools:
            content["tools"] = [dict(tool) for tool in request.tools]
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()

    @staticmethod
    def vector_key(identity: Mapping[str, Any], text: str) -> str:
        """Return the key of a text's vector by the embedding model with this identity."""
        return hashlib.sha256(json.dumps([dict(identity), text], sort_keys=True).encode()).hexdigest()

    def get(self, key: str) -> Reply | None:
        row = self._row("select reply from answers where key = ?", key)
        if row is None:
            return None
        text, finish_reason, *usage = json.loads(row[0])
        return Reply(text, finish_reason, Usage(*usage))

    async def put(self, key: str, reply: Reply) -> None:
        """Store an answer; it is on disk when this returns."""
        value = json.dumps([reply.text, reply.finish_reason, *astuple(reply.usage)])
        await self._put([(PUT_ANSWER, (key, value)), *self._spending(reply.usage)])

    def _spending(self, usage: Usage) -> list[Statement]:
        return [(PUT_SPENT, (self.run, *astuple(usage)))] if self.run else []

    def spent(self, run: str) -> tuple[int, Usage]:
        """Return how many answers a run has kept, and what they used: at least what it has paid for."""
        query = "select calls, prompt_tokens, cached_tokens, completion_tokens from spent where run = ?"
        calls, *used = self._row(query, run) or (0, 0, 0, 0)
        return calls, Usage(*used)

    def vector(self, key: str) -> "array.array[float] | None":
        row = self._row("select vector from vectors where key = ?", key)
        return None if row is None else array.array("f", row[0])

    async def put_vectors(self, keys: Sequence[str], vectors: Sequence[Sequence[float]], usage: Usage) -> None:
        """Store vectors (as 4-byte floats, the precision that endpoints give); on disk when this returns."""
        rows = ((key, array.array("f", vector).tobytes()) for key, vector in zip(keys, vectors, strict=True))
        await self._put([*((PUT_VECTOR, row) for row in rows), *self._spending(usage)])

    def close(self) -> None:
        if self._thread is not None:
            self._thread.shutdown()
            self._writer.close()
        self._database.close()

    def _row(self, query: str, key: str) -> Any:
        try:
            return self._database.execute(query, (key,)).fetchone()
        except sqlite3.Error as error:
            raise self._explained(error) from None

    async def _put(self, statements: Sequence[Statement]) -> None:
        if self._read_only:
            return
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((statements, future))
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write())
        await future

    async def _write(self) -> None:
        """Write what waits, as long as something does."""
        while self._waiting:
            batch, self._waiting = self._waiting, []
            failure: Exception | None = None
            try:
                if self._thread is None:
                    self._commit(batch)
                else:
                    await asyncio.get_running_loop().run_in_executor(self._thread, self._commit, batch)
            except sqlite3.Error as error:
                try:
                    self._refused(error)
                except GraphragLiteError as refused:
                    failure = refused
            for _, future in batch:
                if future.done():  # cancelled
                    continue
                if failure is None:
                    future.set_result(None)
                else:
                    future.set_exception(failure)

    def _commit(self, batch: Sequence[Put]) -> None:
        with self._writer:
            for statement, values in (each for statements, _ in batch for each in statements):
                self._writer.execute(statement, values)

    def _refused(self, error: sqlite3.Error) -> None:
        """Meet that an answer cannot be kept: go on without, or raise."""
        explained = self._explained(error)
        if self.must_keep or self._read_only or isinstance(explained, TableError):
            raise explained from None
        logger.warning("%s: %s. New answers of the model are not kept.", self.path, error)
        self._read_only = True

    def _explained(self, error: sqlite3.Error) -> OutputError | TableError:
        damaged = isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.OperationalError)
        if damaged or "malformed" in str(error):
            return TableError(
                f"{self.path} is damaged ({error}). It holds the answers of the model. Restore it from a backup; or"
                " move it away, with the files -wal and -shm beside it, and the model is asked anew, which costs again."
            )
        return OutputError(f"{self.path} cannot be used: {error}. Make room, or see what else uses it; then run again.")


Connections = tuple[sqlite3.Connection, sqlite3.Connection]


def _opened(path: Path | None) -> Connections:
    """Return a connection to read and one to write: SQLite serialises what shares one, and reading would wait."""
    database = sqlite3.connect(path or ":memory:", timeout=BUSY, check_same_thread=False)  # one reads at a time
    try:
        database.executescript(SCHEMA)
        writer = sqlite3.connect(path, timeout=BUSY, check_same_thread=False) if path else database
        writer.execute("pragma synchronous = full")
    except sqlite3.Error:
        database.close()
        raise
    return database, writer


def _opened_for_reading(path: Path) -> Connections:
    """Open without writing; where the folder does not even take the files of WAL mode, as if nobody wrote there."""
    for mode in ("mode=ro", "mode=ro&immutable=1"):
        database = sqlite3.connect(f"{path.resolve().as_uri()}?{mode}", uri=True, timeout=BUSY, check_same_thread=False)
        try:
            database.execute("select 1 from answers limit 1")
        except sqlite3.OperationalError:
            database.close()
        else:
            return database, database
    raise sqlite3.OperationalError("it cannot be opened")
