"""Which pairs of names are worth a question."""

import random
import time

import pytest
from linear import assert_linear

from graphrag_lite.resolution.candidate_pairs import MAX_PAIRS, grey_pairs


def pairs(*names: str, **more: int) -> set[tuple[str, str]]:
    return set(grey_pairs({name: name for name in names}, {}, **more))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("jacob marley", "marleys ghost"),  # a rare word, a possessive
        ("mr fezziwig", "fezziwig"),
        ("internal revenue service", "irs"),
        ("bank of england", "boe"),
        ("tarn foods ltd", "tarn food"),
        ("jon velm", "john velm"),
        ("alexander velm", "alex velm"),
        ("j velm", "john velm"),
        ("gutenberg", "project gutenberg"),
        ("smith", "smyth"),
        ("prince velm", "velm the prince"),
        ("stoney quarry", "stony quarry"),
        ("ghost of christmas yet to come", "spirit of christmas yet to come"),
        ("北京大學", "北京大学"),
        ("青禾电池公司", "青禾电池"),
    ],
)
def test_similar_names_meet(one: str, other: str) -> None:
    assert pairs(one, other, "nothing of the kind") == {(min(one, other), max(one, other))}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("world war i", "world war ii"),
        ("chapter 1", "chapter 2"),
        ("mr velm", "mrs velm"),
        ("bob velm", "peter velm"),
        ("university of oxford", "university of bradford"),
        ("velm", "harold velm memorial library"),
        ("tim", "tom"),
        ("王小明", "王小红"),
    ],
)
def test_others_do_not(one: str, other: str) -> None:
    assert pairs(one, other) == set()


def test_types_that_no_mention_shares_do_not_meet() -> None:
    entities = {name: name for name in ("velm", "mount velm")}
    person, place = frozenset({"person"}), frozenset({"location"})
    assert grey_pairs(entities, {"velm": person, "mount velm": place}) == []
    assert grey_pairs(entities, {"velm": person, "mount velm": place | person}) == [("mount velm", "velm")]
    assert grey_pairs(entities, {"velm": frozenset(), "mount velm": place}) == [("mount velm", "velm")]


def test_names_of_one_entity_speak_for_it_and_do_not_meet() -> None:
    entities = {"jacob marley": "jacob marley", "marley": "jacob marley", "marleys": "ghost"}
    assert grey_pairs(entities, {}) == [("ghost", "jacob marley")]


def test_the_order_of_names_changes_nothing() -> None:
    names = [
        f"{first} {last}{end}" for first in ("ann", "anne", "anna") for last in ("velm", "wren") for end in ("", "s")
    ]
    expected = grey_pairs({name: name for name in names}, {})
    assert expected
    for seed in range(5):
        random.Random(seed).shuffle(names)
        assert grey_pairs({name: name for name in names}, {}) == expected


def test_an_entity_is_in_few_pairs_its_likest() -> None:
    names = ["velm", *(f"velm {word}" for word in "house garden office window candle".split()), "velms"]
    found = pairs(*names, most=2)
    assert ("velm", "velms") in found
    assert max(sum(name in pair for pair in found) for name in names) == 2
    assert max(sum(name in pair for pair in pairs(*names)) for name in names) <= MAX_PAIRS


def test_the_cost_grows_with_the_names_not_their_pairs() -> None:
    rng = random.Random(1)
    syllables = [a + b for a in "bdfgklmnprstvz" for b in ("a", "e", "i", "o", "u", "an", "er")]

    def word() -> str:
        return "".join(rng.choice(syllables) for _ in range(3))

    names = [f"{word()} {word()}" for _ in range(1000)]

    def seconds(n: int) -> float:
        started = time.process_time()
        grey_pairs({name: name for name in names[:n]}, {})
        return time.process_time() - started

    seconds(100)
    assert seconds(1000) < 8 * seconds(250) + 1  # 16 times for all to all


@pytest.mark.parametrize("name", ["a", "b ", "7"])
def test_a_name_without_end(name: str) -> None:
    assert_linear(lambda text: pairs(text.strip(), text.strip()[:-1].strip(), "velm"), name)
