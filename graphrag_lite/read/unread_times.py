"""Times of documents and messages that are stated, and could not be read."""

import json
from functools import reduce
from typing import TYPE_CHECKING, NamedTuple

from graphrag_lite.read.documents import Fields
from graphrag_lite.read.stated_times import time_left
from graphrag_lite.text.dates import LONGEST

if TYPE_CHECKING:
    import pyarrow as pa


class UnreadTimes(NamedTuple):
    """A file, how many of its documents and messages state a time that cannot be read, and the first such time."""

    path: str
    documents: int
    example: str


def unread_times(source_documents: "pa.Table", field: str) -> list[UnreadTimes]:
    """Return the files with times that could not be read, of documents and of messages in them, by path."""
    found: dict[str, UnreadTimes] = {}
    stated = source_documents.select(["path", "created_at", "metadata", "messages"])
    for index in _perhaps_undated(source_documents, field):
        row = stated.slice(index, 1).to_pylist()[0]
        unread = [message["unread_time"] for message in row["messages"] if message["unread_time"]]
        metadata = {} if row["created_at"] else json.loads(row["metadata"])
        if key := time_left(metadata, field):
            unread.append(str(metadata[key])[:LONGEST])
        if unread:
            before = found.get(row["path"], UnreadTimes(row["path"], 0, unread[0]))
            found[row["path"]] = before._replace(documents=before.documents + len(unread))
    return [found[path] for path in sorted(found)]


def _perhaps_undated(source_documents: "pa.Table", field: str) -> list[int]:
    """Return the rows of documents that may state a time which was not read, of their own or of a message."""
    import pyarrow.compute as pc

    # By their lengths: to compare texts with "" would load pandas.
    dated = pc.binary_length(source_documents["created_at"]).cast("bool")
    named = [pc.match_substring(source_documents["metadata"], f'"{name}": ') for name in sorted({field, Fields.time})]
    of_own = pc.indices_nonzero(pc.and_not(reduce(pc.or_, named), dated)).to_pylist()
    first, rows = 0, set(of_own)
    for chunk in source_documents["messages"].chunks:
        unread = pc.binary_length(pc.struct_field(chunk.flatten(), "unread_time")).cast("bool")
        rows.update(first + row for row in pc.list_parent_indices(chunk).filter(unread).to_pylist())
        first += len(chunk)
    return sorted(rows)
