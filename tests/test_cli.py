"""The command line: what it prints, how it ends, and what it says when something is wrong."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import Result
from invoking import LIMITED, invoke, objects
from last_snapshot import bytes_of
from lessons import lessons
from rich.console import Console

from graphrag_lite import pipeline, tables
from graphrag_lite.cli import main, terminal
from graphrag_lite.cli.group import loaded
from graphrag_lite.cli.showing import VIEWS
from graphrag_lite.run import snapshots
from graphrag_lite.settings import Settings

EXAMPLE = Path(__file__).parents[1] / "examples" / "corpus"
METHODS = ("local", "global", "basic", "drift")
QUESTIONS = (
    "Who was Lyman Spitzer and what did he propose?",
    "Why was Servicing Mission 4 cancelled, and by whom?",
    "What are the main themes?",
    "Qui a construit la chambre pour objets faibles ?",
)
TEXTS = {"a.txt": "Alice Smith met Bob Jones in Paris. Bob Jones works for Acme Corporation.\n"}
LESSONS = lessons()


def run(*arguments: object, **options: Any) -> "subprocess.CompletedProcess[str]":
    """Run a command in a process of its own; warnings are errors."""
    command = [sys.executable, "-W", "error", "-m", "graphrag_lite", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


def one_error(result: "Result | subprocess.CompletedProcess[str]", code: int = 1) -> str:
    """Check that a command ended with one message on standard error, and return it."""
    assert (result.exit_code if isinstance(result, Result) else result.returncode) == code
    assert not result.stdout
    assert "Traceback" not in result.stderr and result.stderr.count("Error: ") == 1
    return result.stderr


@pytest.fixture(scope="module")
def root(sample_root: Callable[[], Path]) -> Path:
    return sample_root()


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder `good` and the root of its index, to be copied."""
    root = tmp_path_factory.mktemp("small")
    (root / "good").mkdir()
    for name, text in (TEXTS | {"b.txt": LESSONS}).items():
        (root / "good" / name).write_text(text)
    assert invoke("index", root / "good", "--root", root).exit_code == 0
    return root


# --- help


@pytest.mark.parametrize("command", [(), *((name,) for name in main.commands)])
def test_help_is_worth_reading(command: tuple[str, ...]) -> None:
    for option in ("--help", "-h"):
        result = invoke(*command, option)
        assert result.exit_code == 0
        assert "Exit codes:" in result.output and all(
            f"\n    {code} " in result.output for code in (0, 1, 2, 3, 75, 130)
        )
        examples = re.findall(r"^    (graphrag-lite .*)$", result.output, re.MULTILINE)
        assert examples
        for example in examples:  # each parses: its command and options are there
            words = shlex.split(example.split(" > ")[0])[1:]
            parent = click.Context(main, help_option_names=["-h", "--help"])
            made = loaded(words[0]).make_context(words[0], words[1:], parent)
            assert isinstance(made, click.Context)


def loaded_by(*command: str) -> set[str]:
    """Return the packages that a command loads, in a process of its own."""
    script = (
        "import sys\n"
        "from graphrag_lite.cli import main\n"
        f"try: main({command!r})\n"
        "except SystemExit as end: assert end.code == 0\n"
        "print('LOADED', *sorted({name.partition('.')[0] for name in sys.modules}))"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.rpartition("LOADED")[2].split())


def test_help_loads_nothing_heavy() -> None:
    heavy = {"pyarrow", "pandas", "duckdb", "scipy", "numpy", "rich", "pydantic", "yaml", "asyncio", "tiktoken"}
    found = loaded_by("--help")
    assert not found & heavy and "click" in found


@pytest.mark.parametrize(
    ("command", "heavy"), [(["query", "Who is Spitzer?"], {"pandas", "duckdb", "asyncio"}), (["check"], {"pandas"})]
)
def test_what_reads_an_index_loads_no_pandas(command: list[str], heavy: set[str], root: Path) -> None:
    assert not heavy & loaded_by(*command, "--root", str(root))


def test_version() -> None:
    assert re.fullmatch(r".*\d+\.\d+\.\d+\n", invoke("--version").output)


# --- index


