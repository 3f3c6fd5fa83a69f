"""The context of local search: entities that the question or its best texts name, and what is said of them."""

from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from graphrag_lite.evidence.quotations import Quotable
from graphrag_lite.evidence.records import Record, record_line
from graphrag_lite.retrieval.top_k import best_rows
from graphrag_lite.search.answer import Statement
from graphrag_lite.search.context_records import RecordSection, Statements, source_spans, text_unit_records, whole_unit
from graphrag_lite.search.extractive.held_facts import fact_records
from graphrag_lite.search.reports import report_record

if TYPE_CHECKING:
    import numpy.typing as npt
    import pyarrow as pa

    from graphrag_lite.retrieval.question import Question
    from graphrag_lite.retrieval.snapshot_view import SnapshotView
    from graphrag_lite.search.methods import Query

# Shares of the token budget; GraphRAG's own are half text units, at most a quarter reports, the rest for the graph.
TEXTS, RELATIONSHIPS, REPORTS, ENTITIES, CLAIMS, FACTS = 0.45, 0.2, 0.15, 0.1, 0.05, 0.05
READ_UNITS = 10  # best text units whose entities count as meant beside those that the question names
MAX_UNITS = 60  # that the text section chooses from
MAX_RELATIONSHIPS = 10  # of each entity
MAX_REPORTS = 10


def local_sections(question: "Question", query: "Query", scores: "npt.NDArray[np.float64]") -> list[RecordSection]:
    """Return what local search shows, each section best first; what others leave of their share goes to the texts."""
    index = question.index
    chosen = meant_entities(question, scores)
    entities = _rows(index.arrow("entities"), chosen)
    rows = entities.to_pylist()
    units = [unit for unit in best_rows(scores, MAX_UNITS).tolist() if scores[unit] > 0]
    return [
        RecordSection("Passages of the documents", TEXTS, text_unit_records(index, units)),
        RecordSection("Reports", REPORTS, _reports(index, entities)),
        RecordSection("Claims", CLAIMS, _claims(index, entities)),
        RecordSection("Facts", FACTS, fact_records(question, query, entities["id"])),
        RecordSection("Relationships", RELATIONSHIPS, _relationships(index, entities)),
        RecordSection("Entities", ENTITIES, _entities(index, rows)),
    ]


def meant_entities(question: "Question", scores: "npt.NDArray[np.float64]") -> list[int]:
    """Return `search.max_entities` entities at most: those that the question names, then those of the best texts.

    An entity of the texts counts ln(1 + mentions) * score for each text that names it, times its idf: by rarity alone
    the oddest names of a text win, without it those that stand everywhere.
    """
    index, entities = question.index, question.features.entities
    named = sorted(entities, key=lambda entity: (-entities[entity], entity))
    read = best_rows(scores, READ_UNITS)
    weights = np.zeros_like(scores)
    weights[read] = scores[read] / (scores.max(initial=0.0) or 1.0)
    mentions = index.links.units
    mention_scores = mentions.with_data(np.log1p(mentions.data)) @ weights
    worth = mention_scores * np.log((len(scores) + 1) / np.maximum(mentions.sizes, 1))
    worth[named] = 0.0
    wanted = index.search_settings.max_entities
    found = [entity for entity in best_rows(worth, wanted).tolist() if worth[entity] > 0]
    return [*named, *found][:wanted]


def _rows(table: "pa.Table", rows: Sequence[int]) -> "pa.Table":
    """Return some rows. Not by `take`: to make an array of Python values, Arrow imports pandas."""
    import pyarrow as pa

    return pa.concat_tables([table.slice(0, 0), *(table.slice(row, 1) for row in rows)]).combine_chunks()


def _touching(table: "pa.Table", ends: tuple[str, str], values: "pa.ChunkedArray") -> list[dict[str, Any]]:
    """Return the rows of which one of two columns holds one of the values, in their order."""
    import pyarrow.compute as pc

    found = [pc.is_in(table[end], values.combine_chunks()) for end in ends]
    rows: list[dict[str, Any]] = table.filter(pc.or_(*found)).to_pylist()
    return rows


