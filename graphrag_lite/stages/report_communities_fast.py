"""Communities -> reports in the corpus's own sentences, each with its place in a document.

A community's facts are the sentences of its relationships, and those that say what its members are. Those are chosen
that say most about what all of them are about, and whose relationship is heavy between ends that are well connected
inside the community. The first one defines the main entity, the others stand in the order of time. A summary does not
repeat the summaries above it where it has other things to say, and no finding repeats the summary.

Writing costs nothing here. Reports are kept all the same, so that who reads them every morning finds new words only
where there is something new. Ranks are of now: they compare a community with all others.
"""

import hashlib
import json
import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from graphrag_lite import tables
from graphrag_lite.attempts import ignore
from graphrag_lite.evidence.citation_marks import escape_marks
from graphrag_lite.evidence.corpus_statements import MIN_MEMBERS, CorpusStatements, read_corpus_statements
from graphrag_lite.evidence.report_choice import Choose, choose_facts, count_facts, is_story, of_one_language
from graphrag_lite.evidence.report_facts import Fact, facts, in_time, shared_values
from graphrag_lite.evidence.report_page import as_json, page
from graphrag_lite.evidence.report_reuse import FROM_COMMUNITY, ReusedReport, bases, keep, reuse_summary
from graphrag_lite.evidence.report_statements import Sources
from graphrag_lite.evidence.report_subject import main_entity, report_title, years
from graphrag_lite.evidence.report_title import title, year_range
from graphrag_lite.evidence.reused_pages import PAGE, CommunityPage, KnownPages, PageMembers, max_facts
from graphrag_lite.graph.sparse import edges_inside
from graphrag_lite.run.services import Attempt, Counts, Each, Fail, Last, unguarded
from graphrag_lite.settings import ReportCommunitiesFast
from graphrag_lite.tables import groups
from graphrag_lite.tables.long_texts import LongTexts
from graphrag_lite.text.plain_text import one_line

if TYPE_CHECKING:
    import pyarrow as pa

Row = dict[str, Any]
MADE = ("document_signs", "report_sentences", "report_leads", "report_pages")  # what was read and made for the last run
MAX_VALUES = 4  # of tables that a summary counts
FEW = 12  # communities, of all levels, whose sentences may make one page: those of more have no common subject
REPEATED = 2  # of so many sentences of a report one may stand on pages before it, or these tell it

Reported = tuple[Row | None, frozenset[str], str]  # a report, the sentences of its summary, and whom it is about
UNTOLD: Reported = None, frozenset(), ""

logger = logging.getLogger(__name__)


@dataclass
class _Citations:
    """The marks of one report, numbered in order of use; the same place keeps its number."""

    spans: dict[tuple[str, int], Row] = field(default_factory=dict)

    def marked(self, fact: Fact, as_of: str = "") -> str:
        """Return a fact with its marks."""
        parts = []
        for one in fact.statements:
            self.spans.setdefault(one.location, {"n": len(self.spans) + 1, **one.span})
            parts.append(f"{one.shown}{as_of} [{self.spans[one.location]['n']}]")
        return " ".join(parts)


class Above(NamedTuple):
    """What the report on a community and those above it hold."""

    summarized: frozenset[str] = frozenset()  # the sentences of their summaries
    cited: frozenset[tuple[str, int]] = frozenset()  # the places that they cite
    begun: frozenset[Any] = frozenset()  # what they begin with, and who they are about


