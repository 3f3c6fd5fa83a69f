"""Vectors of text units, and how far they stand out for a question.

Up to a million, a question is compared with all, by one matrix product a block of units. Beyond, they are divided into
cells (an inverted file: Sivic and Zisserman 2003; Jégou, Douze and Schmid 2011): faiss finds the cells' centres by
k-means over a sample, and the cell of each vector. A question is compared with those of the nearest cells only, and the
crowd that they stand out of is a fixed sample. Vectors stay where they are, so a cosine that is looked at is exact.
"""

import importlib.util
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from graphrag_lite.retrieval.top_k import best_rows

Floats = npt.NDArray[np.float32]
Vector = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int32]
# The best unit by vectors counts for at most this, where the best by BM25 counts for 1: a good embedding model is as
# good as words, not a substitute for the names and hops that are added to both.
_MOST = 1.0
_BY_WORDS = 1000  # best units by BM25 that are compared with a question wherever they are
_CROWD = 4096  # vectors whose mean and deviation stand for those of all
LIBRARY = "faiss"  # of the extra [ann]
_SEED = 0xFA155
_PER_ROOT = 2.0  # cells, times the square root of the number of vectors
_SAMPLE, _STEPS = 64, 10  # vectors of the sample for each cell, and steps of k-means
_NEAREST = 64  # cells that a question looks into: docs/dependencies.md has what it finds there


@dataclass(frozen=True)
class Cells:
    """`centres` (n_cells, n_dimensions) of length 1, and the rows of the vectors in each cell, ascending."""

    centres: Floats
    rows: Sequence[Rows]

    def near(self, question: Floats) -> Rows:
        """Return the rows of the vectors in the cells that are nearest to a question, ascending."""
        by_centre = self.centres @ question
        nearest = np.argsort(-by_centre, kind="stable")[:_NEAREST]
        return np.sort(np.concatenate([self.rows[cell] for cell in nearest.tolist()]))


@dataclass(frozen=True)
class Vectors:
    """The text units' vectors in row order, in blocks (n, n_dimensions) of unit length; what has none is all zeros."""

    blocks: Sequence[Floats]
    cells: Cells | None = None

    def __len__(self) -> int:
        return sum(map(len, self.blocks))

    @property
    def n_dimensions(self) -> int:
        return int(self.blocks[0].shape[1]) if self.blocks else 0

    @cached_property
    def crowd(self) -> Floats:
        """A sample of the vectors, the same whoever asks."""
        return self.spread(_CROWD)

    def similarities(self, query_vectors: Floats) -> Floats:
        """Return the cosines of `query_vectors` (n_questions, n_dimensions) to each unit, (n_questions, n_units)."""
        products = [query_vectors @ block.T for block in self.blocks]
        found: Floats = np.concatenate(products, axis=1) if products else np.zeros((len(query_vectors), 0), np.float32)
        return found

    def some(self, units: Rows, query_vector: Floats) -> Floats:
        """Return the cosine of a question (n_dimensions,) to some units, (n,); their rows ascend."""
        return np.concatenate([rows @ query_vector for rows in self._rows(units)])

    def spread(self, n: int) -> Floats:
        """Return `n` vectors at even distances, (n, n_dimensions), or all where there are no more."""
        n = min(n, len(self))
        chosen = (np.arange(n) * len(self) // max(n, 1)).astype(np.int32)
        return np.concatenate(list(self._rows(chosen)))

    def _rows(self, units: Rows) -> Iterator[Floats]:
        """Yield the vectors of some units, whose rows ascend: copies, a block at a time."""
        start = 0
        for block in self.blocks:
            first, last = np.searchsorted(units, (start, start + len(block)))
            yield block[units[first:last] - start]
            start += len(block)


def unit_length(vectors: Floats) -> Floats:
    """Return vectors (n, n_dimensions) scaled to length 1; zeros stay zeros.

    >>> unit_length(np.array([[3, 4], [0, 0]], np.float32)).tolist()
    [[0.6000000238418579, 0.800000011920929], [0.0, 0.0]]
    """
    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
    return (vectors / np.where(lengths > 0, lengths, 1.0)).astype(np.float32)


def stand_out(similarities: Floats, crowd: Floats | None = None) -> Vector:
    """Return how far each unit stands out of the crowd, in standard deviations, 0 below the mean; along the last axis.

    The crowd are all of them, unless cosines of others to the same question are given. Cosines of one model mean little
    to another: some give .7 to whatever has nothing in common. What is comparable is how unusual a cosine is among
    those of the same question.
    """
    crowd = similarities if crowd is None else crowd
    if not crowd.shape[-1]:
        return np.zeros(similarities.shape)
    mean = crowd.mean(axis=-1, keepdims=True, dtype=np.float64)
    deviation = crowd.std(axis=-1, keepdims=True, dtype=np.float64)
    scores: Vector = np.maximum((similarities - mean) / np.where(deviation > 1e-9, deviation, np.inf), 0.0)
    return scores


def vector_scores(vectors: Vectors, question: Floats, weight: float, by_words: Vector | None = None) -> Vector:
    """Return what the units gain by their vectors, (n_units,), where the best by BM25 has 1.

    Of vectors in cells, those of cells that are not looked into gain nothing, but for the best units `by_words`
    (n_units,): a unit that words find and vectors confirm is often in no cell that is near.
    """
    if vectors.cells is None:
        gains: Vector = weight * stand_out(vectors.similarities(question[np.newaxis]))[0]
    else:
        units = vectors.cells.near(question)
        if by_words is not None:
            units = np.union1d(units, best_rows(by_words, _BY_WORDS)).astype(np.int32)
        gains = np.zeros(len(vectors))
        gains[units] = weight * stand_out(vectors.some(units, question), vectors.crowd @ question)
    highest = float(gains.max(initial=0.0))
    gains *= _MOST / max(highest, _MOST)
    return gains


def can_divide() -> bool:
    """Say whether the library is there."""
    return importlib.util.find_spec(LIBRARY) is not None


def divide(vectors: Vectors) -> Cells:
    """Divide vectors into cells: the same ones whenever it is asked, however many threads there are."""
    import faiss

    n_cells = max(1, round(_PER_ROOT * len(vectors) ** 0.5))
    kmeans = faiss.Kmeans(
        vectors.n_dimensions,
        n_cells,
        niter=_STEPS,
        seed=_SEED,
        spherical=True,
        min_points_per_centroid=1,
        max_points_per_centroid=_SAMPLE,
    )
    kmeans.train(vectors.spread(_SAMPLE * n_cells))
    own = np.concatenate([kmeans.assign(block)[1] for block in vectors.blocks])
    order = np.argsort(own, kind="stable").astype(np.int32)
    ends = np.searchsorted(own[order], np.arange(1, n_cells))
    return Cells(np.asarray(kmeans.centroids), np.split(order, ends))
