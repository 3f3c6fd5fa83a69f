"""A plan says what a run will ask: compared with what the run after it does ask."""

import json
import shutil
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest
import stub_replies
from click.testing import CliRunner
from stub_model import StubModel

from graphrag_lite import pipeline
from graphrag_lite.cli import main
from graphrag_lite.errors import ModelError, SettingsError
from graphrag_lite.llm.chat import Reply, Request, Usage
from graphrag_lite.ops import planning
from graphrag_lite.ops.estimates import Estimates
from graphrag_lite.ops.planning import Plan, PlannedCalls
from graphrag_lite.run.loop import Run
from graphrag_lite.settings import Settings
from graphrag_lite.text.tokens import token_counter

EXAMPLE = Path(__file__).parents[2] / "examples" / "corpus"
COUNT = token_counter("cl100k_base")


def said(request: Request) -> Reply:
    """Reply with the tokens that the plan counts, as an endpoint would."""
    text = stub_replies.reply(request.messages)
    return Reply(text, "stop", Usage(n_tokens(request), 0, COUNT(text)))


def n_tokens(request: Request) -> int:
    return sum(COUNT(message["content"]) for message in request.messages)


def settings(**changes: Any) -> Settings:
    values: dict[str, Any] = {"method": "standard", "llm": {"model": "stub"}}
    for name, value in changes.items():
        values[name] = {**values.get(name, {}), **value} if isinstance(value, dict) else value
    return Settings.model_validate(values)


def plan(corpus: Path, output: Path, **changes: Any) -> Plan:
    return planning.plan(corpus, output, settings(**changes), StubModel(said))


def index(corpus: Path, output: Path, **changes: Any) -> tuple[Run, list[Request]]:
    stub = StubModel(said)
    return pipeline.index(corpus, output, settings(**changes), model=stub), stub.requests


def steps(made: Plan) -> dict[str, PlannedCalls]:
    return {f"{step.stage} {step.step}".strip(): step for step in made.steps}


def asked(requests: list[Request], prompt: str) -> list[Request]:
    return [r for r in requests if stub_replies.recognise(r.messages[-1]["content"])[0] == prompt]


@pytest.fixture
def output(tmp_path: Path) -> Path:
    return tmp_path / "root" / "output"


@pytest.fixture(scope="module")
def made(some_notes: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Run, list[Request]]:
    """An output folder with the index of the notes, to be copied, and what it asked."""
    output = tmp_path_factory.mktemp("root") / "output"
    return output, *index(some_notes, output)


@pytest.fixture
def first(made: tuple[Path, Run, list[Request]], output: Path) -> Run:
    """The same in `output`, to be changed."""
    shutil.copytree(made[0], output)
    return made[1]


def test_the_first_pass_is_exact_and_a_round_a_unit_follows(
    notes: Path, output: Path, made: tuple[Path, Run, list[Request]]
) -> None:
    planned, requests = steps(plan(notes, output)), made[2]
    first = asked(requests, "extract_graph.md")
    assert planned["extract_graph first pass"].calls == len(first) > 20
    assert planned["extract_graph first pass"].prompt_tokens == sum(map(n_tokens, first))
    assert planned["extract_graph first pass"].exact
    assert "extract_graph anything missed?" not in planned and not asked(requests, "extract_graph_missed.md")
    assert planned["extract_graph what was missed"].calls == len(asked(requests, "extract_graph_more.md")) == len(first)
    later = ("resolve_entities", "summarize_descriptions", "report_communities")
    assert not any(planned[name].exact for name in later) and all(planned[name].calls > 0 for name in later)
    bases = [planned[name].basis for name in later]
    assert ["guess" in basis for basis in bases] == [True, True, False]
    assert "extract_claims" not in planned, "claims are off by default"