def test_index_json_has_the_documented_keys(corpus: Callable[..., Path], tmp_path: Path) -> None:
    page = (Path(__file__).parents[1] / "docs" / "json.md").read_text(encoding="utf-8").split("\n## ")[1]
    documented = [key.strip() for row in re.findall(r"^\| ([a-z_, ]+) \|", page, re.M)[1:] for key in row.split(",")]
    for status, ran in (("published", len(pipeline.stages())), ("unchanged", 0)):
        result = invoke("index", corpus(TEXTS), "--root", tmp_path, "--json")
        assert result.exit_code == 0
        (printed,) = objects(result.stdout)
        assert list(printed) == [key for key in documented if key != "usage"], "usage is of method standard"
        assert printed["status"] == status and len(printed["stages_run"]) == ran
        assert printed["snapshot"] == snapshots.current(tmp_path / "output").name
        assert printed["documents"] == 1 and printed["entities"] == 4 and printed["failures"] == 0
        assert sum(printed["communities_by_level"].values()) == printed["communities"]
        assert printed["peak_memory_mb"] > 0


def test_index_prints_a_summary_and_plain_progress(corpus: Callable[..., Path], tmp_path: Path) -> None:
    done = run("index", corpus(TEXTS | {"empty.txt": b""}), "--root", tmp_path)
    assert done.returncode == 0
    told = done.stderr.splitlines()
    assert told[0] == "Left out documents without text (1): empty.txt"
    for name in ("documents", "text units", "entities", "relationships", "communities", "seconds", "peak memory"):
        assert name in done.stdout
    assert done.stdout.splitlines()[-1].startswith("Published snapshot ")
    assert [line.partition(":")[0] for line in told[1:]] == [s.name for s in pipeline.stages()]
    assert "\x1b" not in done.stdout + done.stderr


def test_a_file_that_cannot_be_read_is_named_and_the_rest_goes_on(corpus: Callable[..., Path], tmp_path: Path) -> None:
    folder = corpus(TEXTS | {"bad\x1b[31m\n.json": b"{"})
    for _ in range(2):  # also when nothing has changed since
        result = invoke("index", folder, "--root", tmp_path)
        assert result.exit_code == 3
        assert result.stderr.splitlines()[-2] == "1 failure was recorded:"
        assert result.stderr.splitlines()[-1].startswith(r"  bad [31m\n.json: not valid JSON")
    shown = invoke("show", "failures", "--root", tmp_path, "--json")
    assert objects(shown.stdout)[0]["stage"] == "load_documents"
    (folder / "bad\x1b[31m\n.json").unlink()
    assert invoke("index", folder, "--root", tmp_path).exit_code == 0


def test_set_changes_a_setting_and_config_names_a_file(corpus: Callable[..., Path], tmp_path: Path) -> None:
    config = tmp_path / "mine.yaml"
    config.write_text("split_text_units: {size: 200}\n")
    arguments = ("index", corpus(TEXTS), "--root", tmp_path, "--config", config, "--set", "split_text_units.overlap=7")
    assert invoke(*arguments).exit_code == 0
    manifest = snapshots.read_manifest(snapshots.current(tmp_path / "output"))
    assert manifest["settings"]["split_text_units"].items() >= {"size": 200, "overlap": 7}.items()


def test_settings_errors_come_all_at_once(corpus: Callable[..., Path], tmp_path: Path) -> None:
    (tmp_path / "settings.yaml").write_text("split_text_units: {size: -1}\nextract_graph_fast: {max_neighbour: 2}\n")
    said = one_error(invoke("index", corpus(TEXTS), "--root", tmp_path))
    assert "has 2 problems" in said and "split_text_units.size" in said
    assert "Did you mean extract_graph_fast.max_neighbours?" in said
    assert not (tmp_path / "output").exists()


