"""The looks that were taken, within a budget: which tool, what it was asked, what came back, and what it used."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from graphrag_lite.agent.room import LEAST
from graphrag_lite.agent.session import Session
from graphrag_lite.agent.tools import call
from graphrag_lite.llm.chat import estimated_tokens

SHARE = 4  # a result has at most a quarter of the budget


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
        self.taken.append(step(tool, arguments, page, n_tokens, self.in_use))
        records: list[dict[str, Any]] = page["records"]
        return records


def step(tool: str, arguments: Mapping[str, Any], page: Mapping[str, Any], tokens: int, in_use: int) -> dict[str, Any]:
    """Return what is told of one look, as `Answer.steps` holds it."""
    about = {name: page[name] for name in ("page", "n_pages", "total", "note")}
    ids = [record.get("id", "") for record in page["records"]]
    return {"tool": tool, "arguments": dict(arguments), **about, "ids": ids, "tokens": tokens, "in_use": in_use}
