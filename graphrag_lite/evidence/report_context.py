"""What a community report is made from (GraphRAG paper 3.1.4): its elements, or its parts' reports in their place.

Everything here is a function of content: neither community numbers nor row order decide an order, so that a community
which did not change is shown to the model in the same words, and is not paid for twice.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, TypeVar

from graphrag_lite.evidence.citation_marks import complete_length, rewrite
from graphrag_lite.evidence.records import Record, Shown, record_line, records_that_fit

Row = Mapping[str, Any]
RowsByRecord = Mapping[int, Sequence[Row]]
"""Mark -> spans: where in the documents it points to."""
Count = Callable[[str], int]
T = TypeVar("T")
WIDEST = 1000  # marks are counted as this wide: one token up to 999, two from here
NOT_KNOWN = ("", "NONE")


@dataclass(frozen=True, slots=True)
class RankedRelationship:
    """A record with its two ends (entity ids) and where it stands among others."""

    source_id: str
    target_id: str
    order: tuple[Any, ...]
    record: Record


@dataclass(frozen=True, slots=True)
class Context:
    """What the model is shown, and what its marks point to. `n_left_out` records did not fit."""

    text: str
    citations: RowsByRecord
    n_left_out: int


class OnDemand(dict[str, T]):
    """What is made of rows, by id: each when it is first looked up, as the first question waits for few of them."""

    def __init__(self, rows: Iterable[Row], make: Callable[[Row], T]) -> None:
        self._rows = {row["id"]: row for row in rows}
        self._make = make

    def __missing__(self, key: str) -> T:
        made = self[key] = self._make(self._rows[key])
        return made


@dataclass(frozen=True)
class Elements:
    """The records of a graph: of entities, of relationships, and of the claims about each entity, by id."""

    entities: Mapping[str, Record]
    relationships: Mapping[str, RankedRelationship]
    claims: Mapping[str, Sequence[Record]]

    @classmethod
    def of(
        cls,
        entities: Iterable[Row],
        relationships: Iterable[Row],
        claims: Iterable[tuple[Row, Sequence[Row]]],
        count: Count,
    ) -> "Elements":
        """Make the records of rows of the tables; claims come with their spans."""
        listed = list(entities)
        number = {row["title"]: row["id"] for row in listed}
        about: dict[str, list[Record]] = defaultdict(list)
        for row, spans in sorted(claims, key=lambda item: _claim_order(item[0])):
            record = make_record(_claim(row), spans, count)
            for title in dict.fromkeys((row["subject_id"], row["object_id"])):
                if title in number:
                    about[number[title]].append(record)

        def ranked(row: Row) -> RankedRelationship:
            order = (-row["combined_degree"], row["source"], row["target"], row["id"])
            record = make_record(_relationship(row), row["sources"], count)
            return RankedRelationship(row["source_id"], row["target_id"], order, record)

        records = OnDemand(listed, lambda row: make_record(_entity(row), row["sources"], count))
        return cls(records, OnDemand(relationships, ranked), about)

    def inside(self, relationship_ids: Iterable[str], reported: Mapping[str, Any] | None = None) -> list[Record]:
        """Return the elements of a community, each once, most prominent first.

        For each relationship in descending combined degree, ties by the titles of its ends: source, target, claims
        about either, the relationship. `reported` are the entities (id -> part) that a part's report stands for: they,
        claims about nobody else, and relationships within one part are left out; relationships between parts stay.
        """
        part = reported or {}
        found: dict[int, Record] = {}
        for edge in sorted((self.relationships[i] for i in relationship_ids), key=lambda edge: edge.order):
            ends = edge.source_id, edge.target_id
            if ends[0] in part and part[ends[0]] == part.get(ends[1]):
                continue
            shown = [end for end in ends if end not in part]
            group = [self.entities[end] for end in shown]
            group += [claim for end in shown for claim in self.claims.get(end, ())]
            found |= {id(record): record for record in (*group, edge.record)}  # who is there keeps its place
        return list(found.values())

    def most(self, entity_ids: Iterable[str], relationship_ids: Iterable[str]) -> int:
        """Return the most tokens that a part's report can stand for: its entities, all claims, its relationships."""
        listed = list(entity_ids)
        about = {id(claim): claim for end in listed for claim in self.claims.get(end, ())}
        records = [*(self.entities[end] for end in listed), *about.values()]
        return size(records) + size(self.relationships[i].record for i in relationship_ids)


