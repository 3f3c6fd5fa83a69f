"""BM25: equality with bm25s, the layout of the postings, and the edges."""

import random

import bm25s
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_lite.retrieval import bm25
from graphrag_lite.retrieval.bm25 import build

LETTERS = st.text("abcdé中", min_size=1, max_size=2)
UNITS = st.lists(st.lists(LETTERS, max_size=12), min_size=1, max_size=12)


def reference(term_lists: list[list[str]], question: list[str], k1: float, b: float) -> np.ndarray:
    retriever = bm25s.BM25(method="lucene", k1=k1, b=b)
    retriever.index(term_lists, show_progress=False)
    return np.asarray(retriever.get_scores(question))


@pytest.mark.parametrize(("k1", "b"), [(1.5, 0.75), (0.9, 0.4), (2.0, 1.0)])
def test_scores_equal_bm25s(k1: float, b: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bm25, "AT_ONCE", 64)  # of 200 units
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
    assert index.offsets[-1] == len(index.units) == len(index.weights)
    assert [str(a.dtype) for a in (index.offsets, index.units, index.weights)] == ["int64", "int32", "float32"]


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
