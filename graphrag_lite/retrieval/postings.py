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

    def keys(one: Postings, rows: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.int64]:
        terms = np.array([place[word] for word in one.vocabulary], np.int64)
        return np.repeat(terms * len(rows_then), np.diff(one.offsets)) + rows

    stays = np.flatnonzero(rows_then >= 0)
    row_of = np.full(max(before.units.max(), rows_then.max(initial=-1)) + 1, -1)  # the row now of each unit then
    row_of[rows_then[stays]] = stays
    rows = row_of[before.units]
    kept = rows >= 0
    key = np.concatenate((keys(before, rows)[kept], keys(made, made.units)))
    order = np.argsort(key, kind="stable")  # two rows that ascend, mostly: soon done
    counts = np.concatenate((before.counts[kept], made.counts))[order]
    key = key[order]
    ends = np.searchsorted(key, np.arange(len(words) + 1) * len(rows_then))
    held = np.diff(ends) > 0
    vocabulary = [word for word, one in zip(words, held.tolist(), strict=True) if one]
    return Postings(vocabulary, ends[np.append(True, held)], (key % len(rows_then)).astype(np.int32), counts)
