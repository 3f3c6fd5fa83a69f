"""Which units hold which terms, and how often: counted in texts, joined with those of the last run, kept by term."""

from array import array
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

AT_ONCE = 1024  # terms whose postings are taken apart at once
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


Side = tuple[npt.NDArray[np.int64], Postings, npt.NDArray[np.int64]]
"""The places of its terms among those of both runs, its postings, and the row of each of its units now."""


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


def join_postings(before: Postings, rows_then: npt.NDArray[np.int64], made: Postings) -> Postings:
    """Return the postings of units of which some were there `before`, and the others are `made`.

    `rows_then` is the row that each unit had then, -1 for those that are made.
    """
    if not len(before.units):
        return made
    words = sorted({*before.vocabulary, *made.vocabulary})
    place = {word: i for i, word in enumerate(words)}
    stays = np.flatnonzero(rows_then >= 0)
    row_of = np.full(max(before.units.max(), rows_then.max(initial=-1)) + 1, -1)  # the row now of each unit then
    row_of[rows_then[stays]] = stays
    sides = [
        (np.array([place[word] for word in one.vocabulary], np.int64), one, rows)
        for one, rows in ((before, row_of), (made, np.arange(len(rows_then))))
    ]
    parts = [_joined(sides, start, len(rows_then)) for start in range(0, len(words), AT_ONCE)]
    n_of, units, counts = map(np.concatenate, zip(*parts, strict=True))
    vocabulary = [word for word, n in zip(words, n_of.tolist(), strict=False) if n]
    return Postings(vocabulary, np.cumsum([0, *n_of[n_of > 0]]), units, counts)


def _joined(sides: Iterable[Side], start: int, n_units: int) -> tuple[npt.NDArray[np.integer[Any]], ...]:
    """Return how many postings each of `AT_ONCE` terms has, and their units and counts: all take 40 bytes each."""
    held = []
    for places, one, row_of in sides:
        first, last = np.searchsorted(places, (start, start + AT_ONCE))
        offsets = one.offsets[first : last + 1]
        part = slice(offsets[0], offsets[-1])
        terms, rows = np.repeat(places[first:last] - start, np.diff(offsets)), row_of[one.units[part]]
        stays = rows >= 0
        held.append((terms[stays], rows[stays], one.counts[part][stays]))
    terms, rows, counts = map(np.concatenate, zip(*held, strict=True))
    order = np.argsort(terms * n_units + rows, kind="stable")  # two rows that ascend, mostly: soon done
    return np.bincount(terms, minlength=AT_ONCE), rows[order].astype(np.int32), counts[order]
