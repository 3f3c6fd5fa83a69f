"""Method standard over HTTP with an oracle that knows what held when, with ends hidden; and with one that lies."""

import json
from pathlib import Path
from typing import Any

import pytest
from gold_oracle import Fact, oracle, wrong
from stub_replies import recognise
from stub_server import StubServer, prompt_of

import graphrag_lite
from graphrag_lite.errors import InputError
from graphrag_lite.ops import planning
from graphrag_lite.settings import file as settings_file

SETTINGS = (
    *("method=standard", "llm.model=stub", "llm.models={fold_facts: small}"),
    "extract_graph.max_gleanings=0",
)
YEARS = ("1990", "1994-05", "2001", "2007")
TEXTS = {
    f"Firm {n}: who led it from {start}.": [
        Fact(f"Firm {n}", "LED_BY", f"Head {n}{place}", start, end),
        Fact(f"Firm {n}", "SELLS", f"Thing {n}{place}", start, "" if place else "1994-05"),
    ]
    for n in range(6)
    for place, (start, end) in enumerate(zip(YEARS, (*YEARS[1:], ""), strict=True))
}
EVERY = [fact for facts in TEXTS.values() for fact in facts]
LIES = {f"Later, {n}.": [fact._replace(object=f"Nobody {n}", start="2030", end="")] for n, fact in enumerate(EVERY)}


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")


def facts_of(root: Path, texts: dict[str, list[Fact]], **how: bool) -> list[dict[str, Any]]:
    """Index the texts by the oracle, and return `facts`."""
    (root / "c.jsonl").write_text("".join(json.dumps({"id": text, "text": text}) + "\n" for text in texts))
    with StubServer(oracle(texts, **how)) as server:
        overrides = [*SETTINGS, f"llm.base_url={server.url}"]
        rows: list[dict[str, Any]] = (
            graphrag_lite.index(root / "c.jsonl", root, overrides=overrides).arrow("facts").to_pylist()
        )
        by_stage = {(recognise(prompt_of(body))[0], body["model"]) for body in server.requests if "tools" not in body}
        assert ("fold_facts.md", "small") in by_stage and ("fold_facts.md", "stub") not in by_stage
        assert not any(model == "small" for name, model in by_stage if name != "fold_facts.md")
        again = planning.plan(root / "c.jsonl", root / "output", settings_file.load(root, None, overrides))
        assert again.total.calls == 0 and again.total.exact, "the answers of both models are kept"
        return rows


def test_what_held_is_what_gold_says_and_a_liar_is_stopped(tmp_path: Path) -> None:
    """What can be had beside each other goes on."""
    assert wrong(facts_of(tmp_path, TEXTS), EVERY) == []
    published = (tmp_path / "output" / "current").read_text()
    with pytest.raises(InputError, match="max_ended_share"):
        facts_of(tmp_path, TEXTS | LIES, lies=True)
    assert (tmp_path / "output" / "current").read_text() == published
