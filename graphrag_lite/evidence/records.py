"""What a model is shown: records with marks, under one numbering, as many as fit a budget of tokens."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from graphrag_lite.evidence.citation_marks import escape_marks, rewrite


@dataclass(frozen=True, slots=True)
class Record:
    """Lines, most important first, with marks [n] for the n in `citations`, which has where in documents they point.

    `n_tokens` is 0 where they are counted only when it is packed.
    """

    lines: tuple[str, ...]
    citations: Mapping[int, Any]
    n_tokens: int = 0


@dataclass
class Shown:
    """What a model was shown, by the numbers of its context, from 1: the mark [n] points to `citations[n - 1]`.

    A number is given when a record is shown, so that they are small and stand in order. Records that rest on the same
    citations share one where they are `shared`; then citations have to be hashable.
    """

    shared: bool = True
    citations: list[Any] = field(default_factory=list)
    numbers: dict[Any, int] = field(default_factory=dict)

    def show(self, record: Record) -> str:
        """Return a record as the model reads it, its marks numbered in this context.

        >>> shown = Shown()
        >>> [shown.show(Record((f"[1] {name}",), {1: place})) for name, place in (("a", "x"), ("b", "y"), ("c", "x"))]
        ['[1] a', '[2] b', '[1] c']
        """

        def number(n: int) -> int | None:
            if n not in record.citations:
                return None
            key = record.citations[n] if self.shared else (id(record), n)
            if key not in self.numbers:
                self.citations.append(record.citations[n])
                self.numbers[key] = len(self.citations)
            return self.numbers[key]

        return rewrite("\n".join(record.lines), number)

    @property
    def marks(self) -> range:
        """The numbers that the model may cite."""
        return range(1, len(self.citations) + 1)


def records_that_fit(
    records: Sequence[Record], room: float, count: Callable[[Record], int]
) -> tuple[list[Record], float]:
    """Return the first records that fit, until the next one does not, and the room that is left."""
    taken: list[Record] = []
    for record in records:
        if (n_tokens := count(record)) > room:
            break
        room -= n_tokens
        taken.append(record)
    return taken, room


def record_line(text: str) -> str:
    """Return a text of the corpus for one line of a record; nothing in it reads as a mark.

    >>> record_line(" Marley [12]  was\\n\\ndead. ")
    'Marley (12) was dead.'
    """
    return escape_marks(" ".join(text.split()))
