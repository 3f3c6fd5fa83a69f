"""The community reports as one book in Markdown: a chapter for each community, with its sources, its parts below."""

from collections.abc import Iterator, Mapping
from typing import Any

from graphrag_lite.evidence.source_locations import describe_span
from graphrag_lite.retrieval.snapshot_view import SnapshotView
from graphrag_lite.text.plain_text import markdown_line, with_footnotes

Row = Mapping[str, Any]


def markdown(view: SnapshotView) -> Iterator[tuple[str, bytes]]:
    """Yield `reports.md`: the most important community first, and after each its parts."""
    reports = {row["community"]: row for row in view.arrow("community_reports").to_pylist()}
    documents = {row["id"]: row for row in view.arrow("documents").to_pylist()}
    parts: dict[int, list[int]] = {}
    for row in view.arrow("communities").to_pylist():
        parts.setdefault(row["parent"], []).append(row["community"])
    lines = ["# Reports", ""]

    def write(number: int, depth: int) -> None:
        if number in reports:
            lines.extend(_chapter(reports[number], documents, depth))
        for part in sorted(parts.get(number, []), key=lambda part: (-reports.get(part, {"rank": -1.0})["rank"], part)):
            write(part, depth + (number in reports))

    write(-1, 2)
    yield "reports.md", ("\n".join(lines).rstrip() + "\n").encode()


def _chapter(report: Row, documents: Mapping[str, Row], depth: int) -> list[str]:
    number = report["community"]
    lines = [
        f"{'#' * min(depth, 6)} {markdown_line(report['title'])}",
        "",
        with_footnotes(report["summary"], f"{number}-"),
        "",
    ]
    for finding in report["findings"]:
        lines += [
            f"**{markdown_line(finding['summary'])}**",
            "",
            with_footnotes(finding["explanation"], f"{number}-"),
            "",
        ]
    for citation in report["citations"]:
        document = documents[citation["document_id"]]
        start, end = citation["char_start"], citation["char_end"]
        location = f"{markdown_line(document['path'])}, {describe_span(document['blocks'], start, end)}"
        quoted = markdown_line(document["text"][start:end])
        lines.append(f"[^{number}-{citation['n']}]: {location}{f': “{quoted}”' if quoted else ''}")
    return [*lines, ""]
