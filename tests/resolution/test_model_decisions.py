"""A model's verdicts: its replies, and what follows from all of them."""

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from resolving import resolve

from graphrag_lite.errors import ReplyError
from graphrag_lite.replies.chosen_numbers import read_chosen
from graphrag_lite.resolution.model_decisions import merge_clusters, merge_groups


@pytest.mark.parametrize(
    ("reply", "same", "n_unknown"),
    [
        ('{"same": [1, 3]}', {1, 3}, 0),
        ('```json\n{"same": [\n  1,\n  3\n]}\n```', {1, 3}, 0),
        ('{"same": ["1", "3: yes"]}', {1, 3}, 0),
        ('{"SAME": [1, 1, 7, 0]}', {1}, 2),
        ('{"same": {"1": true, "2": false}}', {1}, 0),
        ('{"same": []}', set(), 0),
        ("[1, 3]", {1, 3}, 0),
        ("[]", set(), 0),
        ("1: yes\n2: no\n3. **Yes**", {1, 3}, 0),
        ("- 1 – Same\n- 2 – Different", {1}, 0),
    ],
)
def test_a_reply_however_it_is_dressed(reply: str, same: set[int], n_unknown: int) -> None:
    assert read_chosen(reply, 5, "same") == (same, n_unknown)


@pytest.mark.parametrize("reply", ["None of them.", '{"pairs": [1]}', '{"same": 3}', '{"same": [1', "I cannot."])
def test_what_is_no_answer_is_refused(reply: str) -> None:
    with pytest.raises(ReplyError):
        read_chosen(reply, 5, "same")


@given(st.text(max_size=200))
def test_whatever_is_written_is_read_or_refused(text: str) -> None:
    try:
        same, _ = read_chosen(text, 5, "same")
    except ReplyError:
        return
    assert same <= {1, 2, 3, 4, 5}


def test_a_chain_does_not_join_what_was_told_apart() -> None:
    chain = [("a", "b"), ("b", "c"), ("c", "d"), ("d", "e")]
    assert merge_clusters(chain, []) == {"a": ["a", "b", "c", "d", "e"]}
    assert merge_clusters(chain, [("a", "e")]) == {"a": ["a", "b", "c", "d"]}
    assert merge_clusters([*chain[2:], *chain[:2]], [("a", "e")]) == {"a": ["a", "b"], "c": ["c", "d", "e"]}
    assert merge_clusters([("a", "b")], [("a", "b")]) == {}


PAIRS = st.lists(st.sampled_from(list(combinations("abcdefgh", 2))))


@given(PAIRS, PAIRS)
def test_clusters_are_disjoint_and_hold_no_pair_that_differs(
    same: list[tuple[str, str]], different: list[tuple[str, str]]
) -> None:
    found = merge_clusters(same, different)
    members = [name for group in found.values() for name in group]
    assert len(members) == len(set(members)) and all(group[0] == first for first, group in found.items())
    assert not any({one, other} <= set(group) for one, other in different for group in found.values())


def test_the_entity_named_most_gives_its_title_and_all_mentions_vote_about_the_type() -> None:
    names = ["Velm"] * 3 + ["Harold Velm"] * 2 + ["Quill"]
    types = ["person"] * 2 + ["ghost"] * 3 + ["person"]
    rows = resolve(["d"] * 6, names, types, [True] * 6, {}, alias=False, confirmed=True)
    votes = {"velm": Counter(types[:3]), "harold velm": Counter(types[3:5]), "quill": Counter(types[5:])}
    found = {row.name: row for row in merge_groups(rows, [["harold velm", "velm"]], votes)}
    assert {(row.key, row.title, row.type) for row in found.values()} == {
        ("velm", "Velm", "ghost"),
        ("quill", "Quill", "person"),
    }
    assert {name: row.rule for name, row in found.items()} == {
        "Velm": "exact",
        "Harold Velm": "model",
        "Quill": "exact",
    }
