"""Postings in parts: the lists of a range of rows are a file, so that an edit leaves most of them as they are.

In a folder `terms.arrow` has the terms, and a bit for each range that has a list of it; the other
files have the lists of a range of rows each, counted from its first, in the order of terms. A range ends where a
checksum of what a row holds says so.
"""

import zlib
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from graphrag_lite.tables import parts

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

TERMS = "terms.arrow"
FREQUENCY = "document_frequency"  # of a term: counted in the ranges, so that an edit changes it nowhere else
LEAST = 128  # rows of a range; in the mean twice as many
MANY = 48  # ranges, above which they are twice as long
LONGEST = 65_536  # rows, that two bytes can count
AT_ONCE = 1 << 20  # postings
CACHED_SPANS = 256  # spans of postings


def split(data: "pa.Table") -> "Iterator[tuple[str, pa.Table]]":
    """Yield the files of a table of postings, and what they hold; none where it is no large one."""
    import pyarrow as pa

    lists = {name: data[name].combine_chunks() for name in ("rows", "counts")}
    offsets = np.asarray(lists["rows"].offsets)
    rows, counts = (np.asarray(each.flatten()) for each in lists.values())
    n_rows = int(rows.max()) + 1 if len(rows) else 0
    if n_rows <= LEAST or len(rows) != len(counts):
        return
    terms = np.repeat(np.arange(data.num_rows, dtype=np.int32), np.diff(offsets))
    firsts = _firsts(data["term"].to_pylist(), terms, rows, counts, n_rows)
    if len(firsts) < 2:
        return
    part = np.repeat(np.arange(len(firsts), dtype=np.uint16), np.diff([*firsts, n_rows]))[rows]
    in_range = []  # which terms
    for index, first in enumerate(firsts):
        if not len(held := np.flatnonzero(part == index)):
            continue
        begins = np.flatnonzero(np.diff(terms[held], prepend=-1))
        in_range.append(np.bincount(terms[held[begins]], minlength=data.num_rows).astype(np.bool_))
        into = np.append(begins, len(held))
        postings = pa.StructArray.from_arrays([(rows[held] - first).astype(np.uint16), counts[held]], [*lists])
        table = pa.table({"postings": _lists(into, postings)}, metadata=data.schema.metadata)
        yield f"{first:010}-{parts.digest(table)[:32]}.arrow", table
    bits = np.packbits(np.column_stack(in_range), axis=1)
    flags = pa.Array.from_buffers(pa.binary(bits.shape[1]), len(bits), [None, pa.py_buffer(bits)])
    yield TERMS, data.drop_columns([FREQUENCY, "rows", "counts"]).append_column("ranges", flags)


def _firsts(
    words: list[str], terms: "NDArray[Any]", rows: "NDArray[Any]", counts: "NDArray[Any]", n_rows: int
) -> list[int]:
    """Return the first row of each range: told by the sum of the checksums of its terms, each as often as it has it."""
    least, sums = LEAST, np.zeros(n_rows)
    while n_rows > 2 * MANY * least and 8 * least < LONGEST:
        least *= 2
    checksums = np.array([zlib.crc32(term.encode()) for term in words], np.float64)
    for low in range(0, len(rows), AT_ONCE):
        part = slice(low, low + AT_ONCE)
        sums += np.bincount(rows[part], checksums[terms[part]] * counts[part], n_rows)
    likely, found = np.flatnonzero(sums % least == 0), [0]
    while True:
        index = np.searchsorted(likely, found[-1] + least)
        first = min(int(likely[index]) if index < len(likely) else n_rows, found[-1] + LONGEST)
        if first >= n_rows:
            return found
        found.append(first)


def _lists(offsets: "NDArray[Any]", values: "NDArray[Any] | pa.Array") -> "pa.ListArray":
    import pyarrow as pa

    held = values if isinstance(values, pa.Array) else pa.array(values)
    return pa.ListArray.from_arrays(pa.array(offsets.astype(np.int32)), held)


