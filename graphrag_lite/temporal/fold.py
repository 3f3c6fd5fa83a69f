"""Statements -> facts: what held from when to when, and from when to when the documents said so.

Valid time is [start, end); the sources' time is [created, expired), by when statements were made. Both are functions of
the evidence: a fact that a later document ends is two rows, the open one that was told before and the closed one told
since. Nothing here depends on the order of statements.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphrag_lite.temporal.instants import UNKNOWN
from graphrag_lite.temporal.spells import EVENT, OPEN, PLAN, STATE, STATED, Spell, Statement, spells

Ints = NDArray[np.int64]
MULTI, FUNCTIONAL, INVERSE, EVENTS = 0, 1, 2, 3
POLICIES = ("multi", "functional", "inverse", "event")
FOREVER = -UNKNOWN
MAX_STEPS = 200  # times at which one group is told anew; of more only the last are kept apart, for time is quadratic


@dataclass(frozen=True)
class Mentions:
    """What is to be folded, a row a mention, (n_mentions,) each; equal numbers are equal things. Times are seconds."""

    subject: Ints
    relation: Ints
    object: Ints
    kind: Ints  # STATE, EVENT, PLAN
    positive: NDArray[np.bool_]
    start: Ints
    end: Ints
    unit: Ints
    said: Ints

    def take(self, rows: Ints) -> "Mentions":
        """Return some rows."""
        return Mentions(*(getattr(self, each.name)[rows] for each in fields(self)))


class Fact(NamedTuple):
    """A spell as the documents told it from `created` to `expired`; `_by` are rows of distinct statements, -1: none."""

    start_by: int
    end_by: int
    ended_by: int
    kind: int
    conflict: bool
    created_by: int
    expired_by: int
    statements: Sequence[int]


@dataclass(frozen=True)
class Distinct:
    """Mentions by group, each different statement once: the first that was made of those that say the same."""

    rows: Ints  # of the mentions, so that those of a statement follow each other, first said first
    first: Ints  # place in `rows` of each statement's first
    groups: Ints  # place in `first` of each group's first
    one: NDArray[np.bool_]  # whether the group has one value at a time
    value: Ints  # of each statement


def prepare(mentions: Mentions, policies: Ints) -> Mentions:
    """Make events of what a relation of events says, and leave out times of which the end is not after the start.

    `policies` has the policy of each relation, by its number.
    """
    events = (policies[mentions.relation] == EVENTS) & (mentions.kind == STATE)
    wrong = (mentions.end != UNKNOWN) & (mentions.start != UNKNOWN) & (mentions.end <= mentions.start)
    start, end = (np.where(wrong, UNKNOWN, times) for times in (mentions.start, mentions.end))
    return Mentions(
        **{each.name: getattr(mentions, each.name) for each in fields(mentions)}
        | {"kind": np.where(events, EVENT, mentions.kind), "start": start, "end": end}
    )


def distinct(mentions: Mentions, policies: Ints) -> Distinct:
    """Group prepared mentions: by subject and relation where it has one value at a time, else by object, too.

    Of statements that say the same the first made comes first, and of those made at once the first row.
    """
    policy, lasting = policies[mentions.relation], mentions.kind != PLAN
    one = np.isin(policy, (FUNCTIONAL, INVERSE)) & lasting
    by_object = one & (policy == INVERSE)
    group = (
        np.where(by_object, -1, mentions.subject),
        mentions.relation,
        np.where(one & ~by_object, -1, mentions.object),
        lasting.astype(np.int64),
    )
    value = np.where(by_object, mentions.subject, mentions.object)
    last = np.where(mentions.end == UNKNOWN, FOREVER, mentions.end)
    what = (mentions.start, mentions.positive, value, mentions.kind, last, mentions.unit)
    rows = np.lexsort((mentions.said, *reversed(what), *reversed(group)))
    new_group, new = (_changes(keys, rows) for keys in (group, (*group, *what)))
    first = np.flatnonzero(new)
    return Distinct(
        rows, first, np.flatnonzero(new_group[first]), one[rows[first[new_group[first]]]], value[rows[first]]
    )


def _changes(keys: Sequence[NDArray[np.generic]], rows: Ints) -> NDArray[np.bool_]:
    """Tell of each row, in order, whether it differs from the one before."""
    changed = np.zeros(len(rows), dtype=bool)
    changed[:1] = True
    for key in keys:
        ordered = key[rows]
        changed[1:] |= ordered[1:] != ordered[:-1]
    return changed


def fold(mentions: Mentions, apart: Distinct) -> Iterator[Fact]:
    """Yield the facts of prepared mentions, group by group."""
    stated = mentions.take(apart.rows[apart.first])
    columns = (apart.value, stated.start, stated.end, stated.unit, stated.kind, stated.positive, stated.said)
    statements = map(Statement, *map(_values, columns))
    ends = np.append(apart.groups, len(apart.first))[1:]
    for start, end, one in zip(*map(_values, (apart.groups, ends, apart.one)), strict=True):
        if end - start > 1:
            yield from (_moved(fact, start) for fact in versions(list(islice(statements, end - start)), one=one))
        elif (said := next(statements)).positive:
            start_by, end_by = start if said.start != UNKNOWN else -1, start if said.end != UNKNOWN else -1
            ended_by = STATED if said.end != UNKNOWN else OPEN
            yield Fact(start_by, end_by, ended_by, said.kind, False, start, -1, (start,))


def _values(column: NDArray[Any]) -> Iterator[Any]:
    """Yield the values of a column; not all at once, which would take four times its memory."""
    for start in range(0, len(column), 65536):
        yield from column[start : start + 65536].tolist()


def _moved(fact: Fact, by: int) -> Fact:
    """Return a fact of a group with places among all statements."""
    places = {name: getattr(fact, name) for name in ("start_by", "end_by", "created_by", "expired_by")}
    moved = {name: place + by for name, place in places.items() if place >= 0}
    return fact._replace(**moved, statements=tuple(place + by for place in fact.statements))


def versions(statements: Sequence[Statement], *, one: bool) -> Iterator[Fact]:
    """Yield the facts of a group, whose statements are in order of start, as they were told over the sources' time."""
    by_said = sorted(range(len(statements)), key=lambda place: (statements[place].said, place))
    times = sorted({statement.said for statement in statements})
    open_: dict[tuple[int, ...], tuple[Spell, int]] = {}
    clear: dict[int, list[Spell]] = {}
    loose: set[int] = set()
    n_told = 0
    for until in [*times[1:][-MAX_STEPS:], None]:
        before = n_told
        while n_told < len(by_said) and (until is None or statements[by_said[n_told]].said < until):
            n_told += 1
        new = by_said[before:n_told]
        if all(_supports(statements[place], place, clear) for place in new):
            continue
        now = {_key(spell): spell for spell in spells(statements, sorted(by_said[:n_told]), one=one)}
        for key in [key for key in open_ if key not in now]:
            yield _fact(*open_.pop(key), new[0])
        open_ = {key: (spell, open_[key][1] if key in open_ else new[0]) for key, spell in now.items()}
        loose |= {statements[place].value for place in by_said[:n_told] if statements[place].start == UNKNOWN}
        clear = _clear(now.values(), loose, one=one)
    for spell, created_by in open_.values():
        yield _fact(spell, created_by, -1)


