"""What each mention is in its sentence: those of documents that stay as they were are kept, others read."""

from array import array
from collections.abc import Callable, Iterator, Mapping
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from graphrag_lite import tables
from graphrag_lite.evidence.mention_fold import QUERIES
from graphrag_lite.evidence.mention_form import mention_form
from graphrag_lite.tables import groups
from graphrag_lite.tables.database import select
from graphrag_lite.tables.lazy_items import LazyItems
from graphrag_lite.tables.long_texts import LongTexts

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa


class DocumentMentions(NamedTuple):
    """A document, and where its mentions stand: (start, length, start of the sentence, its end)."""

    id: str
    text: str
    language: str
    mentions: list[tuple[int, int, int, int]]


def forms_of(
    database: "duckdb.DuckDBPyConnection",
    previous: "pa.Table | None",
    texts: LongTexts,
    languages: Mapping[str, str],
    each: Callable[..., Iterator[Any]],
) -> "pa.Table":
    """Return `mention_forms`, what is said of each mention in the text; where it fails, a document names all.

    `previous` are those of the last run, which stay for documents that need not be read again.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    mentions = select(database, QUERIES["mentioned"])
    new = pc.is_null(mentions["form"])
    unread = groups.held_rows(mentions, np.asarray(new))

    def documents() -> Iterator[DocumentMentions]:
        for key, found in groupby(tables.rows(unread, *mentions.column_names[:5]), key=itemgetter(0)):
            yield DocumentMentions(key, texts[key][:], languages[key], [row[1:] for row in found])

    n_documents = pc.count_distinct(unread[mentions.column_names[0]]).as_py()
    read = {"form": array("i"), "begins": array("i")}
    for document, forms in zip(documents(), each(_forms_in, LazyItems(n_documents, documents)), strict=True):
        by_column = zip(*(forms or [(0, row[2]) for row in document.mentions]), strict=True)
        for values, more in zip(read.values(), by_column, strict=True):
            values.extend(more)
    columns = {name: mentions[name].combine_chunks() for name in mentions.column_names}
    columns |= {
        name: pc.replace_with_mask(columns[name], new.combine_chunks(), pa.array(values, columns[name].type))
        for name, values in read.items()
    }
    made = tables.make_columns("mention_forms", **columns)
    if previous is None:
        return made
    _, stay = groups.split_rows(previous, "document_id", select(database, "from reread")["document_id"])
    both = groups.stack(stay, made)
    return groups.in_order(both, "document_id", both["document_id"].unique().sort())


def _forms_in(document: DocumentMentions) -> list[tuple[int, int]]:
    """Return what each mention is in its sentence, and where what that says begins."""
    return [
        mention_form(document.text, (start, start + length), (first, last), document.language)
        for start, length, first, last in document.mentions
    ]
