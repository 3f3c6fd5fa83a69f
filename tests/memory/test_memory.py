"""Memory: nothing half, nothing twice, what is forgotten is gone, what is exported comes back."""

import json
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag_lite.cli import main
from graphrag_lite.errors import InputError, LockedError, OutputError, TableError
from graphrag_lite.llm.chat import Usage
from graphrag_lite.memory import core, transfer
from graphrag_lite.memory.store import MESSAGE, NOTE, Entry, Memory
from graphrag_lite.pipeline import index as build
from graphrag_lite.retrieval.note_vectors import NoteVectors
from graphrag_lite.settings import Settings
from graphrag_lite.settings.models import Embeddings, Llm


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return Memory(tmp_path / "output" / "memory.sqlite")


def contents(memory: Memory, query: str, **of: object) -> list[str]:
    return [memory.entry(place).content for place in memory.search(query, **of)]  # type: ignore[arg-type]


def test_notes_are_found_by_their_words_in_any_script(memory: Memory) -> None:
    notes = [
        "Ana prefers the morning trains",
        "Bob's flight leaves at nine",
        "安娜喜欢早班火车",
        "Ана любит утренние поезда, потому что она не может летать",
    ]
    memory.add([Entry(note, tags=("travel",) if "train" in note else ()) for note in notes])
    assert contents(memory, "Which train does Ana prefer?")[0] == notes[0]
    assert contents(memory, "早班火车")[0] == notes[2] and contents(memory, "утренний поезд")[0] == notes[3]
    assert contents(memory, "train flight", tags=["travel"]) == [notes[0]]
    assert contents(memory, "") == contents(memory, "zebra") == contents(memory, '"; drop table entries') == []


def test_what_is_there_is_kept_once_and_the_newest_of_equals_is_first(memory: Memory) -> None:
    old, new = (Entry("The code is 1234.", created_at=f"2024-0{month}-01T00:00:00+00:00") for month in (1, 2))
    assert memory.add([old, new]) == memory.add([old, new])
    assert [memory.entry(place).created_at[:7] for place in memory.search("code")] == ["2024-02", "2024-01"]
    assert [memory.entry(place).created_at[:7] for place in memory.listed(NOTE, last="2024-01-31")] == ["2024-01"]
    assert [memory.entry(place).created_at[:7] for place in memory.listed(NOTE, first="2024-01-02")] == ["2024-02"]


def test_what_is_forgotten_is_gone_from_the_files(memory: Memory) -> None:
    (identity,) = memory.add([Entry("The password is xylophonequartz.")])
    memory.add([Entry(f"Note {number} of many more words.") for number in range(200)])
    with pytest.raises(InputError, match="holds no entry 'nothing'"):
        memory.forget([identity, "nothing"])
    assert contents(memory, "xylophonequartz")
    memory.forget([identity])
    assert not contents(memory, "xylophonequartz") and len(memory.listed(NOTE)) == 200
    for path in memory.path.parent.iterdir():
        assert b"xylophonequartz" not in path.read_bytes()


@settings(max_examples=6, deadline=None)
@given(st.lists(st.tuples(st.text(min_size=1, max_size=30), st.sampled_from([NOTE, MESSAGE])), max_size=6))
def test_what_is_exported_comes_back(tmp_path_factory: pytest.TempPathFactory, said: list[tuple[str, str]]) -> None:
    folder = tmp_path_factory.mktemp("memory")
    one, other = Memory(folder / "one.sqlite"), Memory(folder / "other.sqlite")
    text = [(content.encode("utf-8", "replace").decode(), kind) for content, kind in said]
    one.add(Entry(content, kind, "s", tags=("a", "b"), citations=({"path": "a.txt"},)) for content, kind in text)
    core.append(one, "s", "task", "Find the pier.")
    (folder / "export.jsonl").write_text("\n".join(transfer.export_memory(one)), encoding="utf-8")
    for _ in range(2):
        assert transfer.import_memory(other, folder / "export.jsonl") == len(set(transfer.export_memory(one)))
        assert list(transfer.export_memory(other)) == list(transfer.export_memory(one))
    one.close()
    other.close()


