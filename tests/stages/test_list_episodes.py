"""Messages and documents become episodes, whatever the names of files and the order of documents."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from graphrag_lite import tables
from graphrag_lite.run.corpus_files import scan
from graphrag_lite.settings import LoadDocuments
from graphrag_lite.stages.list_episodes import list_episodes
from graphrag_lite.stages.load_documents import load_documents

Corpus = Callable[..., Path]
ROWS = [
    {"id": "1", "text": "Is it open?", "speaker": "Ann Lee", "timestamp": "2024-05-01T10:00:00", "channel": "general"},
    {"id": "2", "text": "Yes.", "speaker": "Bo Diaz", "channel": "general", "reply_to": "1"},
    {"id": "3", "text": "Yes.", "speaker": "Bo Diaz", "channel": "other", "reply_to": "1"},
    {"id": "4", "text": "Yes.", "speaker": "Bo Diaz", "channel": "other", "reply_to": "4"},
    {"id": "5", "text": "How can I help?", "role": "assistant"},
]


def listed(corpus: Path) -> list[dict[str, Any]]:
    files = tables.make("corpus_files", scan(corpus, leave_out=corpus.parent / "output").rows)
    documents = asyncio.run(load_documents(files, LoadDocuments(), corpus, lambda *_: None))
    episodes = asyncio.run(list_episodes(documents))
    tables.check("episodes", episodes)
    texts = dict(zip(documents["id"].to_pylist(), documents["text"].to_pylist(), strict=True))
    return [
        row | {"text": texts[row["document_id"]][row["char_start"] : row["char_end"]]} for row in episodes.to_pylist()
    ]


def test_messages_name_who_says_them_when_and_what_they_answer(corpus: Corpus) -> None:
    ann, bo, other, itself, assistant = listed(corpus({"a.jsonl": ROWS}))
    assert (ann["kind"], ann["speaker"], ann["conversation"], ann["reference_time"], ann["text"]) == (
        "message", "Ann Lee", "general", "2024-05-01T10:00:00", "Is it open?",
    )  # fmt: skip
    assert bo["reply_to"] == ann["id"]
    assert other["reply_to"] == itself["reply_to"] == "", "of another conversation, and itself"
    assert (assistant["speaker"], assistant["role"]) == ("assistant", "assistant")


def test_other_documents_are_one_episode_each_with_their_time(corpus: Corpus) -> None:
    table = "Ticket,Status\nSUP-1,Open\nSUP-2,Closed\nSUP-3,Open\nSUP-4,Open\n"
    found = listed(corpus({"a.txt": "Launch\n\nDate: 1990-04-24\nIt flew.", "b.csv": table}))
    assert [row["kind"] for row in found] == ["text", "json", "json", "json", "json"]
    assert (found[0]["reference_time"], found[0]["speaker"], found[0]["conversation"]) == ("1990-04-24", "", "")


def test_a_renamed_file_keeps_its_episodes(corpus: Corpus) -> None:
    before, after = (listed(corpus({name: ROWS, "m.txt": "One."}, name[0])) for name in ("a.jsonl", "z.jsonl"))
    assert {row["id"] for row in before} == {row["id"] for row in after}
