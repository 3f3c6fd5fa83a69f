"""BM25 over text units, its postings stored by term: a question costs as much as the postings it touches.

Lucene's variant (Kamphuis et al. 2020, "Which BM25 do you mean?", section 2): the score of a term in a unit is
idf * tf / (tf + k1 * (1 - b + b * length / mean length)), idf = ln(1 + (n_units - df + 0.5) / (df + 0.5)). Scores are
computed when the index is built, as bm25s does (Lù 2024).
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial, reduce
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from graphrag_lite.graph.sparse import Csr

if TYPE_CHECKING:
    import pyarrow as pa

YEAR = re.compile(r"1[0-9]{3}|20[0-9]{2}")
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
    lengths = np.fromiter(map(len, term_lists), dtype=np.int64, count=len(term_lists))
    terms = np.fromiter((number[t] for unit_terms in term_lists for t in unit_terms), np.int64, int(lengths.sum()))
    return invert(vocabulary, terms, lengths, k1, b)


def build_counted(
    terms: "pa.ListArray", counts: "pa.ListArray", rows: npt.NDArray[np.int64], k1: float = 1.5, b: float = 0.75
) -> Bm25:
    """Index texts whose terms are counted; unit i is the text of `rows[i]`, or empty where that is -1.

    >>> import pyarrow as pa
    >>> counted = pa.array([["fox", "red"], ["hen", "red"]]), pa.array([[1, 1], [1, 2]])
    >>> index = build([["red", "fox"], ["red", "red", "hen"], []])
    >>> (build_counted(*counted, np.array([0, 1, -1])).weights == index.weights).all()
    np.True_
    """
    encoded = terms.flatten().dictionary_encode()
    offsets = np.asarray(terms.offsets)
    firsts, sizes = (np.append(values, 0)[rows] for values in (offsets[:-1], np.diff(offsets)))
    ends = np.cumsum(sizes)
    flat = np.arange(sizes.sum()) - np.repeat(ends - sizes - firsts, sizes)
    numbers = np.asarray(encoded.indices)[flat]
    times = np.asarray(counts.flatten())[flat]
    held = np.flatnonzero(np.bincount(numbers, minlength=len(encoded.dictionary)))
    words = encoded.dictionary.take(held).to_pylist()
    order = sorted(range(len(words)), key=words.__getitem__)
    place = np.zeros(len(encoded.dictionary), np.int32)
    place[held[order]] = np.arange(len(words))
    number, unit = place[numbers], np.repeat(np.arange(len(rows), dtype=np.int32), sizes)
    lengths = np.bincount(unit, weights=times, minlength=len(rows)).astype(np.int64)
    by_term = np.argsort(number, kind="stable")
    return _weighted([words[i] for i in order], number[by_term], unit[by_term], times[by_term], lengths, k1, b)


def invert(
    vocabulary: Sequence[str],
    terms: npt.NDArray[np.int64],
    lengths: npt.NDArray[np.int64],
    k1: float = 1.5,
    b: float = 0.75,
) -> Bm25:
    """Index units of so many terms each, (n_units,); `terms` are their places in the vocabulary, unit after unit."""
    n_units = len(lengths)
    # One integer for each (term, unit) pair: sorting them once gives the postings in order and their frequencies.
    pairs, frequencies = np.unique(terms * max(n_units, 1) + np.repeat(np.arange(n_units), lengths), return_counts=True)
    return _weighted(vocabulary, *np.divmod(pairs, max(n_units, 1)), frequencies, lengths, k1, b)


def _weighted(
    vocabulary: Sequence[str],
    terms: npt.NDArray[np.integer[Any]],
    units: npt.NDArray[np.integer[Any]],
    frequencies: npt.NDArray[np.integer[Any]],
    lengths: npt.NDArray[np.int64],
    k1: float,
    b: float,
) -> Bm25:
    """Weigh pairs of a term and a unit, ordered by both, with the times that the unit has the term."""
    n_units = len(lengths)
    document_frequencies = np.bincount(terms, minlength=len(vocabulary))
    idf = np.log1p((n_units - document_frequencies + 0.5) / (document_frequencies + 0.5))
    relative_lengths = lengths / (lengths.mean() if lengths.any() else 1.0)
    weights = idf[terms]
    weights *= frequencies
    weights /= frequencies + (k1 * (1 - b + b * relative_lengths))[units]
    offsets = np.concatenate(([0], np.cumsum(document_frequencies)))
    return Bm25(n_units, vocabulary, offsets.astype(np.int64), units.astype(np.int32), weights.astype(np.float32))
