"""BM25: equality with bm25s, the layout of the postings, and the edges."""

import gc
import random
import weakref
from collections import Counter

import bm25s
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_lite.retrieval import postings
from graphrag_lite.retrieval.bm25 import build
from graphrag_lite.retrieval.postings import count_postings, join_postings

LETTERS = st.text("abcdé中", min_size=1, max_size=2)
UNITS = st.lists(st.lists(LETTERS, max_size=12), min_size=1, max_size=12)


def reference(term_lists: list[list[str]], question: list[str], k1: float, b: float) -> np.ndarray:
    retriever = bm25s.BM25(method="lucene", k1=k1, b=b)
    retriever.index(term_lists, show_progress=False)
    return np.asarray(retriever.get_scores(question))


@pytest.mark.parametrize(("k1", "b"), [(1.5, 0.75), (0.9, 0.4), (2.0, 1.0)])
def test_scores_equal_bm25s(k1: float, b: float) -> None:
    rng = random.Random(7)
    words = [f"w{int(rng.paretovariate(0.6))}" for _ in range(3000)]
    term_lists = [rng.choices(words, k=rng.randrange(1, 60)) for _ in range(200)]
    index = build(term_lists, k1, b)
    for _ in range(20):
        question = [*rng.choices(words, k=6), "w1", "w1"]
        np.testing.assert_allclose(index.scores(question), reference(term_lists, question, k1, b), atol=1e-5)


@given(UNITS)
def test_postings_are_sorted_by_term_then_unit(term_lists: list[list[str]]) -> None:
    index = build(term_lists)
    assert list(index.vocabulary) == sorted({t for terms in term_lists for t in terms})
    for term in index.vocabulary:
        units, weights = index.postings(term)
        assert units.tolist() == [i for i, terms in enumerate(term_lists) if term in terms]
        assert (weights > 0).all()
    assert index.offsets[-1] == len(index.units) == len(index.counts)
    assert [str(a.dtype) for a in (index.offsets, index.units, index.counts)] == ["int64", "int32", "uint8"]


@given(UNITS, st.lists(st.lists(LETTERS, max_size=12), max_size=12), st.data())
def test_postings_joined_with_those_before_are_those_from_nothing(
    before: list[list[str]], now: list[list[str]], data: st.DataObject
) -> None:
    rows_then = [data.draw(st.integers(-1, len(before) - 1)) for _ in now]
    rows_then = [row if row not in rows_then[:place] else -1 for place, row in enumerate(rows_then)]
    term_lists = [before[row] if row >= 0 else terms for row, terms in zip(rows_then, now, strict=True)]
    new = [place for place, row in enumerate(rows_then) if row < 0]
    made, start = [], 0
    for end in sorted([*data.draw(st.lists(st.integers(0, len(new)), max_size=3)), len(new)]):
        rows, start = new[start:end], end
        made.append(count_postings([Counter(term_lists[row]) for row in rows], np.array(rows, np.int64)))
    with pytest.MonkeyPatch.context() as few:
        few.setattr(postings, "JOINED", data.draw(st.sampled_from([2, 1024])))
        joined = join_postings([build(before)], np.array(rows_then, np.int64), made)
    expected = build(term_lists)
    assert list(joined.vocabulary) == list(expected.vocabulary)
    for name in ("offsets", "units", "counts"):
        assert getattr(joined, name).tolist() == getattr(expected, name).tolist()


def test_a_term_counts_at_most_what_a_byte_holds() -> None:
    index = build([["a"] * 300, ["a"]])
    assert index.counts.tolist() == [255, 1] and index.norms[0] > index.norms[1]


@given(UNITS, st.lists(LETTERS, max_size=4))
def test_scores_of_a_question_are_the_sum_over_its_terms(term_lists: list[list[str]], question: list[str]) -> None:
    index = build(term_lists)
    parts = sum((index.scores([term]) for term in question), np.zeros(len(term_lists)))
    np.testing.assert_allclose(index.scores(question), parts, atol=1e-5)


@given(UNITS, st.lists(LETTERS, max_size=4, unique=True))
def test_term_scores_are_the_parts_of_the_score(term_lists: list[list[str]], terms: list[str]) -> None:
    index = build(term_lists)
    parts = index.term_scores(terms)
    assert parts.shape == (len(terms), len(term_lists))
    np.testing.assert_allclose(parts.columns(np.ones(len(terms))), index.scores(terms), atol=1e-6)


@pytest.mark.parametrize("term_lists", [[], [[]], [[], []]])
def test_nothing_to_index(term_lists: list[list[str]]) -> None:
    index = build(term_lists)
    assert index.scores(["a"]).tolist() == [0.0] * len(term_lists)


def test_unknown_terms_before_and_after_the_vocabulary_score_nothing() -> None:
    assert not build([["b"], ["c"]]).scores(["a", "d", "bb"]).any()


def test_an_index_is_gone_with_its_last_user() -> None:
    """Without the garbage collector: what its arrays are mapped from is closed as a question ends."""
    index = build([["ash", "elm"], ["oak"]])
    assert index.holds("oak") and not index.holds("fir")
    held = weakref.ref(index)
    gc.disable()
    try:
        del index
        assert held() is None
    finally:
        gc.enable()
