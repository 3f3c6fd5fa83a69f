"""Statements -> facts: what held from when to when, and from when to when the documents said so.

Valid time is [start, end); the sources' time is [created, expired), by when statements were made. Both are functions of
the evidence: a fact that a later document ends is two rows, the open one that was told before and the closed one told
since. Nothing here depends on the order of statements.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphrag_lite.temporal.instants import UNKNOWN
from graphrag_lite.temporal.spells import EVENT, OPEN, PLAN, STATE, STATED, Spell, ValueStatement, spells

Ints = NDArray[np.int64]
MULTI, FUNCTIONAL, INVERSE, EVENTS = 0, 1, 2, 3
POLICIES = ("multi", "functional", "inverse", "event")
FOREVER = -UNKNOWN
MAX_WORK = 20_000  # statements read to fold one group: of more, the sources' earliest times are told as one


@dataclass(frozen=True)
class FactMentions:
    """What is to be folded, a row a mention, (n_mentions,) each; equal numbers are equal things. Times are seconds."""

    subject: Ints
    relation: Ints
    object: Ints
    kind: Ints  # STATE, EVENT, PLAN
    positive: NDArray[np.bool_]
    start: Ints
    end: Ints
    unit: Ints
    reported_at: Ints

    def take(self, rows: Ints) -> "FactMentions":
        """Return some rows."""
        return FactMentions(*(getattr(self, each.name)[rows] for each in fields(self)))


@dataclass(frozen=True)
class Facts:
    """Spells as the documents told them, (n_facts,) each; `_by` are indices of distinct statements, -1: none."""

    start_by: Ints
    end_by: Ints
    ended_by: Ints
    kind: Ints
    conflict: NDArray[np.bool_]
    created_by: Ints
    expired_by: Ints
    statements: Ints  # of all facts, one after the other
    n_statements: Ints  # of each fact

    @classmethod
    def of(cls, rows: Iterable[tuple[Any, ...]]) -> "Facts":
        """Make columns of rows, in the order of the fields, whose last is a list of statements."""
        listed = list(rows)
        *columns, statements = zip(*listed, strict=True) if listed else [()] * 8
        start_by, end_by, ended_by, kind, conflict, created_by, expired_by = (
            np.array(column, dtype=np.int64) for column in columns
        )
        flat = np.array([index for indices in statements for index in indices], dtype=np.int64)
        n_statements = np.array([len(indices) for indices in statements], dtype=np.int64)
        return cls(start_by, end_by, ended_by, kind, conflict > 0, created_by, expired_by, flat, n_statements)

    def take(self, rows: Ints) -> "Facts":
        """Return some facts."""
        starts, sizes = (np.cumsum(self.n_statements) - self.n_statements)[rows], self.n_statements[rows]
        own = {each.name: getattr(self, each.name)[rows] for each in fields(self) if each.name != "statements"}
        return Facts(statements=self.statements[ranges(starts, sizes)], **own)


@dataclass(frozen=True)
class Distinct:
    """Mentions by group, each different statement once: the first that was made of those that say the same."""

    rows: Ints  # of the mentions, so that those of a statement follow each other, first said first
    first: Ints  # index in `rows` of each statement's first
    groups: Ints  # index in `first` of each group's first
    one: NDArray[np.bool_]  # whether the group has one value at a time
    value: Ints  # of each statement


def prepare(mentions: FactMentions, policies: Ints) -> FactMentions:
    """Make events of what a relation of events says, and leave out times of which the end is not after the start.

    `policies` has the policy of each relation, by its number.
    """
    events = (policies[mentions.relation] == EVENTS) & (mentions.kind == STATE)
    wrong = (mentions.end != UNKNOWN) & (mentions.start != UNKNOWN) & (mentions.end <= mentions.start)
    start, end = (np.where(wrong, UNKNOWN, times) for times in (mentions.start, mentions.end))
    return replace(mentions, kind=np.where(events, EVENT, mentions.kind), start=start, end=end)


def distinct(mentions: FactMentions, policies: Ints) -> Distinct:
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
    state = mentions.kind == STATE
    what = (mentions.start, mentions.positive, value, mentions.kind, last, np.where(state, mentions.unit, 0))
    rows = np.lexsort((mentions.reported_at, *reversed(what), *reversed(group)))
    new_group, new = (changes(keys, rows) for keys in (group, (*group, *what)))
    first = np.flatnonzero(new)
    return Distinct(
        rows, first, np.flatnonzero(new_group[first]), one[rows[first[new_group[first]]]], value[rows[first]]
    )


def ranges(starts: Ints, sizes: Ints) -> Ints:
    """Return the numbers of ranges, one behind the other.

    >>> ranges(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    found: Ints = np.repeat(starts - (np.cumsum(sizes) - sizes), sizes) + np.arange(sizes.sum())
    return found


def changes(keys: Sequence[NDArray[np.generic]], rows: Ints) -> NDArray[np.bool_]:
    """Tell of each row, in order, whether it differs from the one before."""
    changed = np.zeros(len(rows), dtype=bool)
    changed[:1] = True
    for key in keys:
        ordered = key[rows]
        changed[1:] |= ordered[1:] != ordered[:-1]
    return changed


def fold(mentions: FactMentions, apart: Distinct) -> "Facts":
    """Return the facts of prepared mentions: those of a single statement, then group by group."""
    ends = np.append(apart.groups, len(apart.first))[1:]
    alone = ends - apart.groups == 1
    single = apart.groups[alone]
    single = single[mentions.positive[apart.rows[apart.first[single]]]]
    rows = apart.rows[apart.first[single]]
    begun, ended = mentions.start[rows] != UNKNOWN, mentions.end[rows] != UNKNOWN
    n = len(single)
    several = Facts.of(_of_groups(mentions, apart, apart.groups[~alone], ends[~alone], apart.one[~alone]))
    return Facts(
        start_by=np.append(np.where(begun, single, -1), several.start_by),
        end_by=np.append(np.where(ended, single, -1), several.end_by),
        ended_by=np.append(np.where(ended, STATED, OPEN), several.ended_by),
        kind=np.append(mentions.kind[rows], several.kind),
        conflict=np.append(np.zeros(n, dtype=bool), several.conflict),
        created_by=np.append(single, several.created_by),
        expired_by=np.append(np.full(n, -1), several.expired_by),
        statements=np.append(single, several.statements),
        n_statements=np.append(np.ones(n, dtype=np.int64), several.n_statements),
    )


def _of_groups(
    mentions: FactMentions, apart: Distinct, starts: Ints, ends: Ints, one: NDArray[np.bool_]
) -> Iterator[tuple[Any, ...]]:
    """Yield the facts of groups of several statements."""
    within = ranges(starts, ends - starts)
    stated = mentions.take(apart.rows[apart.first[within]])
    columns = (
        apart.value[within],
        stated.start,
        stated.end,
        stated.unit,
        stated.kind,
        stated.positive,
        stated.reported_at,
    )
    statements = map(ValueStatement, *map(_values, columns))
    for start, end, one_ in zip(*map(_values, (starts, ends, one)), strict=True):
        for spell, created_by, expired_by in versions(list(islice(statements, end - start)), one=one_):
            yield (
                spell.start_by + start if spell.start_by >= 0 else -1,
                spell.end_by + start if spell.end_by >= 0 else -1,
                spell.ended_by,
                spell.kind,
                spell.conflict,
                created_by + start,
                expired_by + start if expired_by >= 0 else -1,
                [index + start for index in spell.statements],
            )


def _values(column: NDArray[Any]) -> Iterator[Any]:
    """Yield the values of a column; not all at once, which would take four times its memory."""
    for start in range(0, len(column), 65536):
        yield from column[start : start + 65536].tolist()


def versions(statements: Sequence[ValueStatement], *, one: bool) -> Iterator[tuple[Spell, int, int]]:
    """Yield the spells of a group, whose statements are in order of start, as they were told over the sources' time.

    Each with the indices of the statements by which it came up, and by which it was told no more; -1: it still is.
    """
    reported = sorted(range(len(statements)), key=lambda index: (statements[index].reported_at, index))
    times = sorted({statement.reported_at for statement in statements})
    open_: dict[tuple[int, ...], tuple[Spell, int]] = {}
    clear: dict[int, list[Spell]] = {}
    loose: set[int] = set()
    n_reported = 0
    n_steps = min(len(times), max(1, MAX_WORK // len(statements)))
    for until in [*times[len(times) - n_steps + 1 :], None]:
        before = n_reported
        while n_reported < len(reported) and (until is None or statements[reported[n_reported]].reported_at < until):
            n_reported += 1
        new = reported[before:n_reported]
        if all(_supports(statements[index], index, clear) for index in new):
            continue
        now = {_key(spell): spell for spell in spells(statements, sorted(reported[:n_reported]), one=one)}
        for key in [key for key in open_ if key not in now]:
            yield *open_.pop(key), new[0]
        open_ = {key: (spell, open_[key][1] if key in open_ else new[0]) for key, spell in now.items()}
        loose |= {statements[index].value for index in reported[:n_reported] if statements[index].start == UNKNOWN}
        clear = _clear(now.values(), loose, one=one)
    for spell, created_by in open_.values():
        yield spell, created_by, -1


def _key(spell: Spell) -> tuple[int, ...]:
    return spell.value, spell.kind, spell.start, spell.end, spell.ended_by, spell.conflict


def _clear(current: Iterable[Spell], loose: Collection[int], *, one: bool) -> dict[int, list[Spell]]:
    """Return the dated spells of states, by value, that share no time with one of another value.

    Of a value that has an end told alone there are none: a new beginning may be the one that this end belongs to.
    """
    ordered = sorted(
        (spell for spell in current if spell.kind == STATE and spell.start != UNKNOWN), key=lambda each: each.start
    )
    clear: dict[int, list[Spell]] = defaultdict(list)
    latest, n = UNKNOWN, len(ordered)
    for index, spell in enumerate(ordered):
        alone = latest <= spell.start and (index + 1 == n or UNKNOWN != spell.end <= ordered[index + 1].start)
        if (alone or not one) and spell.value not in loose:
            clear[spell.value].append(spell)
        latest = max(latest, spell.end if spell.end != UNKNOWN else FOREVER)
    return clear


def _supports(statement: ValueStatement, index: int, clear: Mapping[int, Sequence[Spell]]) -> bool:
    """Add a statement to the spell that it changes nothing of; return whether there is one."""
    if (
        not statement.positive
        or statement.start == UNKNOWN
        or statement.kind == PLAN
        or (statement.kind == STATE and statement.end != UNKNOWN)
    ):
        return False
    own = clear.get(statement.value, ())
    before = bisect_right(own, statement.start, key=lambda spell: spell.start)
    if not before:
        return False
    spell = own[before - 1]
    if spell.end != UNKNOWN:
        sure = (
            statement.start + 1
            if statement.kind == EVENT or spell.ended_by == STATED
            else statement.start + max(statement.unit, 1)
        )
        if max(sure, statement.end) > spell.end:
            return False
    spell.statements.append(index)
    return True
