"""Calls of tools by a model behind a real server: native, or told in the messages."""

import asyncio
import json
from typing import Any

from stub_server import Fault, StubServer

from graphrag_lite.agent.calls import Call, read_call
from graphrag_lite.llm.chat import Reply, Request, prompt_tokens, tool_tokens
from graphrag_lite.llm.memo import Memo
from graphrag_lite.llm.openai_chat import OpenAIChat
from graphrag_lite.settings.models import Llm

TOOLS = ({"name": "look", "description": "Looks.", "parameters": {"type": "object", "properties": {}}},)
MESSAGES = ({"role": "system", "content": "Look it up."}, {"role": "user", "content": "Who?"})


def ask(server: StubServer, n: int = 1) -> list[Reply]:
    model = OpenAIChat(Llm(model="stub", base_url=server.url, api_key_env="PATH"))

    async def all_of_them() -> list[Reply]:
        return [await model.complete(Request(MESSAGES, tools=TOOLS)) for _ in range(n)]

    return asyncio.run(all_of_them())


def native(body: dict[str, Any]) -> Fault:
    function = {"name": body["tools"][0]["function"]["name"], "arguments": '{"page": 2}'}
    return Fault("Hm.", "tool_calls", message_fields={"tool_calls": [{"id": "1", "function": function}]})


def test_a_native_call_is_read_as_one_object() -> None:
    with StubServer(native) as server:
        (reply,) = ask(server)
    assert server.requests[0]["tools"] == [{"type": "function", "function": TOOLS[0]}]
    assert read_call(reply.text) == Call("look", {"page": 2}, "Hm.")


def test_where_usage_is_not_stated_tools_and_calls_are_counted() -> None:
    with StubServer(native, tells_usage=False) as server:
        (reply,) = ask(server)
    assert reply.usage.prompt_tokens == prompt_tokens(MESSAGES) + tool_tokens(
        [{"type": "function", "function": TOOLS[0]}]
    )
    assert reply.usage.completion_tokens > 10  # of "Hm." alone none


def test_a_server_without_tools_is_told_them_once_it_has_said_so() -> None:
    def plain(body: dict[str, Any]) -> str | Fault:
        if "tools" in body:
            return Fault(status=400, message="tools is not supported")
        return 'Yes: {"tool": "look", "arguments": {"page": 3}}'

    with StubServer(plain) as server:
        replies = ask(server, 2)
    assert ["tools" in body for body in server.requests] == [True, False, False]
    assert json.dumps(TOOLS[0]) in server.requests[1]["messages"][0]["content"]
    assert [read_call(reply.text).arguments for reply in replies] == [{"page": 3}] * 2


def test_tools_are_part_of_what_is_remembered_and_older_answers_stay() -> None:
    plain, with_tools = (Memo.key({}, Request(MESSAGES, tools=tools)) for tools in ((), TOOLS))
    assert plain != with_tools and plain == Memo.key({}, Request(MESSAGES))
