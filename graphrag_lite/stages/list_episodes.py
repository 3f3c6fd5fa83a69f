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

    asked = _answered(source_documents)
    kept, gone = _before(source_documents, last if not asked else None)
    _, unlisted = groups.split_rows(source_documents, "id", kept["document_id"])
    answers: dict[int, tuple[str, str]] = {}  # by row, what is answered
    row_of: dict[tuple[str, str], int] = {}  # of what is
    made = tables.make("episodes", _rows(unlisted, asked, answers, row_of))
    episodes = pa.concat_tables([kept, made])
    ids = groups.numbered_ids(episodes, kept.num_rows, gone)
    reply = episodes["reply_to"].to_pylist()
    for row, answered in answers.items():
        if (found := row_of.get(answered, row)) != row:
            reply[row] = ids[found]
    columns = {name: episodes[name] for name in episodes.column_names} | {"id": ids, "reply_to": reply}
    return groups.in_order(tables.make_columns("episodes", **columns), "document_id", source_documents["id"])


def _before(source_documents: "pa.Table", last: Last | None) -> tuple["pa.Table", list[str]]:
    """Return the last snapshot's episodes of documents that are still there, and the keys of all others."""
    before = last.read("episodes", unless={"code"}) if last else None
    kept, gone = groups.split_rows((before or [tables.make("episodes", [])])[0], "document_id", source_documents["id"])
    went = last.rows("documents", "id", {*gone["document_id"].to_pylist()}, "id", "text") if last and before else None
    if went is None:
        return tables.make("episodes", []), []
    texts = dict(tables.rows(went, "id", "text"))
    told = tables.rows(gone, *KEYED, "document_id", "char_start", "char_end")
    return kept, [_key(*said, texts[document][start:end]) for *said, document, start, end in told]


def _key(*said: str) -> str:
    """Return the hash of an episode: `KEYED`, and its text."""
    return tables.content_id("episode", *said)


def _rows(
    documents: "pa.Table",
    asked: set[tuple[str, str]],
    answers: dict[int, tuple[str, str]],
    row_of: dict[tuple[str, str], int],
) -> Iterator[tuple[Any, ...]]:
    """Yield the episodes of documents in the order of their ids, with keys for ids; note which answer, or are asked."""
    import pyarrow.compute as pc

    columns = (documents[name].to_pylist() for name in ("id", "path", "created_at"))
    cards, n_said = _has_card(documents), pc.list_value_length(documents["messages"]).to_pylist()
    places = count()
    for document_id, path, created_at, card, n, place in sorted(
        zip(*columns, cards, n_said, range(len(cards)), strict=True)
    ):
        text = documents["text"][place].as_py()  # one at a time, as that of all takes memory
        messages = documents["messages"][place].as_py() if n else []
        kind = "message" if messages else "json" if card else "text"
        for ordinal, said in enumerate(messages or [NOBODY | {"char_start": 0, "char_end": len(text)}]):
            start, end, time = said["char_start"], said["char_end"], said["time"] or created_at
            conversation, speaker = said["conversation"], said["speaker"]
            row = next(places)
            if (source := (conversation or path, said["id"])) in asked:
                row_of[source] = row
            if said["reply_to"]:
                answers[row] = conversation or path, said["reply_to"]
            key = _key(kind, conversation, speaker, time, text[start:end])
            yield key, document_id, ordinal, kind, conversation, speaker, said["role"], time, "", start, end


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
