"""The best of many scores."""

import numpy as np
import numpy.typing as npt

_BLOCK = 512


def best_rows(scores: npt.NDArray[np.floating], k: int) -> npt.NDArray[np.int64]:
    """Return the indices of the `k` highest scores, best first, ties by index; fewer where there are fewer units.

    >>> best_rows(np.array([0.5, 0.9, 0.5, 0.1]), 3).tolist()
    [1, 0, 2]
    """
    if not 0 < k < len(scores):
        candidates = np.arange(len(scores))
        return candidates[np.lexsort((candidates, -scores))][:k]
    least = _kth(scores, k)
    above = np.flatnonzero(scores > least)
    equal = np.flatnonzero(scores == least)[: k - len(above)]
    return np.concatenate([above[np.lexsort((above, -scores[above]))], equal])


def _kth(scores: npt.NDArray[np.floating], k: int) -> np.floating:
    """Return the k-th highest score. The k-th highest of the blocks' maxima is not above it: few are left."""
    n_blocks = len(scores) // _BLOCK
    if n_blocks > k:
        tops = scores[: n_blocks * _BLOCK].reshape(n_blocks, _BLOCK).max(axis=1)
        scores = scores[scores >= np.partition(tops, n_blocks - k)[n_blocks - k]]
    found: np.floating = np.partition(scores, len(scores) - k)[len(scores) - k]
    return found