async def report_communities_fast(
    source_documents: "pa.Table",
    source_units: "pa.Table",
    entity_mentions: "pa.Table",
    entity_resolutions: "pa.Table",
    entities: "pa.Table",
    relationships: "pa.Table",
    community_edges: "pa.Table",
    communities: "pa.Table",
    settings: ReportCommunitiesFast,
    mode: str,
    last: Last | None,
    each: Each,
    refresh: bool = False,
    attempt: Attempt = unguarded,
    fail: Fail = ignore,
    count: Counts | None = None,
) -> tuple["pa.Table", ...]:
    """Report on every community that has enough to say: title, summary, findings, rank, and citations for each.

    Enough are `MIN_MEMBERS` entities and `MIN_FACTS` sentences that say different things. A community that cannot be
    reported on is a failure; a sentence that cannot be read is one, and states nothing.
    """
    held = communities.drop_columns(["text_unit_ids"]).to_pylist()
    # A page that failed is not among those kept; where a sentence could not be read, all are read again.
    read = last and all(what.startswith(PAGE) for what in last.failed)
    found = last.read(*MADE, unless={"code"}) if last and read else None
    sources = Sources(source_documents, source_units, entity_mentions, each, found, attempt)
    _, *before = found or [tables.make(name, []) for name in MADE]
    together = _weights_together(entities, relationships, community_edges, communities)
    statements = read_corpus_statements(
        *(entities, relationships, communities, held, together),
        *(entity_mentions, entity_resolutions, sources, before),
    )
    del entity_mentions  # a twentieth of what an update holds
    pages = KnownPages(before[-1], statements, settings)
    weight = dict(tables.rows(relationships, "id", "weight"))
    reused = {} if refresh else _reused(mode, last, source_documents, source_units, entities, held, weight)
    make = partial(_page, settings=settings)

    def report_on(wanted: Sequence[tuple[Row, Above]]) -> list[Reported]:
        of_each = [pages.contents(row, above.summarized) for row, above in wanted]
        made = pages.pages(of_each, make, each, fail)
        each_of = zip((row for row, _ in wanted), of_each, made, strict=True)
        return [attempt(page.id, _report_on, row, page, found, statements) or UNTOLD for row, page, found in each_of]

    reports = _by_level(held, statements, report_on, reused, _sentences_of(reused, LongTexts(source_documents)))
    if 0 < len(held) <= FEW and not reports:  # a few notes: what their communities hold makes one page
        held = [row := _whole(held, statements.weights)]
        whole = pages.contents(row, frozenset(), whole=True)
        only = attempt(whole.id, lambda: _report_on(row, whole, make(pages.page(whole), pages.best_of), statements))
        reports = [only[0]] if only and only[0] else []
    reports.sort(key=lambda report: report["community"])
    if reused:
        logger.info(reuse_summary(reports, sum(report["community"] in reused for report in reports), len(reports)))
    if count:
        count("stale_reports", sum(report["stale"] for report in reports))
    bases_of = tables.make("report_bases", bases(reports, held, weight, reused))
    return (
        tables.make("community_reports", reports),
        *(bases_of, sources.signs, statements.sentences.table, statements.leads_found, pages.table()),
    )


def _weights_together(
    entities: "pa.Table", relationships: "pa.Table", community_edges: "pa.Table", communities: "pa.Table"
) -> list[float]:
    """Return what joins the members of each community besides its relationships, and those of all, in weight."""
    listed = communities["entity_ids"].combine_chunks()
    rows, begins = groups.row_indices(listed.flatten(), entities["id"]), np.asarray(listed.offsets)
    members = np.split(rows, begins[1:-1] - begins[0])[: communities.num_rows]
    several = community_edges, relationships
    sources, targets = (
        np.concatenate([groups.row_indices(table[end], entities["id"]) for table in several])
        for end in ("source_id", "target_id")
    )
    weight = np.concatenate([community_edges["weight"].to_numpy(), -relationships["weight"].to_numpy()])
    owners, inside = edges_inside(communities["level"].to_pylist(), members, sources, targets, entities.num_rows)
    found = np.append(np.bincount(owners, weight[inside], minlength=communities.num_rows), weight.sum())
    weights: list[float] = np.maximum(found.round(6), 0).tolist()
    return weights


def _by_level(
    held: Sequence[Row],
    statements: CorpusStatements,
    report_on: Callable[[list[tuple[Row, Above]]], list[Reported]],
    reused: Mapping[int, ReusedReport],
    reused_sentences: Mapping[int, set[str]],
) -> list[Row]:
    """Return the reports of all communities that have one, level by level: those of a level do not wait for each other.

    What begins as a page above it does, or tells little more than that, is its parent's to tell.
    """
    sentences = statements.sentences
    defining = {
        (span["document_id"], span["char_start"])
        for span in map(sentences.span, statements.leads[statements.leads >= 0])
    }
    above = {-1: Above()}  # by community
    reports: list[Row] = []
    everywhere: set[tuple[str, int]] = set()  # places of all reports so far
    for _, several in groupby(sorted(held, key=itemgetter("level", "community")), key=itemgetter("level")):
        level = list(several)
        above |= {row["community"]: above[row["parent"]] for row in level}
        wanted = [(row, above[row["parent"]]) for row in level if row["size"] >= MIN_MEMBERS]
        for (community, over), (report, own, main) in zip(wanted, report_on(wanted), strict=True):
            number = community["community"]
            if not report:
                continue
            if number in reused and report["id"] != reused[number].report["id"]:  # it would be in other words
                report, own = _stale(reused[number].report, report), frozenset(reused_sentences[number])
            locations = [(span["document_id"], span["char_start"]) for span in report["citations"]]
            if over.begun.isdisjoint((locations[0], main)) and _tells_more(locations, over.cited, everywhere, defining):
                reports.append(report)
                everywhere.update(locations)
                above[number] = Above(
                    over.summarized | own, over.cited.union(locations), over.begun | {locations[0], main}
                )
    return reports


