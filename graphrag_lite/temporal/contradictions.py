"""Which statement may end which fact, where no policy says so: pairs for somebody to judge, and what a verdict does.

Candidates are structural, so that nothing unrelated is ever asked about, and nothing unrelated can end: a fact and a
newer statement of the same subject and relation, or of the same two, in another relation. Nobody has to judge that who
left an office holds it no more.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import fields, replace
from itertools import combinations

import numpy as np

from graphrag_lite.temporal.fold import FactMentions
from graphrag_lite.temporal.instants import UNKNOWN
from graphrag_lite.temporal.spells import MAX_CANDIDATES, PLAN, STATE

LEAVING = frozenset("left leaves quit quits resigned resigns retired retires departed departs".split())
Pair = tuple[int, int]
"""Rows of mentions: the fact, and the newer statement that may end it."""


def undecided_pairs(mentions: FactMentions, undecided: Collection[int]) -> list[Pair]:
    """Return the pairs to judge, in order of rows, from prepared mentions; `undecided` are numbers of relations.

    A fact can be ended that is a state without a stated end of which it is sure that it began before the statement. A
    statement is held against MAX_CANDIDATES others at most: where more values are open at once, none ends.
    """
    usable = (mentions.start != UNKNOWN) & mentions.positive & (mentions.kind != PLAN)
    first: dict[tuple[int, ...], int] = {}  # of those that say the same, the first row
    columns = (mentions.subject, mentions.relation, mentions.object, mentions.start, mentions.end)
    for row in np.flatnonzero(usable).tolist():
        first.setdefault(tuple(int(column[row]) for column in columns), row)
    about: dict[tuple[int, ...], list[int]] = defaultdict(list)
    stated: dict[tuple[int, ...], int] = {}
    for (subject, relation, thing, _, end), row in first.items():
        if mentions.kind[row] == STATE:
            about[subject, relation].append(row)
            stated[subject, relation, thing] = max(end, stated.get((subject, relation, thing), UNKNOWN))
        about[min(subject, thing), -1, max(subject, thing)].append(row)

    def may_end(one: int, other: int) -> bool:
        """Tell whether the state of one row may be over by the other's."""
        what = (int(mentions.subject[one]), int(mentions.relation[one]), int(mentions.object[one]))
        open_ = mentions.kind[one] == STATE and mentions.end[one] == UNKNOWN and what[1] in undecided
        begun = mentions.start[one] + max(int(mentions.unit[one]), 1) <= mentions.start[other]
        return bool(open_ and begun and stated[what] <= mentions.start[other])

    found = {
        pair
        for key, rows in about.items()
        for pair in _within(sorted(rows, key=lambda row: (int(mentions.start[row]), row)), mentions, len(key) == 2)
        if may_end(*pair)
    }
    return sorted(found)


def departures(mentions: FactMentions, names: Sequence[str]) -> list[Pair]:
    """Return the pairs of which the second says that somebody left what the first says they are of, in order of rows.

    `names` are of relations. Who left a place may only have been there: what says where one lives is not ended.
    """
    leaving = np.array(list(map(leaves, names)), dtype=bool)
    resides = np.array([name.endswith(" in") for name in names], dtype=bool)
    gone = np.flatnonzero(leaving[mentions.relation] & ~mentions.positive & (mentions.start != UNKNOWN))
    by_two: dict[tuple[int, int], list[int]] = defaultdict(list)
    for row in gone.tolist():
        by_two[int(mentions.subject[row]), int(mentions.object[row])].append(row)
    lasting = mentions.positive & (mentions.kind == STATE) & (mentions.start != UNKNOWN) & (mentions.end == UNKNOWN)
    lasting &= np.isin(mentions.subject, mentions.subject[gone]) & ~resides[mentions.relation]
    return [
        (row, other)
        for row in np.flatnonzero(lasting).tolist()
        for other in by_two.get((int(mentions.subject[row]), int(mentions.object[row])), ())
        if mentions.start[row] + max(int(mentions.unit[row]), 1) <= mentions.start[other]
    ]


def leaves(relation: str) -> bool:
    """Tell whether who is so related to something is of it no more."""
    return relation.split(" ")[0] in LEAVING


def _within(rows: Sequence[int], mentions: FactMentions, one_relation: bool) -> Iterator[Pair]:
    """Yield the pairs of a group, earlier first, that differ: in object, or in the relation of the same two."""
    column = mentions.object if one_relation else mentions.relation
    if 1 < len({int(column[row]) for row in rows}) <= MAX_CANDIDATES + 1:
        yield from ((one, other) for one, other in combinations(rows, 2) if column[one] != column[other])


def with_ends(mentions: FactMentions, ended: Sequence[Pair]) -> FactMentions:
    """Return mentions with a denial for each pair: that the fact of its first row holds no more from the second on."""
    one, other = (np.array([pair[side] for pair in ended], dtype=np.int64) for side in (0, 1))
    denied = replace(
        mentions.take(one),
        positive=np.zeros(len(one), dtype=bool),
        start=mentions.start[other],
        unit=mentions.unit[other],
        reported_at=np.maximum(mentions.reported_at[one], mentions.reported_at[other]),
    )
    return FactMentions(
        *(np.append(getattr(mentions, each.name), getattr(denied, each.name)) for each in fields(denied))
    )
