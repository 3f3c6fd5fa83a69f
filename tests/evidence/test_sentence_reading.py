"""What a page may tell: sentences of its texts that are statements, alone, and in their language."""

import pytest

from graphrag_lite.evidence.sentence_reading import read_sentence
from graphrag_lite.evidence.statement import STANDS

TOLD = "The pilot Ann Lee flew the whole crew of the ship home from Rome."


def worth(sentence: str, language: str = "en") -> float:
    document = {"id": "d", "text": sentence, "language": language, "blocks": []}
    return read_sentence({"char_start": 0, "char_end": len(sentence)}, document).worth


@pytest.mark.parametrize(
    ("sentence", "language"),
    [
        (f"[{TOLD}]", "en"),  # what somebody does while another speaks
        ("Flies the whole crew of the ship home from Rome to Paris.", "en"),
        ("May only be given to the whole crew of the ship from Rome.", "en"),
        ("In short, the pilot Ann Lee flew the whole crew of the ship home.", "en"),
        ("The above list of pilots names the whole crew of the ship from Rome.", "en"),
        (TOLD, "fr"),  # of a translation that is not complete
    ],
)
def test_what_leans_on_others_or_is_in_another_language_is_no_statement(sentence: str, language: str) -> None:
    assert worth(sentence, language) < STANDS


@pytest.mark.parametrize(
    ("sentence", "language"),
    [(TOLD, "en"), ("La pilote Ann Lee a ramené tout l'équipage du navire de Rome.", "fr")],
)
def test_what_stands_alone_is_one(sentence: str, language: str) -> None:
    assert worth(sentence, language) >= STANDS
