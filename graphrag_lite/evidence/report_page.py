"""A community report as a page of Markdown and as JSON."""

import json
from collections.abc import Mapping
from typing import Any

KEYS = ("title", "summary", "rank", "rating_explanation", "findings")


def page(report: Mapping[str, Any]) -> str:
    """Return a report in Markdown; a finding without a summary has no heading.

    >>> page({"title": "Marley", "summary": "Dead [1].", "findings": [{"summary": "End", "explanation": "So [1]."}]})
    '# Marley\\n\\nDead [1].\\n\\n## End\\n\\nSo [1].'
    """
    parts = [f"# {report['title']}", report["summary"]]
    for finding in report["findings"]:
        parts += [f"## {finding['summary']}"] * bool(finding["summary"]) + [finding["explanation"]]
    return "\n\n".join(part for part in parts if part)


def as_json(report: Mapping[str, Any]) -> str:
    return json.dumps({key: report[key] for key in KEYS}, ensure_ascii=False, indent=2)
