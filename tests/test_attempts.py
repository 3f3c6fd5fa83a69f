"""What one document, text unit or community raises is a failure of that one: the rest is published, and tried again."""

import functools
import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import stub_replies
from click.testing import CliRunner
from last_snapshot import bytes_of
from lessons import lessons
from stub_model import StubModel

from graphrag_lite import attempts, pipeline, tables
from graphrag_lite.cli import main
from graphrag_lite.errors import CallError, ModelError, ReplyError
from graphrag_lite.ops import check, tuning
from graphrag_lite.run import loop, snapshots, workers
from graphrag_lite.run.loop import Run
from graphrag_lite.settings import Settings

ODD = "Zebulon"  # who has it is what fails
TEXTS = {
    "a.txt": "Alice Smith met Bob Jones in Paris. Bob Jones works for Acme Corporation.\n",
    "b.txt": f"Carol White lives in Rome with Bob Jones. Carol White met {ODD} Pike and {ODD} Pike left Rome.\n",
    "c.txt": "Bob Jones, Carol White and Alice Smith wrote to Acme Corporation from Paris (New Acme Museum (NAM)). "
    "Later Jones and White met Smith in Rome again. Then Jones went to Paris, and White to London.\n",
}
STAGES = "graphrag_lite.stages."
# Stage, what is replaced, and whether a model extracts.
CASES = [
    ("load_documents", "graphrag_lite.read.formats.plain_text.stated_date", False),
    ("load_documents", "graphrag_lite.read.file_documents._document", False),
    ("load_documents", "graphrag_lite.text.language.detect", False),
    ("split_text_units", STAGES + "split_text_units.sentences", False),
    ("extract_graph_fast", STAGES + "extract_graph_fast.find_names", False),
    ("extract_facts_fast", STAGES + "extract_facts_fast.statements", False),
    ("resolve_entities", STAGES + "resolve_entities.lower_case_words", False),
    ("summarize_descriptions", "graphrag_lite.evidence.mention_forms.mention_form", False),
    ("summarize_descriptions", "graphrag_lite.evidence.describing_sentences._informs", False),
    ("report_communities_fast", "graphrag_lite.evidence.sentence_reading.speakers", False),
    ("report_communities_fast", "graphrag_lite.evidence.sentence_reading.terms", False),
    ("report_communities_fast", STAGES + "report_communities_fast.page", False),
    ("index_search", STAGES + "index_search.terms", False),
    ("index_search", "graphrag_lite.retrieval.stated_values.numbered_words", False),
    ("extract_graph", STAGES + "extract_graph.mentions_of", True),
    ("extract_claims", STAGES + "extract_claims._rows", True),
    ("report_communities", STAGES + "report_communities._row", True),
    ("summarize_descriptions", "graphrag_lite.evidence.describing_sentences._reads_well", True),
]


def index(folder: Path, output: Path, *, asks: bool, **services: Any) -> Run:
    values: dict[str, Any] = {"split_text_units": {"size": 60, "overlap": 10}, "communities": {"mode": "full"}}
    if asks:
        values |= {"method": "standard", "llm": {"model": "stub"}, "extract_claims": {"enabled": True}}
        services.setdefault("model", StubModel(lambda request: stub_replies.reply(request.messages)))
    return pipeline.index(folder, output, Settings.model_validate(values), **services)


def failures_of(run: Run) -> list[dict[str, Any]]:
    return list(tables.read(run.snapshot, "failures").to_pylist())