def test_a_conversation_can_be_imported(memory: Memory, tmp_path: Path) -> None:
    rows = [
        {"id": "1", "speaker": "user", "conversation": "c1", "text": "I moved to Oslo.", "timestamp": "2024-05-01"},
        {"id": "2", "speaker": "assistant", "conversation": "c1", "text": "How is it?", "timestamp": "2024-05-01"},
    ]
    (tmp_path / "chat.jsonl").write_text("\n".join(map(json.dumps, rows)))
    assert transfer.import_memory(memory, tmp_path / "chat.jsonl") == 2
    kept = [memory.entry(place) for place in memory.search("Oslo", MESSAGE, "c1")]
    assert [(entry.content, entry.role, entry.created_at[:10]) for entry in kept] == [
        ("I moved to Oslo.", "user", "2024-05-01")
    ]
    rows += [{"id": str(n), "speaker": "user", "conversation": "c1", "text": "Fine."} for n in (3, 4)]
    (tmp_path / "chat.jsonl").write_text("\n".join(map(json.dumps, rows)))
    for _ in range(2):  # what has no time of its own is no other message each time
        assert transfer.import_memory(memory, tmp_path / "chat.jsonl") == 4 == len(memory.listed(MESSAGE))
    (tmp_path / "other.txt").write_text("No conversation at all.")
    with pytest.raises(InputError, match="no messages of a conversation"):
        transfer.import_memory(memory, tmp_path / "other.txt")
    (tmp_path / "bad.jsonl").write_text('{"kind": "note", "content": "a"}\n{"kind": "note", "content": 7}\n')
    with pytest.raises(InputError, match=r"bad\.jsonl:2: is no note"):
        transfer.import_memory(memory, tmp_path / "bad.jsonl")
    assert not memory.listed(NOTE)


@pytest.mark.parametrize(
    "line",
    [
        '{"kind": "block"}',
        '{"kind": "block", "session": {}, "name": "task", "content": [1]}',
        '{"kind": "note", "content": "a", "tags": 5}',
        '{"kind": "note", "content": "a", "tags": [1]}',
        '{"kind": "note", "content": "a", "session": 7}',
        '{"kind": "note", "content": "\\ud800"}',
        '{"kind": "note", "content": "a", "tags": ' + "[" * 100_000,
    ],
)
def test_of_lines_that_nobody_wrote_none_is_kept(memory: Memory, tmp_path: Path, line: str) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text('{"kind": "note", "content": "a"}\n' + line)
    with pytest.raises(InputError, match=r"bad\.jsonl:2: is no note"):
        transfer.import_memory(memory, path)
    assert not memory.listed(NOTE) and not memory.all_blocks()
    path.write_text(line)
    with pytest.raises(InputError, match=r"bad\.jsonl"):
        transfer.import_memory(memory, path)


@settings(max_examples=20, deadline=None)
@given(st.text("ab\n", max_size=12), st.text("ab", max_size=3), st.text("abc", max_size=4))
def test_a_block_is_replaced_only_where_the_old_text_is_there_once(
    tmp_path_factory: pytest.TempPathFactory, before: str, old: str, new: str
) -> None:
    memory = Memory(tmp_path_factory.getbasetemp() / "core.sqlite")
    memory.add([], [("s", "user", before)])
    if old and before.count(old) == 1:
        assert core.replace(memory, "s", "user", old, new) == before.replace(old, new)
    else:
        with pytest.raises(InputError, match="exactly once"):
            core.replace(memory, "s", "user", old, new)
        assert memory.blocks("s") == {"user": before}
    memory.close()


def test_a_block_that_is_full_says_by_how_much(memory: Memory) -> None:
    assert core.append(memory, "s", "task", "a" * core.LIMIT) == "a" * core.LIMIT
    with pytest.raises(InputError, match="3 characters over its limit of 2000"):
        core.append(memory, "s", "task", "bc")
    with pytest.raises(InputError, match="no block 'persona'; there are task, user"):
        core.append(memory, "s", "persona", "x")
    assert memory.blocks("other") == {}


KILLED = """
import os, signal, sys
from pathlib import Path
from graphrag_lite.memory import transfer
from graphrag_lite.memory.store import Entry, Memory
memory, work, statement, nth = Memory(Path(sys.argv[1])), *sys.argv[2:4], int(sys.argv[4])
begun = []
def kill(sql):
    begun.append(sql) if sql.startswith(statement) else None
    if len(begun) == nth:
        os.kill(os.getpid(), signal.SIGKILL)
memory._database.set_trace_callback(kill)
if work == "insert":
    for batch in range(3):
        memory.add([Entry(f"batch {batch} note {number}") for number in range(20)])
        print(batch, flush=True)
elif work == "import":
    transfer.import_memory(memory, Path(sys.argv[5]))
else:
    memory.forget(sys.argv[5:])
"""