def size(records: Iterable[Record]) -> int:
    """Return the tokens of records."""
    return sum(record.n_tokens for record in records)


def make_record(line: str, spans: Sequence[Row], count: Count) -> Record:
    """Make a record of one line; it has a mark where there is a place to cite.

    Nothing in the line itself reads as a mark, and it stays one line: what documents hold is data.
    """
    text = f"[1] {record_line(line)}" if spans else f"- {record_line(line)}"
    return _counted((text,), {1: spans} if spans else {}, count)


def report_record(report: Row, count: Count) -> Record:
    """Return the record of a part's report (a row of community_reports), with the marks of the report itself."""
    citations: dict[int, list[Row]] = defaultdict(list)
    for citation in report["citations"]:
        citations[citation["n"]].append({key: value for key, value in citation.items() if key != "n"})
    lines = [f"Report on a part of this community: {report['title']}", " ".join(report["summary"].split())]
    for finding in report["findings"]:
        texts = finding["summary"], " ".join(finding["explanation"].split())
        lines.append(f"- {': '.join(filter(None, texts))}")
    return _counted((*lines, ""), citations, count)


def pack(records: Sequence[Record], max_tokens: int, count: Count) -> Context:
    """Return records in their order, until the next one does not fit, under one numbering.

    The first is cut if it alone is longer than what may be shown.

    >>> words = lambda text: len(text.split())
    >>> records = [make_record(line, [{"char_start": 0}], words) for line in ("Marley was dead.", "Dead.", "Dead!")]
    >>> packed = pack(records, 6, words)
    >>> packed.text, sorted(packed.citations), packed.n_left_out
    ('[1] Marley was dead.\\n[2] Dead.\\n', [1, 2], 1)
    """
    if records and records[0].n_tokens > max_tokens:
        records = [_cut(records[0], max_tokens, count), *records[1:]]
    chosen, _ = records_that_fit(records, max_tokens, attrgetter("n_tokens"))
    shown = Shown(shared=False)
    text = "".join(f"{shown.show(record)}\n" for record in chosen)
    return Context(text, dict(enumerate(shown.citations, start=1)), len(records) - len(chosen))


def _cut(record: Record, max_tokens: int, count: Count) -> Record:
    while record.n_tokens > max_tokens:
        text = "\n".join(record.lines) + "\n"
        text = text[: len(text) * max_tokens // (record.n_tokens + 1)]
        record = _counted((f"{text[: complete_length(text)]}…",), record.citations, count)
    return record


def _counted(lines: tuple[str, ...], citations: RowsByRecord, count: Count) -> Record:
    """Return a record with its tokens, its marks counted as wide as they may get."""
    return Record(lines, citations, count(rewrite("\n".join(lines) + "\n", lambda _: WIDEST)))


def _entity(row: Row) -> str:
    kind = f" ({row['type']})" if row["type"] not in ("", "unknown") else ""
    return f"Entity {row['title']}{kind}{_described(row)}"


def _relationship(row: Row) -> str:
    joined = f" – {row['relation']} – " if row["relation"] else " – "
    return f"Relationship {row['source']}{joined}{row['target']}{_described(row)}"


def _claim(row: Row) -> str:
    ends = dict.fromkeys(row[key] for key in ("subject_id", "object_id") if row[key] not in NOT_KNOWN)
    dates = dict.fromkeys(row[key] for key in ("start_date", "end_date") if row[key] not in NOT_KNOWN)
    facts = [value for value in (row["type"], row["status"], " to ".join(dates)) if value not in NOT_KNOWN]
    return f"Claim about {' and '.join(ends)} ({'; '.join(facts)}){_described(row)}"


def _claim_order(row: Row) -> tuple[Any, ...]:
    return row["start_date"] in NOT_KNOWN, row["start_date"], row["type"], row["description"], row["id"]


def _described(row: Row) -> str:
    return f": {row['description']}" if row["description"] else ""
