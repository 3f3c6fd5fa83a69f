"""`graphrag-lite eval`: what it prints and keeps, and what it says when something is wrong."""

import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from invoking import invoke, objects
from rich.console import Console

from graphrag_lite import pipeline
from graphrag_lite.cli import evaluating, progress
from graphrag_lite.ops.evaluate import measure, read_questions
from graphrag_lite.run import snapshots
from graphrag_lite.settings import Settings

DOCUMENTS = [
    {"id": "spitzer", "title": "Spitzer", "text": "Lyman Spitzer proposed a telescope in space in 1946."},
    {"id": "grunsfeld", "title": "Grunsfeld", "text": "John Grunsfeld repaired the telescope three times."},
    {"id": "okeefe", "title": "O'Keefe", "text": "Sean O'Keefe cancelled the fourth servicing mission in 2004."},
    {"id": "griffin", "title": "Griffin", "text": "Michael Griffin reinstated the fourth servicing mission in 2006."},
    {"id": "bread", "title": "Bread", "text": "Sourdough bread needs flour, water, salt and patience."},
]
QUESTIONS = [
    {"id": "q1", "question": "Who proposed a telescope in space?", "supporting_ids": ["spitzer"], "type": "one"},
    {"id": "q2", "question": "Who repaired the telescope?", "supporting_ids": ["grunsfeld"], "type": "one"},
    {
        "id": "q3",
        "question": "Is the fourth servicing mission cancelled or reinstated by Griffin?",
        "supporting_ids": ["okeefe", "griffin"],
        "type": "newer",
        "latest_supporting_id": "griffin",
        "superseded_ids": ["okeefe"],
    },
    {"id": "q4", "question": "What does the moon weigh?", "supporting_ids": [], "type": "none"},
]
FIGURES = ("recall@2", "recall@5", "recall@10", "all_gold@5", "mrr")
Write = Callable[..., Path]


