"""Files whose names have no ending: README, mailboxes of Thunderbird, mails in folders (Maildir), notes."""

import re
from collections.abc import Iterator

from graphrag_lite.read.documents import Fields, Item, Loaded, Reader
from graphrag_lite.read.encoding import decode
from graphrag_lite.read.formats import mail, mailbox, plain_text

SAMPLE = 4096  # bytes by which a file is told
# What a mail begins with: fields, From and Date among them.
MAIL = re.compile(
    rb"(?i)(?=(?:[^\n]+\n){0,60}?From:)(?=(?:[^\n]+\n){0,60}?Date:)[!-9;-~]+:[ \t][^\n]*\n(?:[ \t]|[!-9;-~]+:|\r?\n)"
)


def is_document(name: str, begins: bytes) -> bool:
    """Say whether a file of this name without an ending holds a text to read, by its first bytes: no program.

    >>> [is_document(name, b"#!/bin/sh") for name in ("README", "run")], is_document("Makefile", b"all: clean")
    ([False, False], False)
    >>> is_document("README", "Café".encode()), is_document("core", bytes(9))
    (True, False)
    """
    if not begins.strip() or begins.startswith(b"#!") or name.lower().endswith("file"):  # Makefile, Dockerfile ...
        return False
    try:
        decode(begins)
    except ValueError:
        return False
    return True


def read(data: bytes, path: str, fields: Fields) -> Iterator[Item]:
    if not is_document(path.rpartition("/")[2], data[:SAMPLE]):
        yield Loaded(path, "", "")  # in an archive
    elif data.lstrip().startswith(b"{") and (found := _talks(data, path, fields)):
        yield from found
    elif mailbox.ENVELOPE.match(data):
        yield from mailbox.read(data, path, fields)
    else:
        yield from (mail if MAIL.match(data[: 16 * SAMPLE]) else plain_text).read(data, path, fields)


def _talks(data: bytes, path: str, fields: Fields) -> Iterator[Item] | None:
    """Return the conversations of an export, as Google's AI Studio keeps them in Drive; None for anything else."""
    from graphrag_lite.read.chat_exports import conversations_in
    from graphrag_lite.read.json_values import long_value

    try:
        return conversations_in(long_value(data), path, fields)
    except (ValueError, RecursionError):
        return None


READER = Reader({"": "text/plain"}, read, rows=True)
