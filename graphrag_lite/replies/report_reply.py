"""A model's community report: the form that it is asked for, and what is read of its reply."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

from graphrag_lite.errors import ReplyError
from graphrag_lite.replies.json_reply import TEXT, object_schema, read_object
from graphrag_lite.text.plain_text import plain

SCHEMA = object_schema(
    title=TEXT,
    summary=TEXT,
    rating={"type": "number"},
    rating_explanation=TEXT,
    findings={"type": "array", "items": object_schema(summary=TEXT, explanation=TEXT)},
)

NUMBER = re.compile(r"(\d{1,9}(?:[.,]\d{1,9})?)(?:\s{0,3}(?:/|out of)\s{0,3}(\d{1,9}))?")
MOST = 10.0
UNRATED = "The model gave no rating."


@dataclass(frozen=True, slots=True)
class Report:
    """A report as the model wrote it. `rating` is within 0 and 10; findings are (summary, explanation)."""

    title: str
    summary: str
    rating: float
    rating_explanation: str
    findings: tuple[tuple[str, str], ...]


def read_report(text: str) -> Report:
    """Read a reply. A missing rating is 0 and says so; a finding may lack its summary or be a plain text.

    Raises ReplyError where there is no JSON object, or none with a title, a summary and findings.

    >>> read_report('{"title": "Marley", "summary": "He is dead [1].", "rating": "7.5/10", "findings": ["Dead [1]."]}')
    Report(title='Marley', summary='He is dead [1].', rating=7.5, rating_explanation='', findings=(('', 'Dead [1].'),))
    """
    found = _named(read_object(text))
    inner = [value for value in found.values() if isinstance(value, dict)]
    if "title" not in found and len(inner) == 1:
        found = _named(inner[0])
    title, summary = _line(found.get("title")).lstrip("# "), _text(found.get("summary"))
    missing = [name for name, value in (("title", title), ("summary", summary)) if not value]
    if found.get("findings") is None:
        missing.append("findings")
    if missing:
        raise ReplyError(f"its JSON object lacks {' and '.join(missing)}")
    findings = found["findings"]
    listed = (
        findings.values() if isinstance(findings, dict) and not {*findings} & {"summary", "explanation"} else findings
    )
    listed = [listed] if isinstance(listed, str | dict) else listed
    if not isinstance(listed, Iterable):
        raise ReplyError("findings is not a list")
    read = tuple(finding for item in listed if any(finding := _finding(item)))
    rating = _rating(found.get("rating"))
    explanation = _text(found.get("rating_explanation"))
    if rating is None:
        return Report(title, summary, 0.0, explanation or UNRATED, read)
    return Report(title, summary, rating, explanation, read)


def _named(found: Mapping[Any, Any]) -> dict[str, Any]:
    """Return an object with its keys as the form writes them: `Rating Explanation` is `rating_explanation`."""
    return {"_".join(str(key).casefold().split()): value for key, value in found.items()}


def _finding(item: Any) -> tuple[str, str]:
    if not isinstance(item, dict):
        return "", _text(item)
    named = _named(item)
    return _line(named.get("summary")).lstrip("# "), _text(named.get("explanation"))


def _text(value: Any) -> str:
    if isinstance(value, list | tuple):
        return " ".join(filter(None, map(_text, value)))
    return plain(str(value)).strip() if isinstance(value, str | int | float) else ""


def _line(value: Any) -> str:
    return " ".join(_text(value).split())


def _rating(value: Any) -> float | None:
    """Return a rating within 0 and 10, None where none can be read.

    >>> [_rating(value) for value in (8, "7.5/10", "6,5", "80 out of 100", 85, "very high", -1, True)]
    [8.0, 7.5, 6.5, 8.0, 8.5, None, 0.0, None]
    """
    scale = MOST
    if isinstance(value, str) and (found := NUMBER.search(value)):
        value = float(found[1].replace(",", "."))
        scale = float(found[2] or scale) or MOST
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        return None
    if scale == MOST < value <= MOST * MOST:
        scale = MOST * MOST  # 85 is meant as a percentage
    return max(0.0, min(MOST, MOST * value / scale))
