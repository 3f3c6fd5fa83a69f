"""The best of many scores."""

import numpy as np
import numpy.typing as npt


def best(scores: npt.NDArray[np.floating], k: int) -> npt.NDArray[np.int64]:
    """Return the indices of the `k` highest scores, best first, ties by index; fewer where there are fewer units.

    >>> best(np.array([0.5, 0.9, 0.5, 0.1]), 3).tolist()
    [1, 0, 2]
    """
    if 0 < k < len(scores):
        candidates = np.flatnonzero(scores >= np.partition(scores, len(scores) - k)[len(scores) - k])
    else:
        candidates = np.arange(len(scores))
    return candidates[np.lexsort((candidates, -scores[candidates]))][:k]
