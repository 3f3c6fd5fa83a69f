"""What ids stand for in documents, and an answer whose marks point there."""

import re
from collections.abc import Sequence
from dataclasses import asdict
from itertools import islice
from typing import Any

from graphrag_lite.agent.pages import RecordPage
from graphrag_lite.agent.requests import AnswerArguments
from graphrag_lite.agent.session import Session
from graphrag_lite.evidence.citation_marks import Marks
from graphrag_lite.retrieval.snapshot_view import SnapshotView
from graphrag_lite.search.answer import Cited, Statement, cite

SPAN = re.compile(r"(?P<id>.+):(?P<start>\d+)-(?P<end>\d+)")
TELL = {
    "facts": "sources",
    "relationships": "sources",
    "entities": "sources",
    "community_reports": "citations",
}  # tables whose rows rest on places, and the column of these
STAND = ("fact_mentions", "episodes")  # tables whose rows are places
MOST = 5  # places of one record


def answer(session: Session, request: AnswerArguments) -> RecordPage:
    text, cited, n_dropped = resolve_marks(session.index, request.text, request.citations)
    record = {"text": text, "citations": [asdict(one) for one in cited], "n_dropped_citations": n_dropped}
    return RecordPage(1, 1, 1, [record])


def resolve_marks(index: SnapshotView, text: str, ids: Sequence[str]) -> tuple[str, list[Cited], int]:
    """Return an answer with its marks numbered as they are read, what they cite, and how many cite nothing.

    The mark [n] stands for the n-th of `ids`; one whose id is of nothing in the index is left out.
    """
    stands = {n: spans for n, identity in enumerate(ids, start=1) if (spans := spans_of(index, identity))}
    marks = Marks(shown=stands)
    text = marks.renumber(text)
    cited = [cite(index, n, span) for number, n in marks.numbers.items() for span in stands[number]]
    return text, cited, marks.n_dropped


def spans_of(index: SnapshotView, identity: str) -> list[Statement]:
    """Return where what an id names stands in documents: a record of a page, or characters as ID:START-END.

    Nothing for an id that the index does not have.
    """
    if identity in index.unit_row:
        unit = index.unit_row[identity]
        start, end = (index.cell("text_units", name, unit) for name in ("char_start", "char_end"))
        return [Statement(unit, start, end)]
    if found := SPAN.fullmatch(identity):
        return _span(index, found["id"], int(found["start"]), int(found["end"]))
    for table in (*TELL, *STAND):
        if table not in index.manifest["tables"] or not index.n_rows(table):
            continue
        if (position := index.row_of(table, identity, "id")) >= 0:
            row = index.arrow(table).slice(position, 1).to_pylist()[0]
            spans = (_row_spans(index, one) for one in (row[TELL[table]] if table in TELL else [row]))
            return [one for found in spans for one in found][:MOST]
    return []


def _row_spans(index: SnapshotView, row: dict[str, Any]) -> list[Statement]:
    if "text_unit_id" in row:
        return [Statement(index.unit_row[row["text_unit_id"]], row["char_start"], row["char_end"])]
    return _span(index, row["document_id"], row["char_start"], row["char_end"])


def _span(index: SnapshotView, name: str, start: int, end: int) -> list[Statement]:
    """Return characters of a document, or of that of a text unit, from the first text unit on that has some of them.

    Nothing where none has: blank lines between text units are of none.
    """
    unit = index.unit_row.get(name)
    row = index.row_of("documents", name, "id", "source_id") if unit is None else index.document_row[unit]
    if row < 0 or not start < end <= len(index.document_text(row)):
        return []
    names = ("char_start", "char_end")
    spans = ((unit, *(index.cell("text_units", name, unit) for name in names)) for unit in index.units_in(row))
    within = (Statement(unit, max(start, first), end) for unit, first, last in spans if first < end and start < last)
    return [*islice(within, 1)]
