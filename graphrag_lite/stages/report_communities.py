"""Communities -> reports, by a model (GraphRAG paper 3.1.4).

A community is reported from its elements where they fit. Where they do not, the reports of its largest sub-communities
take the place of their elements, one after the other, until it fits. So the deepest level comes first, and a community
waits for those of its sub-communities that it needs, and for nothing else.
"""

import asyncio
import hashlib
import logging
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from graphrag_lite import tables
from graphrag_lite.graph.report_context import Context, Count, Elements, Record, pack, report_record, size
from graphrag_lite.llm.model import StageModel
from graphrag_lite.prompts import Prompts
from graphrag_lite.prompts import ReportCommunities as ReportPrompt
from graphrag_lite.settings import ReportCommunities
from graphrag_lite.text.locating import Document
from graphrag_lite.text.marks import Marks, rewrite
from graphrag_lite.text.report_page import as_json, page
from graphrag_lite.text.report_reply import SCHEMA, Report, read_report
from graphrag_lite.text.tokens import counter

if TYPE_CHECKING:
    import pyarrow as pa

Row = dict[str, Any]
KEPT = ("community", "level", "parent", "children", "period", "size")  # columns that a report has of its community
QUOTES = re.compile(r"\.\.\.|…|;\s|\n")  # between the passages of a claim's source text
SHORTEST_QUOTE = 12  # characters; less is found by chance

logger = logging.getLogger(__name__)


async def report_communities(
    source_units: "pa.Table",
    entities: "pa.Table",
    relationships: "pa.Table",
    covariates: "pa.Table",
    communities: "pa.Table",
    settings: ReportCommunities,
    model: StageModel,
    prompts: Prompts,
) -> "pa.Table":
    """Report on every community that holds a relationship; where the call fails there is a failure instead."""
    count = counter("cl100k_base")
    elements = Elements.of(
        entities.drop_columns(["text_unit_ids"]).to_pylist(),
        relationships.drop_columns(["text_unit_ids"]).to_pylist(),
        _with_places(covariates, source_units),
        count,
    )
    held = [row for row in communities.drop_columns(["text_unit_ids"]).to_pylist() if row["relationship_ids"]]
    by_number = {row["community"]: row for row in held}
    loop = asyncio.get_running_loop()
    reports: dict[int, asyncio.Future[Row | None]] = {number: loop.create_future() for number in by_number}

    async def work(community: Row) -> Row:
        report: Row | None = None
        try:
            parts = [by_number[number] for number in community["children"] if number in by_number]
            context = await _context(community, parts, reports, elements, settings.max_input_tokens, count)
            prompt = prompts.fill(ReportPrompt(settings.max_words, context.text))
            reply = await model.ask([{"role": "user", "content": prompt}], read_report, schema=SCHEMA)
            report = _row(community, context, reply)
        finally:
            if not reports[community["community"]].done():  # a cancelled run has cancelled it
                reports[community["community"]].set_result(report)
        return report

    order = sorted(held, key=lambda row: (-row["level"], row["community"]))
    made = [report for report in await model.map(work, order, lambda row: f"community {row['community']}") if report]
    made.sort(key=lambda report: report["community"])
    _log(made)
    return tables.make("community_reports", made)


