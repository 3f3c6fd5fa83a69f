"""Answers are durable before they are used, shared between processes, and never lost without a word."""

import asyncio
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from graphrag_lite.errors import OutputError, TableError
from graphrag_lite.llm.chat import Reply, Request, Usage
from graphrag_lite.llm.memo import Memo

MODEL = {"model": "stub", "host": "box", "temperature": 0.0, "parameters": {}}
REPLY = Reply("Marley \u2014 \ud800 dead", "stop", Usage(10, 5, 3))

WRITER = """
import asyncio, sys
from pathlib import Path
from graphrag_lite.llm.chat import Reply
from graphrag_lite.llm.memo import Memo
async def main():
    memo = Memo(Path(sys.argv[1]))
    for i in range(1000000):
        await asyncio.gather(*(memo.put(f"{sys.argv[2]}-{i}-{k}", Reply("answer")) for k in range(5)))
        print(i, flush=True)
asyncio.run(main())
"""


def ask(**fields: Any) -> Request:
    return Request(**{"messages": ({"role": "user", "content": "Who?"},), **fields})


def put(memo: Memo, *keys: str) -> None:
    async def main() -> None:
        await asyncio.gather(*(memo.put(key, REPLY) for key in keys))

    asyncio.run(main())


def test_an_answer_comes_back_as_it_was(tmp_path: Path) -> None:
    memo = Memo(tmp_path / "memo.sqlite")
    assert memo.get("a") is None
    put(memo, "a")
    assert memo.get("a") == REPLY
    memo.close()
    again = Memo(tmp_path / "memo.sqlite")
    assert again.get("a") == REPLY
    again.close()
    assert Memo(None).get("a") is None


def test_the_key_covers_what_can_change_an_answer_and_nothing_else() -> None:
    """The reference served answers of another model and another temperature."""
    key = Memo.key(MODEL, ask())
    others = [
        Memo.key(MODEL | {"model": "other"}, ask()),
        Memo.key(MODEL | {"temperature": 0.7}, ask()),
        Memo.key(MODEL | {"temperature": None}, ask()),
        Memo.key(MODEL | {"parameters": {"seed": 1}}, ask()),
        Memo.key(MODEL | {"host": "other"}, ask()),
        Memo.key(MODEL, ask(messages=({"role": "system", "content": "Who?"},))),
        Memo.key(MODEL, ask(messages=({"role": "user", "content": "Who? "},))),
        Memo.key(MODEL, ask(schema={"type": "object"})),
        Memo.key(MODEL, ask(choices=("Yes", "No"))),
        Memo.key(MODEL, ask(max_tokens=5)),
    ]
    assert len({key, *others}) == 1 + len(others)
    same = {name: MODEL[name] for name in reversed(MODEL)}
    assert Memo.key(same, ask(messages=[{"content": "Who?", "role": "user"}])) == key
    assert Memo.key(MODEL, ask(messages=({"role": "user", "content": "\ud800"},)))


def test_answers_that_wait_are_written_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    memo = Memo(tmp_path / "memo.sqlite")
    batches: list[int] = []
    commit = memo._commit

    def counted(batch: Any) -> None:
        batches.append(len(batch))
        time.sleep(0.01)
        commit(batch)

    monkeypatch.setattr(memo, "_commit", counted)
    put(memo, *map(str, range(200)))
    assert sum(batches) == 200 and len(batches) <= 3
    assert all(memo.get(str(i)) for i in range(200))
    memo.close()


def test_put_returns_only_once_the_answer_is_committed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    memo = Memo(tmp_path / "memo.sqlite")
    go = threading.Event()
    commit = memo._commit

    def held(batch: Any) -> None:
        go.wait(5)
        commit(batch)

    monkeypatch.setattr(memo, "_commit", held)

    async def main() -> None:
        task = asyncio.create_task(memo.put("a", REPLY))
        await asyncio.sleep(0.1)
        assert not task.done() and memo.get("a") is None
        go.set()
        await task
        assert memo.get("a") == REPLY

    asyncio.run(main())
    memo.close()


