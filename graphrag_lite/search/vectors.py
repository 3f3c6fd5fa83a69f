"""Vectors of text units: exact similarity to a question, by one matrix product a block of units."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Vector = npt.NDArray[np.float64]

# The best unit by vectors counts for at most this, where the best by BM25 counts for 1: a good embedding model is as
# good as words, not a substitute for the names and hops that are added to both.
_MOST = 1.0


@dataclass(frozen=True)
class Vectors:
    """The text units' vectors in row order, in blocks (n, n_dimensions) of unit length; what has none is all zeros."""

    blocks: Sequence[Floats]

    @property
    def n_dimensions(self) -> int:
        return int(self.blocks[0].shape[1]) if self.blocks else 0

    def similarities(self, asked: Floats) -> Floats:
        """Return the cosine of each of `asked` (n_questions, n_dimensions) to each unit, (n_questions, n_units)."""
        products = [asked @ block.T for block in self.blocks]
        found: Floats = np.concatenate(products, axis=1) if products else np.zeros((len(asked), 0), np.float32)
        return found

    def rows(self, units: npt.NDArray[np.int64]) -> Floats:
        """Return the vectors of some units, (n, n_dimensions)."""
        found = np.zeros((len(units), self.n_dimensions), np.float32)
        start = 0
        for block in self.blocks:
            inside = (units >= start) & (units < start + len(block))
            found[inside] = block[units[inside] - start]
            start += len(block)
        return found


def unit_length(vectors: Floats) -> Floats:
    """Return vectors (n, n_dimensions) scaled to length 1; zeros stay zeros.

    >>> unit_length(np.array([[3, 4], [0, 0]], np.float32)).tolist()
    [[0.6000000238418579, 0.800000011920929], [0.0, 0.0]]
    """
    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
    return (vectors / np.where(lengths > 0, lengths, 1.0)).astype(np.float32)


def stand_out(similarities: Floats) -> Vector:
    """Return how far each unit stands out of the crowd, in standard deviations, 0 below the mean; along the last axis.

    Cosines of one model mean little to another: some give .7 to whatever has nothing in common. What is comparable is
    how unusual a cosine is among those of the same question.
    """
    if not similarities.shape[-1]:
        return np.zeros(similarities.shape)
    mean = similarities.mean(axis=-1, keepdims=True, dtype=np.float64)
    deviation = similarities.std(axis=-1, keepdims=True, dtype=np.float64)
    scores: Vector = np.maximum((similarities - mean) / np.where(deviation > 1e-9, deviation, np.inf), 0.0)
    return scores


def meant(vectors: Vectors, question: Floats, weight: float) -> Vector:
    """Return what the units gain by their vectors, (n_units,), where the best by BM25 has 1."""
    gains: Vector = weight * stand_out(vectors.similarities(question[np.newaxis]))[0]
    highest = float(gains.max(initial=0.0))
    gains *= _MOST / max(highest, _MOST)
    return gains
