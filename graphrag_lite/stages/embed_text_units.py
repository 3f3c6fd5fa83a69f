"""A vector of every text unit by the embedding model, and how much such vectors may count in this corpus."""

import hashlib
import logging
from collections.abc import Container, Sequence
from typing import TYPE_CHECKING, overload

import numpy as np

from graphrag_lite import tables
from graphrag_lite.attempts import Attempt, attempting, unguarded
from graphrag_lite.distribution import install_hint
from graphrag_lite.errors import CallError, ModelError, ReplyError
from graphrag_lite.llm.meter import Stopped
from graphrag_lite.llm.openai_embedder import MemoisedEmbedder
from graphrag_lite.llm.own_loop import together
from graphrag_lite.retrieval.bm25 import Bm25, read_norms, read_postings
from graphrag_lite.retrieval.top_k import best_rows
from graphrag_lite.retrieval.vector_weight import fit
from graphrag_lite.retrieval.vectors import Vectors, can_divide, divide, stand_out, unit_length
from graphrag_lite.run.services import Fail
from graphrag_lite.text.sentences import sentences
from graphrag_lite.text.words import terms

if TYPE_CHECKING:
    import pyarrow as pa

    from graphrag_lite.retrieval.vectors import Floats
    from graphrag_lite.retrieval.vectors import Vector as Floats64

PROBES = 256  # excerpts that the weight is learned from; each costs one embedding, once
LOOKED_AT = 4  # times as many text units are looked at for them
WORDS = range(8, 81)  # of a sentence that an excerpt is made from
WORD_SHARE = 0.25  # of them: few enough that BM25 goes wrong now and then, as it does with questions
PIECE = 2  # characters that stand for a word where none are written apart
CANDIDATES = 50  # by BM25, and by vectors, that an excerpt's own unit is compared with
TOGETHER = 16  # excerpts that are compared with all vectors at once
MOST_EXACT = 1_000_000  # vectors that a question is compared with one by one; more are divided into cells
AHEAD = 2  # batches under way for each request that may be in flight

logger = logging.getLogger(__name__)


async def embed_text_units(
    documents: "pa.Table",
    text_units: "pa.Table",
    search_terms: "pa.Table",
    search_units: "pa.Table",
    search_lengths: "pa.Table",
    embedder: MemoisedEmbedder,
    fail: Fail,
) -> tuple["pa.Table", "pa.Table", "pa.Table"]:
    """Embed titles and texts, each once: the memo keeps the vectors. What fails has a vector of zeros."""
    inputs = EmbeddingInputs(documents, text_units)
    found, errors = await _embed(embedder, inputs)
    for row, error in sorted(errors.items()):
        fail(text_units["id"][row].as_py(), str(error), 1)
    starts = range(0, len(found) if found.size else 0, tables.BLOCKS["search_vectors"])
    blocks = np.split(found, starts[1:]) if starts else []
    for block in blocks:
        block[:] = unit_length(block)
    vectors = Vectors(blocks)
    probes = text_excerpts(inputs, errors, attempting(fail))
    embedded, missing = await _embed(embedder.of_questions(), [excerpt for _, excerpt, _ in probes])
    choices: list[Floats64] = []
    if embedded.shape[1:] == found.shape[1:]:
        there = [index for index in range(len(probes)) if index not in missing]
        norms = read_norms(search_units, search_lengths)
        bm25 = read_postings(search_terms, norms, search_units.num_rows)
        choices = _choices([probes[i] for i in there], unit_length(embedded[there]), bm25, vectors)
    learned = fit(choices)
    return (
        _table(vectors, len(inputs)),
        _divided(vectors) if learned.weight and len(vectors) > MOST_EXACT else tables.make("search_vector_cells", []),
        tables.make("search_vector_weight", [(learned.weight, len(choices), learned.coefficient, learned.gain)]),
    )


class EmbeddingInputs(Sequence[str]):
    """What is embedded of each text unit, made when it is asked for: its document's title, a line end, its text."""

    def __init__(self, documents: "pa.Table", text_units: "pa.Table") -> None:
        self._about = {row[0]: row[1:] for row in tables.rows(documents, "id", "title", "language")}
        self._units, self.ids = text_units, text_units["id"].to_pylist()

    def __len__(self) -> int:
        return len(self.ids)

    @overload
    def __getitem__(self, row: int) -> str: ...
    @overload
    def __getitem__(self, row: slice) -> list[str]: ...
    def __getitem__(self, row: int | slice) -> str | list[str]:
        if isinstance(row, slice):
            return [self[i] for i in range(*row.indices(len(self)))]
        title, text = self._about[self._units["document_id"][row].as_py()][0], self.text(row)
        return f"{title}\n{text}" if title else text

    def text(self, row: int) -> str:
        return str(self._units["text"][row].as_py())

    def language(self, row: int) -> str:
        return str(self._about[self._units["document_id"][row].as_py()][1])


def text_excerpts(
    inputs: EmbeddingInputs, failed: Container[int] = (), attempt: Attempt = unguarded
) -> list[tuple[int, str, list[str]]]:
    """Return the row, an excerpt and its terms of some text units whose embedding has not failed."""
    probes: list[tuple[int, str, list[str]]] = []
    by_lot = sorted(range(len(inputs)), key=lambda row: _draw(inputs.ids[row]))
    for row in by_lot[: LOOKED_AT * PROBES]:
        if row not in failed and len(probes) < PROBES:
            probe = attempt(inputs.ids[row], _probe, inputs.text(row), inputs.language(row))
            probes += [(row, *probe)] if probe else []
    return probes


