"""Communities -> reports in the corpus's own sentences, each with its place in a document.

A community's statements are the sentences of its relationships. Those are chosen that say most about what all of them
are about, and whose relationship is heavy between ends that are well connected inside the community. A summary does not
repeat the summaries above it where it has other things to say.

Writing costs nothing here. Reports are kept all the same, so that who reads them every morning finds new words only
where there is something new. Ranks are of now: they compare a community with all others.
"""

import hashlib
import json
import logging
import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from graphrag_lite import tables
from graphrag_lite.evidence.citation_marks import disarm
from graphrag_lite.evidence.key_sentences import Sentence, choose, rarity
from graphrag_lite.evidence.report_page import as_json, page
from graphrag_lite.evidence.report_reuse import FROM_COMMUNITY, KeptReport, bases, keep, kept_summary
from graphrag_lite.run.services import Attempt, Last, unguarded
from graphrag_lite.settings import ReportCommunitiesFast
from graphrag_lite.text.plain_text import one_line
from graphrag_lite.text.transcripts import form, said, speakers
from graphrag_lite.text.words import terms

if TYPE_CHECKING:
    import pyarrow as pa

Row = dict[str, Any]
OFTEN = 0.1  # of the documents, and MIN_DOCUMENTS: who speaks in so many is the host, not the subject
MIN_DOCUMENTS = 3
ASIDE = 0.1  # what a relationship counts that no statement tells, or that a host is an end of

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Stated:
    """What a relationship's sentence says, and where: without its speaker's label and the time."""

    sentence: Sentence
    span: Row

    @property
    def place(self) -> tuple[str, int]:
        return self.span["document_id"], self.span["char_start"]


@dataclass
class _Citations:
    """The marks of one report, numbered in order of use; the same place keeps its number."""

    spans: dict[tuple[str, int], Row] = field(default_factory=dict)

    def mark(self, stated: _Stated) -> str:
        self.spans.setdefault(stated.place, {"n": len(self.spans) + 1, **stated.span})
        return f"{disarm(stated.sentence.text)} [{self.spans[stated.place]['n']}]"


async def report_communities_fast(
    source_documents: "pa.Table",
    source_units: "pa.Table",
    entities: "pa.Table",
    relationships: "pa.Table",
    communities: "pa.Table",
    settings: ReportCommunitiesFast,
    mode: str,
    last: Last | None,
    refresh: bool = False,
    attempt: Attempt = unguarded,
) -> tuple["pa.Table", "pa.Table"]:
    """Report on every community that holds a relationship: title, summary, findings, rank, and citations for each.

    A community that cannot be reported on is a failure; a sentence that cannot be read is one, and states nothing.
    """
    entity = {row["id"]: row for row in entities.select(["id", "title", "type", "degree"]).to_pylist()}
    relationship = {row["id"]: row for row in relationships.drop_columns(["text_unit_ids"]).to_pylist()}
    weight = {identity: row["weight"] for identity, row in relationship.items()}
    held = [row for row in communities.drop_columns(["text_unit_ids"]).to_pylist() if row["relationship_ids"]]
    hosts = _hosts(source_documents, attempt)
    stated = _stated(relationship.values(), source_documents, hosts, attempt)
    idf = rarity([one.sentence for one in {one.place: one for one in stated.values()}.values()])
    counts = _counts(relationship.values(), stated, hosts)
    total = _statement_weight(relationship, counts, stated)
    weights = {c["community"]: _statement_weight(c["relationship_ids"], counts, stated) for c in held}
    levels = {c["level"] for c in held}
    heaviest = {level: max(weights[c["community"]] for c in held if c["level"] == level) for level in levels}
    kept = {} if refresh else _kept(mode, last, source_units, entities, held, weight)
    kept_sentences = _sentences_of(kept, source_units)

    summarized_above: dict[int, frozenset[str]] = {-1: frozenset()}  # sentences of its summary and of those above

    def report_on(community: Row) -> tuple[Row, frozenset[str]]:
        """Return a community's report, and the sentences in its summary."""
        number = community["community"]
        inside = [relationship[i] for i in community["relationship_ids"]]
        strength = _strength(inside, counts)
        members = [entity[i] for i in sorted(community["entity_ids"], key=lambda i: (-strength[i], i))]
        rows, sentences = _candidates(inside, stated, counts, strength)
        summary = choose(sentences, settings.max_summary_sentences, idf, summarized_above[community["parent"]])
        ranked = _ranked(members, weights[number], heaviest[community["level"]], total)
        findings = [(rows[i], stated[rows[i]["id"]]) for i in choose(sentences, settings.max_findings, idf)]
        summary_sentences = [stated[rows[i]["id"]] for i in summary]
        report = _with_content(_report(community, members, summary_sentences, findings) | ranked)
        own = frozenset(sentences[i].text for i in summary)
        if number in kept and report["id"] != kept[number].report["id"]:  # it would be written in other words
            report = _stale(kept[number].report, ranked)
            own = frozenset(kept_sentences[number])
        return report, own

    made: list[Row | None] = []
    for community in sorted(held, key=lambda c: (c["level"], c["community"])):
        report, own = attempt(f"community {community['community']}", report_on, community) or (None, frozenset())
        summarized_above[community["community"]] = summarized_above[community["parent"]] | own
        made.append(report)
    reports = sorted(filter(None, made), key=lambda report: report["community"])
    if kept:
        logger.info(kept_summary(reports, len(kept), len(held)))
    return tables.make("community_reports", reports), tables.make("report_bases", bases(reports, held, weight, kept))


