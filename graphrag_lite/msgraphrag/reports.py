"""Community reports: their marks become ours, each with the places that its record rests on.

Marks as microsoft/graphrag writes them, `[Data: Entities (5, 7); Relationships (3, +more)]`, have numbers that count
within a kind of record, so `evidence.citation_marks`, which reads one series of numbers, does not read these. A report
of an index of ours has its places with it, in `citations`; its marks [n] are kept.
"""

import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from graphrag_lite import tables
from graphrag_lite.evidence.citation_marks import escape_marks, rewrite
from graphrag_lite.evidence.report_page import as_json, page
from graphrag_lite.msgraphrag.read import Notes, Row, integer, text
from graphrag_lite.msgraphrag.texts import Texts, unused_id

MAX_REPORT_SPANS = 3  # that a mark to another report points to

OURS = "citations"  # stands for a table where a report says itself what its marks point to

Spans = Mapping[str, Mapping[int, list[Row]]]
Moved = Mapping[str, tuple[Row, int]]  # text unit id as read -> its row now, and by how many characters it has moved

MARK = re.compile(r"[ \t]{0,4}\[([^\[\]]{1,4000})\]")
PART = re.compile(r"([^\W\d_]{1,20})\s{0,3}\(([^()]{1,4000})\)")
KINDS = {
    "entity": "entities", "entities": "entities", "relationship": "relationships", "relationships": "relationships",
    "claim": "covariates", "claims": "covariates", "covariate": "covariates", "covariates": "covariates",
    "source": "text_units", "sources": "text_units", "unit": "text_units", "units": "text_units",
    "report": "community_reports", "reports": "community_reports",
}  # fmt: skip


def renumber(text: str, number: Callable[[str, int], int | None]) -> str:
    """Return a text with each record of its marks replaced by `[number(table, human_readable_id)]`.

    None leaves a record out, and an empty mark too. Other numbers in brackets, which point nowhere, get parentheses.

    >>> numbers = {("entities", 5): 1, ("relationships", 3): 2}
    >>> renumber("He ran [Data: Entities (5, 8); Relationships (3, +more)]. See [9] [Data: Claims (1)].",
    ...     lambda table, identity: numbers.get((table, identity)))
    'He ran [1][2]. See (9).'
    """
    parts: list[str] = []
    done = 0
    for found in MARK.finditer(text):
        records = [(KINDS.get(kind.casefold()), ids) for kind, ids in PART.findall(found[1])]
        if not any(table for table, _ in records):
            continue
        ids = [(table, int(number)) for table, listed in records if table for number in re.findall(r"\d{1,18}", listed)]
        numbers = dict.fromkeys(n for table, identity in ids if (n := number(table, identity)) is not None)
        parts.append(escape_marks(text[done : found.start()]))
        if numbers:
            blanks = found[0][: found[0].index("[")]
            parts += [blanks, *(f"[{n}]" for n in numbers)]
        done = found.end()
    return "".join([*parts, escape_marks(text[done:])])


def convert_reports(
    rows: Sequence[Row], communities: Sequence[Row], spans: Spans, texts: Texts, units: Sequence[Row], notes: Notes
) -> list[Row]:
    """Return the reports by community. `spans[table][n]` are the places of the record with human_readable_id n.

    `units` are the text units as read: where they stood, as `texts` says where they stand.
    """
    before = {row["id"]: row["char_start"] for row in units}
    now = {row["id"]: row for row in texts.units}
    moved = {
        identity: (now[own], now[own]["char_start"] - before[identity])
        for identity, (own, *_) in texts.unit_ids.items()
        if before[identity] is not None
    }
    community = {row["community"]: row for row in communities}
    of_reports: dict[int, list[Row]] = {}
    known = {**spans, "community_reports": of_reports}
    used: set[str] = set()
    made: dict[int, Row] = {}
    # A report cites those below it.
    for row in sorted(rows, key=lambda row: -community.get(row["community"], {"level": 0})["level"]):
        number = row["community"]
        if number not in community or number in made or not (row["summary"] or row["full_content"]).strip():
            notes["community_reports", "left out: empty, or without a community of its own"] += 1
            continue
        own = _cited_spans(row["citations"], moved)
        report = made[number] = _report(row, community[number], known | ({OURS: own} if own else {}), notes)
        report["id"] = unused_id(report["id"], used)
        cited = [{key: value for key, value in span.items() if key != "n"} for span in report["citations"]]
        of_reports[number] = cited[:MAX_REPORT_SPANS]
    notes["communities", "without a report"] += sum(number not in made for number in community) if rows else 0
    return [made[number] for number in sorted(made)]


def _report(row: Row, community: Row, spans: Spans, notes: Notes) -> Row:
    marks: dict[tuple[str, int], int] = {}
    unknown: set[tuple[str, int]] = set()

    def number(table: str, identity: int) -> int | None:
        if not spans.get(table, {}).get(identity):
            unknown.add((table, identity))
            return None
        return marks.setdefault((table, identity), len(marks) + 1)

    def marked(written: str) -> str:
        return rewrite(written, lambda n: number(OURS, n)) if OURS in spans else renumber(written, number)

    summary = marked(row["summary"])
    findings = [
        {"summary": marked(head), "explanation": marked(body)} for head, body in _findings(row["findings"], notes)
    ]
    content = marked(row["full_content"])
    notes["community_reports", "marks left out: no such record"] += len(unknown)
    source = json.dumps(row, sort_keys=True, default=str)
    report = {
        "title": row["title"] or community["title"],
        "summary": summary,
        "rank": min(10.0, max(0.0, row["rank"])),
        "rating_explanation": row["rating_explanation"] or row["rank_explanation"],
        "findings": findings,
    }
    return report | {
        "id": row["id"] or tables.content_id("report", community["id"], source),
        "human_readable_id": community["community"],
        **{key: community[key] for key in ("community", "level", "parent", "children", "period", "size")},
        "full_content": content if content.strip() else page(report),
        "full_content_json": as_json(report),
        "citations": [{"n": n, **span} for record, n in marks.items() for span in spans[record[0]][record[1]]],
        "input_sha256": hashlib.sha256(source.encode()).hexdigest(),
        "stale": False,
        "age": 0,
    }


def _findings(value: Any, notes: Notes) -> list[tuple[str, str]]:
    """Return (summary, explanation) of each finding; what has neither is counted."""
    found = []
    for item in value if isinstance(value, list) else []:
        try:
            pair = [text(item.get(key) or "") for key in ("summary", "explanation")]
        except (AttributeError, ValueError):
            notes["community_reports", "findings left out: not of their type"] += 1
            continue
        if "".join(pair).strip():
            found.append((pair[0], pair[1]))
    return found


def _cited_spans(citations: Any, moved: Moved) -> dict[int, list[Row]]:
    """Return what the marks of a report of ours point to, by number, without places outside of their text unit."""
    found: dict[int, list[Row]] = {}
    for cited in citations if isinstance(citations, list) else []:
        try:
            unit, shift = moved[cited["text_unit_id"]]
            n, start, end = (integer(cited[key]) for key in ("n", "char_start", "char_end"))
        except (KeyError, TypeError, ValueError):
            continue
        if unit["char_start"] <= start + shift < end + shift <= unit["char_end"]:
            unit_of = {"text_unit_id": unit["id"], "document_id": unit["document_id"]}
            found.setdefault(n, []).append(unit_of | {"char_start": start + shift, "char_end": end + shift})
    return found
