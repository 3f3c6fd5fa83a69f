"""Values that stand beside their labels: cells below the first row of a table, "Status: Open", "Default: 60"."""

import re
from collections.abc import Set
from itertools import repeat
from typing import TYPE_CHECKING

from graphrag_lite.text.words import terms

if TYPE_CHECKING:
    from graphrag_lite.search.extractive.sentence_candidates import Wanted

CELLS, MAX_TABLE = " | ", 20_000  # between cells; characters before a row in which the first one is looked for
_LABELLED = re.compile(r"(?:[-*+•] )?(?:[^\W\d][\w-]*[ ]){0,2}[^\W\d][\w-]*[:：] *[^\n]{1,80}")


def is_labelled(line: str) -> bool:
    """Say whether a line is short, and begins with a label of a few words.

    >>> is_labelled("Default: 60"), is_labelled("It is said: never."), is_labelled("default")
    (True, True, False)
    """
    return _LABELLED.fullmatch(line) is not None


def of_columns(document: str, start: int, wanted_terms: Set[str], language: str) -> frozenset[str]:
    """Return the terms asked for that begin a word in the first row of the table that has a row at `start`."""
    row = first = line = document.rfind("\n", 0, start) + 1
    least = max(1, start - MAX_TABLE)
    while line >= least and CELLS in document[(before := document.rfind("\n", 0, line - 1) + 1) : line]:
        first, line = before, before
    heads = terms(document[first : document.find("\n", first)], language) if first < row == start else ()
    return frozenset(term for term in wanted_terms if any(map(str.startswith, heads, repeat(term))))


def matches_label(cell: str, language: str, wanted: "Wanted") -> bool:
    """Say whether a question asks for a cell by its label: "Status: Open", for what the status is; no day for "who"."""
    label, _, value = cell.partition(":")
    kind, in_digits = wanted.sought.kind, any(map(str.isdigit, value))
    own = frozenset(terms(label.replace("_", " "), language))
    own |= wanted.sought.in_other_words(label, own)
    if not any(
        term.startswith(query_term) for term in own for query_term in wanted.weight
    ) or not wanted.terms.isdisjoint(terms(value, language)):
        return False
    return not kind or in_digits == (kind in ("time", "number"))
