"""Types of names that no text states, inferred from names that are used alike and whose type is stated.

Naive Bayes over what stands beside the mentions and how the names are written, trained on the stated names of the same
corpus (after Collins and Singer 1999, who start from rules and learn contexts, too). Where a corpus states few, it is
`type_contexts.tsv` that teaches: what stood beside names in others.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

MIN_STATED = 50  # names: of fewer alone nothing is learned ("Zep" a person, from 39 names in four languages)
MIN_OF_TYPE = 5  # names of one type: a rarer one is not given
MIN_PROBABILITY = 0.7
_BESIDE = re.compile(r"[<>] [^\W\d_]{2}(?<!Aa)")  # a word right beside a name: of a language that was learned from
SMOOTHING = 1.0  # names, as many as the shares of the types alone speak for


def infer_types(features: Mapping[str, Sequence[Sequence[str]]], stated: Mapping[str, str]) -> dict[str, str]:
    """Return the type of each key of `features` that is not in `stated`, where it can be told.

    Features of the name stand first, then those of each of its mentions, which are not independent: n of them count as
    much as the square root of n. The order of keys and of the mentions of a key does not matter.
    """
    totals = Counter(stated[key] for key in features if key in stated)
    unknown = [key for key in features if key not in stated]
    elsewhere = _counted_elsewhere() if totals.total() < MIN_STATED else {}
    if elsewhere:
        totals.update(elsewhere[""])
        told = {feature for feature in elsewhere if _BESIDE.match(feature)}
        unknown = [key for key in unknown if any(not told.isdisjoint(of_one) for of_one in features[key])]
    types = sorted(kind for kind, n in totals.items() if n >= MIN_OF_TYPE)
    if len(types) < 2 or not unknown:
        return {}
    asked = {feature for key in unknown for of_one in features[key] for feature in of_one}
    number = {feature: n for n, feature in enumerate(sorted(asked))}  # sums in one order, whatever that of the keys
    known = [key for key in features if stated.get(key) in types]
    place, feature, n_of = _occurrences([[f for of_one in features[key] for f in of_one] for key in known], number)
    kind = np.array([types.index(stated[key]) for key in known], np.int64)[place]
    counts = np.zeros((len(number), len(types)))
    np.add.at(counts, (feature, kind), np.frexp(n_of)[1])
    for known_feature in number.keys() & elsewhere.keys():
        counts[number[known_feature]] += [elsewhere[known_feature].get(kind, 0) for kind in types]
    total = counts.sum(axis=1, keepdims=True)
    shares = np.array([totals[each] for each in types]) / sum(totals[each] for each in types)
    # By type the logarithm of how much more often a feature is seen with it than with all.
    odds = np.where(total, np.log((counts + SMOOTHING * shares) / (total + SMOOTHING) / shares), 0.0)
    score = np.tile(np.log(shares), (len(unknown), 1))
    of_name, of_mentions = ([features[key][0] for key in unknown], [features[key][1:] for key in unknown])
    roots = np.sqrt([max(len(mentions), 1) for mentions in of_mentions])
    for held, fewer in (of_name, 1.0), ([[f for one in mentions for f in one] for mentions in of_mentions], roots):
        place, feature, n_of = _occurrences(held, number)
        np.add.at(score, place, (n_of / np.broadcast_to(fewer, len(unknown))[place])[:, None] * odds[feature])
    sure = 1 / np.exp(score - score.max(axis=1, keepdims=True)).sum(axis=1) >= MIN_PROBABILITY
    best = score.argmax(axis=1).tolist()
    return {key: types[best[n]] for n, key in enumerate(unknown) if sure[n]}


@cache
def _counted_elsewhere() -> Mapping[str, Mapping[str, int]]:
    """Return how many names of each type have a feature, by feature, and how many there are, by ""."""
    lines = (resources.files(__package__) / "type_contexts.tsv").read_text(encoding="utf-8").splitlines()
    (_, *types), *rows = (line.split("\t") for line in lines if line[:1] != "#")
    return {feature: {kind: int(n) for kind, n in zip(types, counts, strict=False) if n} for feature, *counts in rows}


def _occurrences(
    held: Sequence[Sequence[str]], number: Mapping[str, int]
) -> "tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]":
    """Return each different feature of each list, in order, as its list's place and its `number`, and how often it is
    there; features without a number are left out."""
    numbers = [[number[feature] for feature in each if feature in number] for each in held]
    places = np.repeat(np.arange(len(held)), [*map(len, numbers)])
    pairs, n_of = np.unique(places * len(number) + np.array([*chain(*numbers)], np.int64), return_counts=True)
    return *np.divmod(pairs, len(number)), n_of
