"""Models that are not ours get limits, retries and estimates as ours do, and what they do wrongly is told without a key."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from stub_model import StubModel

import graphrag_lite
from graphrag_lite.errors import CallError, ModelError, PluginError, UnansweredError
from graphrag_lite.llm import retries
from graphrag_lite.llm.chat import ChatModel, Reply, Request, Usage
from graphrag_lite.llm.openai_chat import OpenAIChat
from graphrag_lite.llm.providers import chat_model
from graphrag_lite.llm.retries import Trouble
from graphrag_lite.settings.models import Llm

KEY = "sk-secret-0123456789"
ASKED = Request(({"role": "user", "content": "Who was dead to begin with?"},))


@pytest.fixture(autouse=True)
def _surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setattr(retries, "FIRST_DELAY", 0.01)


def failing(*errors: Exception) -> StubModel:
    """Return a model that raises these, one a request, and then answers."""
    left = list(errors)
    return StubModel(lambda _: left.pop(0) if left else "Marley.")


def complete(chat: ChatModel, **settings: Any) -> Reply:
    return asyncio.run(chat_model(Llm(**settings), chat).complete(ASKED))


def test_ours_stays_as_it_is() -> None:
    ours = chat_model(Llm(model="m"))
    assert isinstance(ours, OpenAIChat) and chat_model(Llm(), ours) is ours


def test_what_was_not_answered_in_time_is_sent_once_more() -> None:
    assert complete(failing(TimeoutError())).text == "Marley."
    stub = failing(*[TimeoutError()] * 9)
    with pytest.raises(UnansweredError, match="Tried 2 times"):
        complete(stub)
    assert len(stub.requests) == 2


@pytest.mark.parametrize("error", [ConnectionResetError("cut"), Trouble("busy", pause=0.01)])
def test_what_can_heal_is_tried_again(error: Exception) -> None:
    stub = failing(error, error)
    assert complete(stub).text == "Marley." and len(stub.requests) == 3
    with pytest.raises(UnansweredError, match="Tried 2 times"):
        complete(failing(*[error] * 9), max_attempts=2)


@pytest.mark.parametrize(
    ("error", "kind"),
    [(CallError("no"), CallError), (ModelError("none"), ModelError), (KeyError("x"), CallError)],
)
def test_what_cannot_heal_is_not(error: Exception, kind: type[Exception]) -> None:
    stub = failing(error)
    with pytest.raises(kind):
        complete(stub)
    assert len(stub.requests) == 1


@pytest.mark.parametrize("kind", [ValueError, ConnectionError, CallError, ModelError])
def test_errors_hold_no_key_and_nothing_that_caused_them(kind: type[Exception]) -> None:
    with pytest.raises((CallError, ModelError)) as raised:
        complete(failing(kind(f"Bearer {KEY}\nis wrong{'!' * 9999}")), max_attempts=1)
    assert "Bearer *** is wrong" in " ".join(str(raised.value).split()) and KEY not in repr(raised.value)
    assert len(str(raised.value)) < 1000
    assert raised.value.__cause__ is None and raised.value.__suppress_context__


def test_one_that_hangs_is_not_waited_for() -> None:
    class Hangs(StubModel):
        async def complete(self, _: Request) -> Reply:
            await asyncio.sleep(60)
            raise AssertionError

    with pytest.raises(UnansweredError, match=r"has not answered within 0\.05 s"):
        complete(Hangs(lambda _: ""), timeout=0.05, max_attempts=2)


def test_usage_is_estimated_where_none_is_stated() -> None:
    assert complete(StubModel(lambda _: Reply("Marley was dead."))).usage == Usage(10, 0, 4)
    assert complete(StubModel(lambda _: Reply("Marley.", usage=Usage(1, 0, 1)))).usage == Usage(1, 0, 1)


def test_no_more_requests_are_in_flight_than_the_settings_allow() -> None:
    stub = StubModel(lambda _: "Marley.")
    chat = chat_model(Llm(concurrency=3), stub)

    async def main() -> None:
        await asyncio.gather(*(chat.complete(ASKED) for _ in range(20)))

    for _ in range(2):  # event loops
        asyncio.run(main())
    assert stub.most_in_flight == 3 and len(stub.requests) == 40


def test_a_reply_that_is_none_ends_the_run() -> None:
    class Wrong(StubModel):
        async def complete(self, _: Request) -> Any:
            return "Marley."

    with pytest.raises(PluginError, match=r"Wrong returned a str, not a Reply\."):
        complete(Wrong(lambda _: ""))


def test_what_is_no_model_is_told_before_it_is_asked() -> None:
    class Half:
        identity = MappingProxyType({"model": "half"})

    class Named(StubModel):
        identity: Any = None

    leaks, odd = Named(lambda _: ""), Named(lambda _: "")
    leaks.identity, odd.identity = {"model": "m", "key": KEY}, {"model": object()}
    for model, said in (
        (Half(), "lacks check, complete, stream"),
        (leaks, "its identity, which is stored, holds the key"),
        (odd, "cannot be used: TypeError"),
    ):
        with pytest.raises(PluginError, match=said) as raised:
            chat_model(Llm(), model)
        assert KEY not in str(raised.value)


def pieces(chat: ChatModel, **settings: Any) -> list[str | Reply]:
    async def main() -> list[str | Reply]:
        return [piece async for piece in chat_model(Llm(**settings), chat).stream(ASKED)]

    return asyncio.run(main())


def test_a_stream_is_begun_again_but_not_gone_on_with() -> None:
    *said, reply = pieces(failing(ConnectionError("cut")))
    assert said == ["Marley. "] and isinstance(reply, Reply) and reply.usage.prompt_tokens

    class Breaks(StubModel):
        ends: Exception | None = None

        async def stream(self, _: Request) -> AsyncIterator[str | Reply]:
            yield "Mar"
            if self.ends:
                raise self.ends

    model = Breaks(lambda _: "")
    with pytest.raises(PluginError, match="returned a NoneType, not a Reply"):
        pieces(model)
    model.ends = ConnectionError("cut")
    with pytest.raises(CallError, match="broke off its answer"):
        pieces(model)


class Lengths:
    """An embedder that counts what it is asked."""

    version = 1

    def __init__(self, name: str = "lengths") -> None:
        self.identity = {"model": name}
        self.n_asked = 0

    async def check(self) -> None:
        return None

    async def embed(self, texts: Sequence[str]) -> tuple[list[list[float]], Usage]:
        self.n_asked += len(texts)
        return [[float(len(text)), 1.0] for text in texts], Usage()


def test_an_embedder_is_passed_and_another_version_of_it_costs_nothing(
    corpus: Callable[..., Path], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    texts = corpus({"a.txt": "Alice Smith met Bob Jones in Paris.\n", "b.txt": "Carol White lives in Rome.\n"})
    embedder = Lengths()
    index = graphrag_lite.index(texts, tmp_path, embedder=embedder)
    assert embedder.n_asked and index.manifest["plugins"]["embedder"][0]["version"] == "1"
    assert index.manifest["usage"]["embed_text_units"]["prompt_tokens"] > 0
    newer = Lengths()
    newer.version = 2
    again = graphrag_lite.index(texts, tmp_path, embedder=newer)
    assert again.manifest["plugins"]["embedder"][0]["version"] == "2" and not newer.n_asked
    for other, n_asked, warns in ((Lengths(), 1, False), (Lengths("others"), 0, True)):
        opened = graphrag_lite.open(tmp_path / "output", embedder=other)
        opened.__dict__["vector_weight"] = 5.0
        caplog.clear()
        assert opened.query("Who lives in Rome?").citations
        assert (other.n_asked, "they are not used" in caplog.text) == (n_asked, warns)