@pytest.mark.parametrize(
    ("files", "says"),
    [
        (None, "no such folder"),
        ({}, "no documents"),
        ({"a.exe": b"MZ", "b": b""}, "no documents"),
        ({"a.json": b"{", "b.jsonl": b"[1]\n"}, "no document could be read"),
        ({"a.txt": b"", "b.md": b" \n\n"}, "no document could be read"),
    ],
)
def test_a_corpus_without_documents_is_one_error(
    files: dict[str, bytes] | None, says: str, corpus: Callable[..., Path], small: Path, tmp_path: Path
) -> None:
    folder = shutil.copytree(small, tmp_path, dirs_exist_ok=True) / "good"
    before = snapshots.current(tmp_path / "output")
    bad = tmp_path / "nowhere" if files is None else corpus(files, "bad")
    assert says in one_error(invoke("index", bad, "--root", tmp_path))
    assert snapshots.current(tmp_path / "output") == before
    assert invoke("query", "Who met Bob Jones?", "--root", tmp_path).exit_code == 0
    assert invoke("index", folder, "--root", tmp_path).exit_code == 0


def test_an_index_is_no_corpus(small: Path, tmp_path: Path) -> None:
    shutil.copytree(small, tmp_path, dirs_exist_ok=True)
    for folder in ("output", "output/snapshots"):
        assert "is the index itself" in one_error(invoke("index", tmp_path / folder, "--root", tmp_path))


def test_a_folder_that_is_gone_is_one_error(tmp_path: Path) -> None:
    script = 'mkdir "$0" && cd "$0" && rmdir "$0" && "$@" -m graphrag_lite query "Who?"'
    result = subprocess.run(
        ["sh", "-c", script, tmp_path / "gone", sys.executable], capture_output=True, text=True, check=False
    )
    assert "is gone" in one_error(result)


def test_a_mistyped_corpus_before_the_first_run_leaves_nothing(tmp_path: Path) -> None:
    result = invoke("index", tmp_path / "nowhere", "--root", tmp_path)
    assert result.exit_code == 2 and "no such folder or file" in result.stderr
    assert not (tmp_path / "output").exists()


@pytest.mark.parametrize("text", [".", "\u200b", "x" * 5000])
def test_a_corpus_without_names_makes_an_index_that_answers(
    text: str, corpus: Callable[..., Path], tmp_path: Path
) -> None:
    assert invoke("index", corpus({"a.txt": text}), "--root", tmp_path).exit_code == 0
    for method in METHODS:
        assert invoke("query", "who is there?", "--method", method, "--root", tmp_path).exit_code == 0
    for what in ("summary", *VIEWS):
        assert invoke("show", what, "--root", tmp_path).exit_code == 0


# --- a disk that does not take what is written


def test_a_file_that_cannot_grow_is_one_error_and_nothing_is_published(notes: Path, tmp_path: Path) -> None:
    for path in sorted(notes.iterdir())[8:]:
        path.unlink()
    before = pipeline.index(notes, tmp_path / "output", Settings()).snapshot
    sets = ("split_text_units.size=100", "split_text_units.overlap=10", "communities.mode=full")
    arguments = ("index", notes, "--root", tmp_path, *(part for each in sets for part in ("--set", each)))
    for most_bytes in (1, 8_000):
        command = [sys.executable, "-W", "error", "-c", LIMITED, str(most_bytes), *map(str, arguments)]
        said = one_error(subprocess.run(command, capture_output=True, text=True, check=False))
        assert "largest file size" in said.splitlines()[-1]
        assert snapshots.current(tmp_path / "output") == before
        assert invoke("query", "Who is Spitzer?", "--root", tmp_path).exit_code == 0
    assert invoke(*arguments).exit_code == 0
    values = {"split_text_units": {"size": 100, "overlap": 10}, "communities": {"mode": "full"}}
    clean = pipeline.index(notes, tmp_path / "clean", Settings.model_validate(values))
    assert bytes_of(snapshots.current(tmp_path / "output")) == bytes_of(clean.snapshot)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Callable[[str], Path]]:
    """Mount a disk of a given size, and give it another one; skipped where this user may not mount."""
    folder = tmp_path / "disk"
    folder.mkdir()

    def mount(options: str) -> Path:
        if folder.is_mount():
            options = f"remount,{options}"
        done = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", options, "none", str(folder)], capture_output=True, text=True, check=False
        )
        if done.returncode:
            pytest.skip(f"mounting is not permitted here: {done.stderr.strip()}")
        return folder

    if not shutil.which("mount"):
        pytest.skip("there is no mount command here")
    yield mount
    if folder.is_mount():
        subprocess.run(["umount", str(folder)], check=True)


