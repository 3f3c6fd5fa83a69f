"""Method standard over HTTP with an oracle that knows what held when, with ends hidden; and with one that lies."""

import json
from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from gold_oracle import LIE, Fact, oracle, wrong
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


def test_a_liar_is_stopped_by_what_texts_state_of_ends_on_a_first_run_too(tmp_path: Path) -> None:
    """Several things are sold at once: that is what the stated ends of some say. The truth about it is published."""
    spans = ("1990", "2005"), ("1994", "2006"), ("1996", ""), ("1999", ""), ("2002", "")
    texts = {
        f"Firm {n} sells.": [Fact(f"Firm {n}", "SELLS", f"Thing {n}{place}", *span) for place, span in enumerate(spans)]
        for n in range(12)
    }
    (tmp_path / "c.jsonl").write_text("".join(json.dumps({"id": text, "text": text}) + "\n" for text in texts))
    truth = oracle(texts, ends=True)

    def liar(body: Mapping[str, Any]) -> str:
        return LIE if recognise(prompt_of(body))[0] == "fold_facts.md" else truth(body)

    stopped = pytest.raises(InputError, match="several values at once")
    for name, reply, told in (("liar", liar, stopped), ("truth", truth, nullcontext())):
        root = tmp_path / name
        with StubServer(reply) as server, told:
            graphrag_lite.index(tmp_path / "c.jsonl", root, overrides=[*SETTINGS, f"llm.base_url={server.url}"])
        assert (root / "output" / "current").exists() == (reply is truth)


def test_what_held_is_what_gold_says_and_a_liar_is_stopped(tmp_path: Path) -> None:
    """What can be had beside each other goes on."""
    assert wrong(facts_of(tmp_path, TEXTS), EVERY) == []
    published = (tmp_path / "output" / "current").read_text()
    with pytest.raises(InputError, match="max_ended_share"):
        facts_of(tmp_path, TEXTS | LIES, lies=True)
    assert (tmp_path / "output" / "current").read_text() == published
