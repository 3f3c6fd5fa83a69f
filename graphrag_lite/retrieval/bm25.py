"""BM25 over text units, its postings stored by term: a question costs as much as the postings it touches.

Lucene's variant (Kamphuis et al. 2020, "Which BM25 do you mean?", section 2): the score of a term in a unit is
idf * tf / (tf + norm), norm = k1 * (1 - b + b * length / mean length), idf = ln(1 + (n_units - df + 0.5) / (df + 0.5)).
Counts, df and lengths are stored; a score is computed when a question asks for it.
"""

import math
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, reduce
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from graphrag_lite.graph.sparse import Csr
from graphrag_lite.retrieval.columns import Strings, lists, numbers
from graphrag_lite.retrieval.postings import Postings, count_postings
from graphrag_lite.tables import segments
from graphrag_lite.text.words import ASKING, UNSPACED

if TYPE_CHECKING:
    import pyarrow as pa

YEAR = re.compile(r"1[0-9]{3}|20[0-9]{2}")
AT_ONCE = 1 << 20  # postings whose units are counted at once
MAX_ROWS = 100_000  # terms whose row is kept
MAX_LOOKED_AT = 500  # terms of one unit, evenly spaced, that stand for all of them
# In a corpus of three notes no word is rare; what is missing would weigh more than all that is there.
MIN_UNITS = 100
# An unknown n-gram of a script without spaces is often none of a word, but of the end of one and the start of another.
UNKNOWN_NGRAM = 0.5
ENDING, LEAST_STEM = 2, 4  # letters that two forms of a word end in, and the least that they begin with


@dataclass(frozen=True)
class Bm25(Postings):
    """Postings with what their scores are computed from."""

    idf: npt.NDArray[np.float64]  # (n_terms,)
    norms: npt.NDArray[np.float64]  # (n_units,)

    @property
    def n_units(self) -> int:
        return len(self.norms)

    def units_of(self, term: str) -> npt.NDArray[np.int32]:
        """Return the units that hold `term`, ascending; none for an unknown term."""
        return self.units[self._span(self._row(term))]

    def postings(self, term: str) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]:
        """Return the units that hold `term` and its scores in them; both empty for an unknown term."""
        row = self._row(term)
        units, often = self.units[self._span(row)], self.counts[self._span(row)].astype(np.float64)
        return units, (self.idf[row : row + 1] * often / (often + self.norms[units])).astype(np.float32)

    def _span(self, row: int) -> slice:
        return slice(int(self.offsets[row]), int(self.offsets[row + 1]))

    @cached_property
    def _row(self) -> Callable[[str], int]:
        """The row of a term; -1, from the last offset to the first, of an unknown one. An answer asks over and over."""
        vocabulary = self.vocabulary  # by itself: a circle through `self` would keep mapped files open

        def row(term: str) -> int:
            position = bisect_left(vocabulary, term)
            return position if position < len(vocabulary) and vocabulary[position] == term else -1

        return lru_cache(MAX_ROWS)(row)

    def all_of(self, terms: Sequence[str]) -> npt.NDArray[np.int32]:
        """Return the units that hold all of some terms; none where there is no term."""
        held = [*map(self.units_of, terms)]
        return reduce(np.intersect1d, held) if held else self.units[:0]

    def holds(self, term: str) -> bool:
        """Say whether any unit holds `term`."""
        return len(self.units_of(term)) > 0

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
        weights = np.concatenate([np.zeros(0, np.float32), *(weights for _, weights in postings)])
        return Csr(offsets, units, weights, self.n_units)

    def units_with_years(self, first: int, last: int) -> npt.NDArray[np.int32]:
        """Return the units that say a year from `first` to `last`, both of four digits, ascending."""
        low, high = bisect_left(self.vocabulary, str(first)), bisect_right(self.vocabulary, str(last))
        years = [term for term in self.vocabulary[low:high] if YEAR.fullmatch(term)]
        return np.unique(np.concatenate([self.units[:0], *map(self.units_of, years)]))

    def forms(self, word: str) -> npt.NDArray[np.int32]:
        """Return the units that hold a word, or one that begins like it, in no order, once for each such word."""
        return self.units[self._span_of_forms(word)]

    def _span_of_forms(self, word: str) -> slice:
        stem = word[: max(LEAST_STEM, len(word) - ENDING)]
        low, high = bisect_left(self.vocabulary, stem), bisect_left(self.vocabulary, stem + "\U0010ffff")
        return slice(int(self.offsets[low]), int(self.offsets[high]))

    def _n_forms(self, word: str) -> int:
        span = self._span_of_forms(word)
        return int(span.stop - span.start)

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
        return n_new / n, n_new / n * sum(self._n_forms(word) > 1 for word in long) / max(1, len(long))


