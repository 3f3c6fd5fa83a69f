"""Postings in parts: the lists of a range of rows are a file, so that an edit leaves most of them as they are.

In a folder `terms.arrow` has the terms, and a bit for each range that has a list of it; the other
files have the lists of a range of rows each, counted from its first, in the order of terms. A range ends where a
checksum of the next row's id says so.
"""

import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from graphrag_lite import tables
from graphrag_lite.tables import parts

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

FREQUENCY = "document_frequency"  # of a term: counted in the ranges, so that an edit changes it nowhere else
LEAST = 128  # rows of a range; in the mean twice as many
MANY = 48  # ranges, above which they are twice as long
LONGEST = 65_536  # rows, that two bytes can count
AT_ONCE = 1 << 20  # postings
CACHED_SPANS = 256  # spans of postings


@dataclass(frozen=True)
class Stored:
    """The files of a table of postings in parts, as a snapshot has them."""

    terms: "pa.Table"
    files: Sequence[tuple[int, Path]]  # the first row of each range, and its file

    @cached_property
    def words(self) -> list[str]:
        found: list[str] = self.terms["term"].to_pylist()
        return found

    @cached_property
    def has_list(self) -> "NDArray[np.bool_]":
        """Whether a range has a list of a term, (n_terms, n_ranges)."""
        return _has_list(_bits(self.terms["ranges"].chunk(0)), len(self.files))

    def postings(self, index: int) -> "tuple[list[str], NDArray[Any], NDArray[np.int32], NDArray[np.uint8]]":
        """Return the terms of a range, and the offsets, rows and counts of their lists."""
        lists = tables.map_file(self.files[index][1])[parts.POSTINGS].chunk(0)
        rows, counts = (np.asarray(lists.values.field(name)) for name in ("rows", "counts"))
        words = [self.words[number] for number in np.flatnonzero(self.has_list[:, index]).tolist()]
        return words, np.asarray(lists.offsets), rows.astype(np.int32) + self.files[index][0], counts

    def same(self, firsts: Sequence[int], rows_then: "NDArray[np.int64]", n_then: int) -> dict[int, int]:
        """Return the ranges of now whose rows are those of one then, in their order, and which that is.

        `rows_then` is the row that each row was, -1 where it was none, or another.
        """
        bounds = enumerate(pairwise([*self._firsts, n_then]))
        number = {span: index for index, span in bounds}
        in_order = np.append(False, np.diff(rows_then) == 1)
        found = {}
        for index, (first, end) in enumerate(pairwise([*firsts, len(rows_then)])):
            then = int(rows_then[first])
            if (span := (then, then + end - first)) in number and in_order[first + 1 : end].all():
                found[index] = number[span]
        return found

    def with_rows(self, rows: "NDArray[np.int64]") -> list[int]:
        """Return the ranges that have some of these rows."""
        return sorted({*(np.searchsorted(self._firsts, rows, "right") - 1).tolist()} - {-1})

    @property
    def _firsts(self) -> list[int]:
        return [first for first, _ in self.files]


def first_rows(ids: Sequence[str]) -> list[int]:
    """Return the first row of each range of rows with these ids."""
    least = LEAST
    while len(ids) > 2 * MANY * least and 8 * least < LONGEST:
        least *= 2
    likely = [row for row, each in enumerate(ids) if not zlib.crc32(each.encode()) % least]
    found = [0]
    for row in [*likely, len(ids)]:
        while row - found[-1] > LONGEST:
            found.append(found[-1] + LONGEST)
        if row - found[-1] >= least and row < len(ids):
            found.append(row)
    return found


def split(
    data: "pa.Table",
    firsts: Sequence[int],
    n_rows: int,
    before: Stored | None = None,
    same: Mapping[int, int] = MappingProxyType({}),
) -> parts.Ranges:
    """Put a table of postings into parts, of ranges of rows that begin with `firsts`.

    What ranges hold that are the `same` as those of `before` is not in the table: they are linked.
    """
    import pyarrow as pa

    made = dict(_made(data, firsts, n_rows))
    words: list[str] = data["term"].to_pylist()
    stays = np.flatnonzero(before.has_list[:, [*same.values()]].any(axis=1)) if before else np.zeros(0, np.int64)
    held = [before.words[number] for number in stays.tolist()] if before else []
    vocabulary = sorted({*words, *held})
    number_of = {word: number for number, word in enumerate(vocabulary)}
    numbers, numbers_held = (np.array([number_of[word] for word in each], np.int64) for each in (words, held))
    files: list[tuple[str, pa.Table | Path]] = []
    flags = np.zeros((len(vocabulary), len(made) + len(same)), np.bool_)
    for index, first in enumerate(firsts):
        if before and index in same:
            path = before.files[same[index]][1]
            flags[numbers_held, len(files)] = before.has_list[stays, same[index]]
            files.append((f"{first:010}-{path.name.partition('-')[2]}", path))
        elif index in made:
            terms, table = made[index]
            flags[numbers[terms], len(files)] = True
            files.append((f"{first:010}-{parts.digest(table)[:32]}.arrow", table))
    bits = np.packbits(flags, axis=1)
    column = pa.Array.from_buffers(pa.binary(bits.shape[1]), len(bits), [None, pa.py_buffer(bits)])
    columns = {"term": pa.array(vocabulary, pa.string()), "ranges": column}
    return parts.Ranges([*files, (parts.TERMS, pa.table(columns, metadata=data.schema.metadata))])


