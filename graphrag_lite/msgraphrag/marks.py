"""Marks as microsoft/graphrag's reports write them: `[Data: Entities (5, 7); Relationships (3, +more)]`.

Their numbers count within a kind of record, so `evidence.citation_marks`, which reads one series of numbers, does not
read these.
"""

import re
from collections.abc import Callable

from graphrag_lite.evidence.citation_marks import disarm

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
        parts.append(disarm(text[done : found.start()]))
        if numbers:
            blanks = found[0][: found[0].index("[")]
            parts += [blanks, *(f"[{n}]" for n in numbers)]
        done = found.end()
    return "".join([*parts, disarm(text[done:])])