async def _context(
    community: Row,
    parts: list[Row],
    reports: Mapping[int, asyncio.Future[Row | None]],
    elements: Elements,
    max_tokens: int,
    count: Count,
) -> Context:
    """Return what a community's report is made from.

    Sub-communities (`parts`) are replaced in descending order of their elements' tokens, ties by id. One that has no
    report, or one that is longer than its elements, keeps its elements. Where not even that fits, the reports come
    first, in that order, then elements, most prominent first, until there is no more room.
    """
    inside = elements.inside(community["relationship_ids"])
    n_tokens = size(inside)
    if n_tokens <= max_tokens:
        return pack(inside, max_tokens, count)
    sizes = {part["id"]: size(elements.inside(part["relationship_ids"])) for part in parts}
    instead: list[Record] = []
    reported: dict[str, str] = {}  # entity id -> the part whose report stands for it
    for part in sorted(parts, key=lambda part: (-sizes[part["id"]], part["id"])):
        report = await reports[part["community"]]
        if report is None or (record := report_record(report, count)).n_tokens >= sizes[part["id"]]:
            continue
        instead.append(record)
        reported |= dict.fromkeys(part["entity_ids"], part["id"])
        n_tokens += record.n_tokens - elements.most(part["entity_ids"], part["relationship_ids"])
        if n_tokens <= max_tokens:  # at best: now it is worth going through all relationships again
            inside = elements.inside(community["relationship_ids"], reported)
            n_tokens = size(instead) + size(inside)
            if n_tokens <= max_tokens:
                return pack([*instead, *inside], max_tokens, count)
    inside = elements.inside(community["relationship_ids"], reported)
    return pack([*instead, *inside], max_tokens, count)


def _row(community: Row, context: Context, reply: Report) -> Row:
    """Return the row of a report. Its marks are numbered in order of use; those that were not shown are left out."""
    marks = Marks(shown=context.places)
    report: Row = {
        "title": rewrite(reply.title, lambda _: None) or community["title"],
        "summary": marks.renumber(reply.summary),
        "findings": [
            {"summary": marks.renumber(summary), "explanation": marks.renumber(explanation)}
            for summary, explanation in reply.findings
        ],
        "rank": reply.rating,
        "rating_explanation": marks.renumber(reply.rating_explanation),
    }
    content = page(report)
    return {
        **{name: community[name] for name in KEPT},
        **report,
        "id": tables.content_id("report", community["id"], content),
        "human_readable_id": community["community"],
        "full_content": content,
        "full_content_json": as_json(report),
        "citations": [{"n": n, **span} for shown, n in marks.numbers.items() for span in context.places[shown]],
        "input_sha256": hashlib.sha256(context.text.encode()).hexdigest(),
        "n_dropped": marks.n_dropped,
        "n_left_out": context.n_left_out,
    }


def _with_places(covariates: "pa.Table", source_units: "pa.Table") -> Iterator[tuple[Row, list[Row]]]:
    """Yield every claim with the spans of the words that claim it; of the whole text unit where they are not found."""
    rows = covariates.to_pylist()
    units: dict[str, Row] = {}
    if rows:
        named = {row["text_unit_id"] for row in rows}
        units = {unit["id"]: unit for unit in source_units.to_pylist() if unit["id"] in named}
    texts = {identity: Document(unit["text"]) for identity, unit in units.items()}
    for row in rows:
        unit = units.get(row["text_unit_id"])
        if unit is None:
            yield row, []
            continue
        found = list(_quoted(texts[unit["id"]], row["source_text"])) or [(0, len(unit["text"]))]
        offset = unit["char_start"]
        where = {"text_unit_id": unit["id"], "document_id": unit["document_id"]}
        yield row, [where | {"char_start": offset + start, "char_end": offset + end} for start, end in found]


def _quoted(text: Document, quote: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of a quotation in a text: of the whole, or else of its passages that are found."""
    whole = text.find(quote.strip().strip('"“”'))
    if whole:
        yield whole
        return
    for passage in QUOTES.split(quote):
        said = passage.strip(' "“”')
        if len(said) >= SHORTEST_QUOTE and (found := text.find(said)):
            yield found


def _log(made: list[Row]) -> None:
    n_dropped = sum(report["n_dropped"] for report in made)
    n_cut = sum(report["n_left_out"] > 0 for report in made)
    if n_dropped:
        logger.info("Left out %d marks in reports: they named records that the model was not shown.", n_dropped)
    if n_cut:
        logger.info(
            "%d communities are larger than report_communities.max_input_tokens, even by their parts' reports.", n_cut
        )