class Segments:
    """A table of postings in parts, whose files are mapped."""

    def __init__(self, terms: "pa.Table", held: "list[tuple[int, pa.Table]]") -> None:
        self.terms = terms
        lists = [each["postings"].chunk(0) for _, each in held]
        ends = [np.asarray(each.offsets) for each in lists]
        self.firsts = [first for first, _ in held]
        self.values = {name: [np.asarray(each.values.field(name)) for each in lists] for name in ("rows", "counts")}
        self.begins = np.cumsum([0, *(len(each) - 1 for each in ends)])  # the first list of each part
        self.starts = np.concatenate([each[:-1] for each in ends])  # of each list, in its part
        self.lengths = np.concatenate([np.diff(each) for each in ends])
        self.numbers, self.of_term = _list_numbers(terms["ranges"].chunk(0), len(held))
        n_before = np.append(0, np.cumsum(self.lengths[self.numbers]))
        self.offsets = n_before[self.of_term]  # of the postings of each term, among all
        self.frequencies = np.diff(self.offsets).astype(np.int32)  # units that hold each term

    def lists(self, low: int, high: int, name: str) -> "NDArray[Any]":
        """Return the `rows` or `counts` of the terms from `low` to `high`, one after the other."""
        wanted = self.numbers[self.of_term[low] : self.of_term[high]]
        part = (np.searchsorted(self.begins, wanted, "right") - 1).tolist()
        spans = zip(part, self.starts[wanted].tolist(), self.lengths[wanted].tolist(), strict=True)
        found = [(index, self.values[name][index][start : start + n]) for index, start, n in spans]
        if name == "counts":
            return np.concatenate([each for _, each in found])
        return np.concatenate([each.astype(np.int32) + self.firsts[index] for index, each in found])

    def whole(self) -> "pa.Table":
        """Return the table as it was before it was split."""
        rows = [each.astype(np.int32) + first for first, each in zip(self.firsts, self.values["rows"], strict=True)]
        n_before = np.cumsum([0, *map(len, rows)])
        of_list = self.starts + np.repeat(n_before[:-1], np.diff(self.begins))
        n = self.lengths[self.numbers]
        first = (of_list[self.numbers] - (np.cumsum(n) - n)).astype(np.int32)  # of postings, 2^31 are a list at most
        order = np.repeat(first, n)
        order += np.arange(len(order), dtype=np.int32)
        of_term = self.offsets
        table = self.terms.drop_columns(["ranges"]).append_column(FREQUENCY, [self.frequencies])
        counts = np.concatenate(self.values["counts"])
        table = table.append_column("rows", _lists(of_term, np.concatenate(rows)[order]))
        return table.append_column("counts", _lists(of_term, counts[order]))


def _list_numbers(flags: "pa.FixedSizeBinaryArray", n_ranges: int) -> "tuple[NDArray[np.int32], NDArray[np.int64]]":
    """Return the numbers of the lists of each term, term by term, and where in these those of a term begin.

    Lists are numbered by range, in each by term, of which `flags` say which ranges have them.
    """
    bits = np.frombuffer(flags.buffers()[1], np.uint8).reshape(len(flags), -1)
    n_of, ranges = [np.zeros(1, np.int64)], [np.zeros(0, np.uint16)]
    for low in range(0, len(bits), AT_ONCE // 64):
        held = np.unpackbits(bits[low : low + AT_ONCE // 64], axis=1, count=n_ranges).astype(np.bool_)
        n_of.append(np.count_nonzero(held, axis=1))
        ranges.append(np.nonzero(held)[1].astype(np.uint16))
    order = np.argsort(np.concatenate(ranges), kind="stable")
    numbers = np.empty(len(order), np.int32)
    numbers[order] = np.arange(len(order), dtype=np.int32)
    return numbers, np.cumsum(np.concatenate(n_of))


class SegmentedPostings:
    """The rows, or the counts, of all terms, as one array's: read of the parts when they are asked for."""

    def __init__(self, held: Segments, name: str) -> None:
        self._offsets = held.offsets
        self._read = lru_cache(CACHED_SPANS)(lambda low, high: held.lists(low, high, name))
        self._none = held.values[name][0][:0].astype(np.int32 if name == "rows" else np.uint8)

    def __len__(self) -> int:
        return int(self._offsets[-1])

    def __getitem__(self, span: slice) -> "NDArray[Any]":
        """Return the postings from the first of a term to the last of one."""
        start, stop = span.start or 0, span.stop
        if stop <= start:
            return self._none
        return self._read(*np.searchsorted(self._offsets, (start, stop)).tolist())


def mapped(path: Path, read: Any) -> Segments:
    """Open a folder of postings, whose files `read` maps."""
    return Segments(read(path / TERMS), [(first, read(file)) for first, file in parts.part_files(path)])
