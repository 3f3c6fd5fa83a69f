"""Vectors of a real server on loopback, each text asked for once."""

import asyncio
from pathlib import Path
from typing import Any, ClassVar

import pytest
from stub_server import Fault, StubServer, vector

from graphrag_lite.errors import CallError, ReplyError
from graphrag_lite.llm import retries
from graphrag_lite.llm.chat import Usage
from graphrag_lite.llm.memo import Memo
from graphrag_lite.llm.openai_embedder import OpenAIEmbedder, memoised_embedder, open_embedder
from graphrag_lite.settings.models import Embeddings, Llm


def embedder_at(server: StubServer, **settings: Any) -> OpenAIEmbedder:
    return OpenAIEmbedder(Embeddings(model="vectors", **settings), Llm(base_url=server.url, max_attempts=2))


def test_vectors_come_in_the_order_of_their_texts_in_batches() -> None:
    texts = [f"text {i}" for i in range(10)]
    with StubServer() as server:
        embedder = memoised_embedder(Embeddings(model="vectors", batch_size=4), Llm(base_url=server.url), Memo(None))
        assert asyncio.run(embedder.embed(texts)) == [vector(text) for text in texts]
    assert embedder.meter.of("query").usage == Usage(prompt_tokens=sum(body_tokens(body) for body in server.requests))
    assert sorted(len(body["input"]) for body in server.requests) == [2, 4, 4]


def body_tokens(body: dict[str, Any]) -> int:
    return sum(map(len, body["input"])) // 4


def test_each_text_is_asked_for_once(tmp_path: Path) -> None:
    with StubServer() as server:
        for _ in range(2):
            memo = Memo(tmp_path / "memo.sqlite")
            embedder = memoised_embedder(Embeddings(model="vectors"), Llm(base_url=server.url), memo)
            vectors = asyncio.run(embedder.embed(["a", "b", "a"]))
            assert [list(each) for each in vectors] == [vector("a"), vector("b"), vector("a")]
            memo.close()
        assert [body["input"] for body in server.requests] == [["a", "b"]]
        memo = Memo(tmp_path / "memo.sqlite")
        asyncio.run(memoised_embedder(Embeddings(model="other"), Llm(base_url=server.url), memo).embed(["b", "c"]))
        memo.close()
        assert server.requests[-1]["input"] == ["b", "c"], "another model, another vector"


def test_what_a_run_paid_for_is_known_after_it_was_killed(tmp_path: Path) -> None:
    values, llm = Embeddings(model="vectors", batch_size=1), {"prices": {"vectors": {"input": 1e6}}}
    with StubServer() as server:
        settings = Llm.model_validate({"base_url": server.url, **llm})
        with open_embedder(values, settings, tmp_path, run="first") as embedder:
            asyncio.run(embedder.embed(["some text", "another"]))
        with open_embedder(values, settings, tmp_path, run="second") as embedder:
            assert embedder.spent("second").calls == 0
            spent = embedder.spent("first").to_dict()
    assert (spent["calls"], spent["prompt_tokens"], spent["cost"]) == (2, 3, 3.0)


@pytest.mark.parametrize("numbers", [[float("nan"), 1.0], [1e39, 1.0], [10**400, 1.0], ["1", "2"], []])
def test_what_is_no_vector_is_not_kept(numbers: list[Any], tmp_path: Path) -> None:
    class Broken:
        identity: ClassVar = {"model": "broken"}

        async def check(self) -> None: ...

        async def embed(self, texts: list[str]) -> Any:
            return [numbers for _ in texts], Usage()

    memo = Memo(tmp_path / "memo.sqlite")
    embedder = memoised_embedder(Embeddings(), Llm(), memo, Broken())
    with pytest.raises(ReplyError, match="vector of numbers"):
        asyncio.run(embedder.embed(["a"]))
    assert embedder.known(embedder.key("a")) is None
    memo.close()


def test_a_vector_of_another_length_is_not_kept_so_that_it_is_asked_for_again(tmp_path: Path) -> None:
    class Changing:
        identity: ClassVar = {"model": "changing"}
        length = 2

        async def check(self) -> None: ...

        async def embed(self, texts: list[str]) -> Any:
            return [[1.0] * self.length for _ in texts], Usage()

    memo = Memo(tmp_path / "memo.sqlite")
    asyncio.run(memoised_embedder(Embeddings(), Llm(), memo, Changing()).embed(["a"]))
    embedder = memoised_embedder(Embeddings(), Llm(), memo, changing := Changing())
    changing.length = 3
    with pytest.raises(ReplyError, match="gave 3 numbers, and 2 before"):
        asyncio.run(embedder.embed(["a", "b"]))
    changing.length = 2
    assert [list(vector) for vector in asyncio.run(embedder.embed(["a", "b"]))] == [[1, 1], [1, 1]]
    memo.close()


@pytest.mark.parametrize(
    "raw",
    [
        '{"data": []}',
        '{"data": [{"index": 0, "embedding": ["x"]}]}',
        '{"data": [{"index": 0, "embedding": [1' + 400 * "0" + "]}]}",
        '{"data": null}',
    ],
)
def test_an_answer_without_a_vector_for_every_text_is_a_failure(raw: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retries, "FIRST_DELAY", 0.02)
    with StubServer(lambda _: Fault(raw=raw)) as server, pytest.raises(CallError, match="Tried 2 times"):
        asyncio.run(embedder_at(server).embed(["a"]))
