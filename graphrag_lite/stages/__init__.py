"""The stages of the pipeline, one file each. A stage is a function from tables to tables."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

Each = Callable[[Callable[[Any], Any], Iterable[Any]], Iterator[Any]]
"""The service `each`: map a function over items, in their order, over the run's worker processes."""

Fail = Callable[[str, str, int], None]
"""The service `fail`: record what could not be done: (document, text unit or community; error; attempts)."""
