"""What a passage must hold of a question so that the corpus has something to say."""

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, cast

import pytest

from graphrag_lite.retrieval.abstention import INFLECTED, LEAST_FIT, passage_fit, says_nothing
from graphrag_lite.retrieval.bm25 import Bm25, build, term_idf
from graphrag_lite.retrieval.question import Question
from graphrag_lite.text.words import terms

if TYPE_CHECKING:
    from graphrag_lite.retrieval.snapshot_view import SnapshotView


def index_of(*texts: str) -> Bm25:
    return build([terms(text, "ja") for text in texts])


JAPANESE = index_of(
    "とうきょうは、にほんの首都である。", "ここからいくつかのえきを通る。", "富士通の本社は川崎市にある。", "彼はいう。"
)


def test_hiragana_that_meet_by_chance_are_no_answer() -> None:
    assert passage_fit(JAPANESE, term_idf(JAPANESE, terms("いくつありますか、どうですか、いうのか", "ja"))) < LEAST_FIT
    assert passage_fit(JAPANESE, term_idf(JAPANESE, terms("にほんの首都", "ja"))) >= LEAST_FIT
    assert passage_fit(JAPANESE, term_idf(JAPANESE, terms("えき", "ja"))) >= LEAST_FIT  # one word is one word


def test_ngrams_overlap_so_they_are_less_than_a_word_each() -> None:
    words = build([["fuji", "bank"], ["river"]])
    ngrams = build([["富士", "銀行"], ["川崎"]])
    assert passage_fit(ngrams, {"富士": 1.0, "銀行": 1.0}) < passage_fit(words, {"fuji": 1.0, "bank": 1.0})


def test_what_a_term_weighs_can_be_given() -> None:
    index = build([["red", "fox"], ["hen"]])
    assert passage_fit(index, {"red": 3.0, "zebra": 1.0}) == 3 / 4 * 2**0.5
    assert passage_fit(index, {}) == 0


STEMS = (
    "most dom rzek las krol miast okret zamek szkol ogrod pociag ksiazk lekarz muzyk chleb papier zegar mlyn".split()
)
ENDINGS = ("u", "em", "ami", "ach", "owi", "y", "ow", "a")  # of a language with cases; a made-up one


def corpus(rng: random.Random, endings: Sequence[str], n: int = 60) -> list[str]:
    """Texts of a made-up language: 40 words each of stems with an ending, by chance, on two or three subjects a text."""
    roots = [a + b for a in STEMS for b in STEMS]
    texts = []
    for _ in range(n):
        about = rng.sample(roots, 12)
        texts.append(" ".join(rng.choice(about) + rng.choice(endings) for _ in range(40)))
    return texts


@dataclass
class Corpus:
    """As much of an index as abstention needs."""

    texts: Sequence[str]
    language: str

    @property
    def languages(self) -> list[str]:
        return [self.language]

    @cached_property
    def bm25(self) -> Bm25:
        return build([terms(text, self.language) for text in self.texts])

    def refuses(self, question: str) -> bool | None:
        asked = Question(cast("SnapshotView", self), question)
        asked.__dict__.update(
            language=self.language, analyzed_in=self.language, readings={}, terms=terms(question, self.language)
        )
        return says_nothing(asked, asked.weights)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("endings", [ENDINGS, ENDINGS[:3], ("",)])
def test_a_question_in_other_forms_of_a_texts_words_is_not_refused(endings: tuple[str, ...], seed: int) -> None:
    rng = random.Random(seed)
    made = Corpus(corpus(rng, endings), "")
    refused = 0
    for text in made.texts:
        roots = [re.sub(rf"({'|'.join(ENDINGS)})$", "", word) for word in rng.sample(text.split(), 4)]
        refused += bool(made.refuses(" ".join(root + rng.choice(endings) for root in roots)))
    assert refused <= 0.02 * len(made.texts)


def test_where_nothing_strips_the_endings_nothing_is_refused_and_it_is_known() -> None:
    made = Corpus(corpus(random.Random(1), ENDINGS), "")
    assert made.refuses("kupil bilet samolotowy") is None


def test_what_has_to_do_with_nothing_is_refused_where_forms_are_few() -> None:
    made = Corpus(corpus(random.Random(1), ("",), 400), "")
    assert made.refuses("kupil bilet samolotowy wczoraj rano") and made.bm25.novelty[1] < INFLECTED


GERMAN = [
    "Die Brücke wurde 1903 aus Stahl gebaut und führt über den Fluss in die alte Stadt.",
    "Der Bürgermeister eröffnete das Museum im Sommer, und viele Besucher kamen aus der Umgebung.",
    "Die Fehler in den Messungen hatten ihre Quelle in der Wärme des Gehäuses, wie sich später zeigte.",
    "Im Winter fror der See zu, und die Kinder liefen auf dem Eis bis zum anderen Ufer.",
]
VIETNAMESE = ["Sông Hồng chảy qua thành phố Hà Nội và đổ ra biển.", "Cây cầu dài nhất bắc qua sông được xây năm 1902."]
RUSSIAN = [
    "Мост построили из стали, и он ведёт через реку в старый город.",
    "Зимой озеро замёрзло, и дети вышли на лёд.",
]


@pytest.mark.parametrize(
    ("texts", "language", "questions"),
    [
        (GERMAN, "de", ["Wann wurde die Stahlbrücke gebaut?", "Wer eröffnete das Museum?", "Was passierte im Winter?"]),
        (VIETNAMESE, "", ["Sông Hồng chảy qua đâu?", "Cây cầu dài nhất được xây năm nào?"]),
        (RUSSIAN, "ru", ["Из чего построен мост?", "Когда замёрзло озеро?"]),
        (RUSSIAN, "", ["Куда ведёт мост через реку?", "Кто вышел на лёд зимой?"]),
    ],
)
def test_few_texts_of_a_language_answer_what_they_say(texts: list[str], language: str, questions: list[str]) -> None:
    assert not any(Corpus(texts, language).refuses(question) for question in questions)


ENGLISH = [f"The bridge number {n} at Elm Street was painted and repaired by Ada Stone in spring" for n in range(10)]
ENGLISH += [f"A new school opened in town {n} when Ben Field gave money for it and for its garden" for n in range(10)]
ENGLISH += [f"Snow fell on hill {n} and every road was closed until noon" for n in range(40)]


def test_what_is_asked_of_a_known_name_in_no_word_of_the_corpus_is_refused() -> None:
    made = Corpus(ENGLISH, "en")
    assert made.refuses("How tall is Ada Stone?") and made.refuses("Is Ben Field married?")
    assert not made.refuses("What did Ada Stone paint?") and not made.refuses("Compare Ada Stone and Ben Field.")
    assert made.refuses("Wer ist Ada Stone und was hat er gemalt?") is None  # in another language nothing can be told


def test_codes_are_written_in_too_many_ways_to_tell_anything() -> None:
    made = Corpus([*ENGLISH, *(f"The revenue of Acme rose by {n} percent in the year 2022" for n in range(5))], "en")
    assert not made.refuses("What revenue did Acme report in FY2022, FY2021 and FY2020?")
    assert made.refuses("How many goals did Arsenal score in FY2022?")


def test_a_long_question_is_compared_with_what_a_short_text_has_room_for() -> None:
    words = [a + b for a in STEMS for b in STEMS]
    made = Corpus([" ".join(words[i : i + 3]) for i in range(len(words))], "")
    told = "During a walk one fine morning somebody carefully noticed about {} that something quite heavy moved"
    assert made.refuses(told.format("nothing"))
    assert not made.refuses(told.format(made.texts[7]))
