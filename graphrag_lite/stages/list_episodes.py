"""Documents -> episodes: what was said or written at one time."""

from collections import Counter
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from graphrag_lite import tables

if TYPE_CHECKING:
    import pyarrow as pa

NOBODY = dict.fromkeys(("speaker", "role", "conversation", "time", "id", "reply_to"), "")


async def list_episodes(source_documents: "pa.Table") -> "pa.Table":
    """List the messages of every conversation, and every other document as one episode.

    Ids depend on what was said, by whom, when and where, and are given in the order of the documents' ids, so that no
    file's name decides. An answer is joined to its message where the same conversation has that.
    """
    seen: Counter[str] = Counter()
    rows: dict[str, list[tuple[str, dict[str, Any]]]] = {}
    by_source: dict[tuple[str, str], str] = {}
    columns = ("id", "path", "text", "created_at", "blocks", "messages")
    documents = sorted(tables.rows(source_documents, *columns), key=itemgetter(0))
    for document_id, path, text, created_at, blocks, messages in documents:
        kind = "message" if messages else "json" if any(block["kind"] == "card" for block in blocks) else "text"
        whole = {**NOBODY, "char_start": 0, "char_end": len(text)}
        rows[document_id] = []
        for ordinal, said in enumerate(messages or [whole]):
            row = {"document_id": document_id, "ordinal": ordinal, "kind": kind, **said}
            row["reference_time"] = said["time"] or created_at
            about = said["conversation"], said["speaker"], row["reference_time"]
            key = tables.content_id("episode", kind, *about, text[said["char_start"] : said["char_end"]])
            row["id"] = tables.content_id(key, str(seen[key]))
            seen[key] += 1
            rows[document_id].append((path, row))
            if said["id"]:
                by_source[said["conversation"] or path, said["id"]] = row["id"]
    listed = [row for document_id in source_documents["id"].to_pylist() for row in rows[document_id]]
    for path, row in listed:
        answered = by_source.get((row["conversation"] or path, row["reply_to"]), "")
        row["reply_to"] = answered if answered != row["id"] else ""
    return tables.make("episodes", (row for _, row in listed))
