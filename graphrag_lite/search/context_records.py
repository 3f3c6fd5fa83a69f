"""What a model is shown to answer from: numbered records, packed into a token budget by stated shares.

Every number resolves to places in documents (`evidence.records`); records that rest on the same places share one.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from graphrag_lite.evidence.citation_marks import escape_marks
from graphrag_lite.evidence.records import Record, Shown, record_line, records_that_fit
from graphrag_lite.search.answer import Statement
from graphrag_lite.text.sentences import sentences, trimmed

if TYPE_CHECKING:
    from graphrag_lite.retrieval.snapshot_view import SnapshotView

Statements = tuple[Statement, ...]
PASSAGE = 400  # characters from which a passage ends: what a mark in an answer asks its reader to read
MAX_WHOLE_UNITS = 3  # that stand for a record whose own places are not known
BLANKS = re.compile(r"[^\S\n]+")
LINES = re.compile(r"\s*\n\s*")
PER_LINE = 1  # token for the end of a line


@dataclass(frozen=True, slots=True)
class RecordSection:
    """Records of one kind, best first, and the share of the budget that is theirs before what is left is given."""

    title: str
    share: float
    records: Sequence[Record]


@dataclass(frozen=True, slots=True)
class TokenEstimate:
    """Tokens by the bytes of a text, at the rate of the corpus's own text units, which the index has counted.

    No tokeniser is loaded, which takes longer than the rest of a query, and the model's own may be another anyway.
    """

    per_byte: float

    @classmethod
    def of(cls, index: "SnapshotView") -> "TokenEstimate":
        import pyarrow.compute as pc

        units = index.arrow("text_units")
        n_bytes = pc.sum(pc.binary_length(units["text"])).as_py() or 1
        return cls((pc.sum(units["n_tokens"]).as_py() or n_bytes / 4) / n_bytes)

    def __call__(self, record: Record) -> int:
        return sum(self.line(line) for line in record.lines)

    def line(self, line: str) -> int:
        return round(len(line.encode()) * self.per_byte) + PER_LINE


def pack(sections: Sequence[RecordSection], budget: int, count: TokenEstimate) -> list[list[Record]]:
    """Return the records of each section that fit into a budget of tokens, in their order.

    A section first takes records until one does not fit into its share; then what nobody used goes to the sections in
    their order, and the record with which that ends is cut to the lines that fit.

    >>> records = [Record((letter * 20,), {}) for letter in "abc"]
    >>> packed = pack([RecordSection("A", 0.5, records), RecordSection("B", 0.5, records[:1])], 20, TokenEstimate(0.25))
    >>> [[record.lines[0][0] for record in section] for section in packed]
    [['a', 'b'], ['a']]
    """
    chosen: list[list[Record]] = []
    left = float(budget)
    for section in sections:
        taken, room = records_that_fit(section.records, section.share * budget, count)
        left -= section.share * budget - room
        chosen.append(taken)
    for taken, section in zip(chosen, sections, strict=True):
        for record in section.records[len(taken) :]:
            beginning = cut_record(record, left, count)
            if beginning is None:
                break
            taken.append(beginning)
            left -= count(beginning)
            if beginning is not record:
                break
    return chosen


def render(sections: Sequence[RecordSection], budget: int, count: TokenEstimate, shown: Shown) -> str:
    """Return the context of what fits of some sections: the last one first, so that the longest stands at the end."""
    packed = zip(sections, pack(sections, budget, count), strict=True)
    parts = []
    for section, records in reversed([(section, records) for section, records in packed if records]):
        gap = "\n\n" if any(len(record.lines) > 1 for record in records) else "\n"
        parts.append(f"## {section.title}\n\n{gap.join(shown.show(record) for record in records)}")
    return "\n\n".join(parts)


def cut_record(record: Record, room: float, count: TokenEstimate) -> Record | None:
    """Return a record with as many of its first lines as fit, None where that leaves no more than a heading."""
    if count(record) <= room:
        return record
    n_lines = sum(n_tokens <= room for n_tokens in accumulate(map(count.line, record.lines)))
    return Record(record.lines[:n_lines], record.citations) if n_lines > 1 else None


def source_spans(index: "SnapshotView", row: Mapping[str, Any]) -> Statements:
    """Return where a row's description stands; where it has no sources of its own, some text units that name it."""
    spans = tuple(
        dict.fromkeys(
            Statement(index.unit_row[span["text_unit_id"]], span["char_start"], span["char_end"])
            for span in row.get("sources", ())
        )
    )
    return spans or tuple(whole_unit(index, identity) for identity in row["text_unit_ids"][:MAX_WHOLE_UNITS])


def whole_unit(index: "SnapshotView", identity: str) -> Statement:
    """Return a text unit as a place."""
    row = index.unit_row[identity]
    return Statement(row, *(index.cell("text_units", name, row) for name in ("char_start", "char_end")))


def text_unit_records(index: "SnapshotView", units: Iterable[int]) -> list[Record]:
    """Return text units as records, a line for the document and one for each passage of about `PASSAGE` characters.

    Each passage has a number of its own. What a unit repeats of one before it is left out.
    """
    shown: dict[int, list[tuple[int, int]]] = {}
    records = []
    for unit in units:
        row = index.document_row[unit]
        before = shown.setdefault(row, [])
        offset, content = (index.cell("text_units", name, unit) for name in ("char_start", "text"))
        spans = [
            (offset + start, offset + end)
            for start, end in sentences(content, index.cell("documents", "language", row))
            if not _within(before, offset + start, offset + len(content[:end].rstrip()))
        ]
        before.append((offset, offset + len(content)))
        source = index.document_text(row)
        passages = [trimmed(source, *span) for span in _passages(spans)]
        passages = [span for span in passages if span[0] < span[1]]
        if passages:
            heading = record_line(index.cell("documents", "title", row) or index.cell("documents", "path", row))
            date = index.cell("documents", "created_at", row)[:10]
            lines = (_passage(i, source[start:end]) for i, (start, end) in enumerate(passages, start=1))
            statements = {i: (Statement(unit, start, end),) for i, (start, end) in enumerate(passages, start=1)}
            records.append(Record((f"From {heading}{f', {date}' if date else ''}:", *lines), statements))
    return records


def _within(spans: Iterable[tuple[int, int]], start: int, end: int) -> bool:
    return any(first <= start and end <= last for first, last in spans)


def _passages(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join sentences that follow each other into passages."""
    passages: list[tuple[int, int]] = []
    for start, end in spans:
        if passages and passages[-1][1] == start and passages[-1][1] - passages[-1][0] < PASSAGE:
            passages[-1] = passages[-1][0], end
        else:
            passages.append((start, end))
    return passages


def _passage(number: int, content: str) -> str:
    return f"[{number}] {escape_marks(LINES.sub(chr(10), BLANKS.sub(' ', content)))}"