def _entities(index: "SnapshotView", rows: Sequence[dict[str, Any]]) -> list[Record]:
    seen: set[str] = set()
    records = []
    for row in rows:
        kind = "" if row["type"] == "unknown" else f" ({record_line(row['type'])})"
        line = f"[1] {record_line(row['title'])}{kind}{_once(row['description'], seen)}"
        records.append(Record((line,), {1: source_spans(index, row)}))
    return records


def _relationships(index: "SnapshotView", entities: "pa.Table") -> list[Record]:
    """Return the heaviest relationships of each entity and those between entities, of the first entities first."""
    worth = {identity: 1 / rank for rank, identity in enumerate(entities["id"].to_pylist(), start=1)}
    own = _touching(index.arrow("relationships"), ("source_id", "target_id"), entities["id"])  # heaviest first
    chosen = {row["id"]: row for row in own if row["source_id"] in worth and row["target_id"] in worth}
    for identity in worth:
        of_one = (row for row in own if identity in (row["source_id"], row["target_id"]))
        chosen |= {row["id"]: row for row in islice(of_one, MAX_RELATIONSHIPS)}
    order = sorted(chosen.values(), key=lambda row: -sum(worth.get(row[end], 0) for end in ("source_id", "target_id")))
    seen: set[str] = set()
    records = []
    for row in order:
        joined = f" ({record_line(row['relation'])})" if row["relation"] else ""
        line = (
            f"[1] {record_line(row['source'])} – {record_line(row['target'])}{joined}{_once(row['description'], seen)}"
        )
        records.append(Record((line,), {1: source_spans(index, row)}))
    return records


def _once(description: str, seen: set[str]) -> str:
    """Return a description behind a colon; nothing where a record of this section has it already."""
    if not description or description in seen:
        return ""
    seen.add(description)
    return f": {record_line(description)}"


def _reports(index: "SnapshotView", entities: "pa.Table") -> list[Record]:
    """Return the reports on the smallest communities of the entities, those that hold most of them first."""
    import pyarrow.compute as pc

    reports = {number: row for row, number in enumerate(index.column("community_reports", "community").to_pylist())}
    communities = index.columns("communities", ["community", "entity_ids"]).combine_chunks()
    members = communities["entity_ids"].combine_chunks()
    rank = {identity: i for i, identity in enumerate(entities["id"].to_pylist())}
    meant = pc.is_in(pc.list_flatten(members), entities["id"].combine_chunks())
    numbers = communities["community"].take(pc.list_parent_indices(members).filter(meant)).to_pylist()
    smallest: dict[int, int] = {}  # entity -> community; deeper levels come later
    for identity, number in zip(pc.list_flatten(members).filter(meant).to_pylist(), numbers, strict=True):
        if number in reports:
            smallest[rank[identity]] = number
    worth: dict[int, float] = {}
    for i in sorted(smallest):
        worth[smallest[i]] = worth.get(smallest[i], 0.0) + 1 / (1 + i)
    order = sorted(worth, key=lambda number: (-worth[number], number))[:MAX_REPORTS]
    return [report_record(index, reports[number]) for number in order]


def _claims(index: "SnapshotView", entities: "pa.Table") -> list[Record]:
    """Return the claims about the entities, by entity."""
    ends = ("subject_id", "object_id")
    rank = {title: i for i, title in enumerate(entities["title"].to_pylist())}
    own = _touching(index.arrow("covariates"), ends, entities["title"])
    own.sort(key=lambda row: min(rank.get(row[end], len(rank)) for end in ends))
    return [_claim(index, row) for row in own]


def _claim(index: "SnapshotView", row: dict[str, Any]) -> Record:
    period = " to ".join(dict.fromkeys(row[end][:10] for end in ("start_date", "end_date") if row[end]))
    about = record_line(row["subject_id"] + ("" if row["object_id"] in ("", "NONE") else f" – {row['object_id']}"))
    kind = ", ".join(record_line(part) for part in (row["type"], row["status"], period) if part)
    return Record((f"[1] {about} ({kind}): {record_line(row['description'])}",), {1: _claimed(index, row)})


def _claimed(index: "SnapshotView", row: dict[str, Any]) -> Statements:
    """Return where a claim's own words stand; its text unit where they are not there."""
    unit = whole_unit(index, row["text_unit_id"])
    spans = Quotable(index.cell("text_units", "text", unit.unit)).find(row["source_text"])
    return tuple(Statement(unit.unit, unit.start + start, unit.start + end) for start, end in spans) or (unit,)