def test_a_read_only_output_is_one_error(small_disk: Callable[[str], Path], corpus: Callable[..., Path]) -> None:
    folder = small_disk("size=4m")
    assert invoke("index", corpus(TEXTS), "--root", folder).exit_code == 0
    small_disk("ro")
    for root in (folder, folder / "new"):
        assert "read-only" in one_error(invoke("index", corpus(TEXTS), "--root", root))
    assert invoke("query", "Who is Bob Jones?", "--root", folder).exit_code == 0
    init = one_error(invoke("init", folder))
    assert "Read-only" in init and "--root" not in init  # which is no option of it


def test_a_forbidden_output_is_one_error_for_any_user(
    corpus: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: Path, *_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", str(self))

    folder = corpus(TEXTS)
    monkeypatch.setattr(Path, "mkdir", refuse)
    assert "no permission" in one_error(invoke("index", folder, "--root", tmp_path / "root"))


def test_an_output_that_is_a_file_is_one_error(corpus: Callable[..., Path], tmp_path: Path) -> None:
    (tmp_path / "output").write_text("mine")
    assert "a file, not a folder" in one_error(invoke("index", corpus(TEXTS), "--root", tmp_path))
    assert "a file, not a folder" in one_error(invoke("index", corpus(TEXTS), "--root", tmp_path / "output"))
    assert (tmp_path / "output").read_text() == "mine"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize("arguments", [("show", "entities", "--json"), ("query", "Who is Spitzer?")])
def test_a_full_disk_behind_standard_output_is_one_error(arguments: Sequence[str], root: Path) -> None:
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", "graphrag_lite", *arguments, "--root", str(root)]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.splitlines() == ["Error: standard output cannot be written: No space left on device."]


def test_help_that_cannot_be_written_is_no_bug(closed_pipe: int) -> None:
    def run(stdout: int) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, "-m", "graphrag_lite", "--help"], stdout=stdout, stderr=-1, text=True)

    assert (done := run(closed_pipe)).returncode == 0 and not done.stderr
    with Path("/dev/full").open("w") as full:
        assert run(full.fileno()).stderr.count("\n") == 1


@pytest.fixture
def closed_pipe() -> Iterator[int]:
    """Give the end of a pipe that nobody reads."""
    reading, writing = os.pipe()
    os.close(reading)
    yield writing
    os.close(writing)


def test_a_reader_that_left_does_not_change_the_exit_code(
    closed_pipe: int, corpus: Callable[..., Path], tmp_path: Path
) -> None:
    """What is said on one stream, by commands that say most there, is not heard."""
    folder = corpus(TEXTS | {"bad.json": b"{"})

    def code(stream: str, *arguments: object) -> int:
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, stream: closed_pipe}
        command = [sys.executable, "-m", "graphrag_lite", *map(str, arguments), "--root", str(tmp_path)]
        done = subprocess.run(command, **streams, text=True, check=False)
        assert "Traceback" not in (done.stderr or "") and "Exception ignored" not in (done.stderr or "")
        return done.returncode

    assert code("stdout", "index", folder) == 3
    assert code("stdout", "query", "Who is Bob Jones?") == 0
    assert code("stderr", "index", folder) == 3
    assert code("stderr", "index", tmp_path / "nowhere", "--json") == 1
    snapshot = snapshots.current(tmp_path / "output")
    (snapshot / "entities.parquet").write_bytes(b"")
    assert code("stdout", "check") == 1


@pytest.mark.skipif(os.name == "nt", reason="there is no >&- here")
def test_a_stream_that_is_closed_from_the_start(corpus: Callable[..., Path], tmp_path: Path) -> None:
    arguments = ["index", str(corpus(TEXTS | {"bad.json": b"{"})), "--json", "--root", str(tmp_path)]
    command = shlex.join([sys.executable, "-m", "graphrag_lite", *arguments])
    for closed in (">&-", "2>&-"):
        done = subprocess.run(["sh", "-c", f"{command} {closed}"], capture_output=True, text=True, check=False)
        assert done.returncode == 3 and "Traceback" not in done.stderr
    assert json.loads(done.stdout)["failures"] == 1


