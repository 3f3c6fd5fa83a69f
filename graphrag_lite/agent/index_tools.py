"""The tools that look at the index: pure functions of a snapshot and a request. Text of the corpus comes disarmed."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from graphrag_lite.agent.pages import Record, RecordPage, make_page
from graphrag_lite.agent.requests import GetEntity, ReadSource, SearchEntities, SearchPassages, SearchReports
from graphrag_lite.agent.session import Session
from graphrag_lite.errors import InputError
from graphrag_lite.evidence.citation_marks import escape_marks
from graphrag_lite.evidence.source_locations import page_at
from graphrag_lite.retrieval.entity_names import find_mentions
from graphrag_lite.retrieval.question import Question
from graphrag_lite.retrieval.report_ranking import rank_reports, report_language
from graphrag_lite.retrieval.snapshot_view import SnapshotView
from graphrag_lite.text.words import content_words, terms

LEAST_WORTH = 0.05  # of the best passage's score: what has less shares next to nothing with the query


def search_passages(session: Session, request: SearchPassages) -> RecordPage:
    index = session.index.limited(request.where)
    units = passages_for(session, request.query, request.where)
    return make_page(units, partial(passage, index), request.page, request.size)


def passages_for(session: Session, query: str, where: Sequence[str] = ()) -> Sequence[int]:
    """Return the rows of the text units that fit a query, and `where`, best first, ties by row."""
    scores = session.scores(query, where)
    top = scores.max(initial=0.0)
    order = np.argsort(-scores, kind="stable")
    n_worth = int((scores > LEAST_WORTH * top).sum()) if top > 0 else 0
    found: list[int] = order[:n_worth].tolist()
    return found


def passage(index: SnapshotView, unit: int) -> Record:
    row = index.document_row[unit]
    start, end, text = (index.cell("text_units", name, unit) for name in ("char_start", "char_end", "text"))
    return {
        "id": index.cell("text_units", "id", unit),
        **_document(index, row),
        "place": page_at(index.cell("documents", "blocks", row), start),
        "char_start": start,
        "char_end": end,
        "text": escape_marks(text),
    }


def _document(index: SnapshotView, row: int) -> Record:
    names = {"document": "source_id", "title": "title", "path": "path", "date": "creation_date"}
    about = {key: index.cell("documents", name, row) for key, name in names.items()}
    return {**about, "title": escape_marks(about["title"])}


def search_entities(session: Session, request: SearchEntities) -> RecordPage:
    index = session.index.limited(request.where)
    return make_page(entities_for(index, request.query), partial(_entity, index), request.page, request.size)


def entities_for(index: SnapshotView, query: str) -> Sequence[int]:
    """Return the rows of the entities that a query names, as it names them, then those that share words with it."""
    question = Question(index, query)
    named = [entity for mention in find_mentions(query, question.language, index.names) for entity in mention.entities]
    titles = index.column("entities", "title")
    shared = np.zeros(len(titles), np.int64)
    for word in dict.fromkeys(content_words(query, question.language)):
        shared += pc.match_substring(titles, word, ignore_case=True).cast(pa.int64()).to_numpy()
    frequency = index.column("entities", "frequency").to_numpy()
    order = np.lexsort((np.arange(len(titles)), -frequency, -shared))
    alike = order[: int((shared > 0).sum())].tolist()
    return list(dict.fromkeys([*named, *alike]))


def _entity(index: SnapshotView, row: int) -> Record:
    columns = ("id", "title", "type", "frequency", "description")
    found = {name: index.cell("entities", name, row) for name in columns}
    return {**found, "description": escape_marks(found["description"] or "")}


def search_reports(session: Session, request: SearchReports) -> RecordPage:
    index = session.index.limited(request.where)
    rows = index.report_rows
    chosen = [i for i, row in enumerate(rows) if request.level in (None, row["level"])]
    if request.level is not None and not chosen:
        levels = sorted({row["level"] for row in rows})
        raise InputError(f"level: no report is of level {request.level}; there are {', '.join(map(str, levels))}.")
    ranked = rank_reports(index, terms(request.query, report_language(index)), rows, chosen)
    order = [row for row in ranked.order if ranked.match[row] > 0]
    return make_page(order, partial(_report, index), request.page, request.size)


def _report(index: SnapshotView, row: int) -> Record:
    found = index.arrow("community_reports").slice(row, 1).to_pylist()[0]
    stated = {name: found[name] for name in ("id", "community", "level", "title", "rank")}
    return {**stated, "text": escape_marks(found["summary"])}


def get_entity(session: Session, request: GetEntity) -> RecordPage:
    index = session.index
    position = index.row_of("entities", request.id, "id", "title")
    if position < 0:  # another of its names: NASA
        mentions = find_mentions(request.id, "", index.names)
        one = (
            len(mentions) == 1
            and (mentions[0].start, mentions[0].end) == (0, len(request.id))
            and len(mentions[0].entities) == 1
        )
        position = mentions[0].entities[0] if one else -1
    if position < 0:
        alike = [_entity(index, row)["title"] for row in entities_for(index, request.id)[:3]]
        near = f" Near it: {', '.join(alike)}." if alike else ""
        raise InputError(f"No entity has the id or the name {request.id!r}; search_entities finds them.{near}")
    entity = _entity(index, position)
    table = index.arrow("relationships")
    ends = (pc.equal(table[end], entity["id"]) for end in ("source_id", "target_id"))
    own = table.filter(pc.or_(*ends)).to_pylist()
    page = make_page(own, _relationship, request.page, request.size)
    note = page.note if own else "No relationship of it is known."
    return replace(page, records=[entity | {"relationships": page.records}], note=note)


def _relationship(row: Record) -> Record:
    stated = {name: row[name] for name in ("id", "source", "target", "weight")}
    return {**stated, "text": escape_marks(row["description"] or ""), "text_units": row["text_unit_ids"]}


def read_source(session: Session, request: ReadSource) -> RecordPage:
    index = session.index
    if (unit := index.unit_row.get(request.id)) is not None:
        row = index.document_row[unit]
        start, text = (index.cell("text_units", name, unit) for name in ("char_start", "text"))
    else:
        row, start = document_named(index, request.id), 0
        text = index.document_text(row)
    lines = text.splitlines(keepends=True)
    first = request.line_start - 1
    last = min(first + request.num_lines, len(lines))
    shown = "".join(lines[first:last])
    if not shown:
        return RecordPage(1, 1, 0, [], f"There are {len(lines)} lines.")
    begin = start + sum(map(len, lines[:first]))
    end = begin + len(shown)
    span = {"cite": f"{request.id}:{begin}-{end}", "char_start": begin, "char_end": end}
    record = {"id": request.id, **_document(index, row), **span, "text": escape_marks(shown)}
    return RecordPage(1, 1, 1, [record], f"Lines {first + 1} to {last} of {len(lines)}.")


def document_named(index: SnapshotView, name: str) -> int:
    row = index.row_of("documents", name, "id", "source_id")
    if row < 0:
        raise InputError(f"No text unit and no document has the id {name!r}; search_passages shows them.")
    return row
