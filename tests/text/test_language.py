"""The language of a text, and of a question."""

import json
import unicodedata
from pathlib import Path

import pytest

from graphrag_lite.text.language import closest_language, languages, question_language

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


def test_a_short_text_is_told_by_its_letters() -> None:
    russian = "Ледокол «Арктика» вернулся в порт после долгого плавания. Ремонт винта займёт шесть недель."
    ukrainian = "Міська рада ухвалила новий бюджет. Ремонт мосту через річку почнеться у травні."
    polish = (
        "Gdynia, 7 sierpnia 2025. Prom Jantar wypłynął w pierwszy rejs do Ystad. Statek zbudowano w stoczni Remontowa; "
        "zabiera dwustu pasażerów. Kapitanem jest Andrzej Kuna. Rejs opóźnił się o cztery godziny z powodu awarii rampy."
    )
    assert languages([russian, ukrainian, polish]) == ["ru", "uk", "pl"]
    kazakh, belarusian = "Қазақстанның астанасы — Астана қаласы.", "Мінск — сталіца, ён стаў вялікім горадам."
    assert languages([kazakh]) == ["kk"] and languages([belarusian]) == ["be"]
    assert question_language("Де живе Їжак?", ["ru"]) == "uk"


def test_order_does_not_matter() -> None:
    texts = [
        "The man was in the house and he was not at all well, so that they had to go to him.",
        "x",
        "猫が好きです。",
    ]
    assert sorted(languages(texts)) == sorted(languages(texts[::-1]))


def test_nothing_tells_nothing() -> None:
    assert languages([]) == []
    assert languages(["", "123 456", "Ann met Bob in Oslo. " * 100]) == ["", "", ""]


def test_a_question_is_in_one_of_the_corpus_languages() -> None:
    assert closest_language("Who is Scrooge?", []) == ""
    assert closest_language("Qui est-ce ?", ["en"]) == "en"
    assert closest_language("誰ですか", ["en", "ja"]) == "ja"
    assert closest_language("Who was the man in the house?", ["fr", "en"]) == "en"


# Of each language a sentence of its own, written for this test.
SENTENCES = {
    "ro": "Președintele a spus că orașul în care s-a născut este mai mic decât cel în care trăiește acum și că nu va pleca.",
    "hu": "Az elnök azt mondta, hogy a város, amelyben született, kisebb volt, mint az, ahol most él, és nem megy el onnan.",
    "id": "Presiden mengatakan bahwa kota itu lebih kecil dari kota yang dia tinggali, dan mereka tidak akan pergi ke sana lagi.",
    "ca": "El president va dir que la ciutat on va néixer és més petita que aquella on viu amb els seus fills des de fa anys.",
    "vi": "Tổng thống nói rằng thành phố nơi ông sinh ra nhỏ hơn thành phố mà ông đang sống và ông sẽ không đi đâu cả.",
    "es": "El presidente dijo que la ciudad en la que nació es más pequeña que aquella en la que vive con sus hijos ahora.",
    "el": "Ο πρόεδρος είπε ότι η πόλη στην οποία γεννήθηκε είναι πιο μικρή από αυτή που ζει τώρα με τα παιδιά του.",
    "fa": "رئیس جمهور گفت که شهری که در آن به دنیا آمده است از شهری که اکنون در آن زندگی می کند کوچکتر بود و چیزی نگفت.",
    "ar": "قال الرئيس إن المدينة التي ولد فيها أصغر من تلك التي يعيش فيها الآن مع أولاده منذ سنوات عديدة ولم يذهب.",
    "hi": "राष्ट्रपति ने कहा कि जिस शहर में उनका जन्म हुआ था वह उस शहर से छोटा है जिसमें वे अब रहते हैं और काम करते हैं।",
    "mr": "अध्यक्ष म्हणाले की ते ज्या शहरात जन्मले आहेत ते शहर आता ज्या शहरात ते राहतात त्या शहरापेक्षा लहान आहे आणि ते जाणार नाही.",
    "uk": "Президент сказав, що місто, в якому він народився, менше за те, де він зараз живе, і що він не поїде звідти.",
    "bg": "Президентът каза, че градът, в който е роден, е по-малък от този, в който сега живее, и че няма да си тръгне.",
    "cs": "Prezident řekl, že město, ve kterém se narodil, je menší než to, kde teď žije, a že odtud už nikdy neodejde.",
}


@pytest.mark.parametrize("code", SENTENCES)
def test_a_sentence_tells_its_language(code: str) -> None:
    assert languages([SENTENCES[code]]) == [code]
    assert languages([unicodedata.normalize("NFD", SENTENCES[code])]) == [code]


def test_a_question_of_few_words_tells_its_language_against_the_corpus() -> None:
    assert question_language("Who wrote La La Land?", ["es"]) == "en"
    assert question_language("Wer ist Die Antwoord?", ["en"]) == "de"
    assert question_language("who is it", ["nl"]) == "en"
    assert (
        question_language("HAT-P-2b的轨道周期是多少？", ["zh"])
        == question_language("HAT-P-2b的轨道周期是多少？", ["de"])
        == "zh"
    )
    assert question_language("", []) == question_language("", ["en"]) == question_language("Zep 2023", ["en"]) == ""
