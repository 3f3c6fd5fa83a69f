"""Chats with an assistant: ChatGPT, DeepSeek, Claude, lists of messages as of APIs and LangChain, LongMemEval.

Shapes as exports had them in 2024 and 2025. What a person would not see in the chat is left out: system messages, calls
of tools and what these return, thoughts, answers that were asked for again.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from graphrag_lite.read.conversations import Chat, ShownMessage
from graphrag_lite.read.documents import ROLES

Value = Mapping[str, Any]
OTHER_ROLES = frozenset({"system", "developer", "tool", "function", "chat", "generic"})
STEP = re.compile(r"reasoning|item_reference|compaction|mcp_\w+|\w+_call(?:_output)?")  # items of OpenAI's Responses
ENTITY = re.compile(r'\ue200entity\ue202\["[^"\ue201]*", ?"([^"\ue201]*)"[^\ue201]*\ue201')  # shown by its name
CITED = re.compile("\ue200.*?\ue201|【\\d+[^【】\n]*†[^【】\n]*】")  # marks of sources, which the chat shows as links
IDS = ("conversation_id", "conversationId", "uuid", "session_id", "id", "thread_id")
TIMES = ("timestamp", "create_time", "created_at", "createdAt", "inserted_at", "date", "time")


def chatgpt(chat: Value, path: str) -> Iterator[Chat]:
    """Read a conversation of ChatGPT: of its tree, the branch that `current_node` ends."""
    nodes = {key: node for key, node in chat["mapping"].items() if isinstance(node, dict)}
    last = chat.get("current_node")
    if last not in nodes:
        leaves = [key for key in nodes if not nodes[key].get("children")]
        last = max(leaves, key=lambda key: _made(nodes[key]), default="")
    branch = [node for node in branch_of(nodes, last, "parent") if node.get("message")]
    yield chat_of(chat, branch, _of_chatgpt, path)._replace(turns=True)


def branch_of(nodes: Mapping[Any, Value], last: Any, parent: str) -> list[Value]:
    """Return the nodes of a tree from its root to `last`."""
    branch, seen = [], set()
    while last in nodes and last not in seen:
        seen.add(last)
        branch.append(nodes[last])
        last = nodes[last].get(parent)
    return branch[::-1]


def _made(node: Value) -> float:
    message = node.get("message")
    made = message.get("create_time") if isinstance(message, dict) else 0
    return made if isinstance(made, int | float) else 0.0


def _of_chatgpt(node: Value) -> ShownMessage | None:
    message = node["message"]
    if "fragments" in message:
        return _of_deepseek(node)
    content, about, role = message["content"], message.get("metadata") or {}, message["author"]["role"]
    hidden = about.get("is_visually_hidden_from_conversation") or about.get("is_user_system_message")
    spoken = role in ("user", "assistant") and content.get("content_type") in ("text", "multimodal_text")
    if hidden or not spoken or message.get("recipient", "all") not in ("all", None):
        return None
    parts = [part if isinstance(part, str) else str(part.get("text") or "") for part in content["parts"] if part]
    text = "\n\n".join(part for part in parts if part.strip())
    text = CITED.sub("", ENTITY.sub(r"\1", text))
    return ShownMessage(role, text, message.get("create_time") or "", str(node.get("id") or ""))


def _of_deepseek(node: Value) -> ShownMessage | None:
    """Return a message of DeepSeek, whose tree is ChatGPT's: what was asked, or what was answered without thoughts."""
    message = node["message"]
    fragments = [each for each in message["fragments"] if each.get("type") in ("REQUEST", "RESPONSE")]
    role = "user" if any(each["type"] == "REQUEST" for each in fragments) else "assistant"
    text = "\n\n".join(str(each.get("content") or "") for each in fragments)
    return ShownMessage(role, text, message.get("inserted_at") or "", str(node.get("id") or ""))


def claude(chat: Value, path: str) -> Iterator[Chat]:
    """Read a conversation of Claude: of its tree, where it says which message is the last, the branch of that."""
    listed = chat["chat_messages"]
    by_id = {each.get("uuid"): each for each in listed if isinstance(each, dict)}
    branch = branch_of(by_id, chat.get("current_leaf_message_uuid"), "parent_message_uuid")
    yield chat_of(chat, branch or listed, _of_claude, path)