def _stated(
    relationships: Iterable[Row],
    source_documents: "pa.Table",
    hosts: Collection[str],
    attempt: Attempt = unguarded,
) -> dict[str, _Stated]:
    """Return what the relationships' sentences say, by relationship id; those without a sentence are left out.

    A text unit may end within a sentence that another holds on: it is one sentence, as far as any of them has it.
    """
    named = {name.title() for name in hosts}
    row_of = {identity: row for row, identity in enumerate(source_documents["id"].to_pylist())}
    made: dict[tuple[str, int, int], _Stated | None] = {}
    whole: dict[tuple[str, int], _Stated] = {}
    found: dict[str, _Stated] = {}
    read, text, language = "", "", ""
    # Document after document: a text is read once.
    for row in sorted(
        (row for row in relationships if row["sources"]), key=lambda row: row["sources"][0]["document_id"]
    ):
        span = row["sources"][0]
        place = (span["document_id"], span["char_start"], span["char_end"])
        if place not in made:
            if read != span["document_id"]:
                read, document = span["document_id"], row_of[span["document_id"]]
                text, language = (source_documents[name][document].as_py() for name in ("text", "language"))
            made[place] = attempt(span["text_unit_id"], _statement, span, text, language, named)
        if one := made[place]:
            found[row["id"]] = one
            if one.place not in whole or one.span["char_end"] > whole[one.place].span["char_end"]:
                whole[one.place] = one
    return {identity: whole[one.place] for identity, one in found.items()}


def _statement(span: Row, text: str, language: str, named: Collection[str]) -> _Stated:
    """Return what the sentence at a span of a document says; little is it worth where it names one of `named`."""
    start, end = said(text, span["char_start"], span["char_end"])
    if start >= end:  # nothing but marks
        start, end = span["char_start"], span["char_end"]
    words = one_line(text[start:end])
    found = terms(words, language)
    length = max(len(found), len(words.split()))
    worth = form(text, start, end, language) * (1.0 if set(words.split()).isdisjoint(named) else ASIDE)
    return _Stated(Sentence(words, frozenset(found), length, worth), span | {"char_start": start, "char_end": end})


def _hosts(source_documents: "pa.Table", attempt: Attempt = unguarded) -> set[str]:
    """Return the names, whole and in part, of those whose lines many documents hold: hosts, whom all of them name."""
    n_documents: Counter[str] = Counter()
    for batch in source_documents.select(["id", "text"]).to_batches(max_chunksize=1000):
        for identity, text in tables.rows(batch, "id", "text"):
            n_documents.update(attempt(identity, speakers, text) or ())
    least = max(MIN_DOCUMENTS, OFTEN * source_documents.num_rows)
    often = [label for label, n in n_documents.items() if n >= least]
    return {name for label in often for name in (label, *label.split()) if len(name) > 2}


def _counts(relationships: Iterable[Row], stated: Mapping[str, _Stated], hosts: Collection[str]) -> dict[str, float]:
    """Return what each relationship counts for in a report, by id: little where it tells nothing, or of a host."""
    counts = {}
    for row in relationships:
        one = stated.get(row["id"])
        states = one is not None and one.sentence.worth > ASIDE
        aside = row["source"].casefold() in hosts or row["target"].casefold() in hosts
        counts[row["id"]] = row["weight"] * (1.0 if states else ASIDE) * (ASIDE if aside else 1.0)
    return counts


def _statement_weight(
    relationship_ids: Iterable[str], counts: Mapping[str, float], stated: Mapping[str, _Stated]
) -> float:
    """Return the weight of relationships. Those of one sentence count once: a list of ten names is one statement."""
    heaviest: dict[tuple[str, int], float] = {}
    for identity in relationship_ids:
        place = stated[identity].place if identity in stated else (identity, -1)
        heaviest[place] = max(heaviest.get(place, 0.0), counts[identity])
    return math.fsum(heaviest.values())