def quiet(said: str) -> bool:
    """Say whether nothing was told but, on a slow machine, how far it is."""
    return all(line.startswith("qa: ") for line in said.splitlines())


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A root in which the set `qa` was evaluated, and its result kept."""
    folder = tmp_path_factory.mktemp("root")
    (folder / "qa").mkdir()
    for name, rows in (("corpus", DOCUMENTS), ("questions", QUESTIONS)):
        (folder / "qa" / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    result = invoke("eval", folder / "qa", "--root", folder, "--output", folder / "first.jsonl")
    assert result.exit_code == 0 and quiet(result.stderr)
    (folder / "first.txt").write_text(result.stdout)
    return folder


def test_the_table_shows_methods_types_and_differences(root: Path) -> None:
    lines = (root / "first.txt").read_text().splitlines()
    assert re.fullmatch(r"qa: 3 questions \(1 left out\), 5 documents, index built in .* s \(.* s of CPU\)", lines[0])
    assert re.sub(" +", " ", lines[1]) == ("in % n R@2 (95% CI) R@5 (95% CI) R@10 (95% CI) all@5 (95% CI) MRR (95% CI)")
    assert [line[:15].rstrip() for line in lines[2:9]] == [
        *("basic", "  newer", "  one", "local", "  newer", "  one", "local - basic")
    ]
    assert [line[15:18].strip() for line in lines[2:9]] == ["3", "1", "2", "3", "1", "2", "3"]
    assert len({len(line) for line in lines[1:9]}) == 1, "columns are aligned"
    assert lines[9].startswith("newest above all superseded (1 questions): basic 100.0 (100-100)")
    assert re.fullmatch(
        r"ms a query, median / 95th percentile: basic [\d.]+ / [\d.]+, local [\d.]+ / [\d.]+", lines[10]
    )


def test_the_table_fits_a_narrow_terminal_and_says_more_on_a_wide_one(root: Path) -> None:
    basic, local = objects((root / "first.jsonl").read_text())
    figure = {"n": 3, "mean": 0.98, "low": 0.914, "high": 1.0}
    for result in (basic, local):
        result["measures"] = dict.fromkeys(FIGURES, figure)
        result["types"] = dict.fromkeys(("a" * 40, "\x1b[31mb"), result["measures"])
    local["against_basic"] = {key: {"n": 3, "difference": 0.0207, "p": 0.0001} for key in FIGURES}
    local["against"] = {key: {"n": 2, "difference": -0.3, "p": 0.0219} for key in FIGURES}
    shown = {}
    for width in (80, 120):
        console = Console(file=io.StringIO(), width=width, force_terminal=True, color_system=None)
        evaluating.print_set(console, [basic, local], "an/earlier/result.jsonl")
        shown[width] = console.file.getvalue()  # type: ignore[attr-defined]
        assert max(map(len, shown[width].splitlines())) <= width
        assert "  " + "a" * 24 + "… " in shown[width] and "\x1b" not in shown[width]
        assert "local - an/earlier/result.… " in shown[width]
    assert [shown[width].count("98.0 (91-100)") for width in (80, 120)] == [6, 30]
    assert [shown[width].count("+2.1 (p<.001)") for width in (80, 120)] == [1, 5]
    assert [shown[width].count("-30.0 (p=.022)") for width in (80, 120)] == [1, 5]
    assert shown[80].count("-30.0 ") == shown[80].count("-30.0\n") * 4 == 4


def test_progress_is_one_line_on_a_terminal_and_rare_elsewhere(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = {"calls": 7, "memo_hits": 0, "prompt_tokens": 1, "completion_tokens": 2, "cost": None}
    terminal = Console(file=io.StringIO(), width=80, force_terminal=True)
    for console, silence in ((terminal, 10), (Console(file=io.StringIO()), 10), (Console(file=io.StringIO()), 0)):
        monkeypatch.setattr(progress, "SILENCE", silence)
        with progress.OneLine(console, "my\x1b[31mset") as line:
            line.start("extract_graph")
            line.spend(usage)
            line.advance(3, 9)
            line.finish("extract_graph", 1.0, {}, reused=False)
    assert "my [31mset: extract graph" in terminal.file.getvalue()  # type: ignore[attr-defined]
    assert capsys.readouterr().err.splitlines() == [
        "my [31mset: extract graph",
        "my [31mset: extract graph: 3 of 9 text units; 7 calls, 0 kept, 1 + 2 tokens",
    ]


def test_json_has_the_documented_keys_and_the_measures_of_every_question(root: Path) -> None:
    page = (Path(__file__).parents[1] / "docs" / "json.md").read_text(encoding="utf-8")
    page = page.split("\n## `graphrag-lite eval")[1].split("\n## ")[0]
    results = objects((root / "first.jsonl").read_text())
    assert [result["method"] for result in results] == ["basic", "local"]
    for result in results:
        for keys, value in zip(_documented(page), (result, result["questions"][0]), strict=True):
            assert list(value) == keys
        questions = read_questions((root / "qa" / "questions.jsonl").read_text(), "q")
        for row, question in zip(result["questions"], questions, strict=False):
            assert row["id"] == question.id and row["measures"] == measure(question, row["documents"])
        for name in FIGURES:
            values = [row["measures"][name] for row in result["questions"]]
            assert result["measures"][name]["mean"] == pytest.approx(sum(values) / 3, abs=1e-6)
        assert result["types"]["newer"]["newest_first"]["n"] == 1 and list(result["types"]) == ["newer", "one"]
    assert results[0]["against_basic"] is None and results[1]["against_basic"]["mrr"]["n"] == 3
    assert results[0]["against"] is None


def _documented(page: str) -> list[list[str]]:
    """Return the keys of each table of a section of docs/json.md."""
    tables = page.split("\n| key |")[1:]
    return [
        [key.strip() for row in re.findall(r"^\| ([a-z_, ]+) \|", table, re.M) for key in row.split(",")]
        for table in tables
    ]


def test_the_second_time_nothing_is_built_and_the_users_index_is_not_touched(root: Path, corpus: Write) -> None:
    pipeline.index(corpus({"a.txt": "Alice met Bob."}), root / "output", Settings())
    before = snapshots.current(root / "output")
    result = invoke("eval", root / "qa", "--root", root, "--against", root / "first.jsonl", "--json")
    basic, local = objects(result.stdout)
    assert basic["index"]["status"] == "unchanged"
    assert snapshots.current(root / "output") == before
    for again in (basic, local):
        assert {name: again["against"][name] for name in FIGURES} == {
            name: {"n": 3, "difference": 0.0, "p": 1.0} for name in FIGURES
        }
    assert invoke("query", "--root", root / "output" / "eval" / "qa", "Who repaired the telescope?").exit_code == 0


def test_a_worse_result_is_told_by_question(root: Path, tmp_path: Path) -> None:
    earlier = objects((root / "first.jsonl").read_text())[1]
    for row in earlier["questions"]:
        row["measures"] = dict.fromkeys(row["measures"], 0.0)
    earlier["questions"] = earlier["questions"][:2]
    (tmp_path / "bad.jsonl").write_text(json.dumps(earlier))
    result = invoke("eval", root / "qa", "--root", root, "--against", tmp_path / "bad.jsonl", "--json")
    basic, local = objects(result.stdout)
    assert basic["against"] is None and "bad.jsonl has no result by basic" in result.stderr
    assert local["against"]["recall@5"]["n"] == 2
    assert local["against"]["recall@5"]["difference"] > 0


def test_settings_of_the_root_are_those_of_the_index(root: Path, tmp_path: Path) -> None:
    (tmp_path / "settings.yaml").write_text("split_text_units: {size: 50, overlap: 5}")
    result = invoke("eval", root / "qa", "--root", tmp_path, "--method", "local", "--set", "workers=1", "--json")
    (local,) = objects(result.stdout)
    assert local["against_basic"] is None, "there is no basic search to compare with"
    manifest = snapshots.read_manifest(snapshots.current(tmp_path / "output" / "eval" / "qa" / "output"))
    assert manifest["settings"]["split_text_units"]["size"] == 50 and manifest["settings"]["workers"] == 1


def test_prompts_of_the_root_are_those_of_the_index(root: Path, tmp_path: Path) -> None:
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "extract_graph.md").write_text("")
    standard = ("--set", "method=standard", "--set", "llm.model=none")
    result = invoke("eval", root / "qa", "--root", tmp_path, *standard)
    assert result.exit_code == 1 and "extract_graph.md: it is empty" in result.stderr


def test_questions_with_a_date_are_asked_as_of_that_day(corpus: Write, tmp_path: Path) -> None:
    dated = [row | {"timestamp": f"202{n}-01-01"} for n, row in enumerate(DOCUMENTS)]
    rows = [QUESTIONS[0], QUESTIONS[1] | {"question_date": "2020-06-01"}]
    folder = corpus({"corpus.jsonl": dated, "questions.jsonl": rows}, name="qa")
    methods = [part for method in ("local", "basic", "global") for part in ("--method", method)]
    for result in objects(invoke("eval", folder, "--root", tmp_path, "--json", *methods).stdout):
        all_of_them, one = (question["documents"] for question in result["questions"])
        assert (len(all_of_them), one) == (5, ["spitzer"]) or result["method"] == "global"


def test_ids_that_are_in_no_document_are_counted_and_warned_of(corpus: Write, tmp_path: Path) -> None:
    rows = [QUESTIONS[0] | {"supporting_ids": ["spitzer", "lost\x1b"]}, QUESTIONS[1] | {"supporting_ids": ["lost\x1b"]}]
    folder = corpus({"corpus.jsonl": DOCUMENTS, "questions.jsonl": rows}, name="lossy\x1b[31m")
    result = invoke("eval", folder, "--root", tmp_path, "--method", "basic", "--json")
    (basic,) = objects(result.stdout)
    assert basic["n_missing_ids"] == 1 and basic["questions"][1]["missing_ids"] == ["lost\x1b"]
    assert basic["measures"]["recall@10"]["mean"] == 0.25
    assert "1 supporting_ids are of no document" in result.stderr
    assert "\x1b" not in result.stderr + invoke("eval", folder, "--root", tmp_path).output


def test_failures_of_the_index_are_told(corpus: Write, tmp_path: Path) -> None:
    folder = corpus({"corpus.jsonl": [*DOCUMENTS, {"id": "x", "text": 3}], "questions.jsonl": QUESTIONS}, name="qa")
    result = invoke("eval", folder, "--root", tmp_path)
    assert result.exit_code == 3 and "local" in result.stdout
    command = re.search(r"graphrag-lite (show failures --root .*)", result.stderr)
    assert command and "corpus.jsonl:6" in invoke(*command[1].split()).stdout


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"corpus.jsonl": DOCUMENTS}, "there is no questions.jsonl"),
        ({"questions.jsonl": QUESTIONS}, "there is no corpus.jsonl"),
        ({"corpus.jsonl": b'{"id": "a", "text": "b"}\n{', "questions.jsonl": QUESTIONS}, "corpus.jsonl:2: not a JSON"),
        ({"corpus.jsonl": DOCUMENTS, "questions.jsonl": b"{}"}, "questions.jsonl:1: no `id`"),
        ({"corpus.jsonl": DOCUMENTS, "questions.jsonl": b"\xff"}, "questions.jsonl: cannot be read"),
        ({"corpus.jsonl": DOCUMENTS, "questions.jsonl": QUESTIONS * 2}, "also that of line 1"),
        (
            {"corpus.jsonl": DOCUMENTS, "questions.jsonl": [QUESTIONS[0] | {"question_date": "soon"}]},
            "questions.jsonl:1: `question_date` is not a date",
        ),
    ],
)
def test_a_wrong_set_ends_before_anything_is_indexed(
    root: Path, corpus: Write, tmp_path: Path, files: dict[str, Any], said: str
) -> None:
    result = invoke("eval", root / "qa", corpus(files, name="wrong"), "--root", tmp_path / "root")
    assert result.exit_code == 1 and said in result.stderr and result.stderr.count("Error: ") == 1
    assert not result.stdout and not (tmp_path / "root").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--against", "{root}/qa/corpus.jsonl"), "corpus.jsonl:1: not a result of `graphrag-lite eval --json`"),
        (("--against", "{root}/none.jsonl"), "none.jsonl: cannot be read"),
        (("--against", "{root}/first.jsonl", "--method", "global"), "It holds: qa by basic, qa by local"),
        (("--output", "{root}/none/result.jsonl"), "there is no folder"),
        (("{root}/qa/../qa",), "have the same name"),
        (("--set", "seach.top_k=3"), "Did you mean search"),
    ],
)
def test_wrong_arguments_end_before_anything_is_indexed(
    root: Path, tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    given = [argument.format(root=root) for argument in arguments]
    result = invoke("eval", root / "qa", *given, "--root", tmp_path / "root")
    assert result.exit_code == 1 and said in result.stderr
    assert not result.stdout and not (tmp_path / "root").exists()


def test_wrong_usage_is_told_as_such(root: Path) -> None:
    assert invoke("eval").exit_code == 2
    result = invoke("eval", root / "qa", "--method", "best")
    assert result.exit_code == 2 and "'best' is not one of local, global, basic" in result.stderr


def test_recall_on_real_questions_is_what_the_table_of_the_docs_says(shared: Path, tmp_path: Path) -> None:
    result = invoke("eval", shared / "qa" / "multihoprag_facts", "--root", tmp_path, "--json")
    page = (Path(__file__).parents[1] / "docs" / "retrieval.md").read_text(encoding="utf-8")
    row = next(line for line in page.splitlines() if line.startswith("| multihoprag_facts"))
    for method in objects(result.stdout):
        figures = [f"{100 * method['measures'][name]['mean']:.1f}" for name in ("recall@2", "recall@5", "recall@10")]
        assert " / ".join(figures) in row.replace("*", "")
