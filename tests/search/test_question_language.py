"""A question is in a language of its own, whatever the corpus is in: its function words are never looked for."""

from collections.abc import Callable
from pathlib import Path

import pytest

from graphrag_lite import pipeline
from graphrag_lite.retrieval.question import Question
from graphrag_lite.search.index import Index
from graphrag_lite.settings import Settings

QUESTIONS = {
    "en": "What is Zep?",
    "fr": "Qu'est-ce que Zep ?",
    "de": "Was ist Zep?",
    "es": "¿Qué es Zep?",
    "it": "Che cosa è Zep?",
    "pt": "O que é Zep?",
    "nl": "Wat is Zep?",
    "sv": "Vad är Zep?",
    "da": "Hvad er Zep?",
    "no": "Hva er Zep?",
    "fi": "Mikä on Zep?",
    "ru": "Что такое Zep?",
    "uk": "Що таке Zep?",
    "pl": "Co to jest Zep?",
    "cs": "Co je Zep?",
    "tr": "Zep nedir?",
    "ca": "Què és Zep?",
    "ro": "Ce este Zep?",
    "hu": "Mi az a Zep?",
    "id": "Apa itu Zep?",
    "vi": "Zep là gì?",
    "el": "Τι είναι το Zep;",
    "ar": "ما هو Zep؟",
    "fa": "Zep چیست؟",
    "hi": "Zep क्या है?",
    "zh": "Zep是什么？",
    "ja": "Zepとは何ですか？",
    "ko": "Zep은 무엇입니까?",
}
# One tells of Zep, the other is full of what questions in other languages are made of.
TEXTS = {
    "fr": (
        "Zep est une couche de mémoire pour les agents. Les entreprises l'utilisent, et elle est dans le nuage.",
        "IS est le nom de la voiture de Was, une berline, que le constructeur a vendue dans les pays du monde, et Vad.",
    ),
    "en": (
        "Zep is a memory layer for agents. It is used by companies, and it was made in the cloud by those who know.",
        "Que Was at the Ist in Che and Vad, where they had an Est and a Cos, which was what the Hva of it would be.",
    ),
    "ja": (
        "Zepはエージェントのための記憶の層です。企業がそれを使っており、クラウドで動いています。",
        "isは自動車の名前であり、wasは会社の名前です。何年も前から日本で売られていますが、今は違います。",
    ),
}


@pytest.fixture(scope="module")
def indexes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Index]:
    made = {}
    for language, texts in TEXTS.items():
        folder = tmp_path_factory.mktemp(language)
        for name, text in zip(("zep", "other"), texts, strict=True):
            (folder / f"{name}.txt").write_text(text, encoding="utf-8")
        made[language] = Index(pipeline.index(folder, folder / "output", Settings()).snapshot)
    return made


@pytest.mark.parametrize("language", QUESTIONS)
@pytest.mark.parametrize("corpus", TEXTS)
def test_only_what_is_asked_about_is_looked_for(indexes: dict[str, Index], corpus: str, language: str) -> None:
    index, question = indexes[corpus], QUESTIONS[language]
    assert index.languages == [corpus]
    assert Question(index, question).language == language
    if language != corpus:
        assert Question(index, question).terms == ["zep"]
    assert Question(index, question).readings == {}
    for method in ("local", "basic"):
        answer = index.query(question, method)
        assert [cited.text[:3] for cited in answer.citations][:1] == ["Zep"], answer.answer
        assert "other" not in answer.answer and all("Was" not in cited.text for cited in answer.citations)


def test_a_word_is_looked_for_in_the_forms_of_every_language_of_the_corpus(
    tmp_path: Path, corpus: Callable[..., Path]
) -> None:
    french = "Les architectures de la mémoire sont décrites dans le rapport, et elles sont comparées avec les autres. "
    folder = corpus({"a.txt": french * 2, "b.txt": TEXTS["ja"][0] + "architectureはすごいです。"})
    index = Index(pipeline.index(folder, tmp_path / "output", Settings()).snapshot)
    assert sorted(Question(index, "What is the architecture of Zep?").terms) == ["architectur", "architecture", "zep"]
    assert Question(index, "What is the architecture of Zepp?").readings == {"Zepp": "Zep"}


def test_a_word_of_another_language_is_no_typing_error(indexes: dict[str, Index]) -> None:
    assert Question(indexes["fr"], "Who uses the clouds and the agentz of Zep?").readings == {}
    assert Question(indexes["en"], "Who made the memorry?").readings == {"memorry": "memory"}


def test_what_zep_is_over_texts_in_french_korean_chinese_and_japanese(shared: Path, tmp_path: Path) -> None:
    folder = shared / "corpora/seeds_fr_ko_zh_ja"
    index = Index(pipeline.index(folder, tmp_path / "output", Settings()).snapshot)
    for question in QUESTIONS.values():
        answer = index.query(question)
        assert answer.citations and all("Zep" in cited.text for cited in answer.citations[:2]), question


def test_a_name_of_an_english_question_is_found_as_texts_in_another_language_write_it(tmp_path: Path) -> None:
    told = {
        "de": "Kleve ist eine Stadt am Rhein, und viele ihrer Leute arbeiten auf der anderen Seite des Flusses. Das Bad in "
        "Kleve wurde 1974 eröffnet, und die Stadt feierte mit. Seit dem Winter ist es geschlossen, weil das Dach undicht ist.",
        "en": "The mill of Arden stands beside the river. It was opened in 1911 by the lord of the village, who had bought "
        "the meadow from his neighbour. There are two wheels, and one of them has not been turned since the war.",
    }
    for code, text in told.items():
        (tmp_path / f"{code}.txt").write_text(text, encoding="utf-8")
    index = Index(pipeline.index(tmp_path, tmp_path / "output", Settings()).snapshot)
    assert index.languages == ["de", "en"]
    assert "1974" in index.query("When did the bath in Kleve open?").citations[0].text


def test_a_short_text_is_not_told_to_be_in_another_script(corpus: Callable[..., Path], tmp_path: Path) -> None:
    texts = {
        "a.txt": "Ann Lee rented the boat.",
        "b.txt": "ولد أحمد زويل في دمنهور عام 1946. حصل أحمد زويل على جائزة نوبل.",
    }
    opened = Index(pipeline.index(corpus(texts), tmp_path / "output", Settings()).snapshot)
    told = opened.query("Who rented the boat?").answer
    assert "Ann Lee rented" in told and "Quoted" not in told
    assert "Quoted" not in opened.query("أين ولد أحمد زويل؟").answer
