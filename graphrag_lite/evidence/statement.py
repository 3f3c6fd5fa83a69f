"""A sentence that a report can cite: what it says, how well it stands as a statement, and when that was."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Any

from graphrag_lite.evidence.citation_marks import escape_marks
from graphrag_lite.evidence.key_sentences import Sentence
from graphrag_lite.evidence.sentence_dates import resolve_dates, stated_period
from graphrag_lite.evidence.sentence_reading import POINTER
from graphrag_lite.text.period import Period, period_of
from graphrag_lite.text.plain_text import one_line

Row = dict[str, Any]
STANDS = 0.37  # worth from which a sentence is told: below are those that lean on another, and what is said to "you"
# Words set off in Markdown, as chats and Word files of other programs hold them: "**HTTPS**".
MARKED = re.compile(r"(?<![\w*])(\*\*|\*|`)(?=[^\s*`])([^*`\n]{1,80}?)(?<=\S)\1(?![\w*])")


@dataclass(frozen=True)
class ReportStatement:
    """What a sentence says, and where: without its speaker's label and the time.

    `terms` are its different words, `length` is how many it has, `worth` how well it stands (`key_sentences.Sentence`).
    `row` says that its document is a row of a table, `cell` that it is one of the row's values. `document` opens that
    document: most sentences are told nowhere, and their words are not read.
    """

    span: Row
    terms: tuple[str, ...]
    length: int
    worth: float
    document: Callable[[str], Row]
    language: str = ""
    day: str = ""  # of its document, ISO 8601; empty where it has none, or all have the same
    row: bool = False
    cell: bool = False

    @property
    def location(self) -> tuple[str, int]:
        return self.span["document_id"], self.span["char_start"]

    @property
    def stands(self) -> bool:
        return self.worth >= STANDS

    @cached_property
    def sentence(self) -> Sentence:
        text = self.document(self.span["document_id"])["text"]
        line = one_line(text[self.span["char_start"] : self.span["char_end"]])
        return Sentence(line, self.terms, self.length, self.worth)

    @cached_property
    def stated(self) -> Period | None:
        """When it says that something was."""
        return None if self.cell else stated_period(self.sentence.text, self._day, self.language)

    @property
    def period(self) -> Period | None:
        return self.stated or period_of(self.day)

    @property
    def shown(self) -> str:
        """What it says, without marks of footnotes, with the dates of its "today" and "last year"."""
        text = MARKED.sub(r"\2", POINTER.sub("", self.sentence.text))
        return escape_marks(text if self.cell else resolve_dates(text, self._day, self.language))

    @property
    def _day(self) -> date | None:
        return date.fromisoformat(self.day[:10]) if len(self.day) >= 10 else None
