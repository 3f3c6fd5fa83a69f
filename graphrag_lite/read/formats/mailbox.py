"""Mailboxes (.mbox): many mails in one file, each thread a document."""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from graphrag_lite.attempts import outcome
from graphrag_lite.read.conversations import group_by_key
from graphrag_lite.read.documents import Fields, Item, Reader, Unreadable
from graphrag_lite.read.formats.mail import Mail, ids_of, parsed, thread
from graphrag_lite.text.timestamps import to_iso

# RFC 4155: the line before each mail. Not all programs quote a line of a text that begins so; no header follows that.
ENVELOPE = re.compile(rb"(?m)(?:\A|(?<=\n\n)|(?<=\n\r\n))From \S[^\n]* \d{4}\b[^\n]*\n(?=>?From |[!-9;-~]+:)")
QUOTED_FROM = re.compile(rb"(?m)^>(>*From )")


def read(data: bytes, path: str, fields: Fields) -> Iterator[Item]:
    """Yield a document for each thread, whose mails follow each other in time."""
    found = [envelope.span() for envelope in ENVELOPE.finditer(data)]
    if not found:
        raise ValueError("is no mailbox: no line `From ...` before a mail")
    ends = [*(start for start, _ in found[1:]), len(data)]
    spans = [(start, end) for (_, start), end in zip(found, ends, strict=True)]
    threads = _threads([outcome(ids_of, data[start:end])[0] or {} for start, end in spans], path)
    read = (outcome(parsed, QUOTED_FROM.sub(rb"\1", data[start:end])) for start, end in spans)
    for name, of_thread in group_by_key(threads, enumerate(read, start=1)):
        yield from (Unreadable(f"{path}:{number}", error) for number, (mail, error) in of_thread if not mail)
        mails = sorted((_within(name, mail) for _, (mail, _) in of_thread if mail), key=_sent)
        made, error = outcome(thread, mails, name) if mails else (None, "")
        if mails:
            yield made or Unreadable(f"{path}:{name}", error)


def _threads(ids: Sequence[dict[str, str]], path: str) -> list[str]:
    """Return the thread of each mail: that of the mail that it answers, where it names no other before."""
    first = {each["id"]: each["conversation"] for each in ids if each.get("id")}
    found = []
    for number, each in enumerate(ids, 1):
        name = each.get("conversation", "")
        passed: dict[str, None] = {}
        while name in first and name not in passed:
            passed[name] = None
            name = first[name]
        first.update(dict.fromkeys(passed, name))
        found.append(name or f"{path}:{number}")
    return found


def _within(thread_name: str, mail: Mail) -> Mail:
    return mail._replace(ids=mail.ids | {"conversation": thread_name}) if mail.ids["conversation"] else mail


def _sent(mail: Mail) -> datetime:
    stated = to_iso(mail.sent)
    sent = datetime.fromisoformat(stated if len(stated) >= len("2024-05-01") else "0001-01-02")
    return sent if sent.tzinfo else sent.replace(tzinfo=UTC)


READER = Reader({".mbox": "application/mbox"}, read, rows=True)
