"""Chats as text, a message a line, or below a line that says who and when: IRC, LINE, KakaoTalk, Zoom, iMessage."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import zip_longest

from graphrag_lite.read.conversations import Chat, ShownMessage, as_shown, chat_title, documents_of
from graphrag_lite.read.documents import Fields, Item, Reader
from graphrag_lite.read.encoding import decode
from graphrag_lite.read.json_values import Listed
from graphrag_lite.text.timestamps import to_iso
from graphrag_lite.text.word_lists import expressions

SAMPLE = 4000  # bytes by which a file is told
LOGS = (".log", ".weechatlog")  # which most programs write, too: only chats are read
FEWEST, SHARE = 3, 0.2  # messages at its beginning, and of its lines there: others are of who came, or say more
CLOCK = re.compile(r"\D{0,4}\d{1,2}:\d\d")  # a time without a day
NAMED = re.compile(r"(?<!\d)([12]\d{3})[-_./]?([01]\d)[-_./]?([0-3]\d)(?!\d)")
INDENT = re.compile(r"(?m)^[ \t]+")


@cache
def _ways() -> tuple[dict[str, re.Pattern[str]], re.Pattern[str]]:
    """Return how messages begin, by the name of each way, and the lines between them that are none."""
    forms = expressions(__package__, "chat_log.txt")
    marks = re.compile(rf"(?m)^(?:{forms.pop('day')})[ \t]*$|^(?:{forms.pop('end')})$")
    return {name: re.compile(rf"(?m)^(?:{form})") for name, form in forms.items()}, marks


def _way_of(text: str) -> str:
    """Return in which way most of the messages begin with which a text does, "" for no chat."""
    counts = {name: len(form.findall(text)) for name, form in _ways()[0].items()}
    way = max(counts, key=lambda name: counts[name])
    lines = sum(bool(line.strip()) for line in text.splitlines())
    return way if counts[way] >= FEWEST and counts[way] >= SHARE * lines else ""


def _sample(data: bytes) -> str:
    return decode(data[:SAMPLE].rpartition(b"\n")[0] or data[:SAMPLE]).replace("\r\n", "\n")


def recognises(data: bytes) -> bool:
    """Say whether a file begins as a chat does.

    >>> recognises(b"10:00 <ann> Hi\\n10:01 -!- bo has joined\\n10:02 <bo> Hi!\\n10:03 <ann> Is it open?\\n")
    True
    """
    try:
        return bool(_way_of(_sample(data)))
    except ValueError:
        return False


def read(data: bytes, path: str, fields: Fields) -> Iterator[Item]:
    """Yield a document a day. What has no day of its own has that of the line above it, or of the file's name."""
    text = decode(data).replace("\r\n", "\n")
    way = _way_of(_sample(data))
    messages = Listed(lambda: _messages(text, way, _day_of_path(path)))
    yield from documents_of(Chat(path, chat_title(path), messages, as_shown, daily=True), path, fields.time)


def _messages(text: str, way: str, day: str) -> Iterator[ShownMessage]:
    form, marks = _ways()[0][way], _ways()[1]
    position = 0
    heads = [*form.finditer(text)]
    for head, after in zip_longest(heads, heads[1:]):
        for mark in marks.finditer(text, position, head.start()):
            day = next((to_iso(stated)[:10] for stated in mark.groups() if stated), day)
        position = head.end()
        end = after.start() if after else len(text)
        if way.endswith("lines"):
            end = min(end, (text.find("\n", position) + 1) or end)
        mark_below = marks.search(text, position, end)
        yield _message(head, text[position : mark_below.start() if mark_below else end], day)


def _message(head: re.Match[str], text: str, day: str) -> ShownMessage:
    groups = {name: value for name, value in head.groupdict().items() if value is not None}
    who = next(value for name, value in groups.items() if name in ("who", "by"))
    time = next(value for name, value in groups.items() if name not in ("who", "by"))
    time = f"{day} {time}".strip() if CLOCK.match(time) else time
    return ShownMessage(who.strip(), INDENT.sub("", text.strip()), time if day or not CLOCK.match(time) else "")


def _day_of_path(path: str) -> str:
    """Return the day by which a log is called: "irc/2024/03/10/#club.txt", "#club_20240310.log"; or ""."""
    days = (to_iso("-".join(found.groups())) for found in NAMED.finditer(path))
    return next(filter(None, days), "")


READER = Reader(dict.fromkeys((".txt", *LOGS), "text/plain"), read, rows=True, recognises=recognises)
