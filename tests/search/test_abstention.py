"""What a passage must hold of a question so that the corpus has something to say."""

from graphrag_lite.search.abstention import LEAST_FIT, fit
from graphrag_lite.search.bm25 import Bm25, build
from graphrag_lite.text.words import terms


def index_of(*texts: str) -> Bm25:
    return build([terms(text, "ja") for text in texts])


JAPANESE = index_of(
    "とうきょうは、にほんの首都である。", "ここからいくつかのえきを通る。", "富士通の本社は川崎市にある。", "彼はいう。"
)


def test_hiragana_that_meet_by_chance_are_no_answer() -> None:
    assert fit(JAPANESE, terms("いくつありますか、どうですか、いうのか", "ja")) < LEAST_FIT
    assert fit(JAPANESE, terms("にほんの首都", "ja")) >= LEAST_FIT
    assert fit(JAPANESE, terms("えき", "ja")) >= LEAST_FIT  # one word is one word


def test_ngrams_overlap_so_they_are_less_than_a_word_each() -> None:
    words = build([["fuji", "bank"], ["river"]])
    ngrams = build([["富士", "銀行"], ["川崎"]])
    assert fit(ngrams, {"富士": 1.0, "銀行": 1.0}) < fit(words, {"fuji": 1.0, "bank": 1.0})


def test_what_a_term_weighs_can_be_given() -> None:
    index = build([["red", "fox"], ["hen"]])
    assert fit(index, {"red": 3.0, "zebra": 1.0}) == 3 / 4 * 2**0.5
    assert fit(index, {}) == 0
