"""A finished index of microsoft/graphrag -> our tables.

Its records stay what they are: ids, titles, community numbers, texts. What ours have beyond them is worked out: where a
text unit stands in its document, which sentences an entity or a relationship rests on, and what the marks
`[Data: Entities (5, 7)]` of its reports point to. A reference to what is not there is dropped, and counted.
"""

import hashlib
import logging
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from graphrag_lite import tables
from graphrag_lite.msgraphrag.read import Notes, find_tables, read_tables, table_of
from graphrag_lite.msgraphrag.records import Graph
from graphrag_lite.msgraphrag.reports import convert_reports
from graphrag_lite.msgraphrag.texts import locate_texts
from graphrag_lite.read.documents import Fields
from graphrag_lite.read.unread_times import unread_times
from graphrag_lite.run.services import Counts

if TYPE_CHECKING:
    import pyarrow as pa

logger = logging.getLogger(__name__)


def find(folder: Path) -> tuple[Path, list[tuple[str, int, str]]]:
    """Return where the tables of an index are, and its files as rows of `corpus_files`. Raises InputError."""
    paths = list(find_tables(folder).values())
    rows = []
    for path in paths:
        with path.open("rb") as file:
            rows.append((path.name, path.stat().st_size, hashlib.file_digest(file, "sha256").hexdigest()))
    return paths[0].parent, sorted(rows)


async def import_graphrag(
    corpus_files: "pa.Table", corpus: Path, count: Counts | None = None
) -> "tuple[pa.Table, ...]":
    """Read the files of an index, and log what could not be taken over. Raises InputError that lists every problem."""
    notes = Notes()
    read = read_tables([(table_of(name), corpus / name) for name in corpus_files["path"].to_pylist()], notes)
    texts = locate_texts(read["documents"], read["text_units"], notes)
    graph = Graph(texts, notes)
    entities = graph.entities(read["entities"], read["relationships"])
    relationships = graph.relationships(read["relationships"], entities)
    covariates = graph.covariates(read["covariates"])
    communities = graph.communities(read["communities"])
    spans, units = graph.spans, read["text_units"]
    reports = convert_reports(read["community_reports"], communities, spans, texts, units, notes)
    unknown = {"description": "", "char_start": -1, "char_end": -1, "mention_start": -1, "anchored": True, "round": 0}
    mentions = [
        {"text_unit_id": unit, "document_id": graph.units[unit]["document_id"], "name": row["title"]}
        | {"type": row["type"], **unknown}
        for row in entities
        for unit in row["text_unit_ids"]
    ]
    resolutions = [
        ("", row["title"], row["id"], row["title"], row["type"], "exact")
        for row in sorted(entities, key=lambda row: row["title"])
    ]
    for (table, what), n in sorted(notes.items()):
        if n:
            logger.info("%s", f"{table}: {n:,} {what}")
    documents = tables.make("source_documents", texts.documents)
    if count:
        levels = Counter(row["level"] for row in communities)
        count("communities_by_level", {str(level): levels[level] for level in sorted(levels)})
        count("unread_times", [one._asdict() for one in unread_times(documents, Fields.time)])
    return (
        documents,
        tables.make("source_units", texts.units),
        tables.make("entity_mentions", mentions),
        tables.make("relationship_mentions", []),
        tables.make("entity_resolutions", resolutions),
        tables.make("entities", entities),
        tables.make("relationships", relationships),
        tables.make("covariates", covariates),
        tables.make("communities", communities),
        tables.make("community_reports", reports),
    )
