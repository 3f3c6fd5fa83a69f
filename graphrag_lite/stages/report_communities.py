"""Communities -> reports, by a model (GraphRAG paper 3.1.4).

A community is reported from its elements where they fit. Where they do not, the reports of its largest sub-communities
take the place of their elements, one after the other, until it fits. So the deepest level comes first, and a community
waits for those of its sub-communities that it needs, and for nothing else.

A report of the last run is kept where its community has hardly changed (`evidence.report_reuse`), and nothing is asked
about it. It is stale where the model would be shown something else now.
"""

import asyncio
import hashlib
import logging
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from graphrag_lite import tables
from graphrag_lite.errors import WaitingError
from graphrag_lite.evidence.citation_marks import Marks, escape_marks, rewrite
from graphrag_lite.evidence.quotations import Quotable
from graphrag_lite.evidence.records import Record
from graphrag_lite.evidence.report_context import Context, Count, Elements, pack, report_record, size
from graphrag_lite.evidence.report_page import as_json, page
from graphrag_lite.evidence.report_reuse import FROM_COMMUNITY, ReusedReport, bases, keep, reuse_summary
from graphrag_lite.llm.stage_model import StageModel
from graphrag_lite.prompts import Prompts
from graphrag_lite.prompts import ReportCommunitiesPrompt as ReportPrompt
from graphrag_lite.replies.report_reply import SCHEMA, Report, read_report
from graphrag_lite.run.services import Counts, Last
from graphrag_lite.settings import ReportCommunities
from graphrag_lite.text.tokens import token_counter

if TYPE_CHECKING:
    import pyarrow as pa

Row = dict[str, Any]
WRITTEN_AGAIN = {"settings", "model"}  # a report that was paid for is not paid for again because the code is another

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
    mode: str,
    last: Last | None,
    refresh: bool = False,
    count: Counts | None = None,
) -> tuple["pa.Table", "pa.Table"]:
    """Report on every community that holds a relationship; where the call fails there is a failure instead.

    `refresh` writes those again that would be kept although they are stale.
    """
    n_tokens = token_counter("cl100k_base")
    elements = Elements.of(
        entities.drop_columns(["text_unit_ids"]).to_pylist(),
        relationships.drop_columns(["text_unit_ids"]).to_pylist(),
        _with_spans(covariates, source_units),
        n_tokens,
    )
    held = [row for row in communities.drop_columns(["text_unit_ids"]).to_pylist() if row["relationship_ids"]]
    by_number = {row["community"]: row for row in held}
    weights = dict(tables.rows(relationships, "id", "weight"))
    read = {"entities": entities, "relationships": relationships, "covariates": covariates, "communities": communities}
    reused, n_runs = _reused(mode, last, read | {"source_units": source_units}, held, weights)
    reports = _Awaited({} if refresh else dict(reused))

    async def work(community: Row) -> Row:
        number = community["community"]
        report: Row | None = None
        waiting: WaitingError | None = None
        try:
            parts = [by_number[child] for child in community["children"] if child in by_number]
            context = await _context(community, parts, reports, elements, settings.max_input_tokens, n_tokens)
            if number in reused:
                report = _aged(reused[number].report, context, n_runs)
                if not (refresh and report["stale"]):
                    return report
                del reused[number]
            messages = [{"role": "user", "content": prompts.fill(ReportPrompt(settings.max_words, context.text))}]
            report = _row(community, context, await model.ask(messages, read_report, schema=SCHEMA))
        except WaitingError as error:  # so do the communities above it
            waiting = error
            raise
        finally:
            _settle(reports[number], report, waiting)
        return report

    order = sorted(held, key=lambda row: (-row["level"], row["community"]))
    made = [report for report in await model.map(work, order, lambda row: f"community {row['community']}") if report]
    made.sort(key=lambda report: report["community"])
    if count:
        count("stale_reports", sum(report["stale"] for report in made))
    _log(made)
    if reused:
        logger.info(reuse_summary(made, len(reused), len(held)))
    return tables.make("community_reports", made), tables.make("report_bases", bases(made, held, weights, reused))


