"""A text put together piece by piece, which remembers where its parts stand."""

from typing import Any

from graphrag_lite.read.documents import Block, Message


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

    def said(self, start: int, speaker: str, **about: Any) -> None:
        """Make a message of what was added since `start`; `about` are fields of it."""
        if self.length > start:
            self.messages.append(Message(speaker, start, self.length, **about))

    def text(self) -> str:
        return "".join(self._pieces)
