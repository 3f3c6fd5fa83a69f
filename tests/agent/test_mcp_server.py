"""The tools over MCP: against the SDK's own client, and against raw lines."""

import asyncio
import gc
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from graphrag_lite.agent.mcp_server import Current
from graphrag_lite.agent.session import MEMORY, Session
from graphrag_lite.agent.tools import TOOLS, call
from graphrag_lite.cli import main
from graphrag_lite.errors import IndexNotFound
from graphrag_lite.memory.store import Memory
from graphrag_lite.pipeline import index as build
from graphrag_lite.run import snapshots
from graphrag_lite.search.index import Index
from graphrag_lite.settings import Settings

TEXTS = {
    "a.txt": "Ada Holt planted the Velm Orchard in 1912. The Velm Orchard grows pears and apples.",
    "b.txt": "Cy Ray bought the Velm Orchard in 1950. Ada Holt had died in 1931.",
}
HELLO = {
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}


@pytest.fixture
def root(corpus: Callable[..., Path], tmp_path: Path) -> Path:
    build(corpus(TEXTS), tmp_path / "output", Settings())
    return tmp_path


class RawServer:
    """The server as a process that is written lines to."""

    def __init__(self, root: Path) -> None:
        command = [sys.executable, "-m", "graphrag_lite", "mcp", "--root", str(root)]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=1
        )
        self.n_asked = 0

    def write(self, line: str) -> None:
        assert self.process.stdin
        self.process.stdin.write(f"{line}\n")

    def send(self, message: dict[str, Any]) -> int:
        self.n_asked += 1
        self.write(json.dumps({"jsonrpc": "2.0", "id": self.n_asked, **message}))
        return self.n_asked

    def read(self) -> dict[str, Any]:
        assert self.process.stdout
        found: dict[str, Any] = json.loads(self.process.stdout.readline())
        return found

    def ask(self, message: dict[str, Any]) -> dict[str, Any]:
        number = self.send(message)
        reply = self.read()
        assert reply["id"] == number
        return reply

    def call(self, name: str, **arguments: Any) -> dict[str, Any]:
        found: dict[str, Any] = self.ask({"method": "tools/call", "params": {"name": name, "arguments": arguments}})
        return found["result"]  # type: ignore[no-any-return]

    def close(self) -> tuple[int, str, str]:
        out, err = self.process.communicate(timeout=60)
        return self.process.returncode, out, err


@pytest.fixture
def server(root: Path) -> Iterator[RawServer]:
    started = RawServer(root)
    hello = started.ask({**HELLO, "params": HELLO["params"] | {"protocolVersion": "1999-01-01"}})  # type: ignore[operator]
    assert hello["result"]["protocolVersion"] > "2024"  # of a version that is none, its own is offered
    started.write(json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}))
    with started.process:
        yield started
        started.process.kill()


def test_the_sdks_own_client_sees_what_the_tools_say(root: Path) -> None:
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    async def talk() -> tuple[list[str], dict[str, Any], str, bool]:
        command = StdioServerParameters(
            command=sys.executable, args=["-m", "graphrag_lite", "mcp", "--root", str(root)], env=None
        )
        async with stdio_client(command) as (reading, writing), ClientSession(reading, writing) as session:
            await session.initialize()
            listed = await session.list_tools()
            found = await session.call_tool("search_passages", {"query": "Velm Orchard"})
            wrong = await session.call_tool("search_passages", {"query": "Velm Orchard", "page": 0})
            return [tool.name for tool in listed.tools], found.structured_content, wrong.content[0].text, wrong.is_error

    names, found, said, failed = asyncio.run(talk())
    assert names == list(TOOLS)
    session = Session(lambda: Index.open(root / "output"), lambda: Memory(root / "output" / MEMORY))
    assert found == call(session, "search_passages", '{"query": "Velm Orchard"}')
    assert found["total"] == 2 and failed and "page: Input should be greater than" in said


