"""What a document's text alone tells of how its sentences are to be read: who speaks in it, where its notices stand."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from graphrag_lite import tables
from graphrag_lite.attempts import Attempt
from graphrag_lite.evidence.stories import dialogue
from graphrag_lite.tables import groups
from graphrag_lite.text.notices import legal_spans
from graphrag_lite.text.transcripts import speakers

if TYPE_CHECKING:
    import pyarrow as pa

OFTEN = 0.1  # of the documents, and MIN_DOCUMENTS: who speaks in so many is the host, not the subject
MIN_DOCUMENTS = 3
MOST = 0.25  # of all text is notices: a corpus that has more is about such things


def document_signs(source_documents: "pa.Table", before: "Sequence[pa.Table] | None", attempt: Attempt) -> "pa.Table":
    """Return `document_signs`, a row for each document; those that are there `before`, by id, are not read again."""
    import pyarrow as pa

    kept = groups.rows_of(
        before[0] if before else tables.make("document_signs", []), "document_id", source_documents["id"]
    )
    _, unread = groups.split_rows(source_documents, "id", kept["document_id"])
    rows = []
    for identity, text in tables.rows(unread, "id", "text"):
        spans = legal_spans(text)
        places = [[span[end] for span in spans] for end in (0, 1)]
        rows.append((identity, sorted(attempt(identity, speakers, text) or ()), *places, dialogue(text)))
    made = tables.make("document_signs", rows)
    return groups.in_order(pa.concat_tables([kept, made]), "document_id", source_documents["id"])


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
