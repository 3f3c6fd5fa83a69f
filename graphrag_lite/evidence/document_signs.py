"""What a document's text alone tells of how its sentences are to be read: who speaks in it, where its notices stand."""

from collections.abc import Callable, Iterator, Sequence
from itertools import starmap
from typing import TYPE_CHECKING, Any, NamedTuple

from graphrag_lite import tables
from graphrag_lite.evidence.stories import dialogue
from graphrag_lite.tables import groups
from graphrag_lite.tables.lazy_items import LazyItems
from graphrag_lite.text.notices import legal_spans
from graphrag_lite.text.transcripts import speakers

if TYPE_CHECKING:
    import pyarrow as pa

OFTEN = 0.1  # of the documents, and MIN_DOCUMENTS: who speaks in so many is the host, not the subject
MIN_DOCUMENTS = 3
MOST = 0.25  # of all text is notices: a corpus that has more is about such things


class Unread(NamedTuple):
    """A document whose signs are not known."""

    id: str
    text: str


def document_signs(
    source_documents: "pa.Table", before: "Sequence[pa.Table] | None", each: Callable[..., Iterator[Any]]
) -> "pa.Table":
    """Return `document_signs`, a row for each document; those that are there `before`, by id, are not read again."""
    import pyarrow as pa

    kept = groups.rows_of(
        before[0] if before else tables.make("document_signs", []), "document_id", source_documents["id"]
    )
    _, new = groups.split_rows(source_documents, "id", kept["document_id"])
    unread = LazyItems(new.num_rows, lambda: starmap(Unread, tables.rows(new, "id", "text")))
    found = zip(new["id"].to_pylist(), each(_signs, unread), strict=True)
    made = tables.make("document_signs", ((identity, *(signs or ([], [], [], 0.0))) for identity, signs in found))
    return groups.in_order(pa.concat_tables([kept, made]), "document_id", source_documents["id"])


def _signs(document: Unread) -> tuple[list[str], list[int], list[int], float]:
    spans = legal_spans(document.text)
    starts, ends = ([span[end] for span in spans] for end in (0, 1))
    return sorted(speakers(document.text)), starts, ends, dialogue(document.text)


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
