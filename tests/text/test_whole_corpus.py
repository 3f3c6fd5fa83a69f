"""Questions about a corpus as a whole, and about something in it."""

import pytest

from graphrag_lite.text.whole_corpus import corpus_aspects


@pytest.mark.parametrize(
    ("question", "language", "aspects"),
    [
        ("How does Scrooge change in the story?", "en", None),
        ("What changed from 2021 to 2023?", "en", {"change"}),
        ("Was sind die Themen?", "de", set()),
        ("主要主题是什么？", "zh", set()),
        ("De quoi parle ce dossier ?", "fr", set()),
        ("De quoi s'agit-il dans ce dossier ?", "fr", set()),
        ("De quoi parle Paul dans ce dossier ?", "fr", None),
        ("من هم أهم الأشخاص؟", "ar", {"person"}),
        ("Who is it?", "en", None),
        ("Who won?", "en", None),
        ("Who keeps turning up?", "en", {"person"}),
        ("What's in here?", "en", set()),
        ("What stands out?", "en", set()),
        ("Which technologies come up?", "en", {"product"}),
        ("What is my name?", "en", None),
        ("When is the event?", "en", None),
    ],
)
def test_what_of_a_whole_corpus_is_asked(question: str, language: str, aspects: set[str] | None) -> None:
    assert corpus_aspects(question, language) == aspects
