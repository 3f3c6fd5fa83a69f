"""Messages of a conversation, whichever export they are from -> a document, a paragraph a message."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from graphrag_lite.attempts import outcome
from graphrag_lite.read.composer import Composer
from graphrag_lite.read.documents import ROLES, Item, Loaded, Unreadable, clean
from graphrag_lite.text.timestamps import isos

LEFT_OUT = "messages_left_out"  # field of metadata: hidden, system, tool and service messages, and those without words

CODE = re.compile(r"(```.*?(?:```|\Z)|(?<![\w`])`[^`\n]+`)", re.S)  # as all but mails write it


class Said(NamedTuple):
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
    read: Callable[[Any], Said | None]
    time: Any = ""
    daily: bool = False
    turns: bool = False


def documents_of(chat: Chat, path: str, time_field: str) -> Iterator[Item]:
    """Yield the documents of a conversation, and each message that cannot be read.

    Messages are read twice, first for their times: to hold all of a long chat takes several times its size.
    """
    times = [made.time if made else "" for made, _ in _read(chat, path)]
    stated = {time_field: chat.time} if chat.time and not any(times) else {}
    name, title = clean(chat.name), clean(" ".join(chat.title.split()))
    if chat.daily:
        times = isos(times, in_order=True)
        stated |= {"conversation": title} if title else {}
    days = _days(times) if chat.daily else [""] * len(times)
    last = {day: place for place, day in enumerate(days)}
    of_day: dict[str, list[Said | None]] = {} if chat.daily else {"": []}
    for place, (made, unreadable) in enumerate(_read(chat, path)):
        day = days[place]
        if unreadable:
            yield unreadable
        else:
            of_day.setdefault(day, []).append(made and made._replace(time=times[place] or made.time))
        if chat.daily and place == last[day] and day in of_day:
            heads = ("" if name == path and day else name, day), (title, day)
            identity, heading = (" ".join(filter(None, head)) for head in heads)
            yield conversation(of_day.pop(day), name, identity, heading if title else "", stated)
    if not chat.daily:
        yield conversation(of_day[""], name, name, title, stated)


def _read(chat: Chat, path: str) -> Iterator[tuple[Said | None, Unreadable | None]]:
    """Yield what each message of a chat says, and that it cannot be read."""
    name, before = clean(chat.name), ""
    for number, each in enumerate(chat.messages, start=1):
        made, error = outcome(chat.read, each)
        if made and chat.turns:
            made, before = made._replace(reply_to=before), made.id or before
        where = f"{path}:{f'{name}:' if name != path else ''}{number}"
        yield made, Unreadable(where, error) if error else None


def conversation(said: Iterable[Said | None], name: str, source_id: str, title: str, stated: dict[str, Any]) -> Loaded:
    """Make a document of messages in their order. What is None or without words is left out, and counted.

    >>> item = conversation([Said("Ann", "Is it open?"), None, Said("user", "Yes.")], "a", "a", "", {})
    >>> item.text, item.metadata, [(each.speaker, each.role, each.char_start) for each in item.messages]
    ('Ann: Is it open?\\n\\nUser: Yes.', {'messages_left_out': 1}, [('Ann', '', 0), ('user', 'user', 18)])
    """
    composer = Composer()
    n_left_out = 0
    for each in said:
        text = clean(each.text).replace("\r\n", "\n").strip() if each else ""
        if not each or not text:
            n_left_out += 1
            continue
        composer.part()
        start, speaker = composer.length, clean(" ".join(each.speaker.split()))
        role = ROLES.get(speaker.casefold(), "")
        label = speaker.capitalize() if role else speaker
        composer.add(f"{label}: " if label else "")
        for number, piece in enumerate(CODE.split(text)):
            composer.add(piece, "code" if number % 2 else "")
        ids = {"id": clean(each.id), "reply_to": clean(each.reply_to)}
        composer.said(start, speaker, time=each.time, role=role, conversation=name, **ids)
    metadata = stated | ({LEFT_OUT: n_left_out} if n_left_out else {})
    blocks, messages = tuple(composer.blocks), tuple(composer.messages)
    return Loaded(source_id, title, composer.text(), metadata=metadata, blocks=blocks, messages=messages)


def _days(times: Iterable[str]) -> list[str]:
    """Return the day of each message by their times (ISO 8601); what has none is of the day before."""
    stated = [time[:10] for time in times]
    day = next(filter(None, stated), "")
    return [day := each or day for each in stated]


def without_copies(items: Iterable[Item]) -> Iterator[Item]:
    """Leave out documents that come again word by word, as sessions do that several questions of a set share."""
    seen = set()
    for item in items:
        key = (item.source_id, item.text) if isinstance(item, Loaded) else None
        if key is None or key not in seen:
            seen.add(key)
            yield item
