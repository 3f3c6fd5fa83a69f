"""Calls of tools as a model makes them: what it is told of the tools, and how its replies are read, tolerantly."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from graphrag_lite.agent.requests import schema
from graphrag_lite.agent.tools import Tool
from graphrag_lite.errors import ReplyError
from graphrag_lite.evidence.citation_marks import escape_marks
from graphrag_lite.replies.json_reply import read_object

ANSWER = "answer"
MOST_WORDS = 50  # of a thought
ID = re.compile(r"(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])")
SHORT = 8  # characters of an id that a model is shown: a whole one costs twenty tokens
BESIDE = ("path", "char_start", "char_end")  # what a model has no need of in a record
IDS = ("id", "cite", "text_unit")  # of a record, where an id stands
MAX_TEXT_UNITS = 3  # text units that a relationship names


@dataclass(frozen=True, slots=True)
class Call:
    """One call: without `heartbeat`, the next turn has to be the answer."""

    tool: str
    arguments: dict[str, Any]
    thought: str = ""
    heartbeat: bool = True

    def __str__(self) -> str:
        record = {"thought": self.thought, "tool": self.tool, "arguments": self.arguments}
        return json.dumps(record, ensure_ascii=False)


def described_tools(tools: Mapping[str, Tool]) -> list[dict[str, Any]]:
    """Return what a model is told of tools: name, description, and parameters with a thought and a heartbeat."""
    listed = []
    for name, tool in tools.items():
        parameters = schema(tool.request)
        own: dict[str, Any] = {"thought": {"type": "string"}}
        own |= {} if name == ANSWER else {"request_heartbeat": {"type": "boolean", "default": True}}
        parameters["properties"] = parameters["properties"] | own
        listed.append({"name": name, "description": tool.summary, "parameters": parameters})
    return listed


def read_call(reply: str) -> Call:
    """Return the call that a reply makes. Raises ReplyError.

    >>> read_call('I search. {"tool": "look", "arguments": {"page": 2, "request_heartbeat": false}, "thought": "Hm."}')
    Call(tool='look', arguments={'page': 2}, thought='Hm.', heartbeat=False)
    """
    found = read_object(reply)
    tool = found.get("tool") or found.get("name")
    arguments = found.get("arguments", found.get("parameters", {}))
    arguments = read_object(arguments) if isinstance(arguments, str) and arguments else arguments or {}
    if not isinstance(tool, str) or not isinstance(arguments, dict):
        raise ReplyError('it is no call, {"thought": "...", "tool": "...", "arguments": {...}}')
    rest = {name: value for name, value in arguments.items() if name not in ("thought", "request_heartbeat")}
    thought = str(arguments.get("thought") or found.get("thought") or "")
    heartbeat = arguments.get("request_heartbeat", found.get("request_heartbeat", True))
    return Call(tool, rest, " ".join(thought.split()[:MOST_WORDS]), heartbeat is not False)


@dataclass
class Seen:
    """What a model was shown: `whole` ids and names by how it was shown them, and the ids of records, `named`.

    Of memory it is shown the day of what was there before `began`, and no ids: what changed with the clock would make
    every request another one, and the same question cost again.
    """

    whole: dict[str, str] = field(default_factory=dict)
    named: set[str] = field(default_factory=set)
    began: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="microseconds"))

    def shown(self, page: Mapping[str, Any]) -> str:
        """Return a page as a model reads it, without what it has no need of, ids by their beginnings."""
        for record in page["records"]:
            self.named |= {str(record[name]) for name in IDS if record.get(name)}
            self.named |= {str(one["id"]) for one in record.get("relationships", ())}
        slim = {name: value for name, value in page.items() if value != ""}
        slim["records"] = [self._slim(record) for record in page["records"]]
        return json.dumps(slim, ensure_ascii=False)

    def _slim(self, record: Mapping[str, Any]) -> dict[str, Any]:
        slim = {name: value for name, value in record.items() if name not in BESIDE and value not in (None, "", [])}
        if "session" in slim:
            slim["date"] = slim["date"][:10] if slim["date"] < self.began else ""
            slim = {name: value for name, value in slim.items() if value and name != "id"}
        slim |= {name: ID.sub(lambda found: self._short(found[0]), slim[name]) for name in IDS if name in slim}
        for name, value in slim.items():
            if name not in IDS and isinstance(value, str) and (disarmed := escape_marks(value)) != value:
                self.whole[disarmed] = value  # a document or a name that has what reads as a mark
                slim[name] = disarmed
        if "text_units" in slim:
            slim["text_units"] = [self._short(one) for one in slim["text_units"][:MAX_TEXT_UNITS]]
        if "relationships" in slim:
            slim["relationships"] = [self._slim(one) for one in slim["relationships"]]
        return slim

    def _short(self, whole: str) -> str:
        length = SHORT
        while self.whole.get(whole[:length], whole) != whole:
            length += 1
        self.whole[whole[:length]] = whole
        return whole[:length]

    def meant(self, value: Any) -> Any:
        """Return arguments with whole ids in the place of the beginnings that were shown."""
        if isinstance(value, dict):
            return {name: self.meant(one) for name, one in value.items()}
        if isinstance(value, list):
            return [self.meant(one) for one in value]
        if not isinstance(value, str):
            return value
        if value in self.whole:
            return self.whole[value]
        beginning, colon, rest = value.strip().partition(":")
        return self.whole[beginning] + colon + rest if beginning in self.whole else value

    def has(self, identity: str) -> bool:
        """Return whether an id, or characters of what it names, was shown."""
        return identity in self.named or identity.rpartition(":")[0] in self.named
