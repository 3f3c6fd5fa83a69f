"""What a reader is asked for, what it yields, and how it puts a text together."""

import datetime
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

GZIP = ".gz"
SOURCE = (".rst", ".md", ".ipynb")  # that Sphinx copies beside its pages: "index.rst.txt"
ENDING = re.compile(r"[\w+~#-]+")  # not what follows the dot in "Notes of Dr. Lee", or in a file name of Maildir
SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class Fields:
    """Which keys of a JSON object, or columns of a table, hold what; `people` are those whom ids in messages mean."""

    id: str = "id"
    title: str = "title"
    text: str = "text"
    time: str = "timestamp"
    sender: str = "speaker"
    people: Mapping[str, str] = field(default_factory=dict)


class Block(NamedTuple):
    """A stretch of a document's text, characters [char_start, char_end), and what it is: `tables.Block` says which."""

    kind: str
    label: str
    char_start: int
    char_end: int


class Message(NamedTuple):
    """What somebody says in a document, characters [char_start, char_end), with the name that it opens with, if any.

    `id` is its own id in the source, `reply_to` that of the message of the same conversation that it answers; `role` is
    that of a chat with an assistant. `time` is as its source has it until `stated_times.read_times` reads it: then it
    is ISO 8601, and what cannot be read is left in `unread_time`.
    """

    speaker: str
    char_start: int
    char_end: int
    time: Any = ""
    role: str = ""
    conversation: str = ""
    id: str = ""
    reply_to: str = ""
    unread_time: str = ""


ROLES = {"user": "user", "human": "user"}
ROLES |= dict.fromkeys(("assistant", "ai", "bot", "chatbot", "gpt", "chatgpt", "model"), "assistant")
"""What those who talk with an assistant, and it, are called where they have no name."""


@dataclass(frozen=True)
class Loaded:
    """A document. `metadata` is everything else that its row holds, or its file says of it.

    `title` is the one that the document states, empty where it states none; `created_at` is ISO 8601 or empty. A time
    that has still to be read stands in the metadata, under the name of the time field.
    """

    source_id: str
    title: str
    text: str
    created_at: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    blocks: tuple[Block, ...] = ()
    messages: tuple[Message, ...] = ()


class Composer:
    """The pieces of a document's text, and the blocks in it.

    >>> composer = Composer()
    >>> composer.add("One.\\n\\n")
    >>> composer.add("print(1)", "code")
    >>> composer.text(), composer.blocks
    ('One.\\n\\nprint(1)', [Block(kind='code', label='', char_start=6, char_end=14)])
    """

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._tail = ""
        self.length = 0
        self.blocks: list[Block] = []
        self.messages: list[Message] = []

    def add(self, text: str, kind: str = "", label: str = "") -> None:
        """Add a piece, which is a block where it has a kind."""
        start = self.length
        self._pieces.append(text)
        self._tail = (self._tail + text)[-2:]
        self.length += len(text)
        if kind:
            self.mark(kind, label, start)

    def part(self, n_lines: int = 2) -> None:
        """Begin a new line, or leave one blank, unless the text has just begun or does so already."""
        ended = len(self._tail) - len(self._tail.rstrip("\n"))
        self.add("\n" * max(0, n_lines - ended) if self.length else "")

    def mark(self, kind: str, label: str, start: int) -> None:
        """Make a block of what was added since `start`."""
        if self.length > start:
            self.blocks.append(Block(kind, label, start, self.length))

    def mark_message(self, start: int, speaker: str, **about: Any) -> None:
        """Make a message of what was added since `start`; `about` are fields of it."""
        if self.length > start:
            self.messages.append(Message(speaker, start, self.length, **about))

    def text(self) -> str:
        return "".join(self._pieces)

    def loaded(self, source_id: str, title: str, metadata: Mapping[str, Any] | None = None) -> "Loaded":
        """Return the document of what was added."""
        blocks, messages = tuple(self.blocks), tuple(self.messages)
        return Loaded(source_id, title, self.text(), metadata=metadata or {}, blocks=blocks, messages=messages)


@dataclass(frozen=True)
class Unreadable:
    """A file, or a row of it as path:line, that could not be read, and why."""

    where: str
    error: str


Item = Loaded | Unreadable


@dataclass(frozen=True)
class Reader:
    """How files of a format become documents.

    `mime` is the media type by suffix (".eml"), `read` gets the bytes, the path within the corpus and the names of
    fields, and yields documents in the order of the file; what it raises is a failure of this file alone, whose words
    are shown where it is a ValueError. A file whose suffix several readers have goes to the first that `recognises` its
    bytes. With `rows` a file holds several documents, so that its name is part of what they are. A reader that is
    passed in Python, and not installed, has a `version`: files are read again by another one.
    """

    mime: Mapping[str, str]
    read: Callable[[bytes, str, Fields], Iterable[Item]]
    rows: bool = False
    recognises: Callable[[bytes], bool] | None = None
    version: str = ""


def suffix_of(path: str) -> str:
    """Return what `PurePath.suffix` does of a path with slashes, in lower case; ".gz" does not count.

    Nor does ".txt" behind that of a source of Sphinx, and what is no word is no suffix.

    >>> [suffix_of(path) for path in ("a.d/x.TXT", "a.csv.gz", "a.d/x", ".bashrc", "a.", "..", "a.rst.txt", "1:2,S")]
    ['.txt', '.csv', '', '', '', '', '.rst', '']
    """
    stem, dot, suffix = path.rpartition("/")[2].rpartition(".")
    if suffix.lower() == GZIP[1:]:
        stem, dot, suffix = stem.rpartition(".")
    if suffix.lower() == "txt" and stem.lower().endswith(SOURCE):
        stem, dot, suffix = stem.rpartition(".")
    return dot + suffix.lower() if stem and ENDING.fullmatch(suffix) else ""


def replace_surrogates(text: str) -> str:
    """Replace halves of surrogate pairs, which no encoding can write."""
    return SURROGATE.sub("\ufffd", text)


def in_json(value: Any) -> Any:
    """Return a value as JSON has it: days and times in ISO 8601."""
    if isinstance(value, dict):
        return {str(key): in_json(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [in_json(inner) for inner in value]
    return value.isoformat() if isinstance(value, datetime.date | datetime.time) else value
