"""The tools of an agent, in one table: the command line, MCP, their schemas and the docs are made of it.

None opens a URL, runs a command or asks a model, and what they write goes to the memory alone. To add one: its request
in `requests`, a function of its name, of a session and that request, a row here.
"""

import importlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from graphrag_lite.agent import requests
from graphrag_lite.agent.pages import LEAST, SIZE, RecordPage, fit_page
from graphrag_lite.agent.session import Session
from graphrag_lite.errors import InputError
from graphrag_lite.llm.chat import estimated_tokens

SHARE = 4  # a result has at most a quarter of the budget


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool: what it is asked for, the module of this folder that answers, and whether it writes memory."""

    request: type[requests.ToolArguments]
    module: str  # imported when it is called: a look at names has no use of what timelines need
    writes: bool = False

    @property
    def summary(self) -> str:
        return " ".join((self.request.__doc__ or "").split())


TOOLS = {
    "search_passages": Tool(requests.SearchPassages, "index_tools"),
    "search_facts": Tool(requests.SearchFacts, "time_tools"),
    "search_entities": Tool(requests.SearchEntities, "index_tools"),
    "search_reports": Tool(requests.SearchReports, "index_tools"),
    "get_entity": Tool(requests.GetEntity, "index_tools"),
    "read_source": Tool(requests.ReadSource, "index_tools"),
    "timeline": Tool(requests.Timeline, "time_tools"),
    "conversation_search": Tool(requests.ConversationSearch, "memory_tools"),
    "conversation_search_date": Tool(requests.ConversationSearchDate, "memory_tools"),
    "archival_memory_search": Tool(requests.ArchivalMemorySearch, "memory_tools"),
    "archival_memory_insert": Tool(requests.ArchivalMemoryInsert, "memory_tools", writes=True),
    "core_memory_append": Tool(requests.CoreMemoryAppend, "memory_tools", writes=True),
    "core_memory_replace": Tool(requests.CoreMemoryReplace, "memory_tools", writes=True),
    "answer": Tool(requests.AnswerArguments, "citing"),
}


def call(
    session: Session, name: str, arguments: str, *, read_only: bool = False, room: int | None = None
) -> dict[str, Any]:
    """Return what a tool answers to arguments in JSON, as JSON; with `room`, in so many tokens.

    Raises InputError that says what would be right.
    """
    tool = tools(read_only=read_only).get(name)
    if tool is None:
        raise InputError(f"There is no tool {name!r}. There are: {', '.join(tools(read_only=read_only))}.")
    request = requests.read_arguments(tool.request, arguments)
    page: RecordPage = getattr(importlib.import_module(f"graphrag_lite.agent.{tool.module}"), name)(session, request)
    return asdict(page if room is None else fit_page(page, room, getattr(request, "size", SIZE)))


def tools(*, read_only: bool = False) -> dict[str, Tool]:
    """Return the tools by name; with `read_only` without those that write memory."""
    return {name: tool for name, tool in TOOLS.items() if not (read_only and tool.writes)}


@dataclass
class Trail:
    """Looks at an index, at most `steps`, whose results have at most `tokens` together."""

    session: Session
    steps: int
    tokens: int
    in_use: int = 0
    taken: list[Mapping[str, Any]] = field(default_factory=list)

    def look(self, tool: str, **arguments: Any) -> list[dict[str, Any]] | None:
        """Return the records that a tool answers with, None where steps or budget are spent."""
        room = min(self.tokens // SHARE, self.tokens - self.in_use)
        if len(self.taken) >= self.steps or room < LEAST:
            return None
        page = call(self.session, tool, json.dumps(arguments), room=room)
        n_tokens = estimated_tokens(json.dumps(page, ensure_ascii=False))
        self.in_use += n_tokens
        self.taken.append(step_record(tool, arguments, page, n_tokens, self.in_use))
        records: list[dict[str, Any]] = page["records"]
        return records


def step_record(
    tool: str, arguments: Mapping[str, Any], page: Mapping[str, Any], tokens: int, in_use: int
) -> dict[str, Any]:
    """Return what is told of one look, as `Answer.steps` holds it."""
    about = {name: page[name] for name in ("page", "n_pages", "total", "note")}
    ids = [record.get("id", "") for record in page["records"]]
    return {"tool": tool, "arguments": dict(arguments), **about, "ids": ids, "tokens": tokens, "in_use": in_use}
