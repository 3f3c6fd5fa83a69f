"""A community keeps its name while most of it stays."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag_lite.graph.community_ids import LEAST_OVERLAP, community_ids, community_numbers, successors
from graphrag_lite.graph.leiden import Community


def communities(*parts: list[int], level: int = 0) -> list[Community]:
    return [Community(level, -1, np.array(sorted(part), dtype=np.int64)) for part in parts]


def overlap(a: Community, b: Community) -> float:
    mine, theirs = set(a.members.tolist()), set(b.members.tolist())
    return len(mine & theirs) / len(mine | theirs)


@st.composite
def partitions(draw: st.DrawFn) -> list[Community]:
    found: list[Community] = []
    for level in range(draw(st.integers(0, 2)) + 1):
        labels = draw(st.lists(st.integers(0, 4), min_size=12, max_size=12))
        parts = ([node for node in range(12) if labels[node] == label] for label in sorted(set(labels)))
        found += communities(*parts, level=level)
    return found


@settings(max_examples=80, deadline=None)
@given(partitions(), partitions())
def test_pairs_are_one_to_one_and_the_best(older: list[Community], newer: list[Community]) -> None:
    sizes = [len(community.members) for community in older]
    was = successors(older, sizes, newer, 12)
    kept = [index for index in was if index >= 0]
    assert len(kept) == len(set(kept))
    for mine, theirs in enumerate(was):
        if theirs >= 0:
            assert overlap(newer[mine], older[theirs]) > LEAST_OVERLAP
    # No two that overlap more than each does with its own partner are left apart.
    for mine, new in enumerate(newer):
        for theirs, old in enumerate(older):
            if overlap(new, old) > LEAST_OVERLAP and was[mine] != theirs:
                partner = overlap(new, older[was[mine]]) if was[mine] >= 0 else 0.0
                rival = max((overlap(newer[i], old) for i, index in enumerate(was) if index == theirs), default=0.0)
                assert max(partner, rival) >= overlap(new, old)


def test_members_that_are_gone_count() -> None:
    [older], [newer] = communities([0, 1]), communities([0, 1])
    assert successors([older], [2], [newer], 2) == [0]
    assert successors([older], [3], [newer], 2) == [0]
    assert successors([older], [4], [newer], 2) == [-1]  # half of it is too little
    assert successors([], [], [newer], 2) == [-1] and successors([older], [2], [], 2) == []


def test_a_pair_of_one_level_comes_first() -> None:
    older = [*communities([0, 1]), *communities([0, 1], level=1)]
    assert successors(older, [2, 2], communities([0, 1], level=1), 2) == [1]
    assert successors(older, [2, 2], communities([0, 1], level=2), 2) == [0]


@settings(max_examples=100, deadline=None)
@given(partitions(), partitions())
def test_names_are_unique_and_kept(older: list[Community], newer: list[Community]) -> None:
    names = [f"e{node}" for node in range(12)]
    numbers = community_numbers(older, [-1] * len(older), [])
    ids = community_ids(older, [-1] * len(older), [], names)
    assert sorted(numbers) == list(range(len(older)))
    was = successors(older, [len(community.members) for community in older], newer, 12)
    new_numbers, new_ids = community_numbers(newer, was, numbers), community_ids(newer, was, ids, names)
    assert len(set(new_numbers)) == len(set(new_ids)) == len(newer)
    for index, number, identity in zip(was, new_numbers, new_ids, strict=True):
        if index >= 0:
            assert (number, identity) == (numbers[index], ids[index])
        else:
            assert number >= len(older) and identity not in ids
    fresh = [number for index, number in zip(was, new_numbers, strict=True) if index < 0]
    assert sorted(fresh) == list(range(len(older), len(older) + len(fresh)))


def test_a_hash_in_use_gives_way() -> None:
    """A kept id may be the hash of what another community holds now."""
    names = ["a", "b", "c"]
    held = communities([0, 1])
    [first] = community_ids(held, [-1], [], names)
    moved_on = community_ids(communities([0, 2], [0, 1]), [0, -1], [first], names)
    assert moved_on[0] == first and moved_on[1] not in (first, "")
    assert community_ids(held, [-1], moved_on, names)[0] not in moved_on
    assert community_ids(communities([0, 1], level=1), [-1], [], names) != [first]