def test_cheaper_choices_are_planned_beside_it_where_nothing_is_kept(notes: Path, output: Path) -> None:
    (notes / "long.txt").write_text("\n\n".join(f"Vera Rubin met Kent Ford in Tucson, day {n}." for n in range(200)))

    def choices(**changes: Any) -> Plan:
        made = plan(notes, output, **changes)
        return planning.with_choices(made, notes, output, settings(**changes), StubModel(said))

    made = choices()
    fewer, once = made.cheaper
    assert (fewer.setting, once.setting) == ("split_text_units.size=1200", "extract_graph.max_gleanings=0")
    assert max(fewer.prompt_tokens, once.prompt_tokens) < made.total.prompt_tokens
    changes: list[dict[str, Any]] = [{"split_text_units": {"size": 1200}}, {"extract_graph": {"max_gleanings": 0}}]
    for choice, change in zip(made.cheaper, changes, strict=True):
        total = plan(notes, output, **change).total
        assert (choice.calls, choice.prompt_tokens, choice.cost) == (total.calls, total.prompt_tokens, total.cost)
    assert [c.setting for c in choices(extract_graph={"max_gleanings": 0}).cheaper] == [fewer.setting]
    index(notes, output)
    (notes / "new.txt").write_text("Vera Rubin met Kent Ford in Tucson.\n")
    assert not choices().cheaper, "what is kept would be asked anew"


