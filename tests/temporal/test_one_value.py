"""Sentences that say what one has one of at a time: read where each part stands beside the other, and else not at all."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_lite.temporal.one_value import of_time, one_value_relations, one_values, relation_of_question

TYPES = {"Ana": "person", "Bo Lee": "person", "Acme": "organization", "Beta": "unknown", "Oslo": "location"}


def said(sentence: str) -> list[tuple[str, str, str, str, bool]]:
    names = [(*found.span(), found[0], TYPES[found[0]]) for found in re.finditer("|".join(TYPES), sentence)]
    return [one[:5] for one in one_values(sentence, names, "user", "Ana")]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("I moved to Oslo.", ("user", "lives in", "Oslo", "begins", True)),
        ("I moved to Oslo yesterday.", ("user", "lives in", "Oslo", "begins", True)),
        ("I don't live in Oslo anymore.", ("user", "lives in", "Oslo", "ends", True)),
        ("I'm working at Beta now.", ("user", "works at", "Beta", "holds", True)),
        ("Ana, who now works at Acme, sings.", ("Ana", "works at", "Acme", "holds", True)),
        ("Ana, who now works at Acme, was asked.", ("Ana", "works at", "Acme", "holds", True)),
        ("Ana works at Acme.", ("Ana", "works at", "Acme", "holds", False)),
        ("Ana worked at Acme from 1990 to 1995.", ("Ana", "works at", "Acme", "was", False)),
        ("Acme is now led by Bo Lee.", ("Acme", "is headed by", "Bo Lee", "holds", True)),
        ("Ana succeeded Bo Lee as chief executive of Acme in 2011.", ("Ana", "is CEO of", "Acme", "begins", False)),
        ("She has been named mayor of Oslo.", ("Ana", "is mayor of", "Oslo", "begins", True)),
        ("Ana has been interim director of Acme.", ("Ana", "is director of", "Acme", "holds", True)),
        ("Ana stepped down as CEO of Acme.", ("Ana", "is CEO of", "Acme", "ends", False)),
        ("I moved to Oslo when I was ten.", ("user", "lives in", "Oslo", "begins", False)),
    ],
)
def test_what_is_said(sentence: str, expected: tuple[str, str, str, str, bool]) -> None:
    assert said(sentence) == [expected]


@pytest.mark.parametrize(
    "sentence",
    [
        "I want to move to Oslo.",
        "I would never move to Oslo.",
        "I recently joined an Acme group.",
        "Ana was hired by an Acme partner.",
        "Ana is vice president of Acme.",
        "Ana is deputy director of Acme.",
        "The dog of Bo Lee lives in Oslo.",
        "I moved to Acme.",
        "Ana moved the lamp to Oslo.",
        "Ana moved to Ana.",
    ],
)
def test_what_is_not_said(sentence: str) -> None:
    assert not [one for one in said(sentence) if one[4]] and not any(one[3] == "begins" for one in said(sentence))


def test_a_time_stands_behind_what_is_said_and_a_short_name() -> None:
    sentence = "Ana became director of Acme (AC) in Oslo in 1998, and of Beta (today Gamma) in 1999."
    (one,) = one_values(sentence, [(0, 3, "Ana", "person"), (23, 27, "Acme", "organization")], "", "")
    assert of_time([one], 44, 48, sentence) and not of_time([one], 79, 83, sentence)


def test_who_says_that_he_moved_somewhere_lives_there() -> None:
    mine = one_values("I moved to Bergen.", [(11, 17, "Bergen", "unknown")], "user", "")
    others = one_values("Bo moved to Villa.", [(0, 2, "Bo", "person"), (12, 17, "Villa", "unknown")], "user", "")
    assert [one.object for one in mine] == ["Bergen"] and others == []


def test_a_time_before_two_clauses_is_of_both_and_one_behind_them_of_the_last() -> None:
    sentence = "In 2020 Ana lives in Oslo and works at Vega since 2021."
    names = [(8, 11, "Ana", "person"), (21, 25, "Oslo", "location"), (39, 43, "Vega", "organization")]
    both = one_values(sentence, names, "", "")
    first, last = ([one.object for one in of_time(both, *place, sentence)] for place in ((0, 7), (44, 54)))
    assert first == ["Oslo", "Vega"] and last == ["Vega"]


@pytest.mark.parametrize(
    "office", ["CEO", "Chief Executive Officer", "prime minister", "acting director", "chairwoman"]
)
@pytest.mark.parametrize(
    ("sentence", "stage"),
    [
        ("Ana is the {} of Acme.", "holds"),
        ("Ana replaced Bo Lee as {} of Acme.", "begins"),
        ("Ana served as {} of Acme.", "was"),
        ("Ana steps down as the {} of Acme.", "ends"),
        ("Ana resigned as {} of Acme.", "ends"),
    ],
)
def test_each_office_is_a_relation_of_its_own(office: str, sentence: str, stage: str) -> None:
    names = {"Chief Executive Officer": "CEO", "acting director": "director", "chairwoman": "chair"}
    assert [one[:4] for one in said(sentence.format(office))] == [
        ("Ana", f"is {names.get(office, office)} of", "Acme", stage)
    ]


WORDS = [*TYPES, "I", "moved to", "works at", "is", "now", ",", "not", "the", "led by"]


@given(st.lists(st.sampled_from(WORDS), max_size=9))
def test_whatever_is_said_is_of_names_of_the_right_types_in_the_sentence(words: list[str]) -> None:
    for subject, relation, thing, *_ in said(" ".join(words)):
        own = one_value_relations()[relation]
        assert TYPES[thing] in own.objects and (subject == "user" or TYPES[subject] in own.subjects)
        assert thing in words and subject != thing


@pytest.mark.parametrize(
    ("question", "relation"),
    [
        ("Where does Ana live?", "lives in"),
        ("Where did she work before Acme?", "works at"),
        ("Who is the former CEO of Acme?", "is CEO of"),
        ("Who leads Acme?", "is headed by"),
        ("Where does the pump work best?", ""),
        ("What is Ana's salary?", ""),
    ],
)
def test_what_is_asked(question: str, relation: str) -> None:
    assert relation_of_question(question) == relation
