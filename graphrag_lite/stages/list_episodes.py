"""Documents -> episodes: what was said or written at one time."""

from collections import Counter
from collections.abc import Iterator
from itertools import count
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

    asked = _answered(source_documents)
    answers: dict[int, tuple[str, str]] = {}  # by row, what is answered
    row_of: dict[tuple[str, str], int] = {}  # of what is
    columns = (source_documents[name].to_pylist() for name in ("id", "path", "created_at"))
    cards, n_said = _has_card(source_documents), pc.list_value_length(source_documents["messages"]).to_pylist()
    listed = sorted(zip(*columns, cards, n_said, range(len(cards)), strict=True))

    def rows() -> Iterator[tuple[Any, ...]]:
        seen: Counter[str] = Counter()
        places = count()
        for document_id, path, created_at, card, n, place in listed:
            text = source_documents["text"][place].as_py()  # one at a time, as that of all takes memory
            messages = source_documents["messages"][place].as_py() if n else []
            kind = "message" if messages else "json" if card else "text"
            for ordinal, said in enumerate(messages or [NOBODY | {"char_start": 0, "char_end": len(text)}]):
                start, end, time = said["char_start"], said["char_end"], said["time"] or created_at
                conversation, speaker = said["conversation"], said["speaker"]
                key = tables.content_id("episode", kind, conversation, speaker, time, text[start:end])
                row = next(places)
                if (source := (conversation or path, said["id"])) in asked:
                    row_of[source] = row
                if said["reply_to"]:
                    answers[row] = conversation or path, said["reply_to"]
                rest = said["role"], time, "", start, end
                yield tables.content_id(key, str(seen[key])), document_id, ordinal, kind, conversation, speaker, *rest
                seen[key] += 1

    episodes = tables.make("episodes", rows())
    ids, reply = episodes["id"], [""] * len(episodes)
    for row, answered in answers.items():
        if (found := row_of.get(answered, row)) != row:
            reply[row] = ids[found].as_py()
    episodes = tables.make_columns(
        "episodes", **{name: episodes[name] for name in episodes.column_names} | {"reply_to": reply}
    )
    return groups.in_order(episodes, "document_id", source_documents["id"])


def _answered(source_documents: "pa.Table") -> set[tuple[str, str]]:
    """Return conversation, or path where it has no name, and id in the source of each message that another answers."""
    import pyarrow.compute as pc

    messages = source_documents["messages"].combine_chunks()
    said, place = messages.flatten(), pc.list_parent_indices(messages)
    answer, conversation = (pc.struct_field(said, name) for name in ("reply_to", "conversation"))
    answers = pc.not_equal(answer, "")
    found = (each.filter(answers).to_pylist() for each in (conversation, place, answer))
    paths = source_documents["path"]
    return {(name or paths[row].as_py(), identity) for name, row, identity in zip(*found, strict=True)}


def _has_card(source_documents: "pa.Table") -> list[bool]:
    """Say of each document whether it is a row of a table."""
    import pyarrow.compute as pc

    blocks = source_documents["blocks"].combine_chunks()
    kinds = pc.struct_field(blocks.flatten(), "kind")
    held = set(pc.list_parent_indices(blocks).filter(pc.equal(kinds, "card")).to_pylist())
    return [row in held for row in range(len(blocks))]