def raising(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that raises where it is shown what is odd."""

    @functools.wraps(function)
    def odd(*args: Any, **named: Any) -> Any:
        if ODD in repr(args):
            raise IndexError("a bug\nof ours")
        return function(*args, **named)

    return odd


def replace(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    module, _, attribute = name.rpartition(".")
    found = importlib.import_module(module)
    monkeypatch.setattr(found, attribute, raising(getattr(found, attribute)))


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path, bool], dict[str, bytes]]:
    """Return what is published where nothing raises, by whether a model extracts."""
    made: dict[bool, dict[str, bytes]] = {}

    def published(folder: Path, asks: bool) -> dict[str, bytes]:
        if asks not in made:
            run = index(folder, tmp_path_factory.mktemp("undisturbed"), asks=asks)
            assert not run.n_failures and not check.check(run.snapshot).problems
            made[asks] = bytes_of(run.snapshot)
        return made[asks]

    return published


@pytest.mark.parametrize(("stage", "name", "asks"), CASES)
def test_what_one_raises_is_a_failure_and_the_rest_is_published(
    stage: str,
    name: str,
    asks: bool,
    corpus: Callable[..., Path],
    undisturbed: Callable[[Path, bool], dict[str, bytes]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reported = lessons(people=("Ann Gray", "Ben Hill", "Cy Marsh", "Dee Ford", f"{ODD} Lane"))
    folder, output = corpus({**TEXTS, f"{ODD} 1.txt": "Dora Green saw it.", "d.txt": reported}), tmp_path / "output"
    published = undisturbed(folder, asks)
    with monkeypatch.context() as patched:
        replace(patched, name)
        run = index(folder, output, asks=asks)
        assert {row["stage"] for row in failures_of(run)} == {stage} and run.changed
        for row in failures_of(run):
            assert row["document"] and row["attempts"] == 1
            assert "IndexError: a bug of ours (" in row["error"] and ".py:" in row["error"].rpartition("(")[2]
            assert str(Path(loop.__file__).parent) not in row["error"]
        assert check.check(run.snapshot).problems == ()
        assert run.manifest["tables"]["entities"]["rows"] >= 4
        assert index(folder, output, asks=asks).snapshot == run.snapshot  # tried again, in vain
    again = index(folder, output, asks=asks)
    assert stage in again.ran and not again.n_failures
    assert bytes_of(again.snapshot) == published


def test_the_command_names_what_failed_and_exits_with_3(
    corpus: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace(monkeypatch, STAGES + "extract_graph_fast.find_names")
    done = CliRunner().invoke(main, ["index", str(corpus(TEXTS)), "--root", str(tmp_path)])
    assert done.exit_code == 3
    assert "b.txt, characters 0-" in done.stderr and "IndexError: a bug of ours (stages/extract_graph" in done.stderr
    checked = CliRunner().invoke(main, ["check", "--root", str(tmp_path)])
    assert checked.exit_code == 0, checked.output


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, ModelError("the budget is spent")])
def test_what_the_user_must_know_ends_the_run(
    error: BaseException, corpus: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ended(*_: Any) -> Any:
        raise error

    monkeypatch.setattr("graphrag_lite.stages.extract_graph_fast.find_names", ended)
    kind = error if isinstance(error, type) else type(error)
    with pytest.raises(kind):
        index(corpus(TEXTS), tmp_path / "output", asks=False)
    assert not (tmp_path / "output" / "current").exists()


def test_a_model_of_the_users_that_raises_fails_that_request(corpus: Callable[..., Path], tmp_path: Path) -> None:
    def reply(request: Any) -> str:
        if ODD in str(request.messages) and "entity_types" not in str(request.messages[0]):
            raise ZeroDivisionError("of a model")
        return stub_replies.reply(request.messages)

    run = index(corpus(TEXTS), tmp_path / "output", asks=True, model=StubModel(reply))
    assert any("ZeroDivisionError: of a model" in row["error"] for row in failures_of(run))

    def broken(_: Any) -> str:
        raise ZeroDivisionError("of a model")

    with pytest.raises(ModelError, match="ZeroDivisionError: of a model"):  # too many: nothing is published
        index(corpus(TEXTS), tmp_path / "other", asks=True, model=StubModel(broken))


class Embedder:
    """Refuses the text unit that is odd."""

    def __init__(self) -> None:
        self.identity = {"model": "stub"}

    async def check(self) -> None: ...

    async def embed(self, texts: list[str]) -> Any:
        from graphrag_lite.llm.chat import Usage

        if any(ODD in text for text in texts):
            raise ZeroDivisionError("of an embedder")
        return [[float(len(text)), 1.0] for text in texts], Usage()


def test_an_embedder_of_the_users_that_raises_fails_those_texts(corpus: Callable[..., Path], tmp_path: Path) -> None:
    settings = Settings.model_validate({"embeddings": {"batch_size": 1}})
    run = pipeline.index(corpus(TEXTS), tmp_path / "output", settings, embedder=Embedder())
    assert {row["stage"] for row in failures_of(run)} == {"embed_text_units"}
    assert "ZeroDivisionError: of an embedder" in failures_of(run)[0]["error"]


def test_a_sample_for_prompts_leaves_out_what_fails(
    corpus: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace(monkeypatch, STAGES + "split_text_units.sentences")
    sample = tuning.run_coroutine(tuning._sample(corpus(TEXTS), tmp_path / "output", Settings(), 9))
    assert len(sample) == 2 and ODD not in str(sample)


def _halves(item: int) -> float:
    return 1 / (item % 7)


@pytest.mark.parametrize("n", [1, 2])
def test_worker_processes_tell_what_failed(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "STARTS", 1)
    told: list[tuple[str, str, int]] = []
    with workers.Pool(2) as pool:
        each = workers.Workers(pool if n > 1 else None, loop.Silence(), lambda *failure: told.append(failure))
        found = list(each(_halves, range(20)))
    assert [place for place, value in enumerate(found) if value is None] == [0, 7, 14]
    assert [what for what, *_ in told] == ["item 1", "item 8", "item 15"]
    assert all(error.startswith("ZeroDivisionError: ") and error.endswith(")") for _, error, _ in told)


@pytest.mark.parametrize("error", [ReplyError("x"), CallError("x"), MemoryError()])
def test_errors_that_end_a_run_are_not_outcomes(error: Exception) -> None:
    def work() -> None:
        raise error

    with pytest.raises(type(error)):
        attempts.outcome(work)


def test_rows_of_one_file_are_one_failure(corpus: Callable[..., Path], tmp_path: Path) -> None:
    fixture = "{'text': 1}\n" * 945
    folder = corpus({"a.txt": TEXTS["a.txt"], "fixture.jsonl": fixture, "one.jsonl": '{"text": "Ann."}\n{"t'})
    run = index(folder, tmp_path / "output", asks=False)
    many, one = failures_of(run)
    assert many["document"] == "fixture.jsonl"
    assert many["error"].startswith("945 rows cannot be read: not valid JSON: ")
    assert many["error"].endswith(" (1, 2, 3 and 942 more)")
    assert one["document"] == "one.jsonl:2"
    assert snapshots.current(tmp_path / "output") == run.snapshot
