"""Thinking that a server leaves in its replies is no part of them, wherever they are read."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import stub_replies
from stub_model import StubModel, stage_model
from stub_server import Fault, StubServer

from graphrag_lite import pipeline, tables
from graphrag_lite.errors import ReplyError
from graphrag_lite.llm.chat import Message, Reply, Request
from graphrag_lite.llm.memo import Memo
from graphrag_lite.llm.model import open_model
from graphrag_lite.llm.stage_model import StageModel
from graphrag_lite.llm.thinking import without_thinking
from graphrag_lite.search.answer import NOTHING
from graphrag_lite.search.index import Index
from graphrag_lite.settings import Settings
from graphrag_lite.settings.models import Llm
from graphrag_lite.watch import Silence

DRAFT = 'No. ("entity"<|>Draft Person<|>person<|>A draft.)\n{"title": "Draft", "points": []} It died [1].'
SHAPES: list[Callable[[str], str]] = [
    lambda reply: f"{DRAFT}\n</think>\n\n{reply}",
    lambda reply: f"{DRAFT} so</think>{reply}",
    lambda reply: f"<think>{DRAFT}</think>{reply}",
    lambda reply: f"\n<thinking>\n{DRAFT}\n</thinking>\n{reply}",
    lambda reply: f"{DRAFT}\n</think>\n<think>\n\n</think>\n{reply}",
    lambda reply: f"{DRAFT}\n</THINK>\n{reply}",
]
MESSAGES: list[Message] = [{"role": "user", "content": "Who?"}]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("reply", ["Yes.", "", '{"same": []}', '("entity"<|>A<|>person<|>B)', "# A\n\nHe died [1]."])
def test_only_the_reply_is_left(shape: Callable[[str], str], reply: str) -> None:
    assert without_thinking(shape(reply)) == reply == without_thinking(reply)


@pytest.mark.parametrize(
    "text",
    [
        "Servers leave a `</think>` in the text [3]. A parser cuts at it.",
        'The closing tag is "</think>" [2].',
        "They wrap it in <think> and </think>, and cut it.",
        "In the template </think> ends the reasoning [4].",
        "It ends with </think>. Then it speaks.",
        '("entity"<|></think><|>concept<|>The </think> tag.)',
        '{"title": "Tags", "summary": "Thinking ends at\\n</think>\\nand so on [1]."}',
        "```\n<think>\nHm.\n</think>\n```\nis how it looks [1].",
        "No tag at all, but I think.",
    ],
)
def test_a_tag_that_an_answer_speaks_of_is_left(text: str) -> None:
    assert without_thinking(text) == text
    assert (
        without_thinking(f"Draft.\n</think>\n\n{text}") == text
        and without_thinking(f"<think>Draft.</think>{text}") == text
    )


@pytest.mark.parametrize("cut", ["<think>He is", "<thinking>\nHe", "He is it.\n</think>\n\n", "<think></think>"])
@pytest.mark.parametrize("finish_reason", ["stop", "length"])
def test_a_reply_of_thinking_alone_is_asked_for_again(cut: str, finish_reason: str, tmp_path: Path) -> None:
    with (
        StubServer(lambda _: Fault(cut, finish_reason=finish_reason)) as server,
        open_model(Llm(model="m", base_url=server.url), tmp_path) as model,
    ):
        stage = model.of("stage", [], Silence())
        with pytest.raises(ReplyError):
            asyncio.run(stage.ask(MESSAGES, str))
        assert server.n_requests == 2 and cut.strip() not in json.dumps(server.requests[1])
        with pytest.raises(ReplyError):
            asyncio.run(read(stage))
        server.reply = lambda _: "Marley."
        assert asyncio.run(stage.ask(MESSAGES, str)) == "Marley."


def test_thinking_in_a_field_of_its_own_is_not_read(tmp_path: Path) -> None:
    parts = [{"type": "reasoning", "text": DRAFT}, {"type": "text", "text": "Marley."}]
    for i, message in enumerate([{"reasoning_content": DRAFT}, {"reasoning": DRAFT, "content": parts}]):
        with (
            StubServer(lambda _, m=message: Fault("Marley.", message_fields=m)) as server,
            open_model(Llm(model=f"m{i}", base_url=server.url), tmp_path) as model,
        ):
            assert asyncio.run(model.of("stage", [], Silence()).ask(MESSAGES, str)) == "Marley."


@pytest.mark.parametrize("shape", SHAPES)
def test_replies_that_earlier_versions_kept_are_read_without_it(shape: Callable[[str], str], tmp_path: Path) -> None:
    stub = StubModel(lambda _: "asked again")
    memo = Memo(tmp_path / "memo.sqlite")
    for request, reply in ((Request(MESSAGES), "Marley."), (Request(MESSAGES, None, ("Yes", "No")), "Yes")):
        asyncio.run(memo.put(Memo.key(stub.identity, request), Reply(shape(reply))))
    stage, _ = stage_model(stub, memo=tmp_path / "memo.sqlite")
    assert asyncio.run(stage.ask(MESSAGES, str)) == "Marley." and asyncio.run(read(stage)) == ["Marley."]
    assert asyncio.run(stage.yes(MESSAGES)) and not stub.requests
    asyncio.run(memo.put(Memo.key(stub.identity, Request(MESSAGES)), Reply("<think>He is")))
    assert asyncio.run(stage.ask(MESSAGES, str)) == "asked again"


async def read(stage: StageModel, text: str = "Who?") -> list[str]:
    return [piece async for piece in stage.stream([{"role": "user", "content": text}])]


def test_a_model_is_heard_in_pieces_once_it_is_known_to_speak_at_once(tmp_path: Path) -> None:
    with (
        StubServer(lambda _: "Marley was dead.") as server,
        open_model(Llm(model="m", base_url=server.url), tmp_path) as model,
    ):
        stage = model.of("stage", [], Silence())
        assert asyncio.run(read(stage, "one")) == ["Marley was dead."]
        assert asyncio.run(read(stage, "two")) == ["Marley ", "was ", "dead."]
        server.reply = lambda _: "<think>Hm, Marley.</think>Marley was dead."
        assert "".join(asyncio.run(read(stage, "three"))) == "Marley was dead."
        server.reply = lambda _: f"{DRAFT}\n</think>\n\nMarley was dead."
        with pytest.raises(ReplyError, match="ask again"):
            asyncio.run(read(stage, "four"))
        assert asyncio.run(read(stage, "four")) == ["Marley was dead."]
        for question in ("five", "six"):
            assert asyncio.run(read(stage, question)) == ["Marley was dead."]
    assert server.n_requests == 6


def test_an_index_and_its_answers_are_as_without_it(notes: Path, tmp_path: Path) -> None:
    """Extraction, gleaning, claims, resolution, descriptions, reports, and answers by every method."""
    for path in sorted(notes.iterdir())[6:]:
        path.unlink()

    def shape(reply: str) -> str:
        return SHAPES[len(reply) % 3](reply)

    made: list[dict[str, Any]] = []
    said: list[Any] = []
    for name, change in (("plain", str), ("thinking", shape)):
        with StubServer(lambda body, c=change: c(stub_replies.answer(body)), refuses_logit_bias=True) as server:
            values = {
                "method": "standard",
                "llm": {"model": "m", "base_url": server.url},
                "extract_claims": {"enabled": True},
                "summarize_descriptions": {"max_tokens": 50},
            }
            settings = Settings.model_validate(values)
            run = pipeline.index(notes, tmp_path / name / "output", settings)
            made.append({table: tables.read(run.snapshot, table).to_pylist() for table in tables.FINAL})
            index, shown = Index(run.snapshot, settings), list[str]()
            asked: list[Any] = [
                {"method": method, "show": shown.append} for method in ("local", "basic", "global", "drift")
            ]
            asked += [{"method": "global", "dynamic": True}, {"method": "global", "budget": 30}]
            said.append([index.query("Who built the telescope?", **options).answer for options in asked])
            assert "Draft" not in "".join(shown)
    assert made[0] == made[1] and made[0]["covariates"] and not made[0]["failures"]
    assert said[0] == said[1] and NOTHING not in said[0][:2]
