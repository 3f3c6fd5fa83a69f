"""A run that its budget stops: the old index stays, a message says why, and nothing is paid for twice."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import stub_replies
from last_snapshot import bytes_of
from stub_model import StubModel

from graphrag_lite import pipeline
from graphrag_lite.cli import main
from graphrag_lite.errors import ModelError
from graphrag_lite.llm.chat import Request
from graphrag_lite.run import snapshots
from graphrag_lite.run.loop import Run
from graphrag_lite.settings import Settings

NOTES = Path(__file__).parents[1] / "examples" / "corpus" / "notes"
Corpus = Callable[..., Path]
PRICES = {"stub": {"input": 1.0, "output": 10.0}}


def stub() -> StubModel:
    return StubModel(lambda request: stub_replies.reply(request.messages))


def index(corpus: Path, output: Path, model: StubModel, **llm: Any) -> Run:
    values = {"method": "standard", "llm": {"model": "stub", "prices": PRICES, **llm}}
    return pipeline.index(corpus, output, Settings.model_validate(values), model=model)


@pytest.fixture
def notes(corpus: Corpus) -> Path:
    return corpus({path.name: path.read_bytes() for path in sorted(NOTES.iterdir())[:12]})


@pytest.mark.parametrize("limit", [{"max_calls": 15}, {"max_cost": 0.06}], ids=["max_calls", "max_cost"])
def test_a_run_goes_on_in_steps_and_pays_for_nothing_twice(
    limit: dict[str, float], notes: Path, tmp_path: Path
) -> None:
    once = stub()
    undisturbed = index(notes, tmp_path / "once", once)
    output, asked = tmp_path / "steps" / "output", stub()
    messages = []
    for _ in range(20):
        before = len(asked.requests)
        try:
            run = index(notes, output, asked, **limit)
        except ModelError as error:
            messages.append(str(error))
            assert not (output / "current").exists(), "half an index is not published"
            assert len(asked.requests) > before, "every step gets on"
            if "max_calls" in limit:
                assert len(asked.requests) - before == limit["max_calls"]
        else:
            break
    assert len(messages) >= 2
    assert all(f"llm.{next(iter(limit))}" in message and "kept" in message for message in messages)
    assert set(asked.asked.values()) == {1}, "no question was paid for twice"
    assert asked.asked == once.asked
    assert bytes_of(run.snapshot) == bytes_of(undisturbed.snapshot)


def test_the_snapshot_before_stays_current(notes: Path, tmp_path: Path) -> None:
    output, model = tmp_path / "output", stub()
    first = index(notes, output, model)
    content = bytes_of(first.snapshot)
    (notes / "new.txt").write_text("Vera Rubin met Kent Ford in Tucson.\n" * 3)
    with pytest.raises(ModelError, match=r"llm\.max_calls"):
        index(notes, output, model, max_calls=1)
    assert snapshots.current(output) == first.snapshot and bytes_of(first.snapshot) == content
    run = index(notes, output, model)
    assert run.changed and run.snapshot != first.snapshot and set(model.asked.values()) == {1}


def test_the_command_ends_with_one_message(notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from click.testing import CliRunner

    original, model = pipeline.index, stub()
    monkeypatch.setattr(pipeline, "index", lambda *args, **options: original(*args, **options, model=model))
    arguments = ["index", str(notes), "--root", str(tmp_path), "--set", "method=standard", "--set", "llm.model=stub"]
    result = CliRunner().invoke(main, [*arguments, "--set", "llm.max_calls=3"], catch_exceptions=False)
    assert result.exit_code == 1 and not result.stdout
    assert result.stderr.count("Error: ") == 1 and "llm.max_calls" in result.stderr and "run again" in result.stderr
    assert len(model.requests) == 3 and not (tmp_path / "output" / "current").exists()
    assert CliRunner().invoke(main, arguments, catch_exceptions=False).exit_code == 0


def test_a_budget_of_nothing_asks_nothing(notes: Path, tmp_path: Path) -> None:
    model = stub()
    with pytest.raises(ModelError, match=r"llm\.max_calls"):
        index(notes, tmp_path / "output", model, max_calls=0)
    assert not model.requests


def test_the_repair_of_a_reply_is_a_call_as_well(notes: Path, tmp_path: Path) -> None:
    def reply(request: Request) -> str:
        broken = len(request.messages) == 1 and request.messages[0]["content"].startswith("Extract a graph")
        return "Sorry." if broken else stub_replies.reply(request.messages[:1])

    model = StubModel(reply)
    with pytest.raises(ModelError, match=r"llm\.max_calls"):
        index(notes, tmp_path / "output", model, max_calls=5, concurrency=1)
    assert len(model.requests) == 5
