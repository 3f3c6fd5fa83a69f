"""What workers are given is made as it is handed out."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest

from graphrag_lite import attempts
from graphrag_lite.run import workers
from graphrag_lite.watch import Silence


class Here:
    """An engine that does one part after the other, when its result is asked for."""

    n, least = 1, 1

    def __init__(self) -> None:
        self.peaks: dict[Any, int] = {}

    def each(self, function: Callable[[Any], Any], parts: Iterable[Any]) -> Iterator[Any]:
        return map(function, parts)


@pytest.mark.parametrize("engine", [None, Here()])
def test_few_items_are_there_at_once(engine: Here | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "LARGEST", 20)
    made = 0

    def items() -> Iterator[str]:
        nonlocal made
        for number in range(1000):
            made += 1
            yield f"{number:010}"

    found = workers.Workers(engine, Silence(), attempts.ignore)(int, items())
    assert next(found) == 0
    assert made <= workers.AT_LEAST * 2 + 2  # what tells whether there is enough to do
    assert list(found) == list(range(1, 1000))
