"""The endpoints that people have, each by a stub that answers as it does: what a preset fills in, what is found out."""

import asyncio
import json
import logging
from pathlib import Path
from typing import Any

import pytest
from stub_server import SCHEMA, Fault, StubServer

from graphrag_lite.errors import CallError, ModelError, SettingsError
from graphrag_lite.llm.chat import Reply, Request
from graphrag_lite.llm.openai_chat import OpenAIChat
from graphrag_lite.llm.openai_embedder import OpenAIEmbedder
from graphrag_lite.llm.providers import chat_model
from graphrag_lite.settings import file as settings_file
from graphrag_lite.settings.models import Embeddings, Llm, Takes
from graphrag_lite.settings.presets import PRESETS

KEY = "sk-secret-0123456789"
LONG = "Marley was dead, to begin with. " * 400  # 3,200 tokens


@pytest.fixture(autouse=True)
def _no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    for preset in PRESETS.values():
        monkeypatch.delenv(preset.key, raising=False)
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)


def ask(text: str = "Who?", **fields: Any) -> Request:
    return Request(({"role": "user", "content": text},), **fields)


def chat_of(server: StubServer, provider: str = "openai", **settings: Any) -> OpenAIChat:
    url = server.url if provider != "azure" else server.url.removesuffix("/v1")
    found = chat_model(Llm(**{"provider": provider, "model": "stub", "base_url": url, **settings}))
    assert isinstance(found, OpenAIChat)
    return found


def answer(chat: OpenAIChat, *requests: Request) -> list[Reply]:
    async def main() -> list[Reply]:
        return [await chat.complete(request) for request in requests or (ask(),)]

    return asyncio.run(main())


def json_or_words(body: dict[str, Any]) -> str:
    return '{"title": "M"}' if "response_format" in body else "Yes."


@pytest.mark.parametrize("provider", PRESETS)
def test_every_preset_answers_through_the_whole_client(provider: str, monkeypatch: pytest.MonkeyPatch) -> None:
    preset = PRESETS[provider]
    monkeypatch.setenv(preset.key, KEY)
    with StubServer(json_or_words, key=KEY, key_header=preset.key_header) as server:
        chat = chat_of(server, provider)
        asyncio.run(chat.check())
        replies = answer(chat, ask(), ask(choices=("Yes", "No")), ask("JSON, please: {}", schema=SCHEMA))
    assert [reply.finish_reason for reply in replies] == ["stop"] * 3
    assert ("authorization" in server.headers[0]) == (not preset.key_header)
    biased, formed = server.requests[1], server.requests[2].get("response_format")
    assert ("logit_bias" in biased) == preset.biased
    forms = [{"type": "json_schema"}, {"type": "json_object"}, {"type": "json_object"}, None]
    assert (formed and {"type": formed["type"]}) == forms[preset.form]
    assert server.n_requests == 3, "a preset spares what would be found out"


