"""Who speaks to whom in a story, and who does something with whom."""

import pytest

from graphrag_lite.text.dialogue import met
from graphrag_lite.text.names.name import Name

NAMES = ("Ann", "Bob Hox", "Cy")


def found(text: str) -> list[tuple[str, str, str]]:
    places = sorted((text.index(name), name) for name in NAMES if name in text)
    names = [Name(at, at + len(name), name, "person", True) for at, name in places]
    return [(names[i].name, label, names[j].name) for i, j, label in met(text, names, (0, len(text)))]


@pytest.mark.parametrize(
    ("text", "who", "label", "whom"),
    [
        ("'Yes, Ann,' replied Cy.", "Cy", "replied to", "Ann"),
        ('"Make haste, my dear Bob Hox!" suddenly cried the good Ann.', "Ann", "cried to", "Bob Hox"),
        ("“I saw it,” Ann said sadly, “and you did not, Cy.”", "Ann", "said to", "Cy"),
        ("“Good morning,” said Ann to the Cy of old.", "Ann", "said to", "Cy"),
        ("'Is it you, Ann?' asked Cy.", "Cy", "asked", "Ann"),
        ("As Ann and Bob Hox slowly walked home, it rained.", "Ann", "walked with", "Bob Hox"),
        ("That night Ann and Cy were sitting together.", "Ann", "sitting with", "Cy"),
    ],
)
def test_a_conversation_relates_who_has_it(text: str, who: str, label: str, whom: str) -> None:
    assert found(text) == [(who, label, whom)]


@pytest.mark.parametrize(
    "text",
    [
        "'I saw Ann and the rest,' replied Cy.",  # told of
        "'They are Ann, Bob Hox, and more,' said Cy.",  # a list
        "'Yes, Ann,' replied Cy's niece.",  # another's words
        "'He is with his brother, Ann,' said Cy.",  # who the brother is
        "'Ann,' said Cy, 'has left us.'",  # the words go on about her
        "'Yes, Ann.' 'No,' said Cy. 'Why?' asked Bob Hox.",  # two speakers
        "The house of Ann and Cy stood alone.",
        "Ann and Cy grew.",
    ],
)
def test_who_is_only_named_is_not_spoken_to(text: str) -> None:
    assert found(text) == []
