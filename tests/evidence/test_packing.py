"""Packs: nothing is lost, nothing is too large, and a change stays where it is."""

import random

from hypothesis import given
from hypothesis import strategies as st

from graphrag_lite.evidence.packing import pack_ranges


@given(st.lists(st.tuples(st.text(max_size=3), st.integers(0, 30))), st.integers(1, 40))
def test_all_items_stand_in_packs_that_are_not_too_large(items: list[tuple[str, int]], most: int) -> None:
    sizes = [size for _, size in items]
    found = pack_ranges([text for text, _ in items], sizes, most)
    assert [place for pack in found for place in pack] == list(range(len(items)))
    assert all(len(pack) == 1 or sum(sizes[i] for i in pack) <= most for pack in found)


def test_an_item_more_or_less_changes_few_packs() -> None:
    names = [f"name {number}" for number in range(1000)]

    def cut(items: list[str]) -> set[tuple[str, ...]]:
        return {tuple(items[i] for i in pack) for pack in pack_ranges(items, [1] * len(items), 20)}

    before = cut(names)
    assert len(before) < 1000 / 20 * 1.7
    changed = []
    for seed in range(50):
        place = random.Random(seed).randrange(1000)
        changed.append(len(cut([*names[:place], f"new {seed}", *names[place:]]) - before))
        changed.append(len(cut([*names[:place], *names[place + 1 :]]) - before))
    assert sum(changed) / len(changed) < 1.6 and max(changed) <= 4
    assert len(cut([*names, "new"]) - before) <= 2
