"""Agent search: many small looks within a budget, by rule, or by a model that calls the tools."""

import hashlib
from contextlib import AbstractContextManager
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

from graphrag_lite.agent.driver import drive
from graphrag_lite.agent.pages import LEAST
from graphrag_lite.agent.session import MEMORY, Session
from graphrag_lite.agent.tools import SHARE, Trail
from graphrag_lite.errors import InputError
from graphrag_lite.memory.store import MESSAGE, Entry, Memory
from graphrag_lite.run.snapshots import hold_lock
from graphrag_lite.search.local_search import answer_by

if TYPE_CHECKING:
    from graphrag_lite.retrieval.snapshot_view import SnapshotView
    from graphrag_lite.search.answer import Answer
    from graphrag_lite.search.methods import Query
    from graphrag_lite.search.model_query import Asking

STEPS, TOKENS = 12, 8192  # where none are stated
NAME = "agent"


def answer(index: "SnapshotView", query: "Query") -> "Answer":
    """Answer with sentences of the passages that looks by rule have found, or by computing with dates."""
    tokens = query.tokens or TOKENS
    if tokens < SHARE * LEAST:
        raise InputError(f"A budget of {tokens} tokens holds no page; it must be {SHARE * LEAST} or more.")
    question = query.read_by(index)
    trail = Trail(session_of(index, query), query.steps or STEPS, tokens)
    found = replace(answer_by(question, query, drive(question, trail), NAME), steps=trail.taken)
    remember(trail.session, query, found)
    return found


async def ask(index: "SnapshotView", query: "Query", asking: "Asking") -> "Answer":
    """Answer by a model that calls the tools. The questions of a session are answered one after the other.

    Raises LockedError where another process asks in the same session.
    """
    from graphrag_lite.agent.loop import open_loop

    async def answered() -> "Answer":
        session, steps, tokens = session_of(index, query), query.steps or STEPS, query.tokens or TOKENS
        if query.session is not None:
            session.memory.ask(query.session)
        loop = open_loop(query.read_by(index), query, session, asking, steps=steps, tokens=tokens)
        found = await loop.run()
        remember(session, query, found)
        return found

    if query.session is None:
        return await answered()
    async with asking.model.model.alone(f"session {query.session}"):
        with session_lock(index.folder.parent.parent, query.session):
            return await answered()


def session_lock(output: Path, session: str) -> AbstractContextManager[None]:
    """Hold a session of an output folder. Raises LockedError where another process does."""
    name = hashlib.sha256(session.encode("utf-8", "replace")).hexdigest()[:16]
    message = f"Session {session!r} is asked by another process. Try again when that has ended."
    return hold_lock(output / f"memory-{name}.lock", lambda: message)


def remember(session: Session, query: "Query", found: "Answer") -> None:
    """Keep a question and its answer as messages of the session, where one is named."""
    if query.session is not None and not query.retrieve_only:
        cited = tuple(asdict(one) for one in found.citations)
        reply = Entry(found.answer, MESSAGE, query.session, "assistant", citations=cited)
        session.memory.answer([Entry(query.question, MESSAGE, query.session, "user"), reply])


def session_of(index: "SnapshotView", query: "Query") -> Session:
    """Return the session of a query, whose memory is beside the snapshots."""
    output = index.folder.parent.parent
    return Session(lambda: index, lambda: Memory(output / MEMORY), query.session or "", query.as_of)