@pytest.mark.parametrize("arguments", [("text-units", "--json"), ("text-units",)])
def test_a_reader_that_has_seen_enough_is_no_error(arguments: Sequence[str], root: Path) -> None:
    command = [sys.executable, "-m", "graphrag_lite", "show", *arguments, "--root", str(root), "--limit", "9999"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout and process.stderr
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 0


# --- query


def test_questions_before_an_index_are_one_error(tmp_path: Path) -> None:
    for command in (("query", "Who?"), ("show",)):
        assert "Run `graphrag-lite index CORPUS` first" in one_error(invoke(*command, "--root", tmp_path))


def test_an_index_that_is_gone_is_one_error(corpus: Callable[..., Path], tmp_path: Path) -> None:
    assert invoke("index", corpus(TEXTS), "--root", tmp_path).exit_code == 0
    shutil.rmtree(snapshots.current(tmp_path / "output"))
    assert "which is not there" in one_error(invoke("query", "Who?", "--root", tmp_path))
    assert invoke("index", corpus(TEXTS), "--root", tmp_path).exit_code == 0
    assert invoke("query", "Who?", "--root", tmp_path).exit_code == 0


@pytest.mark.parametrize(
    ("method", "name", "damage"),
    [
        ("local", "search_terms", "cut"),
        ("global", "community_reports", "flipped"),
        ("basic", "text_units", "gone"),
        ("drift", "communities", "foreign"),
    ],
)
def test_a_damaged_table_is_one_error_and_index_heals_it(
    method: str, name: str, damage: str, small: Path, tmp_path: Path
) -> None:
    texts = shutil.copytree(small, tmp_path, dirs_exist_ok=True) / "good"
    path = tables.path_in(snapshots.current(tmp_path / "output"), name)
    content = bytearray(path.read_bytes())
    for place in range(40, len(content) // 2, 50):  # not all columns are read
        content[place] ^= 0xFF
    other = tables.path_in(snapshots.current(tmp_path / "output"), "failures").read_bytes()
    path.unlink()
    if damage != "gone":
        path.write_bytes({"cut": content[:-9], "flipped": content, "foreign": other}[damage])
    question = ("query", "Who is Bob Jones?", "--method", method, "--root", tmp_path)
    said = one_error(invoke(*question))
    assert path.name in said and "Run `graphrag-lite index`" in said
    assert invoke("index", texts, "--root", tmp_path).exit_code == 0
    assert invoke(*question).exit_code == 0


def test_an_empty_question_is_one_error(root: Path) -> None:
    assert "empty" in one_error(invoke("query", "  ", "--root", root))


@pytest.mark.parametrize("arguments", [(), ("Who?", "--questions", "x.jsonl")])
def test_a_question_or_a_file_is_wanted_and_not_both(arguments: Sequence[str], root: Path) -> None:
    result = invoke("query", *arguments, "--root", root)
    assert result.exit_code == 2 and "Give a QUESTION, or a file with --questions." in result.stderr


@pytest.mark.parametrize(
    "arguments",
    [("query", "x", "--top-k", "0"), ("query", "x", "--level", "a"), ("show", "nonsense"), ("show", "entities", "x")],
)
def test_wrong_usage_ends_with_2(arguments: Sequence[str], root: Path) -> None:
    result = invoke(*arguments, "--root", root)
    assert result.exit_code == 2 and "Usage:" in result.stderr


@pytest.mark.parametrize("level", [-1, 99])
def test_a_level_that_is_not_there_is_one_error(level: int, root: Path) -> None:
    said = one_error(invoke("query", "Who?", "--method", "global", "--level", level, "--root", root))
    assert "has the levels 0 to" in said


@pytest.mark.parametrize("method", METHODS)
def test_an_answer_is_readable_and_says_where_it_stands(method: str, root: Path) -> None:
    result = invoke("query", QUESTIONS[0], "--method", method, "--root", root)
    assert result.exit_code == 0
    answer, _, sources = result.stdout.partition("\nSources\n")
    assert "Spitzer" in answer
    marks = {int(n) for n in re.findall(r"\[(\d+)\]", answer)}
    lines = sources.replace("\n", " ").replace(" [", "\n[")
    listed = [int(n) for n in re.findall(r"^\[(\d+)\] \S.*, characters", lines, re.M)]
    assert marks and listed == sorted(marks) == list(range(1, len(marks) + 1))


def test_json_and_the_questions_file_give_the_same_objects(root: Path, tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    rows = [{"id": f"q{i}", "question": question, "more": 1} for i, question in enumerate(QUESTIONS)]
    file.write_text(
        "\ufeff" + "\n\n".join(map(json.dumps, rows)) + "\n" + json.dumps({"question": "Hubble?"}), encoding="utf-8"
    )
    for method in METHODS:
        result = invoke("query", "--questions", file, "--method", method, "--root", root, "--top-k", 7)
        assert result.exit_code == 0
        answers = objects(result.stdout)
        assert [answer["id"] for answer in answers] == ["q0", "q1", "q2", "q3", 8]
        for answer, question in zip(answers, [*QUESTIONS, "Hubble?"], strict=True):
            assert answer["question"] == question and answer["method"] == method
            assert {"id", "question", "answer", "documents", "text_units", "citations"} <= answer.keys()
            assert len(answer["paths"]) == len(answer["documents"])
        single = invoke("query", QUESTIONS[0], "--method", method, "--json", "--root", root, "--top-k", 7)
        assert objects(single.stdout) == [answers[0] | {"id": None}]


def test_questions_are_asked_as_of_a_day(root: Path, tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    rows = [{"question": QUESTIONS[0], "question_date": day} for day in ("1990-04-24T10:00:00", None, "May 2010")]
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    arguments = ("--top-k", 1000, "--root", root, "--context-only")
    answers = objects(invoke("query", "--questions", file, "--as-of", "1999", *arguments).stdout)
    found = [set(row["documents"]) for row in answers]
    assert found[0] < found[1] < found[2]
    for day, documents in (("1990-04-24", found[0]), ("1999-12-31", found[1]), ("2010-05", found[2])):
        (row,) = objects(invoke("query", QUESTIONS[0], "--as-of", day, "--json", *arguments).stdout)
        assert set(row["documents"]) == documents
    assert "'soon' is not a date" in one_error(invoke("query", "Hubble?", "--as-of", "soon", "--root", root))
    file.write_text('{"question": "Hubble?", "question_date": "soon"}')
    said = one_error(invoke("query", "--questions", file, "--root", root))
    assert f"{file}:1: question_date: 'soon' is not a date" in said


@pytest.mark.parametrize("method", METHODS)
def test_documents_and_text_units_hold_at_least_k(method: str, root: Path, tmp_path: Path) -> None:
    snapshot = snapshots.current(root / "output")
    known = tables.read(snapshot, "documents")["source_id"].to_pylist()
    n_units = tables.read(snapshot, "text_units").num_rows
    file = tmp_path / "questions.jsonl"
    file.write_text("\n".join(json.dumps({"question": question}) for question in (*QUESTIONS, "xyzzy")))
    arguments = ("query", "--questions", file, "--method", method, "--context-only", "--root", root, "--top-k")
    for top_k, found in ((k, found) for k in (1, 50, 1000) for found in objects(invoke(*arguments, k).stdout)):
        assert len(found["documents"]) >= min(top_k, len(known)) and len(found["text_units"]) >= min(top_k, n_units)
        assert len(set(found["documents"])) == len(found["documents"]) and set(found["documents"]) <= set(known)
        assert len(set(found["text_units"])) == len(found["text_units"])
        assert found["citations"] == []


def test_context_only_prints_passages(root: Path) -> None:
    result = invoke("query", QUESTIONS[0], "--context-only", "--top-k", 3, "--root", root)
    assert result.exit_code == 0 and "notes/1946-spitzer-proposal.md" in re.sub(r"\s", "", result.stdout)


@pytest.mark.parametrize("line", ["{", "[]", '"x"', '{"id": 1}', '{"question": " "}', '{"question": 3}', "[" * 99_999])
def test_a_bad_questions_file_is_one_error_that_names_the_line(line: str, root: Path, tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    file.write_text('{"question": "Hubble?"}\n\n' + line + "\n")
    assert f"{file}:3: not a JSON object" in one_error(invoke("query", "--questions", file, "--root", root))


@pytest.mark.parametrize("content", [None, b"\xff\xfe\xff"])
def test_a_questions_file_that_cannot_be_read_is_one_error(content: bytes | None, root: Path, tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    if content:
        file.write_bytes(content)
    assert "cannot be read" in one_error(invoke("query", "--questions", file, "--root", root))


def test_settings_of_the_root_hold_for_queries(root: Path, tmp_path: Path) -> None:
    shutil.copytree(root / "output", tmp_path / "output")
    (tmp_path / "settings.yaml").write_text("search: {top_k: 3}\n")
    (found,) = objects(invoke("query", QUESTIONS[0], "--method", "basic", "--json", "--root", tmp_path).stdout)
    assert 3 <= len(found["text_units"]) < 10
    (tmp_path / "settings.yaml").write_text("search: {top_k: 0}\n")
    assert "search.top_k" in one_error(invoke("query", "Who?", "--root", tmp_path))


# --- show


def with_text(episode: dict[str, Any], root: Path) -> dict[str, Any]:
    """Return a row of episodes with its text in the place of where that stands."""
    place = {name: episode.pop(name) for name in ("document_id", "char_start", "char_end")}
    documents = tables.read(snapshots.current(root / "output"), "documents").to_pylist()
    text = next(row["text"] for row in documents if row["id"] == place["document_id"])
    return {**episode, "text": text[place["char_start"] : place["char_end"]]}


@pytest.mark.parametrize("what", VIEWS)
def test_show_lists_searches_and_limits(what: str, root: Path) -> None:
    table, columns = VIEWS[what]
    rows = tables.read(snapshots.current(root / "output"), table).select(columns).to_pylist()
    if what == "episodes":
        rows = [with_text(row, root) for row in rows]
    assert objects(invoke("show", what, "--json", "--limit", 9999, "--root", root).stdout) == rows
    assert objects(invoke("show", what, "--json", "--limit", 2, "--root", root).stdout) == rows[:2]
    matching = [row for row in rows if "spitzer" in str(list(row.values())).lower()]
    found = objects(invoke("show", what, "--search", "SPITZER", "--json", "--limit", 9999, "--root", root).stdout)
    assert found == matching and (matching or what in ("failures", "reports", "communities", "policies"))
    printed = invoke("show", what, "--limit", 2, "--root", root)
    heading = {"subject": "fact", "human_readable_id": "#"}.get(columns[0], columns[0])
    assert printed.exit_code == 0 and printed.stdout.split()[0] == heading
    assert ("2 of " in printed.stdout) == (len(rows) > 2)
    none = invoke("show", what, "--search", "no such thing", "--root", root)
    assert none.exit_code == 0 and none.stdout.splitlines()[1:] == [f"no {what} with 'no such thing'"]


@pytest.mark.parametrize("width", [40, 80])
@pytest.mark.parametrize("what", ["documents", "relationships", "reports", "text-units"])
def test_a_table_fits_the_terminal_and_breaks_no_word(
    what: str, width: int, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(terminal, "Output", lambda: Console(width=width, force_terminal=True, color_system=None))
    lines = invoke("show", what, "--limit", 20, "--root", root).stdout.splitlines()
    assert max(map(len, lines)) <= width
    if width > 40:
        rows = tables.read(snapshots.current(root / "output"), VIEWS[what][0]).select(VIEWS[what][1]).slice(0, 20)
        texts = " ".join(str(row.get("title", "") or row.get("source", "")) for row in rows.to_pylist())
        assert set(texts.split()) <= set(" ".join(lines).split())


def test_a_pipe_gets_a_line_for_each_row(root: Path) -> None:
    lines = invoke("show", "text-units", "--limit", 20, "--root", root).stdout.splitlines()
    assert len(lines) == 22 and lines[0].split() == ["#", "id", "n_tokens", "text"] and max(map(len, lines)) > 160


def test_show_summarises_the_snapshot(root: Path) -> None:
    (values,) = objects(invoke("show", "--json", "--root", root).stdout)
    snapshot = snapshots.current(root / "output")
    assert values["snapshot"] == snapshot.name and values["folder"] == str(snapshot)
    for table, _ in VIEWS.values():
        assert values[table] == tables.read(snapshot, table).num_rows
    assert snapshot.name in invoke("show", "--root", root).stdout


def test_show_report_is_a_page(root: Path) -> None:
    report = tables.read(snapshots.current(root / "output"), "community_reports").to_pylist()[0]
    by_number = invoke("show", "report", report["community"], "--root", root)
    by_id = invoke("show", "report", report["id"], "--root", root)
    by_beginning = invoke("show", "report", report["id"][:8], "--root", root)
    assert by_number.exit_code == 0 and by_number.stdout == by_id.stdout == by_beginning.stdout
    page = " ".join(by_number.stdout.split())
    assert report["title"] in page and f"Rank {report['rank']}" in page
    for citation in report["citations"]:
        assert f"characters {citation['char_start']}-{citation['char_end']}" in page
    (printed,) = objects(invoke("show", "report", report["id"], "--json", "--root", root).stdout)
    assert printed == report


@pytest.mark.parametrize("identity", ["99999", "nonsense", "-1"])
def test_an_unknown_report_is_one_error(identity: str, root: Path) -> None:
    assert f"There is no report '{identity}'. " in one_error(invoke("show", "--root", root, "--", "report", identity))


def test_a_community_without_a_report_says_why(root: Path) -> None:
    communities = objects(invoke("show", "communities", "--limit", 999, "--json", "--root", root).stdout)
    number = next(row["community"] for row in communities if row["size"] == 2)
    assert "has too little to say" in one_error(invoke("show", "report", number, "--root", root))


@pytest.mark.parametrize("identity", [(), ("",)])
def test_which_report_is_asked(identity: tuple[str, ...], root: Path) -> None:
    result = invoke("show", "report", *identity, "--root", root)
    assert result.exit_code == 2 and "Which report?" in result.stderr


# --- init


def test_what_init_writes_changes_nothing(corpus: Callable[..., Path]) -> None:
    folder = corpus(TEXTS)
    assert invoke("index", folder, "--root", folder).exit_code == 0
    assert f"Wrote {folder / 'settings.yaml'}" in invoke("init", folder).stdout
    (printed,) = objects(invoke("index", folder, "--root", folder, "--json").stdout)
    assert printed["status"] == "unchanged"


# --- text of the corpus is not trusted


def test_control_characters_of_documents_are_never_printed(corpus: Callable[..., Path], tmp_path: Path) -> None:
    nasty = "\x1b]0;owned\x07\x1b[31m\x9b31m\u202e\x7f"
    row = {
        "id": f"row{nasty}",
        "title": f"Title{nasty} of Alice Smith",
        "text": f"Alice Smith{nasty} met Bob Jones in Paris. Bob Jones {nasty}wrote to Alice Smith and Carol White.",
    }
    assert invoke("index", corpus({"a.jsonl": [row], "b.txt": LESSONS}), "--root", tmp_path).exit_code == 0
    commands = [("show", what, *json_) for what in ("summary", *VIEWS) for json_ in ((), ("--json",))]
    commands += [("show", "report", "0"), ("show", "report", "0", "--json")]
    ways = ((), ("--json",), ("--context-only",))
    commands += [("query", "Who met Bob Jones?", "--method", method, *way) for method in METHODS for way in ways]
    for command in commands:
        result = invoke(*command, "--root", tmp_path)
        assert result.exit_code == 0
        steering = {c for c in result.stdout + result.stderr if unicodedata.category(c) in ("Cc", "Cf") and c != "\n"}
        assert not steering, (command, steering)


def test_control_characters_of_names_of_files_are_not_printed_in_errors(
    corpus: Callable[..., Path], tmp_path: Path
) -> None:
    for files in (
        {"bad\x1b[31m.json": b"{"},
        {"a\x1b[31m": b"x\0", "a\x1b[31m.txt": b"\0"},
        {"empty\x1b[31m.txt": b"", "\x1b[32m.json": b"{"},
    ):
        done = run("index", corpus(files, f"c{len(files)}{len(str(files))}"), "--root", tmp_path)
        assert done.returncode == 1 and "\x1b" not in done.stderr and "31m" in done.stderr


def test_json_is_printed_whatever_a_text_holds(capsys: pytest.CaptureFixture[str]) -> None:
    value = {"a": "é\x00\x1b\x7f\x9b\u202e\ud800\n\u2028", "b": [1, None]}
    terminal.print_json(value)
    printed = capsys.readouterr().out
    assert json.loads(printed) == value and "é" in printed
    assert not set("\x1b\x7f\x9b\u202e\ud800") & set(printed)
