"""JSON lines: an object a line."""

import json
from collections.abc import Iterator
from typing import Any


def objects(text: str) -> Iterator[tuple[int, dict[str, Any] | None]]:
    """Yield the number of each line that is not blank, from 1, and its object; None where it holds none.

    >>> list(objects('{"id": 1}\\n\\n[2]'))
    [(1, {'id': 1}), (3, None)]
    """
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            row = None
        yield number, row if isinstance(row, dict) else None