@pytest.mark.parametrize(
    ("work", "statement", "nth", "n_kept"),
    [
        ("insert", "insert into found", 50, 41),
        ("insert", "commit", 2, 21),
        ("import", "insert or replace into blocks", 2, 1),
        ("forget", "delete from entries", 2, 4),
        ("forget", "vacuum", 1, 2),
    ],
)
def test_whoever_is_killed_leaves_nothing_half_and_the_next_goes_on(
    memory: Memory, work: str, statement: str, nth: int, n_kept: int
) -> None:
    path = memory.path.parent / "export.jsonl"
    memory.add([Entry("kept")])
    given = [str(path)]
    if work == "forget":
        given = memory.add(Entry(f"xylophonequartz {number}") for number in range(3))[:2]
    other = Memory(memory.path.parent / "other.sqlite")
    other.add([Entry(f"note {number}") for number in range(30)], [("s", "task", "a"), ("s", "user", "b")])
    path.write_text("\n".join(transfer.export_memory(other)))
    memory.close()
    killed = subprocess.run([sys.executable, "-c", KILLED, str(memory.path), work, statement, str(nth), *given])
    assert killed.returncode == -signal.SIGKILL
    again = Memory(memory.path)
    assert len(again.listed(NOTE)) == n_kept and not again.all_blocks()
    assert all(again.search(again.entry(place).content) for place in again.listed(NOTE))
    if work == "import":
        assert transfer.import_memory(again, path) == 32
        assert len(again.listed(NOTE)) == 31 and len(again.all_blocks()) == 2
    if work == "forget":
        again.forget([again.entry(place).id for place in again.search("xylophonequartz")])
        again.close()
        assert b"xylophonequartz" not in b"".join(one.read_bytes() for one in memory.path.parent.glob("memory.*"))


