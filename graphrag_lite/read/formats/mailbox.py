"""Mailboxes (.mbox): many mails in one file, each thread a document."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime

from graphrag_lite.attempts import outcome
from graphrag_lite.read.documents import Fields, Item, Reader, Unreadable
from graphrag_lite.read.formats.mail import Mail, parsed, thread
from graphrag_lite.text.timestamps import iso

# RFC 4155: the line before each mail.
ENVELOPE = re.compile(rb"(?m)(?:\A|(?<=\n\n)|(?<=\n\r\n))From \S[^\n]* \d{4}\b[^\n]*\n")
QUOTED_FROM = re.compile(rb"(?m)^>(>*From )")


def read(data: bytes, path: str, fields: Fields) -> Iterator[Item]:
    """Yield a document for each thread, whose mails follow each other in time."""
    threads: dict[str, list[Mail]] = {}
    found = list(ENVELOPE.finditer(data))
    ends = [*(envelope.start() for envelope in found[1:]), len(data)]
    if not found:
        raise ValueError("is no mailbox: no line `From ...` before a mail")
    for number, (envelope, end) in enumerate(zip(found, ends, strict=True), start=1):
        mail, error = outcome(parsed, QUOTED_FROM.sub(rb"\1", data[envelope.end() : end]))
        if mail:
            threads.setdefault(mail.ids["conversation"] or f"{path}:{number}", []).append(mail)
        else:
            yield Unreadable(f"{path}:{number}", error)
    for name, mails in threads.items():
        made, error = outcome(thread, sorted(mails, key=_sent), name)
        yield made or Unreadable(f"{path}:{name}", error)


def _sent(mail: Mail) -> datetime:
    stated = iso(mail.sent)
    sent = datetime.fromisoformat(stated if len(stated) >= len("2024-05-01") else "0001-01-02")
    return sent if sent.tzinfo else sent.replace(tzinfo=UTC)


READER = Reader({".mbox": "application/mbox"}, read, rows=True)
