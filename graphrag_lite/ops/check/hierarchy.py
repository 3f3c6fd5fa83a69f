"""The hierarchy of communities: level 0 is a partition of the related entities, and parts partition their whole."""

import numpy as np
from numpy.typing import NDArray

from graphrag_lite.ops.check.problems import Problems
from graphrag_lite.ops.check.reading import Ints, Reading, apart, at, flat

TABLE = "communities"


def numbers(read: Reading, found: Problems) -> None:
    """Check that numbers are unique, parents are there, one level up, and have their parts as children."""
    own, level = read.numbers(TABLE, "community"), read.numbers(TABLE, "level")
    values, counts = np.unique(own, return_counts=True)
    found.rows(TABLE, "community: negative, or the number of two", np.isin(own, values[counts > 1]) | (own < 0))
    stated = read.numbers(TABLE, "parent")
    parent = read.community_rows(stated)
    found.rows(TABLE, "parent: is no community", (stated != -1) & (parent < 0))
    above = np.where(parent >= 0, at(level, parent), -1)
    step = above + 1 != level if read.complete else above >= level
    found.rows(TABLE, "level: is not one below its parent's", step)
    owners, children = flat(read.column(TABLE, "children"))
    children = read.community_rows(children.to_numpy())
    found.rows(TABLE, "children: names no community", owners[children < 0])
    parts = np.flatnonzero(parent >= 0)
    known = children >= 0
    more, less = apart((owners[known], children[known]), (parent[parts], parts))
    found.rows(TABLE, "children: names one whose parent it is not", more)
    found.rows(TABLE, "children: lacks one whose parent it is", less)
    owners, _ = read.pairs(TABLE, "entity_ids", "entities")
    size = np.bincount(owners, minlength=len(own))
    found.rows(TABLE, "size: is not the number of entity_ids", read.numbers(TABLE, "size") != size)
    found.rows(TABLE, "has no members", size == 0)


def partition(read: Reading, found: Problems) -> None:
    """Check that a related entity is in one community of level 0, another in none, and that parts hold their whole."""
    if not read.complete:
        return
    level, parent = read.numbers(TABLE, "level"), read.community_rows(read.numbers(TABLE, "parent"))
    related = np.zeros(read.n_rows("entities"), dtype=bool)
    for end in ("source_id", "target_id"):
        ends = read.refer("relationships", end, "entities")
        related[ends[ends >= 0]] = True
    above = np.full(len(related), -1, dtype=np.int64)  # the community of each entity one level up
    split = np.zeros(len(level), dtype=bool)
    split[parent[parent >= 0]] = True
    for depth in np.unique(level[level >= 0]).tolist():
        owners, members = _of(read, "entity_ids", "entities", level == depth)
        twice = np.flatnonzero(np.bincount(members, minlength=len(above)) > 1)
        found.rows("entities", f"is in two communities of level {depth}", twice)
        here = np.full(len(above), -1, dtype=np.int64)
        here[members] = owners
        if depth == 0:
            found.rows("entities", "is in no community of level 0", (here < 0) & related)
            found.rows("entities", "is in a community without a relationship", (here >= 0) & ~related)
        else:
            found.rows(
                TABLE, "entity_ids: has a member that its parent has not", owners[above[members] != parent[owners]]
            )
            lost = (above >= 0) & (here < 0)
            lost[lost] = split[above[lost]]
            found.rows(TABLE, "children: do not hold all of its members", above[lost])
        above = here


def insides(read: Reading, found: Problems) -> None:
    """Check that a community has exactly the relationships with both ends in it, and the text units that state them."""
    if not read.complete:
        return
    level = read.numbers(TABLE, "level")
    source, target = (read.refer("relationships", name, "entities") for name in ("source_id", "target_id"))
    stated, units = read.pairs("relationships", "text_unit_ids", "text_units")
    first = np.searchsorted(stated, np.arange(len(source) + 1))
    for depth in np.unique(level[level >= 0]).tolist():
        owners, members = _of(read, "entity_ids", "entities", level == depth)
        label = np.full(read.n_rows("entities") + 1, -1, dtype=np.int64)
        label[members] = owners
        held = np.flatnonzero((label[source] == label[target]) & (label[source] >= 0))
        more, less = apart(_of(read, "relationship_ids", "relationships", level == depth), (label[source[held]], held))
        found.rows(TABLE, "relationship_ids: one that does not have both ends in it", more)
        found.rows(TABLE, "relationship_ids: lacks one that has both ends in it", less)
        lengths = first[held + 1] - first[held]
        places = np.repeat(first[held] - np.cumsum(lengths) + lengths, lengths) + np.arange(lengths.sum())
        states = np.repeat(label[source[held]], lengths), units[places]
        more, less = apart(_of(read, "text_unit_ids", "text_units", level == depth), states)
        found.rows(TABLE, "text_unit_ids: one that states none of its relationships", more)
        found.rows(TABLE, "text_unit_ids: lacks one that states a relationship of it", less)


def _of(read: Reading, column: str, target: str, chosen: NDArray[np.bool_]) -> tuple[Ints, Ints]:
    """Return the pairs of a column of lists, of the chosen communities, whose second half is there."""
    owners, rows = read.pairs(TABLE, column, target)
    kept = chosen[owners] & (rows >= 0)
    return owners[kept], rows[kept]


CHECKS = (numbers, partition, insides)
