"""Documents -> episodes: what was said or written at one time."""

from collections import Counter
from collections.abc import Iterator
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
    ids: dict[int, list[str]] = {}
    by_source: dict[tuple[str, str], str] = {}
    identities = source_documents["id"].to_pylist()
    for place in sorted(range(len(identities)), key=identities.__getitem__):
        ids[place] = []
        text = source_documents["text"][place].as_py()
        for path, row in _episodes(source_documents, place):
            about = row["conversation"], row["speaker"], row["reference_time"]
            key = tables.content_id("episode", row["kind"], *about, text[row["char_start"] : row["char_end"]])
            ids[place].append(tables.content_id(key, str(seen[key])))
            seen[key] += 1
            if row["id"]:
                by_source[row["conversation"] or path, row["id"]] = ids[place][-1]

    def listed() -> Iterator[dict[str, Any]]:
        for place in range(len(ids)):
            for (path, row), identity in zip(_episodes(source_documents, place), ids[place], strict=True):
                answered = by_source.get((row["conversation"] or path, row["reply_to"]), "")
                yield row | {"id": identity, "reply_to": answered if answered != identity else ""}

    return tables.make("episodes", listed())


def _episodes(source_documents: "pa.Table", place: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the path and the episodes of a document, with the ids that its source gives."""
    columns = ("id", "path", "created_at", "blocks", "messages")
    document_id, path, created_at, blocks, messages = (source_documents[name][place].as_py() for name in columns)
    kind = "message" if messages else "json" if any(block["kind"] == "card" for block in blocks) else "text"
    whole = {**NOBODY, "char_start": 0, "char_end": len(source_documents["text"][place].as_py())}
    for ordinal, said in enumerate(messages or [whole]):
        time = said["time"] or created_at
        yield path, {"document_id": document_id, "ordinal": ordinal, "kind": kind, **said, "reference_time": time}
