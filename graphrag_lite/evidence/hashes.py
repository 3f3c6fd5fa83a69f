"""Hashes of 64 bits, of values one by one and of columns of them: what is the same has the same."""

from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Hashes = NDArray[np.uint64]
MIX, STEP = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x9E3779B97F4A7C15)  # of splitmix64
AT_ONCE = 1 << 18  # values: of more, what is computed on the way takes ten times their own memory


def in_order(values: "Hashes", owners: "Ints", n: int) -> "Hashes":
    """Return for each of `n` owners, which ascend, a hash of its values in their order.

    >>> one, other = in_order(np.array([1, 2, 2, 1], np.uint64), np.array([0, 0, 1, 1]), 2)
    >>> bool(one == other), in_order(np.array([7], np.uint64), np.array([1]), 3)[[0, 2]].tolist()
    (False, [0, 0])
    """
    ends = np.searchsorted(owners, np.arange(n + 1))
    found, (has,) = np.zeros(n, np.uint64), np.nonzero(np.diff(ends))
    for some in np.array_split(has, len(values) // AT_ONCE + 1) if len(has) else ():
        if len(some):
            first, last = ends[some[0]], ends[some[-1] + 1]
            begins = ends[some] - first
            position = np.arange(1, last - first + 1) - np.repeat(begins, np.diff(begins, append=last - first))
            mix = mixed(mixed(values[first:last]) + position.astype(np.uint64) * STEP)
            found[some] = np.add.reduceat(mix, begins)
    return found


def mixed(values: "Hashes") -> "Hashes":
    """Return numbers of 64 bits, each of which hangs on all bits of a value."""
    values = (values ^ values >> np.uint64(30)) * MIX
    values = (values ^ values >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return values ^ values >> np.uint64(31)


def hashed(*values: object) -> int:
    """Return a hash of 64 bits, one of them the sign, of some values."""
    return int.from_bytes(blake2b(repr(values).encode(), digest_size=8).digest(), "little", signed=True)
