"""Exports of Element (Matrix), Rocket.Chat, Google Hangouts, Twitter, and SMS Backup & Restore."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from graphrag_lite.read.conversations import Chat, ShownMessage, chat_title
from graphrag_lite.read.json_values import fits

Value = Mapping[str, Any]


def matrix(room: Value, path: str) -> Iterator[Chat]:
    """Read a room that Element has exported as JSON."""
    title = str(room.get("room_name") or "")
    yield Chat(title or path, title, room["messages"], _of_matrix, daily=True)


def _of_matrix(event: Value) -> ShownMessage | None:
    content = event["content"]
    body, kind = content.get("body"), content.get("msgtype")
    if event.get("type") != "m.room.message" or kind not in ("m.text", "m.notice", "m.emote") or not body:
        return None
    about = content.get("m.relates_to") or {}
    if about.get("rel_type") == "m.replace":  # stands in the place of what it edits
        return None
    answered = (about.get("m.in_reply_to") or {}).get("event_id")
    if answered and body.startswith("> "):  # what older programs quote above an answer
        body = "\n".join(body.split("\n\n", 1)[1:])
    name = str(event["sender"]).removeprefix("@").partition(":")[0]
    return ShownMessage(name, body, event["origin_server_ts"], str(event.get("event_id") or ""), str(answered or ""))


def rocket_chat(room: Value, path: str) -> Iterator[Chat]:
    """Read the messages of a room of Rocket.Chat, as its export has them or its API answers."""
    in_order = sorted(room["messages"], key=lambda each: str(isinstance(each, dict) and moment(each.get("ts"))))
    yield Chat(path, chat_title(path), in_order, _of_rocket_chat, daily=True)


def _of_rocket_chat(message: Value) -> ShownMessage | None:
    if message.get("t"):  # who joined, what was pinned
        return None
    by = message["u"]
    speaker = str(by.get("name") or by.get("username") or "")
    ids = str(message.get("_id") or ""), str(message.get("tmid") or "")
    return ShownMessage(speaker, str(message.get("msg") or ""), moment(message["ts"]), *ids)


def moment(value: Any) -> Any:
    """Return a time of MongoDB's JSON: {"$date": {"$numberLong": "1710000000000"}}, or as it is."""
    for name in ("$date", "$numberLong"):
        value = value.get(name, value) if isinstance(value, dict) else value
    return value


def hangouts(chat: Value, path: str) -> Iterator[Chat]:
    """Read a conversation of Hangouts.json, of Google Takeout."""
    about = chat["conversation"].get("conversation") or {}
    people = {
        str((each.get("id") or {}).get("gaia_id")): str(each.get("fallback_name") or "")
        for each in about.get("participant_data") or ()
    }
    title = str(about.get("name") or "") or ", ".join(sorted(filter(None, people.values())))
    identity = str((about.get("id") or {}).get("id") or path)
    in_order = sorted(chat["events"], key=lambda each: int((isinstance(each, dict) and each.get("timestamp")) or 0))
    yield Chat(identity, title, in_order, partial(_of_hangouts, people=people), daily=True)


def _of_hangouts(event: Value, people: Mapping[str, str]) -> ShownMessage | None:
    segments = ((event.get("chat_message") or {}).get("message_content") or {}).get("segment") or ()
    text = "".join("\n" if each.get("type") == "LINE_BREAK" else str(each.get("text") or "") for each in segments)
    sender = str(event["sender_id"].get("gaia_id"))
    return ShownMessage(people.get(sender) or sender, text, event["timestamp"], str(event.get("event_id") or ""))


def twitter(value: Value, path: str) -> Iterator[Chat]:
    """Read direct messages of an archive of Twitter, which names nobody but by numbers."""
    talk = value["dmConversation"]
    messages = [each["messageCreate"] for each in talk["messages"] if fits(each, "messageCreate{}")]
    messages.sort(key=lambda each: str(each.get("createdAt")))
    name = str(talk.get("conversationId") or path)
    yield Chat(name, f"Direct messages {name}", messages, _of_twitter, daily=True)


def _of_twitter(message: Value) -> ShownMessage:
    speaker, identity = f"@{message['senderId']}", str(message.get("id") or "")
    return ShownMessage(speaker, str(message["text"]), message["createdAt"], identity)


def short_messages(records: Sequence[Value], path: str) -> Iterator[Chat]:
    """Read SMS of a phone by SMS Backup & Restore, a talk for each number; of type 1 is what was received."""
    talks: dict[str, list[Value]] = {}
    for record in sorted(records, key=lambda each: int(each.get("date") or 0)):
        talks.setdefault(str(record.get("address")), []).append(record)
    for number, messages in talks.items():
        names = (str(each.get("contact_name") or "") for each in messages)
        other = next((name for name in names if name not in ("", "(Unknown)", "null")), number)
        yield Chat(f"{path} {number}", other, messages, partial(_of_phone, other=other), daily=True)


def _of_phone(record: Value, other: str) -> ShownMessage:
    return ShownMessage(other if record.get("type") == "1" else "Me", str(record["body"]), record["date"])