@pytest.mark.parametrize("provider", PRESETS)
def test_what_a_preset_fills_in_can_be_set(provider: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    settings = Llm(provider=provider, base_url="https://gateway.example.com/v1", api_key_env="MY_KEY", model="m")
    assert settings.key_env == "MY_KEY" and settings.address == "https://gateway.example.com/v1"
    assert Llm(provider=provider).key_env == PRESETS[provider].key


def test_azure_has_an_address_for_each_customer_a_path_for_each_deployment_and_a_header_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(SettingsError, match=r"llm\.base_url: is missing"):
        chat_model(Llm(provider="azure", model="mini"))
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", KEY)
    with StubServer(key=KEY, key_header="api-key") as server:
        answer(chat_of(server, "azure", model="mini"))
        embedder = OpenAIEmbedder(
            Embeddings(model="small"),
            Llm(provider="azure", base_url=f"{server.url.removesuffix('/v1')}?api-version=2025-01-01"),
        )
        asyncio.run(embedder.embed(["Marley"]))
    assert server.paths == [
        "/openai/deployments/mini/chat/completions?api-version=2024-10-21",
        "/openai/deployments/small/embeddings?api-version=2025-01-01",
    ]
    assert "authorization" not in server.headers[0]


def test_a_remote_provider_needs_its_key_before_anything_is_sent() -> None:
    for provider, preset in PRESETS.items():
        if (preset.base_url or "").startswith("https:"):
            with pytest.raises(ModelError, match=preset.key):
                asyncio.run(chat_model(Llm(provider=provider, model="m")).complete(ask()))


def test_headers_come_from_the_environment_and_are_told_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    with StubServer(lambda _: Fault(status=400, message=f"team {KEY} is unknown")) as server:
        chat = chat_of(server, headers={"X-Team": "TEAM_SECRET"})
        with pytest.raises(ModelError, match=r"TEAM_SECRET \(llm\.headers\.X-Team\) is not set"):
            answer(chat)
        monkeypatch.setenv("TEAM_SECRET", KEY)
        with pytest.raises(CallError) as raised:
            answer(chat)
    assert server.headers[0]["x-team"] == KEY and KEY not in str(raised.value)
    assert "X-Team" not in str(chat.identity)


def test_parameters_of_the_address_come_from_it_or_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    with StubServer(lambda _: Fault(status=400, message=f"subscription {KEY} has ended")) as server:
        chat = chat_of(server, base_url=f"{server.url}?tier=low", query={"subscription-key": "GATEWAY_KEY"})
        with pytest.raises(ModelError, match=r"GATEWAY_KEY \(llm\.query\.subscription-key\) is not set"):
            answer(chat)
        monkeypatch.setenv("GATEWAY_KEY", KEY)
        with pytest.raises(CallError) as raised:
            answer(chat)
    assert server.paths == [f"/v1/chat/completions?tier=low&subscription-key={KEY}"]
    assert KEY not in str(raised.value) and KEY not in str(chat.identity) + chat.settings.model_dump_json()


def test_the_endpoint_of_embeddings_gets_nothing_of_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEAM_SECRET", KEY)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-embeddings")
    own = {"headers": {"X-Team": "TEAM_SECRET"}, "query": {"team": "TEAM_SECRET"}, "takes": {"key_header": "api-key"}}
    llm = Llm.model_validate({**own, "base_url": "http://127.0.0.1:9/v1"})
    with StubServer(key="sk-of-embeddings") as server:
        asyncio.run(OpenAIEmbedder(Embeddings(model="m", base_url=server.url), llm).embed(["a"]))
    assert "x-team" not in server.headers[0] and server.paths == ["/v1/embeddings"]


def test_what_a_provider_takes_can_be_set_where_a_gateway_takes_something_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", KEY)
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    with StubServer(json_or_words, key=KEY) as server:  # a token of Entra, and a path of the gateway's own
        takes = {"key_header": "Authorization", "deployments": False, "logit_bias": False, "json_form": "words"}
        chat = chat_of(server, "azure", base_url=server.url, takes=Takes.model_validate(takes))
        answer(chat, ask(choices=("Yes", "No")), ask(schema=SCHEMA))
    assert server.paths == ["/v1/chat/completions"] * 2 and server.n_requests == 2
    assert not any({"logit_bias", "response_format"} & body.keys() for body in server.requests)
    with StubServer(json_or_words, key=KEY, key_header="x-key") as server:
        takes = {"key_header": "x-key", "logit_bias": True, "json_form": "json_object"}
        takes["reply_limit"] = "max_completion_tokens"
        answer(
            chat_of(server, "anthropic", takes=Takes.model_validate(takes)),
            ask(choices=("Yes", "No")),
            ask(schema=SCHEMA),
            ask(max_tokens=9),
        )
    biased, formed, limited = server.requests
    assert biased["logit_bias"] and biased["max_completion_tokens"] == 1
    assert formed["response_format"] == {"type": "json_object"} and limited["max_completion_tokens"] == 9
    with pytest.raises(
        SettingsError, match=r"llm\.takes\.logit_bia: not a setting\. Did you mean llm\.takes\.logit_bias\?"
    ):
        settings_file.load(Path("/nowhere"), None, ["llm.takes.logit_bia=false"])
    assert settings_file.load(Path("/nowhere"), None, ["llm.takes.logit_bias=false"]).llm.takes.logit_bias is False


