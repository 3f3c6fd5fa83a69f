"""Which export a parsed JSON file is, told by what it holds, and the documents of its conversations."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any

from graphrag_lite.attempts import outcome
from graphrag_lite.read import assistant_chats, messengers, other_assistants, other_messengers
from graphrag_lite.read.conversations import Chat, documents_of, without_copies
from graphrag_lite.read.documents import Fields, Item, Loaded, Unreadable
from graphrag_lite.read.json_values import fits, is_list

Read = Callable[[Mapping[str, Any], str], Iterator[Chat]]
FIRST = 20  # values of a list by which it is told what it is
# By which fields (`json_values.fits`) is told what an export has beside its conversations: Slack its users, channels,
# log of programs and canvases, ChatGPT what was thought of answers and what was shared, Claude who has the account.
BESIDE = [messengers.USER, "created members[]", "user_id user_name change_type", "id mimetype pretty_type"]
BESIDE += ["conversation_id rating workspace_id", "conversation_id is_anonymous"]
BESIDE += ["uuid full_name verified_phone_number"]
STATE = "values.messages[] checkpoint{}"  # of a thread of LangGraph
SHAPES: Mapping[str, Read] = {
    "mapping{}": assistant_chats.chatgpt,
    "chat_messages[]": assistant_chats.claude,
    "haystack_sessions[]": assistant_chats.longmemeval,
    "conversation.session_1 conversation.speaker_a": messengers.locomo,
    "messages[] channel{}": messengers.discord,
    "MessageList[] id": messengers.skype,
    "chats.list[]": messengers.telegram,
    "messages[] type id": messengers.telegram,
    "events[] conversation{}": other_messengers.hangouts,
    "dmConversation.messages[]": other_messengers.twitter,
    "responses[] conversation{}": other_assistants.grok,
    "chunkedPrompt.chunks[]": other_assistants.ai_studio,
    "chat.history.messages{}": other_assistants.open_webui,
    "values.messages[] thread_id": assistant_chats.langgraph,
    STATE: assistant_chats.langgraph,
}
"""How conversations are read, by the fields of each; the first that fits."""
BY_MESSAGES: Mapping[str, Read] = {
    "sender_name timestamp_ms": messengers.facebook,
    "creator{} created_date": messengers.google_chat,
    "origin_server_ts sender content{}": other_messengers.matrix,
    "msg ts u{}": other_messengers.rocket_chat,
    "isCreatedByUser messageId": other_assistants.libre_chat,
}
"""The same by the fields of one of their messages."""


def conversations_in(value: Any, path: str, fields: Fields) -> Iterator[Item] | None:
    """Return the documents of an export, and what of it cannot be read; None for what is no export of a chat."""
    listed = _listed(value)
    known = [each for each in islice(listed, FIRST) if isinstance(each, dict)]
    if not known:
        return None
    if all(any(fits(each, beside) for beside in BESIDE) for each in known):
        return iter([Loaded(path, "", "")])
    if all(fits(each, "protocol address body date type") for each in known):
        return _documents(other_messengers.short_messages(list(listed), path), path, fields)
    if any(fits(each, "ts type=message") for each in known):
        return _documents(messengers.slack(list(listed), path, fields.people), path, fields)
    if any(fits(each, "messageType body{}") for each in known):
        return _documents(messengers.teams(list(listed), path), path, fields)
    if any(fits(each, "header title time products[]") and "Gemini Apps" in each["products"] for each in known):
        return _documents(other_assistants.gemini(list(listed), path), path, fields)
    if any(fits(each, "timestamp message.role") or fits(each, "timestamp payload.role") for each in known):
        return _documents(other_assistants.session(list(listed), path), path, fields)
    if listed != [value] and _roles(known):
        return _documents(assistant_chats.messages(_thread(listed, known[0]), path), path, fields)
    if listed != [value] and all(fits(each, STATE) for each in known):
        listed = _last_states(listed)
    if any(_shape(each) for each in known):
        return without_copies(_each(listed, path, fields, alone=isinstance(value, dict)))
    return None


def _listed(value: Any) -> Iterable[Any]:
    """Return the objects of a file: what it lists, what an answer of an API does, or itself."""
    if isinstance(value, dict):
        inner = next((value[name] for name in ("value", "conversations", "data") if is_list(value.get(name))), None)
        return inner if inner and not _shape(value) else [value]
    return value if is_list(value) else ()


def _last_states(listed: Iterable[Any]) -> list[Any]:
    """Return the last state of each thread: it has all messages of those before."""
    last = {}
    for number, each in enumerate(sorted(listed, key=lambda each: str(fits(each, STATE) and each.get("created_at")))):
        thread = each["checkpoint"].get("thread_id") if fits(each, STATE) else None
        last[str(thread or number)] = each
    return [*last.values()]


def _roles(known: Sequence[Mapping[str, Any]]) -> bool:
    return all(map(assistant_chats.is_message, known)) and any(map(assistant_chats.is_spoken, known))


def _thread(listed: Iterable[Any], first: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return messages as a conversation; those of OpenAI's threads, which come the newest first, by time."""
    if first.get("object") != "thread.message":
        return {"messages": listed}
    return {"messages": sorted(listed, key=lambda each: each["created_at"]), "id": first["thread_id"]}


def _shape(value: Mapping[str, Any]) -> Read | None:
    if found := next((read for shape, read in SHAPES.items() if fits(value, shape)), None):
        return found
    first = [*islice(value["messages"], FIRST)] if is_list(value.get("messages")) else []
    if found := next((read for shape, read in BY_MESSAGES.items() if any(fits(each, shape) for each in first)), None):
        return found
    for name in ("messages", "conversations"):  # with roles, and what stands beside them; the other name is ShareGPT's
        if is_list(value.get(name)) and any(map(assistant_chats.is_message, islice(value[name], FIRST))):
            return partial(assistant_chats.messages, field=name)
    return None


def _each(listed: Iterable[Any], path: str, fields: Fields, alone: bool) -> Iterator[Item]:
    for number, value in enumerate(listed, start=1):
        where = path if alone else f"{path}:{number}"
        read = _shape(value) if isinstance(value, dict) else None
        if read is None:
            yield Unreadable(where, "no conversation, as others in this file are")
        else:
            yield from _documents(read(value, where), where, fields)


def _documents(chats: Iterator[Chat], path: str, fields: Fields) -> Iterator[Item]:
    while True:
        chat, error = outcome(next, chats, None)
        if error:
            yield Unreadable(path, error)
        if chat is None:
            return
        yield from documents_of(chat, path, fields.time)
