"""The service `last` for a test of one stage: a snapshot folder that holds the tables of the run before; and code that
changes within a process."""

import asyncio
from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa

from graphrag_lite import tables
from graphrag_lite.run import stamps
from graphrag_lite.run.services import Last
from graphrag_lite.stages.publish_documents import publish_documents
from graphrag_lite.stages.publish_text_units import publish_text_units


def last(folder: Path, *, changed: Iterable[str] = (), failed: Iterable[str] = (), **written: pa.Table) -> Last:
    (folder / "work").mkdir(parents=True, exist_ok=True)
    units = written.get("source_units", tables.make("source_units", []))
    documents = written.pop("source_documents", None)
    if documents is None:
        documents = _holding(units)
    written["documents"] = asyncio.run(publish_documents(documents, units))
    none = (tables.make(name, []) for name in ("entities", "relationships", "covariates"))
    written["text_units"] = asyncio.run(publish_text_units(units, *none))
    for name, table in written.items():
        tables.write(folder, name, table)
    return Last(folder, frozenset(changed), tuple(failed))


def _holding(units: pa.Table) -> pa.Table:
    """Return documents with the texts of these text units."""
    texts: dict[str, str] = {}
    for document, start, end, text in tables.rows(units, "document_id", "char_start", "char_end", "text"):
        before = texts.get(document, "").ljust(end)
        texts[document] = before[:start] + text + before[end:]
    rest = ("x", "", "text/plain", "en", "", "{}", [], [])
    return tables.make("source_documents", [(name, name, "", text, *rest) for name, text in texts.items()])


def forget_code() -> None:
    """Read the code again: within one process it is taken to stay as it is."""
    for name in ("code_hash", "libraries", "_shown", "_modules", "_imports", "_text", "_hash", "_data_files"):
        getattr(stamps, name).cache_clear()


def bytes_of(snapshot: Path) -> dict[str, bytes]:
    """Return what stands in each file of a snapshot's tables."""
    return {str(path.relative_to(snapshot)): path.read_bytes() for path in tables.files(snapshot)}
