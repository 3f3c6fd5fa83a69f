"""Which entity each mention means, in arrays: a corpus has a hundred times as many mentions as entities."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from graphrag_lite.tables import groups

if TYPE_CHECKING:
    import pyarrow as pa


def meant(entities: "pa.Table", entity_mentions: "pa.Table", entity_resolutions: "pa.Table") -> NDArray[np.int64]:
    """Return the row of the entity that each mention means, -1 where it is none: by its document, else the corpus."""
    names, documents = (entity_mentions[c].combine_chunks().dictionary_encode() for c in ("name", "document_id"))
    rows = groups.row_indices(entity_resolutions["entity_id"], entities["id"])
    return np.append(rows, -1)[resolution_rows(names, documents, entity_resolutions)]


def resolution_rows(
    names: "pa.DictionaryArray", documents: "pa.DictionaryArray", entity_resolutions: "pa.Table"
) -> NDArray[np.int64]:
    """Return the row that says what each name in a document means, -1 where none does: the document's, else of all."""
    name, document = (np.asarray(each.indices).astype(np.int64) for each in (names, documents))
    width = max(len(names.dictionary), 1)
    by_name, by_document = (
        groups.row_indices(entity_resolutions[column], each.dictionary)
        for column, each in (("name", names), ("document_id", documents))
    )
    by_document[groups.is_in(entity_resolutions, "document_id", [""])] = len(documents.dictionary)
    key = np.where((by_name < 0) | (by_document < 0), -1, by_document * width + by_name)
    order = np.argsort(key, kind="stable")
    key, order = np.append(key[order], -1), np.append(order, -1)

    def row_of(wanted: NDArray[np.int64]) -> NDArray[np.int64]:
        position = np.searchsorted(key[:-1], wanted, "right") - 1
        return np.where(key[position] == wanted, order[position], -1)

    row = row_of(document * width + name)
    return np.where(row < 0, row_of(len(documents.dictionary) * width + name), row)