def test_nothing_is_written_and_no_key_is_needed(
    notes: Path, output: Path, made: tuple[Path, Run, list[Request]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    before = sorted(tmp_path.rglob("*"))
    planned = planning.plan(notes, output, settings(llm={"model": "gpt-4o-mini", "base_url": "http://127.0.0.1:9/v1"}))
    assert planned.total.calls > 0 and planned.documents == 25
    assert sorted(tmp_path.rglob("*")) == before
    shutil.copytree(made[0], output)
    files = {path: path.read_bytes() for path in output.rglob("*") if path.is_file()}
    (notes / "new.txt").write_text("Vera Rubin met Kent Ford in Tucson.\n")
    plan(notes, output)
    after = {path: path.read_bytes() for path in output.rglob("*") if path.is_file()}
    lookups = ("memo.sqlite-shm", "memo.sqlite-wal")  # SQLite's own, of no content: the memo was opened to be read
    assert {path: content for path, content in after.items() if path.name not in lookups} == files
    assert not (output / "memo.sqlite-wal").exists() or not after[output / "memo.sqlite-wal"]


@pytest.mark.usefixtures("first")
def test_after_a_run_there_is_nothing_to_ask(notes: Path, output: Path) -> None:
    made = plan(notes, output)
    stages = "extract_graph resolve_entities fold_facts summarize_descriptions report_communities"
    assert {step.stage for step in made.steps} == set(stages.split())
    assert all((step.calls, step.prompt_tokens, step.exact) == (0, 0, True) for step in (*made.steps, made.total))


def test_stages_that_run_again_on_kept_answers_ask_nothing(notes: Path, output: Path, first: Run) -> None:
    (output / "current").unlink()
    made = plan(notes, output)
    assert made.total.calls == made.total.prompt_tokens == 0 and made.total.exact
    hits = {name: sum(step.memo_hits for step in made.steps if step.stage == name) for name in first.usage}
    again, requests = index(notes, output)
    assert not requests and {name: usage["memo_hits"] for name, usage in again.usage.items()} == hits
    assert sum(hits.values()) > 50


def test_a_new_document_is_planned_alone_and_by_what_the_last_run_has_told(
    notes: Path, output: Path, first: Run
) -> None:
    (notes / "new.txt").write_text("Vera Rubin met Kent Ford in Tucson. Kent Ford built the spectrograph.\n")
    made = steps(plan(notes, output))
    _, requests = index(notes, output)
    new = asked(requests, "extract_graph.md")
    assert made["extract_graph first pass"].calls == len(new) == 1
    assert made["extract_graph first pass"].prompt_tokens == n_tokens(new[0])
    assert made["extract_graph first pass"].memo_hits == 0, "texts that stand as they stood need no answer"
    reports = made["report_communities"]
    assert reports.basis.startswith("estimate: as in the last run")
    assert 0 < reports.calls < first.usage["report_communities"]["calls"]


def test_a_run_that_was_stopped_is_planned_from_where_it_stands(notes: Path, output: Path) -> None:
    whole = plan(notes, output)
    with pytest.raises(ModelError, match="max_calls"):
        index(notes, output, llm={"model": "stub", "max_calls": 30, "concurrency": 1})
    rest = plan(notes, output)
    _, requests = index(notes, output)
    made = steps(rest)
    first, more = asked(requests, "extract_graph.md"), asked(requests, "extract_graph_more.md")
    assert made["extract_graph first pass"].calls == len(first) < steps(whole)["extract_graph first pass"].calls
    assert made["extract_graph first pass"].prompt_tokens == sum(map(n_tokens, first))
    assert made["extract_graph what was missed"].calls == len(more)
    assert made["extract_graph what was missed"].memo_hits > 0


def test_the_last_run_tells_how_often_something_was_missed(
    notes: Path, output: Path, first: Run, made: tuple[Path, Run, list[Request]]
) -> None:
    usage = first.usage["extract_graph"]
    again = steps(plan(notes, output, extract_graph={"entity_types": ["ship"]}))  # another prompt: all is asked again
    assert again["extract_graph what was missed"].calls == len(asked(made[2], "extract_graph_more.md"))
    total = sum(step.completion_tokens for step in again.values() if step.stage == "extract_graph")
    assert total == pytest.approx(usage["completion_tokens"], rel=0.02)
    other = steps(planning.plan(notes, output, settings(llm={"model": "other"}), StubModel(said, "other")))
    assert "last run" not in other["report_communities"].basis, "another model's rates"


def test_gleanings_that_are_off_are_not_planned(notes: Path, output: Path) -> None:
    made = plan(notes, output, extract_graph={"max_gleanings": 0})
    assert [step.step for step in made.steps if step.stage == "extract_graph"] == ["first pass"]
    claims = steps(plan(notes, output, extract_claims={"enabled": True}))
    assert claims["extract_claims first pass"].calls == made.steps[0].calls > 20
    alone = steps(plan(notes, output, resolve_entities={"model": False}))
    assert "resolve_entities" not in alone


@pytest.mark.usefixtures("first")
def test_claims_that_are_switched_on_are_asked_of_every_unit(notes: Path, output: Path) -> None:
    claims = {"enabled": True}
    made = steps(plan(notes, output, extract_claims=claims))
    (notes / "new.txt").write_text("Vera Rubin met Kent Ford in Tucson.\n")
    guessed = steps(plan(notes, output, extract_claims=claims))
    (notes / "new.txt").unlink()
    _, requests = index(notes, output, extract_claims=claims)
    first, more = asked(requests, "extract_claims.md"), asked(requests, "extract_claims_more.md")
    assert made["extract_claims first pass"].calls == len(first) > 20 and made["extract_claims first pass"].exact
    assert made["extract_claims first pass"].prompt_tokens == sum(map(n_tokens, first))
    assert made["extract_claims what was missed"].calls == len(more)
    assert made["extract_graph"].basis == "unchanged" and not made["report_communities"].exact
    assert guessed["extract_claims first pass"].calls == len(first) + 1


@pytest.mark.parametrize(("size", "rounds"), [(300, 2), (600, 0), (1200, 1)])
def test_claims_of_a_new_corpus_are_planned_a_text_unit(notes: Path, output: Path, size: int, rounds: int) -> None:
    """No fewer than are asked, and of each kind no more than can be."""
    changes = {"extract_claims": {"enabled": True, "max_gleanings": rounds}}
    changes["split_text_units"] = {"size": size, "overlap": size // 6}
    made = steps(plan(notes, output, **changes))
    _, requests = index(notes, output, **changes)
    first = asked(requests, "extract_claims.md")
    assert made["extract_claims first pass"].calls == len(first) > 20
    assert made["extract_claims first pass"].prompt_tokens == pytest.approx(sum(map(n_tokens, first)), rel=0.2)
    for step, prompt in (("anything missed?", "missed"), ("what was missed", "more")):
        planned = made[f"extract_claims {step}"].calls if f"extract_claims {step}" in made else 0
        assert len(asked(requests, f"extract_claims_{prompt}.md")) <= planned <= rounds * len(first)


@pytest.mark.usefixtures("first")
def test_what_follows_on_a_missing_answer_is_no_longer_exact(notes: Path, output: Path) -> None:
    """Pairs of names are asked about anew, and whatever comes of it may change what reads it."""
    with sqlite3.connect(output / "memo.sqlite") as memo:
        rows = memo.execute("select key, reply from answers").fetchall()
        pairs = [(key,) for key, reply in rows if "same" in reply and "findings" not in reply]
        memo.executemany("delete from answers where key = ?", pairs)
    memo.close()
    made = steps(plan(notes, output, resolve_entities={"max_pairs": 19}))
    assert made["resolve_entities"].calls > 0 and not made["resolve_entities"].exact
    assert made["extract_graph"].basis == "unchanged"
    assert not made["report_communities"].exact and made["report_communities"].memo_hits == 0, "they would be kept"


def test_reports_that_would_be_kept_are_not_planned(notes: Path, output: Path, first: Run) -> None:
    """Where all answers about the text are kept: after a document was deleted, or has come back."""
    gone = notes / "1981-stsci-founded.md"
    content = gone.read_text()
    for change in (gone.unlink, lambda: gone.write_text(content)):
        change()
        made = steps(plan(notes, output))["report_communities"]
        run, requests = index(notes, output)
        own = asked(requests, "report_communities.md")
        usage = run.usage["report_communities"]
        assert (made.calls, made.memo_hits) == (usage["calls"], usage["memo_hits"]) and usage["calls"] == len(own)
        assert made.prompt_tokens == sum(map(n_tokens, own)), made
        assert 0 < made.calls + made.memo_hits < first.usage["report_communities"]["calls"] / 2


@pytest.mark.usefixtures("first")
def test_a_run_that_kept_reports_tells_how_many_there_are(notes: Path, output: Path) -> None:
    """Else the next plan would take the few that it wrote for all."""
    before = Estimates.of(output, settings()).rate("report_communities").calls
    (notes / "new.txt").write_text("Vera Rubin met Kent Ford in Tucson.\n")
    run, _ = index(notes, output)
    assert run.usage["report_communities"]["calls"] + run.usage["report_communities"]["memo_hits"] < 10
    assert Estimates.of(output, settings()).rate("report_communities").calls == pytest.approx(before, rel=0.1)


def test_method_fast_asks_nothing(notes: Path, output: Path) -> None:
    made = planning.plan(notes, output, Settings())
    assert (made.method, made.model, made.steps, made.total.calls) == ("fast", None, (), 0)


class Embedder:
    """An embedding model that counts the tokens that the plan counts."""

    identity: ClassVar = {"model": "vectors"}

    async def check(self) -> None: ...

    async def embed(self, texts: Sequence[str]) -> tuple[list[list[float]], Usage]:
        return [[1.0, len(text)] for text in texts], Usage(sum(map(COUNT, texts)))


@pytest.mark.parametrize("method", ["fast", "standard"])
def test_embeddings_are_counted_exactly(method: str, notes: Path, output: Path) -> None:
    prices = {"vectors": {"input": 20.0}, **PRICES}
    values = settings(method=method, llm={"prices": prices}, embeddings={"model": "vectors", "batch_size": 8})
    model = StubModel(said)

    def compare() -> PlannedCalls:
        made = planning.plan(notes, output, values, model, Embedder())
        spent = pipeline.index(notes, output, values, model=model, embedder=Embedder()).usage["embed_text_units"]
        step = made.steps[-1]
        assert (step.stage, step.exact, made.embedding_model) == ("embed_text_units", True, "vectors")
        assert (step.calls, step.memo_hits, step.prompt_tokens) == tuple(
            spent[name] for name in ("calls", "memo_hits", "prompt_tokens")
        )
        assert step.cost == pytest.approx(spent["cost"], abs=1e-6) and made.total.calls >= step.calls
        assert method == "standard" or made.steps == (step,)
        assert (made.method, made.documents > 0, made.text_units > 0) == (method, True, True)
        return step

    assert compare().calls > 4
    (notes / "new.txt").write_text("Vera Rubin met Kent Ford in Tucson.\n")
    grown = compare()
    assert grown.calls <= 2 and 0 < grown.prompt_tokens < 100
    low = values.model_copy(update={"llm": values.llm.model_copy(update={"max_calls": 0})})
    (notes / "more.txt").write_text("Kent Ford built a camera in Flagstaff.\n")
    stop = planning.plan(notes, output, low, model, Embedder()).stop
    assert stop and (stop.setting, stop.limit) == ("llm.max_calls", 0)


def test_the_page_of_a_plan_names_the_embedding_model(notes: Path, tmp_path: Path) -> None:
    told = command("plan", notes, "--root", tmp_path / "root", "--set", "embeddings.model=text-embedding-3-small")
    assert "Embeddings by text-embedding-3-small: 25 documents" in told and "<$0.01" in told
    assert "asks no model" not in told and "embed_text_units" in told and "not known" not in told
    both = command("plan", notes, "--root", tmp_path / "root", *STANDARD, "--set", "embeddings.model=other")
    assert "Model our-own, other: " in both and "The prices of other are not known" in both


PRICES = {"stub": {"input": 1.0, "output": 10.0}}


def test_prices_make_costs_and_a_budget_says_where_it_ends(notes: Path, output: Path) -> None:
    free = plan(notes, output)
    assert free.total.cost is None and free.stop is None
    priced = plan(notes, output, llm={"prices": PRICES})
    for step in (*priced.steps, priced.total):
        assert step.cost == pytest.approx((step.prompt_tokens + 10 * step.completion_tokens) / 1e6, abs=2e-6)
    first, total = priced.steps[0], priced.total
    assert first.cost and total.cost
    stops = [
        ({"max_calls": first.calls - 1}, "llm.max_calls", "extract_graph"),
        ({"max_calls": total.calls - 1}, "llm.max_calls", "report_communities"),
        ({"max_calls": total.calls}, None, None),
        ({"max_cost": first.cost / 2, "prices": PRICES}, "llm.max_cost", "extract_graph"),
        ({"max_cost": total.cost * 0.999, "prices": PRICES}, "llm.max_cost", "report_communities"),
        ({"max_cost": total.cost * 1.001, "prices": PRICES}, None, None),
    ]
    for llm, setting, stage in stops:
        stop = plan(notes, output, llm=llm).stop
        assert (stop and stop.setting, stop and stop.stage) == (setting, stage), llm
    with pytest.raises(SettingsError, match=r"llm\.max_cost.*not known"):
        plan(notes, output, llm={"max_cost": 1.0})


def command(*arguments: object) -> str:
    result = CliRunner().invoke(main, [str(argument) for argument in arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


STANDARD = ("--set", "method=standard", "--set", "llm.model=our-own")


def test_the_command_says_what_is_exact_and_what_is_not(notes: Path, tmp_path: Path) -> None:
    root = ("--root", tmp_path / "root")
    told = command("plan", notes, *root, *STANDARD, "--set", "llm.max_calls=5")
    assert "  first pass" in told and "counted" in told and "(1) estimate: one a text unit" in told
    assert "prices of our-own are not known" in told and "llm.prices" in told and "$" not in told
    assert "llm.max_calls = 5 would stop this run in extract_graph" in told
    assert command("index", "--dry-run", notes, *root, *STANDARD, "--set", "llm.max_calls=5") == told
    prices = (*STANDARD, "--set", "llm.prices={our-own: {input: 1, output: 2}}")
    priced = command("plan", notes, *root, *prices)
    assert "not known" not in priced and "$" in priced
    plan_of_it = json.loads(command("plan", notes, *root, *prices, "--json"))
    cost, n = plan_of_it["total"]["cost"], sum(step["calls"] > 0 for step in plan_of_it["steps"])
    assert f"directly: ${cost:,.2f}, " in priced and " min where a call takes 10 s, 25 at once" in priced
    assert f"in batches (index --batch): ${cost / 2:,.2f}, up to {24 * n} hours" in priced
    assert "in batches" not in command("plan", notes, *root, *prices, "--set", "llm.provider=ollama")
    assert "nothing will be spent" in command("plan", notes, *root)
    assert not (tmp_path / "root").exists()


def test_the_json_is_what_the_docs_say(notes: Path, tmp_path: Path) -> None:
    printed = json.loads(command("plan", notes, "--root", tmp_path / "root", *STANDARD, "--json"))
    page = (EXAMPLE.parents[1] / "docs" / "json.md").read_text(encoding="utf-8")
    section = page[page.index("graphrag-lite plan") :]
    section = section[: section.index("\n## ")] if "\n## " in section else section
    documented = [
        name.strip() for line in section.splitlines() if line.startswith("| ") for name in line.split("|")[1].split(",")
    ]
    for names in (printed, printed["steps"][0], printed["total"]):
        assert set(names) <= set(documented)
    assert json.loads(command("index", notes, "--dry-run", "--root", tmp_path / "root", *STANDARD, "--json")) == printed


def test_columns_of_tables_are_told_where_no_model_is_asked(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    rows = "".join(f'T-{n},"It fails since update {n} of the server was installed.",Open\n' for n in range(6))
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "tickets.csv").write_text(f"Key,Description,Status\n{rows}", encoding="utf-8")
    with caplog.at_level("INFO"):
        assert planning.plan(tmp_path / "corpus", tmp_path / "output", Settings()).model is None
    assert "tickets.csv: 6 rows; id Key; text Description; few values Status." in caplog.text
