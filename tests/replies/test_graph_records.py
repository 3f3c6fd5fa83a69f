"""Entities and relationships in replies: every field in its place."""

import json
import re
from pathlib import Path

import pytest

from graphrag_lite.errors import ReplyError
from graphrag_lite.replies.graph_records import Entity, Relationship, known_type, read_graph
from graphrag_lite.replies.records import clean_field

TYPES = ["person", "organization", "location", "event", "work", "concept"]


def entity(fields: str) -> Entity | None:
    found = read_graph(f'("entity"<|>{fields})##("entity"<|>Last<|>person<|>x)<|COMPLETE|>', TYPES)
    return found.entities[0] if len(found.entities) == 2 else None


def relationship(fields: str) -> Relationship:
    (found,) = read_graph(f'("relationship"<|>{fields})<|COMPLETE|>', TYPES).relationships
    return found


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ("Scrooge<|>person<|>A miser", Entity("Scrooge", "person", "A miser")),
        ("**Scrooge**<|>PERSONS<|>A\n miser", Entity("Scrooge", "person", "A miser")),
        ("person<|>Scrooge<|>A miser", Entity("Scrooge", "person", "A miser")),
        ("Scrooge<|>A miser<|>person", Entity("Scrooge", "person", "A miser")),
        ("Scrooge<|>He was a miser", Entity("Scrooge", "unknown", "He was a miser")),
        ("Scrooge<|>person", Entity("Scrooge", "person", "")),
        ("Scrooge", Entity("Scrooge", "unknown", "")),
        ("Scrooge<|>person<|>A miser<|>who lives alone<|>8", Entity("Scrooge", "person", "A miser who lives alone")),
        ("The <|> mark<|>concept<|>It separates", Entity("The<|>mark", "concept", "It separates")),
        ("Marks &amp; Spencer\x00<|>Company<|>Sells&nbsp;tea", Entity("Marks & Spencer", "organization", "Sells tea")),
        ("HMS Erebus<|>Ship<|>Event, as it were, of iron", Entity("HMS Erebus", "ship", "Event, as it were, of iron")),
        ("<|>person<|>Nobody", None),
        ("...<|>person<|>Nobody", None),
        (f"{'x' * 201}<|>person<|>A sentence", None),
        ("name<|>type<|>description", None),
    ],
)
def test_fields_of_an_entity(fields: str, expected: Entity | None) -> None:
    assert entity(fields) == expected


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("PERSON", "person"),
        ("People", "person"),
        ("Organisations", "organization"),
        ("<location>", "location"),
        ("geo", "location"),
        ("person/character", "person"),
        ("character (person)", "person"),
        ("Fictional Character", "fictional character"),
        ("", "unknown"),
        ("N/A", "unknown"),
    ],
)
def test_a_type_is_the_one_of_the_settings_where_that_is_meant(said: str, meant: str) -> None:
    assert known_type(said, tuple(TYPES)) == meant


def test_types_that_the_settings_keep_apart_are_kept_apart() -> None:
    assert known_type("character", ("person", "character")) == "character"
    assert known_type("people", ("human", "character")) == "people"


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ("WORKS_FOR<|>He works.<|>8<|>1836<|>1843-12-24", ("WORKS_FOR", "He works.", 8.0, "1836", "1843-12-24")),
        ("works for<|>He works.<|>8<|><|>", ("WORKS_FOR", "He works.", 8.0, "", "")),
        ("He works for B.<|>8", ("", "He works for B.", 8.0, "", "")),
        ("WORKS_FOR<|>8", ("WORKS_FOR", "", 8.0, "", "")),
        ("WORKS_FOR<|>He works.", ("WORKS_FOR", "He works.", 1.0, "", "")),
        ("He works for B, of course.", ("", "He works for B, of course.", 1.0, "", "")),
        ("8<|>WORKS_FOR<|>He works.<|>1836<|>", ("WORKS_FOR", "He works.", 8.0, "1836", "")),
        ("WORKS_FOR<|>He works.<|>1836<|><|>8", ("WORKS_FOR", "He works.", 8.0, "1836", "")),
        ("WORKS_FOR<|>He works.<|>8<|><|>1843", ("WORKS_FOR", "He works.", 8.0, "", "1843")),
        ("WORKS_FOR<|>He works.<|><|><|>1843", ("WORKS_FOR", "He works.", 1.0, "", "1843")),
        ("WORKS_FOR<|>He works.<|>8<|>March 2021<|>ongoing", ("WORKS_FOR", "He works.", 8.0, "2021-03", "")),
        ("WORKS_FOR<|>He works.<|>8<|>N/A<|>unknown", ("WORKS_FOR", "He works.", 8.0, "", "")),
        ("合伙人<|>他们是合伙人。<|>9", ("合伙人", "他们是合伙人。", 9.0, "", "")),
    ],
)
def test_fields_of_a_relationship(fields: str, expected: tuple[str, str, float, str, str]) -> None:
    found = relationship(f"A<|>B<|>{fields}")
    assert (found.source, found.target) == ("A", "B")
    assert (found.relation, found.description, found.strength, found.valid_at, found.invalid_at) == expected


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ("REL<|>They met.<|>8<|>2019<|><|>event", ("2019", "", "event", "positive")),
        ("REL<|>They met.<|>8<|>2019<|>event", ("2019", "", "event", "positive")),
        ("REL<|>They met.<|>8<|>2019<|><|>State<|>Negative", ("2019", "", "state", "negative")),
        ("REL<|>They met.<|>8<|>2019<|>2020<|>negative plan", ("2019", "2020", "plan", "negative")),
        ("REL<|>They met.<|>8<|><|>", ("", "", "state", "positive")),
        ("REL<|>event", ("", "", "state", "positive")),  # a description
    ],
)
def test_the_last_fields_say_of_which_kind_a_relationship_is(fields: str, expected: tuple[str, ...]) -> None:
    found = relationship(f"A<|>B<|>{fields}")
    assert (found.valid_at, found.invalid_at, found.kind, found.polarity) == expected
    assert found.relation == "REL" and found.description in ("They met.", "event")


