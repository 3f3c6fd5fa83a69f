"""Messages and documents become episodes, whatever the names of files and the order of documents."""

import asyncio
from collections import Counter
from collections.abc import Callable
from itertools import accumulate
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag_lite import tables
from graphrag_lite.run.corpus_files import scan
from graphrag_lite.settings import LoadDocuments
from graphrag_lite.stages.list_episodes import list_episodes
from graphrag_lite.stages.load_documents import load_documents
from graphrag_lite.tables import groups

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


SAID = st.lists(st.tuples(st.sampled_from(["Yes.", "No."]), st.sampled_from(["", "Ann"])), min_size=1, max_size=3)


def loaded(conversations: list[list[tuple[str, str]]], *, answered: bool) -> pa.Table:
    """Return documents of messages, equal ones told apart; where `answered`, "Yes." answers the first message."""
    seen: Counter[str] = Counter()
    rows = []
    for number, said in enumerate(conversations):
        text = "".join(words for words, _ in said)
        key = tables.content_id(*map(str, said), str(answered))
        rows.append({"id": tables.content_id(key, str(seen[key])), "path": str(number), "text": text, "blocks": []})
        seen[key] += 1
        message = dict.fromkeys(("role", "conversation", "time", "unread_time"), "")
        starts = [0, *accumulate(len(words) for words, _ in said)]
        rows[-1]["messages"] = [
            message
            | {"speaker": who, "char_start": start, "char_end": start + len(words), "id": str(place)}
            | {"reply_to": "0" if answered and words == "Yes." else ""}
            for place, (start, (words, who)) in enumerate(zip(starts, said, strict=False))
        ]
    names = tables.schema("source_documents").names
    return tables.make("source_documents", [{**dict.fromkeys(names, ""), **row} for row in rows])


@settings(deadline=None, max_examples=15)
@given(st.lists(st.tuples(st.lists(SAID, max_size=4), st.booleans()), min_size=2, max_size=4))
def test_what_is_kept_of_the_last_run_changes_nothing(states: list[tuple[list[list[tuple[str, str]]], bool]]) -> None:
    before: Any = None
    for conversations, answered in states:
        documents = loaded(conversations, answered=answered)
        again, fresh = (asyncio.run(list_episodes(documents, each)) for each in (before, None))
        tables.check("episodes", again)
        assert again.equals(fresh)
        before = SimpleNamespace(
            read=lambda *_, again=again, **__: [again],
            rows=lambda _, by, ids, *__, then=documents: groups.rows_of(then, by, ids),
        )
