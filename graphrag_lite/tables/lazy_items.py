"""Items that are made when they are asked for, as all of a large corpus would take more memory than its tables."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class LazyItems(Generic[T]):
    """So many items, made anew each time that they are gone through, one after the other.

    >>> squares = LazyItems(3, lambda: (n * n for n in range(3)))
    >>> len(squares), list(squares), list(squares)
    (3, [0, 1, 4], [0, 1, 4])
    """

    n: int
    make: Callable[[], Iterator[T]]

    def __len__(self) -> int:
        return self.n

    def __iter__(self) -> Iterator[T]:
        return self.make()
