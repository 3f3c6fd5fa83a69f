"""What a document's text alone tells of how its sentences are to be read: who speaks in it, where its notices stand."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from graphrag_lite import tables
from graphrag_lite.evidence.notices import edges
from graphrag_lite.evidence.stories import dialogue
from graphrag_lite.tables import groups
from graphrag_lite.tables.lazy_items import LazyItems
from graphrag_lite.text.notices import legal_spans
from graphrag_lite.text.transcripts import speakers

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

OFTEN = 0.1  # of the documents, and MIN_DOCUMENTS: who speaks in so many is the host, not the subject
MIN_DOCUMENTS = 3
UNREAD: tuple[list[str], list[int], list[int], float, list[int]] = ([], [], [], 0.0, [])
MIX = np.uint64(0xBF58476D1CE4E5B9)
MOST = 0.25  # of all text is notices: a corpus that has more is about such things


class UnsignedDocument(NamedTuple):
    """A document whose signs are not known, and where its sentences stand that have names."""

    id: str
    text: str
    spans: list[tuple[int, int]]


def document_signs(
    source_documents: "pa.Table",
    entity_mentions: "pa.Table",
    before: "Sequence[pa.Table] | None",
    each: Callable[..., Iterator[Any]],
) -> "pa.Table":
    """Return `document_signs`, a row for each document; those that are there `before`, by id, with names in the same
    sentences, are not read again."""
    import pyarrow as pa
    import pyarrow.compute as pc

    ids, spans = source_documents["id"], ["char_start", "char_end"]
    named = pa.array(_named_in(groups.row_indices(entity_mentions["document_id"], ids), entity_mentions, len(ids)))
    reused = groups.rows_of(before[0] if before else tables.make("document_signs", []), "document_id", ids)
    now = named.take(pa.array(groups.row_indices(reused["document_id"], ids)))
    reused = reused.filter(pc.equal(reused["named"], now))
    _, new = groups.split_rows(source_documents.append_column("named", named), "id", reused["document_id"])
    mentions = groups.rows_of(entity_mentions.select(["document_id", *spans]), "document_id", new["id"])

    def items() -> Iterator[UnsignedDocument]:
        spans_of = groups.by_value(mentions, "document_id", new["id"], *spans)
        texts = tables.rows(new, "id", "text")
        return (UnsignedDocument(key, text, own) for (key, text), own in zip(texts, spans_of, strict=True))

    read = each(_signs, LazyItems(new.num_rows, items))
    found = zip(tables.rows(new, "id", "named"), read, strict=True)
    made = tables.make("document_signs", ((key, *(signs or UNREAD), mark) for (key, mark), signs in found))
    return groups.in_order(pa.concat_tables([reused, made]), "document_id", ids)


def _named_in(documents: "NDArray[np.int64]", entity_mentions: "pa.Table", n: int) -> "NDArray[np.int64]":
    """Return for each of `n` documents a number that tells in which sentences it has names, in any order.

    `documents` are those of the mentions, by place.
    """
    start, end = (entity_mentions[name].to_numpy().astype(np.uint64) for name in ("char_start", "char_end"))
    mixed = (start << np.uint64(32) ^ end) * MIX  # as in splitmix64
    mixed = (mixed ^ mixed >> np.uint64(29)) * MIX
    found = np.zeros(n, np.uint64)
    np.add.at(found, documents, mixed ^ mixed >> np.uint64(32))
    return found.astype(np.int64)


def _signs(document: UnsignedDocument) -> tuple[list[str], list[int], list[int], float, list[int]]:
    spans = legal_spans(document.text)
    starts, ends = ([span[end] for span in spans] for end in (0, 1))
    return sorted(speakers(document.text)), starts, ends, dialogue(document.text), edges(document.text, document.spans)


def hosts(signs: "pa.Table") -> set[str]:
    """Return the names, whole and in part, of those whose lines many documents hold: hosts, whom all of them name."""
    import pyarrow.compute as pc

    least = max(MIN_DOCUMENTS, OFTEN * signs.num_rows)
    counted = pc.value_counts(pc.list_flatten(signs["speakers"])).to_pylist()
    often = [row["values"] for row in counted if row["counts"] >= least]
    return {name for label in often for name in (label, *label.split()) if len(name) > 2}


def notices(signs: "pa.Table", n_characters: int) -> dict[str, list[tuple[int, int]]]:
    """Return the spans of licences and legal notices by document; none where they are what the corpus is about."""
    import pyarrow.compute as pc

    held = signs.filter(pc.greater(pc.list_value_length(signs["notice_starts"]), 0))
    rows = tables.rows(held, "document_id", "notice_starts", "notice_ends")
    found = {identity: list(zip(starts, ends, strict=True)) for identity, starts, ends in rows}
    n_noticed = sum(end - start for spans in found.values() for start, end in spans)
    return found if n_noticed <= MOST * n_characters else {}
