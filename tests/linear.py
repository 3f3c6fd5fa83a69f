"""Whether the time of work grows with the size of its text, and no faster."""

import time
from collections.abc import Callable

SMALL, TIMES = 4_000, 8  # characters, and how many times as many


def assert_linear(work: Callable[[str], object], unit: str, small: int = SMALL) -> None:
    """Assert that work on `TIMES` as much of a repeated text takes less than four times what linear work would.

    Quadratic work takes eight times that. The half second more is what a busy machine may add.
    """

    def seconds(size: int) -> float:
        text = unit * (size // len(unit))
        started = time.process_time()
        work(text)
        return time.process_time() - started

    assert seconds(small * TIMES) < 4 * TIMES * seconds(small) + 0.5
