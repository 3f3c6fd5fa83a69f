"""Properties of the fold over random histories; a day is one second here, so that times are exact."""

import os
import random
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np

from graphrag_lite.temporal.fold import EVENTS, FUNCTIONAL, INVERSE, MULTI, FactMentions, distinct, fold, prepare
from graphrag_lite.temporal.instants import UNKNOWN
from graphrag_lite.temporal.spells import ENDED_BY, EVENT, PLAN, STATE

POLICIES = np.array([FUNCTIONAL, INVERSE, MULTI, EVENTS])
Row = tuple[int, int, int, int, bool, int, int, int, int]


def history(seed: int) -> list[Row]:
    """Return mentions at random: subject, relation, object, kind, positive, start, end, unit, reported_at."""
    draw = random.Random(seed)
    made = []
    for _ in range(draw.randrange(15)):
        start = draw.choice([UNKNOWN, *range(1, 12)])
        lasts = draw.choice([None, None, None, -1, 1, 2, 3])
        end = UNKNOWN if lasts is None else (5 if start == UNKNOWN else start) + lasts
        what = draw.randrange(2), draw.choice([0, 0, 0, 1, 2, 3]), draw.randrange(3)
        kind, positive = draw.choice([STATE] * 4 + [EVENT, PLAN]), draw.random() < 0.85
        unit, day = draw.choice([0, 0, 0, 2]), draw.choice([UNKNOWN, *range(1, 10)])
        made.append((*what, kind, positive, start, end, unit, day))
    return made


def facts(history: Sequence[Row]) -> list[tuple[Any, ...]]:
    """Fold, and return each fact: what, from when to when, why, as told from when to when, by how many mentions."""
    columns = zip(*history, strict=True) if history else [[]] * len(fields(FactMentions))
    mentions = FactMentions(*(np.array(column, dtype=np.int64) for column in columns))
    mentions = replace(mentions, positive=mentions.positive > 0)
    mentions = prepare(mentions, POLICIES)
    apart = distinct(mentions, POLICIES)

    def of(place: int, name: str) -> int:
        return int(getattr(mentions, name)[apart.rows[apart.first[place]]]) if place >= 0 else UNKNOWN

    told = fold(mentions, apart)
    first = told.statements[np.append(0, np.cumsum(told.n_statements))[:-1]]
    found = []
    places = zip(told.start_by, told.end_by, told.created_by, told.expired_by, strict=True)
    for fact, (start_by, end_by, created_by, expired_by) in enumerate(places):
        ended_by = ENDED_BY[told.ended_by[fact]]
        what = tuple(of(first[fact], name) for name in ("subject", "relation", "object"))
        when = of(start_by, "start"), of(end_by, "end" if ended_by == "stated" else "start")
        state = int(told.kind[fact]), *when, ended_by, bool(told.conflict[fact])
        found.append((*what, *state, of(created_by, "reported_at"), of(expired_by, "reported_at")))
    return sorted(found)


def of_all(check: Callable[[list[Row]], None]) -> Callable[[], None]:
    """Check a property of random histories; a failure names the seed."""

    def checked() -> None:
        for seed in range(int(os.environ.get("N", 200))):
            try:
                check(history(seed))
            except AssertionError as error:
                error.add_note(f"history({seed})")
                raise

    checked.__name__ = check.__name__
    checked.__doc__ = check.__doc__
    return checked


def as_of(found: list[tuple[Any, ...]], day: int) -> list[tuple[Any, ...]]:
    return [fact[:8] for fact in found if fact[8] <= day and (fact[9] == UNKNOWN or day < fact[9])]