REASONING = {
    "temperature": "Unsupported value: 'temperature' does not support 0.0 with this model. Only the default (1) value"
    " is supported.",
    "logit_bias": "Unsupported parameter: 'logit_bias' is not supported with this model.",
    "max_tokens": "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens'"
    " instead.",
    "seed": "Unknown parameter: 'seed'.",
}


def test_a_reasoning_model_runs_with_no_parameter_set_by_hand(caplog: pytest.LogCaptureFixture) -> None:
    with StubServer(json_or_words, refuses=REASONING) as server, caplog.at_level(logging.WARNING):
        chat = chat_of(server, parameters={"seed": 1})
        first, *rest = answer(chat, *[ask(choices=("Yes", "No")), ask(), ask(schema=SCHEMA)] * 2)
    assert first.text == "Yes." and rest[1].text == '{"title": "M"}'
    refused = [body for body in server.requests if any(name in body for name in REASONING)]
    assert len(refused) <= len(REASONING) and server.requests[-1].keys() == {"model", "messages", "response_format"}
    told = [record.getMessage() for record in caplog.records]
    assert len(told) == 2 and "temperature is left out" in told[0] and "seed is left out" in told[1]


def test_a_validator_names_the_parameter_beside_what_it_says() -> None:
    said = {"message": {"detail": [{"loc": ["body", "seed"], "msg": "Extra inputs are not permitted"}]}}  # Mistral's
    with StubServer(lambda body: Fault(status=422, raw=json.dumps(said)) if "seed" in body else "Yes.") as server:
        assert answer(chat_of(server, parameters={"seed": 1}))[0].text == "Yes."


def test_many_at_once_drop_a_parameter_and_say_it_once(caplog: pytest.LogCaptureFixture) -> None:
    async def main(chat: OpenAIChat) -> list[Reply]:
        return await asyncio.gather(*(chat.complete(ask(str(i))) for i in range(8)))

    with StubServer(lambda _: "Yes.", refuses=REASONING, latency=0.02) as server, caplog.at_level(logging.WARNING):
        assert len(asyncio.run(main(chat_of(server)))) == 8
    assert len(caplog.records) == 1 and server.n_requests <= 16


def test_what_is_wrong_with_a_value_is_no_reason_to_leave_it_out() -> None:
    with StubServer(
        refuses={"temperature": "temperature must be between 0 and 1", "seed": "seed is too large"}
    ) as server:
        with pytest.raises(ModelError, match=r"llm\.temperature"):
            answer(chat_of(server, temperature=1.5))
        with pytest.raises(CallError, match="seed is too large"):
            answer(chat_of(server, temperature=None, parameters={"seed": 10**30}))
    assert server.n_requests == 2


def test_what_was_thought_is_counted_where_only_the_total_tells() -> None:
    with StubServer(lambda _: "x" * 40, n_thought=300) as server:
        (reply,) = answer(chat_of(server))
    assert reply.usage.completion_tokens == 310