def _tells_more(
    locations: Sequence[tuple[str, int]],
    above: Collection[tuple[str, int]],
    everywhere: Collection[tuple[str, int]],
    defining: Collection[tuple[str, int]],
) -> bool:
    """Say whether a report tells more than those before it, and, of a document that those above it cite, too, what an
    entity is; that a paper goes into detail makes no page."""
    documents = {document for document, _ in above}
    anew = locations[0] in defining or any(document not in documents for document, _ in locations)
    return anew and REPEATED * len(set(locations).intersection(everywhere)) <= len(locations)


def _report_on(community: Row, page: PageMembers, made: Row | None, statements: CorpusStatements) -> Reported:
    """Return a community's report, the sentences in its summary, and whom it is about.

    None where there is too little to tell.
    """
    if not made:
        return UNTOLD
    weight = statements.total if page.whole else statements.weights[community["community"]]
    heaviest = statements.total if page.whole else statements.heaviest[community["level"]]
    of_it = {name: community[name] for name in FROM_COMMUNITY}
    of_it |= {"human_readable_id": community["community"], "community_id": community["id"], "stale": False, "age": 0}
    own, main = frozenset(made.pop("own")), made.pop("main")
    return _with_content(of_it | made | _ranked(page, statements, weight, heaviest)), own, main


