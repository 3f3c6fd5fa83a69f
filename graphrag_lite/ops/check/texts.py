"""Texts and what is read from them: of units, of report pages, of when the messages in a unit were said; failures."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from duckdb import CatalogException, DuckDBPyConnection

from graphrag_lite import tables
from graphrag_lite.evidence.report_page import KEYS, page
from graphrag_lite.ops.check.problems import Problems
from graphrag_lite.tables.database import select
from graphrag_lite.temporal.latest_mentions import last_reported

MARK = re.compile(r"\[(\d{1,9})\]")
PAGE = ["title", "summary", "findings", "rank", "rating_explanation", "full_content", "full_content_json"]


def check_texts(database: DuckDBPyConnection, folder: Path, manifest: Mapping[str, Any], found: Problems) -> None:
    """Compare texts with what the tables that `rules` opened say of them."""
    for check in (_units, _days, _marks, _failures):
        try:
            check(database, folder, manifest, found)
        except CatalogException:  # a table that it reads is not intact; that has been said already
            database.rollback()


def _rows(database: DuckDBPyConnection, query: str) -> Iterator[tuple[Any, ...]]:
    data = select(database, query)
    return tables.rows(data, *data.column_names)


def _units(database: DuckDBPyConnection, folder: Path, _: Mapping[str, Any], found: Problems) -> None:
    """Compare the text of every unit with its document, a batch of units at a time."""
    spans = _rows(database, "select document, char_start, char_end from unit order by row")
    documents = tables.read(folder, "documents", only=["text"])["text"]
    wrong = defaultdict(list)
    opened, text = None, ""
    own = (each for batch in tables.batches(folder, "text_units", ["text"]) for each in batch["text"].to_pylist())
    for row, (unit, (document, start, end)) in enumerate(zip(own, spans, strict=True)):
        if document is None:
            continue
        if document != opened:
            opened, text = document, documents[document].as_py()
        if not 0 <= start < end <= len(text):
            wrong["char_start, char_end: outside of the document"].append(row)
        elif unit != text[start:end]:
            wrong["text: is not documents.text[char_start:char_end]"].append(row)
    for what, rows in wrong.items():
        found.rows("text_units", what, rows)


def _days(database: DuckDBPyConnection, _: Path, __: Mapping[str, Any], found: Problems) -> None:
    """Check that units were said on the day, and in the order, of the last message in them."""
    units = list(_rows(database, "select document_id, char_start, char_end from unit order by row"))
    query = "select document_id, char_start, char_end, reference_time, kind, ordinal from episodes order by row"
    episodes = list(_rows(database, query))
    ids = dict(_rows(database, "select id, source_id from documents"))
    days, order = last_reported(units, episodes, ids)
    own = list(_rows(database, 'select day, "order" from search_units order by row'))
    differ = [row for row, (one, day) in enumerate(zip(own, days, strict=False)) if one[0] != day]
    found.rows("search_units", "day: not that of the last message, or the document, in it", differ)
    differ = [row for row, (one, position) in enumerate(zip(own, order, strict=False)) if one[1] != position]
    found.rows("search_units", "order: not that of the last message in it", differ)


def _marks(database: DuckDBPyConnection, folder: Path, manifest: Mapping[str, Any], found: Problems) -> None:
    """Check that every mark has a citation, every citation a mark, and that the page says what the parts say."""
    complete = manifest["made"]["from"] == "corpus"
    cited = _rows(database, "select list_transform(citations, lambda each: each.n) from community_reports order by row")
    reports = (each for batch in tables.batches(folder, "community_reports", PAGE) for each in batch.to_pylist())
    wrong = defaultdict(list)
    for row, (report, (listed,)) in enumerate(zip(reports, cited, strict=True)):
        numbers = set(listed)
        written = set(map(int, MARK.findall(f"{report['full_content']}\n{report['rating_explanation']}")))
        faults = {
            "citations: n is not 1, 2, 3, ...": numbers != set(range(1, len(numbers) + 1)),
            "citations: one that no mark names": bool(numbers - written),
            "full_content: a mark without a citation": bool(written - numbers),
            "full_content: is not the page of title, summary and findings": complete
            and report["full_content"] != page(report),
            "full_content_json: is not the report as JSON": not _is_json_of(report),
            "rank: is not within 0 and 10": not 0 <= report["rank"] <= 10,
        }
        for what in (what for what, fault in faults.items() if fault):
            wrong[what].append(row)
    for what, rows in wrong.items():
        found.rows("community_reports", what, rows)


def _is_json_of(report: Mapping[str, object]) -> bool:
    try:
        stored = json.loads(str(report["full_content_json"]))
        return bool(stored == {key: report[key] for key in KEYS})
    except (ValueError, RecursionError):
        return False


def _failures(database: DuckDBPyConnection, _: Path, manifest: Mapping[str, Any], found: Problems) -> None:
    """Check that failures are of a stage of this index, and as many as the stages recorded."""
    listed = list(_rows(database, "select stage, document, error from failures order by row"))
    strange = [row for row, (stage, *_) in enumerate(listed) if stage not in manifest["stages"]]
    found.rows("failures", "stage: not one of this index", strange)
    found.rows(
        "failures", "document, error: empty", [row for row, (_, *reasons) in enumerate(listed) if not all(reasons)]
    )
    if len(listed) != sum(len(stage["failures"]) for stage in manifest["stages"].values()):
        found.add("failures", "not as many as the manifest's stages recorded")