def now(found: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    return [fact[:8] for fact in found if fact[9] == UNKNOWN]


def said(value: int, start: int, end: int = UNKNOWN, *, day: int = 1, unit: int = 0, positive: bool = True) -> Row:
    return (0, 0, value, STATE, positive, start, end, unit, day)


@of_all
def test_any_order_gives_the_same_facts(history: list[Row]) -> None:
    shuffled = random.Random(1).sample(history, len(history))
    assert facts(shuffled) == facts(history)


@of_all
def test_as_of_a_day_is_an_index_of_what_was_said_until_then(history: list[Row]) -> None:
    told = facts(history)
    for day in (2, 4, 6, 8):
        assert as_of(told, day) == now(facts([row for row in history if row[8] <= day])), day


@of_all
def test_what_holds_does_not_depend_on_when_it_was_said(history: list[Row]) -> None:
    assert now(facts(history)) == now(facts([(*row[:8], 1) for row in history]))


@of_all
def test_two_values_at_once_are_a_conflict(history: list[Row]) -> None:
    """Times may be off by two at most, so two values may share as much."""
    current = [fact for fact in now(facts(history)) if fact[3] == STATE and fact[4] != UNKNOWN and not fact[7]]
    for number, one in enumerate(current):
        for other in current[number + 1 :]:
            if (one[1], one[0]) == (other[1], other[0]) and one[1] == 0:
                ends = [fact[5] for fact in (one, other) if fact[5] != UNKNOWN]
                assert min([*ends, 99]) - max(one[4], other[4]) <= 2, (one, other)


@of_all
def test_intervals_are_not_turned_round_and_stated_ends_stay(history: list[Row]) -> None:
    found = now(facts(history))
    assert all(fact[5] >= fact[4] for fact in found if UNKNOWN not in fact[4:6])
    ends = {(row[0], row[1], row[2], row[6]) for row in history if row[6] != UNKNOWN}
    assert all((*fact[:3], fact[5]) in ends for fact in found if fact[6] == "stated")
    held = [fact for fact in found if fact[3] == STATE]
    for row in prepared(history):
        if row[1] == 0 and row[3] == STATE and row[4] and UNKNOWN not in row[5:7]:
            own = [fact for fact in held if fact[:3] == row[:3] and fact[4] <= row[5]]
            assert any(fact[5] == UNKNOWN or row[6] <= fact[5] for fact in own), row


def prepared(history: list[Row]) -> list[Row]:
    return [row for row in history if not (UNKNOWN not in row[5:7] and row[6] <= row[5])]


@of_all
def test_only_what_has_the_relation_and_the_subject_or_object_is_ended(history: list[Row]) -> None:
    """What is said of others changes nothing."""
    own = [row for row in history if row[:2] == (0, 0)]
    assert [fact for fact in facts(history) if fact[:2] == (0, 0)] == facts(own)


def test_a_stated_end_is_not_overridden() -> None:
    found = now(facts([said(0, 1, 8), said(1, 4)]))
    assert [(fact[4], fact[5], fact[7]) for fact in found] == [(1, 8, True), (4, UNKNOWN, True)]


def test_stated_times_that_touch_are_one() -> None:
    found = now(facts([said(0, 1, 4), said(0, 4, 6), said(0, 6)]))
    assert [fact[4:7] for fact in found] == [(1, 6, "stated"), (6, UNKNOWN, "")]


def test_of_two_stated_ends_the_later_one_stays() -> None:
    assert [fact[4:7] for fact in now(facts([said(0, 1, 8), said(0, 3, 5)]))] == [(1, 8, "stated")]


def test_what_is_said_again_counts_where_times_overlap() -> None:
    history = [said(0, 1, 4, unit=2), said(1, 3), said(0, 3, day=2)]
    assert now(facts(history)) == now(facts([(*row[:8], 1) for row in history]))


def test_times_that_may_be_off_by_as_much_are_no_conflict() -> None:
    """ "From 2001 to 2006", "since 2006": the first has ended in the year in which the second began."""
    found = now(facts([said(0, 1, 7, unit=2), said(1, 6)]))
    assert [(fact[4], fact[5], fact[7]) for fact in found] == [(1, 7, False), (6, UNKNOWN, False)]


def test_which_of_two_is_newer_may_not_be_known() -> None:
    """ "Since 2006", "since March 2006"."""
    found = now(facts([said(0, 1, unit=2), said(1, 2)]))
    assert [(fact[5], fact[7]) for fact in found] == [(UNKNOWN, True), (UNKNOWN, True)]


def test_an_end_told_alone_ends_what_began_before() -> None:
    found = facts([said(0, 1, day=1), said(0, UNKNOWN, 5, day=3)])
    told = [(fact[4], fact[5], fact[6], *fact[8:]) for fact in found]
    assert told == [(1, UNKNOWN, "", 1, 3), (1, 5, "stated", 3, UNKNOWN)]


def test_a_negation_ends_its_own_value_alone() -> None:
    found = now(facts([said(0, 1), said(1, 1), said(0, 5, positive=False)]))
    assert [(fact[2], fact[5], fact[6]) for fact in found] == [(0, 5, "negated"), (1, UNKNOWN, "")]


def test_more_values_than_candidates_end_nothing() -> None:
    found = now(facts([said(value, 1) for value in range(12)] + [said(20, 9)]))
    assert all(fact[5] == UNKNOWN and fact[7] for fact in found)


def test_many_sources_of_one_fact_are_folded_in_time() -> None:
    """Each day tells one fact anew, and every tenth an earlier beginning: all steps but the last are merged."""
    found = facts([said(day % 2, 1000 - day, day=day) for day in range(1, 900)])
    assert len(now(found)) == 899


@of_all
def test_seen_again_gives_no_new_facts(history: list[Row]) -> None:
    """What every document repeats is folded to what it was."""
    assert now(facts([*history, *history])) == now(facts(history))
