"""A vector of every text unit by the embedding model, and how much such vectors may count in this corpus."""

import asyncio
import hashlib
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

from graphrag_lite import tables
from graphrag_lite.errors import CallError, ModelError, ReplyError
from graphrag_lite.llm.openai_embedder import MemoisedEmbedder
from graphrag_lite.search.best import best
from graphrag_lite.search.loaded import read_postings
from graphrag_lite.search.vector_weight import fit
from graphrag_lite.search.vectors import Vectors, stand_out, unit_length
from graphrag_lite.stages import Fail
from graphrag_lite.text.sentences import sentences
from graphrag_lite.text.words import terms

if TYPE_CHECKING:
    import pyarrow as pa

    from graphrag_lite.search.bm25 import Bm25
    from graphrag_lite.search.vectors import Floats
    from graphrag_lite.search.vectors import Vector as Floats64

PROBES = 256  # excerpts that the weight is learned from; each costs one embedding, once
LOOKED_AT = 4  # times as many text units are looked at for them
WORDS = range(8, 81)  # of a sentence that an excerpt is made from
KEPT = 0.25  # of them: few enough that BM25 goes wrong now and then, as it does with questions
PIECE = 2  # characters that stand for a word where none are written apart
CANDIDATES = 50  # by BM25, and by vectors, that an excerpt's own unit is compared with
MOST_NUMBERS = 2**31 - 1  # that a column of lists holds


async def embed_text_units(
    documents: "pa.Table", text_units: "pa.Table", search_terms: "pa.Table", embedder: MemoisedEmbedder, fail: Fail
) -> tuple["pa.Table", "pa.Table"]:
    """Embed titles and texts, each once: the memo keeps the vectors. What fails has a vector of zeros."""
    about = dict(
        zip(documents["id"].to_pylist(), zip(*_texts(documents, "title", "language"), strict=True), strict=True)
    )
    ids, document_ids, texts = _texts(text_units, "id", "document_id", "text")
    titles = [about[identity][0] for identity in document_ids]
    found, errors = await _embed(embedder, [_said(*pair) for pair in zip(titles, texts, strict=True)])
    for row, error in sorted(errors.items()):
        fail(ids[row], str(error), 1)
    vectors = Vectors([unit_length(found)] if found.size else [])
    languages = [about[identity][1] for identity in document_ids]
    probes: list[tuple[int, str, list[str]]] = []
    for row in sorted(range(len(ids)), key=lambda row: _draw(ids[row]))[: LOOKED_AT * PROBES]:
        if row not in errors and len(probes) < PROBES and (asked := _excerpt(texts[row], languages[row])):
            probes.append((row, asked, list(dict.fromkeys(terms(asked, languages[row])))))
    embedded, missing = await _embed(embedder, [asked for _, asked, _ in probes])
    choices = []
    if embedded.shape[1:] == found.shape[1:]:
        bm25 = read_postings(search_terms, len(ids))
        choices = [
            _choice(row, words, vector, bm25, vectors)
            for place, ((row, _, words), vector) in enumerate(zip(probes, unit_length(embedded), strict=True))
            if place not in missing
        ]
    learned = fit(choices)
    return (
        _table(vectors, len(ids)),
        tables.make("search_vector_weight", [(learned.weight, len(choices), learned.coefficient, learned.gain)]),
    )


def _texts(table: "pa.Table", *columns: str) -> list[list[str]]:
    return [table[name].to_pylist() for name in columns]


def _said(title: str, text: str) -> str:
    """Return what is embedded of a text unit.

    >>> _said("Marley", "He was dead."), _said("", "He was dead.")
    ('Marley\\nHe was dead.', 'He was dead.')
    """
    return f"{title}\n{text}" if title else text