@pytest.mark.parametrize("status", [401, 403])
def test_a_key_that_may_not_list_models_is_no_wrong_key(status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with StubServer(models=Fault(status=status, message="Missing scopes: model.read")) as server:
        asyncio.run(chat_of(server).check())
        asyncio.run(OpenAIEmbedder(Embeddings(model="m"), Llm(base_url=server.url)).check())
    assert [len(str(body)) < 200 for body in server.requests] == [True, True], "the smallest request decides"


def test_a_prompt_that_ollama_has_cut_is_told_with_what_to_do() -> None:
    with StubServer(context=1024) as server:
        with pytest.raises(ModelError, match=r"has read 1024 of the \d+ tokens.*num_ctx"):
            answer(chat_of(server, "ollama"), ask(LONG))
        assert answer(chat_of(server, "ollama"), ask("Marley? " * 200)), "what fits is not"


def test_another_endpoint_that_tells_few_tokens_is_warned_of_once(caplog: pytest.LogCaptureFixture) -> None:
    with StubServer(context=1024) as server, caplog.at_level(logging.WARNING):
        assert len(answer(chat_of(server), ask(LONG), ask(LONG))) == 2
    assert len(caplog.records) == 1 and "its context is too small" in caplog.text


@pytest.mark.parametrize("text", ["你好世界" * 2000, "word " * 4000, "\n" * 40000 + "a b c", "|  x  |   \n" * 4000])
def test_a_tokeniser_of_another_kind_is_no_cut(text: str) -> None:
    """Our count is an estimate: a real one of the same text, by the other encoding, passes."""
    from graphrag_lite.text import tokens

    n = tokens.token_counter("o200k_base")(text)

    def reply(_: dict[str, Any]) -> Fault:
        choice = {"message": {"content": "Yes."}, "finish_reason": "stop"}
        return Fault(raw=json.dumps({"choices": [choice], "usage": {"prompt_tokens": n, "completion_tokens": 1}}))

    with StubServer(reply) as server:
        assert answer(chat_of(server, "ollama"), ask(text))[0].text == "Yes."


@pytest.mark.parametrize("status", [301, 307])
def test_neither_key_nor_documents_follow_to_another_address(status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEAM_SECRET", KEY)
    with StubServer() as other:
        moved = Fault(status=status, headers={"location": f"{other.url}/chat/completions"})
        with StubServer(lambda _: moved, models=moved) as server:
            chat = chat_of(server, headers={"X-Team": "TEAM_SECRET"})

            async def main() -> None:
                with pytest.raises(ModelError, match=rf"moved to '{other.url}"):
                    await chat.complete(ask())
                with pytest.raises(ModelError, match=rf"moved to '{other.url}"):
                    _ = [piece async for piece in chat.stream(ask())]
                await chat.check()

            asyncio.run(main())
        assert other.n_requests == 0
        assert not other.paths


PAGE = "<html><head><title>{0}</title></head><body><h1>{0}</h1></body></html>"


def test_a_web_page_of_an_endpoint_that_has_answered_is_of_a_moment_or_of_a_text() -> None:
    """Of a balancer whose server restarts, with status 200; of a firewall that takes a text for an attack."""
    html = {"headers": {"content-type": "text/html"}}
    pages = [Fault(raw=PAGE.format("502 Bad Gateway"), **html), Fault(status=403, raw=PAGE.format("Blocked"), **html)]
    said: list[str | Fault] = ["Yes.", pages[0], "Yes.", pages[1], "Yes."]
    with StubServer(lambda _: said.pop(0)) as server:
        chat = chat_of(server)

        async def main() -> None:
            for _ in range(2):
                assert (await chat.complete(ask())).text == "Yes."
            with pytest.raises(CallError, match="answered 403: Blocked"):
                await chat.complete(ask("<script>"))
            assert (await chat.complete(ask())).text == "Yes."

        asyncio.run(main())
    for fault, why in zip(pages, ("most end in /v1", "refuses the key"), strict=True):
        with StubServer(lambda _, fault=fault: fault) as server, pytest.raises(ModelError, match=why):  # type: ignore[misc]
            answer(chat_of(server))


def test_json_that_a_gateway_has_as_the_call_of_a_tool_which_nobody_named_is_the_reply() -> None:
    call = {"type": "function", "function": {"name": "json", "arguments": '{"title": "M"}'}}
    with StubServer(lambda _: Fault(None, "tool_calls", message_fields={"tool_calls": [call]})) as server:
        assert answer(chat_of(server), ask(schema=SCHEMA))[0].text == '{"title": "M"}'
    with StubServer(lambda _: Fault("Marley.", message_fields={"tool_calls": [call]})) as server:
        assert answer(chat_of(server))[0].text == "Marley."


def test_an_error_that_is_the_answer_is_told_at_once() -> None:
    said = {"object": "error", "message": "The model `x` does not exist.", "type": "NotFoundError", "code": 404}
    with StubServer(lambda _: Fault(raw=json.dumps(said))) as server:
        with pytest.raises(ModelError, match=r"404: The model `x` does not exist\.[^\n]*\nCheck the model's name"):
            answer(chat_of(server))
        assert server.n_requests == 1


def test_json_between_fences_is_no_reason_to_ask_for_another_form() -> None:
    with StubServer(lambda _: 'Here you go:\n```json\n{"title": "M"}\n```\nLet me know.') as server:
        assert len(answer(chat_of(server), *[ask(schema=SCHEMA)] * 2)) == server.n_requests


DEEP = "[" * 100_000
WHOLE = {"choices": [{"message": {"content": "Yes."}, "finish_reason": "stop"}]}
ODD = {
    "nested": (DEEP, "application/json"),
    "nested event": (f"data: {DEEP}\n\n", "text/event-stream"),
    "no encoding of text": ("zz", "text/plain; charset=zlib"),
    "no choice": ('{"choices": [null]}', "application/json"),
    "no message": ('{"choices": [{"message": "Yes."}]}', "application/json"),
}


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize("status", [200, 500])
def test_an_answer_that_is_none_is_an_error_and_no_traceback(name: str, status: int) -> None:
    raw, kind = ODD[name]
    with StubServer(lambda _: Fault(status=status, raw=raw, headers={"content-type": kind})) as server:
        chat = chat_of(server, max_attempts=1)

        async def main() -> None:
            with pytest.raises(CallError):
                await chat.complete(ask())
            with pytest.raises(CallError):
                _ = [piece async for piece in chat.stream(ask())]

        asyncio.run(main())


def test_what_is_said_of_an_answer_that_is_no_http_is_one_line() -> None:
    fault = Fault(raw="zz", headers={"transfer-encoding": "chunked"})
    with StubServer(lambda _: fault) as server, pytest.raises(CallError, match=r"\A[^\n]+cut the connection \(.+\Z"):
        answer(chat_of(server, max_attempts=1))


@pytest.mark.parametrize("told", [-5, 10**400, "many", None, [1]])
def test_a_count_that_can_be_none_is_estimated(told: Any) -> None:
    usage = dict.fromkeys(("prompt_tokens", "completion_tokens", "total_tokens"), told)
    vectors = {"data": [{"index": 0, "embedding": [1.0]}], "usage": usage}
    with StubServer(lambda _: Fault(raw=json.dumps(WHOLE | {"usage": usage}))) as server:
        (reply,) = answer(chat_of(server, max_attempts=1))
    assert 0 < reply.usage.prompt_tokens < 100 and 0 <= reply.usage.completion_tokens < 100
    with StubServer(lambda _: Fault(raw=json.dumps(vectors))) as server:
        embedder = OpenAIEmbedder(Embeddings(model="small"), Llm(base_url=server.url, max_attempts=1))
        _, spent = asyncio.run(embedder.embed(["Marley"]))
    assert 0 < spent.prompt_tokens < 100


@pytest.mark.parametrize(
    ("name", "value"),
    [("HTTP_PROXY", "socks5://me:secret@127.0.0.1:1"), ("HTTP_PROXY", "ftp://x"), ("SSL_CERT_FILE", "/nowhere")],
)
def test_an_environment_that_no_client_takes_is_told(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, value)
    scheme = "https" if name == "SSL_CERT_FILE" else "http"
    with pytest.raises(ModelError, match=name) as raised:
        asyncio.run(chat_model(Llm(model="m", base_url=f"{scheme}://model.invalid/v1")).complete(ask()))
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize("name", ["X Team", "X-Team\r\nEvil: 1", "X-Team\n", "é", ""])
def test_a_header_is_named_as_headers_are(name: str) -> None:
    with pytest.raises(ValueError, match="headers"):
        Llm(headers={name: "TEAM"})
