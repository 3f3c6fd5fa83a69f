"""The lexical rung: pairs of names whose character 3-grams nearly agree.

Names with a Jaccard similarity of at least t share one of their |x| - ceil(t |x|) + 1 rarest 3-grams (prefix filtering:
Bayardo et al. 2007). Names with other numerals never meet.
"""

import math
import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from graphrag_lite.text.folding import unmarked

NUMERAL = re.compile(r"\d+|\b[ivxlcdm]+\b")
# So many names with one rare 3-gram are compared; more would be a corpus of near-equal names, compared all to all.
_MAX_BLOCK = 100
# Names in one block are alike in what makes them rare; below this length a 3-gram more is another name.
_MIN_LENGTH = 6


def similar_pairs(keys: Iterable[str], threshold: float = 0.9) -> list[tuple[str, str]]:
    """Return the pairs (a < b) of `keys` that are alike and have no second candidate, in order.

    Alike: Jaccard similarity of their sets of 3-grams, accents off, >= `threshold`, and the same numerals in the same
    order.

    >>> similar_pairs(["skeleton world cup", "skeleton world cups", "world war i", "world war ii"])
    [('skeleton world cup', 'skeleton world cups')]
    """
    grams = {key: grams_of(key) for key in sorted(set(keys)) if len(key) >= _MIN_LENGTH}
    partners: dict[str, set[str]] = defaultdict(set)
    by_numerals: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for key in grams:
        by_numerals[tuple(NUMERAL.findall(key))].append(key)
    for group in by_numerals.values():
        for one, other in _sharing_rare_grams(group, grams, threshold):
            shared = len(grams[one] & grams[other])
            if shared >= threshold * (len(grams[one]) + len(grams[other]) - shared):
                partners[one].add(other)
                partners[other].add(one)
    single = {key: next(iter(found)) for key, found in partners.items() if len(found) == 1}
    return sorted((key, other) for key, other in single.items() if other in single and key < other)


def grams_of(key: str) -> frozenset[str]:
    """Return the 3-grams of `key` without the accents of its letters."""
    key = unmarked(key)
    return frozenset(key[i : i + 3] for i in range(len(key) - 2)) or frozenset((key,))


def _sharing_rare_grams(
    keys: Sequence[str], grams: Mapping[str, frozenset[str]], threshold: float
) -> list[tuple[str, str]]:
    """Return the pairs of `keys` that share one of their rarest 3-grams and are about as long."""
    frequency = Counter(chain.from_iterable(grams[key] for key in keys))
    rarest = sorted(frequency, key=lambda gram: (frequency[gram], gram))
    rank = {gram: position for position, gram in enumerate(rarest)}
    shared = bisect_left(rarest, 2, key=frequency.__getitem__)  # those before stand in one name
    blocks: dict[tuple[int, int], list[str]] = defaultdict(list)
    pairs = []
    for key in sorted(keys, key=lambda key: (len(grams[key]), key)):
        own = sorted(map(rank.__getitem__, grams[key]))
        shortest = math.ceil(threshold * len(own) - 1e-9)
        prefix = own[bisect_left(own, shared) : len(own) - shortest + 1]
        sizes = range(shortest, len(own) + 1)
        found = (blocks[gram, size] for gram in prefix for size in sizes if (gram, size) in blocks)
        pairs += [(key, other) for other in sorted({other for block in found for other in block[-_MAX_BLOCK:]})]
        for gram in prefix:
            blocks[gram, len(own)].append(key)
    return pairs
