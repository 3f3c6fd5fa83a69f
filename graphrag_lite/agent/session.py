"""What a tool looks at: an opened snapshot, and the memory of a session."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graphrag_lite.memory.store import Memory
    from graphrag_lite.retrieval.snapshot_view import SnapshotView

DEFAULT = "default"  # the session where none is named
MEMORY = "memory.sqlite"  # in the output folder


@dataclass(frozen=True)
class Session:
    """A session, by name, over an index. Index and memory are opened when they are first used."""

    open_index: "Callable[[], SnapshotView]"
    open_memory: "Callable[[], Memory]"
    name: str = DEFAULT

    @cached_property
    def index(self) -> "SnapshotView":
        """Raises IndexNotFound."""
        return self.open_index()

    @cached_property
    def memory(self) -> "Memory":
        """Raises TableError, OutputError."""
        return self.open_memory()
