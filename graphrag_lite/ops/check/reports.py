"""Reports are of a community that is there, and their marks and citations belong together."""

import json
import re

import numpy as np
import pyarrow.compute as pc

from graphrag_lite import tables
from graphrag_lite.evidence.report_page import KEYS, page
from graphrag_lite.ops.check.problems import Problems
from graphrag_lite.ops.check.reading import Reading, flat

TABLE = "community_reports"
MARK = re.compile(r"\[(\d{1,9})\]")
STATE = ("level", "parent", "period", "size")  # what a report repeats of its community
PAGE = ["title", "summary", "findings", "rank", "rating_explanation", "full_content", "full_content_json"]


def of_communities(read: Reading, found: Problems) -> None:
    """Check that a report is of one community, and says of it what `communities` says."""
    own = read.numbers(TABLE, "community")
    rows = read.community_rows(own)
    found.rows(TABLE, "community: is no community", rows < 0)
    values, counts = np.unique(own, return_counts=True)
    found.rows(TABLE, "community: has two reports", np.isin(own, values[counts > 1]))
    known = np.flatnonzero(rows >= 0)
    for column in STATE:
        theirs = read.column("communities", column).take(rows[known]).combine_chunks()
        same = theirs.equals(mine := read.column(TABLE, column).take(known).combine_chunks())
        if not same:
            differ = [a != b for a, b in zip(mine.to_pylist(), theirs.to_pylist(), strict=True)]
            found.rows(TABLE, f"{column}: is not its community's", known[np.array(differ)])
    mine, theirs = (read.column(name, "children").to_pylist() for name in (TABLE, "communities"))
    differ = [sorted(mine[own]) != sorted(theirs[row]) for own, row in zip(known, rows[known], strict=True)]
    found.rows(TABLE, "children: are not its community's", known[np.array(differ, dtype=bool)])


def complete(read: Reading, found: Problems) -> None:
    """Check that every community that holds a relationship has a report, or a failure that says why not.

    Without a model, a community that has too little to say has none (`stages.report_communities_fast`).
    """
    if not (read.complete and read.written):
        return
    held, _ = flat(read.column("communities", "relationship_ids"))
    reported = read.community_rows(read.numbers(TABLE, "community"))
    missing = np.setdiff1d(held, reported)
    failed = set(read.texts("failures", "document"))
    numbers = read.numbers("communities", "community")
    found.rows("communities", "has no report", [row for row in missing if f"community {numbers[row]}" not in failed])


def marks(read: Reading, found: Problems) -> None:
    """Check that every mark has a citation, every citation a mark, and that the page says what the parts say."""
    wrong: dict[str, list[int]] = {}
    owners, citations = flat(read.column(TABLE, "citations"))
    cited = pc.struct_field(citations, "n").to_numpy()
    first = np.searchsorted(owners, np.arange(read.n_rows(TABLE) + 1))
    row = 0
    for batch in tables.batches(read.folder, TABLE, PAGE):
        for report in batch.to_pylist():
            numbers = set(cited[first[row] : first[row + 1]].tolist())
            written = set(map(int, MARK.findall(f"{report['full_content']}\n{report['rating_explanation']}")))
            faults = {
                "citations: n is not 1, 2, 3, ...": numbers != set(range(1, len(numbers) + 1)),
                "citations: one that no mark names": bool(numbers - written),
                "full_content: a mark without a citation": bool(written - numbers),
                "full_content: is not the page of title, summary and findings": read.complete
                and report["full_content"] != page(report),
                "full_content_json: is not the report as JSON": not _is_json_of(report),
                "rank: is not within 0 and 10": not 0 <= report["rank"] <= 10,
            }
            for what, fault in faults.items():
                if fault:
                    wrong.setdefault(what, []).append(row)
            row += 1
    for what, rows in wrong.items():
        found.rows(TABLE, what, rows)
    stale, age = read.numbers(TABLE, "stale"), read.numbers(TABLE, "age")
    found.rows(TABLE, "age: does not go with stale", (age < 0) | (stale != (age > 0)))


def bases(read: Reading, found: Problems) -> None:
    """Check that what a report was written from is known for every report, and goes with its community."""
    owners, _ = flat(read.column("report_bases", "relationship_ids"))
    weights, _ = flat(read.column("report_bases", "weights"))
    if not np.array_equal(owners, weights):
        n = read.n_rows("report_bases")
        bad = np.bincount(owners, minlength=n) != np.bincount(weights, minlength=n)
        found.rows("report_bases", "weights: not one a relationship", bad)
    report = read.refer("report_bases", "report_id", TABLE)
    listed, counts = np.unique(report[report >= 0], return_counts=True)
    found.rows(TABLE, "has two rows of report_bases", listed[counts > 1])
    held, _ = flat(read.column("report_bases", "entity_ids"))
    empty = np.setdiff1d(np.arange(read.n_rows("report_bases")), held)
    found.rows("report_bases", "entity_ids: empty", empty)
    without = np.setdiff1d(np.arange(read.n_rows(TABLE)), report)
    found.rows(TABLE, "has no row of report_bases", without)
    known = np.flatnonzero(report >= 0)
    community = read.community_rows(read.numbers(TABLE, "community"))[report[known]]
    said = read.refer("report_bases", "community_id", "communities")[known]
    found.rows("report_bases", "community_id: is not its report's", known[(said != community) & (said >= 0)])


def _is_json_of(report: dict[str, object]) -> bool:
    try:
        said = json.loads(str(report["full_content_json"]))
        return bool(said == {key: report[key] for key in KEYS})
    except (ValueError, RecursionError):
        return False


CHECKS = (of_communities, complete, marks, bases)
