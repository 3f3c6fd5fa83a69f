"""How the command line is used: choices, standard input, quiet and loud, and what is no run."""

from pathlib import Path

import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner

from graphrag_lite.cli import main


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("small")
    (root / "corpus").mkdir()
    (root / "corpus" / "a.md").write_text("# Ann Li\n\nAnn Li founded Acme in Oslo. Acme makes tea.\n")
    assert CliRunner().invoke(main, ["index", str(root / "corpus"), "--root", str(root)]).exit_code == 0
    return root


def test_a_question_comes_by_standard_input_and_the_answer_alone_goes_out(small: Path) -> None:
    piped = CliRunner().invoke(main, ["query", "--root", str(small), "-q", "-"], input="Who founded Acme?\n")
    assert piped.exit_code == 0, piped.exception
    assert piped.stdout == "Ann Li founded Acme in Oslo. [1]\n" and piped.stderr == ""


def test_quiet_and_verbose_runs(small: Path) -> None:
    told = {}
    for flag in ("-q", "-v", "--json"):
        run = CliRunner().invoke(main, ["index", str(small / "corpus"), "--root", str(small), flag])
        told[flag] = run.stdout, run.stderr
    assert told["-q"] == ("", "") and "".join(told["-v"]) and told["--json"][0].startswith("{")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["query", "--method", "lokal", "Who?"], "'lokal' is not one of local, global, basic, drift"),
        (["eval", "--method", "lokal", "folder"], "'lokal' is not one of local"),
        (["query", "--level", "0", "Who?"], "--level is of reports"),
        (["query", "--method", "basic", "--level", "1", "Who?"], "--level is of reports"),
        (["show", "entites"], "'entities'"),
        (["index", "-q", "-v", "corpus"], "not both"),
    ],
)
def test_wrong_usage_ends_with_2_and_says_what_is_right(words: list[str], says: str) -> None:
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 2 and says in result.stderr


def test_what_a_command_has_wrong_is_no_run_that_failed(small: Path) -> None:
    corpus = str(small / "corpus")
    before = (small / "output" / "runs.jsonl").read_bytes()
    for wrong in (["--set", "no.such=1"], ["--config", "no-such.yaml"], ["--refresh", "all"], ["-q", "-v"]):
        assert CliRunner().invoke(main, ["index", corpus, "--root", str(small), *wrong]).exit_code in (1, 2)
    assert (small / "output" / "runs.jsonl").read_bytes() == before


@pytest.mark.parametrize(
    ("typed", "offered"),
    [("query --method ", {"local", "global", "basic", "drift"}), ("show ", {"entities", "report", "facts"})],
)
def test_the_shell_completes_choices(typed: str, offered: set[str]) -> None:
    complete = ShellComplete(main, {}, "graphrag-lite", "_GRAPHRAG_LITE_COMPLETE")
    assert offered <= {item.value for item in complete.get_completions(typed.split(), "")}


def test_settings_of_a_model_answer_without_one(small: Path) -> None:
    (small / "settings.yaml").write_text("method: standard\nllm: {model: some-model}\n")
    answer = CliRunner().invoke(main, ["query", "--root", str(small), "--set", "llm.model=null", "Who founded Acme?"])
    (small / "settings.yaml").unlink()
    assert answer.exit_code == 0 and "Ann Li founded Acme" in answer.stdout
