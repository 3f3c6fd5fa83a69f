"""What the user knows goes before what the rungs decide, whatever else is in the file."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from resolving import resolve

from graphrag_lite.resolution.known_names import Entities, apply_decisions, unused_names
from graphrag_lite.resolution.ladder import Resolution
from graphrag_lite.settings.known_names import KnownNames

NAMES = ["Ann Li", "Anna Li", "Annie", "Li", "Bob Ray", "Mr. Ray", "Ray", "Acme", "Acme Corp", "the rotor"]
pairs = st.lists(st.lists(st.sampled_from(NAMES), min_size=2, max_size=3, unique=True), max_size=2)


def rows_of(names: list[str]) -> list[Resolution]:
    documents = [f"d{i % 3}" for i in range(len(names))]
    return resolve(documents, names, ["unknown"] * len(names), [True] * len(names), {})


def entities(rows: list[Resolution]) -> dict[str, str]:
    return {row.name: row.key for row in rows if not row.document_id}


@given(st.permutations(NAMES * 2), pairs, pairs, st.lists(st.sampled_from(NAMES), max_size=2))
def test_the_last_word_is_the_users(
    names: list[str], same: list[list[str]], different: list[list[str]], drop: list[str]
) -> None:
    try:
        known = KnownNames(same=same, different=different, drop=drop)
    except ValueError:
        return
    rows = apply_decisions(rows_of(names), known)
    key = entities(rows)
    for name in drop:
        assert key.get(name, "") == ""
    for listed in same:
        assert len({key[name] for name in listed if name in key}) <= 1
    told = {row.key: (row.title, row.type) for row in rows}
    assert all((row.title, row.type) == told[row.key] for row in rows)
    if not same:
        for listed in different:
            left = [key[name] for name in listed if key.get(name)]
            assert len(set(left)) == len(left)


def test_an_entity_keeps_its_key() -> None:
    before = entities(rows_of(["Ann Li", "Bob Ray", "Annie"]))
    after = entities(apply_decisions(rows_of(["Ann Li", "Bob Ray", "Annie"]), KnownNames(same=[["Ann Li", "Annie"]])))
    assert after == before | {"Annie": before["Ann Li"]}


def test_a_name_that_was_dropped_is_one_where_it_is_looked_for() -> None:
    rows = resolve(["d"], ["humbug"], ["unknown"], [False], {"humbug": 9})
    assert [row.key for row in rows] == [""]
    (row,) = apply_decisions(
        rows, KnownNames(names=["Humbug"], type={"Humbug": "exclamation"}, title={"humbug": "Bah!"})
    )
    assert (row.key, row.title, row.type) == ("humbug", "Bah!", "exclamation")
    assert unused_names([row], KnownNames(drop=["Nobody"], names=["HUMBUG"])) == ["Nobody"]


def test_a_name_in_two_cases_has_one_title_and_one_type() -> None:
    assert KnownNames(title={"NASA": "The agency", "nasa": "The agency"})
    with pytest.raises(ValueError, match="NASA and Nasa are one name: give it one title"):
        KnownNames(title={"NASA": "The agency", "Nasa": "Another"})
    with pytest.raises(ValueError, match="give it one type"):
        KnownNames(type={"Acme": "person", "ACME": "organization"})


def test_what_one_entity_takes_does_not_grow_with_the_others() -> None:
    """Rows that are looked at, for two titles, in an index of ten entities and of a thousand."""

    def looked_at(n: int) -> int:
        rows = CountedRows(Resolution("", f"Name {i}", f"name {i}", f"Name {i}", "person", "exact") for i in range(n))
        entities = Entities(rows)
        rows.n_read = 0
        entities.change(entities.of(["name 1"]), "name 2", title="Name 2")
        assert entities.of(["name 2", "name 3"]) == [1, 2, 3] and entities.of(["name 1"]) == []
        return rows.n_read

    assert looked_at(10) == looked_at(1000)


class CountedRows(list[Resolution]):
    n_read = 0

    def __getitem__(self, place: Any) -> Any:
        self.n_read += 1
        return super().__getitem__(place)
