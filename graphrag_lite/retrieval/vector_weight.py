"""How much the vectors of an index may count, learned from its own texts: nothing, where they add nothing to BM25.

Some words of a sentence are a question that its text unit should answer. Over such pairs a conditional logit model
(McFadden 1974) says what the right unit is chosen by: its BM25 score, and how far its vector stands out. Both are
fitted together, so vectors that only repeat what words say gain nothing, and neither do vectors that say nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float64]

_RIDGE = 0.05  # keeps the fit finite where one score decides everything
# Vectors count where they make the choices likelier by this much, in twice the logarithm, for which chance alone needs
# 400 corpora (Wilks 1938); and then by the low end of what they may be worth, in standard errors.
_SURE = 9.0
_CAUTION = 2.0
_STEPS, _CLOSE = 50, 1e-9


@dataclass(frozen=True)
class Fit:
    """`weight` of a standard deviation of a vector's cosine, where BM25's best has 1; what it was learned from."""

    weight: float
    coefficient: float  # of vectors, beside BM25's
    gain: float  # twice the log likelihood that they add


def fit(choices: Sequence[Vector]) -> Fit:
    """Learn from choices: of each, (n_candidates, 2) BM25 of 1 and standing out of the candidates, the right one first.

    >>> chance = np.random.default_rng(1)
    >>> noise = [np.abs(chance.normal(size=(20, 2))) for _ in range(50)]
    >>> fit(noise).weight
    0.0
    >>> bool(fit([rows + np.eye(20)[:, :1] @ [[1, 2]] for rows in noise]).weight > 0.5)
    True
    """
    if not choices:
        return Fit(0.0, 0.0, 0.0)
    both, words = _newton(choices, 2), _newton(choices, 1)
    by_words, by_vectors = both.coefficients.tolist()
    gain = 2 * max(both.likelihood - words.likelihood, 0.0)
    if by_vectors <= 0 or gain < _SURE:
        return Fit(0.0, by_vectors, gain)
    # By the root of the gain, not by the standard error: that one is too large where vectors are nearly always right.
    return Fit(by_vectors * (1 - _CAUTION / np.sqrt(gain)) / max(by_words, 1.0), by_vectors, gain)


@dataclass(frozen=True)
class _Logit:
    coefficients: Vector
    likelihood: float  # its logarithm, penalised


def _newton(choices: Sequence[Vector], n: int) -> _Logit:
    """Fit a conditional logit model to the first `n` columns by Newton's method; it has one optimum."""
    coefficients, likelihood = np.zeros(n), 0.0
    for _ in range(_STEPS):
        gradient, information = -_RIDGE * coefficients, _RIDGE * np.eye(n)
        likelihood = -_RIDGE / 2 * float(coefficients @ coefficients)
        for rows in choices:
            values = rows[:, :n]
            utilities = values @ coefficients
            chances = np.exp(utilities - utilities.max())
            likelihood += float(utilities[0] - utilities.max() - np.log(chances.sum()))
            chances /= chances.sum()
            mean = chances @ values
            gradient += values[0] - mean
            information += (values * chances[:, np.newaxis]).T @ values - np.outer(mean, mean)
        step = np.linalg.solve(information, gradient)
        coefficients = coefficients + step * min(1.0, 5.0 / max(float(np.abs(step).max()), 1e-12))
        if np.abs(step).max() < _CLOSE:
            break
    return _Logit(coefficients, likelihood)
