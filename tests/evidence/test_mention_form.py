"""What a mention of a name is in its sentence, by form."""

import pytest

from graphrag_lite.evidence.mention_form import DEFINES, NAMES, SPEAKS, mention_form

TALK = "AMY LEE: Good evening to all of you.\nAMY LEE: Yes.\nBO YI: No.\nBO YI: Well.\n"


@pytest.mark.parametrize(
    ("line", "name", "form"),
    [
        ("AMY LEE: The mirror of the telescope was ground wrong.", "AMY LEE", SPEAKS),
        ("BO YI: Thank you, Amy Lee, and good evening.", "Amy Lee", SPEAKS),
        ("BO YI: Amy, the mirror of the telescope was ground to the wrong shape.", "Amy", SPEAKS),
        ("BO YI: And Amy, I would like to hear about the mirror of your telescope.", "Amy", SPEAKS),
        ("Thanks for the question, Amy.", "Amy", SPEAKS),
        (
            "BO YI: With us are Cy Moss, the pilot, and Amy Lee, chief financial officer of the firm.",
            "Amy Lee",
            DEFINES,
        ),
        ("With us are Amy Lee, Chief Financial Officer; and Bo Yi, Chief Executive Officer.", "Amy Lee", DEFINES),
        ("BO YI: I give the floor to our chairwoman, Amy Lee.", "Amy Lee", DEFINES),
        ("BO YI: Amy Lee is the director of the observatory.", "Amy Lee", DEFINES),
        ("BO YI: So good job there, Amy Lee.", "Amy Lee", SPEAKS),
        ("BO YI: The mirror that Amy Lee had ground was of the wrong shape.", "Amy Lee", NAMES),
        ("On the stage are Amy Lee, Bo Yi and the whole crew of the telescope.", "Amy Lee", NAMES),
    ],
)
def test_who_speaks_or_is_spoken_to_is_told_from_what_is_said_of_somebody(line: str, name: str, form: int) -> None:
    text = TALK + line
    start = text.index(name, len(TALK))
    assert mention_form(text, (start, start + len(name)), (len(TALK), len(text)), "en")[0] == form


def test_in_prose_only_the_subject_of_a_sentence_is_defined_and_nobody_is_spoken_to() -> None:
    text = "Kafka, an open queue of messages, grew. In Rome, Kafka, so they say, was a friend of Max, the pilot, for years."
    first, second, third = text.index("Kafka"), text.rindex("Kafka"), text.index("Max")
    assert mention_form(text, (first, first + 5), (0, 39), "en") == (DEFINES, 0)
    assert mention_form(text, (second, second + 5), (40, len(text)), "en") == (NAMES, 40)
    assert mention_form(text, (third, third + 3), (40, len(text)), "en") == (NAMES, 40)


def test_what_somebody_does_behind_a_comma_defines_nobody() -> None:
    text = "Ann Lee, perched on the edge of her chair, grew silent before the whole committee."
    assert mention_form(text, (0, 7), (0, len(text)), "en")[0] == NAMES
    for text in ("Ann Lee, staring across at her, felt cold.", "Ann Lee, again a pilot of whales, came."):
        assert mention_form(text, (0, 7), (0, len(text)), "en")[0] == NAMES, text
