"""The tools of an agent, in one table: the command line, MCP, their schemas and the docs are made of it.

None opens a URL, runs a command or asks a model, and what they write goes to the memory alone. To add one: its request
in `requests`, a function of a session and that request, a row here.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from graphrag_lite.agent import index_tools, memory_tools, requests
from graphrag_lite.agent.pages import Page
from graphrag_lite.agent.session import Session
from graphrag_lite.errors import InputError


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool: what it is asked for, what answers, and whether it writes memory."""

    request: type[requests.Request]
    run: Callable[[Session, Any], Page]
    writes: bool = False

    @property
    def summary(self) -> str:
        return " ".join((self.request.__doc__ or "").split())


TOOLS = {
    "search_passages": Tool(requests.SearchPassages, index_tools.search_passages),
    "search_entities": Tool(requests.SearchEntities, index_tools.search_entities),
    "search_reports": Tool(requests.SearchReports, index_tools.search_reports),
    "get_entity": Tool(requests.GetEntity, index_tools.get_entity),
    "read_source": Tool(requests.ReadSource, index_tools.read_source),
    "conversation_search": Tool(requests.ConversationSearch, memory_tools.conversation_search),
    "conversation_search_date": Tool(requests.ConversationSearchDate, memory_tools.conversation_search_date),
    "archival_memory_search": Tool(requests.ArchivalMemorySearch, memory_tools.archival_memory_search),
    "archival_memory_insert": Tool(requests.ArchivalMemoryInsert, memory_tools.archival_memory_insert, writes=True),
    "core_memory_append": Tool(requests.CoreMemoryAppend, memory_tools.core_memory_append, writes=True),
    "core_memory_replace": Tool(requests.CoreMemoryReplace, memory_tools.core_memory_replace, writes=True),
}


def call(session: Session, name: str, arguments: str, *, read_only: bool = False) -> dict[str, Any]:
    """Return what a tool answers to arguments in JSON, as JSON. Raises InputError that says what would be right."""
    tool = tools(read_only=read_only).get(name)
    if tool is None:
        raise InputError(f"There is no tool {name!r}. There are: {', '.join(tools(read_only=read_only))}.")
    return asdict(tool.run(session, requests.read_arguments(tool.request, arguments)))


def tools(*, read_only: bool = False) -> dict[str, Tool]:
    """Return the tools by name; with `read_only` without those that write memory."""
    return {name: tool for name, tool in TOOLS.items() if not (read_only and tool.writes)}
