"""Documents as they are published, written as soon as text units tell which they hold: their only file with texts."""

from typing import TYPE_CHECKING

import numpy as np

from graphrag_lite import tables
from graphrag_lite.tables import groups

if TYPE_CHECKING:
    import pyarrow as pa


async def publish_documents(source_documents: "pa.Table", source_units: "pa.Table") -> "pa.Table":
    """Return `documents`."""
    return tables.make_columns(
        "documents",
        **{name: source_documents[name] for name in source_documents.column_names},
        human_readable_id=np.arange(source_documents.num_rows),
        text_unit_ids=groups.ids_beside(source_documents, source_units["document_id"], source_units["id"]),
        creation_date=source_documents["created_at"],
        raw_data=source_documents["metadata"],
    )
