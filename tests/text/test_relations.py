import pytest

from graphrag_lite.text.names.name import Name
from graphrag_lite.text.relations import relation


def between(text: str, a: str, b: str, language: str = "en") -> str:
    """Return the label between the first `a` in `text` and the first `b` after it."""
    start = text.index(a)
    end = text.index(b, start + len(a))
    first, second = (Name(at, at + len(name), name, "unknown", True) for at, name in ((start, a), (end, b)))
    return relation(text, first, second, language)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Alice is the head of Acme.", "is the head of"),
        ("Alice is the\nhead of Acme.", "is the head of"),
        ("Alice later married Acme.", "later married"),
        ("Alice quietly left Acme.", "quietly left"),
        ("Alice works at Acme.", "works at"),
        ("Alice inspects the Acme daily.", "inspects the"),
        ("In 1990 Alice joined Acme.", "joined"),
        ("We know of Bob that Alice joined Acme.", "joined"),
        ("Alice joined Acme in May, she says.", "joined"),
        ("Alice joined Acme, Borg and Cyan.", "joined"),
        ("Bob, Carol and Alice founded Acme.", "founded"),
    ],
)
def test_a_verb_relates_its_subject_to_what_follows(text: str, said: str) -> None:
    assert between(text, "Alice", "Acme") == said


@pytest.mark.parametrize(
    "text",
    [
        "Alice and one question for Acme.",  # no verb
        "Alice with her friends at Acme.",
        "Alice, head of Acme.",
        "Alice is the Acme.",  # function words only
        "Alice friends of Acme.",  # a plural, no verb
        "Alice works of Acme.",
        "Alice based at Acme.",
        "Alice should join Acme.",  # no fact
        "Alice believed Acme.",  # her object is a clause
        "Alice has said Acme.",
        "Alice joined us at Acme.",  # of another clause
        "Alice left and Bob joined Acme.",
        "Alice became what is now Acme.",
        "Alice led was sold by Acme.",  # two finite verbs
        "Alice founded an Acme.",
        "Alice very slowly became an employee of Acme.",  # too long to be a label
        "Alice administered international organizations at Acme.",
    ],
)
def test_words_that_state_nothing_are_no_label(text: str) -> None:
    assert between(text, "Alice", "Acme") == ""


@pytest.mark.parametrize(
    "text",
    [
        "The head of Alice joined Acme.",
        "If Alice joined Acme, we would know.",
        "She asked whether the new Alice joined Acme.",
    ],
)
def test_a_name_at_the_end_of_a_longer_phrase_is_no_subject(text: str) -> None:
    assert between(text, "Alice", "Acme") == ""


@pytest.mark.parametrize(
    "text",
    [
        "Alice joined Acme's board.",
        "Alice joined Acme’s board.",
        "Alice joined Acme-Borg.",
        "Alice joined Acme board members.",
        "Alice joined Acme 365.",
        "Alice saw Acme is late.",
    ],
)
def test_an_owner_a_part_and_a_subject_are_no_object(text: str) -> None:
    assert between(text, "Alice", "Acme") == ""


def test_other_languages_have_the_verb_to_be_or_no_label() -> None:
    assert between("Alice est la directrice de Acme.", "Alice", "Acme", "fr") == "est la directrice de"
    assert between("Alice war Gründerin von Acme.", "Alice", "Acme", "de") == "war Gründerin von"
    assert between("Alice founded Acme.", "Alice", "Acme", "fr") == ""
    assert between("中国の政府が米国", "中国", "米国", "ja") == ""
    assert between("Alice is the head of Acme.", "Alice", "Acme", "") == ""
