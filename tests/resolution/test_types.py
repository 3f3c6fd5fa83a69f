"""Types inferred from names that are used alike."""

import random

import pyarrow as pa
import pytest

from graphrag_lite.resolution.candidates import Candidate, Tally
from graphrag_lite.resolution.faces import inferred_faces, may_be
from graphrag_lite.resolution.types import MIN_STATED, infer_types
from graphrag_lite.text.names.contexts import JOINED, mention_context, written_form

PLACE, PERSON = "She lives in {}, near the sea.", "Then {} asked her why."


def features(name: str, sentence: str, n: int = 1) -> list[tuple[str, ...]]:
    text, start = sentence.format(name), sentence.index("{")
    return [written_form(name, {}), *[mention_context(text, start, start + len(name))] * n]


def inferred(found: dict[str, list[tuple[str, ...]]], stated: dict[str, str]) -> dict[str, str]:
    beside = [[JOINED.join(one) for one in held[1:]] for held in found.values()]
    return infer_types({key: held[0] for key, held in found.items()}, pa.array(beside, pa.list_(pa.string())), stated)


def corpus() -> tuple[dict[str, list[tuple[str, ...]]], dict[str, str]]:
    stated = {f"Town{i:c}": "location" for i in range(97, 97 + MIN_STATED)}
    stated |= {f"Body{i:c}": "person" for i in range(97, 97 + MIN_STATED)}
    found = {name: features(name, PLACE if kind == "location" else PERSON) for name, kind in stated.items()}
    return found | {"Velm": features("Velm", PLACE, 9), "Ruth": features("Ruth", PERSON, 9)}, stated


def test_a_name_has_the_type_of_those_that_are_used_alike() -> None:
    assert inferred(*corpus()) == {"Velm": "location", "Ruth": "person"}


def test_what_is_used_like_nothing_else_has_no_type() -> None:
    found, stated = corpus()
    assert "Velm" not in inferred(found | {"Velm": features("Velm", "(what {} is)")}, stated)


def test_where_few_names_are_stated_other_corpora_teach_in_languages_that_they_have() -> None:
    asked = {
        "Velm": features("Velm", PLACE),
        "Ann Lee": features("Ann Lee", "It was directed by {} (born 1950)."),
        "Kova": features("Kova", "Zil vox {} mar."),
        "某市": features("某市", "他们在{}，不远"),
    }
    assert inferred(asked, {}) == {"Velm": "location", "Ann Lee": "person"}


def test_the_order_of_names_and_of_their_mentions_changes_nothing() -> None:
    found, stated = corpus()
    found["Ruth"] += features("Ruth", PLACE, 8)[1:]
    shuffled = random.Random(3).sample(sorted(found), len(found))
    other = {key: [found[key][0], *reversed(found[key][1:])] for key in shuffled}
    assert inferred(other, dict(sorted(stated.items(), reverse=True))) == inferred(found, stated)


@pytest.mark.parametrize(
    ("name", "kind", "may"),
    [
        ("MMLU-Pro", "location", False),
        ("C-Eval", "person", False),
        ("Mf", "organization", False),
        ("Velm", "location", True),
        ("Cell", "location", False),
        ("Captain", "person", True),
        ("AJ Styles", "person", True),
    ],
)
def test_what_a_name_may_be(name: str, kind: str, may: bool) -> None:
    assert may_be(name, kind, {"cell": 3, "captain": 9}) is may


def test_a_word_that_a_corpus_mostly_has_in_small_letters_is_a_person_only_if_it_is_a_word_for_one() -> None:
    lower = {"preview": 9, "color": 40, "options": 40, "captain": 9, "diamond": 2}
    may = {name: may_be(name, "person", lower, 23) for name in ("Preview", "Color Options", "Captain", "Diamond")}
    assert may == {"Preview": False, "Color Options": False, "Captain": True, "Diamond": True}
    assert may_be("Preview", "person", lower, 46)
    assert may_be("Preview Velm", "person", lower, 23)


def test_what_stands_in_cells_alone_is_of_no_type_for_how_it_is_written() -> None:
    letters = [chr(i) for i in range(97, 97 + MIN_STATED)]
    stated = {f"Body{letter}": "person" for letter in letters} | {f"Town {letter}": "location" for letter in letters}
    beside = {name: features(name, PERSON)[1:] for name in stated}
    faces = {name: (name, kind) for name, kind in stated.items()} | {"Starboard": ("Starboard", "unknown")}
    entries = {name: Candidate(surfaces=Tally({name: 1})) for name in faces}

    def typed(sentence: str) -> dict[str, tuple[str, str]]:
        contexts = beside | {"Starboard": features("Starboard", sentence)[1:]}
        told = pa.array([[JOINED.join(one) for one in held] for held in contexts.values()])
        return inferred_faces(faces, {name: [name] for name in faces}, entries, lambda _: told, {})

    assert typed("Then {} left.") == {"Starboard": ("Starboard", "person")}
    assert not typed("side: {}\ncap: 65")
