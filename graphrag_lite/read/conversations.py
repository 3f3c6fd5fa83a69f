"""Messages of a conversation, whichever export they are from -> a document, a paragraph a message."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import sha256
from html import unescape
from pathlib import PurePath
from sys import intern
from typing import Any, NamedTuple, TypeVar

from graphrag_lite.attempts import outcome
from graphrag_lite.read.documents import ROLES, Composer, Item, Loaded, Unreadable, replace_surrogates
from graphrag_lite.text.timestamps import times_of

T = TypeVar("T")
LEFT_OUT = "messages_left_out"  # field of metadata: hidden, system, tool and service messages, and those without words

OF_ALL = re.compile(r"_?(?:chat|messages?|export|result|history|log)(?:_?\d+)?", re.I)  # names of files of any chat
TAG = re.compile(r"<[^<>]*>")
CODE = re.compile(r"(```.*?(?:```|\Z)|(?<![\w`])`[^`\n]+`)", re.S)  # as all but mails write it


class ShownMessage(NamedTuple):
    """A message that a person would see. Its speaker may be one of ROLES, which then is its role."""

    speaker: str
    text: str
    time: Any = ""
    id: str = ""
    reply_to: str = ""


class Chat(NamedTuple):
    """A conversation as its export has it: `read` makes a message of each of `messages`, None of what nobody sees; both
    times that it is gone through.

    `name` tells it from others, `time` is of a conversation whose messages state none. A `daily` one goes on for long,
    and is a document a day. In one of `turns` each message answers the one before.
    """

    name: str
    title: str
    messages: Iterable[Any]
    read: Callable[[Any], ShownMessage | None]
    time: Any = ""
    daily: bool = False
    turns: bool = False


def as_shown(message: ShownMessage) -> ShownMessage:
    """Return a message of a chat that is one already."""
    return message


def without_marks(page: str) -> str:
    """Return the text of a piece of HTML, whose lines are those that it is written in."""
    return unescape(TAG.sub("", page)).strip()


def chat_title(path: str) -> str:
    """Return what a chat is called by its file, or by the folder of a file that is called like all of its kind.

    >>> chat_title("Chat with Bo.txt"), chat_title("Signal/Ann Lee/chat.md"), chat_title("Bo.zip/_chat.txt")
    ('Chat with Bo', 'Ann Lee', 'Bo')
    """
    name = PurePath(path)
    return name.parent.stem if name.parent.name and OF_ALL.fullmatch(name.stem) else name.stem


def documents_of(chat: Chat, path: str, time_field: str) -> Iterator[Item]:
    """Yield the documents of a conversation, and each message that cannot be read.

    Messages are read twice, first for their times: to hold all of a long chat takes several times its size.
    """
    name, title = replace_surrogates(chat.name), replace_surrogates(" ".join(chat.title.split()))
    dated = not chat.time or any(made and made.time for made, _ in _read(chat, path))
    stated = {} if dated else {time_field: chat.time}
    if not chat.daily:
        read = list(_read(chat, path))
        yield from (unreadable for _, unreadable in read if unreadable)
        yield conversation_document((made for made, unreadable in read if not unreadable), name, name, title, stated)
        return
    stated |= {"conversation": title} if title else {}
    times = times_of((made.time if made else "" for made, _ in _read(chat, path)), in_order=True)
    for day, of_day in group_by_key(_days(times), zip(_read(chat, path), times, strict=True)):
        yield from (unreadable for (_, unreadable), _ in of_day if unreadable)
        messages = [made and made._replace(time=time or made.time) for (made, bad), time in of_day if not bad]
        heads = ("" if name == path and day else name, day), (title, day)
        identity, heading = (" ".join(filter(None, head)) for head in heads)
        if messages:
            yield conversation_document(messages, name, identity, heading if title else "", stated)


def _read(chat: Chat, path: str) -> Iterator[tuple[ShownMessage | None, Unreadable | None]]:
    """Yield what each message of a chat says, and that it cannot be read."""
    name, before = replace_surrogates(chat.name), ""
    for number, each in enumerate(chat.messages, start=1):
        made, error = outcome(chat.read, each)
        if made and chat.turns:
            made, before = made._replace(reply_to=before), made.id or before
        where = f"{path}:{f'{name}:' if name != path else ''}{number}"
        yield made, Unreadable(where, error) if error else None


def conversation_document(
    messages: Iterable[ShownMessage | None], name: str, source_id: str, title: str, stated: dict[str, Any]
) -> Loaded:
    """Make a document of messages in their order. What is None or without words is left out, and counted.

    >>> messages = ShownMessage("Ann", "Is it open?"), None, ShownMessage("user", "Yes.")
    >>> item = conversation_document(messages, "a", "a", "", {})
    >>> item.text, item.metadata, [(each.speaker, each.role, each.char_start) for each in item.messages]
    ('Ann: Is it open?\\n\\nUser: Yes.', {'messages_left_out': 1}, [('Ann', '', 0), ('user', 'user', 18)])
    """
    composer = Composer()
    n_left_out = 0
    for each in messages:
        text = replace_surrogates(each.text).replace("\r\n", "\n").strip() if each else ""
        if not each or not text:
            n_left_out += 1
            continue
        composer.part()
        start, speaker = composer.length, replace_surrogates(" ".join(each.speaker.split()))
        role = ROLES.get(speaker.casefold(), "")
        label = speaker.capitalize() if role else speaker
        composer.add(f"{label}: " if label else "")
        for number, piece in enumerate(CODE.split(text)):
            composer.add(piece, "code" if number % 2 else "")
        ids = {"id": replace_surrogates(each.id), "reply_to": replace_surrogates(each.reply_to)}
        composer.mark_message(start, speaker, time=each.time, role=role, conversation=name, **ids)
    metadata = stated | ({LEFT_OUT: n_left_out} if n_left_out else {})
    return composer.loaded(source_id, title, metadata)


def group_by_key(keys: Sequence[str], items: Iterable[T]) -> Iterator[tuple[str, list[T]]]:
    """Yield the items of each key, as soon as the last of them has come.

    >>> list(group_by_key("abab", [1, 2, 3, 4]))
    [('a', [1, 3]), ('b', [2, 4])]
    """
    last = {key: index for index, key in enumerate(keys)}
    waiting: dict[str, list[T]] = {}
    for index, (key, item) in enumerate(zip(keys, items, strict=True)):
        waiting.setdefault(key, []).append(item)
        if index == last[key]:
            yield key, waiting.pop(key)


def _days(times: Iterable[str]) -> list[str]:
    """Return the day of each message by their times (ISO 8601); what has none is of the day before."""
    day = next((time[:10] for time in times if time), "")
    return [day := intern(time[:10]) or day for time in times]


def without_copies(items: Iterable[Item]) -> Iterator[Item]:
    """Leave out documents that come again word by word, as sessions do that several questions of a set share."""
    seen = set()
    for item in items:
        if isinstance(item, Loaded):
            key = sha256(f"{item.source_id}\n{item.text}".encode("utf-8", "surrogatepass")).digest()
            if key in seen:
                continue
            seen.add(key)
        yield item
