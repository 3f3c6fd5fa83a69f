"""The tools over what was said and what is remembered."""

import json
import shutil
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from graphrag_lite.agent.session import MEMORY, Session
from graphrag_lite.agent.tools import call
from graphrag_lite.errors import InputError
from graphrag_lite.memory.store import MESSAGE, Entry, Memory
from graphrag_lite.pipeline import index as build
from graphrag_lite.search.index import Index
from graphrag_lite.settings import Settings

CHAT = [
    {"id": f"m{n}", "speaker": speaker, "text": text, "timestamp": f"2024-05-0{n}", "conversation": "c1"}
    for n, (speaker, text) in enumerate(
        [("user", "I bought a red kayak."), ("assistant", "Where will you paddle?"), ("user", "On the Velm lake.")], 1
    )
]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    (folder / "corpus").mkdir()
    (folder / "corpus" / "chat.jsonl").write_text("".join(json.dumps(row) + "\n" for row in CHAT))
    (folder / "corpus" / "notes.txt").write_text("A kayak is a boat. Red paint is cheap.")
    build(folder / "corpus", folder / "output", Settings())
    return folder / "output"


@pytest.fixture
def session(made: Path, tmp_path: Path) -> Session:
    shutil.copytree(made, tmp_path / "output")
    memory = Memory(tmp_path / "output" / MEMORY)
    said = [Entry("My kayak leaks.", MESSAGE, "s", "user", created_at="2024-06-01T10:00:00+00:00")]
    memory.add([*said, Entry("The kayak of another session.", MESSAGE, "other", "user")])
    return Session(lambda: Index.open(tmp_path / "output"), lambda: memory, "s")


def look(session: Session, tool: str, **arguments: Any) -> list[dict[str, Any]]:
    page = call(session, tool, json.dumps(arguments))
    assert page["total"] == len(page["records"])
    records: list[dict[str, Any]] = page["records"]
    return records


def test_what_was_said_is_of_the_session_and_of_conversations(session: Session) -> None:
    texts = [record["text"] for record in look(session, "conversation_search", query="red kayak")]
    assert texts[:2] == ["My kayak leaks.", "I bought a red kayak."]
    assert not any("boat" in text or "another" in text for text in texts)


def test_what_was_said_between_two_days(session: Session) -> None:
    def said(start: str, end: str) -> list[str]:
        found = look(session, "conversation_search_date", start_date=start, end_date=end)
        return [record["text"] for record in found]

    assert said("2024-05-01", "2024-05-02") == ["I bought a red kayak.", "Where will you paddle?"]
    assert said("2024-05-03", "2024-06-01") == ["My kayak leaks.", "On the Velm lake."]
    assert said("2025-01-01", "2025-01-31") == []
    for start, end, problem in [
        ("2024-02-30", "2024-03-01", "start_date: '2024-02-30' is no day of the calendar"),
        ("2024-03-02", "2024-03-01", "end_date 2024-03-01 is before start_date 2024-03-02"),
    ]:
        with pytest.raises(InputError, match=problem):
            said(start, end)


def test_notes_and_blocks_are_written_and_read(session: Session) -> None:
    (note,) = look(session, "archival_memory_insert", content="Ana paddles [1] on Sundays.", tags=["sport"])
    (found,) = look(session, "archival_memory_search", query="When does Ana paddle?", tags=["sport"])
    assert found == note and found["session"] == "s" and "[1]" not in found["text"]
    assert look(session, "archival_memory_search", query="paddle", tags=["work"]) == []
    (block,) = look(session, "core_memory_append", name="user", content="Owns a kayak.")
    (block,) = look(session, "core_memory_replace", name="user", old_content="a kayak", new_content="two kayaks")
    assert block == {"id": "user", "text": "Owns two kayaks.", "characters_left": 2000 - 16}
    with pytest.raises(InputError, match="does not occur in block 'user'"):
        look(session, "core_memory_replace", name="user", old_content="a canoe")


def test_a_reader_may_not_write(session: Session) -> None:
    with pytest.raises(InputError, match="There is no tool 'archival_memory_insert'"):
        call(session, "archival_memory_insert", '{"content": "x"}', read_only=True)


def test_a_note_whose_source_is_gone_is_marked_and_not_dropped(
    session: Session, corpus: Callable[..., Path], tmp_path: Path
) -> None:
    (passage,) = (one for one in look(session, "search_passages", query="red paint") if one["document"] == "notes.txt")
    look(session, "archival_memory_insert", content="Paint for the kayak is cheap.", citations=[passage["id"]])
    look(session, "archival_memory_insert", content="The kayak is mine.")
    with pytest.raises(InputError, match="citations: the index has nothing with the id 'none'"):
        look(session, "archival_memory_insert", content="No.", citations=["none"])
    texts = {"chat.jsonl": CHAT, "notes.txt": "A kayak is a boat. Red paint is dear."}
    for files, source in ((None, "stands"), (texts, "gone"), ({"chat.jsonl": CHAT}, "gone")):
        if files:
            build(corpus(files, name=f"later{len(files)}"), tmp_path / "output", Settings())
        now = Session(lambda: Index.open(tmp_path / "output"), lambda: session.memory, "s")
        notes = {note["text"]: note.get("source") for note in look(now, "archival_memory_search", query="kayak")}
        assert notes == {"Paint for the kayak is cheap.": source, "The kayak is mine.": None}


def test_what_rests_on_documents_that_are_left_out_is_marked_and_not_told(session: Session) -> None:
    (passage,) = (one for one in look(session, "search_passages", query="red paint") if one["document"] == "notes.txt")
    look(session, "archival_memory_insert", content="Paint for the kayak is cheap.", citations=[passage["id"]])
    (note,) = look(session, "archival_memory_search", query="paint")
    cited = session.memory.entry(session.memory.named(note["id"])).citations
    session.memory.add([Entry("Paint of the kayak costs little.", MESSAGE, "s", "assistant", citations=cited)])
    session.memory.add([Entry("Elsewhere paint is dear.", citations=({"path": "a.txt"},))])
    limits: list[tuple[list[str], date | None]] = [(["path=chat.jsonl"], None), (["path!=c*"], None), ([], date.max)]
    for limit, source in zip(limits, ("left out", "stands", "stands"), strict=True):
        view = session.index.limited(*limit)
        now = Session(lambda view=view: view, lambda: session.memory, "s")  # type: ignore[misc]
        (note,) = (one for one in look(now, "archival_memory_search", query="paint") if one["source"] != "gone")
        (said,) = (one for one in look(now, "conversation_search", query="costs little") if one.get("session"))
        assert note["source"] == said["source"] == source
        assert bool(note["text"]) == bool(said["text"]) == (source == "stands")