def test_what_was_put_survives_a_kill(tmp_path: Path) -> None:
    path = tmp_path / "memo.sqlite"
    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(path), "a"], stdout=subprocess.PIPE, text=True)
    assert writer.stdout is not None
    done = [int(writer.stdout.readline()) for _ in range(20)][-1]
    writer.kill()
    rest = writer.stdout.read().split()
    writer.wait()
    writer.stdout.close()
    memo = Memo(path)
    for i in range(int(rest[-1]) if rest else done):
        assert all(memo.get(f"a-{i}-{k}") for k in range(5)), i
    memo.close()


def test_an_index_run_and_a_query_share_the_file(tmp_path: Path) -> None:
    path = tmp_path / "memo.sqlite"
    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(path), "a"], stdout=subprocess.PIPE, text=True)
    assert writer.stdout is not None
    writer.stdout.readline()
    memo = Memo(path)
    for i in range(50):
        put(memo, f"b-{i}")
    assert memo.get("a-0-0") and memo.get("b-49")
    writer.kill()
    writer.wait()
    writer.stdout.close()
    memo.close()


def test_a_file_that_is_damaged_is_said_to_be_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "memo.sqlite"
    path.write_bytes(b"Marley was dead: to begin with. " * 100)
    with pytest.raises(TableError, match=r"memo.sqlite is damaged.*backup.*move it away"):
        Memo(path)
    assert path.read_bytes().startswith(b"Marley")


def test_a_page_that_is_damaged_is_said_to_be(tmp_path: Path) -> None:
    path = tmp_path / "memo.sqlite"
    memo = Memo(path)
    put(memo, *(f"{i}-{'x' * 200}" for i in range(500)))
    memo.close()
    content = bytearray(path.read_bytes())
    content[8192:] = b"\xff" * (len(content) - 8192)
    path.write_bytes(content)
    memo = Memo(path)
    with pytest.raises(TableError, match="damaged"):
        print([memo.get(f"{i}-{'x' * 200}") for i in range(500)])
    memo.close()


def test_a_disk_that_is_full_stops_before_the_answer_is_used(tmp_path: Path) -> None:
    memo = Memo(tmp_path / "memo.sqlite")
    memo._writer.execute("pragma max_page_count = 5")

    async def main() -> None:
        await memo.put("a", Reply("x" * 100_000))

    with pytest.raises(OutputError, match=r"full.*Make room"):
        asyncio.run(main())
    memo.close()


def test_where_answers_need_not_be_kept_a_full_disk_is_one_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    memo = Memo(tmp_path / "memo.sqlite", must_keep=False)
    put(memo, "a")
    memo._writer.execute("pragma max_page_count = 1")
    put(memo, *(f"{i}{'x' * 5000}" for i in range(3)))
    put(memo, "y" * 5000)
    assert memo.get("a") == REPLY and memo.get("y" * 5000) is None
    assert [record.message for record in caplog.records] == [
        f"{memo.path}: database or disk is full. New answers of the model are not kept."
    ]
    memo.close()


def test_a_memo_that_is_only_read_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "memo.sqlite"
    memo = Memo(path)
    put(memo, "a")
    reader = Memo(path, read_only=True)
    put(reader, "b")
    assert reader.get("a") == REPLY and reader.get("b") is None
    reader.close()
    memo.close()
    assert sqlite3.connect(path).execute("select count(*) from answers").fetchone() == (1,)


def test_vectors_are_kept_at_the_precision_of_endpoints(tmp_path: Path) -> None:
    memo = Memo(tmp_path / "memo.sqlite")
    assert memo.vector("a") is None
    asyncio.run(memo.put_vectors(["a", "b"], [[0.5, -1.0], [0.1]], Usage()))
    assert [*(memo.vector("a") or [])] == [0.5, -1.0]
    assert [*(memo.vector("b") or [])] == [pytest.approx(0.1)]
    assert Memo.vector_key(MODEL, "a") != Memo.vector_key(MODEL, "b") != Memo.vector_key(MODEL | {"model": "o"}, "b")
    memo.close()
