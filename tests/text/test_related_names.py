"""Names of one sentence are related where words between them say how."""

import pytest

from graphrag_lite.text.names.find import find_names
from graphrag_lite.text.names.name import Name
from graphrag_lite.text.related_names import related_names, tells_of

NAMES = ("Alice Velm", "Bob Hox", "Oslo", "Acme", "Rome")


def related(text: str, language: str = "en") -> list[tuple[str, str, str]]:
    places = sorted((text.index(name), name) for name in NAMES if name in text)
    names = [Name(at, at + len(name), name, "unknown", True) for at, name in places]
    found = related_names(text, names, (0, len(text)), language, 6)
    return [(names[i].name, label, names[j].name) for i, j, label in found]


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Alice Velm works for Acme.", "works for"),
        ("Alice Velm, who founded Acme in May, left.", "founded"),
        ("Alice Velm, the chief engineer of Acme, left.", "chief engineer of"),
        ("We saw Alice Velm in Oslo.", "in"),
        ("Acme's founder Bob Hox left.", "founder"),
        ("The Acme goalkeeper Bob Hox left.", "goalkeeper"),
        ("Alice Velm, founder and head of Acme, left.", "founder and head of"),
        ("They sold the Acme works in Oslo.", "works in"),
    ],
)
def test_a_label_says_what_one_is_to_the_other(text: str, label: str) -> None:
    ((_, said, _),) = related(text)
    assert said == label


@pytest.mark.parametrize(
    "text",
    [
        "Alice Velm opened the old works, and all who heard of it praised Acme.",
        "They met Alice Velm, Bob Hox and the people.",
        "They met Alice Velm and Bob Hox there.",
        "Alice Velm - Bob Hox",
        "They sold Acme tools for Oslo.",
        "They sold Acme and an old house of Oslo.",
        "It came from Oslo, from Rome.",
        "Alice Velm: Thanks for having me, my dear Bob Hox.",
        "He saw Alice Velm; it was founded by Bob Hox.",
        "He saw Alice Velm, but visited Bob Hox.",
        "Did Alice Velm found Acme?",
        "Alice Velm said nothing of interest, which we all know was not at all what anybody there had been hoping "
        "to hear from those who visited Acme.",
        "Alice Velm, Smith J, Doe K, Roe L. founded by Acme. Nature 12:345-367 (2009).",
        "Alice Velm, seen in the old house of the people, and of the others, was not founded by Acme.",
        "| Alice Velm | founded by | Acme | | |",
        "name: Alice Velm founded: Acme kind: true",
        "The value was told by Alice Velm (which was measured at Acme).",
        "Alice Velm sold tools in shops like Acme.",
        "The probe (kept at Acme) was used to find Oslo.",
        "Alice Velm feared the noise around Acme's hall.",
        "'I sold it to Alice Velm,' laughed Bob Hox.",
        "If you sang for Alice Velm, my old friend, Bob Hox, I could not have told.",
        "Miners at Acme saw the old town of Oslo.",
        "He wrote to Alice Velm from Oslo.",
        "Alice Velm had three votes, Bob Hox had two.",
        "Alice Velm said the talks went on in Oslo.",
        "Alice Velm is not the head of Acme.",
        "When Alice Velm is ill, the doctor of the town visits Oslo.",
        "### How Alice Velm works for Acme",
        '["On Acme", in Mines and Men, Alice Velm ed. Oslo 1990, pp. 3-9].',
        "Packages outside the Acme path must be encoded in Oslo.",
    ],
)
def test_what_says_nothing_of_both_relates_nothing(text: str) -> None:
    assert related(text) == []


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The pact between Alice Velm and Bob Hox failed.", "en"),
        ("L'accord entre Alice Velm et Bob Hox échoua.", "fr"),
        ("Oslo-based Acme sold tools.", "en"),
        ("The head of Acme is Bob Hox.", "en"),
        ("The pilot was Bob Hox, who had quietly left the old works of Rome.", "en"),
        ("On Monday Alice Velm quietly opened the mines near the harbour of Oslo.", "en"),
        ("Die Alice Velm kaufte gestern Acme.", "de"),
    ],
)
def test_a_sentence_may_say_how_without_a_label(text: str, language: str) -> None:
    assert [label for _, label, _ in related(text, language)] == [""]


