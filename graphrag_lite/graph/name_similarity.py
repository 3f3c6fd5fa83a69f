"""The lexical rung: pairs of names whose character 3-grams nearly agree.

Prefix filtering (Bayardo et al. 2007, AllPairs; Xiao et al. 2008, PPJoin): two sets with Jaccard similarity of at
least t share one of the |x| - ceil(t |x|) + 1 rarest 3-grams of each, so only those are indexed.
"""

import math
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable

_NUMERAL = re.compile(r"\d+|\b[ivxlcdm]+\b")
# A 3-gram that this many names have among their rarest tells nothing; without a limit a corpus of near-equal names
# ("Station 1" ... "Station 99999") would be compared all to all.
_MAX_BLOCK = 200


def _grams(key: str) -> set[str]:
    """Return the 3-grams of `key` without the accents of its letters."""
    if not key.isascii():
        key = "".join(c for c in unicodedata.normalize("NFD", key) if not unicodedata.combining(c)) or key
    return {key[i : i + 3] for i in range(len(key) - 2)} or {key}


def similar_pairs(keys: Iterable[str], threshold: float = 0.9) -> list[tuple[str, str]]:
    """Return the pairs (a < b) of `keys` that are alike and have no second candidate, in order.

    Alike: Jaccard similarity of their sets of 3-grams, accents off, >= `threshold`, and the same numerals in the same
    order.

    >>> similar_pairs(["skeleton world cup", "skeleton world cups", "world war i", "world war ii"])
    [('skeleton world cup', 'skeleton world cups')]
    """
    grams = {key: _grams(key) for key in sorted(set(keys)) if len(key) >= 6}
    frequency = Counter(gram for of_key in grams.values() for gram in of_key)
    blocks: dict[str, list[str]] = defaultdict(list)
    partners: dict[str, set[str]] = defaultdict(set)
    for key in sorted(grams, key=lambda key: (len(grams[key]), key)):
        own = grams[key]
        rarest = sorted(own, key=lambda gram: (frequency[gram], gram))
        seen: set[str] = set()
        for gram in rarest[: len(own) - math.ceil(threshold * len(own)) + 1]:
            block = blocks[gram]
            if frequency[gram] > 1:
                for other in block[-_MAX_BLOCK:]:
                    if other not in seen and len(grams[other]) >= threshold * len(own):
                        seen.add(other)
                        shared = len(own & grams[other])
                        alike = shared >= threshold * (len(own) + len(grams[other]) - shared)
                        if alike and _NUMERAL.findall(key) == _NUMERAL.findall(other):
                            partners[key].add(other)
                            partners[other].add(key)
                block.append(key)
    return sorted(
        (key, other)
        for key, (other, *rest) in ((key, sorted(found)) for key, found in partners.items())
        if not rest and len(partners[other]) == 1 and key < other
    )
