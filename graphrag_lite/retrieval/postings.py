"""Which units hold which terms, and how often: counted in texts, joined with those of the last run, kept by term."""

from array import array
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

AT_ONCE = 1024  # terms whose postings are taken apart at once
JOINED = 250_000  # postings that are joined at once: they take 40 bytes each
MOST = 255  # times that a term counts in a unit at most: a byte a posting


@dataclass(frozen=True)
class Postings:
    """An inverted index; the arrays are stored as they are.

    `vocabulary` is sorted. Term i has the postings `offsets[i]` to `offsets[i + 1]` of `units` (ascending within a
    term) and `counts`, how often that unit holds it.
    """

    vocabulary: Sequence[str]
    offsets: npt.NDArray[np.integer[Any]]  # (n_terms + 1,)
    units: npt.NDArray[np.int32]  # (n_postings,)
    counts: npt.NDArray[np.uint8]  # (n_postings,)


Rows = npt.NDArray[np.int64]
Side = tuple[Rows, npt.NDArray[np.integer[Any]], npt.NDArray[np.int32], npt.NDArray[np.uint8]]
"""The places of its terms among all, and the offsets, units and counts of their postings: few words are held so."""


def count_postings(texts: Iterable[Mapping[str, int] | None], rows: npt.NDArray[np.int64]) -> Postings:
    """Return the postings of texts that are counted by term; text r is that of unit `rows[r]`, and these ascend.

    >>> made = count_postings([{"elm": 4, "ash": 1}, None, {"elm": 300}], np.array([0, 2, 5]))
    >>> made.vocabulary, made.offsets.tolist(), made.units.tolist(), made.counts.tolist()
    (['ash', 'elm'], [0, 1, 3], [0, 0, 5], [1, 4, 255])
    """
    held: dict[str, array[int]] = defaultdict(lambda: array("q"))  # unit and count as one number
    for row, text in zip((rows * (MOST + 1)).tolist(), texts, strict=True):
        for term, n in text.items() if text else ():
            held[term].append(row + (n if n < MOST else MOST))
    vocabulary = sorted(held)
    offsets = np.cumsum([0, *(len(held[term]) for term in vocabulary)])
    found = []
    for start in range(0, max(len(vocabulary), 1), AT_ONCE):  # all of them apart would take twice the memory
        packed = np.frombuffer(b"".join(map(held.pop, vocabulary[start : start + AT_ONCE])), np.int64)
        found.append(((packed // (MOST + 1)).astype(np.int32), (packed % (MOST + 1)).astype(np.uint8)))
    units, counts = map(np.concatenate, zip(*found, strict=True))
    return Postings(vocabulary, offsets, units, counts)


def join_postings(before: Sequence[Postings], rows_then: Rows, made: Iterable[Postings]) -> Postings:
    """Return the postings of units of which some were there `before`, and the others are `made`, part by part.

    `rows_then` is the row that each unit had then, -1 for others. Parts ascend by their units, those of each.
    """
    stays = np.flatnonzero(rows_then >= 0)
    highest = max([rows_then.max(initial=-1), *(each.units.max(initial=-1) for each in before)])
    row_of = np.full(highest + 1, -1)  # the row now of each then
    row_of[rows_then[stays]] = stays
    number: dict[str, int] = {}
    sides: list[Side] = []
    for one in chain(before, made):
        terms = np.array([number.setdefault(word, len(number)) for word in one.vocabulary], np.int64)
        sides.append((terms, one.offsets, one.units, one.counts))
    words = sorted(number)
    position = np.empty(len(words), np.int64)
    position[[number[word] for word in words]] = np.arange(len(words))
    n_of = np.zeros(len(words) + 1, np.int64)
    for side, (terms, offsets, units, counts) in enumerate(sides):
        sides[side] = position[terms], offsets, units, counts
        n_of[position[terms] + 1] += np.diff(offsets)
    most = np.cumsum(n_of)  # postings before each term
    bounds = [*dict.fromkeys(np.searchsorted(most, np.arange(0, max(most[-1], 1), JOINED)).tolist()), len(words)]
    parts = [_joined(sides, len(before), row_of, len(rows_then), *span) for span in pairwise(bounds)]
    n_each, *rest = map(np.concatenate, zip(*parts, strict=True))
    vocabulary = [word for word, n in zip(words, n_each.tolist(), strict=True) if n]
    return Postings(vocabulary, np.cumsum([0, *n_each[n_each > 0]]), *rest)


def _joined(
    sides: Iterable[Side], n_before: int, row_of: Rows, n_units: int, start: int, end: int
) -> tuple[npt.NDArray[np.integer[Any]], ...]:
    """Return how many postings each of some terms has, and their units and counts; `row_of` is of the first sides."""
    held = []
    for number, (positions, offsets, units, counts) in enumerate(sides):
        first, last = np.searchsorted(positions, (start, end))
        part = slice(offsets[first], offsets[last])
        terms = np.repeat(positions[first:last] - start, np.diff(offsets[first : last + 1]))
        rows = units[part] if number >= n_before else row_of[units[part]]
        held.append((terms[rows >= 0], rows[rows >= 0], counts[part][rows >= 0]))
    terms, rows, counts = map(np.concatenate, zip(*held, strict=True))
    order = np.argsort(terms * n_units + rows, kind="stable")  # runs that ascend: soon done
    return np.bincount(terms, minlength=end - start), rows[order].astype(np.int32), counts[order]
