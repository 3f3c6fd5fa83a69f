"""What the corpus dates of somebody, something or the subject of a question, in the order of time."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, fields
from datetime import date
from typing import TYPE_CHECKING, Any

import numpy as np

from graphrag_lite import tables
from graphrag_lite.retrieval.bm25 import term_idf
from graphrag_lite.retrieval.entity_names import find_mentions
from graphrag_lite.retrieval.question import Question
from graphrag_lite.retrieval.ranking import text_unit_scores
from graphrag_lite.retrieval.top_k import best_rows
from graphrag_lite.search.answer import Cited, Statement, cite
from graphrag_lite.tables import groups
from graphrag_lite.temporal.durations import When
from graphrag_lite.text.words import terms

if TYPE_CHECKING:
    import pyarrow as pa

    from graphrag_lite.retrieval.snapshot_view import SnapshotView

UNITS_READ = 40  # text units that the entries of a question are taken from
LIKE_BEST = 0.6  # of the weight of a question's words that its best entry holds: with less it is about another thing


@dataclass(frozen=True)
class TimelineEntry:
    """A dated statement: what it says of whom, from `valid_at` to before `invalid_at`, and where it says so."""

    id: str
    valid_at: str
    invalid_at: str
    precision: str
    kind: str
    polarity: str
    subject: str
    relation: str
    object: str
    time_text: str
    source: Cited

    @property
    def range(self) -> str:
        """Say when, as closely as it is stated: a day or a stretch, with "…" for a side that is not told."""
        last = date.fromisoformat(self.invalid_at).toordinal() - 1 if self.invalid_at else None
        first = date.fromisoformat(self.valid_at).toordinal() if self.valid_at else None
        if first is not None and last is not None:
            return str(When(first, last))
        return f"{self.valid_at or '…'} – {date.fromordinal(last).isoformat() if last else '…'}"

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def timeline(
    index: "SnapshotView", text: str, first: date | None = None, last: date | None = None
) -> list[TimelineEntry]:
    """Return the dated statements about a name, or those that fit a question, by time, from `first` to `last`.

    A name that the index knows, or that a speaker goes by, gets all statements that are about it, or whose sentence
    names it. A sentence is listed once for each time that it states.
    """
    question = Question(index, text)
    mentions = find_mentions(text, question.language, index.names)
    named = {entity for one in mentions for entity in one.entities}
    of_names = {term for one in mentions for term in question.terms_of(text[one.start : one.end])}
    rest = set(question.terms) - of_names
    fact_mentions = index.arrow("fact_mentions")
    # One who is no entity, as `user` is none, is whoever says "I" by that name.
    chosen = _about(index, fact_mentions, named) if named and not rest else _with(fact_mentions, [text.strip()])
    chosen = chosen or _fitting(question, fact_mentions)
    shown = [row for row in chosen if _within(row, first, last)]
    shown.sort(key=lambda row: (row["valid_at"] or row["invalid_at"], row["invalid_at"], row["id"]))
    return [_entry(index, n, row) for n, row in enumerate(shown, start=1)]


def _with(fact_mentions: "pa.Table", names: Collection[str], documents: Collection[str] = ()) -> list[dict[str, Any]]:
    """Return the statements that have one of these names as subject or object, or are of one of these documents."""
    among = {"subject": names, "object": names, "document_id": documents}
    held = np.logical_or.reduce([groups.is_in(fact_mentions, column, values) for column, values in among.items()])
    found: list[dict[str, Any]] = groups.held_rows(fact_mentions, held).to_pylist()
    return found


def _about(index: "SnapshotView", fact_mentions: "pa.Table", named: set[int]) -> list[dict[str, Any]]:
    """Return the statements about some entities, and those whose sentences name one of them."""
    ids = index.column("entities", "id")
    wanted = {ids[row].as_py() for row in named}
    resolutions = groups.rows_of(index.arrow("entity_resolutions"), "entity_id", wanted)
    meant = set(tables.rows(resolutions, "document_id", "name"))
    names = {name for _, name in meant}
    mentions = groups.rows_of(index.columns("entity_mentions", ("document_id", "name", "mention_start")), "name", names)
    mention_starts = defaultdict(list)
    for document_id, name, start in tables.rows(mentions, "document_id", "name", "mention_start"):
        if not meant.isdisjoint(((document_id, name), ("", name))):
            mention_starts[document_id].append(start)
    starts = {document_id: sorted(found) for document_id, found in mention_starts.items()}

    def names_one(row: Mapping[str, Any]) -> bool:
        of_document = starts.get(row["document_id"], [])
        first = bisect_left(of_document, row["char_start"])
        return first < len(of_document) and of_document[first] < row["char_end"]

    return [
        row
        for row in _with(fact_mentions, names, starts)
        if names_one(row)
        or any(
            who and not meant.isdisjoint(((row["document_id"], who), ("", who)))
            for who in (row["subject"], row["object"])
        )
    ]


def _fitting(question: Question, fact_mentions: "pa.Table") -> list[dict[str, Any]]:
    """Return the statements of the text units that fit a question best which hold nearly as much of it as the best."""
    index = question.index
    scores = text_unit_scores(question)
    units = [unit for unit in best_rows(scores, UNITS_READ).tolist() if scores[unit] > 0]
    ids = {index.cell("text_units", "id", unit) for unit in units}
    weight = term_idf(index.bm25, question.terms)
    found = []
    for row in groups.rows_of(fact_mentions, "text_unit_id", ids).to_pylist():
        text = index.document_of(index.unit_row[row["text_unit_id"]])[0]
        held = weight.keys() & terms(text[row["char_start"] : row["char_end"]], question.analyzed_in)
        found.append((sum(weight[term] for term in sorted(held)), row))
    most = max((held for held, _ in found), default=0.0)
    return [row for held, row in found if held > 0 and held >= LIKE_BEST * most]


def _within(row: Mapping[str, Any], first: date | None, last: date | None) -> bool:
    """Tell whether a statement may be of a day from `first` to `last`: what is open is, what is over is not."""
    last_known = row["valid_at"] if row["polarity"] == "negative" else row["invalid_at"]
    after = not first or not last_known or last_known > first.isoformat()
    return after and (not last or (row["valid_at"] or "0") <= last.isoformat())


def _entry(index: "SnapshotView", n: int, row: Mapping[str, Any]) -> TimelineEntry:
    unit = index.unit_row[row["text_unit_id"]]
    source = cite(index, n, Statement(unit, row["char_start"], row["char_end"]))
    return TimelineEntry(
        **{each.name: row[each.name] for each in fields(TimelineEntry) if each.name != "source"}, source=source
    )
