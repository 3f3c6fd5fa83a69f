"""Pages of a result: the same records in the same order while the snapshot is, so many on each, and how many in all."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

SIZE = 5  # records of a page
Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Page:
    """Records of page `page`, from 1, of `n_pages`; `total` counts those of all pages. `note` says what is missing."""

    page: int
    n_pages: int
    total: int
    records: list[Record]
    note: str = ""


def paged(total: int, page: int, record: Callable[[int], Record], size: int = SIZE) -> Page:
    """Return a page of `total` records, of which `record` returns the one at a place, from 0.

    >>> paged(7, 2, lambda place: {"place": place})
    Page(page=2, n_pages=2, total=7, records=[{'place': 5}, {'place': 6}], note='')
    >>> paged(7, 3, lambda place: {"place": place}).note
    'There is no page 3: the last is 2.'
    """
    n_pages = -(-total // size)
    first = (page - 1) * size
    records = [record(place) for place in range(first, min(first + size, total))]
    note = ""
    if not total:
        note = "Nothing is found."
    elif page > n_pages:
        note = f"There is no page {page}: the last is {n_pages}."
    return Page(page, n_pages, total, records, note)