async def _embed(embedder: MemoisedEmbedder, texts: list[str]) -> tuple["Floats", dict[int, Exception]]:
    """Return vectors (n_texts, n_dimensions), zeros for those that failed, and the errors of these by place.

    Raises ModelError where nothing could be embedded at all.
    """
    import numpy as np

    size = embedder.batch_size
    errors: dict[int, Exception] = {}

    async def batch(start: int) -> "Floats | None":
        try:
            vectors, _ = await embedder.embed(texts[start : start + size])
            made = np.array(vectors, dtype=np.float32)
            if made.ndim != 2 or not made.shape[1] or not np.isfinite(made).all():
                raise ReplyError("the embedding model gave vectors of different lengths, or what is no number")
        except (CallError, ReplyError, ValueError) as error:
            errors.update(dict.fromkeys(range(start, min(start + size, len(texts))), error))
            return None
        return made

    starts = range(0, len(texts), size)
    made = await _together([batch(start) for start in starts])
    n_dimensions = next((part.shape[1] for part in made if part is not None), 0)
    if texts and not n_dimensions:
        raise ModelError(f"embed_text_units: no text could be embedded. The last: {errors[len(texts) - 1]}")
    if len(texts) * n_dimensions > MOST_NUMBERS:
        raise ModelError(
            f"embed_text_units: {len(texts)} vectors of {n_dimensions} numbers are more than an index holds"
            f" ({MOST_NUMBERS} numbers). Use an embedding model with shorter vectors."
        )
    found = np.zeros((len(texts), n_dimensions), np.float32)
    for start, part in zip(starts, made, strict=True):
        if part is not None and part.shape[1] == n_dimensions:
            found[start : start + size] = part
        elif part is not None:
            other = ReplyError(f"the embedding model gave {part.shape[1]} numbers, and {n_dimensions} before")
            errors.update(dict.fromkeys(range(start, min(start + size, len(texts))), other))
    return found, errors


async def _together(work: "list[Coroutine[Any, Any, Floats | None]]") -> "list[Floats | None]":
    """Wait for all; the endpoint's limits say how many are asked at once. Raises the first error."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(each) for each in work]
    except ExceptionGroup as problems:
        raise problems.exceptions[0] from None
    return [task.result() for task in tasks]


def _draw(*parts: str) -> bytes:
    """Return bytes that order things as if by lot, and the same whenever they are asked for."""
    return hashlib.sha256("\x1f".join(parts).encode("utf-8", "surrogatepass")).digest()


def _excerpt(text: str, language: str) -> str:
    """Return some words of a sentence of a text, in their order, as a question would hold them; "" where none will do.

    >>> _excerpt("Go. The old clerk walked slowly through the dark and empty streets of London.", "en")
    'The through dark'
    """
    spans = sentences(text, language)
    for start, end in sorted(spans, key=lambda span: _draw(text[slice(*span)])):
        said = text[start:end].strip()
        words, gap = said.split(), " "
        if len(words) < WORDS.start:
            words, gap = [said[i : i + PIECE] for i in range(0, len(said), PIECE)], ""
            if said.isascii():
                continue
        if len(words) in WORDS:
            order = sorted(range(len(words)), key=lambda place: _draw(said, str(place)))
            return gap.join(words[place] for place in sorted(order[: round(KEPT * len(words))]))
    return ""


def _choice(row: int, words: list[str], vector: "Floats", bm25: "Bm25", vectors: "Vectors") -> "Floats64":
    """Return BM25 (of 1) and standing out, (n_candidates, 2), of the unit in `row`, then of other good units."""
    import numpy as np

    by_words = bm25.scores(words).astype(np.float64)
    by_words /= by_words.max() or 1.0
    by_vectors = stand_out(vectors.similarities(vector[np.newaxis])[0])
    others = np.union1d(best(by_words, CANDIDATES), best(by_vectors, CANDIDATES))
    rows = np.array([row, *others[others != row].tolist()])
    return np.stack([by_words[rows], by_vectors[rows]], axis=1)


def _table(vectors: "Vectors", n_rows: int) -> "pa.Table":
    """Make the table of vectors; where there are none at all, each is empty."""
    import numpy as np
    import pyarrow as pa

    values = np.concatenate([block.ravel() for block in vectors.blocks]) if vectors.blocks else np.zeros(0, np.float32)
    offsets = pa.array(np.arange(n_rows + 1, dtype=np.int64) * vectors.n_dimensions, pa.int32())
    return tables.make_columns("search_vectors", vector=pa.ListArray.from_arrays(offsets, pa.array(values)))
