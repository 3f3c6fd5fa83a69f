"""Communities -> reports in the corpus's own sentences, each with its place in a document.

A community's statements are the sentences of its relationships. They are ranked by the weight of the relationship and
by how connected its two ends are inside the community. A summary does not repeat the summaries of its children where
it has other things to say.

Writing costs nothing here. Reports are kept all the same, so that who reads them every morning finds new words only
where there is something new. Ranks are of now: they compare a community with all others.
"""

import hashlib
import json
import logging
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from graphrag_lite import tables
from graphrag_lite.graph.report_keeping import FROM_COMMUNITY, Kept, bases, keep, told
from graphrag_lite.settings import ReportCommunitiesFast
from graphrag_lite.stages import Last
from graphrag_lite.text.marks import disarm
from graphrag_lite.text.report_page import as_json, page
from graphrag_lite.text.sentences import stands_alone

if TYPE_CHECKING:
    import pyarrow as pa

Row = dict[str, Any]
SIMILAR = 0.5  # Jaccard index of words from which two sentences say the same

logger = logging.getLogger(__name__)


@dataclass
class _Citations:
    """The marks of one report, numbered in order of use; the same place keeps its number."""

    spans: dict[tuple[str, int, int], Row] = field(default_factory=dict)

    def mark(self, statement: Row) -> str:
        span = statement["sources"][0]
        key = (span["document_id"], span["char_start"], span["char_end"])
        self.spans.setdefault(key, {"n": len(self.spans) + 1, **span})
        return f"{disarm(statement['description'])} [{self.spans[key]['n']}]"


async def report_communities_fast(
    source_units: "pa.Table",
    entities: "pa.Table",
    relationships: "pa.Table",
    communities: "pa.Table",
    settings: ReportCommunitiesFast,
    mode: str,
    last: Last | None,
    refresh: bool = False,
) -> tuple["pa.Table", "pa.Table"]:
    """Report on every community that holds a relationship: title, summary, findings, rank, and citations for each."""
    entity = {row["id"]: row for row in entities.select(["id", "title", "type", "degree"]).to_pylist()}
    relationship = {row["id"]: row for row in relationships.drop_columns(["text_unit_ids"]).to_pylist()}
    weight = {identity: row["weight"] for identity, row in relationship.items()}
    total = sum(weight.values()) or 1.0
    held = [row for row in communities.drop_columns(["text_unit_ids"]).to_pylist() if row["relationship_ids"]]
    weights = {c["community"]: sum(weight[r] for r in c["relationship_ids"]) for c in held}
    heaviest: dict[int, float] = defaultdict(float)
    for community in held:
        heaviest[community["level"]] = max(heaviest[community["level"]], weights[community["community"]])
    kept = {} if refresh else _kept(mode, last, source_units, entities, held, weight)
    kept_sentences = _sentences_of(kept, source_units)

    said: dict[int, set[str]] = defaultdict(set)  # community -> sentences in its summary and its descendants'
    reports = []
    for community in sorted(held, key=lambda c: (-c["level"], c["community"])):
        number = community["community"]
        inside = [relationship[i] for i in community["relationship_ids"]]
        strength = _strength(inside)
        members = sorted(
            (entity[i] for i in community["entity_ids"]), key=lambda row: (-strength[row["id"]], row["id"])
        )
        statements = _ranked(inside, strength)
        chosen = _choose(statements, settings.max_summary_sentences, said[number])
        connected = max(members, key=lambda row: row["degree"])
        share, most = weights[number] / total, heaviest[community["level"]]
        ranked = {
            "rank": round(10 * (weights[number] / most) ** 0.5, 1) if most else 0.0,
            "rating_explanation": (
                f"Its {len(members)} entities hold {share:.1%} of the weight of all relationships; "
                f"the most connected is {connected['title']} with {connected['degree']} relationships."
            ),
        }
        written = _report(community, members, chosen, _choose(statements, settings.max_findings, set()))
        report = _with_content(written | ranked)
        sentences = {row["description"] for row in chosen}
        if number in kept and report["id"] != kept[number].report["id"]:  # it would be written in other words
            report = _stale(kept[number].report, ranked)
            sentences = kept_sentences[number]
        reports.append(report)
        said[number] |= sentences
        said[community["parent"]] |= said[number]
    reports.sort(key=lambda report: report["community"])
    if kept:
        logger.info(told(reports, len(kept), len(held)))
    return tables.make("community_reports", reports), tables.make("report_bases", bases(reports, held, weight, kept))


