"""Documents -> episodes: what was said or written at one time."""

from collections.abc import Iterator
from itertools import count
from typing import TYPE_CHECKING, Any

from graphrag_lite import tables
from graphrag_lite.run.services import Last
from graphrag_lite.tables import groups

if TYPE_CHECKING:
    import pyarrow as pa

KEYED = ("kind", "conversation", "speaker", "reference_time")  # what tells an episode, with its text
NOBODY = dict.fromkeys(("speaker", "role", "conversation", "time", "id", "reply_to"), "")


async def list_episodes(source_documents: "pa.Table", last: Last | None = None) -> "pa.Table":
    """List the messages of every conversation, and every other document as one episode.

    Ids depend on what was said, by whom, when and where, and are given in the order of the documents' ids, so that no
    file's name decides. An answer is joined to its message where the same conversation has that. Documents of the last
    snapshot keep their rows, but where one answers another.
    """
    import pyarrow as pa

    reply_targets = _answered(source_documents)
    reused, gone = _before(source_documents, last if not reply_targets else None)
    _, unlisted = groups.split_rows(source_documents, "id", reused["document_id"])
    answers: dict[int, tuple[str, str]] = {}  # by row, what is answered
    row_of: dict[tuple[str, str], int] = {}  # of what is
    made = tables.make("episodes", _rows(unlisted, reply_targets, answers, row_of))
    episodes = pa.concat_tables([reused, made])
    ids = groups.numbered_ids(episodes, reused.num_rows, gone)
    reply = episodes["reply_to"].to_pylist()
    for row, answered in answers.items():
        if (found := row_of.get(answered, row)) != row:
            reply[row] = ids[found]
    columns = {name: episodes[name] for name in episodes.column_names} | {"id": ids, "reply_to": reply}
    return groups.in_order(tables.make_columns("episodes", **columns), "document_id", source_documents["id"])


def _before(source_documents: "pa.Table", last: Last | None) -> tuple["pa.Table", list[str]]:
    """Return the last snapshot's episodes of documents that are still there, and the keys of all others."""
    before = last.read("episodes", unless={"code"}) if last else None
    reused, gone = groups.split_rows(
        (before or [tables.make("episodes", [])])[0], "document_id", source_documents["id"]
    )
    went = last.rows("documents", "id", {*gone["document_id"].to_pylist()}, "id", "text") if last and before else None
    if went is None:
        return tables.make("episodes", []), []
    texts = dict(tables.rows(went, "id", "text"))
    rows = tables.rows(gone, *KEYED, "document_id", "char_start", "char_end")
    return reused, [_key(*values, texts[document][start:end]) for *values, document, start, end in rows]


def _key(*values: str) -> str:
    """Return the hash of an episode: `KEYED`, and its text."""
    return tables.content_id("episode", *values)


def _rows(
    documents: "pa.Table",
    reply_targets: set[tuple[str, str]],
    answers: dict[int, tuple[str, str]],
    row_of: dict[tuple[str, str], int],
) -> Iterator[tuple[Any, ...]]:
    """Yield the episodes of documents in the order of their ids, with keys for ids; note which answer, or are asked."""
    import pyarrow.compute as pc

    columns = (documents[name].to_pylist() for name in ("id", "path", "created_at"))
    cards, n_messages = _has_card(documents), pc.list_value_length(documents["messages"]).to_pylist()
    row_numbers = count()
    for document_id, path, created_at, card, n, index in sorted(
        zip(*columns, cards, n_messages, range(len(cards)), strict=True)
    ):
        text = documents["text"][index].as_py()  # one at a time, as that of all takes memory
        messages = documents["messages"][index].as_py() if n else []
        kind = "message" if messages else "json" if card else "text"
        for ordinal, message in enumerate(messages or [NOBODY | {"char_start": 0, "char_end": len(text)}]):
            start, end, time = message["char_start"], message["char_end"], message["time"] or created_at
            conversation, speaker = message["conversation"], message["speaker"]
            row = next(row_numbers)
            if (source := (conversation or path, message["id"])) in reply_targets:
                row_of[source] = row
            if message["reply_to"]:
                answers[row] = conversation or path, message["reply_to"]
            key = _key(kind, conversation, speaker, time, text[start:end])
            yield key, document_id, ordinal, kind, conversation, speaker, message["role"], time, "", start, end


def _answered(source_documents: "pa.Table") -> set[tuple[str, str]]:
    """Return conversation, or path where it has no name, and id in the source of each message that another answers."""
    import pyarrow.compute as pc

    messages = source_documents["messages"].combine_chunks()
    flat, rows = messages.flatten(), pc.list_parent_indices(messages)
    answer, conversation = (pc.struct_field(flat, name) for name in ("reply_to", "conversation"))
    answers = pc.not_equal(answer, "")
    found = (each.filter(answers).to_pylist() for each in (conversation, rows, answer))
    paths = source_documents["path"]
    return {(name or paths[row].as_py(), identity) for name, row, identity in zip(*found, strict=True)}


def _has_card(source_documents: "pa.Table") -> list[bool]:
    """Say of each document whether it is a row of a table."""
    import pyarrow.compute as pc

    blocks = source_documents["blocks"].combine_chunks()
    kinds = pc.struct_field(blocks.flatten(), "kind")
    held = set(pc.list_parent_indices(blocks).filter(pc.equal(kinds, "card")).to_pylist())
    return [row in held for row in range(len(blocks))]