def test_who_is_named_together_is_the_subject_together() -> None:
    told = "On 16 May Alice Velm and Bob Hox quietly opened the mines near the harbour of Oslo."
    assert {(a, b) for a, _, b in related(told)} == {("Alice Velm", "Oslo"), ("Bob Hox", "Oslo")}


def test_prepositions_of_another_language_are_within_a_title() -> None:
    assert not any(label for _, label, _ in related("Il cite Alice Velm for Acme.", "fr"))
    assert not any(label for _, label, _ in related("Depuis, la foule pendant Alice Velm aux pieds de Acme.", "fr"))


def test_two_long_lists_say_nothing_of_each_other() -> None:
    names = [f"{letter}ova" for letter in "ABCDEFGH"]

    def pairs(n_first: int) -> int:
        text = f"{', '.join(names[:n_first])} are used by {', '.join(names[n_first:])}."
        found = [Name(text.index(name), text.index(name) + 4, name, "unknown", True) for name in names]
        return len([*related_names(text, found, (0, len(text)), "en", 8)])

    assert pairs(2) and not pairs(4)


def test_the_members_of_a_list_are_related_to_what_stands_before_it() -> None:
    found = related("Alice Velm founded Acme, and visited Oslo and Rome.")
    assert ("Alice Velm", "founded", "Acme") in found
    assert {source for source, _, _ in found} == {"Alice Velm"}


def test_a_comma_alone_makes_no_list_that_a_label_is_shared_by() -> None:
    assert related("After a week in Oslo, Acme's founder Bob Hox left.") == [("Acme", "founder", "Bob Hox")]
    assert ("Oslo", "is home to", "Bob Hox") in related("As is said, Rome and Oslo is home to Bob Hox.")


def test_what_leads_to_an_example_is_no_label() -> None:
    for text in (
        "They saw all of Oslo, including the fields of Rome.",
        "From Oslo la le de Rome he went.",
        "Oslo to Rome",
    ):
        assert not any(label for _, label, _ in related(text))


def test_a_hyphen_makes_no_script_without_spaces() -> None:
    assert related("Alice Velm led 1-0 at halftime after a late goal in the 25th minute against Acme.")
    assert related("Acmeは去年ここでOsloを訪ねた。", "ja")
    assert not related(f"Acmeは{'去年の夏ここで' * 6}Osloを訪ねた。", "ja")


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("ja", "Acmeは昨年、Osloから撤退した。", True),
        ("ja", "AcmeのBoはOsloを訪ねた。", False),  # "Acme", which is no topic
        ("ja", "AcmeはBoがOsloを訪ねたと言う。", False),  # of whom another is the subject
        ("ja", "AcmeはOsloの事を言う。", False),
        ("ko", "Acme는 작년에 Oslo를 떠났다.", True),
        ("ko", "Acme와 Oslo는 작년에 떠났다.", False),
        ("zh", "Acme去年离开了Oslo的办公室。", False),  # nothing tells it but a label
    ],
)
def test_where_a_topic_and_a_case_say_how(language: str, text: str, expected: bool) -> None:
    assert (("Acme", "", "Oslo") in related(text, language)) == expected


def test_parts_of_one_name_are_not_related() -> None:
    text = "Thomas Day Hall was called Thomas D. Hall by all."
    names = [name for name in find_names(text, "en") if "Hall" in name.name]
    assert len(names) == 2 and not list(related_names(text, names, (0, len(text)), "en", 6))


def test_a_speaker_is_related_to_what_is_said_of_the_speaker() -> None:
    assert related("Alice Velm: So I worked at Acme then.") == [("Alice Velm", "", "Acme")]
    assert related("Alice Velm: So they worked at Acme then.") == []


def test_a_text_says_something_of_its_topic_where_a_sentence_stands_for_it() -> None:
    assert tells_of("She was born in Rome.", "Alice Velm", "Rome")
    assert tells_of("In Rome Velm was born.", "Alice Velm", "Rome")
    assert not tells_of("In Rome Bob Hox was born.", "Alice Velm", "Rome")
    assert not tells_of("She is Alice P. Velm.", "Alice Velm", "Alice P. Velm")
