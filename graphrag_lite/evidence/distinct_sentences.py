"""What every choice of sentences needs: whether two say the same, and the best of many whose worth only falls."""

import heapq
from collections.abc import Callable, Iterable, Iterator
from typing import Any

SAME = 0.8  # of the terms of the shorter of two sentences: from there it says nothing that the other does not


def says_the_same(sentence: frozenset[str], others: Iterable[frozenset[str]]) -> bool:
    """Say whether a sentence says the same as one of the others, or one of them is a part of what the other says.

    >>> (says_the_same(frozenset("abcd"), [frozenset("xyz"), frozenset("bcd")]),
    ...  says_the_same(frozenset(), [frozenset()]))
    (True, False)
    """
    return any(len(sentence & other) >= SAME * min(len(sentence), len(other)) > 0 for other in others)


def cheapest_first(n: int, cost: Callable[[int], Any]) -> Iterator[int]:
    """Yield the numbers below `n` by ascending cost, then ascending; each cost is what it has become by then.

    Costs may rise while this is read, and never fall: one that is still below the next one's earlier cost is the lowest
    (lazy greedy, Minoux 1978).

    >>> costs = [1, 2, 3]
    >>> for number in cheapest_first(3, costs.__getitem__):
    ...     costs[1] = 4
    ...     print(number)
    0
    2
    1
    """
    waiting = [(cost(number), number) for number in range(n)]
    heapq.heapify(waiting)
    while waiting:
        _, number = heapq.heappop(waiting)
        now = cost(number), number
        if waiting and now > waiting[0]:
            heapq.heappush(waiting, now)
        else:
            yield number
