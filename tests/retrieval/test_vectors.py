"""Vectors in cells: every one in one cell, the same cells again, and what is looked at is exact."""

import faiss
import numpy as np
import numpy.typing as npt
import pytest

from graphrag_lite.retrieval import vectors
from graphrag_lite.retrieval.vectors import Vectors, divide, unit_length, vector_scores

Floats = npt.NDArray[np.float32]
N, WIDTH = 3000, 16


@pytest.fixture(scope="module")
def clustered() -> Vectors:
    """Vectors in three blocks, the last one smaller, around 40 centres; one has failed."""
    chance = np.random.default_rng(4)
    centres = chance.normal(size=(40, WIDTH))
    found = unit_length((centres[chance.integers(0, 40, N)] + 0.4 * chance.normal(size=(N, WIDTH))).astype(np.float32))
    found[7] = 0
    return Vectors(np.split(found, [1024, 2048]))


def near(those: Vectors, n: int) -> Floats:
    """Return questions that are each like one of the vectors."""
    own = those.spread(n)
    return unit_length(own + 0.1 * np.random.default_rng(5).normal(size=own.shape).astype(np.float32))


def test_every_vector_is_in_one_cell_and_the_cells_are_the_same_again(clustered: Vectors) -> None:
    cells = divide(clustered)
    assert np.array_equal(np.sort(np.concatenate(cells.rows)), np.arange(N)) and len(cells.rows) == 110
    assert all(np.array_equal(rows, np.sort(rows)) for rows in cells.rows)
    threads = faiss.omp_get_max_threads()
    try:
        for n in (1, 3):
            faiss.omp_set_num_threads(n)
            again = divide(clustered)
            assert again.centres.tobytes() == cells.centres.tobytes()
            assert list(map(bytes, again.rows)) == list(map(bytes, cells.rows))
    finally:
        faiss.omp_set_num_threads(threads)


def test_where_all_cells_are_looked_into_gains_are_exact(clustered: Vectors, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "_NEAREST", 1000)
    divided = Vectors(clustered.blocks, divide(clustered))
    for question in near(clustered, 20):
        assert np.allclose(vector_scores(divided, question, 0.2), vector_scores(clustered, question, 0.2), atol=1e-6)


def test_what_is_nearest_is_found_in_a_few_cells(clustered: Vectors, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "_NEAREST", 11)
    monkeypatch.setattr(vectors, "_CROWD", 512)
    divided = Vectors(clustered.blocks, divide(clustered))
    found, looked_at, gains = [], [], []
    for question in near(clustered, 200):
        exact, quick = vector_scores(clustered, question, 0.1), vector_scores(divided, question, 0.1)
        wanted = np.argsort(-exact)[:10]
        found.append(np.isin(wanted, np.argsort(-quick)[:10]).mean())
        looked_at.append(len(divided.cells.near(question)) if divided.cells else N)
        gains.append(abs(exact.max() - quick.max()))
    assert np.mean(found) > 0.95 and np.mean(looked_at) < N / 4
    assert np.mean(gains) < 0.03, "a sample stands for the crowd"


def test_the_best_units_by_words_are_compared_wherever_they_are(
    clustered: Vectors, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors, "_NEAREST", 1)
    monkeypatch.setattr(vectors, "_BY_WORDS", 3)
    divided, question = Vectors(clustered.blocks, divide(clustered)), near(clustered, 1)[0]
    exact, by_words = vector_scores(clustered, question, 0.1), np.zeros(N)
    far = np.setdiff1d(np.argsort(-exact)[:100], np.flatnonzero(vector_scores(divided, question, 0.1)))[:3]
    by_words[far] = 1.0
    assert len(far) == 3 and np.allclose(vector_scores(divided, question, 0.1, by_words)[far], exact[far])


def test_vectors_are_read_from_their_blocks(clustered: Vectors) -> None:
    question = near(clustered, 1)[0]
    units = np.array([0, 7, 1023, 1024, 2047, 2048, N - 1], np.int32)
    every = clustered.similarities(question[np.newaxis])[0]
    assert np.allclose(clustered.some(units, question), every[units])
    assert clustered.spread(N).tobytes() == np.concatenate(clustered.blocks).tobytes()
    assert len(clustered.spread(5)) == 5 and len(clustered.spread(2 * N)) == N
