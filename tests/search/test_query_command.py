"""`graphrag-lite query` with a model behind it: what is printed where, and the exit code."""

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import stub_replies
from click.testing import CliRunner, Result
from invoking import LIMITED
from stub_model import StubModel
from stub_server import Fault, StubServer, prompt_of

from graphrag_lite import pipeline
from graphrag_lite.cli import main, printed_answer, terminal
from graphrag_lite.errors import SettingsError
from graphrag_lite.llm.stage_model import AHEAD
from graphrag_lite.ops import planning
from graphrag_lite.search.answer import NOTHING, Answer, Cited
from graphrag_lite.search.index import Index
from graphrag_lite.settings import Settings

EXAMPLE = Path(__file__).parents[2] / "examples" / "corpus"
QUESTION = "Who was Lyman Spitzer?"
ANSWER = "He was\x1b[31m an astronomer [1, 9999]. He proposed a telescope.\n\nIt flew [2]."


def reply(body: dict[str, Any]) -> str | Fault:
    prompt = prompt_of(body)
    if "who fails?" in prompt:
        return Fault(status=422, message="not this one")
    if "who is unknown?" in prompt:
        return "NOT IN THE RECORDS"
    if "map step" in prompt:
        if "Hubble Deep Field" in prompt and "half?" in prompt:
            return Fault("no JSON")
        return json.dumps(
            {"points": [{"description": "A point [1].", "score": 40}, {"description": "B [2].", "score": 20}]}
        )
    return ANSWER


@pytest.fixture(scope="module")
def root(sample_root: Callable[[], Path]) -> Path:
    return sample_root()


@pytest.fixture
def server() -> Iterator[StubServer]:
    with StubServer(reply) as server:
        yield server


@pytest.fixture
def query(root: Path, server: StubServer) -> Callable[..., Result]:
    for path in (root / "output").glob("memo.sqlite*"):
        path.unlink()

    def run(*arguments: object, **llm: Any) -> Result:
        values = {"model": "stub", "base_url": server.url, **llm}
        lines = [f"  {name}: {json.dumps(value)}" for name, value in values.items()]
        (root / "settings.yaml").write_text("\n".join(["llm:", *lines]))
        return CliRunner().invoke(main, ["query", "--root", str(root), *map(str, arguments)], catch_exceptions=False)

    return run


