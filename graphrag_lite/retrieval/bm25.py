"""BM25 over text units, its postings stored by term: a question costs as much as the postings it touches.

Lucene's variant (Kamphuis et al. 2020, "Which BM25 do you mean?", section 2): the score of a term in a unit is
idf * tf / (tf + k1 * (1 - b + b * length / mean length)), idf = ln(1 + (n_units - df + 0.5) / (df + 0.5)). Scores are
computed when the index is built, as bm25s does (Lù 2024).
"""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial, reduce
from itertools import chain, compress
from typing import Any

import numpy as np
import numpy.typing as npt

from graphrag_lite.graph.sparse import Csr

YEAR = re.compile(r"1[0-9]{3}|20[0-9]{2}")
AT_ONCE = 1024  # units whose terms are put in order at once
MAX_PLACES = 100_000  # terms whose place is kept
MAX_LOOKED_AT = 500  # terms of one unit, evenly spaced, that stand for all of them
ENDING, LEAST_STEM = 2, 4  # letters that two forms of a word end in, and the least that they begin with


@dataclass(frozen=True)
class Bm25:
    """An inverted index with its scores; the arrays are stored as they are.

    `vocabulary` is sorted. Term i has the postings `offsets[i]` to `offsets[i + 1]` of `units` (ascending within a
    term) and `weights`, the term's score in that unit.
    """

    n_units: int
    vocabulary: Sequence[str]
    offsets: npt.NDArray[np.int64 | np.int32]  # (n_terms + 1,)
    units: npt.NDArray[np.int32]  # (n_postings,)
    weights: npt.NDArray[np.float32]  # (n_postings,)

    def postings(self, term: str) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]:
        """Return the units that hold `term` and its scores in them; both empty for an unknown term."""
        i = self._place(term)
        if i == len(self.vocabulary) or self.vocabulary[i] != term:
            return self.units[:0], self.weights[:0]
        span = slice(int(self.offsets[i]), int(self.offsets[i + 1]))
        return self.units[span], self.weights[span]

    @cached_property
    def _place(self) -> Callable[[str], int]:
        """Where a term stands in the vocabulary, or would: a question's answer asks for the same ones over and over."""
        return lru_cache(MAX_PLACES)(partial(bisect_left, self.vocabulary))

    def all_of(self, terms: Sequence[str]) -> npt.NDArray[np.int32]:
        """Return the units that hold all of some terms; none where there is no term."""
        held = [self.postings(term)[0] for term in terms]
        return reduce(np.intersect1d, held) if held else self.units[:0]

    def holds(self, term: str) -> bool:
        """Say whether any unit holds `term`."""
        return len(self.postings(term)[0]) > 0

    def scores(self, question_terms: Iterable[str]) -> npt.NDArray[np.float32]:
        """Return the score of every unit, shape (n_units,); a term counts as often as the question says it."""
        total = np.zeros(self.n_units, dtype=np.float32)
        for term in question_terms:
            units, weights = self.postings(term)
            total[units] += weights
        return total

    def term_scores(self, terms: Sequence[str]) -> Csr:
        """Return the score of each of the `terms` in each unit, shape (n_terms, n_units)."""
        postings = [self.postings(term) for term in terms]
        offsets = np.cumsum([0, *(len(units) for units, _ in postings)])
        units = np.concatenate([self.units[:0], *(units for units, _ in postings)])
        weights = np.concatenate([self.weights[:0], *(weights for _, weights in postings)])
        return Csr(offsets, units, weights, self.n_units)

    def units_with_years(self, first: int, last: int) -> npt.NDArray[np.int32]:
        """Return the units that say a year from `first` to `last`, both of four digits, ascending."""
        low, high = bisect_left(self.vocabulary, str(first)), bisect_right(self.vocabulary, str(last))
        years = [term for term in self.vocabulary[low:high] if YEAR.fullmatch(term)]
        return np.unique(np.concatenate([self.units[:0], *(self.postings(year)[0] for year in years)]))

    def forms(self, word: str) -> npt.NDArray[np.int32]:
        """Return the units that hold a word, or one that begins like it, in no order, once for each such word."""
        stem = word[: max(LEAST_STEM, len(word) - ENDING)]
        low, high = bisect_left(self.vocabulary, stem), bisect_left(self.vocabulary, stem + "\U0010ffff")
        return self.units[int(self.offsets[low]) : int(self.offsets[high])]

    @cached_property
    def novelty(self) -> tuple[float, float]:
        """The share of a unit's distinct words that no other unit holds, and that others hold in other forms only.

        So likely is a further word on the same subjects to be new (Good 1953), or in a new form. Terms with a digit
        are no words. (1, 1) where there are none.
        """
        alone = np.flatnonzero(np.diff(self.offsets) == 1)
        looked_at = alone[:: max(1, len(alone) // MAX_LOOKED_AT)].tolist()
        words = [term for term in (self.vocabulary[i] for i in looked_at) if not any(map(str.isdigit, term))]
        n_new = len(alone) * len(words) / max(1, len(looked_at))
        n = len(self.units) - (len(alone) - n_new)
        if n <= 0:
            return 1.0, 1.0
        long = [word for word in words if len(word) >= LEAST_STEM + ENDING]
        return n_new / n, n_new / n * sum(len(self.forms(word)) > 1 for word in long) / max(1, len(long))


def build(term_lists: Sequence[Sequence[str]], k1: float = 1.5, b: float = 0.75) -> Bm25:
    """Index the terms of each unit; unit i is `term_lists[i]`.

    >>> index = build([["red", "fox"], ["red", "red", "hen"], []])
    >>> list(index.vocabulary), index.offsets.tolist(), index.units.tolist()
    (['fox', 'hen', 'red'], [0, 1, 2, 4], [0, 1, 0, 1])
    >>> print(index.scores(["fox", "cat"]).round(2))
    [0.36 0.   0.  ]
    """
    vocabulary = sorted({term for unit_terms in term_lists for term in unit_terms})
    number = {term: i for i, term in enumerate(vocabulary)}
    counted = [Counter(number[term] for term in unit_terms) for unit_terms in term_lists]
    offsets = np.cumsum([0, *map(len, counted)])
    held, times = (np.array([*chain(*each)], np.int32) for each in (counted, (count.values() for count in counted)))
    return build_counted(vocabulary, offsets, held, times, np.arange(len(counted)), k1, b)


def build_counted(
    vocabulary: Sequence[str],
    offsets: npt.NDArray[np.integer[Any]],
    terms: npt.NDArray[np.integer[Any]],
    times: npt.NDArray[np.integer[Any]],
    rows: npt.NDArray[np.int64],
    k1: float = 1.5,
    b: float = 0.75,
) -> Bm25:
    """Index texts whose terms are counted; unit i is the text of `rows[i]`, or empty where that is -1.

    Text r has the terms `offsets[r]` to `offsets[r + 1]` of `terms`, places in the sorted `vocabulary`, each so many
    `times`. Beside the postings that it makes it holds those of `AT_ONCE` units.
    """
    n_units, n_terms = len(rows), len(vocabulary)
    firsts, sizes = (np.append(values, 0)[rows] for values in (offsets[:-1], np.diff(offsets)))
    lengths, frequencies = np.zeros(n_units), np.zeros(n_terms, np.int64)

    def parts() -> Iterator[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]]:
        """Yield units and the places of their terms, in order."""
        for start in range(0, n_units, AT_ONCE):
            n = sizes[start : start + AT_ONCE]
            before = np.repeat(np.cumsum(n) - n - firsts[start : start + AT_ONCE], n)
            yield np.repeat(np.arange(start, start + len(n)), n), np.arange(len(before)) - before

    for unit, place in parts():
        lengths += np.bincount(unit, weights=times[place], minlength=n_units)
        frequencies += np.bincount(terms[place], minlength=n_terms)
    idf = np.log1p((n_units - frequencies + 0.5) / (frequencies + 0.5))
    damped = k1 * (1 - b + b * lengths / (lengths.mean() if lengths.any() else 1.0))
    ends = np.concatenate(([0], np.cumsum(frequencies)))
    next_place, units, weights = ends[:-1].copy(), np.empty(ends[-1], np.int32), np.empty(ends[-1], np.float32)
    for unit, place in parts():
        by_term = np.argsort(terms[place], kind="stable")
        unit, term, often = unit[by_term], terms[place[by_term]], times[place[by_term]]
        new = np.flatnonzero(np.diff(term, prepend=-1))
        n = np.diff(np.append(new, len(term)))
        posting = np.repeat(next_place[term[new]] - new, n) + np.arange(len(term))
        next_place[term[new]] += n
        units[posting], weights[posting] = unit, idf[term] * often / (often + damped[unit])
    held = frequencies > 0
    words = list(compress(vocabulary, held.tolist()))
    return Bm25(n_units, words, np.concatenate(([0], ends[1:][held])), units, weights)
