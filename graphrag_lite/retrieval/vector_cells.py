"""Cells that many vectors are divided into, so that a question is compared with those of the nearest cells only.

An inverted file (Sivic and Zisserman 2003; Jégou, Douze and Schmid 2011): faiss finds the cells' centres by k-means
over a sample, and the cell of each vector. Vectors stay where they are, so a cosine that is looked at is exact.
"""

import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from graphrag_lite.retrieval.vectors import Floats, Vectors

Rows = npt.NDArray[np.int32]
LIBRARY = "faiss"  # of the extra [ann]
_SEED = 0xFA155
_PER_ROOT = 2.0  # cells, times the square root of the number of vectors
_SAMPLE, _STEPS = 64, 10  # vectors of the sample for each cell, and steps of k-means
_NEAREST = 64  # cells that a question looks into: docs/dependencies.md has what it finds there


@dataclass(frozen=True)
class Cells:
    """`centres` (n_cells, n_dimensions) of length 1, and the rows of the vectors in each cell, ascending."""

    centres: "Floats"
    rows: Sequence[Rows]

    def near(self, question: "Floats") -> Rows:
        """Return the rows of the vectors in the cells that are nearest to a question, ascending."""
        by_centre = self.centres @ question
        nearest = np.argsort(-by_centre, kind="stable")[:_NEAREST]
        return np.sort(np.concatenate([self.rows[cell] for cell in nearest.tolist()]))


def can_divide() -> bool:
    """Say whether the library is there."""
    return importlib.util.find_spec(LIBRARY) is not None


def divide(vectors: "Vectors") -> Cells:
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