@pytest.mark.parametrize("most_bytes", [1, 30_000])  # no memo can be made; it can be opened, and takes no answer
def test_an_answer_that_cannot_be_kept_is_shown_all_the_same(
    most_bytes: int, query: Callable[..., Result], root: Path, server: StubServer
) -> None:
    assert query(QUESTION).exit_code == 0
    if most_bytes == 1:
        (root / "output" / "memo.sqlite").unlink()
    arguments = ["query", "--root", str(root), "Who was Edwin Hubble?"]
    command = [sys.executable, "-c", LIMITED, str(most_bytes), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stdout.startswith("He was [31m an astronomer [1].")
    assert done.stderr.count("New answers of the model are not kept.") == 1 and server.n_requests == 2


def test_an_answer_is_streamed_with_its_sources_and_what_it_cost(
    query: Callable[..., Result], server: StubServer
) -> None:
    result = query(QUESTION, prices={"stub": {"input": 1.0, "output": 2.0}})
    assert result.exit_code == 0 and server.requests[0]["stream"]
    answer, sources = result.stdout.split("\nSources\n")
    assert answer == "He was [31m an astronomer [1]. He proposed a telescope.\n\nIt flew [2].\n"
    assert re.fullmatch(r"(\[[12]\] \S+( · \S+)?, characters \d+-\d+\n)+", sources)
    assert result.stderr.splitlines()[:2] == [
        "1 sentence of the answer without a source.",
        "1 citation left out: the model was shown no such record.",
    ]
    assert re.fullmatch(r"stub: 1 call, 0 kept, [\d,]+ \+ [\d,]+ tokens, \$0\.\d+", result.stderr.splitlines()[2])
    again = query(QUESTION, prices={"stub": {"input": 1.0, "output": 2.0}})
    assert again.stdout == result.stdout and "0 calls, 1 kept" in again.stderr and server.n_requests == 1


def test_how_a_misspelt_word_was_read_is_said(query: Callable[..., Result]) -> None:
    said = 'Read "Lymann" as "Lyman", "Spitser" as "Spitzer": that is how the corpus writes it.'
    assert query("Who was Lymann Spitser?").stderr.splitlines()[0] == said
    assert query("Who was Lymann Spitser?", "--context-only").stderr.splitlines() == [said]
    assert "Read" not in query("Who was Lyman Spitzer?").stderr
    output = query("Who was Lymann Spitser?").output
    assert output.index(said) < output.index("Sources")


@pytest.mark.parametrize("closed", [True, False])
def test_a_question_from_standard_input_that_cannot_be_read_is_told(root: Path, closed: bool) -> None:
    command = [sys.executable, "-m", "graphrag_lite", "query", "-", "--root", str(root)]
    begins = (
        "import os, sys; closed = int(sys.argv.pop(1)); os.close(0); closed or os.open('/', os.O_WRONLY | os.O_PATH)"
    )
    run = f"{begins}; os.execv(sys.argv[1], sys.argv[1:])"
    done = subprocess.run([sys.executable, "-c", run, str(int(closed)), *command], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("Error: ") and done.stderr.count("\n") == 1


@pytest.mark.parametrize(("begun", "said"), [("He was", "He was\n"), ("", "")])
def test_an_interrupted_answer_ends_its_line(
    query: Callable[..., Result], monkeypatch: pytest.MonkeyPatch, begun: str, said: str
) -> None:
    def interrupted(*_: object, show: Callable[[str], None], **__: object) -> None:
        if begun:
            show(begun)
        raise KeyboardInterrupt

    monkeypatch.setattr("graphrag_lite.search.index.Index.query", interrupted)
    result = query(QUESTION)
    assert (result.exit_code, result.stdout, result.stderr) == (130, said, "Interrupted.\n")


def test_a_mark_with_many_places_lists_the_first(capsys: pytest.CaptureFixture[str]) -> None:
    cited = [Cited(n, "a.txt", "a.txt", "u", i, i + 1, "x") for n, most in ((1, 5), (2, 3)) for i in range(most)]
    answer = Answer("q", "local", "So [1][2].", ["a.txt"], ["u"], cited, model="stub")
    printed_answer.print_sources(terminal.Output(width=100), answer)
    lines = capsys.readouterr().out.split("Sources\n")[1].splitlines()
    assert lines[2:5] == [
        "[1] a.txt, characters 2-3",
        "[1] and 2 more places; --json lists them",
        "[2] a.txt, characters 0-1",
    ]
    assert len(lines) == 7


def test_json_tells_all_of_it(query: Callable[..., Result], server: StubServer) -> None:
    result = query(QUESTION, "--json")
    row = json.loads(result.stdout)
    assert row["answer"] == ANSWER.replace("[1, 9999]", "[1]") and row["model"] == "stub" and not row["abstained"]
    assert (row["n_dropped_citations"], row["n_uncited_sentences"], row["failures"]) == (1, 1, [])
    assert {cited["n"] for cited in row["citations"]} == {1, 2}
    assert row["usage"].keys() == {"calls", "memo_hits", "prompt_tokens", "cached_tokens", "completion_tokens", "cost"}
    assert "stream" not in server.requests[0] or not server.requests[0]["stream"]


def test_without_a_model_the_corpus_speaks_for_itself(query: Callable[..., Result], server: StubServer) -> None:
    result = query(QUESTION, "--set", "llm.model=null")
    assert result.exit_code == 0 and not result.stderr and not server.n_requests and "Sources" in result.stdout
    row = json.loads(query(QUESTION, "--set", "llm.model=null", "--json").stdout)
    assert row["model"] is None and row["usage"] is None


@pytest.fixture(scope="module")
def standard(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A root with an index by a model, as its settings.yaml says."""
    folder = tmp_path_factory.mktemp("standard")
    values = {"method": "standard", "llm": {"model": "stub"}}
    stub = StubModel(lambda request: stub_replies.reply(request.messages))
    pipeline.index(EXAMPLE / "notes", folder / "output", Settings.model_validate(values), model=stub)
    (folder / "settings.yaml").write_text(json.dumps(values))
    return folder


@pytest.mark.parametrize("settings", [("--set", "llm.model=null"), ("--config",)])
@pytest.mark.parametrize("method", ["local", "basic", "drift", "global", "global --budget 40"])
def test_an_index_by_a_model_answers_without_one(
    standard: Path, settings: tuple[str, ...], method: str, tmp_path: Path
) -> None:
    if settings == ("--config",):
        (config := tmp_path / "no_model.yaml").write_text("method: standard")
        settings = ("--config", str(config))
    arguments = ["query", "--root", str(standard), *settings, "--method", *method.split(), QUESTION]
    result = CliRunner().invoke(main, arguments, catch_exceptions=False)
    assert result.exit_code == 0 and "Sources" in result.stdout and not result.stderr
    answer = Index.open(standard / "output", overrides=["llm.model=null"]).query(QUESTION, method.split()[0])
    assert answer.model is None and answer.citations


def test_what_makes_an_index_by_a_model_needs_one(standard: Path) -> None:
    for command in ("index", "plan"):
        arguments = [command, str(EXAMPLE), "--root", str(standard), "--set", "llm.model=null"]
        result = CliRunner().invoke(main, arguments, catch_exceptions=False)
        assert result.exit_code == 1 and "llm.model: method standard asks a model; name one" in result.stderr
    for make in (pipeline.index, planning.plan):
        with pytest.raises(SettingsError, match=r"llm\.model: method standard asks a model"):
            make(EXAMPLE, standard / "output", Settings(method="standard"))


def test_another_settings_file(query: Callable[..., Result], server: StubServer, tmp_path: Path) -> None:
    config = tmp_path / "other.yaml"
    config.write_text(f"llm: {{model: other, base_url: '{server.url}'}}\nsearch: {{response_type: a haiku}}\n")
    assert query(QUESTION, "--config", config).exit_code == 0
    assert server.requests[0]["model"] == "other" and "Form of the answer: a haiku" in prompt_of(server.requests[0])


def test_questions_go_on_after_one_that_fails(query: Callable[..., Result], tmp_path: Path) -> None:
    questions = tmp_path / "q.jsonl"
    asked = [QUESTION, "And who fails?", "And who is unknown?", "Who repaired it?"]
    questions.write_text("".join(json.dumps({"id": f"q{i}", "question": q}) + "\n" for i, q in enumerate(asked)))
    result = query("--questions", questions)
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert result.exit_code == 3
    assert [row["id"] for row in rows] == ["q0", "q1", "q2", "q3"] and [row["question"] for row in rows] == asked
    assert "not this one" in rows[1]["error"] and "answer" not in rows[1]
    assert rows[2]["answer"] == NOTHING and rows[2]["abstained"] and rows[3]["citations"]
    assert "1 of 4 questions were not answered." in result.stderr and "3 calls" in result.stderr


def test_a_failed_part_of_global_search_is_told(query: Callable[..., Result]) -> None:
    small = ("--method", "global", "--set", "search.max_context_tokens=1500")
    result = query("What of the other half?", *small)
    assert result.exit_code == 3 and result.stdout.startswith("He was")
    assert re.search(r"\d calls? failed; the answer rests on the others:\n  reports ", result.stderr)
    whole = query("What are the main themes?", *small)
    assert whole.exit_code == 0 and "failed" not in whole.stderr


def test_an_endpoint_that_is_down_ends_a_query_at_once(query: Callable[..., Result]) -> None:
    for extra in ((), ("--json",)):
        result = query("Who is away?", *extra, base_url="http://127.0.0.1:9/v1")
        assert result.exit_code == 1 and not result.stdout
        assert result.stderr.startswith("Error: http://127.0.0.1:9/v1 ")


@pytest.mark.parametrize(
    "method",
    [
        *("local", "basic", "drift", "global", "global --dynamic", "global --budget 40"),
        "global --set search.max_context_tokens=1500",
    ],
)
@pytest.mark.parametrize("answered", [0, 2])
def test_an_endpoint_that_answers_503_ends_a_query(
    query: Callable[..., Result], server: StubServer, monkeypatch: pytest.MonkeyPatch, method: str, answered: int
) -> None:
    """Nobody asks for more than was under way when the first call had used up its attempts."""
    monkeypatch.setattr("graphrag_lite.llm.retries.FIRST_DELAY", 0.01)
    said = server.reply
    server.reply = lambda body: said(body) if server.n_requests <= answered else Fault(status=503, message="overloaded")
    concurrency, attempts = 1, 3
    result = query("What of it?", "--method", *method.split(), concurrency=concurrency, max_attempts=attempts)
    if server.n_requests <= answered:
        return  # which needs no more calls
    assert result.exit_code == 1 and not result.stdout
    for told in (f"{server.url} answered 503: overloaded. Tried {attempts} times.", "Ask again later"):
        assert told in result.stderr
    assert attempts <= server.n_requests <= answered + AHEAD * concurrency * attempts


@pytest.mark.parametrize("method", ["global --dynamic", "global --budget 40"])
def test_judgements_wait_for_no_outage_each(
    query: Callable[..., Result], server: StubServer, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    """The first one decides how they are asked, and the others wait for it: they end with it."""
    monkeypatch.setattr("graphrag_lite.llm.retries.FIRST_DELAY", 0.01)
    server.reply = lambda _: Fault(status=503)
    assert query("What of it?", "--method", *method.split(), max_attempts=4).exit_code == 1
    assert server.n_requests == 4


@pytest.mark.parametrize("method", ["local", "drift", "global --dynamic", "global --budget 40"])
def test_a_question_has_one_deadline(query: Callable[..., Result], server: StubServer, method: str) -> None:
    """The endpoint is well, and slow: no request of it takes too long, all of them together do."""
    said = server.reply
    server.reply = lambda body: Fault(said(body), delay=0.25 if server.n_requests > 1 else 0)
    timeout = ["--set", "search.timeout=0.4" if method != "local" else "search.timeout=0.01"]
    result = query("What of it?", "--method", *method.split(), *timeout, concurrency=1)
    assert result.exit_code == 1 and not result.stdout
    assert "search.timeout" in result.stderr and result.stderr.count("Error: ") == 1
    assert server.n_requests <= 4


def test_wrong_usage(query: Callable[..., Result]) -> None:
    assert query(QUESTION, "--method", "global", "--dynamic", "--level", "1").exit_code == 2
    assert query(QUESTION, "--dynamic").exit_code == 1
    assert "llm.model" in query(QUESTION, "--response-type", "a list", "--set", "llm.model=null").stderr
    assert query(QUESTION, "--method", "global", "--level", "9").exit_code == 1