class _Awaited(dict[int, "asyncio.Future[Row | None]"]):
    """Where communities wait for each report below them, made in the loop that asks; the `known` are there."""

    def __init__(self, known: Mapping[int, ReusedReport]) -> None:
        self.known = known

    def __missing__(self, number: int) -> "asyncio.Future[Row | None]":
        future = self[number] = asyncio.get_running_loop().create_future()
        if number in self.known:
            future.set_result(self.known[number].report)
        return future


def _settle(future: "asyncio.Future[Row | None]", report: Row | None, waiting: WaitingError | None) -> None:
    """Tell the communities above what came of a report. A cancelled run has cancelled it."""
    if future.done():
        return
    if waiting:
        future.set_exception(waiting)
        future.exception()  # nobody may be above it
    else:
        future.set_result(report)


def _reused(
    mode: str, last: Last | None, read: "dict[str, pa.Table]", held: list[Row], weights: dict[str, float]
) -> tuple[dict[int, ReusedReport], int]:
    """Return the reports of the last run that still hold, by community number, and by how many runs they age.

    They do not age in a run that only asks again for what had failed, or that another version of the code repeats.
    """
    if mode == "full" or last is None or last.changed & WRITTEN_AGAIN:
        return {}, 0
    before = last.read("community_reports", "report_bases", *read)
    if not before:
        return {}, 0
    then = dict(zip(read, before[2:], strict=True))
    units, entities = ((then[name], read[name]) for name in ("source_units", "entities"))
    reused = keep(before[0], before[1], *units, *entities, held, weights)
    return reused, int(any(table != then[name] for name, table in read.items()))


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
    marks = Marks(shown=context.citations)
    report: Row = {
        "title": rewrite(reply.title, lambda _: None) or escape_marks(community["title"]),
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
        **{name: community[name] for name in FROM_COMMUNITY},
        **report,
        "id": tables.content_id("report", community["id"], content),
        "human_readable_id": community["community"],
        "full_content": content,
        "full_content_json": as_json(report),
        "citations": [{"n": n, **span} for shown, n in marks.numbers.items() for span in context.citations[shown]],
        "input_sha256": _sha256(context),
        "n_dropped": marks.n_dropped,
        "n_left_out": context.n_left_out,
        "stale": False,
        "age": 0,
    }


def _aged(report: Row, context: Context, n_runs: int) -> Row:
    """Return a kept report with its age: it is stale where it would now be written from something else."""
    stale = _sha256(context) != report["input_sha256"]
    return report | {"stale": stale, "age": max(1, report["age"] + n_runs) if stale else 0}


def _sha256(context: Context) -> str:
    return hashlib.sha256(context.text.encode()).hexdigest()


def _with_spans(covariates: "pa.Table", source_units: "pa.Table") -> Iterator[tuple[Row, list[Row]]]:
    """Yield every claim with the spans of the words that claim it; of the whole text unit where they are not found."""
    rows = covariates.to_pylist()
    units: dict[str, Row] = {}
    if rows:
        named = {row["text_unit_id"] for row in rows}
        units = {unit["id"]: unit for unit in source_units.to_pylist() if unit["id"] in named}
    texts = {identity: Quotable(unit["text"]) for identity, unit in units.items()}
    for row in rows:
        unit = units.get(row["text_unit_id"])
        if unit is None:
            yield row, []
            continue
        found = texts[unit["id"]].find(row["source_text"]) or [(0, len(unit["text"]))]
        offset = unit["char_start"]
        where = {"text_unit_id": unit["id"], "document_id": unit["document_id"]}
        yield row, [where | {"char_start": offset + start, "char_end": offset + end} for start, end in found]


def _log(made: list[Row]) -> None:
    n_dropped = sum(report.get("n_dropped", 0) for report in made)
    n_cut = sum(report.get("n_left_out", 0) > 0 for report in made)
    if n_dropped:
        logger.info("Left out %d marks in reports: they named records that the model was not shown.", n_dropped)
    if n_cut:
        logger.info(
            "%d communities are larger than report_communities.max_input_tokens, even by their parts' reports.", n_cut
        )
