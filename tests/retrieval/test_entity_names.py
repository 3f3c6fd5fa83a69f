"""Known names in a text: longest first, folded, and only where the text writes a name."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from linear import assert_linear

from graphrag_lite.retrieval.entity_names import NameTable, find_mentions, find_parts, name_table, names_of_title

NAMES = [
    "New York",
    "New York City",
    "Émile Zola",
    "Water",
    "Who",
    "IT",
    "東京",
    "서울",
    "हिन्दी",
    "The Rack",
    "York",
    "K2",
]
TABLE = name_table([(name, i) for i, name in enumerate(NAMES)])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Is New York City larger than New York?", ["New York City", "New York"]),
        ("Who wrote of emile zola in York?", ["Émile Zola", "York"]),
        ("ＥＭＩＬＥ ZOLA's book", ["Émile Zola"]),
        ("Is water wet in Water?", ["Water"]),
        ("who wrote it in york", ["York"]),
        ("The IT of the WHO", ["IT", "Who"]),
        ("東京都はどこ", ["東京"]),
        ("서울에서", ["서울"]),
        ("हिन्दी भाषा", ["हिन्दी"]),
        ("Who climbed K2?", ["K2"]),
        ("New", []),
        ("the rack", ["The Rack"]),
        ("", []),
    ],
)
def test_find_mentions(text: str, expected: list[str]) -> None:
    found = find_mentions(text, "en", TABLE)
    assert [NAMES[m.entities[0]] for m in found] == expected


def test_spans_are_characters_of_the_text_itself() -> None:
    text = "In ﬁne ＮＥＷ Ｙｏｒｋ, E\u0301mile Zola"
    assert [text[m.start : m.end] for m in find_mentions(text, "en", TABLE)] == ["ＮＥＷ Ｙｏｒｋ", "E\u0301mile Zola"]


def test_an_ambiguous_name_stands_for_all_its_entities() -> None:
    table = name_table([("The Rack", 5), ("the rack", 2), ("Rack", 1)])
    assert [m.entities for m in find_mentions("The Rack", "en", table)] == [(2, 5)]


def test_single_characters_and_endless_names_are_not_looked_up() -> None:
    table = name_table([("A", 0), ("中", 1), ("!", 2), (" ".join(["word"] * 50), 3)])
    assert list(table.entities) == []


@given(st.text("New YorkCity 東京都é'", max_size=40))
def test_mentions_are_in_order_and_do_not_overlap(text: str) -> None:
    found = find_mentions(text, "en", TABLE)
    assert all(a.end <= b.start for a, b in zip(found, found[1:], strict=False))
    assert all(0 <= m.start < m.end <= len(text) for m in found)


def parts(text: str, table: NameTable) -> list[tuple[str, tuple[int, ...]]]:
    found = find_parts(text, "en", table, find_mentions(text, "en", table))
    return [(text[m.start : m.end], m.entities) for m in found]


def test_the_last_word_of_a_few_names_means_them() -> None:
    table = name_table([("John Lennon", 0), ("Sean Ono Lennon", 3), ("Lennon Wall", 2), ("the Lennon", 3), ("Wall", 1)])
    assert parts("Did Lennon and LENNON know John Lennon?", table) == [("Lennon", (0, 3)), ("LENNON", (0, 3))]
    assert parts("Did Lennons or lennon see John or the Wall?", table) == [("Wall", (2,))]
    assert parts("Lennon", name_table([("Lennon", 4)])) == []


def test_a_word_that_many_names_end_in_means_none_of_them() -> None:
    names = [(f"{first} Street", i) for i, first in enumerate(["Oak", "Elm", "Ash", "Yew", "Fir", "Bay"])]
    assert parts("Which Street?", name_table(names[:5])) == [("Street", (0, 1, 2, 3, 4))]
    assert parts("Which Street?", name_table(names)) == []
    assert parts("The WHO, Xi and For", name_table([("The Who", 0), ("Li Xi", 1), ("What For", 2)])) == []


@pytest.mark.parametrize("unit", ["a", "New ", "New York ", "Xy ", "A", " ", "東", "東京", "\u0301"])
def test_a_megabyte_takes_linear_time(unit: str) -> None:
    assert_linear(lambda text: find_parts(text, "en", TABLE, find_mentions(text, "en", TABLE)), unit)


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Cicero", ["Cicero"]),
        ("The Rack (1915 film)", ["The Rack (1915 film)", "The Rack"]),
        ("Springfield, Ohio", ["Springfield, Ohio", "Springfield"]),
        ("Guide > Install", ["Guide"]),
        ("AC/DC", ["AC/DC"]),
        ("(What's the Story)", ["(What's the Story)"]),
        ("張（人名）", ["張（人名）", "張"]),
        ("  ", []),
    ],
)
def test_names_of_title(title: str, expected: list[str]) -> None:
    assert names_of_title(title) == expected
