"""A text unit as it is read for an answer: its sentences, and the blocks of its document."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from graphrag_lite.retrieval.entity_names import find_mentions, names_of_title
from graphrag_lite.tables import HEAD
from graphrag_lite.text.sentences import sentences
from graphrag_lite.text.transcripts import spoken_span
from graphrag_lite.text.word_lists import expressions

if TYPE_CHECKING:
    from graphrag_lite.retrieval.snapshot_view import SnapshotView
    from graphrag_lite.search.answer import Statement

MAX_LENGTH = 600  # characters; what is longer is no sentence
DATELINE = re.compile(expressions(__package__, "sentence_choice.txt")["dateline"])
_LINE = re.compile(r".+\n?")


@dataclass(frozen=True, slots=True)
class ReadUnit:
    """A text unit, which begins at `offset` of its document, and the spans of the document's blocks, by kind."""

    unit: int
    title: str
    document: str
    language: str
    offset: int
    text: str
    subject: str  # the name that its document is about, and nothing else; "" for none
    blocks: Mapping[str, Sequence[tuple[int, int]]]
    senders: Sequence[tuple[int, int, str]]  # of its messages, if they have heads

    @property
    def is_mail(self) -> bool:
        """Whether it is of messages with heads. In a chat, lines say who speaks."""
        return bool(self.blocks["card"] and self.blocks["message"])

    @property
    def shown(self) -> Iterator[tuple[int, int]]:
        """The spans of what is shown and not said: code and legal notices."""
        yield from self.blocks["code"]
        yield from self.blocks["notice"]

    def sender(self, position: int) -> str:
        """Return who wrote the mail that has a place; "" for nobody."""
        return next((who for first, last, who in self.senders if first <= position < last), "")

    def sentences(self) -> Iterator[tuple[int, int, int]]:
        """Yield where each sentence begins with its label, begins without, and ends; no references, no datelines."""
        for line, last in self._spans():
            start, end = spoken_span(self.document, line, last)
            if end - start > MAX_LENGTH or is_in(self.blocks["references"], start):
                continue
            if not DATELINE.fullmatch(self.document, start, end):
                yield line, start, end

    def _spans(self) -> list[tuple[int, int]]:
        """Return where the sentences are; of a card the lines.

        What stands between code of a mail is read without it, whose lines have other widths.
        """
        cards, offset = self.blocks["card"], self.offset
        code = self.blocks["code"] if self.is_mail else ()
        cuts = (at - offset for span in code for at in span if 0 < at - offset < len(self.text))
        parts = pairwise([0, *cuts, len(self.text)])
        found = ((a + start, a + end) for a, b in parts for start, end in sentences(self.text[a:b], self.language))
        lines = (line.span() for line in _LINE.finditer(self.text if cards else ""))
        spans = [span for span in found if not is_in(cards, offset + span[0])]
        spans += [line for line in lines if is_in(cards, offset + line[0])]
        return sorted((offset + start, offset + end) for start, end in spans)


def read_unit(index: "SnapshotView", unit: int) -> ReadUnit:
    """Return a text unit as it is read."""
    row, (document, language) = index.document_row[unit], index.document_of(unit)
    blocks = blocks_of(index, row)
    return ReadUnit(
        unit,
        index.cell("documents", "title", row),
        document,
        language,
        index.cell("text_units", "char_start", unit),
        index.cell("text_units", "text", unit),
        subject_of(index, row),
        blocks,
        _senders_of(index, row) if blocks["card"] and blocks["message"] else (),
    )


def is_in(spans: Iterable[tuple[int, int]], position: int) -> bool:
    """Say whether a place is in one of some spans."""
    return any(start <= position < end for start, end in spans)


def read_out(index: "SnapshotView", statement: "Statement") -> tuple[str, str]:
    """Return what a place says, and its language."""
    text, language = index.document_of(statement.unit)
    return text[statement.start : statement.end], language


def blocks_of(index: "SnapshotView", row: int) -> dict[str, list[tuple[int, int]]]:
    """Return where the blocks of a document are, by kind; "head" are the cards that are no rows of a table."""
    found: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for block in index.cell("documents", "blocks", row) or ():
        span = block["char_start"], block["char_end"]
        found[block["kind"]].append(span)
        if block["label"] == HEAD:
            found["head"].append(span)
    return found


def _senders_of(index: "SnapshotView", row: int) -> list[tuple[int, int, str]]:
    """Return where the messages of a document are, and who sent them."""
    blocks = index.cell("documents", "blocks", row) or ()
    return [(one["char_start"], one["char_end"], one["label"]) for one in blocks if one["kind"] == "message"]


def subject_of(index: "SnapshotView", row: int) -> str:
    """Return the name that a document of one text unit is about, its title; "" where that is no name."""
    if len(index.cell("documents", "text_unit_ids", row)) != 1:
        return ""
    language = index.cell("documents", "language", row)
    for name in names_of_title(index.cell("documents", "title", row)):
        if any(mention.end - mention.start == len(name) for mention in find_mentions(name, language, index.names)):
            return name
    return ""