def _key(spell: Spell) -> tuple[int, ...]:
    return spell.value, spell.kind, spell.start, spell.end, spell.ended_by, spell.conflict


def _fact(spell: Spell, created_by: int, expired_by: int) -> Fact:
    return Fact(
        *(spell.start_by, spell.end_by, spell.ended_by, spell.kind, spell.conflict, created_by, expired_by),
        tuple(spell.statements),
    )


def _clear(told: Iterable[Spell], loose: Collection[int], *, one: bool) -> dict[int, list[Spell]]:
    """Return the dated spells of states, by value, that share no time with one of another value.

    Of a value that has an end told alone there are none: a new beginning may be the one that this end belongs to.
    """
    ordered = sorted(
        (spell for spell in told if spell.kind == STATE and spell.start != UNKNOWN), key=lambda each: each.start
    )
    clear: dict[int, list[Spell]] = defaultdict(list)
    latest, n = UNKNOWN, len(ordered)
    for place, spell in enumerate(ordered):
        alone = latest <= spell.start and (place + 1 == n or UNKNOWN != spell.end <= ordered[place + 1].start)
        if (alone or not one) and spell.value not in loose:
            clear[spell.value].append(spell)
        latest = max(latest, spell.end if spell.end != UNKNOWN else FOREVER)
    return clear


def _supports(said: Statement, place: int, clear: Mapping[int, Sequence[Spell]]) -> bool:
    """Add a statement to the spell that it changes nothing of; return whether there is one."""
    if not said.positive or said.start == UNKNOWN or said.kind == PLAN:
        return False
    own = clear.get(said.value, ())
    before = bisect_right(own, said.start, key=lambda spell: spell.start)
    if not before:
        return False
    spell = own[before - 1]
    if said.kind == STATE and said.end != UNKNOWN and spell.ended_by != STATED:
        return False
    if spell.end != UNKNOWN:
        sure = said.start + 1 if said.kind == EVENT or spell.ended_by == STATED else said.start + max(said.unit, 1)
        if max(sure, said.end) > spell.end:
            return False
    spell.statements.append(place)
    return True
