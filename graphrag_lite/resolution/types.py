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

from graphrag_lite.text.names.contexts import JOINED

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

MIN_STATED = 50  # names: of fewer alone nothing is learned ("Zep" a person, from 39 names in four languages)
MIN_OF_TYPE = 5  # names of one type: a rarer one is not given
MIN_PROBABILITY = 0.7
_BESIDE = re.compile(r"[<>] [^\W\d_]{2}(?<!Aa)")  # a word right beside a name: of a language that was learned from
SMOOTHING = 1.0  # names, as many as the shares of the types alone speak for


def infer_types(
    forms: Mapping[str, Sequence[str]], beside: "pa.ListArray", stated: Mapping[str, str]
) -> dict[str, str]:
    """Return the type of each key of `forms` that is not in `stated`, where it can be told.

    `forms` are the features of each name, `beside` has a list of its mentions for each, those of a mention as one
    string (`JOINED`). Mentions are not independent: n of them count as much as the square root of n. The order of keys
    and of the mentions of a key does not matter.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    keys = list(forms)
    totals = Counter(stated[key] for key in keys if key in stated)
    unknown = np.array([key not in stated for key in keys], bool)
    elsewhere = _counted_elsewhere() if totals.total() < MIN_STATED else {}
    totals.update(elsewhere.get("", {}))
    types = sorted(kind for kind, n in totals.items() if n >= MIN_OF_TYPE)
    if len(types) < 2 or not unknown.any():
        return {}
    owner, feature, names, of_form = _features(forms, beside)
    if elsewhere:
        is_known = pc.is_in(names, value_set=pa.array([each for each in elsewhere if _BESIDE.match(each)], pa.string()))
        unknown &= np.isin(np.arange(len(keys)), owner[np.asarray(is_known)[feature]])
    used = np.unique(feature[unknown[owner]])
    used = used[np.asarray(pc.sort_indices(names.take(pa.array(used))))]  # sums in one order, whatever that of keys
    number = np.full(len(names), -1)
    number[used] = np.arange(len(used))
    feature = number[feature]

    kind = np.array([types.index(stated[key]) if stated.get(key) in types else -1 for key in keys], np.int64)
    held = (feature >= 0) & (kind >= 0)[owner]
    where, which, n_of = _occurrences(owner[held], feature[held], len(used))
    counts = np.bincount(which * len(types) + kind[where], np.frexp(n_of)[1], len(used) * len(types))
    counts = counts.reshape(len(used), len(types))
    numbers = {name: n for n, name in enumerate(names.take(pa.array(used)).to_pylist())} if elsewhere else {}
    for known in numbers.keys() & elsewhere.keys():
        counts[numbers[known]] += [elsewhere[known].get(each, 0) for each in types]
    total = counts.sum(axis=1, keepdims=True)
    shares = np.array([totals[each] for each in types]) / sum(totals[each] for each in types)
    # By type the logarithm of how much more often a feature is seen with it than with all.
    odds = np.where(total, np.log((counts + SMOOTHING * shares) / (total + SMOOTHING) / shares), 0.0)
    score = np.tile(np.log(shares), (len(keys), 1))
    roots = np.sqrt(np.maximum(np.diff(np.asarray(beside.offsets)), 1))
    for some, fewer in (slice(0, of_form), np.ones(len(keys))), (slice(of_form, None), roots):
        held = unknown[owner[some]]
        where, which, n_of = _occurrences(owner[some][held], feature[some][held], len(used))
        np.add.at(score, where, (n_of / fewer[where])[:, None] * odds[which])
    sure = 1 / np.exp(score - score.max(axis=1, keepdims=True)).sum(axis=1) >= MIN_PROBABILITY
    best = score.argmax(axis=1)
    return {keys[n]: types[best[n]] for n in np.flatnonzero(unknown & sure).tolist()}


def _features(
    forms: Mapping[str, Sequence[str]], beside: "pa.ListArray"
) -> "tuple[NDArray[np.int64], NDArray[np.int64], pa.StringArray, int]":
    """Return the features of names as each one's place among the keys and its number, what has which number, and how
    many of them, the first, are of the name itself."""
    import pyarrow as pa
    import pyarrow.compute as pc

    listed = pc.split_pattern(beside.flatten(), JOINED)
    mention = np.repeat(np.arange(len(beside)), np.diff(np.asarray(beside.offsets)))
    mention = np.repeat(mention, np.diff(np.asarray(listed.offsets)))
    form = np.repeat(np.arange(len(forms)), [*map(len, forms.values())])
    shown = pa.chunked_array([pa.array(chain.from_iterable(forms.values()), pa.string()), listed.flatten()])
    encoded = shown.combine_chunks().dictionary_encode()
    return np.concatenate([form, mention]), np.asarray(encoded.indices), encoded.dictionary, len(form)


@cache
def _counted_elsewhere() -> Mapping[str, Mapping[str, int]]:
    """Return how many names of each type have a feature, by feature, and how many there are, by ""."""
    lines = (resources.files(__package__) / "type_contexts.tsv").read_text(encoding="utf-8").splitlines()
    (_, *types), *rows = (line.split("\t") for line in lines if line[:1] != "#")
    return {feature: {kind: int(n) for kind, n in zip(types, counts, strict=False) if n} for feature, *counts in rows}


def _occurrences(
    owner: "NDArray[np.int64]", feature: "NDArray[np.int64]", n: int
) -> "tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]":
    """Return each different feature (of `n`) of each place, in order, and how often it is there."""
    pairs, n_of = np.unique(owner * n + feature, return_counts=True)
    return *np.divmod(pairs, max(n, 1)), n_of
