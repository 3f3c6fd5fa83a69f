"""What a tool looks at: an opened snapshot, and the memory of a session."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING

from graphrag_lite.errors import IndexNotFound

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from graphrag_lite.memory.store import Memory
    from graphrag_lite.retrieval.question import Question
    from graphrag_lite.retrieval.snapshot_view import SnapshotView

DEFAULT = "default"  # the session where none is named
MEMORY = "memory.sqlite"  # in the output folder


@dataclass(frozen=True)
class Session:
    """A session, by name, over an index. Index and memory are opened when they are first used.

    With `as_of`, passages of documents that are dated later are not there.
    """

    open_index: "Callable[[], SnapshotView]"
    open_memory: "Callable[[], Memory]"
    name: str = DEFAULT
    as_of: date | None = None
    _scores: "dict[tuple[str, ...], npt.NDArray[np.float64]]" = field(default_factory=dict)

    @cached_property
    def index(self) -> "SnapshotView":
        """Raises IndexNotFound."""
        return self.open_index()

    def notes(self, query: str, tags: Sequence[str] = ()) -> list[int]:
        """Return the rowids of the notes that fit a query, by their words, and vectors where the settings have them."""
        try:
            vectors = self.index.note_vectors
        except IndexNotFound:  # notes need none
            vectors = None
        return self.memory.search(query, tags=tags, meant=vectors.meant(self.memory, query) if vectors else None)

    @cached_property
    def memory(self) -> "Memory":
        """Raises TableError, OutputError."""
        return self.open_memory()

    def scores(self, query: "str | Question", where: Sequence[str] = ()) -> "npt.NDArray[np.float64]":
        """Return how well each text unit fits a query, shape (n_units,); found once."""
        from graphrag_lite.retrieval.question import Question
        from graphrag_lite.retrieval.ranking import text_unit_scores

        index = self.index.limited(where)
        question = Question(index, query, self.as_of) if isinstance(query, str) else query
        key = (question.text, *where)
        if key not in self._scores:
            self._scores[key] = text_unit_scores(question)
        return self._scores[key]