def test_raw_lines_that_are_wrong_are_answered_and_the_next_is_served(server: RawServer) -> None:
    assert server.ask({"method": "no/such/method"})["error"]["code"] == -32601
    assert "result" in server.ask({"method": "ping"})
    unknown = server.call("drop_tables")
    assert unknown["isError"] and "There is no tool 'drop_tables'" in unknown["content"][0]["text"]
    one = server.send({"method": "tools/call", "params": {"name": "search_entities", "arguments": {"query": "Ada"}}})
    other = server.send({"method": "tools/call", "params": {"name": "search_entities", "arguments": {"query": "Cy"}}})
    replies = {reply["id"]: reply["result"]["structuredContent"] for reply in (server.read(), server.read())}
    assert [replies[number]["records"][0]["title"] for number in (one, other)] == ["Ada Holt", "Cy Ray"]
    late = server.send({"method": "tools/call", "params": {"name": "search_reports", "arguments": {"query": "Ada"}}})
    for number in (late, 999):
        about = {"requestId": number, "reason": "late"}
        server.write(json.dumps({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": about}))
    after = server.send({"method": "ping"})
    while (reply := server.read())["id"] != after:
        assert reply["id"] == late  # what is cancelled may be answered, and the next is
    assert "result" in reply
    code, out, err = server.close()
    assert (code, out) == (0, "") and "Traceback" not in err


def test_a_call_that_is_cut_within_a_character_is_answered(server: RawServer) -> None:
    """Whoever cuts a text by UTF-16 cuts an emoji in two: such a call was never answered."""
    kept = server.call("archival_memory_insert", content="A pear \ud83c\udf50, and half a pear \ud83c")
    assert kept["structuredContent"]["records"][0]["text"] == "A pear \U0001f350, and half a pear \ufffd"
    server.write('{"text": "\\ud83c')
    assert "result" in server.ask({"method": "ping"})


def test_without_an_input_the_reason_is_told(root: Path) -> None:
    command = [sys.executable, "-m", "graphrag_lite", "mcp", "--root", str(root)]
    done = subprocess.run(["sh", "-c", '"$@" <&-', "sh", *command], capture_output=True, text=True)
    assert done.returncode == 1 and done.stderr.startswith("Error: A client speaks") and done.stderr.count("\n") == 1


def test_each_call_is_answered_from_the_snapshot_that_is_current(root: Path, corpus: Callable[..., Path]) -> None:
    output = root / "output"
    current = Current(output, lambda: Index.open(output), "s", read_only=False)

    def total() -> int:
        return int(current.call("search_passages", {"query": "Velm Orchard"})["total"])

    first = snapshots.current(output)
    assert total() == 2
    build(corpus(TEXTS | {"c.txt": "Dee Fox wrote of the Velm Orchard."}), output, Settings())
    assert total() == 3
    snapshots.roll_back(output, first)
    held = current.index()
    assert total() == 2 and current.index() is held
    build(corpus({"d.txt": "Eve Lark burnt the Velm Orchard."}, "later"), output, Settings())
    snapshots.remove_old(output, 1, None)
    assert first.exists()  # a call may still read it
    assert total() == 1
    del held
    gc.collect()
    snapshots.remove_old(output, 1, None)
    assert not first.exists() and total() == 1


def test_without_an_index_every_call_says_so(tmp_path: Path) -> None:
    current = Current(tmp_path, lambda: Index.open(tmp_path / "output"), "s", read_only=False)
    for _ in range(2):
        with pytest.raises(IndexNotFound, match="There is no index"):
            current.call("search_reports", {"query": "pears"})
    assert current.call("archival_memory_search", {"query": "pears"})["total"] == 0


def test_without_the_sdk_the_extra_is_named(monkeypatch: pytest.MonkeyPatch, root: Path) -> None:
    monkeypatch.setitem(sys.modules, "mcp.server.stdio", None)
    result = CliRunner().invoke(main, ["mcp", "--root", str(root)])
    assert result.exit_code == 1 and "extra [mcp]: pip install 'graphrag-build[mcp]'" in result.stderr