def _of_claude(message: Value) -> ShownMessage:
    # Beside `content`, `text` repeats it with thoughts and with marks of what an old program cannot show.
    text = text_of(message["content"]) if message.get("content") else str(message.get("text") or "")
    if not text.strip():
        text = "\n\n".join(filter(None, (each.get("extracted_content") for each in message.get("attachments") or ())))
    ids = (str(message.get(name) or "") for name in ("uuid", "parent_message_uuid"))
    return ShownMessage(ROLES[message["sender"]], text, _time(message), *ids)


def messages(chat: Value, path: str, field: str = "messages") -> Iterator[Chat]:
    """Read a list of messages with roles in this field, and what stands beside it."""
    yield chat_of(chat, chat[field], _of_role, path)


def langgraph(state: Value, path: str) -> Iterator[Chat]:
    """Read a thread of LangGraph, or the state it is in."""
    yield chat_of({**(state.get("checkpoint") or {}), **state}, state["values"]["messages"], _of_role, path)


def _of_role(message: Value) -> ShownMessage | None:
    role, content = _role(message)
    if not role:
        raise ValueError(f"no role and content (fields: {', '.join(map(str, message))})")
    if role not in ROLES:
        return None
    identity = message.get("id")
    return ShownMessage(role, text_of(content), _time(message), identity if isinstance(identity, str) else "")


def longmemeval(question: Value, path: str) -> Iterator[Chat]:
    """Read the sessions of a question, without the question and its answer."""
    dates, ids = question.get("haystack_dates") or [], question.get("haystack_session_ids") or []
    for number, session in enumerate(question["haystack_sessions"]):
        date = dates[number] if number < len(dates) else ""
        identity = str(ids[number]) if number < len(ids) else f"{path}:{number + 1}"
        yield Chat(identity, "", session, _of_role, time=date)


def is_message(value: Any) -> bool:
    """Say whether a value is a message with a role, as of an API or LangChain, or a step between such."""
    return bool(_role(value)[0])


def is_spoken(value: Any) -> bool:
    """Say whether a value is a message of a user or an assistant."""
    return _role(value)[0] in ROLES


def chat_of(chat: Value, listed: Any, read: Any, path: str) -> Chat:
    """Return a conversation by what stands beside its messages."""
    identity = next((str(chat[key]) for key in IDS if chat.get(key)), path)
    title = next((chat[key] for key in ("title", "name") if isinstance(chat.get(key), str)), "")
    return Chat(identity, title, listed, read, _time(chat))


def _role(message: Any) -> tuple[str, Any]:
    """Return whose a message is, and what it holds; empty where that is no message with a role.

    >>> [_role(each)[0] for each in ({"role": "user", "content": "Hi"}, {"type": "ai", "data": {"content": "Hi"}},
    ...     {"lc": 1, "id": ["langchain", "HumanMessage"], "kwargs": {"content": "Hi"}}, {"role": "clerk"})]
    ['user', 'assistant', 'user', '']
    """
    if not isinstance(message, dict):
        return "", ""
    if STEP.fullmatch(str(message.get("type"))):
        return "tool", ""
    held = next((message[name] for name in ("data", "kwargs") if isinstance(message.get(name), dict)), message)
    named = message.get("role") or message.get("from") or message.get("type")
    if isinstance(message.get("id"), list) and message["id"]:
        named = re.sub(r"Message(Chunk)?$", "", str(message["id"][-1]))
    role = str(named).casefold()
    content = next((held[name] for name in ("content", "value") if name in held), None)
    known = content is not None or "tool_calls" in held
    return (ROLES.get(role) or (role if role in OTHER_ROLES else "")) if known else "", content


def text_of(content: Any) -> str:
    """Return the words of a message: without pictures, thoughts, calls of tools and their results."""
    if isinstance(content, str):
        return content
    parts = [each if isinstance(each, dict) else {"text": each} for each in content or ()]
    held = [each.get("text") for each in parts if each.get("type", "text") in ("text", "input_text", "output_text")]
    texts = [text.get("value") if isinstance(text, dict) else text for text in held]
    return "\n\n".join(text for text in texts if isinstance(text, str) and text.strip())


def _time(value: Value) -> Any:
    return next((value[name] for name in TIMES if value.get(name)), "")