def _page(page: CommunityPage, choose: Choose, settings: ReportCommunitiesFast) -> Row | None:
    """Return what the report of a community tells: made of nothing but what `KnownPages` makes a digest of."""
    statements, inside, members = page.statements, page.relationships, page.members
    stated = page.within, members, statements.stated, statements.named, page.counts, page.strength
    found = of_one_language(facts(inside, *stated, statements.sources))
    leads = {row["id"]: statements.leads[row["id"]] for row in members if row["id"] in statements.leads}
    most, whole = max_facts(settings), page.whole
    chosen = choose_facts(found, leads, members, choose, most, page.above, statements.sources, whole=whole)
    if not chosen:
        return None
    if 2 * sum(fact.is_row for fact in chosen) >= len(chosen):
        return _table_report(in_time(chosen, statements.sources), shared_values(inside, statements.stated))
    n_summary = min(settings.max_summary_sentences, (len(chosen) + 1) // 2)
    summary, findings = chosen[:n_summary], in_time(chosen[n_summary:], statements.sources)
    summary = [*summary[:1], *in_time(summary[1:], statements.sources)]
    if is_story(chosen, leads.values(), statements.sources):
        chosen = [chosen[0], *in_time(chosen[1:], statements.sources)]
        n_summary = 1 if len(chosen[0].statements) > 1 else n_summary
        summary, findings = chosen[:n_summary], chosen[n_summary:]
    titles = {row["id"]: row["title"] for row in members}
    n_facts = count_facts(chosen, members, statements.sources)
    main = main_entity(titles, n_facts, chosen, statements)
    of = next(row for row in members if row["id"] == main)
    name = report_title(of, titles, n_facts, chosen, years(summary, findings), statements)
    if all(chapters := [statements.sources.chapter(fact.first) for fact in findings]):
        findings = [replace(fact, title=chapter) for fact, chapter in zip(findings, chapters, strict=True)]
        titles = {}
    return _report(name, summary, findings, titles) | {"main": main}


def _whole(held: Sequence[Row], weights: Mapping[int, float]) -> Row:
    """Return the heaviest community of the first level, with all that the others hold."""
    first = min(held, key=lambda row: (row["level"], -weights[row["community"]], row["community"]))
    return first | {
        name: sorted({one for row in held for one in row[name]}) for name in ("entity_ids", "relationship_ids")
    }


def _reused(
    mode: str,
    last: Last | None,
    source_documents: "pa.Table",
    source_units: "pa.Table",
    entities: "pa.Table",
    held: list[Row],
    weight: dict[str, float],
) -> dict[int, ReusedReport]:
    """Return the reports of the last run that still hold, by community number."""
    import pyarrow as pa

    if mode == "full" or last is None or last.changed:
        return {}
    where = ["id", "char_start"]
    tables_then = last.read("community_reports", "report_bases", source_units=where, entities=["id", "title"])
    if not tables_then:
        return {}
    reports, report_bases, units_then, entities_then = tables_then
    cited = {span["text_unit_id"] for spans in reports["citations"].to_pylist() for span in spans}
    stay, came = groups.split_rows(source_units, "id", units_then["id"])
    stay = groups.rows_of(stay, "id", cited)
    there, gone = groups.split_rows(groups.rows_of(units_then, "id", cited), "id", source_units["id"])
    gone_units = last.rows("text_units", "id", gone["id"].to_pylist(), *where, "text")
    if gone_units is None:
        return {}
    field = tables.schema("text_units").field("text")
    silent = (one.append_column(field, pa.array([""] * one.num_rows, pa.string())) for one in (there, stay))
    there, stay = silent  # of units that stay no word is looked for
    came = came.append_column(field, tables.stretches(came, [source_documents]))
    units_then, units = groups.stack(there, gone_units), groups.stack(stay, came)
    return keep(reports, report_bases, units_then, units, entities_then, entities, held, weight)


def _sentences_of(reused: dict[int, ReusedReport], texts: LongTexts) -> dict[int, set[str]]:
    """Return the sentences in the summaries of kept reports, by community number: what their marks point to."""
    found: dict[int, set[str]] = {}
    for number, report in ((number, one.report) for number, one in reused.items()):
        sentences = set()
        for span in report["citations"]:
            if f"[{span['n']}]" in report["summary"]:
                sentences.add(one_line(texts[span["document_id"]][span["char_start"] : span["char_end"]]))
        found[number] = sentences
    return found


def _stale(report: Row, of_now: Row) -> Row:
    ranked = {name: of_now[name] for name in ("rank", "rating_explanation")}
    report = report | ranked | {"stale": True, "age": report["age"] + 1}
    return report | {"full_content_json": as_json(report)}


def _ranked(page: PageMembers, statements: CorpusStatements, weight: float, heaviest: float) -> Row:
    """Return the rank of a community and why, by its weight beside the heaviest of its level and all there is."""
    connected = page.members[statements.degrees[page.members].argmax()]
    title, degree = statements.entities["title"][connected.item()].as_py(), statements.degrees[connected]
    share = weight / statements.total if statements.total else 0.0
    return {
        "rank": round(10 * (weight / heaviest) ** 0.5, 1) if heaviest else 0.0,
        "rating_explanation": (
            f"Its {len(page.members)} entities hold {share:.1%} of the weight of all that joins entities; "
            f"the most connected is {escape_marks(title)} with {degree} relationships."
        ),
    }


def _table_report(row_facts: Sequence[Fact], values: Sequence[tuple[str, int]]) -> Row:
    """Return a report on rows of tables: how many share which values, and the rows."""
    shared = [f"{value} ({n:,})" for value, n in values[:MAX_VALUES]]
    name = title(
        [value for value, _ in values], "", year_range(fact.first.period for fact in row_facts if fact.first.period)
    )
    report = _report(name, (), row_facts, {})
    return report | {"main": name, "summary": escape_marks(f"Rows by what they share: {', '.join(shared)}.")}


def _report(name: str, summary: Sequence[Fact], findings: Sequence[Fact], titles: Mapping[str, str]) -> Row:
    """Return what a report tells; `own` are the sentences in its summary."""
    citations = _Citations()
    return {
        "title": name,
        "summary": " ".join(citations.marked(fact, fact.as_of) for fact in summary),
        "findings": [
            {"summary": heading, "explanation": " ".join(map(citations.marked, group))}
            for heading, group in _by_heading(findings, titles)
        ],
        "citations": list(citations.spans.values()),
        "own": sorted({fact.sentence.text for fact in summary}),
    }


def _by_heading(findings: Sequence[Fact], titles: Mapping[str, str]) -> list[tuple[str, list[Fact]]]:
    """Return facts in their order below headings: of those side by side, of one time, a name that they share."""
    found: list[tuple[str, list[Fact]]] = []
    shared: set[str] = set()
    for fact in findings:
        named = {i for i, name in titles.items() if i in fact.about or name in fact.sentence.text}
        last = found[-1][1][-1] if found else None
        if (
            last
            and not fact.is_row
            and fact.when == last.when
            and (shared & named or fact.when or fact.title == last.title)
        ):
            shared &= named
            name = next((name for i, name in titles.items() if i in shared), "")
            found[-1] = (fact.heading(name or (fact.title if fact.title == last.title else "")), [*found[-1][1], fact])
        else:
            shared = named
            found.append((fact.heading(fact.title), [fact]))
    return found


def _with_content(report: Row) -> Row:
    """Add the report as Markdown and as JSON, and the ids that follow from them."""
    content = page(report)
    return report | {
        "id": tables.content_id("report", report["community_id"], content),
        "full_content": content,
        "full_content_json": as_json(report),
        "input_sha256": hashlib.sha256(json.dumps([report["community_id"], content]).encode()).hexdigest(),
    }
