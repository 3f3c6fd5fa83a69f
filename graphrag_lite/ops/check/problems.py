"""What a check finds wrong: grouped by table and kind, counted, the first few named."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import islice

MAX_NAMED = 5  # of a group


@dataclass(frozen=True, slots=True)
class Problem:
    """One kind of damage to one table. `named` are the first few of its `count` rows."""

    table: str
    what: str
    count: int
    named: tuple[str, ...]


@dataclass
class Problems:
    """What was found so far. `name` says what a row of a table is, in words."""

    name: Callable[[str, int], str] = lambda _, row: f"row {row}"
    found: list[Problem] = field(default_factory=list)

    def add(self, table: str, what: str, named: Iterable[str] = (), count: int = 1) -> None:
        """Add a group; nothing where its count is 0."""
        if count:
            self.found.append(Problem(table, what, count, tuple(islice(named, MAX_NAMED))))

    def by_table(self) -> tuple[Problem, ...]:
        """Return the groups, those of one table together, in the order in which they were found."""
        order = list(dict.fromkeys(problem.table for problem in self.found))
        return tuple(sorted(self.found, key=lambda problem: order.index(problem.table)))

    def rows(self, table: str, what: str, rows: Iterable[int]) -> None:
        """Add the group of some rows of a table, by their numbers, each once."""
        listed = sorted(set(rows))
        self.add(table, what, (self.name(table, row) for row in listed), len(listed))