def test_json_says_of_which_kind_a_relationship_is() -> None:
    said = (
        '{"kind": "relationship", "source": "A", "target": "B", "relation": "MET", "description": "So.", "strength": 5}'
    )
    other = said.replace('"relationship"', '"event"').replace("5}", '5, "valid_at": "2019", "polarity": "negative"}')
    (one,), (two,) = (read_graph(f"[{each}]", TYPES).relationships for each in (said, other))
    assert (one.description, one.kind, two.valid_at, two.kind, two.polarity) == (
        "So.",
        "state",
        "2019",
        "event",
        "negative",
    )


@pytest.mark.parametrize(
    ("said", "strength"),
    [("8", 8), ("6.5", 6.5), ("6,5", 6.5), ("8/10", 8), ("80%", 8), ("85/100", 8.5), ("0.8", 8), ("1.0", 1), ("12", 10)]
    + [("0", 1), ("Strength: 7", 7), ("**7**", 7), ("seven", 7), ("high", 8), ("Very strong", 9), ("", 1), ("9 out of 10", 9)],
)  # fmt: skip
def test_strength_is_from_1_to_10_however_it_is_said(said: str, strength: float) -> None:
    assert relationship(f"A<|>B<|>REL<|>They are related.<|>{said}").strength == strength


def test_a_record_that_cannot_be_used_is_counted_and_the_others_kept() -> None:
    found = read_graph('("entity"<|>A<|>person<|>x)##("relationship"<|>A)##("entity"<|><|>person<|>y)##A<|>', TYPES)
    assert [one.name for one in found.entities] == ["A"] and found.n_dropped == 3


def test_exact_repetitions_are_one_and_two_types_of_a_name_are_two() -> None:
    reply = '("entity"<|>Fred<|>person<|>x)##("entity"<|>Fred<|>person<|>x)##("entity"<|>Fred<|>event<|>x)'
    assert [one.type for one in read_graph(reply, TYPES).entities] == ["person", "event"]


def test_a_record_without_its_kind_is_an_entity_where_a_type_stands_second() -> None:
    found = read_graph("(Scrooge<|>person<|>A miser)##(Scrooge<|>Fred<|>UNCLE_OF<|>Fred's uncle<|>9)", TYPES)
    assert found.entities == (Entity("Scrooge", "person", "A miser"),)
    assert found.relationships[0].relation == "UNCLE_OF"


def test_nothing_said_in_due_form_is_nothing() -> None:
    found = read_graph("<|COMPLETE|>", TYPES)
    assert not found.entities and not found.relationships and not found.n_dropped


@pytest.mark.parametrize(
    "reply", ["", "  ", "I'm sorry, but I can't help with that.", "No.\n<|COMPLETE|>", '("entity"<|>name<|>type<|>description)']
)  # fmt: skip
def test_a_refusal_is_an_error_that_says_what_to_write(reply: str) -> None:
    with pytest.raises(ReplyError, match=r"\(\"entity\"<\|>name<\|>type<\|>description\).*<\|COMPLETE\|> alone"):
        read_graph(reply, TYPES)


def test_clean_keeps_one_line_of_what_can_be_seen() -> None:
    assert clean_field(" a\u200b\x07\n\tb\u202e \ud800&lt;c&gt; ") == "a b <c>"


def real_replies(shared: Path) -> list[str]:
    path = shared / "replay" / "nano_graphrag_cache" / "responses.jsonl"
    texts = [json.loads(line)["return"] for line in path.read_text(encoding="utf-8").splitlines()]
    return [text for text in texts if "<|>" in text]


def test_the_first_record_of_each_real_reply_is_kept_also_of_gleanings(shared: Path) -> None:
    for text in real_replies(shared):
        first = re.search(r'["“](?:entity|relation(?:ship)?)["”]\s*<\|>\s*["“]([^"”]+)["”]', text)
        found = read_graph(text, ["organization", "person", "geo", "event"])
        names = [one.name for one in found.entities[:1]] + [one.source for one in found.relationships[:1]]
        assert first and clean_field(first[1]) in names


def test_the_last_relationship_of_each_real_reply_has_its_own_strength(shared: Path) -> None:
    n_checked = 0
    for text in real_replies(shared):
        numbers = re.findall(r"\|>\s*(\d+(?:\.\d)?)\s*\)", text)
        if numbers:
            n_checked += 1
            strengths = [one.strength for one in read_graph(text, TYPES).relationships]
            assert strengths == [float(number) for number in numbers], text
    assert n_checked == 84 - sum("relation" not in text for text in real_replies(shared))