def _kept(
    mode: str,
    last: Last | None,
    source_units: "pa.Table",
    entities: "pa.Table",
    held: list[Row],
    weight: dict[str, float],
) -> dict[int, KeptReport]:
    """Return the reports of the last run that still hold, by community number."""
    if mode == "full" or last is None or last.changed:
        return {}
    if not (before := last.read("community_reports", "report_bases", "source_units", "entities")):
        return {}
    reports, report_bases, units_then, entities_then = before
    return keep(reports, report_bases, units_then, source_units, entities_then, entities, held, weight)


def _sentences_of(kept: dict[int, KeptReport], source_units: "pa.Table") -> dict[int, set[str]]:
    """Return the sentences in the summaries of kept reports, by community number: what their marks point to."""
    cited = {span["text_unit_id"] for report in kept.values() for span in report.report["citations"]}
    rows = tables.rows(source_units, "id", "char_start", "text")
    unit = {identity: (start, text) for identity, start, text in rows if identity in cited}
    found: dict[int, set[str]] = {}
    for number, report in ((number, one.report) for number, one in kept.items()):
        sentences = set()
        for span in report["citations"]:
            start, text = unit[span["text_unit_id"]]
            sentence = one_line(text[span["char_start"] - start : span["char_end"] - start])
            if f"{sentence} [{span['n']}]" in report["summary"]:
                sentences.add(sentence)
        found[number] = sentences
    return found


def _stale(report: Row, ranked: Row) -> Row:
    report = report | ranked | {"stale": True, "age": report["age"] + 1}
    return report | {"full_content_json": as_json(report)}


def _ranked(members: list[Row], weight: float, heaviest: float, total: float) -> Row:
    """Return the rank of a community and why, by its weight beside the heaviest of its level and all there is."""
    connected = max(members, key=lambda row: row["degree"])
    return {
        "rank": round(10 * (weight / heaviest) ** 0.5, 1) if heaviest else 0.0,
        "rating_explanation": (
            f"Its {len(members)} entities hold {weight / total if total else 0.0:.1%} of the weight of all statements; "
            f"the most connected is {disarm(connected['title'])} with {connected['degree']} relationships."
        ),
    }


def _strength(inside: list[Row], counts: Mapping[str, float]) -> dict[str, float]:
    """Return the weight of every entity's relationships inside a community, by entity id; 0 for the others."""
    strength: dict[str, float] = defaultdict(float)
    for row in inside:
        strength[row["source_id"]] += counts[row["id"]]
        strength[row["target_id"]] += counts[row["id"]]
    return strength


def _candidates(
    inside: list[Row], stated: Mapping[str, _Stated], counts: Mapping[str, float], strength: Mapping[str, float]
) -> tuple[list[Row], list[Sentence]]:
    """Return the sentences of a community, and the most central relationship that each of them states."""

    def central(row: Row) -> float:
        return counts[row["id"]] * (strength[row["source_id"]] + strength[row["target_id"]])

    rows: dict[tuple[str, int], Row] = {}
    for row in sorted((row for row in inside if row["id"] in stated), key=lambda row: (-central(row), row["id"])):
        rows.setdefault(stated[row["id"]].place, row)
    sentences = [
        replace(one, worth=one.worth * math.sqrt(1 + central(row)))
        for row in rows.values()
        for one in [stated[row["id"]].sentence]
    ]
    return list(rows.values()), sentences


def _report(community: Row, members: list[Row], summary: list[_Stated], findings: list[tuple[Row, _Stated]]) -> Row:
    citations = _Citations()
    titles = [disarm(row["title"]) for row in members[:3]]
    kinds = ["" if row["type"] == "unknown" else f" ({row['type']})" for row in members[:3]]
    names = [f"{title}{kind}" for title, kind in zip(titles, kinds, strict=True)]
    others = f", with {len(members) - 3} more" if len(members) > 3 else ""
    statements = " ".join(citations.mark(one) for one in summary)
    return {
        **{name: community[name] for name in FROM_COMMUNITY},
        "human_readable_id": community["community"],
        "title": ", ".join(titles),
        "summary": f"{', '.join(names)}{others}. {statements}".strip(),
        "findings": [{"summary": _headline(row), "explanation": citations.mark(one)} for row, one in findings],
        "citations": list(citations.spans.values()),
        "community_id": community["id"],
        "stale": False,
        "age": 0,
    }


def _headline(row: Row) -> str:
    return disarm(f"{row['source']} – {row['target']}")  # what joins them is for the cited sentence to say


def _with_content(report: Row) -> Row:
    """Add the report as Markdown and as JSON, and the ids that follow from them."""
    content = page(report)
    return report | {
        "id": tables.content_id("report", report["community_id"], content),
        "full_content": content,
        "full_content_json": as_json(report),
        "input_sha256": hashlib.sha256(json.dumps([report["community_id"], content]).encode()).hexdigest(),
    }
