"""Relationships that a model dates -> dated statements, as `fact_mentions` have them."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from graphrag_lite.text.period import period_of

PRECISIONS = {4: "year", 7: "month"}  # by the length of an ISO 8601 date; longer ones are days


def model_statement(relationship: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return what a row of `relationship_mentions` says held when; None where it states no time.

    The end that a model gives is the last time that is meant. An event or a plan lies within the time that is stated.

    >>> row = {"source": "Ana", "relation": "WORKS_AT", "target": "Acme", "valid_at": "1993", "invalid_at": "2006-05"}
    >>> row |= {"kind": "state", "polarity": "positive"}
    >>> statement = model_statement(row)
    >>> statement["valid_at"], statement["invalid_at"], statement["precision"], statement["relation"]
    ('1993-01-01', '2006-06-01', 'year', 'WORKS_AT')
    """
    first, last = (period_of(relationship[name]) for name in ("valid_at", "invalid_at"))
    if first is None and last is None:
        return None
    if relationship["kind"] != "state":
        first, last = first or last, last or first
    shortest = min(len(relationship[name]) for name in ("valid_at", "invalid_at") if relationship[name])
    return {
        "subject": relationship["source"],
        "relation": relationship["relation"],
        "object": relationship["target"],
        "kind": relationship["kind"],
        "polarity": relationship["polarity"],
        "valid_at": first.first.isoformat() if first else "",
        "invalid_at": (last.last + timedelta(days=1)).isoformat() if last else "",
        "precision": PRECISIONS.get(shortest, "day"),
        "time_text": "",
    }
