"""What notes gain for a query by their vectors: each is computed once and kept beside its note."""

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from graphrag_lite.errors import CallError, ModelError, PluginError, ReplyError
from graphrag_lite.settings.models import Embeddings, Llm

if TYPE_CHECKING:
    from graphrag_lite.llm.chat import Embedder
    from graphrag_lite.llm.openai_embedder import MemoisedEmbedder
    from graphrag_lite.memory.store import Memory
    from graphrag_lite.retrieval.vectors import Floats

FULL = 3.0  # standard deviations above the mean of notes that count as much as the best by BM25, and the most
LEAST = 1.0  # below, a note gains nothing: half of all notes are above the mean

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class NoteVectors:
    """The embedding model that notes are compared by, with the folder of the memo that keeps vectors of queries."""

    settings: Embeddings
    llm: Llm
    output: Path
    embedder: "Embedder | None" = None

    def meant(self, memory: "Memory", query: str) -> dict[int, float]:
        """Return what notes gain, by rowid, where the best by BM25 has 1. Where the model fails, none, with a warning.

        Vectors of notes are in the memory alone, so that `forget` deletes them, too.
        """
        from graphrag_lite.memory.store import NOTE
        from graphrag_lite.run.sync import run_coroutine

        rowids = memory.listed(NOTE)
        if len(rowids) < 2:  # nothing stands out of itself
            return {}
        try:
            return run_coroutine(self._meant(memory, rowids, query))
        except (CallError, ModelError, PluginError, ReplyError, ValueError) as error:
            logger.warning("The embedding model failed, and notes are found by their words alone: %s", error)
            return {}

    async def _meant(self, memory: "Memory", rowids: Sequence[int], query: str) -> dict[int, float]:
        import numpy as np

        from graphrag_lite.llm.memo import Memo
        from graphrag_lite.llm.openai_embedder import memoised_embedder, open_embedder
        from graphrag_lite.retrieval.vectors import stand_out, unit_length

        with open_embedder(self.settings, self.llm, self.output, self.embedder, must_keep=False) as opened:
            query_vector = unit_length(np.array(await opened.of_questions().embed([query]), np.float32))[0]
        passing = Memo(None)
        try:
            known = await _vectors(memory, rowids, memoised_embedder(self.settings, self.llm, passing, self.embedder))
        finally:
            passing.close()
        if {len(vector) for vector in known.values()} != {len(query_vector)}:
            raise ReplyError(f"its vectors of notes do not have the {len(query_vector)} numbers of the query's")
        far = stand_out(np.stack(list(known.values())) @ query_vector)
        gains = zip(known, far.tolist(), strict=True)
        return {rowid: min(gain / FULL, 1.0) for rowid, gain in gains if gain >= LEAST}


async def _vectors(memory: "Memory", rowids: Sequence[int], embedder: "MemoisedEmbedder") -> "Mapping[int, Floats]":
    """Return the vectors of notes, of length 1, by rowid; what the memory does not have is asked for and kept."""
    import numpy as np

    from graphrag_lite.retrieval.vectors import unit_length

    model = json.dumps(dict(embedder.identity), sort_keys=True)
    known = memory.vectors(model)
    missing = [rowid for rowid in rowids if rowid not in known]
    for start in range(0, len(missing), embedder.batch_size):
        batch = missing[start : start + embedder.batch_size]
        vectors = unit_length(
            np.array(await embedder.embed([memory.entry(rowid).content for rowid in batch]), np.float32)
        )
        made = {rowid: vector.tobytes() for rowid, vector in zip(batch, vectors, strict=True)}
        memory.keep_vectors(model, made.items())
        known |= made
    return {rowid: np.frombuffer(known[rowid], np.float32) for rowid in rowids}
