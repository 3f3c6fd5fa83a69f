"""What held when, as the statements about one subject and relation tell it together: a sweep over valid time.

Times are seconds (`instants`), intervals half-open. UNKNOWN stands for a time that nobody states.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple

from graphrag_lite.temporal.instants import UNKNOWN

STATE, EVENT, PLAN = 0, 1, 2
KINDS = ("state", "event", "plan")
OPEN, STATED, NEGATED, SUCCEEDED = 0, 1, 2, 3
ENDED_BY = ("", "stated", "negated", "succeeded")
MAX_CANDIDATES = 10  # values open at once that a newer one can end; more, and the relation has no one value at a time


class ValueStatement(NamedTuple):
    """What one or more mentions say: a value holds from `start` until `end`; not `positive`: not from `start` on.

    `unit` is how much the vaguer of the two times may be off (seconds), such as 366 days where it is a year.
    `reported_at` is when the first of them was made.
    """

    value: int
    start: int
    end: int
    unit: int
    kind: int
    positive: bool
    reported_at: int


@dataclass(slots=True, eq=False)
class Spell:
    """A time that a value held without a break, or an event. `_by` are indices of statements, -1 for none."""

    value: int
    kind: int
    start: int
    end: int
    start_by: int
    end_by: int
    ended_by: int
    unit: int  # of the end, where there is one
    sure: int  # when it certainly had begun, and had been seen again
    conflict: bool = False
    statements: list[int] = field(default_factory=list)


def spells(statements: Sequence[ValueStatement], selected: Sequence[int], *, one: bool) -> list[Spell]:
    """Fold the statements at the indices `selected`, in order of start; with `one`, a newer value ends an older one.

    A value that is stated again while it holds is the same spell, after another one it is a new one. A stated end is
    never overridden. Where two values then hold at once for longer than their times may be off, or it cannot be told
    which is the newer one, both stay, in `conflict`. What states no time supports a spell of its value and ends
    nothing, and nor does an event.

    >>> paris, berlin = (ValueStatement(value, 0, UNKNOWN, 1, STATE, True, 0) for value in (0, 1))
    >>> stated = [paris._replace(start=5), berlin._replace(start=7), paris._replace(start=9)]
    >>> [(each.value, each.start, each.end) for each in spells(stated, range(3), one=True)][:2]
    [(0, 5, 7), (1, 7, 9)]
    """
    states = [index for index in selected if statements[index].kind == STATE]
    ends, rest = _stated_ends(statements, states)
    last: dict[int, Spell] = {}  # of each value
    found: list[Spell] = []
    live: list[Spell] = []
    dated = (index for index in states if statements[index].start != UNKNOWN)
    for start, group in groupby(dated, lambda index: statements[index].start):
        starting = list(group)
        for index in starting:
            if not statements[index].positive:
                _negate(last.get(statements[index].value), statements[index], index)
        now = [index for index in starting if statements[index].positive]
        for index in now:
            end_by = ends.get(index, index)
            _attach(statements[index], index, end_by, statements[end_by].end, last, found)
        if one:
            live = [spell for spell in live if spell.end == UNKNOWN or spell.end > start][-MAX_CANDIDATES - 1 :]
            own = dict.fromkeys(last[statements[index].value] for index in now)
            live += [spell for spell in own if spell not in live]
            for index in now:
                _succeed(last[statements[index].value], statements[index], index, live)
    support = [*rest, *(index for index in selected if statements[index].kind != STATE and statements[index].positive)]
    return [*found, *_supported(statements, support, found)]


def _stated_ends(statements: Sequence[ValueStatement], states: Sequence[int]) -> tuple[dict[int, int], list[int]]:
    """Give an end that is told alone to the last statement of its value that begins before it.

    Returns the index that tells the end by the index that begins, and the indices without a start that are left.
    """
    begun: dict[int, list[int]] = defaultdict(list)
    for index in states:
        if statements[index].positive and statements[index].start != UNKNOWN:
            begun[statements[index].value].append(index)
    ends: dict[int, int] = {}
    left = []
    for index in states:
        value, start, end, *_, positive, _ = statements[index]
        if start != UNKNOWN or not positive:
            continue
        own = begun.get(value, [])
        before = bisect_left(own, end, key=lambda each: statements[each].start) if end != UNKNOWN else 0
        if before and statements[own[before - 1]].end == UNKNOWN:
            at = own[before - 1]
            ends[at] = max((ends.get(at, index), index), key=lambda each: (statements[each].end, each))
        left.append(index)
    return ends, left


def _attach(
    statement: ValueStatement, index: int, end_by: int, end: int, last: dict[int, Spell], found: list[Spell]
) -> None:
    """Add a statement to the spell of its value that it begins in, or touches where a stated end is; else begin one."""
    spell = last.get(statement.value)
    touches = spell and spell.end == statement.start and spell.ended_by == STATED and end != UNKNOWN
    if spell and (spell.end == UNKNOWN or statement.start < spell.end or touches):
        spell.sure = max(spell.sure, statement.start + max(statement.unit, 1))
    else:
        spell = Spell(
            statement.value,
            STATE,
            statement.start,
            UNKNOWN,
            index,
            -1,
            OPEN,
            statement.unit,
            statement.start + max(statement.unit, 1),
        )
        last[statement.value] = spell
        found.append(spell)
    spell.statements.append(index)
    if end != UNKNOWN and (spell.end == UNKNOWN or end > spell.end):
        spell.end, spell.end_by, spell.ended_by, spell.unit = end, end_by, STATED, statement.unit


def _negate(spell: Spell | None, statement: ValueStatement, index: int) -> None:
    """End an open spell of a value from which on it is said not to hold, if it surely had begun before."""
    if spell is None:
        return
    if spell.end == UNKNOWN and spell.sure <= statement.start:
        spell.end, spell.end_by, spell.ended_by, spell.unit = statement.start, index, NEGATED, statement.unit
    elif spell.end == UNKNOWN or spell.end - statement.start > max(spell.unit, statement.unit):
        spell.conflict = True


def _succeed(spell: Spell, statement: ValueStatement, index: int, live: Sequence[Spell]) -> None:
    """End what was open before a statement of another value, or mark what contradicts it."""
    if len(live) > MAX_CANDIDATES + 1:
        spell.conflict = True
        return
    for other in live:
        if other is spell:
            continue
        if other.end == UNKNOWN and other.sure <= statement.start == spell.start:
            other.end, other.end_by, other.ended_by, other.unit = statement.start, index, SUCCEEDED, statement.unit
        else:
            until = min((end for end in (other.end, spell.end) if end != UNKNOWN), default=UNKNOWN)
            if until == UNKNOWN or until - statement.start > max(other.unit, statement.unit):
                spell.conflict = other.conflict = True


def _supported(statements: Sequence[ValueStatement], support: Sequence[int], found: Sequence[Spell]) -> list[Spell]:
    """Add each of the rest, without a start or no state, to the spell of its value that it can mean.

    Returns facts of their own for those that have none, one for each value, kind and time.
    """
    own: dict[int, list[Spell]] = defaultdict(list)
    for each in found:
        own[each.value].append(each)  # in order of start, none overlaps the next
    alone: dict[tuple[int, int, int, int], Spell] = {}
    for index in support:
        value, start, end, unit, kind, *_ = statements[index]
        held = own.get(value, []) if kind != PLAN else []
        before = bisect_left(held, end, key=lambda spell: spell.start) if end != UNKNOWN else len(held)
        spell = held[before - 1] if before else None
        if spell is None or (kind == EVENT and UNKNOWN not in (start, spell.end) and start >= spell.end):
            ends = (index, STATED) if end != UNKNOWN else (-1, OPEN)
            fact = Spell(value, kind, start, end, index if start != UNKNOWN else -1, *ends, unit, 0)
            spell = alone.setdefault((value, kind, start, end), fact)
        spell.statements.append(index)
    return list(alone.values())
