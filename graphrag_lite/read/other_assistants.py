"""Chats with other assistants: Grok, Gemini, AI Studio, Open WebUI, LibreChat, and sessions of coding agents."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from graphrag_lite.read.assistant_chats import branch_of, chat_of, text_of
from graphrag_lite.read.conversations import Chat, ShownMessage, without_marks
from graphrag_lite.read.documents import ROLES
from graphrag_lite.read.json_values import fits
from graphrag_lite.read.other_messengers import moment

Value = Mapping[str, Any]
ENDS = re.compile(r"</(?:p|h\d|li|div|tr)>|<br\s*/?>")
PREFIX = re.compile(r"(?:Prompted|Asked|Said)\s+")


def grok(value: Value, path: str) -> Iterator[Chat]:
    """Read a conversation of Grok's download."""
    responses = [each["response"] for each in value["responses"] if fits(each, "response{}")]
    yield chat_of(value["conversation"], responses, _of_grok, path)


def _of_grok(message: Value) -> ShownMessage:
    role = ROLES.get(str(message["sender"]).casefold(), "assistant")
    ids = (str(message.get(name) or "") for name in ("_id", "parent_response_id"))
    return ShownMessage(role, str(message.get("message") or ""), moment(message.get("create_time", "")), *ids)


def ai_studio(value: Value, path: str) -> Iterator[Chat]:
    """Read a prompt of Google's AI Studio, which it keeps in Drive."""
    yield chat_of(value, value["chunkedPrompt"]["chunks"], _of_ai_studio, path)


def _of_ai_studio(chunk: Value) -> ShownMessage | None:
    if chunk.get("isThought"):
        return None
    return ShownMessage(ROLES[chunk["role"]], str(chunk.get("text") or ""), chunk.get("createTime", ""))


def open_webui(value: Value, path: str) -> Iterator[Chat]:
    """Read a chat of Open WebUI: of its tree, the branch that is shown."""
    history = value["chat"]["history"]
    branch = branch_of(history["messages"], history.get("currentId"), "parentId")
    yield chat_of({**value, "title": value["chat"].get("title") or value.get("title")}, branch, _of_open_webui, path)


def _of_open_webui(message: Value) -> ShownMessage | None:
    ids = (str(message.get(name) or "") for name in ("id", "parentId"))
    role = ROLES.get(str(message["role"]))
    return ShownMessage(role, text_of(message.get("content")), message.get("timestamp", ""), *ids) if role else None


def libre_chat(value: Value, path: str) -> Iterator[Chat]:
    """Read a conversation that LibreChat has exported."""
    yield chat_of(value, value["messages"], _of_libre_chat, path)


def _of_libre_chat(message: Value) -> ShownMessage:
    role = "user" if message["isCreatedByUser"] else "assistant"
    ids = (str(message.get(name) or "") for name in ("messageId", "parentMessageId"))
    text = message.get("text") or text_of(message.get("content"))
    return ShownMessage(role, str(text), message.get("createdAt", ""), *ids)


def gemini(listed: list[Value], path: str) -> Iterator[Chat]:
    """Read what Google Takeout has of Gemini Apps: a list of what was asked and answered, the newest first."""
    entries = sorted((each for each in listed if isinstance(each, dict)), key=lambda each: str(each.get("time")))
    turns = [(role, each) for each in entries for role in ("user", "assistant")]
    yield Chat(path, "Gemini Apps", turns, _of_gemini, daily=True)


def _of_gemini(turn: tuple[str, Value]) -> ShownMessage | None:
    role, each = turn
    if not PREFIX.match(each["title"]) and not each.get("safeHtmlItem"):  # what was done in the settings
        return None
    pages = (str(item.get("html") or "") for item in each.get("safeHtmlItem") or ())
    answer = "\n\n".join(without_marks(ENDS.sub("\n", page)) for page in pages)
    return ShownMessage(role, PREFIX.sub("", each["title"], count=1) if role == "user" else answer, each["time"])


def session(listed: list[Any], path: str) -> Iterator[Chat]:
    """Read what a coding agent keeps of a session, a line for each step, in the order of the lines."""
    steps = [each for each in listed if isinstance(each, dict)]
    identity = next((str(each["sessionId"]) for each in steps if each.get("sessionId")), path)
    title = next((str(each["summary"]) for each in steps if each.get("type") == "summary" and each.get("summary")), "")
    yield Chat(identity, title, steps, _of_session)


def _of_session(step: Value) -> ShownMessage | None:
    message = step.get("message") or step.get("payload")
    if not isinstance(message, dict) or step.get("isMeta") or step.get("isSidechain"):
        return None
    role, ids = ROLES.get(str(message.get("role"))), str(step.get("uuid") or "")
    return ShownMessage(role, text_of(message.get("content")), step.get("timestamp", ""), ids) if role else None
