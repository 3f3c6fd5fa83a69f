"""Exports of messengers: Slack, Telegram, DiscordChatExporter, Teams, Skype, Facebook and Instagram, Google Chat.

And LoCoMo's talks of two people.

What a person would not see as said by somebody is left out: who joined or called, what was deleted, stickers.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from html import unescape
from itertools import chain
from pathlib import PurePath
from typing import Any

from graphrag_lite.read.conversations import Chat, ShownMessage
from graphrag_lite.read.json_values import Listed, fits

Value = Mapping[str, Any]
People = Mapping[str, str]
USER = "id name profile{}"  # fields of a member of a Slack workspace
SPOKEN = (None, "me_message", "thread_broadcast", "file_share", "file_comment", "bot_message")  # kinds of Slack's
MARK = re.compile(r"<([@#!]?)([^<>|\n]+)(?:\|([^<>\n]*))?>")
QUOTED = re.compile(r"(?s)<quote\b.*?</quote>|<blockquote[^>]*schema\.skype\.com/Reply.*?</blockquote>")
EMPHASIS = re.compile(r"(?<![\w*_~`])([*_~])(\S(?:[^\n*_~]*\S)?)\1(?![\w*_~`])")


def people_in(data: bytes) -> People:
    """Return who the ids in a Slack export mean, of its users.json; nothing of any other file."""
    try:
        listed = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    users = [each for each in listed if fits(each, USER)] if isinstance(listed, list) else []
    return {str(user["id"]): name for user in users if (name := _name_of(user))}


def _name_of(user: Value) -> str:
    profile = user["profile"]
    names = (profile.get("real_name"), user.get("real_name"), profile.get("display_name"), user.get("name"))
    return next((name.strip() for name in names if isinstance(name, str) and name.strip()), "")


def slack(listed: Sequence[Value], path: str, people: People) -> Iterator[Chat]:
    """Read a file of a Slack export: a channel's day, and what was said in each of its threads on that day."""
    channel = PurePath(path).parent.name or PurePath(path).stem
    threads: dict[str, list[Value]] = {}
    for each in listed:
        thread = str(each.get("thread_ts") or "") if isinstance(each, dict) else ""
        threads.setdefault(thread, []).append(each)
    for thread, of_thread in threads.items():
        name = f"{channel} {thread}" if thread else channel
        yield Chat(name, channel, of_thread, partial(_of_slack, people=people), daily=True)


def _of_slack(message: Value, people: People) -> ShownMessage | None:
    if message.get("type") != "message" or message.get("subtype") not in SPOKEN or message.get("hidden"):
        return None
    profile, bot = message.get("user_profile") or {}, message.get("bot_profile") or {}
    user = str(message.get("user") or "")
    stated = (people.get(user), profile.get("real_name"), profile.get("display_name"), message.get("username"))
    speaker = next((str(name) for name in (*stated, bot.get("name"), user) if name), "")
    time = str(message["ts"])
    thread = str(message.get("thread_ts") or "")
    text = str(message.get("text") or "") or _shown(message.get("attachments"), "pretext", "title", "text")
    text = text or _in_blocks(message.get("blocks"))
    return ShownMessage(speaker, _plain(text, people), time, time, thread if thread != time else "")


def _in_blocks(value: Any) -> str:
    """Return what the blocks of a program's message say, which may have no other words, a line each."""
    if isinstance(value, list):
        return "\n".join(filter(None, map(_in_blocks, value)))
    text = value.get("text") if isinstance(value, dict) else ""
    if not isinstance(value, dict) or isinstance(text, str):
        return str(text)
    parts = [text, *(value.get("fields") or ()), *(value.get("elements") or ())]
    return ("" if value.get("type") == "rich_text_section" else "\n").join(filter(None, map(_in_blocks, parts)))


def _shown(cards: Any, *names: str) -> str:
    """Return what a program shows in the place of words: of each card these fields, and those that it lists."""

    def lines(card: Value) -> Iterator[str]:
        yield from (str(card[name]) for name in names if card.get(name))
        for each in card.get("fields") or ():
            yield ": ".join(str(each[name]) for name in ("name", "title", "value") if each.get(name))

    return "\n\n".join("\n".join(lines(each)) for each in cards or () if isinstance(each, dict))


