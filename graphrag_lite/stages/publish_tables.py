"""Fill the columns that are known only at the end: which ids a document and a text unit hold."""

from collections import defaultdict
from typing import TYPE_CHECKING

from graphrag_lite import tables

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
    by_document = defaultdict(list)
    for document_id, unit_id in tables.rows(source_units, "document_id", "id"):
        by_document[document_id].append(unit_id)
    documents = tables.make_columns(
        "documents",
        **{name: source_documents[name] for name in source_documents.column_names},
        human_readable_id=range(source_documents.num_rows),
        text_unit_ids=[by_document[identity] for identity in source_documents["id"].to_pylist()],
        creation_date=source_documents["created_at"],
        raw_data=source_documents["metadata"],
    )
    return documents, text_units


def _ids_by_unit(source_units: "pa.Table", owners: "pa.Table") -> list[list[str]]:
    """Return, for every text unit, the ids of the rows of `owners` that name it, in their order."""
    found = defaultdict(list)
    column = "text_unit_ids" if "text_unit_ids" in owners.column_names else "text_unit_id"
    for owner, unit_ids in tables.rows(owners, "id", column):
        for unit_id in [unit_ids] if isinstance(unit_ids, str) else unit_ids:
            found[unit_id].append(owner)
    return [found[unit_id] for unit_id in source_units["id"].to_pylist()]
