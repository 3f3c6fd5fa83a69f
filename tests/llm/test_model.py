"""What a stage gets: every answer once, memoised only when it could be used, repaired once, failures recorded."""

import asyncio
import json
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from stub_model import StubModel, stage_model
from stub_server import Fault, StubServer

from graphrag_lite.errors import CallError, ModelError, ReplyError
from graphrag_lite.llm.chat import Reply, Request
from graphrag_lite.llm.model import open_model
from graphrag_lite.llm.stage_model import AHEAD, StageModel
from graphrag_lite.settings.models import Llm, Prices
from graphrag_lite.watch import Silence

SCHEMA = {"type": "object"}


def user(text: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": text}]


def said(request: Request) -> str:
    return request.messages[-1]["content"]


def number(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ReplyError(f"{text!r} is not a number") from None


def asked(stub: StubModel, text: str = "How many?", parse: Callable[[str], Any] = number, **settings: Any) -> Any:
    model, _ = stage_model(stub, **settings)
    return asyncio.run(model.ask(user(text), parse))


@contextmanager
def opened(server: StubServer, output: Path, **settings: Any) -> Iterator[StageModel]:
    output.mkdir(exist_ok=True)
    with open_model(Llm(model="m", base_url=server.url, **settings), output, beside=True) as model:
        yield model.of("stage", [], Silence())


def test_a_good_answer_is_asked_for_once_across_runs(tmp_path: Path) -> None:
    stub = StubModel(lambda _: "3")
    assert [asked(stub, memo=tmp_path / "memo.sqlite") for _ in range(3)] == [3, 3, 3]
    assert len(stub.requests) == 1


@pytest.mark.parametrize("changed", [{"model": "other"}, {"temperature": 0.9}, {"parameters": {"seed": 2}}])
def test_another_model_or_temperature_asks_again(changed: dict[str, Any], tmp_path: Path) -> None:
    """The reference served what another model had said."""
    with StubServer(lambda body: json.dumps({"by": body["model"], "at": body["temperature"]})) as server:

        def run(**settings: Any) -> Any:
            values = {"model": "first", "base_url": server.url, **settings}
            with open_model(Llm(**values), tmp_path) as model:
                stage = model.of("stage", [], Silence())
                return asyncio.run(stage.ask(user("Who?"), json.loads)), stage.model.meter.to_dict("stage")

        first = run()
        assert run()[0] == first[0] and run()[1]["memo_hits"] == 1
        again = run(**changed)
        assert again[1]["calls"] == 1
        assert run(concurrency=3, timeout=9.0, max_calls=0)[1]["memo_hits"] == 1
    assert server.n_requests == 2


def test_an_unusable_reply_is_shown_to_the_model_once_and_the_good_one_is_kept(tmp_path: Path) -> None:
    stub = StubModel(lambda request: "3" if len(request.messages) == 3 else "three")
    model, _ = stage_model(stub, memo=tmp_path / "memo.sqlite")
    assert asyncio.run(model.ask(user("How many?"), number)) == 3
    shown = stub.requests[1].messages
    assert shown[0] == user("How many?")[0]
    assert shown[1] == {"role": "assistant", "content": "three"}
    assert "'three' is not a number" in shown[2]["content"]
    assert asked(stub, memo=tmp_path / "memo.sqlite") == 3
    assert len(stub.requests) == 2
    assert model.model.meter.to_dict("stage")["calls"] == 2, "a repair is a call too"


@pytest.mark.parametrize("bad", ["three", "", Reply("3", "length"), CallError("no")])
def test_a_bad_answer_is_never_kept(bad: Any, tmp_path: Path) -> None:
    path = tmp_path / "memo.sqlite"
    with pytest.raises((ReplyError, CallError)):
        asked(StubModel(lambda _: bad), memo=path)
    healed = StubModel(lambda _: "3")
    assert asked(healed, memo=path) == 3
    assert len(healed.requests) == 1


def test_an_empty_reply_is_not_shown_as_an_empty_message() -> None:
    stub = StubModel(lambda request: "3" if len(request.messages) == 3 else "")
    assert asked(stub) == 3
    assert all(message["content"] for message in stub.requests[1].messages)


def test_identical_requests_in_flight_are_made_once() -> None:
    stub = StubModel(lambda request: str(len(said(request))))
    model, _ = stage_model(stub)

    async def main() -> list[int]:
        return await asyncio.gather(*(model.ask(user("x" * (i % 3)), number) for i in range(30)))

    assert asyncio.run(main()) == [i % 3 for i in range(30)]
    assert sorted(stub.asked.values()) == [1, 1, 1]
    assert model.model.meter.to_dict("stage")["memo_hits"] == 27
    assert model.model.asking == {}


def test_of_identical_requests_the_next_asks_where_the_first_failed_or_was_cancelled(tmp_path: Path) -> None:
    answers: list[Any] = [CallError("no"), "3"]
    model, _ = stage_model(StubModel(lambda _: answers.pop(0)))

    async def main() -> list[Any]:
        return await asyncio.gather(*(model.ask(user("?"), number) for _ in range(3)), return_exceptions=True)

    first, *rest = asyncio.run(main())
    assert isinstance(first, CallError) and rest == [3, 3]

    with StubServer(lambda _: Fault("3", delay=0.2)) as server:

        async def cancelled(stage: StageModel) -> int:
            leaving = asyncio.create_task(stage.ask(user("?"), number))
            staying = asyncio.create_task(stage.ask(user("?"), number))
            await asyncio.sleep(0.05)
            leaving.cancel()
            return await staying

        with opened(server, tmp_path) as model:
            assert asyncio.run(cancelled(model)) == 3


def test_a_budget_counts_repairs_and_stops_before_the_call() -> None:
    stub = StubModel(lambda _: "three")
    with pytest.raises(ModelError, match=r"llm\.max_calls"):
        asked(stub, max_calls=1)
    assert len(stub.requests) == 1
    stub = StubModel(lambda _: "3")
    with pytest.raises(ModelError, match=r"llm\.max_cost"):
        asked(stub, "x" * 4_000_000, max_cost=0.5, prices={"stub": Prices(input=1.0, output=1.0)})
    assert stub.requests == []


def test_a_budget_that_is_spent_keeps_what_is_in_flight_and_the_next_run_goes_on(tmp_path: Path) -> None:
    items = range(20)

    async def all_of(stage: StageModel) -> list[int | None]:
        first = asyncio.Event()

        async def work(i: int) -> int:
            if i:
                await first.wait()  # an item may wait for one before it
            result = await stage.ask(user(f"item {i}"), number)
            first.set()
            return result

        return await stage.map(work, items, str)

    with StubServer(lambda _: "3", latency=0.1) as server:
        with opened(server, tmp_path, max_calls=8) as stage, pytest.raises(ModelError, match=r"llm\.max_calls"):
            asyncio.run(all_of(stage))
        assert server.stats["answered"] == 8
        with opened(server, tmp_path, max_calls=12) as stage:
            assert asyncio.run(all_of(stage)) == [3] * 20
        assert max(server.prompts.values()) == 1
        with opened(server, tmp_path / "none", max_calls=0) as stage, pytest.raises(ModelError):
            asyncio.run(all_of(stage))


def test_what_has_begun_is_asked_and_kept_while_the_caller_computes(tmp_path: Path) -> None:
    items = range(60)  # more than may be in flight at once

    def n_kept() -> int:
        with closing(sqlite3.connect(tmp_path / "memo.sqlite")) as memo:
            return int(memo.execute("select count(*) from answers").fetchone()[0])

    with StubServer(lambda _: "3") as server, opened(server, tmp_path) as stage:
        early = stage.model.before_its_turn("next")

        async def work(i: int) -> int:
            return await early.ask(user(f"item {i}"), number)

        async def run() -> list[int | None]:
            for i in items:
                early.begin(work, i)
            ends = time.monotonic() + 20
            while n_kept() < len(items) and time.monotonic() < ends:
                time.sleep(0.01)  # the event loop of the caller stands still
            assert n_kept() == len(items)
            now = stage.model.of("next", [], Silence())
            return await now.map(lambda i: now.outcome(work, i), items, str)

        assert asyncio.run(run()) == [3] * len(items) and server.n_requests == len(items)


def test_what_no_request_can_be_answered_is_begun_no_more(tmp_path: Path) -> None:
    with StubServer(lambda _: Fault(status=401)) as server, opened(server, tmp_path, concurrency=2) as stage:
        early = stage.model.before_its_turn("next")

        async def work(i: int) -> int:
            return await early.ask(user(f"item {i}"), number)

        async def run() -> None:
            for i in range(60):
                early.begin(work, i)
            await asyncio.wait(map(asyncio.wrap_future, early.begun.values()))
            await early.map(lambda i: early.outcome(work, i), range(60), str)

        with pytest.raises(ModelError, match="refuses the key"):
            asyncio.run(run())
        assert server.n_requests <= 8


def test_failures_are_recorded_by_name_and_too_many_stop_the_stage() -> None:
    stub = StubModel(lambda request: "none" if "7" in request.messages[0]["content"] else "3")
    model, failures = stage_model(stub, max_failure_ratio=0.1)

    async def work(i: int) -> int:
        return await model.ask(user(f"item {i}"), number)

    results = asyncio.run(model.map(work, range(20), lambda i: f"unit {i}"))
    assert [i for i, result in enumerate(results) if result is None] == [7, 17]
    assert sorted(name for name, *_ in failures) == ["unit 17", "unit 7"]
    model, _ = stage_model(stub, max_failure_ratio=0.05)
    with pytest.raises(ModelError, match="2 of 20 could not be done"):
        asyncio.run(model.map(work, range(20), str))


def test_where_a_stage_ends_the_run_another_model_asked_early_is_heard_and_asked_nothing_more(tmp_path: Path) -> None:
    def reply(body: dict[str, Any]) -> Fault:
        return Fault("3", delay=0.2) if body["model"] == "other" else Fault(status=400)

    async def run(stage: StageModel) -> None:
        early = stage.model.before_its_turn("extract_claims")

        async def rounds(name: str) -> int:
            await early.ask(user(name), number)
            return await early.ask(user(f"more of {name}"), number)

        async def work(i: int) -> int:
            early.begin(rounds, "claims")
            while not server.n_requests:
                await asyncio.sleep(0.01)
            return await stage.ask(user(f"item {i}"), number)

        await stage.map(work, range(2), str)

    with StubServer(reply) as server:
        models = {"extract_claims": "other"}
        with opened(server, tmp_path, models=models) as stage, pytest.raises(ModelError, match="could not be done"):
            asyncio.run(run(stage))
        assert [body["messages"][0]["content"] for body in server.requests if body["model"] == "other"] == ["claims"]
    with closing(sqlite3.connect(tmp_path / "memo.sqlite")) as memo:
        assert memo.execute("select count(*) from answers").fetchone()[0] == 1


def test_a_model_that_gives_up_by_itself_is_a_failure_and_never_nothing() -> None:
    class GivesUp(StubModel):
        async def complete(self, request: Request) -> Reply:
            if "7" in said(request):
                raise asyncio.CancelledError
            return await super().complete(request)

    model, failures = stage_model(GivesUp(lambda _: "3"))

    async def work(i: int) -> int:
        return await model.ask(user(f"item {i}"), number)

    assert asyncio.run(model.map(work, range(10), str)) == [None if i == 7 else 3 for i in range(10)]
    assert [name for name, *_ in failures] == ["7"]


def test_too_many_failures_keep_what_is_in_flight_and_ask_nothing_more(tmp_path: Path) -> None:
    def reply(body: dict[str, Any]) -> Fault:
        return Fault(status=400) if "bad" in body["messages"][0]["content"] else Fault("3", delay=0.1)

    async def all_of(stage: StageModel) -> list[int | None]:
        async def work(name: str) -> int:
            await stage.ask(user(name), number)
            return await stage.ask(user(f"more of {name}"), number)

        return await stage.map(work, ["good 0", "bad 1", "bad 2", *(f"good {i}" for i in range(3, 100))], str)

    with StubServer(reply) as server:
        with opened(server, tmp_path, max_failure_ratio=0.01, concurrency=2) as stage:
            with pytest.raises(ModelError, match="2 of 100 could not be done"):
                asyncio.run(all_of(stage))
            assert [name for name, *_ in stage.failures] == ["bad 1", "bad 2"]
        asked = {body["messages"][0]["content"] for body in server.requests}
        begun = asked - {"bad 1", "bad 2"}
        least = {f"good {i}" for i in (0, *range(3, 2 * AHEAD))}
        more = {f"good {2 * AHEAD}"}  # begun after the first failure, if the second one was later
        assert least <= begun <= least | more, "no other item, and no second request"
        with opened(server, tmp_path) as stage:
            assert [asyncio.run(stage.ask(user(name), number)) for name in sorted(begun)] == [3] * len(begun)
            assert stage.model.meter.to_dict("stage")["memo_hits"] == len(begun)


def test_a_stream_is_kept_once_it_is_whole(tmp_path: Path) -> None:
    with StubServer(lambda _: "Marley was dead.") as server, opened(server, tmp_path) as model:

        async def read() -> list[str]:
            return [piece async for piece in model.stream(user("?"))]

        assert asyncio.run(read()) == ["Marley was dead."]
        assert asyncio.run(read()) == ["Marley was dead."]
        assert server.n_requests == 1
        server.reply = lambda _: Fault("Marley was dead.", finish_reason="length")

        async def other() -> list[str]:
            return [piece async for piece in model.stream(user("other?"))]

        for _ in range(2):
            with pytest.raises(ReplyError, match="cut off"):
                asyncio.run(other())
        assert server.n_requests == 3


def test_yes_and_no_go_through_the_whole_client(tmp_path: Path) -> None:
    with StubServer(lambda body: "Yes" if "logit_bias" in body else "no") as server:
        with opened(server, tmp_path / "a") as model:
            assert asyncio.run(model.yes(user("More?"))) is True
        server.refuses_logit_bias = True
        with opened(server, tmp_path / "b") as model:
            assert asyncio.run(model.yes(user("More?"))) is False