def _plain(text: str, people: People) -> str:
    """Return a text of Slack without marks.

    >>> _plain("Hi <@U1>, *see* <https://x.org|the page> &amp; <#C1|general>.", {"U1": "Ann Lee"})
    'Hi Ann Lee, see the page & #general.'
    """

    def shown(found: re.Match[str]) -> str:
        mark, what, label = found.groups()
        if mark in ("@", "#"):
            named = (label or people.get(what, what)).lstrip("@#")
            return named if mark == "@" else f"#{named}"
        return label or (f"@{what.partition('^')[0]}" if mark else what)

    return unescape(EMPHASIS.sub(r"\2", MARK.sub(shown, text)))


def telegram(chat: Value, path: str) -> Iterator[Chat]:
    """Read a chat of Telegram's result.json, or all that it has; an id tells those of one name apart."""
    lists = [(chat.get(name) or {}).get("list") or () for name in ("chats", "left_chats")]
    chats = Listed(lambda: chain.from_iterable(lists)) if "chats" in chat else [chat]
    names = Counter(each.get("name") for each in chats)
    for each in chats:
        title, identity = str(each.get("name") or ""), str(each.get("id") or path)
        called = f"{title} {identity}" if names[each.get("name")] > 1 else title
        yield Chat(called.strip() or identity, title, each["messages"], _of_telegram, daily=True)


def _of_telegram(message: Value) -> ShownMessage | None:
    if message.get("type") != "message":
        return None
    parts = message.get("text") or (message.get("poll") or {}).get("question") or ""
    parts = [parts] if isinstance(parts, str) else parts
    text = "".join(part if isinstance(part, str) else str(part.get("text", "")) for part in parts)
    answered = message.get("reply_to_message_id")
    speaker = message.get("forwarded_from") or message.get("from") or message.get("from_id") or ""
    return ShownMessage(str(speaker), text, message.get("date", ""), str(message["id"]), str(answered or ""))


def discord(chat: Value, path: str) -> Iterator[Chat]:
    """Read a channel that DiscordChatExporter has written."""
    guild, channel = (str((chat.get(key) or {}).get("name") or "") for key in ("guild", "channel"))
    yield Chat(f"{guild}/{channel}" if guild else channel or path, channel, chat["messages"], _of_discord, daily=True)


def _of_discord(message: Value) -> ShownMessage | None:
    if str(message.get("type")) not in ("Default", "Reply", "20", "23"):  # 20 and 23: what a command gave
        return None
    author = message["author"]
    answered = (message.get("reference") or {}).get("messageId") if message["type"] == "Reply" else ""
    speaker = str(author.get("nickname") or author["name"])
    listed = [each for each in (message, message.get("forwardedMessage")) if isinstance(each, dict)]
    texts = (str(each["content"]) or _shown(each.get("embeds"), "title", "description") for each in listed)
    text = "\n\n".join(filter(None, texts))
    return ShownMessage(speaker, text, message.get("timestamp", ""), str(message["id"]), str(answered or ""))


def teams(listed: Sequence[Value], path: str) -> Iterator[Chat]:
    """Read chatMessages of Microsoft Graph: chats by their day, and the answers to each post of a channel."""
    threads: dict[str, list[Value]] = {}
    posts = [each if isinstance(each, dict) else {} for each in listed]
    for each in chain(listed, chain.from_iterable(post.get("replies") or () for post in posts)):
        channel = (each.get("channelIdentity") or {}).get("channelId") if isinstance(each, dict) else None
        name = f"{channel} {each.get('replyToId') or each.get('id')}" if channel else str(each.get("chatId") or path)
        threads.setdefault(name, []).append(each)
    for name, of_thread in threads.items():
        in_order = sorted(of_thread, key=lambda each: str(each.get("createdDateTime")))
        title = next((str(each["subject"]) for each in in_order if each.get("subject")), "")
        yield Chat(name, title, in_order, _of_teams, daily=True)


