"""The language of a text, and of a question."""

import json
from pathlib import Path

import pytest

from graphrag_lite.text.language import closest, languages

CODES = {"eng": "en", "fra": "fr", "zho": "zh", "jpn": "ja", "kor": "ko"}


@pytest.mark.parametrize("name", CODES)
def test_news_in_five_languages(shared: Path, name: str) -> None:
    rows = (shared / f"corpora/ntrex_{name}/corpus.jsonl").read_text(encoding="utf-8").splitlines()
    found = languages([json.loads(row)["text"] for row in rows])
    assert found.count(CODES[name]) == len(found)


def test_a_mixed_corpus_keeps_each_texts_own(shared: Path) -> None:
    texts = []
    for name in CODES:
        row = (shared / f"corpora/ntrex_{name}/corpus.jsonl").read_text(encoding="utf-8").splitlines()[0]
        texts.append(json.loads(row)["text"])
    assert languages(texts) == list(CODES.values())


def test_a_short_text_takes_the_language_of_the_others() -> None:
    french = (
        "Il était une fois un vieil homme qui vivait dans une petite maison avec son chat et sa fille, près de la mer."
    )
    assert languages([french, "OK", ""]) == ["fr", "fr", "fr"]


def test_order_does_not_matter() -> None:
    texts = [
        "The man was in the house and he was not at all well, so that they had to go to him.",
        "x",
        "猫が好きです。",
    ]
    assert sorted(languages(texts)) == sorted(languages(texts[::-1]))


def test_nothing_tells_nothing() -> None:
    assert languages([]) == []
    assert languages(["", "123 456"]) == ["", ""]


def test_a_question_is_in_one_of_the_corpus_languages() -> None:
    assert closest("Who is Scrooge?", []) == ""
    assert closest("Qui est-ce ?", ["en"]) == "en"
    assert closest("誰ですか", ["en", "ja"]) == "ja"
    assert closest("Who was the man in the house?", ["fr", "en"]) == "en"