def test_a_second_writer_is_told(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphrag_lite.memory.store.BUSY", 0.05)
    memory.add([Entry("before")])
    second = Memory(memory.path)
    other = sqlite3.connect(memory.path, isolation_level=None)
    other.execute("begin immediate")
    with pytest.raises(LockedError, match="another process writes"):
        second.add([Entry("now")])
    command = CliRunner().invoke(main, ["memory", "add", "now", "--root", str(memory.path.parents[1])])
    assert command.exit_code == 75 and "another process writes" in command.stderr
    other.execute("rollback")
    other.close()
    assert second.add([Entry("now")])


class Letters:
    """An embedding model that counts letters: "tent" is like "ten" and "net"."""

    def __init__(self) -> None:
        self.identity = {"model": "letters"}
        self.asked: list[str] = []

    async def check(self) -> None: ...

    async def embed(self, texts: Sequence[str]) -> tuple[list[list[float]], Usage]:
        self.asked += texts
        return [[float(text.count(letter)) for letter in "abcdefghijklmnopqrstuvwxyz"] for text in texts], Usage()


def test_notes_are_found_by_vectors_that_are_made_once_and_forgotten(memory: Memory) -> None:
    letters = Letters()
    vectors = NoteVectors(Embeddings(), Llm(), memory.path.parent, letters)
    notes = ["listen", "gooooo", "bubba", "pudding", "whoop"]
    ids = memory.add(map(Entry, notes))

    def found(query: str) -> list[str]:
        return [memory.entry(place).content for place in memory.search(query, meant=vectors.meant(memory, query))]

    assert found("silent") == ["listen"] and letters.asked == ["silent", *notes]
    assert found("silent pudding")[0] == "pudding" and letters.asked[6:] == ["silent pudding"]
    memory.forget(ids[:1])
    assert "listen" not in found("silent") and len(memory.vectors('{"model": "letters"}')) == 4
    letters.identity["model"] = "other"
    assert found("silent") is not None and len(letters.asked) == 7 + 1 + 4


def test_where_the_embedding_model_fails_words_are_left(memory: Memory, caplog: pytest.LogCaptureFixture) -> None:
    letters = Letters()
    letters.embed = None  # type: ignore[assignment,method-assign]
    memory.add([Entry("one pier"), Entry("two piers")])
    assert NoteVectors(Embeddings(), Llm(), memory.path.parent, letters).meant(memory, "pier") == {}
    assert "found by their words alone" in caplog.text


def test_a_file_that_is_no_memory_is_named_and_left(tmp_path: Path) -> None:
    (tmp_path / "memory.sqlite").write_bytes(b"no database, by far" * 100)
    with pytest.raises(TableError, match=r"memory\.sqlite: is damaged"):
        Memory(tmp_path / "memory.sqlite")
    assert (tmp_path / "memory.sqlite").read_bytes().startswith(b"no database")


def test_who_only_reads_makes_no_file_and_sees_one_that_is_made_later(tmp_path: Path) -> None:
    reader = Memory(tmp_path / "output" / "memory.sqlite")
    assert reader.search("train") == reader.sessions() == [] and not list(tmp_path.iterdir())
    Memory(reader.path).add([Entry("the train")])
    assert contents(reader, "train") == ["the train"]


def test_memory_is_read_where_nothing_can_be_written_beside_it(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.add([Entry("the train")])
    memory.close()
    Path(f"{memory.path}-wal").mkdir()  # as on a read-only disk: what WAL needs cannot be made
    with pytest.raises(OutputError, match="unable to open"):
        Memory(memory.path)
    monkeypatch.setattr("os.access", lambda *_: False)
    assert contents(Memory(memory.path), "train") == ["the train"]
    with pytest.raises(OutputError, match="readonly"):
        Memory(memory.path).add([Entry("another")])


def run(root: Path, *arguments: str) -> Result:
    return CliRunner().invoke(main, ["memory", *arguments, "--root", str(root)], catch_exceptions=False)


def test_the_commands(tmp_path: Path) -> None:
    identity = run(tmp_path, "add", "Ana prefers the morning train", "--tag", "travel").stdout.strip()
    found = json.loads(run(tmp_path, "search", "train", "--json").stdout)
    assert (found["total"], found["notes"][0]["id"], found["notes"][0]["tags"]) == (1, identity, ["travel"])
    for command in (["show"], ["search", "train"]):
        assert "morning train" in run(tmp_path, *command).stdout
    exported = run(tmp_path, "export").stdout
    (tmp_path / "memory.jsonl").write_text(exported)
    assert run(tmp_path / "other", "import", str(tmp_path / "memory.jsonl")).exit_code == 0
    assert run(tmp_path / "other", "export").stdout == exported
    run(tmp_path / "other", "import", str(tmp_path / "memory.jsonl"), "--session", "s")
    sessions = [json.loads(line)["session"] for line in run(tmp_path / "other", "export").stdout.splitlines()]
    assert sessions == ["default", "s"]
    assert json.loads(run(tmp_path / "other", "export", "--session", "s").stdout)["session"] == "s"
    found = json.loads(run(tmp_path / "other", "search", "train", "--json", "--session", "s").stdout)
    assert [note["session"] for note in found["notes"]] == ["s"]
    (tmp_path / "chat.jsonl").write_text('{"kind": "message", "session": "s", "content": "The night train is late."}')
    run(tmp_path / "other", "import", str(tmp_path / "chat.jsonl"))
    found = json.loads(run(tmp_path / "other", "search", "train", "--json", "--session", "s").stdout)
    assert [each["kind"] for each in found["notes"]] == ["note", "message"]
    assert run(tmp_path, "forget", identity).exit_code == 0 and not run(tmp_path, "export").stdout
    assert run(tmp_path, "forget", identity).exit_code == 1


def test_a_session_is_forgotten_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "output" / "memory.sqlite"
    Memory(path).add([Entry("The code is kumquat.", MESSAGE, "s"), Entry("Kumquat, again.", session="s")])
    Memory(path).add([Entry("Ana likes pears.", session="t")], [("s", "user", "kumquat"), ("t", "user", "Ana")])
    assert run(tmp_path, "forget", "--session", "s").exit_code == 0
    assert Memory(path).sessions() == [("t", NOTE, 1)] and Memory(path).all_blocks() == [("t", "user", "Ana")]
    assert not any(b"kumquat" in file.read_bytes().lower() for file in path.parent.iterdir())
    again = run(tmp_path, "forget", "--session", "s")
    assert again.exit_code == 1 and "no session 's'" in again.stderr
    assert run(tmp_path, "forget").exit_code == run(tmp_path, "add", " ").exit_code == 2


def test_what_is_given_as_bytes_that_are_no_text_is_told_and_no_traceback(tmp_path: Path) -> None:
    assert run(tmp_path, "add", "caf\udcc3\udca9 \udcff", "--tag", "\udcff", "--session", "\udcff").exit_code == 0
    (kept,) = map(json.loads, run(tmp_path, "export").stdout.splitlines())
    assert (kept["content"], kept["tags"], kept["session"]) == ("café \ufffd", ["\ufffd"], "\ufffd")
    assert run(tmp_path, "forget", "\udcff").exit_code == 1


def test_a_note_becomes_a_document_only_where_it_is_promoted(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    (corpus / "a.txt").write_text("The pier was built in 1920.")
    identity = run(tmp_path, "add", "The pier is older than the harbour.").stdout.strip()
    before = build(corpus, tmp_path / "output", Settings())
    assert before.manifest["tables"]["documents"]["rows"] == 1
    refused = run(tmp_path, "promote", identity, str(corpus / "a.txt"))
    assert refused.exit_code == 1 and "a.txt/" in refused.stderr and "cannot be written" in refused.stderr
    path = run(tmp_path, "promote", identity, str(corpus / "promoted")).stdout.strip()
    after = build(corpus, tmp_path / "output", Settings())
    from graphrag_lite import tables

    rows = {row["path"]: row for row in tables.read(after.snapshot, "documents").to_pylist()}
    told = rows[f"promoted/{Path(path).name}"]
    assert json.loads(told["metadata"])["origin"] == "generated" and "older than the harbour" in told["text"]
    assert json.loads(run(tmp_path, "show", "--json").stdout)["notes"][0]["id"] == identity
