"""Text units with what is known only at the end: what names them."""

from typing import TYPE_CHECKING

import numpy as np

from graphrag_lite import tables
from graphrag_lite.tables import groups

if TYPE_CHECKING:
    import pyarrow as pa


async def publish_text_units(
    source_units: "pa.Table",
    entities: "pa.Table",
    relationships: "pa.Table",
    covariates: "pa.Table",
) -> "pa.Table":
    """Return `text_units`."""
    return tables.make_columns(
        "text_units",
        **{name: source_units[name] for name in source_units.column_names},
        human_readable_id=np.arange(source_units.num_rows),
        entity_ids=_ids_by_unit(source_units, entities),
        relationship_ids=_ids_by_unit(source_units, relationships),
        covariate_ids=_ids_by_unit(source_units, covariates),
    )


def _ids_by_unit(source_units: "pa.Table", owners: "pa.Table") -> "pa.ListArray":
    """Return, for every text unit, the ids of the rows of `owners` that name it, in their order."""
    if "text_unit_id" in owners.column_names:
        return groups.ids_beside(source_units, owners["text_unit_id"], owners["id"])
    listed = owners["text_unit_ids"].combine_chunks()
    return groups.ids_beside(source_units, listed.flatten(), owners["id"].take(listed.value_parent_indices()))
