"""Fill the columns that are known only at the end: which ids a document and a text unit hold."""

from typing import TYPE_CHECKING

import numpy as np

from graphrag_lite import tables
from graphrag_lite.tables import groups

if TYPE_CHECKING:
    import pyarrow as pa


async def publish_tables(
    source_documents: "pa.Table",
    source_units: "pa.Table",
    entities: "pa.Table",
    relationships: "pa.Table",
    covariates: "pa.Table",
) -> tuple["pa.Table", "pa.Table"]:
    """Return `documents` and `text_units`."""
    units = {name: source_units[name] for name in source_units.column_names}
    text_units = tables.make_columns(
        "text_units",
        **units,
        human_readable_id=range(source_units.num_rows),
        entity_ids=_ids_by_unit(source_units, entities),
        relationship_ids=_ids_by_unit(source_units, relationships),
        covariate_ids=_ids_by_unit(source_units, covariates),
    )
    documents = tables.make_columns(
        "documents",
        **{name: source_documents[name] for name in source_documents.column_names},
        human_readable_id=range(source_documents.num_rows),
        text_unit_ids=_ids_by(source_documents, source_units["document_id"], source_units["id"]),
        creation_date=source_documents["created_at"],
        raw_data=source_documents["metadata"],
    )
    return documents, text_units


def _ids_by_unit(source_units: "pa.Table", owners: "pa.Table") -> "pa.ListArray":
    """Return, for every text unit, the ids of the rows of `owners` that name it, in their order."""
    if "text_unit_id" in owners.column_names:
        return _ids_by(source_units, owners["text_unit_id"], owners["id"])
    listed = owners["text_unit_ids"].combine_chunks()
    return _ids_by(source_units, listed.flatten(), owners["id"].take(listed.value_parent_indices()))


def _ids_by(table: "pa.Table", named: "pa.ChunkedArray | pa.Array", ids: "pa.ChunkedArray") -> "pa.ListArray":
    """Return, for every row of a table, those `ids` that stand beside its own among the `named`, in their order."""
    rows = groups.row_indices(named, table["id"])
    order = np.argsort(rows, kind="stable")[np.count_nonzero(rows < 0) :]
    return groups.id_lists(rows[order], order, ids, table.num_rows)
