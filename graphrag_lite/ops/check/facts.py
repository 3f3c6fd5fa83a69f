"""Facts: intervals are the right way round, spells follow each other, and no two values hold at once unmarked."""

from collections import defaultdict
from itertools import pairwise

import numpy as np

from graphrag_lite.ops.check.problems import Problems
from graphrag_lite.ops.check.reading import Reading, flat
from graphrag_lite.temporal.instants import UNITS, UNKNOWN, first_second
from graphrag_lite.temporal.spells import ENDED_BY, KINDS

TABLE = "facts"
MOST_SOURCES = 10


def intervals(read: Reading, found: Problems) -> None:
    """Check that what ends begins before, in valid time and in the sources' time."""
    for first, last in (("valid_at", "invalid_at"), ("created_at", "expired_at")):
        starts, ends = (np.array([first_second(text) for text in read.texts(TABLE, name)]) for name in (first, last))
        wrong = (ends != UNKNOWN) & (ends < starts)
        found.rows(TABLE, f"{last}: is before {first}", wrong)


def words(read: Reading, found: Problems) -> None:
    """Check kind, ended_by, and that each relation has a policy."""
    kinds, ended_by, ends = (read.texts(TABLE, name) for name in ("kind", "ended_by", "invalid_at"))
    found.rows(TABLE, "kind: is none", [row for row, kind in enumerate(kinds) if kind not in KINDS])
    wrong = [
        row
        for row, (kind, how, end) in enumerate(zip(kinds, ended_by, ends, strict=True))
        if how not in ENDED_BY or bool(how) != (kind == "state" and bool(end))
    ]
    found.rows(TABLE, "ended_by: does not say how a state has ended", wrong)
    known = set(read.texts("relation_policies", "relation"))
    strange = [row for row, name in enumerate(read.texts(TABLE, "relation")) if name not in known]
    found.rows(TABLE, "relation: has no policy", strange)


def spells(read: Reading, found: Problems) -> None:
    """Check that the spell before is one of the same group, which begins before."""
    prior = read.refer(TABLE, "prior_id", TABLE)
    own = np.flatnonzero(prior >= 0)
    groups = np.array(read.texts(TABLE, "fact_group_id"))
    begins = np.array([first_second(text) for text in read.texts(TABLE, "valid_at")])
    wrong = (groups[own] != groups[prior[own]]) | (begins[own] <= begins[prior[own]])
    found.rows(TABLE, "prior_id: is no earlier spell of the same", own[wrong])


def counts(read: Reading, found: Problems) -> None:
    """Check that a fact has mentions, and names the first of them."""
    n_mentions, n_documents = (read.numbers(TABLE, name) for name in ("n_mentions", "n_documents"))
    owners, _ = flat(read.column(TABLE, "sources"))
    n_sources = np.bincount(owners, minlength=len(n_mentions))
    few = n_sources != np.minimum(n_mentions, MOST_SOURCES)
    found.rows(TABLE, "sources: are not the first of n_mentions", few | (n_mentions < 1))
    wrong = (n_documents < 1) | (n_documents > n_mentions)
    found.rows(TABLE, "n_documents: is not what it counts", wrong)


def one_value(read: Reading, found: Problems) -> None:
    """Check that where a relation has one value at a time, two hold at once only in conflict, or as times are vague."""
    kinds = dict(zip(*(read.texts("relation_policies", name) for name in ("relation", "kind")), strict=True))
    columns = ("subject_id", "subject", "object_id", "object", "relation", "kind", "expired_at", "fact_group_id")
    times = ("valid_at", "invalid_at", "precision")
    held = defaultdict(list)
    listed = zip(*(read.texts(TABLE, name) for name in (*columns, *times)), strict=True)
    conflict = read.column(TABLE, "conflict").to_pylist()
    for row, (*ends, relation, kind, expired, group, start, end, precision) in enumerate(listed):
        policy = kinds.get(relation)
        if policy in ("functional", "inverse") and kind == "state" and start and not expired and not conflict[row]:
            one = ends[2:] if policy == "inverse" else ends[:2]
            unit = UNITS.get(precision, 1)
            held[relation, one[0] or one[1].casefold()].append(
                (first_second(start), first_second(end), unit, group, row)
            )
    wrong = [
        row
        for told in held.values()
        for (_, end, unit, group, row), (later, _, other_unit, other, _) in pairwise(sorted(told))
        if other != group and (end == UNKNOWN or end - later > max(unit, other_unit))
    ]
    found.rows(TABLE, "holds together with another value, and no conflict is marked", wrong)


CHECKS = (intervals, words, spells, counts, one_value)
