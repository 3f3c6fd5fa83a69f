"""Documents -> episodes: what was said or written at one time."""

from collections import Counter
from typing import TYPE_CHECKING, Any

from graphrag_lite import tables
from graphrag_lite.tables import groups

if TYPE_CHECKING:
    import pyarrow as pa

NOBODY = dict.fromkeys(("speaker", "role", "conversation", "time", "id", "reply_to"), "")


async def list_episodes(source_documents: "pa.Table") -> "pa.Table":
    """List the messages of every conversation, and every other document as one episode.

    Ids depend on what was said, by whom, when and where, and are given in the order of the documents' ids, so that no
    file's name decides. An answer is joined to its message where the same conversation has that.
    """
    import pyarrow.compute as pc

    seen: Counter[str] = Counter()
    by_source: dict[tuple[str, str], str] = {}
    rows: list[tuple[Any, ...]] = []
    answers: dict[str, tuple[str, str]] = {}  # by id, what is answered
    columns = (source_documents[name].to_pylist() for name in ("id", "path", "created_at"))
    cards, n_said = _has_card(source_documents), pc.list_value_length(source_documents["messages"]).to_pylist()
    listed = sorted(zip(*columns, cards, n_said, range(len(cards)), strict=True))
    for document_id, path, created_at, card, n, place in listed:
        text = source_documents["text"][place].as_py()  # one at a time, as that of all takes memory
        messages = source_documents["messages"][place].as_py() if n else []
        kind = "message" if messages else "json" if card else "text"
        for ordinal, said in enumerate(messages or [NOBODY | {"char_start": 0, "char_end": len(text)}]):
            start, end, time = said["char_start"], said["char_end"], said["time"] or created_at
            conversation, speaker = said["conversation"], said["speaker"]
            key = tables.content_id("episode", kind, conversation, speaker, time, text[start:end])
            identity = tables.content_id(key, str(seen[key]))
            seen[key] += 1
            if said["id"]:
                by_source[conversation or path, said["id"]] = identity
            if said["reply_to"]:
                answers[identity] = conversation or path, said["reply_to"]
            rest = said["role"], time, start, end
            rows.append((identity, document_id, ordinal, kind, conversation, speaker, *rest))
    reply = {one: found for one, answered in answers.items() if (found := by_source.get(answered, one)) != one}
    made = ((*row[:8], reply.get(row[0], ""), *row[8:]) for row in rows)
    return groups.in_order(tables.make("episodes", made), "document_id", source_documents["id"])


def _has_card(source_documents: "pa.Table") -> list[bool]:
    """Say of each document whether it is a row of a table."""
    import pyarrow.compute as pc

    blocks = source_documents["blocks"].combine_chunks()
    kinds = pc.struct_field(blocks.flatten(), "kind")
    held = set(pc.list_parent_indices(blocks).filter(pc.equal(kinds, "card")).to_pylist())
    return [row in held for row in range(len(blocks))]
