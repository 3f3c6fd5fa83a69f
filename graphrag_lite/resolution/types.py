"""Types of names that no text states, inferred from names that are used alike and whose type is stated.

Naive Bayes over what stands beside the mentions and how the names are written, trained on the stated names of the same
corpus (after Collins and Singer 1999, who start from rules and learn contexts, too).
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

MIN_STATED = 50  # names: of fewer nothing is learned ("Zep" a person, from 39 names in four languages)
MIN_OF_TYPE = 5  # names of one type: a rarer one is not given
MIN_PROBABILITY = 0.7
SMOOTHING = 1.0  # names, as many as the shares of the types alone speak for

Features = Mapping[str, Sequence[Sequence[str]]]
"""By key: the features of the name first, then those of each of its mentions."""


def infer_types(features: Features, stated: Mapping[str, str]) -> dict[str, str]:
    """Return the type of each key of `features` that is not in `stated`, where it can be told.

    Mentions of one name are not independent: n of them count as much as the square root of n. The order of keys and
    of the mentions of a key does not matter.
    """
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    totals = Counter(stated[key] for key in features if key in stated)
    types = sorted(kind for kind, n in totals.items() if n >= MIN_OF_TYPE)
    if sum(totals.values()) < MIN_STATED or len(types) < 2:
        return {}
    asked = {feature for key in features if key not in stated for of_one in features[key] for feature in of_one}
    for key in features:
        if stated.get(key) in types:
            for feature, n in Counter(f for of_one in features[key] for f in of_one if f in asked).items():
                counts[feature][stated[key]] += n.bit_length()
    shares = [totals[kind] / sum(totals[kind] for kind in types) for kind in types]
    odds = {feature: _log_odds([found[kind] for kind in types], shares) for feature, found in counts.items()}
    inferred = {}
    for key in features:
        if key not in stated:
            score = [
                math.log(share) + value
                for share, value in zip(shares, _score(features[key], odds, len(types)), strict=True)
            ]
            best = max(score)
            if 1 / sum(math.exp(value - best) for value in score) >= MIN_PROBABILITY:
                inferred[key] = types[score.index(best)]
    return inferred


def _log_odds(counts: Sequence[int], shares: Sequence[float]) -> list[float]:
    """Return by type the logarithm of how much more often a feature is seen with it than with all."""
    total = sum(counts) + SMOOTHING
    return [math.log((n + SMOOTHING * share) / total / share) for n, share in zip(counts, shares, strict=True)]


def _score(features: Sequence[Sequence[str]], odds: Mapping[str, list[float]], n_types: int) -> list[float]:
    name, *mentions = features
    score = [0.0] * n_types
    _add(score, name, odds, 1.0)
    for feature, n in sorted(Counter(f for mention in mentions for f in mention).items()):
        _add(score, (feature,), odds, n / math.sqrt(len(mentions)))
    return score


def _add(score: list[float], features: Iterable[str], odds: Mapping[str, list[float]], weight: float) -> None:
    for feature in features:
        for i, value in enumerate(odds.get(feature, ())):
            score[i] += weight * value
