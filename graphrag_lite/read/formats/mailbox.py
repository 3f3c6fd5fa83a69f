"""Mailboxes (.mbox): many mails in one file, each thread a document."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime

from graphrag_lite.attempts import outcome
from graphrag_lite.read.conversations import together
from graphrag_lite.read.documents import Fields, Item, Reader, Unreadable
from graphrag_lite.read.formats.mail import Mail, parsed, thread, thread_of
from graphrag_lite.text.timestamps import iso

# RFC 4155: the line before each mail. Not all programs quote a line of a text that begins so; no header follows that.
ENVELOPE = re.compile(rb"(?m)(?:\A|(?<=\n\n)|(?<=\n\r\n))From \S[^\n]* \d{4}\b[^\n]*\n(?=>?From |[!-9;-~]+:)")
QUOTED_FROM = re.compile(rb"(?m)^>(>*From )")


def read(data: bytes, path: str, fields: Fields) -> Iterator[Item]:
    """Yield a document for each thread, whose mails follow each other in time."""
    found = [envelope.span() for envelope in ENVELOPE.finditer(data)]
    if not found:
        raise ValueError("is no mailbox: no line `From ...` before a mail")
    ends = [*(start for start, _ in found[1:]), len(data)]
    places = [(start, end) for (_, start), end in zip(found, ends, strict=True)]
    threads = [
        outcome(thread_of, data[start:end])[0] or f"{path}:{number}" for number, (start, end) in enumerate(places, 1)
    ]
    read = (outcome(parsed, QUOTED_FROM.sub(rb"\1", data[start:end])) for start, end in places)
    for name, of_thread in together(threads, enumerate(read, start=1)):
        yield from (Unreadable(f"{path}:{number}", error) for number, (mail, error) in of_thread if not mail)
        mails = sorted((mail for _, (mail, _) in of_thread if mail), key=_sent)
        made, error = outcome(thread, mails, name) if mails else (None, "")
        if mails:
            yield made or Unreadable(f"{path}:{name}", error)


def _sent(mail: Mail) -> datetime:
    stated = iso(mail.sent)
    sent = datetime.fromisoformat(stated if len(stated) >= len("2024-05-01") else "0001-01-02")
    return sent if sent.tzinfo else sent.replace(tzinfo=UTC)


READER = Reader({".mbox": "application/mbox"}, read, rows=True)