def _of_teams(message: Value) -> ShownMessage | None:
    if message.get("messageType") != "message" or message.get("deletedDateTime"):
        return None
    sender, body = message.get("from") or {}, message["body"]
    named: Value = next((who for kind in ("user", "application", "device") if (who := sender.get(kind))), {})
    text = str(body.get("content") or "")
    text = _of_html(text) if str(body.get("contentType")).casefold() == "html" else text
    quoted = (each.get("id") for each in message.get("attachments") or () if fits(each, "contentType=messageReference"))
    ids = str(message.get("id") or ""), str(message.get("replyToId") or next(quoted, ""))
    return ShownMessage(str(named.get("displayName") or ""), text, message.get("createdDateTime", ""), *ids)


def _of_html(text: str) -> str:
    from graphrag_lite.read.formats.web_page import read_page

    return read_page(text).text if "<" in text or "&" in text else text


def skype(chat: Value, path: str) -> Iterator[Chat]:
    """Read a chat of the messages.json that Skype and the free Teams write, whose newest message is the first."""
    in_order = sorted(chat["MessageList"], key=lambda each: str(each["originalarrivaltime"]))
    yield Chat(str(chat["id"] or path), str(chat.get("displayName") or ""), in_order, _of_skype, daily=True)


def _of_skype(message: Value) -> ShownMessage | None:
    kind, text = message.get("messagetype"), str(message.get("content") or "")
    if kind not in ("Text", "RichText", "RichText/Html"):
        return None
    quoted = QUOTED.search(text)
    answered = re.search(r"(?:messageid|itemid)=\"(\d+)\"", quoted[0]) if quoted else None
    text = QUOTED.sub("", text)
    text = text if kind == "Text" else _of_html(text.replace("\n", "<br>") if kind == "RichText" else text)
    speaker = str(message.get("displayName") or message.get("from") or "").removeprefix("8:")
    ids = str(message["id"]), answered[1] if answered else ""
    return ShownMessage(speaker, text, message.get("originalarrivaltime", ""), *ids)


def facebook(chat: Value, path: str) -> Iterator[Chat]:
    """Read a thread of Facebook's or Instagram's download, whose newest message is the first."""
    in_order = sorted(chat["messages"], key=lambda each: float(each.get("timestamp_ms") or 0))
    name, title = (_of_facebook_text(chat.get(field)) for field in ("thread_path", "title"))
    yield Chat(name or title or path, title, in_order, _of_facebook, daily=True)


def _of_facebook(message: Value) -> ShownMessage | None:
    if message.get("is_unsent"):
        return None
    speaker, text = (_of_facebook_text(message.get(field)) for field in ("sender_name", "content"))
    return ShownMessage(speaker, text, message["timestamp_ms"])


def _of_facebook_text(text: Any) -> str:
    """Return a text of Facebook's download, each byte of whose UTF-8 is written as a character.

    >>> _of_facebook_text("J\u00c3\u00b6rg"), _of_facebook_text("J\u00f6rg")
    ('Jörg', 'Jörg')
    """
    try:
        return str(text or "").encode("latin-1").decode()
    except UnicodeError:
        return str(text)


def google_chat(chat: Value, path: str) -> Iterator[Chat]:
    """Read the messages.json of a room, or of a talk of two, of Google Takeout."""
    room = PurePath(path).parent.name or PurePath(path).stem
    yield Chat(room, "", chat["messages"], _of_google_chat, daily=True)


def _of_google_chat(message: Value) -> ShownMessage:
    quoted = (message.get("quoted_message_metadata") or {}).get("message_id")
    ids = str(message.get("message_id") or ""), str(quoted or "")
    return ShownMessage(
        str(message["creator"].get("name") or ""), str(message.get("text") or ""), message["created_date"], *ids
    )


def locomo(sample: Value, path: str) -> Iterator[Chat]:
    """Read the sessions of two people, without what was made of them."""
    talk = sample["conversation"]
    names = [name for name in talk if re.fullmatch(r"session_\d+", name)]
    for name in sorted(names, key=lambda name: int(name.rpartition("_")[2])):
        date = talk.get(f"{name}_date_time", "")
        yield Chat(f"{sample.get('sample_id') or path} {name}", "", talk[name], _of_locomo, time=date)


def _of_locomo(message: Value) -> ShownMessage:
    caption = str(message.get("blip_caption") or "")
    photo = f"[photo: {caption}]" if caption else ""
    text = "\n".join(filter(None, (message.get("text"), photo)))
    return ShownMessage(str(message["speaker"]), text, "", str(message["dia_id"]))