def _probe(text: str, language: str) -> tuple[str, list[str]] | None:
    """Return an excerpt of a text and its terms, None where none will do."""
    excerpt = _excerpt(text, language)
    return (excerpt, list(dict.fromkeys(terms(excerpt, language)))) if excerpt else None


async def _embed(embedder: MemoisedEmbedder, texts: Sequence[str]) -> tuple["Floats", dict[int, Exception]]:
    """Return vectors (n_texts, n_dimensions), zeros for those that failed, and the errors of these by row.

    Raises ModelError where nothing could be embedded at all, or the budget is spent.
    """
    found = np.zeros((len(texts), 0), np.float32)
    errors: dict[int, Exception] = {}
    missing: dict[str, list[int]] = {}
    stopped: Stopped | None = None

    def keep(rows: list[int], vector: Sequence[float]) -> None:
        nonlocal found
        found = found if found.shape[1] else np.zeros((len(texts), len(vector)), np.float32)
        found[rows] = vector

    for row, text in enumerate(texts):
        key = embedder.key(text)
        if (known := embedder.known(key)) is None:
            missing.setdefault(key, []).append(row)
        else:
            keep([row], known)
    keys = list(missing)
    starts = range(0, len(keys), embedder.batch_size)
    begun, done = iter(starts), 0

    async def lane() -> None:
        nonlocal done, stopped
        for start in begun:
            batch = keys[start : start + embedder.batch_size]
            try:
                vectors = await embedder.ask({key: texts[missing[key][0]] for key in batch})
                for key, vector in zip(batch, vectors, strict=True):
                    keep(missing[key], vector)
            except Stopped as error:  # what other lanes have asked is answered and kept
                stopped = stopped or error
            except (CallError, ReplyError) as error:
                errors.update(dict.fromkeys((row for key in batch for row in missing[key]), error))
            if stopped:
                return
            done += 1
            embedder.advance(done, len(starts))

    await together(lane() for _ in range(min(len(starts), AHEAD * embedder.meter.settings.concurrency)))
    if stopped:
        raise stopped
    if errors and not found.shape[1]:
        raise ModelError(f"embed_text_units: no text could be embedded. The last: {errors[max(errors)]}")
    return found, errors


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
        sentence = text[start:end].strip()
        words, gap = sentence.split(), " "
        if len(words) < WORDS.start:
            words, gap = [sentence[i : i + PIECE] for i in range(0, len(sentence), PIECE)], ""
            if sentence.isascii():
                continue
        if len(words) in WORDS:
            order = sorted(range(len(words)), key=lambda index: _draw(sentence, str(index)))
            return gap.join(words[index] for index in sorted(order[: round(WORD_SHARE * len(words))]))
    return ""


def _choices(
    probes: list[tuple[int, str, list[str]]], embedded: "Floats", bm25: Bm25, vectors: "Vectors"
) -> "list[Floats64]":
    """Return, for each excerpt, BM25 (of 1) and standing out, (n_candidates, 2), of its own unit, then of good ones."""
    choices = []
    for start in range(0, len(probes), TOGETHER):
        cosines = vectors.similarities(embedded[start : start + TOGETHER])
        for (row, _, words), similarities in zip(probes[start : start + TOGETHER], cosines, strict=True):
            by_words = bm25.scores(words).astype(np.float64)
            by_words /= by_words.max() or 1.0
            by_vectors = stand_out(similarities)
            others = np.union1d(best_rows(by_words, CANDIDATES), best_rows(by_vectors, CANDIDATES))
            rows = np.array([row, *others[others != row].tolist()])
            choices.append(np.stack([by_words[rows], by_vectors[rows]], axis=1))
    return choices


def _divided(vectors: "Vectors") -> "pa.Table":
    """Make the table of cells; without the library it is empty, and a warning says what to install."""
    if not can_divide():
        logger.warning(
            "Every question is compared with all %d vectors. With %s this is faster, from the next run on.",
            len(vectors),
            install_hint("ann"),
        )
        return tables.make("search_vector_cells", [])
    cells = divide(vectors)
    return tables.make_columns(
        "search_vector_cells", centre=_lists("search_vector_cells", "centre", cells.centres), rows=cells.rows
    )


def _table(vectors: "Vectors", n_rows: int) -> "pa.Table":
    """Make the table of vectors, a chunk a block; where there are none at all, each is empty."""
    import pyarrow as pa

    blocks = vectors.blocks or [np.zeros((n_rows, 0), np.float32)]
    chunks = [_lists("search_vectors", "vector", block) for block in blocks]
    return tables.make_columns("search_vectors", vector=pa.chunked_array(chunks))


def _lists(table: str, column: str, matrix: "Floats") -> "pa.ListArray":
    """Return the rows of a matrix as a column of lists, not copied."""
    import pyarrow as pa

    offsets = pa.array(np.arange(len(matrix) + 1, dtype=np.int32) * matrix.shape[1])
    kind = tables.schema(table).field(column).type
    return pa.ListArray.from_arrays(offsets, pa.array(matrix.ravel()), type=kind)