def term_idf(index: Bm25, question_terms: Iterable[str]) -> dict[str, float]:
    """Return the idf of the distinct terms of a question that do more than ask, the highest for an unknown term."""
    rows = {term: len(index.units_of(term)) for term in question_terms if term not in ASKING}
    return {
        term: idf(index.n_units, n) * (1.0 if n or not UNSPACED.match(term) else UNKNOWN_NGRAM)
        for term, n in rows.items()
    }


def idf(n_units: int, n: int) -> float:
    """Return the idf of a term that `n` of some text units hold, as if there were MIN_UNITS at least."""
    units = max(n_units, MIN_UNITS)
    return math.log1p((units - min(n, units) + 0.5) / (min(n, units) + 0.5))


def build(term_lists: Sequence[Sequence[str]], k1: float = 1.5, b: float = 0.75) -> Bm25:
    """Index the terms of each unit; unit i is `term_lists[i]`.

    >>> index = build([["red", "fox"], ["red", "red", "hen"], []])
    >>> list(index.vocabulary), index.offsets.tolist(), index.units.tolist()
    (['fox', 'hen', 'red'], [0, 1, 2, 4], [0, 1, 0, 1])
    >>> print(index.scores(["fox", "cat"]).round(2))
    [0.36 0.   0.  ]
    """
    counted = count_postings(map(Counter, term_lists), np.arange(len(term_lists)))
    return weigh(counted, lengths_of(counted, len(term_lists)), k1, b)


def lengths_of(postings: Postings, n_units: int) -> npt.NDArray[np.float64]:
    """Return how many terms each unit holds, each as often as it is counted, (n_units,)."""
    lengths = np.zeros(n_units)
    for start in range(0, len(postings.units), AT_ONCE):
        part = slice(start, start + AT_ONCE)
        lengths += np.bincount(postings.units[part], postings.counts[part], n_units)
    return lengths


def mean_length(lengths: npt.NDArray[np.float64]) -> float:
    return float(lengths.mean()) if lengths.any() else 1.0


def norms_of(lengths: npt.NDArray[Any], k1: float, b: float, mean: float) -> npt.NDArray[np.float64]:
    """Return what is added to the count of a term in units of these lengths, (n_units,)."""
    return np.asarray(k1 * (1 - b + b * lengths / mean))


def weigh(postings: Postings, lengths: npt.NDArray[np.float64], k1: float = 1.5, b: float = 0.75) -> Bm25:
    """Return postings over units of these lengths with the idf of each term and the norm of each unit."""
    idf = _idf(len(lengths), np.diff(postings.offsets))
    return Bm25(**vars(postings), idf=idf, norms=norms_of(lengths, k1, b, mean_length(lengths)))


def _idf(n_units: int, frequencies: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    return np.asarray(np.log1p((n_units - frequencies + 0.5) / (frequencies + 0.5)))


def read_norms(units: "pa.Table", lengths: "pa.Table") -> npt.NDArray[np.float64]:
    """Return the norms of `search_units` by the row of `search_lengths`."""
    (row,) = lengths.to_pylist()
    return norms_of(numbers(units["length"], "int32"), row["k1"], row["b"], row["mean"])


def read_number(lengths: "pa.Table", name: str) -> int:
    """Return how many text units (`n_units`) or reports the whole corpus has, by the row of `search_lengths`."""
    return int(lengths[name][0].as_py())


def read_counts(table: "pa.Table") -> Postings:
    """Return the postings that a table holds."""
    data = table.combine_chunks()
    (offsets, units), (_, counts) = lists(data["rows"], "int32"), lists(data["counts"], "uint8")
    return Postings(Strings(data["term"]), offsets, units, counts)


def read_postings(table: "pa.Table", norms: npt.NDArray[np.float64], n: int) -> Bm25:
    """Return the postings that a table holds over units, or reports, with these norms; the whole corpus has `n`."""
    idf = _idf(n, numbers(table.combine_chunks()[segments.FREQUENCY], "int32"))
    return Bm25(**vars(read_counts(table)), idf=idf, norms=norms)


def read_segments(held: segments.Segments, norms: npt.NDArray[np.float64], n: int) -> Bm25:
    """Return the postings of a table in parts, each read when a question asks for it (`read_postings`)."""
    units, counts = (segments.SegmentedPostings(held, name) for name in ("rows", "counts"))
    vocabulary, idf = Strings(held.terms["term"]), _idf(n, held.frequencies)
    return Bm25(vocabulary, held.offsets, units, counts, idf, norms)  # type: ignore[arg-type]
