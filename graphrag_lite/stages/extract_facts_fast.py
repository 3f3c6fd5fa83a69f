"""Documents -> dated statements, by text analysis alone (method: fast)."""

from typing import TYPE_CHECKING

from graphrag_lite import tables

if TYPE_CHECKING:
    import pyarrow as pa


async def extract_facts_fast(
    source_documents: "pa.Table", source_units: "pa.Table", entity_mentions: "pa.Table"
) -> "pa.Table":
    """Return `fact_mentions`: what sentences say that states a time."""
    del source_documents, source_units, entity_mentions  # what comes next reads them
    return tables.make("fact_mentions", [])
