"""Vectors of questions, for an index that has vectors which count."""

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

from graphrag_lite.errors import CallError, ModelError, PluginError, ReplyError
from graphrag_lite.settings.models import OPENAI, Embeddings, Llm

if TYPE_CHECKING:
    from graphrag_lite.llm.chat import Embedder
    from graphrag_lite.retrieval.snapshot_view import SnapshotView
    from graphrag_lite.retrieval.vectors import Floats

logger = logging.getLogger(__name__)


async def embed_questions(
    index: "SnapshotView", questions: Sequence[str], settings: Embeddings, llm: Llm, embedder: "Embedder | None" = None
) -> "list[Floats | None]":
    """Return the vectors of questions, of length 1; each is paid for once, as the memo keeps it.

    Nobody is asked where vectors count nothing, or no model is set. Where it fails, or is not the one that the index
    was made with, a warning says so, and questions have no vectors.
    """
    none: list[Floats | None] = [None] * len(questions)
    if not (embedder or settings.model) or not index.vector_weight or not questions:
        return none
    import numpy as np

    from graphrag_lite.llm.openai_embedder import open_embedder, prefixes
    from graphrag_lite.retrieval.vectors import unit_length

    if embedder:
        configured = {**embedder.identity, **prefixes(settings)}
        made_by = index.manifest.get("embedder", configured)  # the manifest of an older index has none
    else:
        configured = {"provider": settings.provider, "model": settings.model, "text_prefix": settings.text_prefix}
        made_by = {"provider": OPENAI, "text_prefix": "", **index.manifest["settings"]["embeddings"]}
        made_by = {name: made_by[name] for name in configured}
    if configured != made_by:
        logger.warning(
            "The vectors of this index are of %s, the embedding model is %s: they are not used."
            " Run `graphrag-lite index`.",
            *(" ".join(map(str, each.values())) for each in (made_by, configured)),
        )
        return none
    try:
        with open_embedder(settings, llm, index.folder.parent.parent, embedder, must_keep=False) as opened:
            vectors = unit_length(np.array(await opened.of_questions().embed(questions), dtype=np.float32))
        if vectors.shape[1] != index.vectors.n_dimensions:
            raise ReplyError(f"it gave {vectors.shape[1]} numbers, the index has {index.vectors.n_dimensions} a vector")
    except (CallError, ModelError, PluginError, ReplyError, ValueError) as error:
        logger.warning("The embedding model failed, and vectors are not used: %s", error)
        return none
    return list(vectors)
