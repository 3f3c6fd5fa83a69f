"""The client against a real server on loopback: what it sends, what it adapts to, and how each failure reads."""

import asyncio
import gzip
import json
import logging
import socket
import time
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from typing import Any
from urllib.parse import quote

import pytest
from stub_server import SCHEMA, Fault, StubServer, prompt_of, refused_port

from graphrag_lite.errors import CallError, ModelError, SettingsError, UnansweredError
from graphrag_lite.llm import endpoint, http_client, retries
from graphrag_lite.llm.chat import Reply, Request, Usage
from graphrag_lite.llm.openai_chat import OpenAIChat
from graphrag_lite.settings.models import Llm

KEY = "sk+secret+0123456789"


@pytest.fixture(autouse=True)
def _no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait little between attempts."""
    monkeypatch.setattr(retries, "FIRST_DELAY", 0.02)
    monkeypatch.setattr(retries, "MAX_DELAY", 0.05)


def chat_at(server: StubServer | str, **settings: Any) -> OpenAIChat:
    url = server if isinstance(server, str) else server.url
    return OpenAIChat(Llm(**{"model": "stub", "base_url": url, **settings}))


def ask(text: str = "Who?", **fields: Any) -> Request:
    return Request(({"role": "user", "content": text},), **fields)


def answer(chat: OpenAIChat, request: Request | None = None) -> Reply:
    return asyncio.run(chat.complete(request or ask()))


def answers(chat: OpenAIChat, requests: list[Request]) -> list[Reply]:
    async def main() -> list[Reply]:
        return await asyncio.gather(*map(chat.complete, requests))

    return asyncio.run(main())


def pieces(chat: OpenAIChat, request: Request | None = None) -> list[str | Reply]:
    async def main() -> list[str | Reply]:
        return [piece async for piece in chat.stream(request or ask())]

    return asyncio.run(main())


def failure(action: Callable[[], Any], kind: type[Exception]) -> str:
    with pytest.raises(kind) as raised:
        action()
    assert raised.value.__cause__ is None, "the cause holds the request, with its key"
    return str(raised.value)


# What is sent


def test_a_request_carries_model_temperature_parameters_and_nothing_more() -> None:
    with StubServer(lambda _: "Marley.") as server:
        reply = answer(chat_at(server, temperature=0.5, parameters={"seed": 7, "top_k": 3}), ask(max_tokens=90))
    assert reply == Reply("Marley.", "stop", Usage(1, 0, 1))
    assert server.requests == [
        {
            "model": "stub",
            "messages": [{"role": "user", "content": "Who?"}],
            "temperature": 0.5,
            "seed": 7,
            "top_k": 3,
            "max_tokens": 90,
        }
    ]


def test_a_temperature_of_null_is_not_sent() -> None:
    with StubServer() as server:
        answer(chat_at(server, temperature=None))
    assert "temperature" not in server.requests[0]


def test_identity_is_what_can_change_an_answer() -> None:
    def identity(**settings: Any) -> Any:
        return chat_at("http://user:pw@Box.example:8000/v1?x=1", **settings).identity

    assert identity() == {"model": "stub", "host": "box.example", "temperature": 0.0, "parameters": {}}
    assert identity(concurrency=3, timeout=1.0, api_key_env="OTHER") == identity()
    for changed in ({"model": "other"}, {"temperature": 0.7}, {"temperature": None}, {"parameters": {"seed": 1}}):
        assert identity(**changed) != identity()
    assert chat_at("http://box.example:9000/v1").identity == identity(), "a server moves to another port"
    assert chat_at("http://other.example/v1").identity != identity()


def test_one_connection_serves_many_calls_and_several_event_loops() -> None:
    with StubServer(latency=0.01) as server:
        chat = chat_at(server, concurrency=4)
        for _ in range(2):
            answers(chat, [ask(str(i)) for i in range(40)])
    assert server.stats["requests"] == 80
    assert server.most_in_flight == 4
    assert server.stats["connections"] <= 8


@pytest.mark.parametrize("url", ["localhost:11434/v1", "ftp://box/v1", "http://", "http://box:port/v1", "box"])
def test_an_address_that_is_none_is_an_error_of_the_settings(url: str) -> None:
    assert "llm.base_url" in failure(lambda: chat_at(url), SettingsError)


def test_an_address_that_nothing_can_be_named_is_told() -> None:
    assert "llm.base_url" in failure(lambda: answer(chat_at("http://a..b/v1")), ModelError)


def test_parameters_that_every_request_sets_are_an_error_of_the_settings() -> None:
    assert "stream" in failure(lambda: chat_at("http://box/v1", parameters={"stream": True}), SettingsError)


def test_a_proxy_is_not_asked_for_a_server_on_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    with StubServer(lambda _: "Marley.") as server, refused_port() as port:
        monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{port}")
        assert answer(chat_at(server, max_attempts=1)).text == "Marley."


@pytest.mark.parametrize("name", ["HTTP_PROXY", "ALL_PROXY"])
def test_a_proxy_of_the_environment_is_asked_for_the_world_outside(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with StubServer(lambda _: "Marley.") as proxy:
        monkeypatch.setenv(name, proxy.url.removesuffix("/v1"))
        assert answer(chat_at("http://model.invalid/v1", max_attempts=1)).text == "Marley."
        monkeypatch.setenv("NO_PROXY", "model.invalid")
        failure(lambda: answer(chat_at("http://model.invalid/v1", max_attempts=1)), ModelError)


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_proxy_that_lets_nobody_through_is_told_apart_from_the_endpoint(
    scheme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with StubServer(lambda _: Fault(status=407)) as proxy:
        monkeypatch.setenv(f"{scheme.upper()}_PROXY", proxy.url.removesuffix("/v1").replace("//", "//me:secret@"))
        said = failure(lambda: answer(chat_at(f"{scheme}://model.invalid/v1")), ModelError)
        assert "NAME:PASSWORD" in said and "407" in said and "secret" not in said
        assert proxy.n_requests <= 1, "it does not heal"


def test_a_page_that_refuses_may_be_the_proxys(monkeypatch: pytest.MonkeyPatch) -> None:
    with StubServer(lambda _: Fault(status=401, raw="<h1>Unauthorized</h1>")) as server:  # as tinyproxy does
        monkeypatch.setenv("HTTP_PROXY", server.url.removesuffix("/v1"))
        assert "NAME:PASSWORD" in failure(lambda: answer(chat_at("http://model.invalid/v1")), ModelError)
        assert "PROXY" not in failure(lambda: answer(chat_at(server)), ModelError)


def test_requests_are_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    with StubServer() as server:
        answer(chat_at(server))
    assert [record.message for record in caplog.records if not record.name.startswith("graphrag_lite")] == []


# The start


def test_check_costs_nothing_and_passes_where_a_server_knows_no_list_of_models() -> None:
    for fault in (None, Fault(status=404), Fault(status=405), Fault(status=500), Fault(raw="<html>", headers={})):
        with StubServer(models=fault) as server:
            asyncio.run(chat_at(server).check())
        assert server.n_requests == 0


def test_an_endpoint_that_is_down_fails_at_once_and_says_where() -> None:
    """The reference was silent for 278 seconds."""
    with refused_port() as port:
        started = time.monotonic()
        said = failure(lambda: asyncio.run(chat_at(f"http://127.0.0.1:{port}/v1").check()), ModelError)
    assert time.monotonic() - started < 30
    assert f"http://127.0.0.1:{port}/v1 cannot be reached" in said and "llm.base_url" in said


def test_an_endpoint_that_hangs_fails_in_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    assert endpoint.CONNECT < 15
    monkeypatch.setattr(endpoint, "CONNECT", 0.3)
    with StubServer(models=Fault(hang=True)) as server:
        said = failure(lambda: asyncio.run(chat_at(server).check()), ModelError)
    assert f"{server.url} does not answer" in said


def test_a_name_that_does_not_resolve_fails_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: Any, **__: Any) -> Any:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    said = failure(lambda: asyncio.run(chat_at("http://no.such.box/v1").check()), ModelError)
    assert "http://no.such.box/v1 cannot be reached" in said


def test_openai_itself_needs_a_key_before_anything_is_sent() -> None:
    chat = OpenAIChat(Llm(model="gpt-4o-mini", api_key_env="MY_KEY"))
    assert chat.identity["host"] == "api.openai.com"
    for action in (lambda: asyncio.run(chat.check()), lambda: answer(chat), lambda: pieces(chat)):
        assert "MY_KEY" in failure(action, ModelError)


# The key


@pytest.mark.parametrize("call", [lambda chat: chat.check(), lambda chat: chat.complete(ask())])
def test_a_wrong_key_names_the_variable_and_is_told_nowhere(
    call: Callable[[OpenAIChat], Awaitable[Any]], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("MY_KEY", KEY)
    with StubServer(key="another") as server:
        chat = chat_at(server, api_key_env="MY_KEY")
        said = failure(lambda: asyncio.run(call(chat)), ModelError)  # type: ignore[arg-type]
    assert "MY_KEY" in said and "***" in said  # the stub repeats the header that it got
    for text in (said, caplog.text, repr(chat), repr(chat.endpoint), str(chat.identity)):
        assert KEY not in text


def test_a_key_is_redacted_before_a_long_message_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    with StubServer() as server:
        for length in range(480, 500, 3):
            server.reply = lambda _, n=length: Fault(status=400, message="x" * n + KEY)
            assert "sk+" not in failure(lambda: answer(chat_at(server, api_key_env="MY_KEY")), CallError)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("raw", [f'{{"echo": "Bearer {KEY}"}}', f"Bearer {KEY}", f'["{KEY}"]', f"?key={quote(KEY)}"])
def test_a_key_in_a_broken_answer_is_redacted(
    raw: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("MY_KEY", KEY)
    with StubServer(lambda _: Fault(raw=raw)) as server:
        said = failure(lambda: answer(chat_at(server, api_key_env="MY_KEY", max_attempts=2)), CallError)
    assert KEY not in said + caplog.text


def test_a_server_without_a_key_gets_a_placeholder_and_a_password_in_the_address_is_not_shown() -> None:
    with StubServer() as server:
        answer(chat_at(server))
        answer(chat_at(server.url.replace("//", "//me:hunter22@")))
    assert [sent["authorization"] for sent in server.headers] == ["Bearer none", "Basic bWU6aHVudGVyMjI="]
    with refused_port() as port:
        url = f"http://me:hunter22@127.0.0.1:{port}/v1"
        said = failure(lambda: asyncio.run(chat_at(url).check()), ModelError)
    assert "hunter22" not in said


def test_a_key_that_no_header_can_hold_names_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", f"\u201c{KEY}\u201d")
    with StubServer() as server:
        said = failure(lambda: asyncio.run(chat_at(server).check()), ModelError)
    assert "OPENAI_API_KEY" in said and KEY not in said


# Failures


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(
    "fault",
    [
        Fault(status=429),
        Fault(status=500),
        Fault(status=503),
        Fault(status=529),
        Fault(status=408),
        Fault(status=429, raw=b"\x0b", headers={"content-encoding": "br"}),
        Fault("Marley.", cut=True),
        Fault(raw='{"choices": [{"mess'),
        Fault(raw='{"choices": []}'),
        Fault(raw='{"choices": [{"message": {"content": "Mar"}, "finish_reason": "error", "error": {"code": 502}}]}'),
        Fault(raw='{"choices": null}'),
        Fault(raw="[]"),
        Fault(raw="null"),
    ],
)
def test_what_can_heal_is_tried_again_and_no_more_than_the_settings_say(fault: Fault) -> None:
    answered: list[str | Fault] = [fault, fault, "Marley."]
    with StubServer(lambda _: answered.pop(0)) as server:
        assert answer(chat_at(server, max_attempts=3)).text == "Marley."
    with StubServer(lambda _: fault) as server:
        said = failure(lambda: answer(chat_at(server, max_attempts=3)), CallError)
        assert server.n_requests == 3
    assert server.url in said and "Tried 3 times" in said


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(
    ("fault", "says"),
    [
        (Fault(hang=True), "llm.timeout"),
        (Fault("Marley.", drip=0.05), "llm.timeout"),
        (Fault(raw='{"choices": [], "usage": {"prompt_tokens": 9}}'), "without what was asked for"),
        (Fault(status=504, raw="<title>504 Gateway Time-out</title>"), "answered 504"),
    ],
    ids=["silent", "never done", "of no use", "a gateway's time"],
)
def test_what_may_be_paid_for_at_every_attempt_is_sent_once_more(fault: Fault, says: str) -> None:
    with StubServer(lambda _: fault) as server:
        said = failure(lambda: answer(chat_at(server, max_attempts=6, timeout=0.3)), UnansweredError)
        assert server.n_requests == 2
    assert server.url in said and says in said and "Tried 2 times" in said


def test_the_package_does_not_try_again_by_itself() -> None:
    with StubServer(lambda _: Fault(status=503)) as server:
        assert "Tried once" in failure(lambda: answer(chat_at(server, max_attempts=1)), CallError)
    assert server.n_requests == 1


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(
    ("fault", "kind", "says"),
    [
        (Fault(status=401, message="No."), ModelError, "OPENAI_API_KEY"),
        (Fault(status=403, message="No."), ModelError, "OPENAI_API_KEY"),
        (Fault(status=400, message="API key not valid."), ModelError, "OPENAI_API_KEY"),
        (Fault(status=402, message="Pay."), ModelError, "credit"),
        (Fault(status=429, message="Quota.", code="insufficient_quota"), ModelError, "credit"),
        (
            Fault(status=400, message="Your credit balance is too low to access the Anthropic API."),
            ModelError,
            "credit left",
        ),
        (Fault(status=422, message="Max budget: 1", code="budget_exceeded"), ModelError, "credit"),
        (Fault(status=400, message="No connected db.", code="no_db_connection"), ModelError, "OPENAI_API_KEY"),
        (Fault(status=404, message="The model `stub` does not exist"), ModelError, "llm.model"),
        (Fault(status=400, message="Invalid model name passed in model=stub."), ModelError, "llm.model"),
        (Fault(status=400, message="The provided model identifier is invalid."), ModelError, "llm.model"),
        (Fault(status=400, message="temperature must be at most 1"), ModelError, "llm.temperature"),
        (Fault(status=200, raw="Sign in", headers={"content-type": "text/html"}), ModelError, "llm.base_url"),
        (Fault(status=200, raw="\n<!doctype html>"), ModelError, "llm.base_url"),
        (Fault(status=451, raw=""), CallError, "451: Unavailable For Legal Reasons"),
        (Fault(status=429, headers={"retry-after": "86400"}), ModelError, "1440 minutes"),
        (Fault(status=400, message="maximum context length is 8192 tokens"), CallError, "larger context"),
        (Fault(status=500, message="Context size has been exceeded."), CallError, "larger context"),
        (Fault(status=400, message="The response was filtered", code="content_filter"), CallError, "filtered"),
        (Fault(status=403, message="Input was flagged by moderation"), CallError, "flagged"),
        (Fault(status=422, raw='{"detail": [{"msg": "field required"}]}'), CallError, "field required"),
        (Fault(status=413, raw="<html><h1>Too Large</h1></html>"), CallError, "413: Too Large"),
        (Fault(status=501, raw='{"error": "not here"}'), CallError, "not here"),
        (Fault("I will", finish_reason="content_filter"), CallError, "content filter"),
        (Fault(None, finish_reason="content_filter: PROHIBITED_CONTENT"), CallError, "content filter"),
        (Fault(None, message_fields={"refusal": "I cannot help."}), CallError, "I cannot help."),
    ],
)
def test_what_cannot_heal_fails_at_once(fault: Fault, kind: type[Exception], says: str) -> None:
    with StubServer(lambda _: fault) as server:
        said = failure(lambda: answer(chat_at(server)), kind)
    assert server.n_requests == 1
    assert says in said


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("fields", [{"choices": ("Yes", "No")}, {"schema": {"type": "object"}}])
def test_an_outage_of_what_is_tried_first_is_waited_for_once(fields: dict[str, Any]) -> None:
    with StubServer(lambda _: Fault(status=503), latency=0.01) as server:
        chat = chat_at(server, max_attempts=3)

        async def main() -> list[Any]:
            requests = [chat.complete(ask(str(i), **fields)) for i in range(20)]
            return await asyncio.gather(*requests, return_exceptions=True)

        errors = asyncio.run(main())
        assert {type(error) for error in errors} == {UnansweredError} and server.n_requests == 20 * 3
        assert server.most_in_flight > 1
        server.reply = lambda _: "{}" if fields.get("schema") else "Yes"
        assert [reply.text for reply in answers(chat, [ask(str(i), **fields) for i in range(20)])]
    assert server.n_requests <= 20 * 3 + 20 * 2


@pytest.mark.parametrize("path", ["", "/v2/nothing"])
def test_a_wrong_path_names_the_setting(path: str) -> None:
    with StubServer() as server:
        url = f"http://127.0.0.1:{server.port}{path}"
        server.reply = lambda _: Fault(status=404, raw="<html>no such page</html>")
        assert "/v1" in failure(lambda: answer(chat_at(url)), ModelError)


@pytest.mark.usefixtures("impatient")
def test_an_endpoint_that_goes_down_stops_the_run_and_tells_meanwhile(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    with refused_port() as port:
        chat = chat_at(f"http://127.0.0.1:{port}/v1", max_attempts=4)
        said = failure(lambda: answer(chat), ModelError)
    assert "Tried 4 times" in said and "goes on from there" in said
    assert "Trying again in 1 s (attempt 2 of 4)" in caplog.text


@pytest.mark.usefixtures("impatient")
def test_many_that_wait_for_one_reason_say_it_once(caplog: pytest.LogCaptureFixture, monkeypatch: Any) -> None:
    monkeypatch.setattr(retries, "FIRST_DELAY", 0.5)
    monkeypatch.setattr(retries, "MAX_DELAY", 0.5)
    caplog.set_level(logging.INFO)
    seen: set[str] = set()

    def once(body: dict[str, Any]) -> str | Fault:
        if prompt_of(body) in seen:
            return "Marley."
        seen.add(prompt_of(body))
        return Fault(status=503)

    with StubServer(once) as server:
        answers(chat_at(server), [ask(str(i)) for i in range(20)])
    assert len([r for r in caplog.records if "Trying again" in r.message]) == 1


@pytest.mark.parametrize("headers", [{"retry-after": "1"}, {"retry-after-ms": "1000"}])
def test_retry_after_is_honoured_by_everybody(headers: dict[str, str], caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    arrived: list[float] = []

    def reply(_: Any) -> str | Fault:
        arrived.append(time.monotonic())
        return Fault(status=429, headers=headers) if len(arrived) == 1 else "Marley."

    with StubServer(reply) as server:
        started = time.monotonic()
        answers(chat_at(server, concurrency=1), [ask(str(i)) for i in range(3)])
    assert arrived[1] - arrived[0] >= 0.99
    assert time.monotonic() - started < 3
    assert "Waiting 1 s, as it asks" in caplog.text


def test_the_same_reason_to_wait_is_not_told_every_second(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    answered: list[str | Fault] = [Fault(status=429, headers={"retry-after": "0.6"})] * 3 + ["Marley."]
    with StubServer(lambda _: answered.pop(0)) as server:
        assert answer(chat_at(server)).text == "Marley."
    assert len([r for r in caplog.records if "as it asks" in r.message]) == 1


def test_a_request_that_is_told_to_wait_while_others_are_answered_is_only_unlucky(monkeypatch: Any) -> None:
    monkeypatch.setattr(retries, "FIRST_DELAY", 0.2)
    busy = Fault(status=429, headers={"retry-after-ms": "10"})

    def reply(_: Any) -> str | Fault:
        return Fault("Marley.", delay=0.03) if server.in_flight <= 2 else busy

    with StubServer(reply) as server:
        assert len(answers(chat_at(server, concurrency=12, max_attempts=3), [ask(str(i)) for i in range(60)])) == 60
    assert server.n_requests > 60


def test_rate_limit_headers_slow_down_before_the_endpoint_refuses() -> None:
    headers = {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "500ms"}
    arrived: list[float] = []

    def reply(_: Any) -> Fault:
        arrived.append(time.monotonic())
        return Fault("Marley.", headers=headers)

    with StubServer(reply) as server:
        answers(chat_at(server, concurrency=1), [ask(str(i)) for i in range(3)])
    assert arrived[2] - arrived[0] >= 0.99


@pytest.mark.usefixtures("impatient")
def test_retries_pass_through_the_limits_again() -> None:
    with StubServer(lambda _: Fault(status=500)) as server:

        async def main() -> list[Any]:
            chat = chat_at(server, concurrency=2, max_attempts=3)
            return await asyncio.gather(*(chat.complete(ask(str(i))) for i in range(6)), return_exceptions=True)

        assert all(isinstance(result, CallError) for result in asyncio.run(main()))
    assert server.n_requests == 18 and server.most_in_flight <= 2


# Replies


def test_a_reply_is_passed_on_as_it_was_said() -> None:
    said = "Zauberei \u2014 \u9b54\u6cd5 \U0001f384"
    reasons = iter(("length", "model_length", "MAX_TOKENS"))
    with StubServer(lambda _: Fault(said, finish_reason=next(reasons))) as server:
        for _ in range(3):
            assert answer(chat_at(server)) == Reply(said, "length", Usage(1, 0, len(said) // 4))
    parts = [{"type": "thinking", "thinking": "Hm"}, {"type": "text", "text": "Mar"}, {"type": "text", "text": "ley"}]
    with StubServer(lambda _: Fault(message_fields={"content": parts})) as server:
        assert answer(chat_at(server)).text == "Marley"
    with StubServer(lambda _: "half a \ud83d and a whole \ud83d\ude00") as server:
        assert answer(chat_at(server)).text == "half a \ufffd and a whole \U0001f600"
    with StubServer(lambda _: Fault(None)) as server:
        assert answer(chat_at(server)).text == ""
    with StubServer(lambda _: "<think>Marley? Yes.</think>\n\nMarley.") as server:
        assert answer(chat_at(server)).text == "Marley."
        assert "".join(piece for piece in pieces(chat_at(server)) if isinstance(piece, str)) == "Marley."


def test_cached_tokens_are_read_and_missing_usage_is_estimated() -> None:
    usage = {"prompt_tokens": 100, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 64}}
    raw = json.dumps({"choices": [{"message": {"content": "Marley."}, "finish_reason": "stop"}], "usage": usage})
    with StubServer(lambda _: Fault(raw=raw)) as server:
        assert answer(chat_at(server)).usage == Usage(100, 64, 5)
    told = {"prompt_tokens": 100, "completion_tokens": True, "prompt_cache_hit_tokens": 900}  # more than there are
    with StubServer(lambda _: Fault(raw=raw.replace(json.dumps(usage), json.dumps(told)))) as server:
        assert answer(chat_at(server)).usage == Usage(100, 100, 0)
    with StubServer(lambda _: "Marley was dead.", tells_usage=False) as server:
        assert answer(chat_at(server), ask("x" * 400)).usage == Usage(104, 0, 4)


# What servers differ in


@pytest.mark.parametrize(
    ("refused", "form"),
    [
        ({}, {"type": "json_schema", "json_schema": {"name": "reply", "schema": SCHEMA, "strict": True}}),
        ({"json_schema": 400}, {"type": "json_object", "schema": SCHEMA}),
        ({"json_schema": 500}, {"type": "json_object", "schema": SCHEMA}),  # llama-cpp-python
        ({"json_schema": 404, "json_object": 422}, None),
    ],
)
def test_the_form_of_a_json_reply_is_decided_once(refused: dict[str, int], form: Any) -> None:
    with StubServer(lambda _: '{"title": "Marley"}', refuses_formats=refused, latency=0.02) as server:
        replies = answers(chat_at(server), [ask(str(i), schema=SCHEMA) for i in range(20)])
    assert {reply.text for reply in replies} == {'{"title": "Marley"}'}
    assert {str(body.get("response_format")) for body in server.requests[-19:]} == {str(form)}
    assert server.n_requests - 20 <= 4  # refused once each, a 500 twice


def test_a_server_that_takes_json_object_but_no_schema_in_it_gets_none() -> None:
    def reply(body: dict[str, Any]) -> str | Fault:
        return Fault(status=400, message="Unknown field") if "schema" in body.get("response_format", {}) else "{}"

    with StubServer(reply, refuses_formats={"json_schema": 400}) as server:
        answers(chat_at(server), [ask(str(i), schema=SCHEMA) for i in range(3)])
    assert server.requests[-1]["response_format"] == {"type": "json_object"}


def test_a_server_that_ignores_the_form_is_asked_in_the_next() -> None:
    def reply(body: dict[str, Any]) -> str:
        return '{"title": ""}' if body.get("response_format", {}).get("type") == "json_object" else "Sure! Marley."

    with StubServer(reply) as server:
        chat = chat_at(server)
        first, second = (answer(chat, ask(schema=SCHEMA)) for _ in range(2))
    assert first.text == second.text == '{"title": ""}'
    assert server.n_requests == 3
    assert first.usage.prompt_tokens == 2 * second.usage.prompt_tokens, "both were paid for"


def test_a_context_that_is_too_long_decides_nothing() -> None:
    def reply(body: dict[str, Any]) -> str | Fault:
        return Fault(status=400, message="maximum context length") if "long" in prompt_of(body) else '{"title": ""}'

    with StubServer(reply) as server:
        chat = chat_at(server)
        assert "maximum context" in failure(lambda: answer(chat, ask("long", schema=SCHEMA)), CallError)
        answer(chat, ask("short", schema=SCHEMA))
        assert server.requests[-1]["response_format"]["type"] == "json_schema"
        server.requests.clear()
        failure(lambda: answer(chat, ask("long", schema=SCHEMA)), CallError)
        assert len(server.requests) == 1


def test_a_schema_that_the_server_cannot_follow_is_asked_for_in_words() -> None:
    def reply(body: dict[str, Any]) -> str | Fault:
        hard = "pattern" in str(body.get("response_format"))
        return Fault(status=400, message="Invalid schema for response_format") if hard else "{}"

    with StubServer(reply) as server:
        chat = chat_at(server)
        answer(chat, ask(schema=SCHEMA))
        assert answer(chat, ask(schema={"type": "string", "pattern": "x"})).text == "{}"
        answer(chat, ask(schema=SCHEMA))
    assert server.requests[-1]["response_format"]["type"] == "json_schema"


def test_a_schema_with_open_objects_is_not_strict() -> None:
    with StubServer(lambda _: "{}") as server:
        answer(chat_at(server), ask(schema={"type": "object", "properties": {"a": {"type": "string"}}}))
    assert server.requests[0]["response_format"]["json_schema"]["strict"] is False


YES_NO = ("Yes", "No")


def yes_or_no(body: dict[str, Any]) -> str | Fault:
    if "logit_bias" in body:
        return Fault("No" if "9" in prompt_of(body) else "Yes", finish_reason="length")
    return "No, it does not." if "9" in prompt_of(body) else "Yes."


@pytest.mark.parametrize(("model", "tokens"), [("stub", {"9642", "2822"}), ("gpt-4o-mini", {"13022", "3160"})])
def test_a_choice_is_one_token_by_logit_bias(model: str, tokens: set[str]) -> None:
    with StubServer(yes_or_no, latency=0.02) as server:
        replies = answers(chat_at(server, model=model), [ask(str(i), choices=YES_NO) for i in range(10)])
    assert [reply.text for reply in replies] == ["Yes"] * 9 + ["No"]
    assert {reply.finish_reason for reply in replies} == {"stop"}
    assert server.n_requests == 10
    for body in server.requests:
        assert body["max_tokens"] == 1
        assert body["logit_bias"] == dict.fromkeys(tokens, 100)


@pytest.mark.parametrize("why", ["refused", "ignored", "crashes"])
def test_where_the_bias_does_not_work_it_is_tried_once_and_then_asked_plainly(why: str) -> None:
    def reply(body: dict[str, Any]) -> str | Fault:
        if why != "refused" and "logit_bias" in body:
            return Fault("The", finish_reason="length") if why == "ignored" else Fault(status=500)
        return yes_or_no(body)

    with StubServer(reply, refuses_logit_bias=why == "refused", latency=0.02) as server:
        replies = answers(chat_at(server), [ask(str(i), choices=YES_NO) for i in range(10)])
    assert [reply.text for reply in replies] == ["Yes."] * 9 + ["No, it does not."]
    assert sum("logit_bias" in body for body in server.requests) == (2 if why == "crashes" else 1)
    assert all("max_tokens" not in body for body in server.requests if "logit_bias" not in body)


def test_choices_of_several_tokens_are_asked_plainly() -> None:
    with StubServer(lambda _: "Scrooge") as server:
        assert answer(chat_at(server), ask(choices=("Scrooge", "Cratchit"))).text == "Scrooge"
    assert "logit_bias" not in server.requests[0]


def test_a_server_that_wants_max_completion_tokens_gets_them() -> None:
    with StubServer(wants_max_completion_tokens=True) as server:
        chat = chat_at(server)
        for _ in range(3):
            answer(chat, ask(max_tokens=50))
    assert server.n_requests == 4
    assert server.requests[-1]["max_completion_tokens"] == 50 and "max_tokens" not in server.requests[-1]


# Streaming


def test_a_stream_gives_pieces_and_at_the_end_the_whole_reply() -> None:
    with StubServer(lambda _: "Marley was dead: to begin with.") as server:
        *said, last = pieces(chat_at(server))
    assert said == ["Marley ", "was ", "dead: ", "to ", "begin ", "with."]
    assert last == Reply("Marley was dead: to begin with.", "stop", Usage(1, 0, 7))


@pytest.mark.parametrize("options", [{"refuses_stream_options": True}, {"tells_usage": False}])
def test_a_stream_without_usage_estimates_it(options: dict[str, bool]) -> None:
    with StubServer(lambda _: "Marley was dead: to begin with.", **options) as server:
        chat = chat_at(server)
        for _ in range(2):
            assert pieces(chat, ask("x" * 400))[-1] == Reply(
                "Marley was dead: to begin with.", "stop", Usage(104, 0, 7)
            )
    assert sum("stream_options" in body for body in server.requests) == (
        1 if "refuses_stream_options" in options else 2
    )


def test_a_server_that_does_not_stream_is_read_as_a_whole() -> None:
    whole = {"choices": [{"message": {"content": "Marley was dead."}}], "usage": {"prompt_tokens": 9}}
    text = json.dumps(whole, indent=2)
    for raw in (json.dumps(whole), text, text.encode("utf-8-sig"), text.encode("utf-16")):
        with StubServer(lambda _, raw=raw: Fault(raw=raw)) as server:
            assert pieces(chat_at(server)) == ["Marley was dead.", Reply("Marley was dead.", "stop", Usage(9, 0, 0))]
    with StubServer(lambda _: Fault(raw='{"error": {"message": "no room"}}')) as server:
        assert "no room" in failure(lambda: pieces(chat_at(server)), CallError)


@pytest.mark.parametrize(
    "end", ["data: [DONE]", 'data: {"choices": [{"finish_reason": "stop"}]}', 'data: {"error": "no room"}', ""]
)
def test_a_server_that_streams_unasked_is_read_as_a_whole(end: str) -> None:
    piece = '{"choices": [{"delta": {"content": "%s"}}], "usage": {"prompt_tokens": 9}}'
    events = f": ping\r\n\r\ndata: {piece % 'Marley was'}\r\n\r\ndata: {piece % ' dead.'}\r\n\r\n{end}"
    with StubServer(lambda _: Fault(raw=events, headers={"content-type": "text/event-stream"})) as server:
        chat = chat_at(server, max_attempts=1)
        if not end:
            assert "not JSON" in failure(lambda: answer(chat), CallError)
        elif "error" in end:
            assert "no room" in failure(lambda: answer(chat), CallError)
        else:
            assert answer(chat) == Reply("Marley was dead.", "stop", Usage(9, 0, 0))


@pytest.mark.parametrize(
    "message", ["stream is not supported", "Unsupported value: your organization must be verified to stream this model"]
)
def test_a_server_that_refuses_to_stream_is_asked_without(message: str) -> None:
    def reply(body: dict[str, Any]) -> str | Fault:
        return Fault(status=400, message=message) if body.get("stream") else "Marley was dead."

    with StubServer(reply) as server:
        assert pieces(chat_at(server)) == ["Marley was dead.", Reply("Marley was dead.", "stop", Usage(1, 0, 4))]


def test_a_stream_that_is_cut_is_an_error_and_what_came_before_is_seen() -> None:
    with StubServer(lambda _: Fault("Marley was dead: to begin with.", cut=True)) as server:
        seen: list[str] = []

        async def main() -> None:
            async for piece in chat_at(server).stream(ask()):
                seen.append(str(piece))  # noqa: PERF401

        said = failure(lambda: asyncio.run(main()), CallError)
    assert seen[:2] == ["Marley ", "was "] and len(seen) < 6
    assert "broke off" in said


def test_a_refusal_is_told_however_it_comes() -> None:
    whole = '{"choices": [{"message": {"content": null, "refusal": "I cannot help with that."}}]}'
    piece = 'data: {"choices": [{"delta": {"content": null, "refusal": "%s"}}]}'
    streamed = "\n\n".join([piece % "I cannot ", piece % "help with that.", "data: [DONE]"])
    for raw in (whole, streamed):
        with StubServer(lambda _, raw=raw: Fault(raw=raw, headers={"content-type": "text/event-stream"})) as server:
            for call in (answer, pieces):
                ask_it = partial(call, chat_at(server))
                assert "The model refused: I cannot help with that." in failure(ask_it, CallError)


def test_a_stream_needs_an_end_of_either_kind() -> None:
    for fault in (Fault("Marley.", finish_reason=None), Fault("Marley.", done=False)):
        with StubServer(lambda _, f=fault: f) as server:
            assert pieces(chat_at(server))[-1] == Reply("Marley.", "stop", Usage(1, 0, 1))
    with StubServer(lambda _: Fault("Marley.", finish_reason=None, done=False)) as server:
        assert "broke off" in failure(lambda: pieces(chat_at(server)), CallError)


def test_a_stream_is_in_flight_until_its_end() -> None:
    with StubServer(lambda _: Fault("Marley was dead.", drip=0.02)) as server:
        chat = chat_at(server, concurrency=2)

        async def read(i: int) -> None:
            assert [piece async for piece in chat.stream(ask(str(i)))]

        async def main() -> None:
            await asyncio.gather(*map(read, range(6)))

        asyncio.run(main())
    assert server.most_in_flight == 2


def test_a_stream_that_never_ends_ends_in_time() -> None:
    with StubServer(lambda _: Fault("word " * 500, drip=0.01)) as server:
        assert "llm.timeout" in failure(lambda: pieces(chat_at(server, timeout=0.3)), CallError)


@pytest.mark.usefixtures("impatient")
def test_an_answer_is_unpacked_within_bounds() -> None:
    """The bomb is ended before it is in memory: what it holds would be no JSON, and is never looked at."""
    said = json.dumps({"choices": [{"message": {"content": "Marley."}}]}).encode()
    bomb = gzip.compress(bytes(17_000_000))
    cases = [
        (said, "identity", "Marley."),
        (gzip.compress(said[:9]) + gzip.compress(said[9:]) + bytes(9), "x-gzip", "Marley."),
        (gzip.compress(said)[:-9], "gzip", "no end"),
        (zlib.compress(said), "deflate", "not asked for"),
        (bomb, "gzip", "more than 16 MB"),
        (gzip.compress(bomb), "gzip, gzip", "not asked for"),
        (b"{}", "gzip", "damaged"),
    ]
    faults = iter([Fault(raw=content, headers={"content-encoding": encoding}) for content, encoding, _ in cases])
    with StubServer(lambda _: next(faults)) as server:
        chat = chat_at(server, max_attempts=1)

        async def heard() -> str:
            try:
                return (await chat.complete(ask())).text
            except CallError as error:
                return str(error)

        async def main() -> None:
            for *_, says in cases:
                assert says in await heard()

        asyncio.run(main())


def test_parts_of_an_answer_are_unpacked_wherever_it_is_cut() -> None:
    packed = gzip.compress(b"Mar") + gzip.compress(b"ley.") + bytes(9)

    async def unpacked(place: int) -> bytes:
        async def pieces() -> AsyncIterator[bytes]:
            yield packed[:place]
            yield packed[place:]

        return b"".join([piece async for piece in http_client._unpacked(pieces())])

    assert {asyncio.run(unpacked(place)) for place in range(len(packed))} == {b"Marley."}


@pytest.mark.parametrize("content", [b"", b"no gzip", gzip.compress(b"No.", mtime=0)[:-9]])
def test_a_refusal_counts_however_its_text_is_packed(content: bytes) -> None:
    with StubServer(lambda _: Fault(status=401, raw=content, headers={"content-encoding": "gzip"})) as server:
        assert "401" in failure(lambda: answer(chat_at(server)), ModelError)
        assert server.n_requests == 1


@pytest.mark.usefixtures("impatient")
def test_a_stream_is_tried_again_until_it_begins() -> None:
    answered: list[str | Fault] = [Fault(status=503), Fault(status=429, headers={"retry-after": "0"}), "Marley."]
    with StubServer(lambda _: answered.pop(0)) as server:
        assert pieces(chat_at(server))[0] == "Marley."
    with StubServer(lambda _: Fault(status=401, message="No.")) as server:
        failure(lambda: pieces(chat_at(server)), ModelError)


def test_a_stream_that_nobody_reads_to_its_end_is_closed() -> None:
    with StubServer(lambda _: "word " * 500) as server:
        chat = chat_at(server, concurrency=1)

        async def main() -> str:
            async for _ in chat.stream(ask()):
                break
            return (await chat.complete(ask())).text

        assert asyncio.run(main()).startswith("word")


def test_a_waiting_call_can_be_cancelled() -> None:
    with StubServer(lambda _: Fault(hang=True)) as server:

        async def main() -> None:
            async with asyncio.timeout(0.3):
                await chat_at(server).complete(ask())

        started = time.monotonic()
        with pytest.raises(TimeoutError):
            asyncio.run(main())
    assert time.monotonic() - started < 20
