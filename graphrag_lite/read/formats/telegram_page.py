"""A chat that Telegram Desktop has exported as pages (messages.html), which is what it offers first."""

import re
from collections.abc import Iterator
from typing import Any

from graphrag_lite.read.conversations import Chat, ShownMessage, documents_of, without_marks
from graphrag_lite.read.documents import Fields, Item, Reader
from graphrag_lite.read.formats.web_page import decoded_page

Node = Any  # resiliparse's, whose types lack what it has

SAMPLE = 100_000  # bytes by which a page is told
BREAK = re.compile(r"<br\s*/?>")
MESSAGE = re.compile(rb'<div class="message (?:default|service)\b')
SPAN = re.compile(r"(?s)<span\b.*?</span>")  # beside a name, when that was written
TIME = re.compile(r"(\d\d)\.(\d\d)\.(\d{4}) (\d\d:\d\d:\d\d)(?: (?:UTC|GMT)([+-]\d\d:\d\d))?")
NUMBER = re.compile(r"message(\d+)")


def recognises(data: bytes) -> bool:
    """Say whether a page has what all of Telegram's have."""
    return b'class="history"' in data[:SAMPLE] and bool(MESSAGE.search(data, 0, SAMPLE))


def read(data: bytes, path: str, fields: Fields) -> Iterator[Item]:
    """Yield a document for each day of the chat."""
    from resiliparse.parse.html import HTMLTree

    body: Node = HTMLTree.parse(decoded_page(data)).body
    title = _text(body.query_selector(".page_header .bold"))
    messages = _with_speakers(body.query_selector_all("div.message"))
    yield from documents_of(Chat(title or path, title, messages, _shown_message, daily=True), path, fields.time)


def _with_speakers(messages: list[Node]) -> list[tuple[str, Node]]:
    """Return each message and who says it: the one before, where it names nobody, or from whom it is forwarded."""
    found, speaker = [], ""
    for message in messages:
        forwarded = _name(message.query_selector(".forwarded .from_name"))
        if "joined" not in message.class_list:
            speaker = _name(message.query_selector(".from_name"))
        found.append((forwarded or speaker, message))
    return found


def _shown_message(turn: tuple[str, Node]) -> ShownMessage | None:
    speaker, message = turn
    if "service" in message.class_list:
        return None
    date, reply = message.query_selector(".date"), message.query_selector(".reply_to a")
    time = TIME.search(date.getattr("title") or "") if date else None
    answered = NUMBER.search(reply.getattr("href") or "") if reply else None
    stated = f"{time[3]}-{time[2]}-{time[1]}T{time[4]}{time[5] or ''}" if time else ""
    number = (message.id or "").removeprefix("message")
    return ShownMessage(
        speaker, _text(message.query_selector(".text")), stated, number, answered[1] if answered else ""
    )


def _name(element: Node | None) -> str:
    return without_marks(SPAN.sub("", element.html)) if element else ""


def _text(element: Node | None) -> str:
    return without_marks(BREAK.sub("\n", element.html)) if element else ""


READER = Reader(dict.fromkeys((".html", ".htm"), "text/html"), read, rows=True, recognises=recognises)