def _kept(
    mode: str,
    last: Last | None,
    source_units: "pa.Table",
    entities: "pa.Table",
    held: list[Row],
    weight: dict[str, float],
) -> dict[int, Kept]:
    """Return the reports of the last run that still hold, by community number."""
    if mode == "full" or last is None or last.changed:
        return {}
    if not (before := last.read("community_reports", "report_bases", "source_units", "entities")):
        return {}
    reports, report_bases, units_then, entities_then = before
    return keep(reports, report_bases, units_then, source_units, entities_then, entities, held, weight)


def _sentences_of(kept: dict[int, Kept], source_units: "pa.Table") -> dict[int, set[str]]:
    """Return the sentences in the summaries of kept reports, by community number: what their marks point to."""
    cited = {span["text_unit_id"] for report in kept.values() for span in report.report["citations"]}
    columns = (source_units[name].to_pylist() for name in ("id", "char_start", "text"))
    unit = {identity: (start, text) for identity, start, text in zip(*columns, strict=True) if identity in cited}
    found: dict[int, set[str]] = {}
    for number, report in ((number, one.report) for number, one in kept.items()):
        sentences = set()
        for span in report["citations"]:
            start, text = unit[span["text_unit_id"]]
            sentence = " ".join(text[span["char_start"] - start : span["char_end"] - start].split())
            if f"{sentence} [{span['n']}]" in report["summary"]:
                sentences.add(sentence)
        found[number] = sentences
    return found


def _stale(report: Row, ranked: Row) -> Row:
    report = report | ranked | {"stale": True, "age": report["age"] + 1}
    return report | {"full_content_json": as_json(report)}


def _strength(inside: list[Row]) -> dict[str, float]:
    """Return the weight of every entity's relationships inside a community, by entity id; 0 for the others."""
    strength: dict[str, float] = defaultdict(float)
    for row in inside:
        strength[row["source_id"]] += row["weight"]
        strength[row["target_id"]] += row["weight"]
    return strength


def _ranked(inside: list[Row], strength: dict[str, float]) -> list[Row]:
    """Order relationships that have a sentence, most central first; headings, table rows and questions come last."""

    def score(row: Row) -> float:
        return float(row["weight"]) * (strength[row["source_id"]] + strength[row["target_id"]])

    stated = (row for row in inside if row["sources"])
    return sorted(stated, key=lambda row: (not stands_alone(row["description"]), -score(row), row["id"]))


def _choose(statements: list[Row], most: int, told: set[str]) -> list[Row]:
    """Choose statements in their order, none of which says what another says; those already told come after the rest.

    Only headings, table rows and questions come later still.
    """
    order = sorted(statements, key=lambda row: (not stands_alone(row["description"]), row["description"] in told))
    chosen: list[Row] = []
    words: list[set[str]] = []
    for row in order:
        if len(chosen) == most:
            break
        own = set(row["description"].casefold().split()) or {""}
        if all(len(own & other) < SIMILAR * len(own | other) for other in words):
            chosen.append(row)
            words.append(own)
    return chosen


def _report(community: Row, members: list[Row], summary: list[Row], findings: list[Row]) -> Row:
    citations = _Citations()
    names = [row["title"] if row["type"] == "unknown" else f"{row['title']} ({row['type']})" for row in members[:3]]
    others = f", with {len(members) - 3} more" if len(members) > 3 else ""
    told = " ".join(citations.mark(row) for row in summary)
    return {
        **{name: community[name] for name in FROM_COMMUNITY},
        "human_readable_id": community["community"],
        "title": _join([row["title"] for row in members[:3]]),
        "summary": f"{_join(names)}{others}. {told}".strip(),
        "findings": [{"summary": _headline(row), "explanation": citations.mark(row)} for row in findings],
        "citations": list(citations.spans.values()),
        "community_id": community["id"],
        "stale": False,
        "age": 0,
    }


def _headline(row: Row) -> str:
    return f"{row['source']} – {row['target']}"  # what joins them is for the cited sentence to say


def _join(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _with_content(report: Row) -> Row:
    """Add the report as Markdown and as JSON, and the ids that follow from them."""
    content = page(report)
    return report | {
        "id": tables.content_id("report", report["community_id"], content),
        "full_content": content,
        "full_content_json": as_json(report),
        "input_sha256": hashlib.sha256(json.dumps([report["community_id"], content]).encode()).hexdigest(),
    }