def _made(
    data: "pa.Table", firsts: Sequence[int], n_rows: int
) -> "Iterator[tuple[int, tuple[NDArray[np.int32], pa.Table]]]":
    """Yield each range of which there are postings, the numbers of its terms, and its lists."""
    import pyarrow as pa

    lists = [data[name].combine_chunks() for name in ("rows", "counts")]
    rows, counts = (np.asarray(each.flatten()) for each in lists)
    terms = np.repeat(np.arange(data.num_rows, dtype=np.int32), np.diff(np.asarray(lists[0].offsets)))
    part = np.repeat(np.arange(len(firsts), dtype=np.uint16), np.diff([*firsts, n_rows]))[rows]
    for index in np.unique(part).tolist():
        held = np.flatnonzero(part == index)
        begins = np.flatnonzero(np.diff(terms[held], prepend=-1))
        values = [(rows[held] - firsts[index]).astype(np.uint16), counts[held]]
        postings = as_lists(np.append(begins, len(held)), pa.StructArray.from_arrays(values, ["rows", "counts"]))
        yield index, (terms[held[begins]], pa.table({parts.POSTINGS: postings}, metadata=data.schema.metadata))


def as_lists(offsets: "NDArray[Any]", values: "NDArray[Any] | pa.Array") -> "pa.ListArray":
    import pyarrow as pa

    held = values if isinstance(values, pa.Array) else pa.array(values)
    return pa.ListArray.from_arrays(pa.array(offsets.astype(np.int32)), held)


def _bits(flags: "pa.FixedSizeBinaryArray") -> "NDArray[np.uint8]":
    return np.frombuffer(flags.buffers()[1], np.uint8).reshape(len(flags), -1)


def _has_list(bits: "NDArray[np.uint8]", n_ranges: int) -> "NDArray[np.bool_]":
    return np.unpackbits(bits, axis=1, count=n_ranges).astype(np.bool_)


class Segments:
    """A table of postings in parts, whose files are mapped."""

    def __init__(self, terms: "pa.Table", held: "list[tuple[int, pa.Table]]") -> None:
        self.terms = terms
        lists = [each[parts.POSTINGS].chunk(0) for _, each in held]
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
        table = table.append_column("rows", as_lists(of_term, np.concatenate(rows)[order]))
        return table.append_column("counts", as_lists(of_term, counts[order]))


def _list_numbers(flags: "pa.FixedSizeBinaryArray", n_ranges: int) -> "tuple[NDArray[np.int32], NDArray[np.int64]]":
    """Return the numbers of the lists of each term, term by term, and where in these those of a term begin.

    Lists are numbered by range, in each by term, of which `flags` say which ranges have them.
    """
    bits = _bits(flags)
    n_of, ranges = [np.zeros(1, np.int64)], [np.zeros(0, np.uint16)]
    for low in range(0, len(bits), AT_ONCE // 64):
        held = _has_list(bits[low : low + AT_ONCE // 64], n_ranges)
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


def mapped(path: Path) -> Segments:
    """Open a folder of postings, whose files are mapped."""
    return Segments(
        tables.map_file(path / parts.TERMS), [(row, tables.map_file(each)) for row, each in parts.part_files(path)]
    )


def open_segments(folder: Path, name: str) -> Segments | None:
    """Open a table of postings of a snapshot that is in parts; None where it is in one. Raises TableError."""
    path = tables.path_in(folder, name)
    with tables.telling_damage(path):
        return mapped(path) if path.is_dir() else None


def stored_segments(folder: Path, name: str) -> Stored | None:
    """Return the files of a snapshot's table of postings; None where that is no folder. Raises TableError."""
    path = tables.path_in(folder, name)
    with tables.telling_damage(path):
        return Stored(tables.map_file(path / parts.TERMS), parts.part_files(path)) if path.is_dir() else None
